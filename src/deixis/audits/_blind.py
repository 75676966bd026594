"""Blind readers: naive Bayes over words, neighbours or lengths, which learns from one half and is judged on the other.

Only whole numbers are learnt, and scores are rounded, so the same examples give the same accuracy everywhere. Examples
about one image are in the same half.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.audits.figures import Figure, mean_figure, missing
from deixis.seeds import mix_words


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


DIGITS = 9  # scores closer than that are equal
SMOOTH = 0.5  # added to every count
FEW_IMAGES = 20  # which halves cannot be made of
FEW = 20  # examples in a half
TOO_FEW = f"there are fewer than {FEW} examples in a half, or fewer than {FEW_IMAGES} images"


def neighbours(words: Sequence[str]) -> list[str]:
    """The words, and every two that stand side by side, ends included."""
    bounded = ["^", *words, "$"]
    return [*words, *(f"{one} {other}" for one, other in pairwise(bounded))]


class Halves(NamedTuple):
    """The examples to learn from and those to judge, by number, and the group that each example belongs to.

    A group is in one half as a whole: the examples about one image, or equal examples where no images are known.
    """

    learnt: np.ndarray
    judged: np.ndarray
    groups: np.ndarray

    @property
    def are_enough(self) -> bool:
        """Both halves have examples to speak of, and these are about enough images."""
        return min(len(self.learnt), len(self.judged)) >= FEW and len(np.unique(self.groups)) >= FEW_IMAGES


def halve(images: Sequence[int], contents: Sequence[int]) -> Halves:
    """Divide examples into halves by their images, or by their contents where images are not known.

    Args:
        images: a digest of the images of each example, 0 where none is known.
        contents: a digest of each example.
    """
    by_image, by_content = np.array(images, np.uint64), np.array(contents, np.uint64)
    groups = by_image if by_image.all() else by_content
    is_judged = mix_words(groups) & np.uint64(1) == 1
    return Halves(np.flatnonzero(~is_judged), np.flatnonzero(is_judged), groups)


class LabelReader:
    """Naive Bayes from tokens to a label."""

    def __init__(self) -> None:
        self.tokens: dict[str, Counter[str]] = {}
        self.labels: Counter[str] = Counter()
        self.known: set[str] = set()
        self._totals: dict[str, int] = {}

    def learn(self, tokens: Iterable[str], label: str) -> None:
        """Learn from one example."""
        some = list(tokens)
        self.labels[label] += 1
        self.tokens.setdefault(label, Counter()).update(some)
        self._totals[label] = self._totals.get(label, 0) + len(some)
        self.known.update(some)

    def best(self, tokens: Iterable[str], options: Iterable[str]) -> list[str]:
        """Return the likeliest of some labels, several where they are equally likely."""
        counted = [token for token in tokens if token in self.known]
        spread = SMOOTH * (len(self.known) + 1)
        scores: dict[str, float] = {}
        for label in options:
            held, total = self.tokens.get(label, Counter()), self._totals.get(label, 0) + spread
            score = log(self.labels[label] + SMOOTH) - len(counted) * log(total)
            scores[label] = round(score + sum(log(held[token] + SMOOTH) for token in counted), DIGITS)
        most = max(scores.values(), default=0.0)
        return [label for label, score in scores.items() if score == most]


def judge_labels(
    tokens: Sequence[Sequence[str]], labels: Sequence[str], options: Sequence[Mapping[str, int]], halves: Halves
) -> Figure:
    """Return how often the likeliest label leads to the answer.

    Args:
        tokens: what the reader is told of each example.
        labels: the right one.
        options: how many answers there are to choose from under each label; one is guessed among those of the label.
        halves: whom to learn from and whom to judge.
    """
    if not halves.are_enough:
        return missing(TOO_FEW)
    reader = LabelReader()
    for number in halves.learnt:
        reader.learn(tokens[number], labels[number])
    right = np.zeros(len(halves.judged))
    for place, number in enumerate(halves.judged):
        among = options[number]
        best = reader.best(tokens[number], among)
        if labels[number] in best:
            right[place] = 1 / sum(among[label] for label in best)
    return mean_figure(right, halves.groups[halves.judged])


def judge_choices(
    choices: Sequence[Sequence[Counter[str]]], right: Sequence[int], halves: Halves, *, whole: bool = False
) -> Figure:
    """Return how often the right one of several sentences looks the likeliest, by the tokens in which they differ.

    Args:
        choices: the tokens of every sentence of every example.
        right: the number of the right one.
        halves: whom to learn from and whom to judge.
        whole: learn from all tokens of sentences, not only from those in which two differ.
    """
    if not halves.are_enough:
        return missing(TOO_FEW)
    held: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for number in halves.learnt:
        sentences = choices[number]
        true = sentences[right[number]]
        for place, other in enumerate(sentences):
            if place != right[number]:
                held[0].update(true if whole else true - other)
                held[1].update(other if whole else other - true)
    known = held[0].keys() | held[1].keys()
    spread = [log(some.total() + SMOOTH * (len(known) + 1)) for some in held]
    odds = {
        token: log(held[0][token] + SMOOTH) - spread[0] - log(held[1][token] + SMOOTH) + spread[1] for token in known
    }
    found = np.zeros(len(halves.judged))
    for at, number in enumerate(halves.judged):
        scores = [
            round(sum(odds[token] * often for token, often in sorted(some.items()) if token in odds), DIGITS)
            for some in choices[number]
        ]
        if scores[right[number]] == max(scores):
            found[at] = 1 / scores.count(max(scores))
    return mean_figure(found, halves.groups[halves.judged])
