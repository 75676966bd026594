"""Statistics of answers that many people give to the same items.

Answers of one person are alike, and so are answers to one item. Intervals therefore come from resamples of persons and
of items at the same time: each person and each item enters a resample a random number of times, and an answer counts
as often as the product says (the pigeonhole bootstrap of Owen, 2007, which is never too narrow for two crossed
factors).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.judge.uncertainty import RESAMPLES, Estimate, estimate, poisson_weights, wilson
from deixis.seeds import derive


if TYPE_CHECKING:
    from collections.abc import Sequence


class Bounds(NamedTuple):
    """The least and the greatest share that missing answers leave possible, and how many are missing."""

    low: float
    high: float
    missing: int


def crossed_estimate(values: np.ndarray, *, seed: int) -> Estimate:
    """Return the mean with an interval over persons and items.

    Where all answers are right, or all wrong, resamples say nothing: then the interval is Wilson's for as many answers
    as there are persons, or items if they are fewer.

    Shapes:
        values: float64 [person, item], not a number where there is no answer.
    """
    means = crossed_means(values, seed=seed)
    count = int((~np.isnan(values)).sum())
    known = values[~np.isnan(values)]
    if count and known.min() == known.max() and known[0] in (0.0, 1.0):
        rows = min((~np.isnan(values)).any(axis=axis).sum() for axis in (0, 1))
        return wilson(int(rows * known[0]), int(rows))._replace(rows=count)
    return estimate(means, count)


def crossed_means(values: np.ndarray, *, seed: int) -> np.ndarray:
    """Return the mean, and the mean in each resample of persons and items: float64 [1 + resample].

    Shapes:
        values: float64 [person, item], not a number where there is no answer.
    """
    persons, items = values.shape
    by_person = np.ones((persons, 1 + RESAMPLES))
    by_item = np.ones((items, 1 + RESAMPLES))
    if persons > 1:
        by_person[:, 1:] = poisson_weights(derive(seed, "persons"), 0, persons, RESAMPLES)
    if items > 1:
        by_item[:, 1:] = poisson_weights(derive(seed, "items"), 0, items, RESAMPLES)
    is_known = ~np.isnan(values)
    filled = np.where(is_known, values, 0.0)
    sums = np.einsum("pr,pr->r", by_person, filled @ by_item)
    counts = np.einsum("pr,pr->r", by_person, is_known.astype(np.float64) @ by_item)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def bounds(right: int, answered: int, expected: int) -> Bounds:
    """Return the shares of right answers if all missing ones were wrong, and if all were right."""
    if not expected:
        return Bounds(float("nan"), float("nan"), 0)
    missing = max(expected - answered, 0)
    return Bounds(right / expected, (right + missing) / expected, missing)


def agreement(answers: Sequence[Sequence[str | None]], *, seed: int) -> Estimate:
    """Return Krippendorff's alpha for names, with an interval over items.

    1 is full agreement, 0 as much as chance would give. Items that fewer than two persons answered do not count. It is
    not a number where nobody can disagree: with fewer than two different answers in all.

    Args:
        answers: for each item the answer of every person, None where there is none.
        seed: of the resamples.
    """
    names = sorted({one for item in answers for one in item if one is not None})
    code = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(answers), len(names)))
    for place, item in enumerate(answers):
        for one in item:
            if one is not None:
                counts[place, code[one]] += 1
    counts = counts[counts.sum(axis=1) > 1]
    if not len(counts):
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    weights = np.ones((len(counts), 1 + RESAMPLES))
    if len(counts) > 1:
        weights[:, 1:] = poisson_weights(derive(seed, "agreement"), 0, len(counts), RESAMPLES)
    return estimate(_alphas(counts, weights), len(counts))


def _alphas(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return alpha for weighted items: float64 [resample].

    As in Krippendorff's own resampling, the agreement by chance is that of all items every time.

    Shapes:
        counts: float64 [item, answer], how many persons gave it. weights: float64 [item, resample].
    """
    raters = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (raters - 1)
    total, by_answer = raters.sum(), counts.sum(axis=0)
    expected = (by_answer * (by_answer - 1)).sum() / (total * (total - 1))
    drawn = raters @ weights
    observed = np.divide(agreeing @ weights, drawn, out=np.full(drawn.shape, np.nan), where=drawn > 0)
    return (observed - expected) / (1 - expected) if expected < 1 else np.full(drawn.shape, np.nan)


def median_of_medians(times: Sequence[Sequence[float]]) -> float:
    """Return the median over persons of each one's median time, or not a number without any time."""
    known = ([one for one in some if not np.isnan(one)] for some in times)
    medians = [float(np.median(some)) for some in known if some]
    return float(np.median(medians)) if medians else float("nan")
