"""Noun phrases with relative clauses as the language of a world, from a table of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.language.parse import read_typed
from deixis.language.realise import realise


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.language.lexicon import Lexicon
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Scene


__all__ = ["PhraseLanguage"]


@dataclass(frozen=True, slots=True)
class PhraseLanguage:
    """Part `language`: 'the red bead that is left of a blue bead', read and said by one lexicon."""

    words: Lexicon

    def read(self, text: str, scene: Scene | None = None) -> Utterance:
        """Return a text with its meaning and spans.

        `ParseError` names the word and what could have stood there.
        """
        del scene
        return read_typed(text, words=self.words)

    def realise(self, expression: Expression) -> Utterance:
        """A text that means it, with the span of every part."""
        return realise(expression, words=self.words)
