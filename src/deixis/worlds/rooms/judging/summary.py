"""Scores of test sets in one table: a mean with its interval for every metric, by set and by category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis.metrics.uncertainty import LEVEL, RESAMPLES, Estimate, estimate, mean_of, resample
from deixis.scene.factors import FACTORS
from deixis.seeds import derive


if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deixis.metrics.arrays import Scores
    from deixis.metrics.pragmatics import Denominator
    from deixis.metrics.uncertainty import Resamples


__all__ = ["MAIN", "METRICS", "Summary", "columns", "plain_estimates", "summarise"]

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
}
METRICS = (*MAIN, *FURTHER, *(f"{kind}/{factor}" for kind in BY_FEATURE for factor in FACTORS))


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
        """Plain values, rounded to six digits; None where a metric is defined for no row."""
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
        )
    ).astype(np.float64)


def summarise(
    scores: Mapping[str, Scores],
    *,
    categories: Mapping[str, tuple[str, ...]] | None = None,
    denominator: Denominator = "z",
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Summary:
    """Means with intervals for every set, and for every category whose sets are all there.

    Args:
        scores: for each set.
        categories: the sets of each category.
        denominator: of contrastive efficiency.
        seed: of the resamples.
        resamples: how many.
    """
    states = {
        name: resample(
            columns(part, denominator=denominator), seed=derive(seed, "bootstrap", name), resamples=resamples
        )
        for name, part in scores.items()
    }
    sets = {name: dict(zip(METRICS, state.estimates(LEVEL), strict=True)) for name, state in states.items()}
    whole = {name: names for name, names in (categories or {}).items() if all(part in states for part in names)}
    return Summary(
        sets=sets,
        categories={name: _together([states[part] for part in names]) for name, names in whole.items()},
        overall=_together(list(states.values())),
    )


def _together(states: list[Resamples]) -> dict[str, Estimate]:
    """The unweighted mean of sets, over the rows of all of them."""
    counts = np.sum([state.counts[:, 0] for state in states], axis=0).tolist()
    rows = zip(METRICS, mean_of(states), counts, strict=True)
    return {metric: estimate(means, int(count), LEVEL) for metric, means, count in rows}


def plain_estimates(tables: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Any]:
    """Estimates as plain values, rounded to six digits; None for what is not a number."""
    return {
        name: {
            metric: {key: _rounded(value) for key, value in found._asdict().items()} for metric, found in table.items()
        }
        for name, table in tables.items()
    }


def _rounded(value: float) -> float | int | None:
    if isinstance(value, int):
        return value
    return None if np.isnan(value) else round(float(value), 6)
