"""Ready-made parts for worlds whose examples are scenes written out, expressions and targets.

A world of another package needs a schema, words, a function that draws one example, and perhaps a picture; the parts
here do the rest. `deixis new world NAME` writes a package that uses them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from deixis.worlds.example import PlainExample as PlainExample
    from deixis.worlds.toolkit.examples import RowExamples as RowExamples
    from deixis.worlds.toolkit.language import PhraseLanguage as PhraseLanguage
    from deixis.worlds.toolkit.recipes import ExampleRecipes as ExampleRecipes
    from deixis.worlds.toolkit.recipes import Recipe as Recipe

_HOMES = {
    "PlainExample": "deixis.worlds.example",
    "RowExamples": "deixis.worlds.toolkit.examples",
    "PhraseLanguage": "deixis.worlds.toolkit.language",
    "ExampleRecipes": "deixis.worlds.toolkit.recipes",
    "Recipe": "deixis.worlds.toolkit.recipes",
}
"""Modules that are imported when a name is asked for, so that recipes come without what reads files."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
