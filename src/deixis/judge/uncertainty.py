"""Bootstrap intervals of means, which do not depend on how the rows were divided among workers.

For the share of rows that are so and not otherwise there is also Wilson's interval, which needs no chance at all.

Every row enters every resample a Poisson-distributed number of times, drawn from the seed, the number of the row and
that of the resample alone (the Poisson bootstrap). Sums over rows are all that is kept, so that the states of parts can
be added up: the intervals of the whole come out the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, factorial, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.errors import SchemaError
from deixis.seeds import GOLDEN_WORD, mix_words


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = [
    "LEVEL",
    "RESAMPLES",
    "Estimate",
    "Resamples",
    "estimate",
    "is_binary",
    "mean_of",
    "plain_estimates",
    "poisson_weights",
    "resample",
    "share",
    "wilson",
]

RESAMPLES = 1_000
LEVEL = 0.95
CHUNK = 2_048  # rows at a time
LANES = 4  # random numbers in one word


class Estimate(NamedTuple):
    """A mean with its interval, and the number of rows it is taken over."""

    mean: float
    low: float
    high: float
    rows: int


@dataclass(frozen=True, slots=True)
class Resamples:
    """Sums of columns, over all rows and over each resample of them.

    Shapes:
        sums: float64 [column, 1 + resample], the first without resampling.
        counts: float64 [column, 1 + resample], of the rows where the column is defined.
    """

    sums: np.ndarray
    counts: np.ndarray

    def __add__(self, other: Resamples) -> Resamples:
        """The state of both parts together."""
        return Resamples(self.sums + other.sums, self.counts + other.counts)

    @property
    def means(self) -> np.ndarray:
        """The mean of each column: float64 [column, 1 + resample], not a number where it is nowhere defined."""
        return np.divide(self.sums, self.counts, out=np.full(self.sums.shape, np.nan), where=self.counts > 0)

    def estimates(self, level: float = LEVEL) -> list[Estimate]:
        """Each column's mean with its interval."""
        return [estimate(means, int(count), level) for means, count in zip(self.means, self.counts[:, 0], strict=True)]


def resample(values: np.ndarray, *, seed: int, first_row: int = 0, resamples: int = RESAMPLES) -> Resamples:
    """The sums of columns over rows and over resamples of the rows.

    Args:
        values: float64 [row, column], not a number where a column is not defined for a row.
        seed: of the resamples.
        first_row: the number of the first of these rows among all rows, so that parts can be added up.
        resamples: how many.
    """
    if resamples < 1:
        raise SchemaError(f"an interval needs at least one resample, got {resamples}")
    rows, columns = values.shape
    is_defined = ~np.isnan(values)
    filled = np.where(is_defined, values, 0.0)
    sums, counts = np.zeros((columns, 1 + resamples)), np.zeros((columns, 1 + resamples))
    sums[:, 0], counts[:, 0] = filled.sum(axis=0), is_defined.sum(axis=0)
    for start in range(0, rows, CHUNK):
        some = slice(start, min(start + CHUNK, rows))
        weights = poisson_weights(seed, first_row + start, some.stop - start, resamples)
        sums[:, 1:] += filled[some].T @ weights
        counts[:, 1:] += is_defined[some].T.astype(np.float64) @ weights
    return Resamples(sums, counts)


def estimate(means: np.ndarray, count: int, level: float = LEVEL) -> Estimate:
    """Return the percentile bootstrap interval of resampled means, of which the first is the sample mean."""
    known = means[1:][~np.isnan(means[1:])]
    if np.isnan(means[0]) or len(known) == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), count)
    low, high = np.quantile(known, ((1 - level) / 2, (1 + level) / 2))
    return Estimate(float(means[0]), float(low), float(high), count)


def wilson(successes: int, rows: int, level: float = LEVEL) -> Estimate:
    """A share with Wilson's score interval, which stays between 0 and 1 and holds for few rows and rare cases, too.

    Not a number where there are no rows.
    """
    if not 0 <= successes <= rows:
        raise SchemaError(f"a share needs a count from 0 to the number of rows, got {successes} of {rows}")
    if rows == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    share, square = successes / rows, NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (share + square / (2 * rows)) / (1 + square / rows)
    reach = sqrt(square * (share * (1 - share) / rows + square / (4 * rows * rows))) / (1 + square / rows)
    low = 0.0 if successes == 0 else max(centre - reach, 0.0)
    high = 1.0 if successes == rows else min(centre + reach, 1.0)
    return Estimate(share, low, high, rows)


def share(is_so: np.ndarray, level: float = LEVEL) -> Estimate:
    """The share of rows that are so, with Wilson's interval.

    Shapes:
        is_so: bool or float64 [row] of 0 and 1, not a number for rows that do not count.
    """
    values = np.asarray(is_so, np.float64)
    known = values[~np.isnan(values)]
    return wilson(int(known.sum()), len(known), level)


def is_binary(values: np.ndarray) -> bool:
    """Return whether every row is 0, 1 or not a number."""
    return bool((np.isnan(values) | np.isin(values, (0.0, 1.0))).all())


def mean_of(states: Sequence[Resamples]) -> np.ndarray:
    """The unweighted mean of the means of several sets: float64 [column, 1 + resample].

    A set in which a column is nowhere defined does not count for it.
    """
    means = np.stack([state.means for state in states])
    known = ~np.isnan(means)
    total = np.where(known, means, 0.0).sum(axis=0)
    return np.divide(total, known.sum(axis=0), out=np.full(total.shape, np.nan), where=known.any(axis=0))


def plain_estimates(tables: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Any]:
    """Return estimates as plain values, rounded to six digits, with None for NaN."""
    return {
        name: {
            metric: {key: _round(value) for key, value in found._asdict().items()} for metric, found in table.items()
        }
        for name, table in tables.items()
    }


def poisson_weights(seed: int, first_row: int, rows: int, resamples: int) -> np.ndarray:
    """Return the number of times that each row enters each resample: float64 [row, resample]."""
    per_row = -(-resamples // LANES)
    with np.errstate(over="ignore"):
        counter = np.arange(first_row * per_row + 1, (first_row + rows) * per_row + 1, dtype=np.uint64)
        words = mix_words(counter * GOLDEN_WORD + np.uint64(seed & (1 << 64) - 1))
    lanes = words.astype("<u8").view("<u2").reshape(rows, per_row * LANES)
    return _POISSON[lanes[:, :resamples]]


def _poisson_table() -> np.ndarray:
    """The number of times a row is drawn, for each of the 65,536 values of a lane: Poisson with mean 1."""
    bounds = np.cumsum([exp(-1) / factorial(times) for times in range(12)]) * (1 << 16)
    return np.searchsorted(bounds, np.arange(1 << 16), side="right").astype(np.float64)


_POISSON = _poisson_table()


def _round(value: float) -> float | int | None:
    if isinstance(value, int):
        return value
    return None if np.isnan(value) else round(float(value), 6)
