"""Counting while an audit is made: tallies, and readers who do not read."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.audits.audit import Audit
from deixis.data._keyed_rows import scratch_file


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
HELD_BYTES = 4 << 20  # of examples that wait in memory
SMALL = 1024  # bytes of a few examples beside their codes


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

    The other half waits until all is learnt, `MOST` examples of it at most, those with the smallest keys. What does not
    fit into a little memory waits in a file.
    """

    def __init__(self, features: Sequence[str], values: int) -> None:
        self.features = tuple(features)
        self.learnt = np.zeros((len(self.features), values, 2), np.int64)  # how often not a target, how often a target
        self._objects = np.zeros(2, np.int64)  # learnt from, not targets and targets
        self._waiting: list[Looks] = []
        self._held = 0  # bytes that wait in memory
        self._file: Any = None
        self._stretches: list[_Stretch] = []
        self._largest = np.uint64((1 << 64) - 1)  # key of an example that may still be judged

    def grow(self, features: Sequence[str], values: int) -> None:
        """Go on with more features and values; those that are there keep their numbers.

        Of a new feature, all objects so far have had the value 0.
        """
        before = self.learnt
        self.features = tuple(features)
        self.learnt = np.zeros((len(self.features), max(values, before.shape[1]), 2), np.int64)
        self.learnt[: before.shape[0], : before.shape[1]] = before
        self.learnt[before.shape[0] :, 0] = self._objects

    def see(self, looks: Looks) -> None:
        """Learn from half of the examples, and keep the others for judging."""
        for_judging = looks.key & np.uint64(1) == 1
        self._learn(looks.take(np.flatnonzero(~for_judging)))
        some = looks.take(np.flatnonzero(for_judging & (looks.key <= self._largest)))
        self._waiting.append(some)
        self._held += some.codes.nbytes + SMALL
        if self._held > HELD_BYTES:
            self._put_aside()

    def judge(self, tally: Tally, features: Sequence[str] | None = None) -> None:
        """Count how many objects seem best to each reader, and whether the target is one of them.

        Readers know these features, in their order, or all.
        """
        names = self.features if features is None else tuple(features)
        numbers = [self.features.index(name) for name in names]
        odds = self._odds()
        found = {name: Tally() for name in (*names, ALL, CHANCE)}
        for looks in self._examples_to_judge() if names else ():
            each = [np.round(odds[number][looks.codes[:, number]], DIGITS) for number in numbers]
            together = np.round(np.sum([odds[n][looks.codes[:, n]] for n in numbers], axis=0), DIGITS)
            nothing = np.zeros(len(looks.codes))
            for name, scores in zip(found, (*each, together, nothing), strict=True):
                best, is_right = _choices(scores, looks)
                found[name].add_columns("readers", (best, None), (is_right, (False, True)))
        for name, counted in found.items():
            for (best, is_right), count in sorted(counted.counts.get("readers", {}).items()):
                tally.add("readers", name, best, is_right, count=count)

    def _learn(self, looks: Looks) -> None:
        is_target = np.zeros(len(looks.codes), np.int64)
        is_target[looks.start[:-1] + looks.target] = 1
        self._objects += np.bincount(is_target, minlength=2)
        for number in range(len(self.features)):
            np.add.at(self.learnt[number], (looks.codes[:, number], is_target), 1)

    def _odds(self) -> np.ndarray:
        """float64 [feature, value]: the logarithm of how much likelier a target is to have a value than another."""
        known = (self.learnt.sum(axis=2) > 0).sum(axis=1)[:, None, None] + 1  # and one for values never seen
        likely = (self.learnt + 1) / (self.learnt.sum(axis=1, keepdims=True) + known)
        found: np.ndarray = np.log(likely[:, :, 1]) - np.log(likely[:, :, 0])
        return found

    def _put_aside(self) -> None:
        """Write what waits to the file, and find out whose keys are too large already."""
        if self._file is None:
            self._file = scratch_file(self)
        looks = self._join_waiting()
        begin = self._file.seek(0, 2)
        for part in (looks.codes, looks.start, looks.target):
            self._file.write(np.ascontiguousarray(part).tobytes())
        self._stretches.append(_Stretch(begin, looks.key, looks.codes.shape, looks.codes.dtype))
        self._waiting, self._held = [], 0
        keys = np.concatenate([one.key for one in self._stretches])
        if len(keys) > MOST:
            self._largest = np.partition(keys, MOST - 1)[MOST - 1]

    def _examples_to_judge(self) -> Iterator[Looks]:
        """Yield the examples for judging in their order, those with the smallest keys where there are too many."""
        last = self._join_waiting()
        keys = np.concatenate([*(one.key for one in self._stretches), last.key])
        is_chosen = np.ones(len(keys), bool)
        if len(keys) > MOST:
            is_chosen[np.argsort(keys, kind="stable")[MOST:]] = False
        at = 0
        for looks in chain(map(self._load, self._stretches), (last,)):
            chosen = np.flatnonzero(is_chosen[at : at + len(looks.key)])
            at += len(looks.key)
            if len(chosen):
                yield looks.take(chosen)

    def _load(self, stored: _Stretch) -> Looks:
        """Read what was put aside; objects have none of the features that were found later."""
        objects, features = stored.shape
        self._file.seek(stored.begin)
        codes = np.frombuffer(self._file.read(objects * features * stored.kind.itemsize), stored.kind)
        codes = codes.reshape(stored.shape)
        start = np.frombuffer(self._file.read(8 * (len(stored.key) + 1)), np.int64)
        target = np.frombuffer(self._file.read(8 * len(stored.key)), np.int64)
        return Looks(stored.key, _widen(codes, len(self.features)), start, target)

    def _join_waiting(self) -> Looks:
        """Return the examples that wait in memory."""
        if not self._waiting:
            nothing = np.zeros(0, np.int64)
            return Looks(
                nothing.astype(np.uint64), np.zeros((0, len(self.features)), np.int64), np.zeros(1, np.int64), nothing
            )
        starts = np.cumsum([0, *(some.start[-1] for some in self._waiting)])
        return Looks(
            np.concatenate([some.key for some in self._waiting]),
            np.concatenate([_widen(some.codes, len(self.features)) for some in self._waiting]),
            np.concatenate([[0], *(some.start[1:] + at for some, at in zip(self._waiting, starts, strict=False))]),
            np.concatenate([some.target for some in self._waiting]).astype(np.int64),
        )


class _Stretch(NamedTuple):
    """Looks that were put aside: where in the file, their keys, and the shape and type of their codes."""

    begin: int
    key: np.ndarray
    shape: tuple[int, ...]
    kind: np.dtype[Any]


def _widen(codes: np.ndarray, features: int) -> np.ndarray:
    """Codes of objects that have none of the further features."""
    return np.pad(codes, ((0, 0), (0, features - codes.shape[1]))) if codes.shape[1] < features else codes


def _choices(scores: np.ndarray, looks: Looks) -> tuple[np.ndarray, np.ndarray]:
    """(how many objects score best in each example, whether the target does)."""
    best = np.maximum.reduceat(scores, looks.start[:-1])
    row = np.repeat(np.arange(len(looks.key)), np.diff(looks.start))
    is_best = scores == best[row]
    return np.bincount(row[is_best], minlength=len(best)), is_best[looks.start[:-1] + looks.target]
