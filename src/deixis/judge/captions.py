"""Similarity of a caption to its references: BLEU, ROUGE-L, METEOR, CIDEr-D and the overlap of features.

These compare words, not meaning in context; they stand beside the pragmatic metrics because everyone knows them. Words
are separated by spaces, in lower case, hyphens taken out, for captions and references alike.

- BLEU-1 to BLEU-4 (Papineni et al. 2002): of the whole corpus, closest reference length, no smoothing.
- ROUGE-L (Lin 2004): longest common subsequence, F with beta 1.2, the best reference.
- METEOR (Banerjee and Lavie 2005) with exact matches only: no stems, no synonyms, so a lower bound of what the
  original gives. F with recall weighed 9 to 1, penalty 0.5 * (chunks / matches) ** 3, the best reference.
- CIDEr-D (Vedantam et al. 2015): n-grams up to 4, weighed by how few references have them, times 10.
- Tuples, after SPICE (Anderson et al. 2016): F of the features that the caption says and those that hold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from deixis.errors import SchemaError
from deixis.judge.uncertainty import RESAMPLES, Estimate, estimate, resample
from deixis.language._frames import plain_words


if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["SURFACE", "Bleu", "bleu_counts", "cider", "meteor", "rouge_l", "surface", "tuples", "words"]

Words: TypeAlias = tuple[str, ...]
ORDERS = 4
BETA = 1.2
SIGMA = 6.0  # of the penalty that CIDEr-D puts on differences in length
SURFACE = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "meteor", "cider", "tuples")


class FeatureScores(Protocol):
    """Counts of the features that captions mention, one row for each caption.

    Shapes:
        said, false: int64 [caption], features said truly and things said that do not hold.
        true: bool [caption, feature], features said truly.
    """

    @property
    def said(self) -> np.ndarray: ...

    @property
    def false(self) -> np.ndarray: ...

    @property
    def true(self) -> np.ndarray: ...


def words(text: str) -> Words:
    """The words of a caption."""
    return tuple(plain_words(text).split())


@dataclass(frozen=True, slots=True)
class Bleu:
    """Counts of BLEU in captions, which can be added up.

    Shapes:
        counts: float64 [10, ...]: matches and totals of n-grams of one to four words, length, length of the reference.
    """

    counts: np.ndarray

    def __add__(self, other: Bleu) -> Bleu:
        """The counts of both parts together."""
        return Bleu(self.counts + other.counts)

    def score(self, order: int = ORDERS) -> np.ndarray:
        """BLEU with n-grams up to this order: float64 [...]."""
        matches, totals = self.counts[:order], self.counts[ORDERS : ORDERS + order]
        length, reference = self.counts[2 * ORDERS], self.counts[2 * ORDERS + 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.exp(np.log(matches / totals).mean(axis=0))
            penalty = np.exp(np.minimum(0.0, 1 - reference / length))
        return np.nan_to_num(np.where((matches > 0).all(axis=0), mean * penalty, 0.0))


def bleu_counts(caption: Words, references: Sequence[Words]) -> list[float]:
    """Return the ten counts of `Bleu` for one caption."""
    matches, totals = [], []
    for size in range(1, ORDERS + 1):
        said = _grams(caption, size)
        most: Counter[Words] = Counter()
        for reference in references:
            most |= _grams(reference, size)
        matches.append(float((said & most).total()))
        totals.append(float(said.total()))
    closest = min((abs(len(r) - len(caption)), len(r)) for r in references)[1]
    return [*matches, *totals, float(len(caption)), float(closest)]


def rouge_l(caption: Words, references: Sequence[Words]) -> float:
    """F of the longest common subsequence, with the best precision and the best recall of any reference."""
    if not caption:
        return 0.0
    common = [_longest_common(caption, reference) for reference in references]
    precision = max(found / len(caption) for found in common)
    recall = max(found / len(reference) for found, reference in zip(common, references, strict=True))
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision) if precision else 0.0


def meteor(caption: Words, references: Sequence[Words]) -> float:
    """Return the F-measure of the words in common with the best reference, reduced for every break in their order."""
    return max(_meteor(caption, reference) for reference in references)


def cider(captions: Sequence[Words], references: Sequence[Sequence[Words]]) -> np.ndarray:
    """CIDEr-D of each caption, its n-grams weighed by how many of the images have them in a reference.

    Returns float64 [caption].
    """
    documents: Counter[Words] = Counter()
    for some in references:
        documents.update({gram for reference in some for size in range(1, 5) for gram in _grams(reference, size)})
    scale = log(max(len(references), 1))
    return np.array(
        [
            10 * sum(_alike(caption, one, documents, scale) for one in some) / len(some)
            for caption, some in zip(captions, references, strict=True)
        ]
    )


def tuples(scores: FeatureScores) -> np.ndarray:
    """F of what captions say and what holds, feature by feature: float64 [caption]."""
    said = scores.said + scores.false
    return 2 * scores.said / (said + scores.true.shape[1])


def surface(
    captions: Sequence[str],
    references: Sequence[Sequence[str]],
    scores: FeatureScores,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Estimate]:
    """All surface metrics of a set of captions, with intervals.

    Args:
        captions: what was said.
        references: what could have been said, at least one for each.
        scores: of the captions, for the overlap of tuples.
        seed: of the resamples.
        resamples: how many.
    """
    if not all(references):
        raise SchemaError("every caption needs at least one reference")
    said = [words(text) for text in captions]
    known = [[words(text) for text in some] for some in references]
    rows = np.array(
        [
            [*bleu_counts(one, some), rouge_l(one, some), meteor(one, some)]
            for one, some in zip(said, known, strict=True)
        ]
    ).reshape(len(said), 2 * ORDERS + 4)
    state = resample(np.column_stack((rows, cider(said, known), tuples(scores))), seed=seed, resamples=resamples)
    counts = Bleu(state.sums[: 2 * ORDERS + 2])
    replicates = [*(counts.score(order) for order in range(1, ORDERS + 1)), *state.means[2 * ORDERS + 2 :]]
    return {name: estimate(row, len(said)) for name, row in zip(SURFACE, replicates, strict=True)}


def _grams(text: Words, size: int) -> Counter[Words]:
    return Counter(zip(*(text[start:] for start in range(size)), strict=False))


def _longest_common(one: Words, other: Words) -> int:
    """The length of the longest common subsequence; the bits of an integer are the words of `one`."""
    places: dict[str, int] = {}
    for place, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(one)) - 1
    left = whole  # a bit falls when the subsequence reaches further
    for word in other:
        hit = left & places.get(word, 0)
        left = ((left + hit) | (left - hit)) & whole
    return len(one) - left.bit_count()


def _meteor(caption: Words, reference: Words) -> float:
    matched = _match_words(caption, reference)
    if not matched:
        return 0.0
    precision, recall = len(matched) / len(caption), len(matched) / len(reference)
    mean = 10 * precision * recall / (recall + 9 * precision)
    chunks = 1 + sum(later != (one + 1, other + 1) for (one, other), later in pairwise(matched))
    return mean * (1 - 0.5 * (chunks / len(matched)) ** 3)


def _match_words(caption: Words, reference: Words) -> list[tuple[int, int]]:
    """Return places of equal words, each used once, in runs where possible."""
    free: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        free.setdefault(word, []).append(place)
    matched: list[tuple[int, int]] = []
    for place, word in enumerate(caption):
        there = free.get(word)
        if not there:
            continue
        after = matched[-1][1] + 1 if matched and matched[-1][0] == place - 1 else None
        best = after if after in there else max(there, key=lambda spot: _run(caption, place, reference, spot))
        there.remove(best)
        matched.append((place, best))
    return matched


def _run(caption: Words, place: int, reference: Words, spot: int) -> int:
    """How many words agree from here on."""
    length = 0
    for one, other in zip(caption[place:], reference[spot:], strict=False):
        if one != other:
            break
        length += 1
    return length


def _alike(caption: Words, reference: Words, documents: Counter[Words], scale: float) -> float:
    """The mean over n-gram sizes of how alike two texts are, repetition cut off, less for different lengths."""
    total = 0.0
    for size in range(1, ORDERS + 1):
        one, other = _weigh_grams(caption, size, documents, scale), _weigh_grams(reference, size, documents, scale)
        dot = sum(min(weight, other[gram]) * other[gram] for gram, weight in one.items() if gram in other)
        norms = sqrt(sum(w * w for w in one.values())) * sqrt(sum(w * w for w in other.values()))
        total += dot / norms if norms else 0.0
    return total / ORDERS * exp(-((len(caption) - len(reference)) ** 2) / (2 * SIGMA**2))


def _weigh_grams(text: Words, size: int, documents: Counter[Words], scale: float) -> dict[Words, float]:
    return {gram: count * (scale - log(max(documents[gram], 1))) for gram, count in _grams(text, size).items()}
