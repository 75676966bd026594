"""Random draws of a painter: fractions, odds and weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from deixis.seeds import Stream


if TYPE_CHECKING:
    from collections.abc import Sequence


T = TypeVar("T")


class Chance(Stream):
    """A stream of random numbers with the draws that a painter needs."""

    def fraction(self) -> float:
        """Return a random number from 0 up to, and without, 1."""
        return (self.word() >> 11) / (1 << 53)

    def between(self, low: float, high: float) -> float:
        """Return a random number between two others, all equally likely."""
        return low + (high - low) * self.fraction()

    def happens(self, probability: float) -> bool:
        """Return whether an event of this probability happens."""
        return self.fraction() < probability

    def count(self, low: int, high: int) -> int:
        """Return a random whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def choose_weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """Return one of the options, each drawn in proportion to its weight."""
        left = self.fraction() * sum(weights)
        for option, weight in zip(options, weights, strict=True):
            left -= weight
            if left < 0:
                return option
        return options[-1]
