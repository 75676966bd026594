"""Names that were replaced: they go on working for a while and say what to use instead.

A replaced name is kept for at least one minor version. `Replacement` says since when and in which version
it goes away; `tests/test_deprecation.py` fails once that version is reached, so that nothing stays for ever.
"""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


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


def rename_field(old: str, new: str, *, since: str, until: str) -> Callable[[type[C]], type[C]]:
    """Keep the earlier name of a field of a record, as an attribute and as a keyword that warn.

    Examples:
        >>> @rename_field("missed", "misreadings", since="0.3.0", until="0.5.0")
        ... class Verdict(NamedTuple):
        ...     misreadings: tuple[str, ...]
    """

    def mark(record: type[C]) -> type[C]:
        name, fate = _field_fate(record, old, new, since, until)
        maker = "__new__" if issubclass(record, tuple) else "__init__"
        make = getattr(record, maker)

        @functools.wraps(make)
        def construct(*args: Any, **kwargs: Any) -> Any:
            if old in kwargs:
                warn(name, fate)
                kwargs[new] = kwargs.pop(old)
            return make(*args, **kwargs)

        setattr(record, maker, staticmethod(construct) if maker == "__new__" else construct)
        setattr(record, old, property(_reader(name, fate, new)))
        return record

    return mark


def merge_fields(
    parts: Mapping[str, str], new: str, make: Callable[..., Any], *, since: str, until: str
) -> Callable[[type[C]], type[C]]:
    """Keep earlier fields of a dataclass that one field replaces, as attributes and as keywords that warn.

    Args:
        parts: by earlier name, which attribute of the new field holds it.
        new: the field.
        make: what makes the new field of the earlier ones, in their order.
        since: the version that replaced them.
        until: the version that no longer has them.
    """

    def mark(record: type[C]) -> type[C]:
        name, fate = _field_fate(record, next(iter(parts)), new, since, until)
        maker = "__init__"
        given = getattr(record, maker)

        @functools.wraps(given)
        def construct(self: C, *args: Any, **kwargs: Any) -> None:
            if not parts.keys().isdisjoint(kwargs):
                warn(name, fate)
                now = kwargs.get(new)
                kwargs[new] = make(*(kwargs.pop(old, getattr(now, part, None)) for old, part in parts.items()))
            given(self, *args, **kwargs)

        setattr(record, maker, construct)
        for old, part in parts.items():
            setattr(
                record,
                old,
                property(_reader(*_field_fate(record, old, f"{new}.{part}", since, until), f"{new}.{part}")),
            )
        return record

    return mark


def _field_fate(record: type, old: str, new: str, since: str, until: str) -> tuple[str, Replacement]:
    of = f"{record.__qualname__}."
    return f"{record.__module__}.{of}{old}", Replacement(by=f"{record.__module__}:{of}{new}", since=since, until=until)


def _reader(name: str, fate: Replacement, new: str) -> Callable[[Any], Any]:
    """Return the getter of an earlier field."""
    find = attrgetter(new)

    def read(record: Any) -> Any:
        warn(name, fate)
        return find(record)

    return read


def warn(name: str, fate: Replacement) -> None:
    """Warn the caller of the caller that a name goes away."""
    instead = fate.by.replace(":", ".")
    text = f"{name} is deprecated since deixis {fate.since} and goes away in {fate.until}; use {instead}"
    warnings.warn(text, DeprecationWarning, stacklevel=3)
