"""Scores of test sets in one table: a mean with its interval for every metric, by set and by category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.judge.uncertainty import (
    LEVEL,
    RESAMPLES,
    Estimate,
    Resamples,
    estimate,
    is_binary,
    mean_of,
    plain_estimates,
    resample,
    share,
)
from deixis.seeds import derive
from deixis.worlds.rooms.scene import FACTORS


if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deixis.judge.pragmatics import Denominator
    from deixis.worlds.rooms.judging._arrays import Scores


MAIN = {  # the metrics of the paper's Table 1 and section 3
    "discriminativity": "the target is told from its distractors",
    "contrastive_efficiency": "with few contrastive features, where it is told apart",
    "relevance": "without features that tell nothing apart",
    "optimal_discriminativity": "with as few contrastive features as it takes",
    "mentioned_features": "features spoken of",
    "false_features": "things said that do not hold of the target",
    "false_of_distractor": "those of them that hold of a distractor",
}
FURTHER = {
    "minimal": "nothing true that is said could be left out, redundant features included",
    "true_features": "features said truly",
    "contrastive_features": "features that tell the images apart",
    "usual_order": "size before colour, where both stand before the noun of the object",
    "unknown_words": "words that belong to no known phrase",
}
BY_FEATURE = {
    "mentioned": "captions that speak of the feature",
    "when_contrastive": "captions that say it truly, where it tells the images apart",
    "when_redundant": "captions that speak of it where it tells nothing apart, if relevance is below 1 (Figure 2)",
    "when_shared": "captions that say it truly, where it tells nothing apart",
}
METRICS = (*MAIN, *FURTHER, *(f"{kind}/{factor}" for kind in BY_FEATURE for factor in FACTORS))
GAP = "contrast_gap"  # how much likelier a feature is said where it tells the images apart: 0 for whoever does not look


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The metrics of several sets, with 95 % intervals.

    Attributes:
        sets: for each set, the estimates by name of metric.
        categories: the same for each category, the unweighted mean of its sets.
        overall: the same for all sets together.
    """

    sets: dict[str, dict[str, Estimate]]
    categories: dict[str, dict[str, Estimate]]
    overall: dict[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, rounded to six digits, with None where a metric is defined for no row."""
        overall = plain_estimates({"all": self.overall})["all"]
        return {
            "sets": plain_estimates(self.sets),
            "categories": plain_estimates(self.categories),
            "overall": overall,
        }


def columns(scores: Scores, *, denominator: Denominator = "z") -> np.ndarray:
    """Every metric of every caption: float64 [caption, metric], not a number where it is undefined."""
    relevance = scores.relevance
    is_redundant = ~scores.contrasts & (relevance < 1)[:, None]
    main = (
        scores.is_discriminative,
        scores.efficiency(denominator),
        relevance,
        scores.is_optimal,
        scores.mentioned,
        scores.false,
        scores.false_of_distractor,
        scores.is_minimal,
        scores.said,
        scores.available,
        np.where(scores.order > 0, scores.order == 1, np.nan),
        scores.unknown,
    )
    return np.column_stack(
        (
            *main,
            scores.shown,
            np.where(scores.contrasts, scores.true, np.nan),
            np.where(is_redundant, scores.shown, np.nan),
            np.where(scores.contrasts, np.nan, scores.true),
        )
    ).astype(np.float64)


class SampledSet(NamedTuple):
    """A set of captions whose intervals are wanted, see `summarise`."""

    name: str
    scores: Scores
    denominator: Denominator = "z"
    seed: int = 0
    resamples: int = RESAMPLES


def resample_set(one: SampledSet) -> Resamples:
    """The sums of all metrics over the captions of a set, and over resamples of them."""
    values = columns(one.scores, denominator=one.denominator)
    return resample(values, seed=derive(one.seed, "bootstrap", one.name), resamples=one.resamples)


def summarise(
    scores: Mapping[str, Scores],
    *,
    categories: Mapping[str, tuple[str, ...]] | None = None,
    denominator: Denominator = "z",
    seed: int = 0,
    resamples: int = RESAMPLES,
    states: Mapping[str, Resamples] | None = None,
) -> Summary:
    """Means with intervals for every set, and for every category whose sets are all there.

    Beside the metrics of captions stands `contrast_gap`, over all captions of a set or category together: how much more
    often a feature is said truly where it tells the images apart than where they share it, by feature and as the mean
    of the features for which there are both.

    Args:
        scores: for each set.
        categories: the sets of each category.
        denominator: of contrastive efficiency.
        seed: of the resamples.
        resamples: how many.
        states: those of each set, where they are worked out already.
    """
    if states is None:
        sampled = (SampledSet(name, part, denominator, seed, resamples) for name, part in scores.items())
        states = {one.name: resample_set(one) for one in sampled}
    sets = {
        name: _alone(columns(part, denominator=denominator), states[name]) | _gaps([states[name]])
        for name, part in scores.items()
    }
    whole = {name: names for name, names in (categories or {}).items() if all(part in states for part in names)}
    return Summary(
        sets=sets,
        categories={name: _together([states[part] for part in names]) for name, names in whole.items()},
        overall=_together(list(states.values())) if len(states) != 1 else dict(*sets.values()),
    )


def _alone(values: np.ndarray, state: Resamples) -> dict[str, Estimate]:
    """The metrics of one set: Wilson's interval where a metric is yes or no for every caption, else the bootstrap's."""
    found = zip(METRICS, values.T, state.estimates(LEVEL), strict=True)
    return {metric: share(column) if is_binary(column) else drawn for metric, column, drawn in found}


def _together(states: list[Resamples]) -> dict[str, Estimate]:
    """The unweighted mean of sets, over the rows of all of them."""
    counts = np.sum([state.counts[:, 0] for state in states], axis=0).tolist()
    rows = zip(METRICS, mean_of(states), counts, strict=True)
    return {metric: estimate(means, int(count), LEVEL) for metric, means, count in rows} | _gaps(states)


def _gaps(states: list[Resamples]) -> dict[str, Estimate]:
    """How much likelier features are said truly where they tell the images apart, over the rows of all sets."""
    every = Resamples(
        np.sum([state.sums for state in states], axis=0), np.sum([state.counts for state in states], axis=0)
    )
    telling, shared = (
        slice(first, first + len(FACTORS))
        for first in (METRICS.index(f"{kind}/{FACTORS[0]}") for kind in ("when_contrastive", "when_shared"))
    )
    gaps = every.means[telling] - every.means[shared]  # [feature, 1 + resample]
    counts = (every.counts[telling, 0] + every.counts[shared, 0]).astype(np.int64).tolist()
    is_known = ~np.isnan(gaps)
    total = np.where(is_known, gaps, 0.0).sum(axis=0)
    mean = np.divide(total, is_known.sum(axis=0), out=np.full(total.shape, np.nan), where=is_known.any(axis=0))
    found = {GAP: estimate(mean, max(counts), LEVEL)}
    return found | {
        f"{GAP}/{factor}": estimate(row, count, LEVEL) for factor, row, count in zip(FACTORS, gaps, counts, strict=True)
    }
