"""Verbs of single worlds: made when they are asked for, so that no world is imported to show which there are."""

from __future__ import annotations

import inspect
from functools import partial, wraps
from typing import TYPE_CHECKING, Any
from warnings import warn

from deixis._cli.compose import homes_of, join
from deixis._cli.options import Json
from deixis._cli.printing import print_output
from deixis._cli.progress import Stages
from deixis.errors import SchemaError
from deixis.worlds.registry import WorldWarning


if TYPE_CHECKING:
    from collections.abc import Callable

    from cyclopts import App

    from deixis.report.output import Output


PREFIX = "do_"


def add_commands(app: App) -> None:
    """Add the verbs of all worlds, and warn of those that every world has already."""
    for name, world in homes_of("commands").items():
        if name in app:
            told = f"of the commands, {name!r} of {world.name} is left out: every world has one of that name"
            warn(told, WorldWarning, stacklevel=2)
        else:
            app.command(f"{__name__}:{PREFIX}{name}", name=name, help=world.commands[name])


def __getattr__(name: str) -> Callable[..., int]:
    """The command of a name; cyclopts asks for it when it is given."""
    verb = name.removeprefix(PREFIX)
    world = homes_of("commands").get(verb) if verb != name else None
    if world is None:
        raise AttributeError(f"there is no command {name!r}")
    functions = world.part("commands")
    if verb not in functions:
        raise SchemaError(f"the commands of {world.name} lack {verb!r}, which the world lists")
    function: Callable[..., Output] = functions[verb]
    known = inspect.signature(function)
    tells = "progress" in known.parameters

    @wraps(function)
    def options_of(**given: Any) -> Callable[..., Output]:
        return partial(function, **given)

    def run(work: Any, *, as_json: Json = False) -> int:
        """Do what a world does by itself.

        Args:
            work: The function with its options.
            as_json: Print JSON instead of text.
        """
        with Stages() as progress:
            output = work(progress=progress) if tells else work()
        print_output(output, as_json=as_json)
        return output.code

    own = [parameter for option, parameter in known.parameters.items() if option != "progress"]
    options_of.__signature__ = known.replace(parameters=own)  # type: ignore[attr-defined]
    return join(run, options_of, into="work")
