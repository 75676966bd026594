"""Part `language` of rooms: captions of the grammars, and other texts that mention features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.errors import ParseError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is
from deixis.language._frames import MAX_LETTERS
from deixis.language.lexicon import SchemaWords
from deixis.language.utterance import Instruction, Utterance
from deixis.worlds.rooms.captions import parse_caption, realise_caption
from deixis.worlds.rooms.mentions import read_mentions
from deixis.worlds.rooms.scene import FACTORS


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Span
    from deixis.scene.scene import Scene
    from deixis.worlds.rooms.mentions import Mention
    from deixis.worlds.rooms.mentions import Span as Letters


HUES = FACTORS[:3]


@dataclass(frozen=True, slots=True)
class RoomLanguage:
    """Reader of captions, and of the mentioned features if no grammar fits."""

    words = SchemaWords()

    def read(self, text: str, scene: Scene | None = None) -> Utterance:
        """Return a caption with its meaning, or that of a text in other words that mentions features.

        A colour of nothing in particular may be that of floor, wall or object.

        Raises:
            ParseError: about the first word that is not known, or of which a negation leaves open what it says; where
                a text mentions no feature at all, about the word at which the grammars stop.
        """
        del scene
        try:
            said = parse_caption(text)
        except ParseError as error:
            return _read_mentioned_features(text, error)
        return _utterance(said.text, said.expression, said.spans)

    def realise(self, expression: Expression) -> Utterance:
        """A caption that names just these features."""
        said = realise_caption(expression, grammar="partial")
        return _utterance(said.text, said.expression, said.spans)


LANGUAGE = RoomLanguage()


def _utterance(text: str, expression: Expression, spans: Mapping[Address, Span]) -> Utterance:
    whole = (0, len(text.split(" ")))
    return Utterance(text, Instruction("", expression), (), {**spans, (-1,): whole})


def _read_mentioned_features(text: str, error: ParseError) -> Utterance:
    """Return the features that a text mentions which no grammar reads, or raise about what it says beside them."""
    plain = " ".join(text.split())
    heard = read_mentions(plain)
    if heard.unknown:
        raise _complaint(plain, heard.unknown[0], error)
    if not heard.mentions:
        raise error
    spans: dict[Address, Span] = {}
    steps: list[Step] = []
    for mention in heard.mentions:
        span = _words_at(plain, mention.span)
        step = _step(mention)
        place = len(steps)
        spans[place,] = span
        spans |= {(place, inner): span for inner in range(len(step.steps) if isinstance(step, AnyOf) else 0)}
        steps.append(step)
    return _utterance(plain, Description(tuple(steps)), spans)


def _words_at(plain: str, span: Letters) -> Span:
    """The words, separated by single spaces, in which a stretch of letters lies."""
    return plain.count(" ", 0, span.start), plain.count(" ", 0, span.end) + 1


def _complaint(plain: str, span: Letters, error: ParseError) -> ParseError:
    """The error about words that cannot be read; that of the grammars where they stop there, too."""
    position = _words_at(plain, span)[0] + 1
    if position == error.position:
        return error
    word = plain[span.start : span.end].split(maxsplit=1)[0]
    word = word if len(word) <= MAX_LETTERS else word[: MAX_LETTERS - 1] + "…"
    return ParseError(text=plain, word=word, position=position, expected=())


def _step(mention: Mention) -> Step:
    features = HUES if mention.feature is None else (mention.feature,)
    said = tuple(Is(feature, value) for value in mention.expressions for feature in features)
    return said[0] if len(said) == 1 else AnyOf(said)
