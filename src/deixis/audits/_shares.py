"""Shares of counts, and mutual information less its bias."""

from __future__ import annotations

from math import log, log2
from typing import TYPE_CHECKING, NamedTuple, TypeVar


if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping


One = TypeVar("One", bound="Hashable")
Other = TypeVar("Other", bound="Hashable")


class Share(NamedTuple):
    """A part of a total."""

    part: int
    of: int

    @property
    def share(self) -> float | None:
        """Fraction, or None if the total is 0."""
        return self.part / self.of if self.of else None

    def to_dict(self) -> dict[str, object]:
        """The share as plain values."""
        return {"part": self.part, "of": self.of, "share": self.share}


class Information(NamedTuple):
    """Mutual information of two things, in bits.

    Attributes:
        bits: the mutual information of the counts as they are, which is never below 0.
        bias: what as many counts show on average when neither tells anything about the other, (values - 1) times
            (other values - 1) over twice the count (Miller and Madow); whatever is not well above it is chance.
        entropy: how much there is to know about the second thing.
        counted: how many observations there are.
    """

    bits: float
    bias: float
    entropy: float
    counted: int

    @property
    def net(self) -> float:
        """The bits with the bias taken off, never below 0."""
        return max(self.bits - self.bias, 0.0)

    def to_dict(self) -> dict[str, object]:
        """The measure as plain values."""
        return {
            "bits": self.bits,
            "bias": self.bias,
            "net": self.net,
            "entropy": self.entropy,
            "counted": self.counted,
        }


def information(counts: Mapping[tuple[One, Other], int]) -> Information:
    """Return the mutual information of two things, from how often each pair of values occurs.

    Examples:
        >>> information({("the", "needed"): 8, ("a", "idle"): 8}).bits
        1.0
    """
    pairs = {pair: count for pair, count in counts.items() if count}
    total = sum(pairs.values())
    if not total:
        return Information(0.0, 0.0, 0.0, 0)
    ones: dict[One, int] = {}
    others: dict[Other, int] = {}
    for (one, other), count in pairs.items():
        ones[one] = ones.get(one, 0) + count
        others[other] = others.get(other, 0) + count
    order = sorted(pairs, key=repr)  # sums of floats then do not depend on the order of counting
    bits = sum(pairs[pair] * log2(pairs[pair] * total / (ones[pair[0]] * others[pair[1]])) for pair in order) / total
    bias = (len(ones) - 1) * (len(others) - 1) / (2 * total * log(2))
    entropy = -sum(others[one] * log2(others[one] / total) for one in sorted(others, key=repr)) / total
    return Information(max(bits, 0.0), bias, max(entropy, 0.0), total)
