"""Readers who see the world but not the command.

They have learnt, from one half of the examples, which values targets tend to have, and choose in each world of the
other half the object that seems the likeliest target: by one feature alone, or by all of them as if they were
independent (naive Bayes). What such a reader gains over chance is what the worlds give away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.audits.tally import Tally


__all__ = ["ALL", "CHANCE", "Looks", "Readers"]

ALL, CHANCE = "all features", "chance"
MOST = 200_000  # examples that readers are judged on; enough for a tenth of a percent
DIGITS = 9  # scores closer than that are equal


class Looks(NamedTuple):
    """What there is to see in some examples.

    Shapes:
        key: uint64 [example], scrambled; its lowest bit says which half the example is in.
        codes: int [object, feature], objects of all examples one after the other; start: int64 [example + 1].
        target: int64 [example], the number of the target in its own example.
    """

    key: np.ndarray
    codes: np.ndarray
    start: np.ndarray
    target: np.ndarray

    def take(self, chosen: np.ndarray) -> Looks:
        """Some of the examples."""
        length = np.diff(self.start)[chosen]
        start = np.concatenate(([0], np.cumsum(length)))
        objects = np.repeat(self.start[:-1][chosen], length) + np.arange(start[-1]) - np.repeat(start[:-1], length)
        return Looks(self.key[chosen], self.codes[objects], start, self.target[chosen])


class Readers:
    """What readers of some features have learnt, and the examples they will be judged on."""

    def __init__(self, features: Sequence[str], values: int) -> None:
        self.features = tuple(features)
        self.learnt = np.zeros((len(self.features), values, 2), np.int64)  # how often not a target, how often a target
        self.waiting: list[Looks] = []

    def see(self, looks: Looks) -> None:
        """Learn from half of the examples; keep the others for judging."""
        for_judging = looks.key & np.uint64(1) == 1
        self._learn(looks.take(np.flatnonzero(~for_judging)))
        self.waiting.append(looks.take(np.flatnonzero(for_judging)))
        if sum(len(some.key) for some in self.waiting) > 2 * MOST:
            self.waiting = [self._kept()]

    def judge(self, tally: Tally) -> None:
        """Count how many objects seem best to each reader, and whether the target is one of them."""
        looks = self._kept()
        if not len(looks.key):
            return
        odds = self._odds()
        each = [np.round(odds[number][looks.codes[:, number]], DIGITS) for number in range(len(self.features))]
        together = np.round(np.sum([odds[n][looks.codes[:, n]] for n in range(len(self.features))], axis=0), DIGITS)
        nothing = np.zeros(len(looks.codes))
        for name, scores in zip((*self.features, ALL, CHANCE), (*each, together, nothing), strict=True):
            best, is_right = _choices(scores, looks)
            tally.add_columns("readers", (np.zeros(len(best)), (name,)), (best, None), (is_right, (False, True)))

    def _learn(self, looks: Looks) -> None:
        is_target = np.zeros(len(looks.codes), np.int64)
        is_target[looks.start[:-1] + looks.target] = 1
        for number in range(len(self.features)):
            np.add.at(self.learnt[number], (looks.codes[:, number], is_target), 1)

    def _odds(self) -> np.ndarray:
        """float64 [feature, value]: the logarithm of how much likelier a target is to have a value than another."""
        known = (self.learnt.sum(axis=2) > 0).sum(axis=1)[:, None, None] + 1  # and one for values never seen
        likely = (self.learnt + 1) / (self.learnt.sum(axis=1, keepdims=True) + known)
        found: np.ndarray = np.log(likely[:, :, 1]) - np.log(likely[:, :, 0])
        return found

    def _kept(self) -> Looks:
        """The examples for judging, those with the smallest keys where there are too many."""
        if not self.waiting:
            nothing = np.zeros(0, np.int64)
            return Looks(nothing, np.zeros((0, len(self.features)), np.int64), np.zeros(1, np.int64), nothing)
        starts = np.cumsum([0, *(some.start[-1] for some in self.waiting)])
        joined = Looks(
            np.concatenate([some.key for some in self.waiting]),
            np.concatenate([some.codes for some in self.waiting]),
            np.concatenate([[0], *(some.start[1:] + at for some, at in zip(self.waiting, starts, strict=False))]),
            np.concatenate([some.target for some in self.waiting]),
        )
        if len(joined.key) <= MOST:
            return joined
        return joined.take(np.sort(np.argsort(joined.key, kind="stable")[:MOST]))


def _choices(scores: np.ndarray, looks: Looks) -> tuple[np.ndarray, np.ndarray]:
    """(how many objects score best in each example, whether the target does)."""
    best = np.maximum.reduceat(scores, looks.start[:-1])
    row = np.repeat(np.arange(len(looks.key)), np.diff(looks.start))
    is_best = scores == best[row]
    return np.bincount(row[is_best], minlength=len(best)), is_best[looks.start[:-1] + looks.target]
