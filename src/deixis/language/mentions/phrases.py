"""The words for the six features of a room, those of captions and those that models come up with.

A word says a feature exactly, in part or not at all. 'light green' is one colour; 'blue' is two of them, as 'left' is
four of the places. Everything else is a word that links, a name for what is shown, or one that nobody knows.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from deixis.language.frames import synonyms
from deixis.scene.factors import HUES, PLACES, SCALES, SOLIDS


if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["EXPRESSIONS", "PLACE_OF", "Kind", "Phrase", "code_of", "items_in", "kinds_of", "phrase_of", "plain"]

EXPRESSIONS: tuple[tuple[str, ...], ...] = (HUES, HUES, HUES, SCALES, SOLIDS, tuple(dict.fromkeys(PLACES)))
PLACE_OF = tuple(EXPRESSIONS[5].index(place) for place in PLACES)  # orientation -> the number of its phrase


class Kind(StrEnum):
    """What a phrase does in a caption; a letter each, so that the build of a caption is a string."""

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
    Kind.LINK: "a an the and very its",
    Kind.MODIFIER: "unk light dark sized size nearly colored coloured bright pale",
    Kind.FILLER: "there picture image photo scene room shows show showing standing stands stand located placed sitting "
    "sits lies lying front this that it color colour we see can",
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
        yield said, Phrase(Kind.THING, _number(4, solid))
    yield from ((word, Phrase(Kind.UNNAMED)) for word in UNNAMED)
    yield from _places()
    yield from _synonyms()
    yield "floor", Phrase(Kind.FLOOR)
    yield "wall", Phrase(Kind.WALL)
    yield "is", Phrase(Kind.IS)
    yield "in front of", Phrase(Kind.FRONT)
    yield "front of", Phrase(Kind.FRONT)


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
    for attribute, values in synonyms("a3ds").items():
        feature, kind = kinds[attribute]
        for value, others in values.items():
            yield from ((_split(words), Phrase(kind, _number(feature, value))) for words in others)


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

_LOWER = {place: chr(place).lower() for place in range(128) if chr(place).isalnum()}
_BREAKS = dict.fromkeys([p for p in range(128) if not chr(p).isalnum()] + [0xA0, *range(0x2010, 0x2016)], " ")
_PLAIN = str.maketrans({**_LOWER, **_BREAKS})


def plain(text: str) -> str:
    """A text of the same length in lower case, with a space for everything that is neither a letter nor a digit."""
    return text.translate(_PLAIN)


def code_of(word: str) -> str:
    """The character of a word in lower case; padding has none, and words that nobody knows share one."""
    return _CODE.get(word, _UNKNOWN)


def items_in(text: str) -> list[str]:
    """A caption up to its end, as the codes of its phrases; each is as long as possible, from the left."""
    codes = "".join(map(_CHUNKS.__getitem__, text.split()))
    return _FIND.findall(codes.partition(_END)[0])


def kinds_of(items: list[str]) -> str:
    """The kinds of phrases, a letter each."""
    return "".join(map(_KINDS.__getitem__, items))


def phrase_of(item: str) -> Phrase:
    """What an item means."""
    return _PHRASES[item]


class _Chunks(dict[str, str]):
    """The codes of what stands between spaces: 'Red' is one word, 'medium-sized' two, '<pad>' none."""

    def __missing__(self, chunk: str) -> str:
        codes = "".join(map(code_of, plain(chunk).split()))
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
