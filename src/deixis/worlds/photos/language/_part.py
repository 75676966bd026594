"""Part `language` of photographs: expressions in the words of Cops-Ref."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from deixis.language.lexicon import SchemaWords
from deixis.worlds.photos._balance import gqa_counts
from deixis.worlds.photos.language.read import read_reference
from deixis.worlds.photos.language.say import realise_reference
from deixis.worlds.photos.scene.graph import GraphScene
from deixis.worlds.photos.scene.vocabulary import TYPES, Vocabulary


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Scene


@dataclass(frozen=True, slots=True)
class PhotoLanguage:
    """Noun phrases with clauses, ranks, negations and alternatives."""

    words = SchemaWords()

    def read(self, text: str, scene: Scene | None = None) -> Utterance:
        """Read an expression with its meaning, in the vocabulary of the scene if there is one, else in that of GQA."""
        vocabulary = scene.vocabulary if isinstance(scene, GraphScene) else gqa_vocabulary()
        return read_reference(text, vocabulary)

    def realise(self, expression: Expression) -> Utterance:
        """Put an expression into words."""
        return realise_reference(expression)


LANGUAGE = PhotoLanguage()


@cache
def gqa_vocabulary() -> Vocabulary:
    """Return the words of GQA, for texts about no corpus in particular."""
    counts = gqa_counts()
    words = sorted(counts.attributes, key=lambda word: TYPES.index(Vocabulary.type_of(word)))
    return Vocabulary(names=tuple(counts.names), words=tuple(words), relations=tuple(counts.relations))
