"""Names that were replaced: they go on working for a while and say what to use instead.

A replaced name is kept for at least one minor version. `Replacement` says since when and in which version
it goes away; `tests/test_deprecation.py` fails once that version is reached, so that nothing stays for ever.
"""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """The fate of a name that something else stands in for.

    Attributes:
        by: the place of what to use instead, "module:object".
        since: the version that replaced it.
        until: the version that no longer has it.
    """

    by: str
    since: str
    until: str

    def find(self) -> Any:
        """Import what stands in for the name."""
        module, _, inside = self.by.partition(":")
        return functools.reduce(getattr, inside.split("."), import_module(module))


FACADE = {  # names under `deixis` itself
    "Recipe": Replacement(by="deixis:GridRecipe", since="0.2.0", until="0.4.0"),
    "relaxations": Replacement(by="deixis:planned_misreadings", since="0.3.0", until="0.5.0"),
}


def lookup(module: str, names: Mapping[str, Replacement]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module that still answers to replaced names, with a warning.

    Examples:
        >>> __getattr__ = lookup("deixis.old", {"walk": Replacement(by="os:walk", since="0.2.0", until="0.4.0")})
    """

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn(f"{module}.{name}", names[name])
        return names[name].find()

    return find


def deprecate(by: str, *, since: str, until: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function as replaced: each call warns and then does what it always did."""
    fate = Replacement(by=by, since=since, until=until)

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            warn(f"{function.__module__}.{function.__qualname__}", fate)
            return function(*args, **kwargs)

        return call

    return mark


def warn(name: str, fate: Replacement) -> None:
    """Warn the caller of the caller that a name goes away."""
    instead = fate.by.replace(":", ".")
    text = f"{name} is deprecated since deixis {fate.since} and goes away in {fate.until}; use {instead}"
    warnings.warn(text, DeprecationWarning, stacklevel=3)
