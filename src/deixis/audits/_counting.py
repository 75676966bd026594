"""Counting while an audit is made: tallies, and readers who do not read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.audits.audit import Audit


if TYPE_CHECKING:
    from collections.abc import Sequence


class Tally:
    """Counts that grow, and of which `audit` makes the record."""

    def __init__(self) -> None:
        self.examples = 0
        self.counts: dict[str, Counter[tuple[Any, ...]]] = {}

    def add(self, name: str, *key: Any, count: int = 1) -> None:
        """Count one key of one of the mappings of an audit."""
        if count:
            self.counts.setdefault(name, Counter())[key] += count

    def add_columns(self, name: str, *columns: tuple[np.ndarray, Sequence[Any] | None]) -> None:
        """Count keys given as columns, one per place of the key.

        Args:
            name: the mapping of the audit.
            *columns: (codes, values): code c stands for `values[c]`, or for itself where there are no values.
        """
        codes = [np.asarray(column).astype(np.int64, copy=False) for column, _ in columns]
        if not len(codes[0]):
            return
        sizes = [int(column.max()) + 1 for column in codes]
        keys, counts = _distinct(np.ravel_multi_index(codes, sizes), int(np.prod(sizes)))
        places = np.unravel_index(keys, sizes)
        said = [
            [code if values is None else values[code] for code in place.tolist()]
            for place, (_, values) in zip(places, columns, strict=True)
        ]
        target = self.counts.setdefault(name, Counter())
        for key, count in zip(zip(*said, strict=True), counts.tolist(), strict=True):
            target[key] += count

    def merge(self, other: Tally) -> None:
        """Take over the counts of another tally."""
        self.examples += other.examples
        for name, counts in other.counts.items():
            self.counts.setdefault(name, Counter()).update(counts)

    def audit(self) -> Audit:
        """The record."""
        return Audit(examples=self.examples, **{name: dict(counts) for name, counts in self.counts.items()})


def _distinct(codes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The codes that occur, and how often."""
    if size > 4 * len(codes) + 65_536:
        return np.unique(codes, return_counts=True)
    counts = np.bincount(codes, minlength=size)
    keys = np.flatnonzero(counts)
    return keys, counts[keys]


ALL, CHANCE = "all features", "chance"
MOST = 200_000  # examples that readers are judged on; enough for a tenth of a percent
DIGITS = 9  # scores closer than that are equal


class Looks(NamedTuple):
    """Visible features of the objects of some examples.

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
    """Readers who see the world but not the command.

    They have learnt, from one half of the examples, which values targets tend to have, and choose in each world of the
    other half the object that seems the likeliest target: by one feature alone, or by all of them as if they were
    independent (naive Bayes). What such a reader gains over chance is what the worlds give away.
    """

    def __init__(self, features: Sequence[str], values: int) -> None:
        self.features = tuple(features)
        self.learnt = np.zeros((len(self.features), values, 2), np.int64)  # how often not a target, how often a target
        self.waiting: list[Looks] = []
        self._held = 0  # examples that wait

    def grow(self, features: Sequence[str], values: int) -> None:
        """Go on with more features and values; those that are there keep their numbers."""
        before = self.learnt
        self.features = tuple(features)
        self.learnt = np.zeros((len(self.features), max(values, before.shape[1]), 2), np.int64)
        self.learnt[: before.shape[0], : before.shape[1]] = before
        more = len(self.features) - before.shape[0]
        if more:  # objects seen before have none of the new features
            self.waiting = [one._replace(codes=np.pad(one.codes, ((0, 0), (0, more)))) for one in self.waiting]

    def see(self, looks: Looks) -> None:
        """Learn from half of the examples, and keep the others for judging."""
        for_judging = looks.key & np.uint64(1) == 1
        self._learn(looks.take(np.flatnonzero(~for_judging)))
        self.waiting.append(looks.take(np.flatnonzero(for_judging)))
        self._held += len(self.waiting[-1].key)
        if self._held > MOST + MOST // 4:
            self.waiting = [self._join_waiting()]
            self._held = len(self.waiting[0].key)

    def judge(self, tally: Tally, features: Sequence[str] | None = None) -> None:
        """Count how many objects seem best to each reader, and whether the target is one of them.

        Readers know these features, in their order, or all.
        """
        looks = self._join_waiting()
        if not len(looks.key):
            return
        names = self.features if features is None else tuple(features)
        numbers = [self.features.index(name) for name in names]
        odds = self._odds()
        each = [np.round(odds[number][looks.codes[:, number]], DIGITS) for number in numbers]
        together = np.round(np.sum([odds[n][looks.codes[:, n]] for n in numbers], axis=0), DIGITS)
        nothing = np.zeros(len(looks.codes))
        for name, scores in zip((*names, ALL, CHANCE), (*each, together, nothing), strict=True):
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

    def _join_waiting(self) -> Looks:
        """Return the examples for judging, those with the smallest keys where there are too many."""
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
