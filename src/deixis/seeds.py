"""Randomness that depends on nothing but the seed: the same numbers on every machine and with every library version.

Seeds are derived, never shared: `derive(seed, "p3", 17)` gives the stream of the seventeenth command whoever makes it.
The generator is SplitMix64, whose state is a counter; the kernels have a compiled twin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


__all__ = ["GOLDEN", "GOLDEN_WORD", "Stream", "derive", "fold", "mix", "mix_words", "normals", "ranks"]

T = TypeVar("T")
_WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15  # by which the state of SplitMix64 grows
GOLDEN_WORD = np.uint64(GOLDEN)


def mix(word: int) -> int:
    """SplitMix64's finaliser: a word scrambled so that every bit depends on every bit."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
    return word ^ (word >> 31)


def mix_words(words: np.ndarray) -> np.ndarray:
    """`mix` of many words at once.

    Shapes:
        words: uint64 [word]. Returns uint64 [word].
    """
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def fold(words: Iterable[int], start: int = 0) -> int:
    """A 64-bit digest of a sequence of integers, sensitive to their order."""
    digest = start & _WORD
    for word in words:
        digest = mix((digest + GOLDEN) & _WORD ^ (word & _WORD))
    return digest


def derive(seed: int, *labels: str | int) -> int:
    """A seed of its own for one named piece of work."""
    digest = fold((seed,))
    for label in labels:
        digest = fold(label.encode(), digest ^ 1) if isinstance(label, str) else fold((label,), digest)
    return digest


class Stream:
    """A stream of random numbers, the only source of chance outside the kernels."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _WORD

    def word(self) -> int:
        """The next 64 random bits."""
        self._state = (self._state + GOLDEN) & _WORD
        return mix(self._state)

    def below(self, limit: int) -> int:
        """A random integer from 0 to limit - 1."""
        if limit < 1:
            raise ValueError(f"the limit must be at least 1, got {limit}")
        return ((self.word() & 0xFFFFFFFF) * limit) >> 32 if limit < 1 << 20 else self.word() % limit

    def choice(self, options: Sequence[T]) -> T:
        """One of the options, all equally likely."""
        return options[self.below(len(options))]

    def permutation(self, items: Iterable[T]) -> list[T]:
        """Return the items in random order (Fisher and Yates)."""
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items


# ---------------------------------------------------------------- by row and column, however many at a time


def _uniforms(seed: int, rows: np.ndarray, columns: int, label: str) -> np.ndarray:
    """Numbers above 0 and up to 1: float64 [row, column]."""
    start = mix_words(np.asarray(rows, np.uint64)[:, None] * np.uint64(GOLDEN) + np.uint64(derive(seed, label)))
    words = mix_words(start + (np.arange(columns, dtype=np.uint64) + np.uint64(1)) * np.uint64(GOLDEN))
    return ((words >> np.uint64(11)).astype(np.float64) + 1) * 2.0**-53


def normals(seed: int, rows: np.ndarray, columns: int) -> np.ndarray:
    """Normal numbers (Box and Muller) for the numbers of rows: float32 [row, column]."""
    radius = np.sqrt(-2 * np.log(_uniforms(seed, rows, columns, "radius")))
    return (radius * np.cos(2 * np.pi * _uniforms(seed, rows, columns, "angle"))).astype(np.float32)


def ranks(seed: int, rows: np.ndarray, columns: int) -> np.ndarray:
    """Numbers to sort by, for the numbers of rows: float64 [row, column]."""
    return _uniforms(seed, rows, columns, "rank")
