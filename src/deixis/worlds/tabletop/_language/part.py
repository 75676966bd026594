"""Part `language`: noun phrases with ranks and clauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import BrokenDataset
from deixis.worlds.tabletop._formats.clevr import read_tables
from deixis.worlds.tabletop._language.read import read
from deixis.worlds.tabletop._language.say import say
from deixis.worlds.tabletop._language.words import LEXICON
from deixis.worlds.tabletop._scene import SolidScene


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Scene


class TabletopLanguage:
    """'the small shiny red cube left of the large sphere that is behind a cone'."""

    words = LEXICON

    def read(self, text: str, scene: Scene | None = None) -> Utterance:
        """Return a text with its meaning and spans, or raise `ParseError` with what could have stood there."""
        del scene
        return read(text)

    def read_scene(self, path: Path) -> Scene:
        """Return the first scene of a file of CLEVR scenes."""
        for table in read_tables(path):
            return SolidScene(table)
        raise BrokenDataset(f"{path} holds no scene")

    def realise(self, expression: Expression) -> Utterance:
        """Return a text that means it, with the span of every part."""
        return say(expression)


LANGUAGE = TabletopLanguage()
