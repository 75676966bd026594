"""Part `language` of rooms: captions of the grammars, and other texts that mention features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.errors import ParseError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is
from deixis.language.lexicon import SchemaWords
from deixis.language.utterance import Instruction, Utterance
from deixis.worlds.rooms.captions import parse_caption, realise_caption
from deixis.worlds.rooms.mentions._reading import read_mentions
from deixis.worlds.rooms.scene import FACTORS


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Span
    from deixis.scene.scene import Scene
    from deixis.worlds.rooms.mentions._reading import Mention


HUES = FACTORS[:3]


@dataclass(frozen=True, slots=True)
class RoomLanguage:
    """Reader of captions, and of the mentioned features if no grammar fits."""

    words = SchemaWords()

    def read(self, text: str, scene: Scene | None = None) -> Utterance:
        """Return a caption with its meaning, or raise `ParseError` if it mentions no feature at all.

        A colour of nothing in particular may be that of floor, wall or object.
        """
        del scene
        try:
            said = parse_caption(text)
        except ParseError as error:
            heard = _read_mentioned_features(text)
            if heard is None:
                raise error from None
            return heard
        return _utterance(said.text, said.expression, said.spans)

    def realise(self, expression: Expression) -> Utterance:
        """A caption that names just these features."""
        said = realise_caption(expression, grammar="partial")
        return _utterance(said.text, said.expression, said.spans)


LANGUAGE = RoomLanguage()


def _utterance(text: str, expression: Expression, spans: Mapping[Address, Span]) -> Utterance:
    whole = (0, len(text.split(" ")))
    return Utterance(text, Instruction("", expression), (), {**spans, (-1,): whole})


def _read_mentioned_features(text: str) -> Utterance | None:
    """Return the features that a text without grammar mentions, or None if there are none."""
    plain = " ".join(text.split())
    mentions = read_mentions(plain).mentions
    if not mentions:
        return None
    spans: dict[Address, Span] = {}
    steps: list[Step] = []
    for mention in mentions:
        first = len(plain[: mention.span.start].split())
        span = (first, first + max(1, len(plain[mention.span.start : mention.span.end].split())))
        step = _step(mention)
        place = len(steps)
        spans[place,] = span
        spans |= {(place, inner): span for inner in range(len(step.steps) if isinstance(step, AnyOf) else 0)}
        steps.append(step)
    return _utterance(plain, Description(tuple(steps)), spans)


def _step(mention: Mention) -> Step:
    features = HUES if mention.feature is None else (mention.feature,)
    said = tuple(Is(feature, value) for value in mention.expressions for feature in features)
    return said[0] if len(said) == 1 else AnyOf(said)
