"""A classifier that tells expressions of absent things from others by their words alone.

An expression that fits nothing is made by changing one that fits something. If such expressions are worded
differently, or use other words, they can be told without a look at any image, and whoever decides *not there* that way
has understood nothing. The reader here is as simple as can be: it counts in how many expressions of either kind each
word occurs (naive Bayes), and is asked about expressions that it has not counted. Its *area* is how often it finds an
expression that fits nothing likelier to be one than an expression of what is: 0.5 is chance, 1 gives everything
away. An expression and those that were made from it are always asked about together, so that it cannot remember them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.seeds import derive, fold


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.worlds.photos.localise import Example


FOLDS = 5
ADDED = 0.1  # to every count, so that a new word tells little
RESAMPLES = 200


@dataclass(frozen=True, slots=True)
class WordsAlone:
    """Accuracy of telling absent from present things by words alone.

    Attributes:
        there, absent: how many expressions of either kind there are.
        area: under the curve of the reader; 0.5 is chance.
        low, high: a 95 % interval of it, by resampling the expressions that were changed.
        telling: the words that tell most, each with how much more often (as a factor) what is not there says it.
    """

    there: int
    absent: int
    area: float
    low: float
    high: float
    telling: tuple[tuple[str, float], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "there": self.there,
            "not there": self.absent,
            "area": round(self.area, 4),
            "low": round(self.low, 4),
            "high": round(self.high, 4),
            "telling words": {word: round(factor, 2) for word, factor in self.telling},
        }


def tell_by_words(
    examples: Iterable[Example], *, folds: int = FOLDS, seed: int = 0, resamples: int = RESAMPLES
) -> WordsAlone | None:
    """Measure how well words alone tell absent from present things, or return None where there is nothing to compare.

    Args:
        examples: those of what is not there, and those that they were made from; others are passed over.
        folds: parts that the expressions are divided into, each asked about with what was counted in the others.
        seed: of the division, and of the resamples behind the interval.
        resamples: how many.
    """
    some = list(examples)
    absent = [one for one in some if not one.is_there]
    origins = {one.changed_id for one in absent}
    there = [one for one in some if one.is_there and one.id in origins]
    if len(there) < folds or len(absent) < folds:
        return None
    asked = [*there, *absent]
    origin = np.array([one.id if one.is_there else one.changed_id for one in asked], np.int64)
    is_absent = np.array([not one.is_there for one in asked])
    words = _occurring([one.text for one in asked])
    part = np.array([fold((int(number),), derive(seed, "folds")) % folds for number in origin])
    scores = np.zeros(len(asked))
    for number in range(folds):
        scores[part == number] = _odds(words[part != number], is_absent[part != number], words[part == number])
    low, high = _interval(scores, is_absent, origin, seed, resamples)
    telling = _telling([one.text for one in asked], words, is_absent)
    return WordsAlone(len(there), len(absent), area_under_curve(scores, is_absent), low, high, telling)


def area_under_curve(scores: np.ndarray, is_absent: np.ndarray) -> float:
    """Return the share of pairs in which the expression of an absent thing has the higher score.

    Equal scores count half.
    """
    order = np.argsort(scores, kind="stable")
    _, first, counts = np.unique(scores[order], return_index=True, return_counts=True)
    ranks = np.empty(len(scores))
    ranks[order] = np.repeat(first + (counts + 1) / 2, counts)
    ones = int(is_absent.sum())
    zeros = len(scores) - ones
    return float((ranks[is_absent].sum() - ones * (ones + 1) / 2) / (ones * zeros)) if ones and zeros else 0.5


def _occurring(texts: Sequence[str]) -> np.ndarray:
    """Return how often every text says every word: float64 [text, word]."""
    known: dict[str, int] = {}
    rows = [[known.setdefault(word, len(known)) for word in text.lower().split()] for text in texts]
    found = np.zeros((len(texts), len(known)))
    for number, row in enumerate(rows):
        np.add.at(found[number], row, 1)
    return found


def _odds(words: np.ndarray, is_absent: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return the log odds of not being there, by multinomial naive Bayes: float64 [text]."""
    counts = np.stack([words[~is_absent].sum(axis=0), words[is_absent].sum(axis=0)]) + ADDED
    shares = np.log(counts / counts.sum(axis=1, keepdims=True))
    return asked @ (shares[1] - shares[0])


def _interval(
    scores: np.ndarray, is_absent: np.ndarray, origin: np.ndarray, seed: int, resamples: int
) -> tuple[float, float]:
    """Return a 95 % interval of the area: what belongs together is drawn together."""
    _, group = np.unique(origin, return_inverse=True)
    order = np.argsort(group, kind="stable")
    start = np.searchsorted(group[order], np.arange(group.max() + 2))
    rng = np.random.default_rng(derive(seed, "words alone"))
    areas = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(start) - 1, len(start) - 1)
        rows = order[np.concatenate([np.arange(start[g], start[g + 1]) for g in drawn])]
        areas.append(area_under_curve(scores[rows], is_absent[rows]))
    low, high = np.quantile(areas, (0.025, 0.975))
    return float(low), float(high)


def _telling(
    texts: Sequence[str], words: np.ndarray, is_absent: np.ndarray, most: int = 5
) -> tuple[tuple[str, float], ...]:
    """Return the words whose shares differ most between the two kinds, by how unlikely that is by chance."""
    known = list(dict.fromkeys(word for text in texts for word in text.lower().split()))
    counts = np.stack([words[~is_absent].sum(axis=0), words[is_absent].sum(axis=0)])
    shares = counts / counts.sum(axis=1, keepdims=True)
    pooled = counts.sum(axis=0) / counts.sum()
    spread = np.sqrt(pooled * (1 - pooled) * (1 / counts.sum(axis=1)).sum())
    order = np.argsort(-np.abs(shares[1] - shares[0]) / np.maximum(spread, 1e-12), kind="stable")[:most]
    factors = (counts[1] + 0.5) / (counts[0] + 0.5) * counts[0].sum() / counts[1].sum()
    return tuple((known[k], float(factors[k])) for k in order.tolist())
