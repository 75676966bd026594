"""A speaker that reasons about a listener: the rational speech act model (Frank and Goodman 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import exp, log
from typing import TYPE_CHECKING

from deixis.errors import SchemaError


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.distractors._contrast import Options
    from deixis.seeds import Stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Rational:
    """Says what a literal listener would make most of, more likely than other things, and long things less likely.

    P(u) is proportional to exp(alpha * (log L(target | u) - cost * number of features in u)), over all choices of
    features that are true of the target, the empty one included. The listener L chooses evenly among the objects that
    fit.

    Attributes:
        alpha: how rational the speaker is; 0 is chance, a large number always takes the best.
        cost: of each feature, in nats.
    """

    alpha: float = 4.0
    cost: float = 0.1

    def __post_init__(self) -> None:
        if not (0 <= self.alpha < float("inf") and 0 <= self.cost < float("inf")):
            raise SchemaError(f"alpha and cost are numbers from 0, got {self.alpha} and {self.cost}")

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:
        """A choice of features drawn from the speaker's distribution."""
        choices, bounds = _table(self, there)
        at = rng.word() / 2**64 * bounds[-1]
        return next((choice for choice, bound in zip(choices, bounds, strict=True) if at < bound), choices[-1])

    def probabilities(self, there: Options) -> dict[tuple[int, ...], float]:
        """Return the probability of each choice of features."""
        choices, bounds = _table(self, there)
        below = (0.0, *bounds[:-1])
        return {c: (high - low) / bounds[-1] for c, low, high in zip(choices, below, bounds, strict=True)}


def literal_listener(there: Options, chosen: Sequence[int]) -> float:
    """Return the probability that a listener who takes words literally chooses the target."""
    return 1 / (1 + there.left(chosen).bit_count())


@lru_cache(1 << 12)
def _table(speaker: Rational, there: Options) -> tuple[tuple[tuple[int, ...], ...], tuple[float, ...]]:
    """All choices of features, with the sums of their weights so far."""
    total = len(there.features)
    choices = tuple(some for size in range(total + 1) for some in combinations(range(total), size))
    scores = [speaker.alpha * (log(literal_listener(there, some)) - speaker.cost * len(some)) for some in choices]
    best = max(scores)
    bounds, so_far = [], 0.0
    for score in scores:
        so_far += exp(score - best)
        bounds.append(so_far)
    return choices, tuple(bounds)
