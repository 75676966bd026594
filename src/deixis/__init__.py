"""Deixis: the toolkit for reference, language that points at things.

The names a newcomer needs are here; everything else is under its own namespace. Nothing is imported before it is used.

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
from typing import TYPE_CHECKING

from deixis._version import __version__ as __version__


if TYPE_CHECKING:
    from deixis.datasets.make import make as make
    from deixis.datasets.recipe import Recipe as Recipe
    from deixis.datasets.recipe import reascan as reascan
    from deixis.datasets.store import open_dataset as open_dataset
    from deixis.distractors import competitors as competitors
    from deixis.distractors import necessity as necessity
    from deixis.distractors import relaxations as relaxations
    from deixis.errors import DeixisError as DeixisError
    from deixis.expression import Description as Description
    from deixis.expression import parts as parts
    from deixis.expression import replacing as replacing
    from deixis.expression import swapping as swapping
    from deixis.expression import without as without
    from deixis.language import parse as parse
    from deixis.language import parse_instruction as parse_instruction
    from deixis.language import realise as realise
    from deixis.resolution import resolve as resolve
    from deixis.resolution import resolve_batch as resolve_batch
    from deixis.resolution import trace as trace
    from deixis.scene import Context as Context
    from deixis.scene import GridScene as GridScene
    from deixis.scene import Scene as Scene
    from deixis.scene import grid as grid
    from deixis.schema import Schema as Schema
    from deixis.tasks.navigate import Example as Example

_HOMES = {
    "datasets.make": ("make",),
    "datasets.recipe": ("Recipe", "reascan"),
    "datasets.store": ("open_dataset",),
    "distractors": ("competitors", "necessity", "relaxations"),
    "errors": ("DeixisError",),
    "expression": ("Description", "parts", "replacing", "swapping", "without"),
    "language": ("parse", "parse_instruction", "realise"),
    "resolution": ("resolve", "resolve_batch", "trace"),
    "scene": ("Context", "GridScene", "Scene", "grid"),
    "schema": ("Schema",),
    "tasks.navigate": ("Example",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME_OF)]  # noqa: PLE0604 - the names are strings


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'deixis' has no attribute {name!r}")
    value = getattr(import_module(f"deixis.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
