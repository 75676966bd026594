"""Expressions of people over scenes of boxes: a small language, and what of a text it does not cover.

A text has a meaning if every word of it is covered; of all others the first word that is not is told. Covered are

| words | meaning |
|---|---|
| the names of COCO's categories, and what people call them alone | category |
| left, right, top, bottom (also far, very, -most; before or behind the noun) | the outermost to that side |
| middle, center | the one with as many on its left as on its right |
| second from the left, third person on the right | the rank from that side |
| big, biggest, large, small, smallest, … | the one with the biggest or smallest box |
| left of, right of, above, below, next to (also chained) | as `_region_scene` defines them |

A noun says more than a category where it tells sex, age or what somebody does (man, girl, batter): it is covered only
where the image has a single person, whom it cannot tell apart from anybody. A phrase without a noun (`left one`), or
with two ranks (`top left cup`, `big cup on the left`), has no meaning here: what is counted, and in which order, is
left open. So is depth (front, back, closest).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deixis.expression.description import Description
from deixis.expression.steps import Extreme, Is, Nth, Related, Side, Step
from deixis.readers._region_scene import ABOVE, BELOW, CATEGORIES, LEFT, NEXT, RIGHT, WIDER
from deixis.schema import Which


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.readers.reader import ReadExample


NO_NOUN, SEVERAL_RANKS, ODD_ORDER = "(no noun)", "(several ranks)", "(order of words)"
NOTHING = "(nothing said)"
SAME = """
airplane: plane, aircraft, aeroplane | bicycle: bicycle, pushbike | motorcycle: motorbike, scooter
person: person, human, individual, somebody, someone | car: automobile | boat: ship | traffic light: stoplight
fire hydrant: hydrant | stop sign: stopsign | cow: cattle | teddy bear: teddy | any bear: bear | couch: sofa
handbag: purse | tie: necktie | suitcase: luggage | sports ball: ball | baseball bat: bat
baseball glove: mitt, glove | tennis racket: racket, racquet, tennis racquet | wine glass: wineglass | cup: mug
donut: doughnut | hot dog: hotdog | potted plant: plant, houseplant | dining table: table | skis: ski
tv: television, monitor, screen | laptop: laptop computer | mouse: computer mouse | cell phone: phone, cellphone, mobile
oven: stove | refrigerator: fridge | remote: remote control, controller | hair drier: hair dryer, hairdryer
toothbrush: tooth brush | scissors: pair of scissors
"""
NOUNS = {tuple(name.split()): name for name in (*CATEGORIES, *WIDER) if name != "bear"}
for _line in re.split(r"[|\n]", SAME.strip()):
    _name, _, _words = _line.partition(":")
    NOUNS |= {tuple(one.split()): _name.strip() for one in _words.split(",")}
ROLES = """
man woman guy girl boy lady gentleman dude kid child baby toddler adult male female fella gal chick mom dad mother
father player batter catcher umpire pitcher skier snowboarder skater skateboarder surfer rider cyclist biker bride groom
chef officer policeman cop driver waiter waitress server teen teenager grandma grandpa
"""
PERSONS = frozenset(ROLES.split())
THINGS = frozenset(("thing", "object", "item"))
OUTER: tuple[Side, ...] = ("left", "right", "top", "bottom")
SIDES: dict[str, Side] = {
    **{side: side for side in OUTER},
    **{f"{side}most": side for side in OUTER},
    "middle": "middle",
    "center": "middle",
    "centre": "middle",
    "upper": "top",
    "lower": "bottom",
    "lefthand": "left",
    "righthand": "right",
}
SIZES = {
    **dict.fromkeys(("big", "bigger", "biggest", "large", "larger", "largest", "huge"), Which.MOST),
    **dict.fromkeys(("small", "smaller", "smallest", "little", "littlest", "tiny", "tiniest"), Which.LEAST),
}
ORDINALS = {
    word: rank
    for words in (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th",
    )
    for rank, word in enumerate(words.split(), 1)
}
RELATIONS = {
    ("left", "of"): LEFT,
    ("right", "of"): RIGHT,
    ("above",): ABOVE,
    ("over",): ABOVE,
    ("below",): BELOW,
    ("under",): BELOW,
    ("beneath",): BELOW,
    ("underneath",): BELOW,
    ("next", "to"): NEXT,
    ("beside",): NEXT,
    ("by",): NEXT,
    ("near",): NEXT,
}
ARTICLES = frozenset(("the", "a", "an"))
FAR = frozenset(("far", "very", "furthest", "farthest", "extreme"))
AT = frozenset(("on", "at", "to", "in", "from", "towards", "toward", "closest", "nearest"))
ENDS = frozenset(("side", "end", "edge"))
PICTURES = frozenset(("picture", "pic", "image", "photo", "photograph", "screen", "frame"))
IS = frozenset(("that", "which", "who", "is", "thats"))
LONGEST_NOUN = max(map(len, NOUNS))
KNOWN = frozenset(word for words in (*NOUNS, *RELATIONS) for word in words) | {
    *SIDES,
    *SIZES,
    *ORDINALS,
    *THINGS,
    *ARTICLES,
    *FAR,
    *AT,
    *ENDS,
    *PICTURES,
    *IS,
    "most",
    "of",
    "one",
    "hand",
}
WORDS = re.compile(r"[^\W_]+")
MOST_WORDS = 60  # of a text that is read


class RegionReading(NamedTuple):
    """What a text says, or the first word of it that is not covered; a remark in brackets where all words are."""

    expression: Expression | None
    missing: str = ""


class RegionLanguage:
    """The language as a function of examples, for `ReadExample.parse`."""

    def __call__(self, example: ReadExample) -> Expression | None:
        """Return the expression of the text of an example, or None where it is not covered."""
        return self._read(example).expression

    def why(self, example: ReadExample) -> str:
        """Return the first word of a text that is not covered, or an empty text."""
        return self._read(example).missing

    @staticmethod
    def _read(example: ReadExample) -> RegionReading:
        scenes = example.scenes
        persons = scenes[0].categories.count("person") if scenes else 0  # type: ignore[attr-defined]
        return read_regions(example.text, has_one_person=persons == 1)


parse_regions = RegionLanguage()
"""What readers give as `ReadExample.parse`."""


@lru_cache(maxsize=8192)
def read_regions(text: str, *, has_one_person: bool = False) -> RegionReading:
    """Return what a text says.

    Args:
        text: what was said.
        has_one_person: whether there is one person to speak of, whom `man` or `batter` cannot tell apart.
    """
    words = WORDS.findall(text.lower().replace("'", ""))
    if not words or len(words) > MOST_WORDS:
        return RegionReading(None, ODD_ORDER if words else NOTHING)
    for word in words:
        if word not in KNOWN and not (has_one_person and word in PERSONS):
            return RegionReading(None, word)
    try:
        phrase, end = _Phrase(words, has_one_person=has_one_person).read(0)
    except _NotCovered as problem:
        return RegionReading(None, str(problem))
    return RegionReading(phrase) if end == len(words) else RegionReading(None, words[end])


class _NotCovered(Exception):
    """A text without meaning here, with the reason."""


class _Phrase:
    """The reading of one text, word by word."""

    def __init__(self, words: list[str], *, has_one_person: bool) -> None:
        self.words = words
        self.has_one_person = has_one_person

    def word(self, at: int) -> str:
        """The word at a place, empty behind the end."""
        return self.words[at] if at < len(self.words) else ""

    def skip(self, at: int, some: frozenset[str]) -> int:
        """The place behind words of a set."""
        while self.word(at) in some:
            at += 1
        return at

    def read(self, at: int) -> tuple[Description, int]:
        """A noun phrase with its clauses, and the place behind it."""
        ranks: list[Step] = []
        ordinal = 0
        at = self.skip(at, ARTICLES)
        while True:
            if self.word(at) in ORDINALS and not ordinal:
                ordinal, at = ORDINALS[self.word(at)], at + 1
                if (place := self.side_behind(at)) is not None:  # second from the left (cup)
                    ranks.append(_nth(ordinal, place[0]))
                    ordinal, at = 0, place[1]
            elif self.word(at) in SIZES:
                ranks.append(Extreme("size", SIZES[self.word(at)]))
                at += 1
            elif (place := self.bare_side(at)) is not None:
                ranks.append(_nth(1, place[0]))
                at = place[1]
            else:
                break
        head, at = self.noun(at)
        clauses, at = self.clauses(at, ranks, ordinal)
        if len(ranks) > 1:
            raise _NotCovered(SEVERAL_RANKS)
        if not (head or clauses or ranks):
            raise _NotCovered(NO_NOUN)
        return Description((*head, *clauses, *ranks)), at

    def noun(self, at: int) -> tuple[tuple[Step, ...], int]:
        """The category that is said, if any, and the place behind the noun."""
        for length in range(min(LONGEST_NOUN, len(self.words) - at), 0, -1):
            name = NOUNS.get(tuple(self.words[at : at + length]))
            if name is not None:
                return (Is("category", name),), at + length
        if self.has_one_person and self.word(at) in PERSONS:
            return (Is("category", "person"),), at + 1
        if self.word(at) in THINGS:
            return (), at + 1
        raise _NotCovered(NO_NOUN if self.word(at) in ("", "one") else self.word(at))

    def clauses(self, at: int, ranks: list[Step], ordinal: int) -> tuple[list[Step], int]:
        """What is said behind a noun: places are added to the ranks, relations are returned."""
        found: list[Step] = []
        while at < len(self.words):
            start = self.skip(at, IS)
            if (relation := self.relation(start)) is not None:
                to, at = self.read(relation[1])
                found.append(Related(relation[0], to))
            elif not ordinal and self.word(start) in ORDINALS and (place := self.side_behind(start + 1)) is not None:
                ranks.append(_nth(ORDINALS[self.word(start)], place[0]))
                at = place[1]
            elif (place := self.side_behind(start) or self.bare_side(start)) is not None:
                if self.word(start) == "from" and not ordinal:
                    raise _NotCovered(ODD_ORDER)
                ranks.append(_nth(ordinal or 1, place[0]))
                ordinal, at = 0, place[1]
            elif (behind := self.picture(start)) is not None:
                at = behind
            else:
                break
        if ordinal:
            raise _NotCovered(ODD_ORDER)
        return found, at

    def relation(self, at: int) -> tuple[str, int] | None:
        """A relation and the place behind it: left of, to the left of, next to."""
        start = self.skip(at, ARTICLES | AT)
        for length in (2, 1):
            name = RELATIONS.get(tuple(self.words[start : start + length]))
            if name is not None and (start == at or length == 2):
                return None if self.picture(start + length - 1) is not None else (name, start + length)
        return None

    def side_behind(self, at: int) -> tuple[Side, int] | None:
        """A side with its preposition, and the place behind it: on the far left, from right."""
        if self.word(at) not in AT:
            return None
        return self.bare_side(self.skip(at, AT | ARTICLES))

    def bare_side(self, at: int) -> tuple[Side, int] | None:
        """A side by itself, and the place behind it: far left, right most, left side of the picture."""
        start = self.skip(at, FAR)
        side = SIDES.get(self.word(start))
        if side is None:
            return None
        start += 1
        if self.word(start) == "most":
            start += 1
        if self.word(start) == "hand" and self.word(start + 1) in ENDS:
            start += 1
        if self.word(start) in ENDS:
            start += 1
        return side, self.picture(start) or start

    def picture(self, at: int) -> int | None:
        """The place behind `of the picture` or `in the image`, or None where it does not stand there."""
        if self.word(at) not in ("of", "in"):
            return None
        start = self.skip(at + 1, ARTICLES)
        return start + 1 if self.word(start) in PICTURES else None


def _nth(rank: int, side: Side) -> Nth:
    """The rank from a side, of which the middle has one only."""
    if side == "middle" and rank != 1:
        raise _NotCovered(ODD_ORDER)
    return Nth(rank, side)
