"""Commands whose options come from worlds: those of a recipe or a model, and those that a verb has for one world only.

`deixis make NAME` and `deixis train MODEL` have the options of that dataset or model beside those that all of them
share; `join` makes one function of the two. Verbs that are given a dataset accept the options of every world, which
their help shows world by world; `command_of` adds them, with what each world says of the verb, and `options_for`
refuses those of other worlds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints
from warnings import warn

from cyclopts import Parameter

from deixis._cli.options import Seed
from deixis.errors import RecipeError
from deixis.readers._options import FAMILY, READER_OPTIONS
from deixis.settings import Setting
from deixis.worlds.registry import WorldWarning, known_worlds


if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

    from deixis.worlds.world import Option, World


def homes_of(what: Literal["datasets", "models", "commands"]) -> dict[str, World]:
    """Return the world of every dataset, model or verb of its own, the first world where two have one name."""
    found: dict[str, World] = {}
    for world in known_worlds().values():
        for name in getattr(world, what):
            if name in found:
                complaint = f"{name!r} of {world.name} is left out: {found[name].name} has one of that name"
                warn(f"of the {what}, {complaint}", WorldWarning, stacklevel=2)
            else:
                found[name] = world
    return found


def join(common: Callable[..., Any], specific: Callable[..., Any], *, into: str) -> Callable[..., Any]:
    """One command of two functions: it calls `specific` with its own options and `common` with what comes of that.

    Args:
        common: a verb; its parameter `into` is filled, the others are options.
        specific: keyword-only parameters with a line each under Args; what it returns goes to `into`.
        into: the name of that parameter.
    """
    own, shared = _parameters(specific), _parameters(common)
    clash = own.keys() & shared.keys() - {into}

    def command(**given: Any) -> Any:
        options = {name: value for name, value in given.items() if name in own}
        rest = {name: value for name, value in given.items() if name in shared and name not in clash}
        return common(**{into: specific(**options)}, **rest)

    parameters = [*own.values(), *(shared[name] for name in shared if name != into and name not in clash)]
    command.__name__ = specific.__name__
    command.__doc__ = _summary(specific)
    return _set_signature(command, parameters)


def command_of(verb: Callable[..., int]) -> Callable[..., int]:
    """The command of a verb: help in whole paragraphs, with what worlds say of it, and the options they have for it.

    A verb with a keyword parameter `options` is given those of worlds that were typed, by name.
    """
    own = _parameters(verb)
    takes_options = own.pop("options", None) is not None
    known = _known_options(verb.__name__) if takes_options else {}

    @wraps(verb)
    def command(*arguments: Any, **given: Any) -> int:
        options = {name: given.pop(name) for name in known if name in given}
        chosen = {name: value for name, value in options.items() if value is not None and value is not False}
        return verb(*arguments, **given, **({"options": chosen} if takes_options else {}))

    command.__doc__ = "\n\n".join((_summary(verb), *_told_by_worlds(verb.__name__)))
    return _set_signature(command, [*own.values(), *(_parameter(option, worlds) for option, worlds in known.values())])


def options_for(world: World, verb: str, given: Mapping[str, Any], *, where: Path | str) -> dict[str, Any]:
    """Return the given options if all are options of this world, or raise `RecipeError`."""
    known = _known_options(verb)
    for name, value in given.items():
        option, worlds = known[name]
        if world.family not in worlds:
            raise RecipeError(f"{option.flag} is an option of {' and '.join(worlds)}; {where} is of {world.name}")
        choices = world.options_of(verb)[name].choices
        if choices and not set(value if isinstance(value, list) else [value]) <= set(choices):
            raise RecipeError(f"{option.flag} of {world.name} is one of {', '.join(choices)}, got {value!r}")
    return dict(given)


def _known_options(verb: str) -> dict[str, tuple[Option, tuple[str, ...]]]:
    """Every option of any world, by name, with the worlds that have it and what may be chosen in any of them.

    One that the verb has for all worlds is left out, and of two of one name that are of different kinds, the second.
    """
    own = _own_options(verb)
    found: dict[str, tuple[Option, tuple[str, ...]]] = {}
    families = {world.family: world.options_of(verb) for world in known_worlds().values()}
    families[FAMILY] = {option.name: option for option in READER_OPTIONS.get(verb, ())}
    for family, options in families.items():
        for name, option in options.items():
            first, worlds = found.get(name, (option, ()))
            if name in own or (option.kind, option.many) != (first.kind, first.many):
                why = f"deixis {verb} has its own" if name in own else f"that of {worlds[0]} is of another kind"
                warn(f"the option {option.flag} of {family} is left out: {why}", WorldWarning, stacklevel=2)
                continue
            choices = (*first.choices, *option.choices) if first.choices and option.choices else ()
            found[name] = (replace(first, choices=tuple(dict.fromkeys(choices))), (*worlds, family))
    return found


def _told_by_worlds(verb: str) -> Iterator[str]:
    """What each world says of a verb, a paragraph each."""
    for world in known_worlds().values():
        if verb in world.help:
            yield f"{world.name.capitalize()}: {world.help[verb]}"


def _own_options(verb: str) -> Container[str]:
    """What a verb has for all worlds: the parameters of its function, which lies in a module of its name."""
    try:
        return inspect.signature(getattr(import_module(f"deixis._cli.{verb}"), verb)).parameters
    except ModuleNotFoundError:  # a verb that others made
        return ()


def _parameter(option: Option, worlds: tuple[str, ...]) -> inspect.Parameter:
    kind: Any = Literal[option.choices] if option.choices else option.kind
    kind = list[kind] if option.many else kind
    group = f"Options of {' and '.join(worlds)}"
    said = Parameter(name=option.flag, help=option.help, group=group, negative=())
    hint: Any = Annotated[kind if option.kind is bool else kind | None, said]
    default = False if option.kind is bool else None
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function with resolved annotations, and the help of its docstring in them."""
    hints = _hints(function)
    told = _parameter_help(function)
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name, str)
        if name == "seed" and hint in (int, int | None):
            hint = Seed if hint is int else Seed | None
        if any(get_origin(one) is list for one in (hint, *get_args(hint))):
            hint = Annotated[hint, Parameter(consume_multiple=True)]
        about = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Setting)), None)
        if about is not None or name in told:
            hint = Annotated[hint, Parameter(help=told[name] if about is None else about.help)]
        found[name] = parameter.replace(annotation=hint)
    return found


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of the parameters; that of what is returned may name what is not imported."""
    whole = inspect.unwrap(function)
    if inspect.isclass(whole):
        return get_type_hints(whole, include_extras=True)
    options = inspect.signature(function).parameters
    hints = {name: hint for name, hint in whole.__annotations__.items() if name in options}
    return get_type_hints(SimpleNamespace(__annotations__=hints), globalns=whole.__globals__, include_extras=True)


def _parameter_help(function: Callable[..., Any]) -> dict[str, str]:
    """Return the help of parameters from docstrings, for a record that of its fields and its parents' fields."""
    from docstring_parser import parse

    whole = inspect.unwrap(function)
    homes = [one for one in reversed(whole.__mro__) if one is not object] if inspect.isclass(whole) else [function]
    found = (one for home in homes for one in parse(home.__doc__ or "").params)
    return {one.arg_name: " ".join((one.description or "").split()) for one in found}


def _summary(function: Callable[..., Any]) -> str:
    """A docstring without its Args, each paragraph in one line, which the terminal wraps."""
    text = inspect.cleandoc(function.__doc__ or "").partition("\nArgs:")[0].strip()
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _set_signature(command: Callable[..., Any], parameters: list[inspect.Parameter]) -> Callable[..., Any]:
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__dict__.pop("__wrapped__", None)
    return command
