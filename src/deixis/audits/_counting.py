"""Counting while an audit is made: tallies, what is the same in several splits, and readers who do not read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.audits.audit import REPEATED, Audit
from deixis.data._split_names import names_in_split


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


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


class Sightings(NamedTuple):
    """Digests by which examples are recognised.

    Shapes:
        example, world, command: uint64 [example], digests. split: int64 [example], numbers of `names`, which are as
        stored: `train`, or `a1+a2` for an example of two sets.
    """

    example: np.ndarray
    world: np.ndarray
    command: np.ndarray
    split: np.ndarray
    names: tuple[str, ...]


def count_repeats(tally: Tally, pieces: Sequence[Sightings]) -> None:
    """Count what is there more than once, within each split and between every two."""
    names = tuple(dict.fromkeys(name for piece in pieces for name in piece.names))
    numbers = {name: number for number, name in enumerate(names)}
    splits = tuple(sorted({single for name in names for single in names_in_split(name)}))
    inside = np.array([[single in names_in_split(name) for single in splits] for name in names], bool)
    stored = [np.array([numbers[name] for name in piece.names], np.int64)[piece.split] for piece in pieces]
    if not pieces or not sum(map(len, stored)):
        return
    held = inside[np.concatenate(stored)]  # [example, split]
    for what in REPEATED:
        _, which = np.unique(np.concatenate([getattr(piece, what) for piece in pieces]), return_inverse=True)
        known = np.zeros((int(which.max()) + 1, len(splits)), bool)
        for place in range(len(splits)):
            known[which[held[:, place]], place] = True
        for place, split in enumerate(splits):
            of_split = which[held[:, place]]
            different = int(known[:, place].sum())
            tally.add("different", what, split, count=different)
            tally.add("repeats", what, split, split, count=len(of_split) - different)
            for elsewhere, other in enumerate(splits):
                if elsewhere != place:
                    tally.add("repeats", what, split, other, count=int(known[of_split, elsewhere].sum()))


class SplitOverlap(NamedTuple):
    """Examples of one split of a dataset that are also in a split of another dataset."""

    dataset: str
    split: str
    other: str
    other_split: str
    examples: int  # how many of the split are also there
    total: int  # how many it has

    def __str__(self) -> str:
        here, there = (f"{name} ({split or 'no split'})" for name, split in (self[:2], self[2:4]))
        return f"{self.examples:,} of the {self.total:,} examples of {here} are also in {there}"


def shared_examples(seen: Mapping[str, Sequence[Sightings]]) -> tuple[SplitOverlap, ...]:
    """Return the overlaps of every two splits of two datasets that share an example, the later dataset first.

    Args:
        seen: what each dataset holds, by its name.
    """
    splits = [(name, split, held) for name, pieces in seen.items() for split, held in _by_split(pieces)]
    pairs = ((one, other) for k, one in enumerate(splits) for other in splits[:k] if other[0] != one[0])
    found = (
        SplitOverlap(*one[:2], *other[:2], int(np.isin(one[2], other[2]).sum()), len(one[2])) for one, other in pairs
    )
    return tuple(shared for shared in found if shared.examples)


def _by_split(pieces: Sequence[Sightings]) -> Iterator[tuple[str, np.ndarray]]:
    """The digests of the examples of every split, in the order in which the splits occur."""
    held: dict[str, list[np.ndarray]] = {}
    for piece in pieces:
        for number, name in enumerate(piece.names):
            for single in names_in_split(name):
                held.setdefault(single, []).append(piece.example[piece.split == number])
    return ((split, np.concatenate(digests)) for split, digests in held.items())


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

    def see(self, looks: Looks) -> None:
        """Learn from half of the examples, and keep the others for judging."""
        for_judging = looks.key & np.uint64(1) == 1
        self._learn(looks.take(np.flatnonzero(~for_judging)))
        self.waiting.append(looks.take(np.flatnonzero(for_judging)))
        if sum(len(some.key) for some in self.waiting) > 2 * MOST:
            self.waiting = [self._join_waiting()]

    def judge(self, tally: Tally) -> None:
        """Count how many objects seem best to each reader, and whether the target is one of them."""
        looks = self._join_waiting()
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
