"""The words for the six features of a room, those of captions and those that models come up with.

A word says a feature exactly, in part or not at all. 'light green' is one colour; 'blue' is two of them, as 'left' is
four of the places. Everything else is a word that links, a name for what is shown, or one that nobody knows.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from deixis.language._frames import plain_words, synonyms
from deixis.worlds.rooms.scene import HUES, PLACES, SCALES, SOLIDS


if TYPE_CHECKING:
    from collections.abc import Iterator

EXPRESSIONS: tuple[tuple[str, ...], ...] = (HUES, HUES, HUES, SCALES, SOLIDS, tuple(dict.fromkeys(PLACES)))
PLACE_OF = tuple(EXPRESSIONS[5].index(place) for place in PLACES)  # orientation -> the number of its phrase


class Kind(StrEnum):
    """Kind of a phrase in a caption, a letter each, so that the structure of a caption is a string."""

    COLOR = "C"
    SIZE = "S"
    PLACE = "P"
    FLOOR = "F"
    WALL = "W"
    THING = "T"  # a noun that tells the shape of the object
    IS = "I"
    FRONT = "O"  # 'in front of', which only walls follow
    INTO = "G"  # a preposition: the next noun is not the subject
    LINK = "L"  # articles and the like, which leave open what comes next
    MODIFIER = "M"  # stands before a noun without saying anything we know: 'unk', a stray 'light'
    FILLER = "X"
    UNKNOWN = "U"
    UNNAMED = "N"  # a noun for the object that does not tell its shape
    NOT = "Z"  # bears on the next phrase: 'not red'
    IS_NOT = "Y"
    NONE = "V"  # bears on the next noun with its modifiers: 'no red ball'
    UNTRUE = "Q"  # bears on all that follows: 'it is wrong that'
    OR = "R"


class Phrase(NamedTuple):
    """Words with one meaning: their kind, and what they may say as bits of the expressions of their feature."""

    kind: Kind
    bits: int = 0
    is_exact: bool = True


# Wordings of captions before the release: 'dark green' is the green that is not light, 'very small' and 'gigantic' are
# the ends of the scale.
EARLIER_COLORS = {"dark green": "green"}
SIZE_WORDS = {
    "medium size": "medium-sized",
    "medium": "medium-sized",
    "middle size": "middle-sized",
    "very small": "tiny",
    "gigantic": "giant",
}
THINGS = {"cube": "block", "sphere": "ball", "capsule": "pill"}
UNNAMED = ("object", "thing", "solid", "shape")
PARTS_OF_PLACES = {  # words of a place -> what its phrase must contain
    "left": "left",
    "right": "right",
    "left side": "left",
    "right side": "right",
    "left corner": "left corner",
    "right corner": "right corner",
    "corner": "corner",
    "side": "side",
    "middle": "middle",
    "centre": "middle",
    "center": "middle",
}
OTHER_WORDS = {
    Kind.INTO: "in on of near to close with by at against behind beside before from under over between along",
    Kind.LINK: "a an the and but either very its",
    Kind.MODIFIER: "unk light dark sized size nearly colored coloured bright pale",
    Kind.FILLER: "there picture image photo scene room shows show showing standing stands stand located placed sitting "
    "sits lies lying front this that it color colour we see can",
    Kind.IS: "is are was were",
    Kind.NOT: "not non un never neither hardly scarcely barely cannot",
    Kind.NONE: "no none nothing without except excluding unlike lacks lacking minus besides",
    Kind.UNTRUE: "wrong false untrue incorrect nobody opposite",
    Kind.OR: "or nor",
}
# Of several words, each of which alone is not known unless it stands above: an apostrophe breaks a word in two.
VERBS = ("do", "does", "did", "has", "have", "had", "wo", "ca", "could", "would", "should", "must", "need")
NEGATIONS = {
    Kind.IS_NOT: (
        *(f"{verb}n{gap}t" for verb in ("is", "are", "was", "were", "ai") for gap in (" ", "")),
        *(f"{verb} n t" for verb in ("is", "are", "was", "were")),
        *(f"{verb} not" for verb in ("is", "are", "was", "were")),
    ),
    Kind.NOT: (
        *(f"{verb}n{gap}t" for verb in VERBS for gap in (" ", "")),
        *("n t", "anything but", "everything but", "far from", "differs from", "different from", "fails to"),
    ),
    Kind.NONE: (
        *("except for", "other than", "rather than", "instead of", "apart from", "all but", "any but"),
        *(f"{every} {color} but" for every in ("any", "every", "all") for color in ("color", "colour")),
    ),
    Kind.FILLER: ("not only", "no doubt", "nothing but", "nothing else", "isn t it", "isnt it"),
}
DROPPED = ("pad", "start", "s", "bos", "sos")
END = ("end", "eos", "endoftext")


def _number(feature: int, expression: str) -> int:
    return 1 << EXPRESSIONS[feature].index(expression)


def _split(text: str) -> str:
    return text.replace("-", " ")


def _phrases() -> Iterator[tuple[str, Phrase]]:
    """All phrases, as words separated by spaces; what stands later replaces what stands earlier."""
    for words, _ in _synonyms():
        yield from ((word, Phrase(Kind.MODIFIER)) for word in words.split())  # what they say alone, unless told below
    for phrases in NEGATIONS.values():
        yield from ((word, Phrase(Kind.UNKNOWN)) for words in phrases for word in words.split())
    for kind, words in OTHER_WORDS.items():
        yield from ((word, Phrase(kind)) for word in words.split())
    for color in HUES:
        yield color, Phrase(Kind.COLOR, _number(0, color))
    for words, color in EARLIER_COLORS.items():
        yield words, Phrase(Kind.COLOR, _number(0, color))
    yield "blue", Phrase(Kind.COLOR, _number(0, "medium blue") | _number(0, "dark blue"), is_exact=False)
    for said, size in chain(zip(SCALES, SCALES, strict=True), SIZE_WORDS.items()):
        yield _split(said), Phrase(Kind.SIZE, _number(3, size))
    for said, solid in chain(zip(SOLIDS, SOLIDS, strict=True), THINGS.items()):
        yield from ((noun, Phrase(Kind.THING, _number(4, solid))) for noun in (said, f"{said}s"))
    yield from ((noun, Phrase(Kind.UNNAMED)) for word in UNNAMED for noun in (word, f"{word}s"))
    yield from _negations()
    yield from _places()
    yield from _synonyms()
    for noun, kind in (("floor", Kind.FLOOR), ("wall", Kind.WALL)):
        yield noun, Phrase(kind)
        yield f"{noun}s", Phrase(kind)
    yield "in front of", Phrase(Kind.FRONT)
    yield "front of", Phrase(Kind.FRONT)


def _negations() -> Iterator[tuple[str, Phrase]]:
    for kind, phrases in NEGATIONS.items():
        yield from ((words, Phrase(kind)) for words in phrases)


def _places() -> Iterator[tuple[str, Phrase]]:
    for words, within in PARTS_OF_PLACES.items():
        bits = sum(_number(5, place) for place in EXPRESSIONS[5] if within in place)
        yield words, Phrase(Kind.PLACE, bits, is_exact=False)
    for place in EXPRESSIONS[5]:
        phrase = Phrase(Kind.PLACE, _number(5, place))
        yield place, phrase
        yield place.replace("the ", ""), phrase
        yield place.replace("nearly in the ", "nearly "), phrase


def _synonyms() -> Iterator[tuple[str, Phrase]]:
    """The further ways to say a value that the lexicon of captions knows."""
    kinds = {"hue": (0, Kind.COLOR), "scale": (3, Kind.SIZE), "shape": (4, Kind.THING), "orientation": (5, Kind.PLACE)}
    for attribute, values in synonyms("deixis.worlds.rooms").items():
        feature, kind = kinds[attribute]
        for value, others in values.items():
            phrase = Phrase(kind, _number(feature, value))
            yield from ((_split(words), phrase) for words in others)
            if kind is Kind.THING:
                yield from ((f"{noun}{'es' if noun.endswith('x') else 's'}", phrase) for noun in others)


# Every word is one character, so that a pattern over words is a pattern over short strings.
_TABLE = dict(_phrases())
_WORDS = sorted({word for phrase in _TABLE for word in phrase.split()})
_UNKNOWN, _END = "\x01", "\x02"
_CODE = {word: chr(0x30 + place) for place, word in enumerate(_WORDS)}
_CODE |= dict.fromkeys(DROPPED, "") | dict.fromkeys(END, _END)
_PHRASES = {"".join(_CODE[word] for word in words.split()): phrase for words, phrase in _TABLE.items()}
_PHRASES[_UNKNOWN] = Phrase(Kind.UNKNOWN)
_KINDS = {item: phrase.kind.value for item, phrase in _PHRASES.items()}
assert all(word in _TABLE for word in _WORDS), "every word of a phrase also means something by itself"


def code_of(word: str) -> str:
    """Return the character of a word in lower case.

    Padding has none, and unknown words share one.
    """
    return _CODE.get(word, _UNKNOWN)


def items_in(text: str) -> list[str]:
    """Return the codes of the phrases of a caption up to its end, each as long as possible, from the left."""
    codes = "".join(map(_CHUNKS.__getitem__, text.split()))
    return _FIND.findall(codes.partition(_END)[0])


def kinds_of(items: list[str]) -> str:
    """The kinds of phrases, a letter each."""
    return "".join(map(_KINDS.__getitem__, items))


def phrase_of(item: str) -> Phrase:
    """Return the phrase of an item."""
    return _PHRASES[item]


class _Chunks(dict[str, str]):
    """The codes of what stands between spaces: 'Red' is one word, 'medium-sized' two, '<pad>' none."""

    def __missing__(self, chunk: str) -> str:
        codes = "".join(map(code_of, plain_words(chunk).split()))
        if len(self) < MOST_CHUNKS and len(chunk) <= LONGEST_CHUNK:
            self[chunk] = codes
        return codes


def _pattern(codes: list[str]) -> str:
    """A pattern that finds the longest of some codes, which share their beginnings."""
    branches = []
    for first, group in groupby(sorted(codes), key=lambda code: code[0]):
        rest = [code[1:] for code in group]
        below = _pattern([code for code in rest if code]) if any(rest) else ""
        branches.append(re.escape(first) + (f"(?:{below})" if below else "") + ("?" if below and "" in rest else ""))
    return "|".join(branches)


MOST_CHUNKS, LONGEST_CHUNK = 10_000, 40  # how many are remembered, and how long they may be
_CHUNKS = _Chunks()
_FIND = re.compile(_pattern([code for code in _PHRASES if len(code) > 1]) + "|.", re.DOTALL)


VALUES = frozenset((Kind.COLOR, Kind.SIZE, Kind.PLACE, Kind.THING))
NEGATING = frozenset((Kind.NOT, Kind.IS_NOT, Kind.NONE, Kind.UNTRUE))
NOUNS = frozenset((Kind.THING, Kind.UNNAMED, Kind.FLOOR, Kind.WALL))
MODIFYING = frozenset((Kind.COLOR, Kind.SIZE, Kind.MODIFIER))
BETWEEN = frozenset((Kind.LINK, Kind.INTO))  # what may stand between 'or' and the second alternative


class Operators(NamedTuple):
    """Scope of negations and alternatives over the phrases of a caption, given by their places.

    Attributes:
        alternatives: from the first of several alternatives to all of them.
        skipped: places from behind the first alternative to the last; the first stands for all.
        negated: phrases, or first alternatives, of which the opposite is said.
        hedged: phrases of which it is open whether they are said at all.
        dropped: phrases within a negation that cannot be told apart.
    """

    alternatives: dict[int, tuple[int, ...]]
    skipped: frozenset[int]
    negated: frozenset[int]
    hedged: frozenset[int]
    dropped: frozenset[int]


NONE = Operators({}, frozenset(), frozenset(), frozenset(), frozenset())


def find_operators(kinds: str) -> Operators:
    """The negations and alternatives among phrases of these kinds, one letter each."""
    if Kind.OR not in kinds and not any(kind in kinds for kind in NEGATING):
        return NONE
    alternatives, hedged = _alternatives(kinds)
    skipped = frozenset(place for places in alternatives.values() for place in range(places[0] + 1, places[-1] + 1))
    negated: set[int] = set()
    dropped: set[int] = set()
    for place, kind in enumerate(kinds):
        if kind not in NEGATING or place in skipped:
            continue
        scope = [value for value in _scope(kinds, place, skipped) if value not in skipped]
        if len(scope) == 1 and kind != Kind.UNTRUE and not _is_subject(kinds, place):
            negated ^= {scope[0]}  # twice denied is said
        else:
            dropped.update(scope)
    return Operators(alternatives, skipped, frozenset(negated), frozenset(hedged), frozenset(dropped))


def _alternatives(kinds: str) -> tuple[dict[int, tuple[int, ...]], set[int]]:
    """Alternatives by the first of each, and what 'or' joins though it is of different kinds."""
    groups: dict[int, tuple[int, ...]] = {}
    hedged: set[int] = set()
    first_of: dict[int, int] = {}  # from the last place of a group to its first
    for place, kind in enumerate(kinds):
        if kind != Kind.OR:
            continue
        before, after = place - 1, _next_value(kinds, place + 1)
        joins = before >= 0 and after is not None and kinds[before] in VALUES and kinds[before] == kinds[after]
        if joins and all(k in BETWEEN for k in kinds[place + 1 : after]):
            assert after is not None
            first = first_of.pop(before, None)
            places = groups[first] if first is not None else _row_before(kinds, before)
            groups[places[0]] = (*places, after)
            first_of[after] = places[0]
            if kinds[before] == Kind.THING and after > place + 1:
                hedged.update(_modifiers(kinds, places[0]))  # of 'a red ball or a block' only the first is red
        else:
            hedged.update(_either_side(kinds, place, after))
    return groups, hedged


def _either_side(kinds: str, place: int, after: int | None) -> Iterator[int]:
    """The phrases that 'or' at a place leaves open: those next to it, or all of two nouns with their modifiers."""
    before = _last_value(kinds, place - 1)
    if before is not None:
        yield before
        yield from _modifiers(kinds, before) if kinds[before] == Kind.THING else ()
    if after is not None:
        yield after
        if place and kinds[place - 1] == Kind.THING:
            noun = next((one for one in range(after, len(kinds)) if kinds[one] in NOUNS), after)
            yield from (one for one in range(after, noun + 1) if kinds[one] in VALUES)


def _modifiers(kinds: str, noun: int) -> Iterator[int]:
    """The colours and sizes right before a noun."""
    for place in range(noun - 1, -1, -1):
        if kinds[place] not in MODIFYING:
            return
        if kinds[place] in VALUES:
            yield place


def _row_before(kinds: str, last: int) -> tuple[int, ...]:
    """Phrases of one kind that stand next to each other, as in 'red, blue or green'."""
    first = last
    while first > 0 and kinds[first - 1] == kinds[last]:
        first -= 1
    return tuple(range(first, last + 1))


def _next_value(kinds: str, start: int) -> int | None:
    return next((place for place in range(start, len(kinds)) if kinds[place] in VALUES), None)


def _last_value(kinds: str, end: int) -> int | None:
    return next((place for place in range(end, -1, -1) if kinds[place] in VALUES), None)


def _scope(kinds: str, place: int, skipped: frozenset[int]) -> list[int]:
    """What the negation at a place bears on: what follows or, where nothing does, all that was said before."""
    if not any(kind in VALUES or kind in NOUNS for kind in kinds[place + 1 :]):
        is_open = place > 0 and kinds[place - 1] == Kind.OR  # 'red or not'
        return [] if is_open else list(_values(kinds, 0, place))
    if kinds[place] == Kind.UNTRUE:
        return list(_values(kinds, place + 1, len(kinds)))
    found = list(_following(kinds, place, skipped))
    return [*found, place - 1] if _is_subject(kinds, place) else found


def _following(kinds: str, place: int, skipped: frozenset[int]) -> Iterator[int]:
    """The phrase right after a negation, or else all up to the next noun."""
    is_wide, is_found = kinds[place] == Kind.NONE, False
    for one in range(place + 1, len(kinds)):
        kind = kinds[one]
        if one in skipped:
            continue
        if kind in NEGATING and is_found:
            return
        if kind in VALUES:
            yield one
            is_found = True
            if not is_wide:
                return
        if kind in NOUNS or (kind == Kind.PLACE and is_wide):
            return
        is_wide = is_wide or kind not in (Kind.MODIFIER, Kind.UNKNOWN, *NEGATING)


def _values(kinds: str, start: int, end: int) -> Iterator[int]:
    return (place for place in range(start, end) if kinds[place] in VALUES)


def _is_subject(kinds: str, place: int) -> bool:
    """Whether a colour is what a negation speaks of, as in 'red is not its colour'."""
    return place > 0 and kinds[place] == Kind.IS_NOT and kinds[place - 1] == Kind.COLOR
