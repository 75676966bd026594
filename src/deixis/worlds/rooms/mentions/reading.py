"""What a caption says: which features, by which words, whether or not they are true.

Captions of models are often broken, so nothing here fails. Phrases are found from the left, the longest first; then
every colour is given to what it is the colour of:

- the noun that follows it, with at most sizes and unknown words between them: 'green floor', 'red tiny ball';
- the subject, after 'is': 'the ball in front of a green wall is red';
- the wall, after 'in front of a' with no noun to follow (some released captions lack their last word);
- otherwise to nothing: it is *loose*, and only the target can tell what it is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.language.mentions.phrases import EXPRESSIONS, Kind, Phrase, code_of, items_in, kinds_of, phrase_of, plain
from deixis.scene.factors import FACTORS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


__all__ = ["COLUMNS", "LOOSE", "Mention", "Reading", "Span", "read_mentions", "read_rows"]

FLOOR, WALL, HUE, SCALE, SHAPE, PLACE, LOOSE = range(7)
PARTLY = 7  # columns of a row: what is said exactly of 0..5 and loosely (6), the same said in part (7..13)
UNKNOWN, ORDER, WORDS = 14, 15, 16
COLUMNS = 17
USUAL, UNUSUAL = 1, 2
LONGEST_KNOWN = 100  # phrases in a caption whose build is remembered


class Span(NamedTuple):
    """A stretch of a text, in characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Words of a caption that say something about a feature.

    Attributes:
        feature: one of the six, or None for a colour that is the colour of nothing in particular.
        expressions: what is said, in the words of captions; several where the words fit more than one, as 'left' does.
        is_exact: whether the words are a whole expression rather than a part of one.
        span: where they stand.
    """

    feature: str | None
    expressions: tuple[str, ...]
    is_exact: bool
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A caption with what it says.

    Attributes:
        unknown: words that belong to no known phrase.
        modifiers: whether size stands before colour wherever both stand before the noun of the object; None where they
            never do.
    """

    text: str
    mentions: tuple[Mention, ...]
    unknown: tuple[Span, ...]
    modifiers: bool | None

    def of(self, feature: str | None) -> tuple[Mention, ...]:
        """The mentions of one feature, or the loose colours."""
        return tuple(mention for mention in self.mentions if mention.feature == feature)


class Build(NamedTuple):
    """How the phrases of a caption hang together, whatever their words.

    Attributes:
        owners: (feature, number of the phrase that says something about it); feature 6 for loose colours.
        order: of modifiers before a noun: 0 none, 1 usual, 2 unusual.
    """

    owners: tuple[tuple[int, int], ...]
    order: int


def read_mentions(text: str) -> Reading:
    """Which features a caption mentions, and by which words.

    Example:
        >>> [(m.feature, *m.expressions) for m in read_mentions("A tiny red ball green of").mentions]
        [('scale', 'tiny'), ('object_hue', 'red'), ('shape', 'ball'), (None, 'green')]
    """
    spans = [span for word, span in _words(text) if code_of(word)]
    items = items_in(text)
    ends = list(accumulate(map(len, items), initial=0))
    where = [Span(spans[first].start, spans[after - 1].end) for first, after in pairwise(ends)]
    kinds = kinds_of(items)
    owners, order = build_of(kinds)
    return Reading(
        text=text,
        mentions=tuple(_mention(feature, phrase_of(items[place]), where[place]) for feature, place in owners),
        unknown=tuple(where[place] for place, kind in enumerate(kinds) if kind == Kind.UNKNOWN),
        modifiers=order == USUAL if order else None,
    )


def read_rows(texts: Iterable[str]) -> np.ndarray:
    """What many captions say, in numbers; one row each.

    Shapes:
        Returns int32 [caption, 17]: bits of the expressions said exactly of each feature and loosely, the same for
        those said in part, the number of unknown words, the order of modifiers (0 none, 1 usual, 2 unusual), all words.
    """
    rows: list[list[int]] = []
    for text in texts:
        items = items_in(text)
        kinds = kinds_of(items)
        owners, order = build_of(kinds)
        row = [0] * COLUMNS
        for feature, place in owners:
            _, bits, is_exact = phrase_of(items[place])
            row[feature if is_exact else feature + PARTLY] |= bits
        row[UNKNOWN], row[ORDER], row[WORDS] = kinds.count("U"), order, sum(map(len, items))
        rows.append(row)
    return np.array(rows, dtype=np.int32).reshape(len(rows), COLUMNS)


def build_of(kinds: str) -> Build:
    """How phrases of these kinds, one letter each, hang together."""
    return _known_build(kinds) if len(kinds) <= LONGEST_KNOWN else _build(kinds)


def _build(kinds: str) -> Build:
    walk = _Walk()
    for place, kind in enumerate(kinds):
        _ACTIONS[kind](walk, place)
    walk.let_go()
    return Build(tuple(sorted(walk.owners, key=lambda owner: owner[1])), walk.order)


_known_build = lru_cache(1 << 16)(_build)  # captions are built alike


class _Walk:
    """The state of a walk along the phrases of a caption."""

    def __init__(self) -> None:
        self.owners: list[tuple[int, int]] = []
        self.order = 0
        self.waiting: tuple[int, int] | None = None  # a colour before its noun, and whose it is if none comes
        self.subject = LOOSE  # the feature of the noun that 'is' speaks of
        self.is_governed = False  # by a preposition: the next noun is not the subject
        self.is_predicate = False  # after 'is'
        self.is_wall_next = False  # after 'in front of'
        self.forget_modifiers()

    def let_go(self) -> None:
        """No noun has come for the colour that was waiting for one."""
        if self.waiting is not None:
            self.owners.append(self.waiting)
            self.waiting = None

    def forget_modifiers(self) -> None:
        """The row of modifiers before a noun has ended."""
        self.has_size = self.has_color = self.has_size_after_color = False

    def color(self, place: int) -> None:
        self.let_go()
        owner = WALL if self.is_wall_next else self.subject if self.is_predicate else LOOSE
        self.waiting = (owner, place)
        self.is_wall_next = False
        self.has_color = True

    def size(self, place: int) -> None:
        self.owners.append((SCALE, place))
        self.has_size_after_color |= self.has_color
        self.has_size = True

    def whereabouts(self, place: int) -> None:
        self.filler(place)
        self.owners.append((PLACE, place))
        self.is_governed = False

    def thing(self, place: int) -> None:
        self.unnamed(place)
        self.owners.append((SHAPE, place))

    def unnamed(self, _: int) -> None:
        if self.has_size and self.has_color:
            self.order = max(self.order, UNUSUAL if self.has_size_after_color else USUAL)
        self.noun(HUE)

    def noun(self, feature: int) -> None:
        """A noun takes the colour before it and may be what the caption speaks of."""
        if self.waiting is not None:
            self.owners.append((feature, self.waiting[1]))
        if not self.is_governed:
            self.subject = feature
        self.waiting = None
        self.forget_modifiers()
        self.is_governed = self.is_predicate = self.is_wall_next = False

    def predicate(self, place: int) -> None:
        self.filler(place)
        self.is_predicate = True

    def front(self, place: int) -> None:
        self.into(place)
        self.is_wall_next = True

    def into(self, place: int) -> None:
        self.filler(place)
        self.is_governed = True

    def link(self, _: int) -> None:
        self.let_go()
        self.forget_modifiers()

    def modifier(self, _: int) -> None:
        pass

    def filler(self, _: int) -> None:
        self.let_go()
        self.forget_modifiers()
        self.is_predicate = self.is_wall_next = False


_ACTIONS: dict[str, Callable[[_Walk, int], None]] = {
    Kind.COLOR: _Walk.color,
    Kind.SIZE: _Walk.size,
    Kind.PLACE: _Walk.whereabouts,
    Kind.FLOOR: lambda walk, _: walk.noun(FLOOR),
    Kind.WALL: lambda walk, _: walk.noun(WALL),
    Kind.THING: _Walk.thing,
    Kind.UNNAMED: _Walk.unnamed,
    Kind.IS: _Walk.predicate,
    Kind.FRONT: _Walk.front,
    Kind.INTO: _Walk.into,
    Kind.LINK: _Walk.link,
    Kind.MODIFIER: _Walk.modifier,
    Kind.FILLER: _Walk.filler,
    Kind.UNKNOWN: _Walk.filler,
}


def _words(text: str) -> Iterator[tuple[str, Span]]:
    """The words of a text, and where they stand."""
    return ((match.group(), Span(*match.span())) for match in re.finditer(r"\S+", plain(text)))


def _mention(feature: int, phrase: Phrase, span: Span) -> Mention:
    known = EXPRESSIONS[feature if feature < LOOSE else HUE]
    return Mention(
        feature=FACTORS[feature] if feature < LOOSE else None,
        expressions=tuple(word for place, word in enumerate(known) if phrase.bits >> place & 1),
        is_exact=phrase.is_exact,
        span=span,
    )
