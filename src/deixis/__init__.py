"""Deixis: the toolkit for reference, language that points at things.

The names a newcomer needs are here; everything else is under its own namespace. Worlds add names of their own, such as
`dx.grid`. Nothing is imported before it is used.

    >>> import deixis as dx
    >>> scene = dx.grid('''
    ...     r○2 .   b□1
    ...     .   .   .
    ...     r○1 .   .
    ... ''')
    >>> expression = dx.parse("the red circle that is in the same row as a blue square")
    >>> sorted(dx.resolve(expression, scene).indices)
    [0]
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from deixis._version import __version__ as __version__


if TYPE_CHECKING:
    from deixis import worlds as worlds
    from deixis.data.store import open_dataset as open_dataset
    from deixis.distractors import competitors as competitors
    from deixis.distractors import necessity as necessity
    from deixis.distractors import planned_misreadings as planned_misreadings
    from deixis.errors import DeixisError as DeixisError
    from deixis.expression import Description as Description
    from deixis.expression import parts as parts
    from deixis.expression import replacing as replacing
    from deixis.expression import swapping as swapping
    from deixis.expression import without as without
    from deixis.facade import audit as audit
    from deixis.facade import check as check
    from deixis.facade import evaluate as evaluate
    from deixis.facade import load as load
    from deixis.facade import make as make
    from deixis.facade import parse as parse
    from deixis.facade import parse_instruction as parse_instruction
    from deixis.facade import realise as realise
    from deixis.resolution import resolve as resolve
    from deixis.resolution import trace as trace
    from deixis.scene import Context as Context
    from deixis.scene import Scene as Scene
    from deixis.schema import Schema as Schema
    from deixis.worlds.example import Example as Example

_HOMES = {
    "data.store": ("open_dataset",),
    "distractors": ("competitors", "necessity", "planned_misreadings"),
    "errors": ("DeixisError",),
    "expression": ("Description", "parts", "replacing", "swapping", "without"),
    "facade": ("audit", "check", "evaluate", "load", "make", "parse", "parse_instruction", "realise"),
    "resolution": ("resolve", "trace"),
    "scene": ("Context", "Scene"),
    "schema": ("Schema",),
    "worlds.example": ("Example",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    value = _find(name)
    if value is None:
        from deixis._deprecation import FACADE, lookup

        return lookup("deixis", FACADE)(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return ["__version__", *sorted((*_HOME_OF, "worlds", *_names_of_worlds()))]


def _find(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"deixis.{_HOME_OF[name]}"), name)
    if not name.startswith("_") and find_spec(f"deixis.{name}") is not None:
        return import_module(f"deixis.{name}")
    if not name.startswith("_") and name in (homes := _names_of_worlds()):
        module, _, inside = homes[name].partition(":")
        return getattr(import_module(module), inside)
    return None


def _names_of_worlds() -> dict[str, str]:
    """The names that worlds add, with the places of what they name; the first world that has a name gives it."""
    from deixis.worlds.registry import known_worlds

    found: dict[str, str] = {}
    for world in known_worlds().values():
        for name, home in world.names.items():
            if "." not in name:
                found.setdefault(name, home)
    return found
