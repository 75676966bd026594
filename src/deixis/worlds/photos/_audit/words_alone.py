"""A classifier that tells expressions of absent things from others by their words alone.

An expression that fits nothing is made by changing one that fits something. If such expressions are worded
differently, or use other words, they can be told without a look at any image, and whoever decides *not there* that way
has understood nothing. The reader here is as simple as can be: it counts in how many expressions of either kind each
word occurs (naive Bayes), and is asked about expressions that it has not counted. Its *area* is how often it finds an
expression that fits nothing likelier to be one than an expression of what is: 0.5 is chance, 1 gives everything
away. An expression and those that were made from it are always asked about together, so that it cannot remember them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.seeds import derive, fold


if TYPE_CHECKING:
    from collections.abc import Sequence

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
    everything = list(examples) if isinstance(examples, Iterator) else examples
    heard = HeardWords(one.changed_id for one in everything if not one.is_there)
    for example in everything:
        heard.add(example)
    return heard.tell(folds=folds, seed=seed, resamples=resamples)


class HeardWords:
    """The words of expressions of what is not there, and of those that they were made from, four bytes for each.

    Args:
        origins: the ids of the expressions that were changed.
    """

    def __init__(self, origins: Iterable[int | None]) -> None:
        self._origins = np.unique(np.array([origin for origin in origins if origin is not None], np.int64))
        self._known: dict[str, int] = {}
        self._there, self._absent = _Texts(), _Texts()

    def add(self, example: Example) -> None:
        """Hear an example, unless it is neither."""
        if not example.is_there:
            origin = -1 if example.changed_id is None else example.changed_id
            self._absent.add(self._known, example.text, origin)
        elif _holds(self._origins, example.id):
            self._there.add(self._known, example.text, example.id)

    def tell(self, *, folds: int = FOLDS, seed: int = 0, resamples: int = RESAMPLES) -> WordsAlone | None:
        """Return how well the words tell the two kinds apart, see `tell_by_words`."""
        there, absent = len(self._there), len(self._absent)
        if there < folds or absent < folds:
            return None
        origin = np.concatenate([np.asarray(some.origins, np.int64) for some in (self._there, self._absent)])
        is_absent = np.arange(there + absent) >= there
        row = np.repeat(np.arange(there + absent), [*self._there.lengths, *self._absent.lengths])
        word = np.concatenate([np.asarray(some.words, np.int64) for some in (self._there, self._absent)])
        order = np.lexsort((word, row))  # so that texts of the same words have the same score
        row, word = row[order], word[order]
        part = np.array([fold((int(number),), derive(seed, "folds")) % folds for number in origin])
        scores = np.zeros(there + absent)
        for number in range(folds):
            is_asked = part[row] == number
            odds = _odds(_counts(word[~is_asked], is_absent[row[~is_asked]], len(self._known)))
            some = np.bincount(row[is_asked], weights=odds[word[is_asked]], minlength=len(scores))
            scores[part == number] = some[part == number]
        low, high = _interval(scores, is_absent, origin, seed, resamples)
        counts = _counts(word, is_absent[row], len(self._known))
        telling = _telling(self._order_of_words(), list(self._known), counts)
        return WordsAlone(there, absent, area_under_curve(scores, is_absent), low, high, telling)

    def _order_of_words(self) -> np.ndarray:
        """The numbers of the words, those first that are said first of what is there, then of what is not."""
        words = np.concatenate([np.asarray(some.words, np.int64) for some in (self._there, self._absent)])
        numbers, first = np.unique(words, return_index=True)
        return numbers[np.argsort(first)]


class _Texts:
    """Texts in numbers of words."""

    def __init__(self) -> None:
        self.words, self.lengths, self.origins = array("i"), array("i"), array("q")

    def __len__(self) -> int:
        return len(self.origins)

    def add(self, known: dict[str, int], text: str, origin: int) -> None:
        """Add a text that was made from an expression, or is that one."""
        words = text.lower().split()
        self.words.extend(known.setdefault(word, len(known)) for word in words)
        self.lengths.append(len(words))
        self.origins.append(origin)


def _holds(ordered: np.ndarray, number: int) -> bool:
    place = int(np.searchsorted(ordered, number))
    return place < len(ordered) and int(ordered[place]) == number


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


def _counts(word: np.ndarray, is_absent: np.ndarray, words: int) -> np.ndarray:
    """Return how often each word is said of what is there, and of what is not: float64 [2, word]."""
    return (
        np.stack([np.bincount(word[~is_absent], minlength=words), np.bincount(word[is_absent], minlength=words)]) * 1.0
    )


def _odds(counts: np.ndarray) -> np.ndarray:
    """Return how much each word speaks for not being there, by multinomial naive Bayes: float64 [word]."""
    shares = np.log((counts + ADDED) / (counts + ADDED).sum(axis=1, keepdims=True))
    odds: np.ndarray = shares[1] - shares[0]
    return odds


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
    numbers: np.ndarray, known: Sequence[str], counts: np.ndarray, most: int = 5
) -> tuple[tuple[str, float], ...]:
    """Return the words whose shares differ most between the two kinds, by how unlikely that is by chance."""
    counts = counts[:, numbers]
    shares = counts / counts.sum(axis=1, keepdims=True)
    pooled = counts.sum(axis=0) / counts.sum()
    spread = np.sqrt(pooled * (1 - pooled) * (1 / counts.sum(axis=1)).sum())
    order = np.argsort(-np.abs(shares[1] - shares[0]) / np.maximum(spread, 1e-12), kind="stable")[:most]
    factors = (counts[1] + 0.5) / (counts[0] + 0.5) * counts[0].sum() / counts[1].sum()
    return tuple((known[numbers[k]], float(factors[k])) for k in order.tolist())
