"""Features that a caption mentions, true or false, and the words that mention them.

Captions of models are often broken, so nothing here fails. Phrases are found from the left, the longest first; then
every colour is given to what it is the colour of:

- the noun that follows it, with at most sizes and unknown words between them: 'green floor', 'red tiny ball';
- the subject, after 'is': 'the ball in front of a green wall is red';
- the wall, after 'in front of a' with no noun to follow (some released captions lack their last word);
- otherwise to nothing: it is *loose*, and only the target can tell what it is about.

'not' and 'or' turn what is said into sets of values, see `operators`. A loose colour that is negated is not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.language._frames import plain_words
from deixis.worlds.rooms.mentions._phrases import (
    EXPRESSIONS,
    Kind,
    code_of,
    find_operators,
    items_in,
    kinds_of,
    phrase_of,
)
from deixis.worlds.rooms.scene import FACTORS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


FLOOR, WALL, HUE, SCALE, SHAPE, PLACE, LOOSE = range(7)
PARTLY = 7  # columns of a row: what is said exactly of 0..5 and loosely (6), the same said in part (7..13)
UNKNOWN, ORDER, WORDS = 14, 15, 16
NARROW = 17  # what all that is said in part of each feature has in common
COLUMNS = 23
VALUES = tuple((1 << len(EXPRESSIONS[feature if feature < 6 else 0])) - 1 for feature in range(7))  # bits of all values
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
        expressions: what is said, in the words of captions; several where the words fit more than one, as 'left' does,
            or 'red or blue'; all others where the words are negated.
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
        unknown: words that belong to no known phrase, and phrases of which a negation leaves open what they say.
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


class Claim(NamedTuple):
    """A claim about a feature, without its words.

    Attributes:
        feature: 0 to 5, or 6 for a loose colour.
        places: the numbers of the phrases that say it; several where they are alternatives.
        is_negated: whether the opposite is said.
        is_hedged: whether it is open that it is said at all.
    """

    feature: int
    places: tuple[int, ...]
    is_negated: bool = False
    is_hedged: bool = False


class Build(NamedTuple):
    """The structure of the phrases of a caption, without their words.

    Attributes:
        claims: what is said of the features, from left to right.
        order: of modifiers before a noun: 0 none, 1 usual, 2 unusual.
        lost: numbers of phrases of which a negation leaves open what they say.
    """

    claims: tuple[Claim, ...]
    order: int
    lost: tuple[int, ...]


def read_mentions(text: str) -> Reading:
    """Return the features that a caption mentions, with the words.

    Example:
        >>> [(m.feature, *m.expressions) for m in read_mentions("A tiny red ball green of").mentions]
        [('scale', 'tiny'), ('object_hue', 'red'), ('shape', 'ball'), (None, 'green')]
    """
    spans = [span for word, span in _words(text) if code_of(word)]
    items = items_in(text)
    ends = list(accumulate(map(len, items), initial=0))
    where = [Span(spans[first].start, spans[after - 1].end) for first, after in pairwise(ends)]
    kinds = kinds_of(items)
    claims, order, lost = build_of(kinds)
    unread = sorted((*lost, *(place for place, kind in enumerate(kinds) if kind == Kind.UNKNOWN)))
    return Reading(
        text=text,
        mentions=tuple(_mention(claim, items, where) for claim in claims),
        unknown=tuple(where[place] for place in unread),
        modifiers=order == USUAL if order else None,
    )


def read_rows(texts: Iterable[str]) -> np.ndarray:
    """Read many captions as numbers, one row each.

    Shapes:
        Returns int32 [caption, 23]: bits of the expressions said exactly of each feature and loosely, the same for
        those said in part, the number of unknown words, the order of modifiers (0 none, 1 usual, 2 unusual), all words;
        and of each feature the bits that all that is said in part has in common, -1 where nothing is.
    """
    rows: list[list[int]] = []
    for text in texts:
        items = items_in(text)
        kinds = kinds_of(items)
        claims, order, lost = build_of(kinds)
        row = [0] * NARROW + [-1] * (COLUMNS - NARROW)
        for claim in claims:
            bits, is_exact = _meaning(claim, items)
            row[claim.feature if is_exact else claim.feature + PARTLY] |= bits
            if not is_exact and claim.feature < LOOSE:
                row[claim.feature + NARROW] &= bits
        row[UNKNOWN], row[ORDER], row[WORDS] = kinds.count("U") + len(lost), order, sum(map(len, items))
        rows.append(row)
    return np.array(rows, dtype=np.int32).reshape(len(rows), COLUMNS)


def build_of(kinds: str) -> Build:
    """Return the structure of phrases of these kinds, one letter each."""
    return _known_build(kinds) if len(kinds) <= LONGEST_KNOWN else _build(kinds)


def _build(kinds: str) -> Build:
    found = find_operators(kinds)
    walk = _Walk()
    for place, kind in enumerate(kinds):
        if place not in found.skipped:
            _ACTIONS[kind](walk, place)
    walk.let_go()
    claims = [
        Claim(feature, found.alternatives.get(place, (place,)), place in found.negated, place in found.hedged)
        for feature, place in sorted(walk.owners, key=lambda owner: owner[1])
        if place not in found.dropped
    ]
    vague = [claim for claim in claims if claim.is_negated and claim.feature == LOOSE]
    lost = found.dropped.union(place for claim in vague for place in claim.places)
    return Build(tuple(claim for claim in claims if claim not in vague), walk.order, tuple(sorted(lost)))


_known_build = lru_cache(1 << 16)(_build)  # captions are built alike


def _meaning(claim: Claim, items: list[str]) -> tuple[int, bool]:
    """The bits of what a claim says, and whether it says it exactly."""
    _, bits, is_exact = phrase_of(items[claim.places[0]])
    if len(claim.places) > 1:
        for place in claim.places[1:]:
            bits |= phrase_of(items[place]).bits
        is_exact = False
    if claim.is_hedged:
        return VALUES[claim.feature], False
    if claim.is_negated:
        return VALUES[claim.feature] & ~bits, False
    return bits, is_exact


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
        self.unnamed_noun(place)
        self.owners.append((SHAPE, place))

    def unnamed_noun(self, _: int) -> None:
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

    def negation(self, _: int) -> None:
        """The opposite is said of the same thing."""
        self.let_go()

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
    Kind.UNNAMED: _Walk.unnamed_noun,
    Kind.IS: _Walk.predicate,
    Kind.FRONT: _Walk.front,
    Kind.INTO: _Walk.into,
    Kind.LINK: _Walk.link,
    Kind.MODIFIER: _Walk.modifier,
    Kind.FILLER: _Walk.filler,
    Kind.UNKNOWN: _Walk.filler,
    Kind.NOT: _Walk.negation,
    Kind.IS_NOT: _Walk.predicate,
    Kind.NONE: _Walk.negation,
    Kind.UNTRUE: _Walk.negation,
    Kind.OR: _Walk.link,
}


def _words(text: str) -> Iterator[tuple[str, Span]]:
    """The words of a text, and where they stand."""
    return ((match.group(), Span(*match.span())) for match in re.finditer(r"\S+", plain_words(text)))


def _mention(claim: Claim, items: list[str], where: list[Span]) -> Mention:
    bits, is_exact = _meaning(claim, items)
    known = EXPRESSIONS[claim.feature if claim.feature < LOOSE else HUE]
    return Mention(
        feature=FACTORS[claim.feature] if claim.feature < LOOSE else None,
        expressions=tuple(word for place, word in enumerate(known) if bits >> place & 1),
        is_exact=is_exact,
        span=Span(where[claim.places[0]].start, where[claim.places[-1]].end),
    )
