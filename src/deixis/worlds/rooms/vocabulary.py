"""Captions as numbers: one way to split text into tokens, and vocabularies in which nothing gets lost.

| vocabulary | entries | holds |
|---|---|---|
| `released` | 47 | the published one, which lacks 'there': 11 of 27 short captions begin with UNK |
| `complete` | 48 | all words of both published grammars |
| `natural` | 79 | all words of every grammar here |

Each begins with the one before it, so that what was trained with a smaller one can go on with a larger.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from deixis.errors import SchemaError, UnknownName
from deixis.worlds.rooms.captions import GRAMMARS, frames, numbers_of_all, phrase_numbers, segments
from deixis.worlds.rooms.scene import IMAGES


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deixis.worlds.rooms.captions import Grammar, Segment


__all__ = ["RELEASED_LENGTH", "CaptionVocabulary", "encode_captions", "tokenise", "unknown_words", "vocabulary"]

Name: TypeAlias = Literal["released", "complete", "natural"]
START, END, UNK, PAD = SPECIALS = ("START", "END", "UNK", "PAD")
RELEASED_LENGTH = 25  # START and END included, so that 23 words remain
RELEASED = """
    a tiny red block in the right corner front of wall on floor picture shows standing is close to side near middle
    nearly left cylinder ball pill small medium sized big large huge giant orange yellow light green dark cyan blue
    purple pink
"""
SILENT = re.compile(r"""["“”;:]|<br />""")
MARKS = re.compile(r"([.,!?()'’])")
PUBLISHED: tuple[Grammar, ...] = ("exhaustive", "short")


def tokenise(text: str) -> tuple[str, ...]:
    """The tokens of a text: small letters, a hyphen is a space, marks stand by themselves.

    Example:
        >>> tokenise("A medium-sized ball.")
        ('a', 'medium', 'sized', 'ball', '.')
    """
    return tuple(MARKS.sub(r" \1 ", SILENT.sub(" ", text.lower().replace("-", " "))).split())


@dataclass(frozen=True)
class CaptionVocabulary:
    """Words with their numbers, among them the four that begin, end, replace and fill up.

    Attributes:
        words: all entries in the order of their numbers.
        start, end, unknown, padding: the special ones.
    """

    words: tuple[str, ...]
    start: str = START
    end: str = END
    unknown: str = UNK
    padding: str = PAD

    def __post_init__(self) -> None:
        twice = {word for word in self.words if self.words.count(word) > 1}
        if twice:
            raise SchemaError(f"a vocabulary lists each word once, but {', '.join(sorted(twice)[:5])} twice")
        missing = [word for word in self.specials if word not in self.words]
        if missing:
            raise SchemaError(f"a vocabulary needs an entry for {', '.join(missing)}")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.numbers

    @property
    def specials(self) -> tuple[str, ...]:
        """The entries that are no words."""
        return (self.start, self.end, self.unknown, self.padding)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of every entry."""
        return {word: number for number, word in enumerate(self.words)}

    def encode(self, text: str, length: int | None = None) -> list[int]:
        """The numbers of a text, with its start and end.

        Args:
            text: a caption.
            length: cut and filled up to this many entries, start and end included; as long as it is by default.
        """
        tokens = tokenise(text)
        if length is not None:
            if length < 2:
                raise SchemaError(f"a sequence has at least its start and its end, got the length {length}")
            tokens = tokens[: length - 2]
        said = (self.start, *(token if self._is_word(token) else self.unknown for token in tokens), self.end)
        padded = (*said, *[self.padding] * ((length or 0) - len(said)))
        return [self.numbers[word] for word in padded]

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the text of a sequence, from its start, if it has one, to its end, without padding."""
        words: list[str] = []
        for number in numbers:
            if not 0 <= int(number) < len(self.words):
                raise SchemaError(f"the vocabulary has entries from 0 to {len(self.words) - 1}, got {number}")
            word = self.words[int(number)]
            if word == self.end:
                break
            if word not in (self.start, self.padding):
                words.append(word)
        return " ".join(words)

    def unknown_in(self, text: str) -> tuple[str, ...]:
        """The tokens of a text that the vocabulary lacks."""
        return tuple(token for token in tokenise(text) if not self._is_word(token))

    def _is_word(self, token: str) -> bool:
        return token in self.numbers and token not in self.specials


@cache
def vocabulary(name: Name = "complete") -> CaptionVocabulary:
    """A vocabulary of captions by its name."""
    if name == "released":
        return CaptionVocabulary((*SPECIALS, *RELEASED.split()))
    if name == "complete":
        return CaptionVocabulary(_with_words_of(vocabulary("released").words, PUBLISHED))
    if name == "natural":
        return CaptionVocabulary(_with_words_of(vocabulary("complete").words, GRAMMARS))
    raise UnknownName(f"unknown vocabulary {name!r}; known: released, complete, natural")


def unknown_words(words: CaptionVocabulary, grammar: Grammar) -> dict[str, int]:
    """Count the captions of a grammar with each token that a vocabulary lacks, over all images."""
    if not any(words.unknown_in(phrase) for phrase in _phrases_of(grammar)):
        return {}
    tally: Counter[str] = Counter()
    for number, chosen in numbers_of_all(grammar):
        lost: dict[str, np.ndarray] = {}
        for place, phrases in segments(number, grammar):
            table = [words.unknown_in(phrase) for phrase in phrases]
            for token in {token for some in table for token in some}:
                has = np.array([token in some for some in table])
                here = np.full(IMAGES, has[0]) if place is None else has[chosen[:, place]]
                lost[token] = lost[token] | here if token in lost else here
        tally.update({token: int(has.sum()) for token, has in lost.items()})
    return {token: captions for token, captions in sorted(tally.items()) if captions}


def encode_captions(
    images: Sequence[int] | np.ndarray,
    grammar: Grammar = "exhaustive",
    *,
    words: CaptionVocabulary | None = None,
    length: int = RELEASED_LENGTH,
) -> np.ndarray:
    """All captions of some images as numbers, without making the texts.

    Args:
        images: the numbers of images.
        grammar: which captions.
        words: the vocabulary; `complete` by default.
        length: entries of each sequence, start and end included; longer captions lose their tail.

    Shapes:
        Returns uint8 [image, caption, length].
    """
    words = words or vocabulary()
    images = np.asarray(images, np.int64)
    if length < 2 or len(words) > 256:
        raise SchemaError(f"sequences have at least 2 entries of up to 256 words, got {length} of {len(words)}")
    known = frames(grammar)
    out = np.full((len(images), len(known), length), words.numbers[words.padding], np.uint8)
    for number in range(len(known)):
        _encode_into(out[:, number], phrase_numbers(images, number, grammar), segments(number, grammar), words)
    return out


def _encode_into(out: np.ndarray, chosen: np.ndarray, stretches: Sequence[Segment], words: CaptionVocabulary) -> None:
    """Write the captions of one number into rows that hold padding.

    Shapes:
        out: uint8 [image, length]. chosen: uint8 [image, 6].
    """
    rows, length = out.shape
    out[:, 0] = words.numbers[words.start]
    at = np.ones(rows, np.int64)
    for place, phrases in stretches:
        tokens = [words.encode(phrase)[1:-1] for phrase in phrases]
        which = np.zeros(rows, np.uint8) if place is None else chosen[:, place]
        sizes = np.array([len(some) for some in tokens])[which]
        for nth in range(max(map(len, tokens))):
            entry = np.array([some[nth] if nth < len(some) else 0 for some in tokens], np.uint8)[which]
            there = np.flatnonzero((nth < sizes) & (at + nth < length - 1))
            out[there, at[there] + nth] = entry[there]
        at += sizes
    out[np.arange(rows), np.minimum(at, length - 1)] = words.numbers[words.end]


def _with_words_of(known: tuple[str, ...], grammars: Sequence[Grammar]) -> tuple[str, ...]:
    """The words with those of some grammars added, in the order in which they are first met."""
    said = (tokenise(phrase) for grammar in grammars for phrase in _phrases_of(grammar))
    return tuple(dict.fromkeys([*known, *(token for tokens in said for token in tokens)]))


def _phrases_of(grammar: Grammar) -> Iterator[str]:
    """Everything that stands in captions of a grammar, stretch by stretch."""
    numbers = range(len(frames(grammar)))
    return (phrase for number in numbers for segment in segments(number, grammar) for phrase in segment.phrases)
