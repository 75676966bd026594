"""What is there more than once in a dataset, or in two of them, found in memory of a fixed size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from deixis.audits.audit import REPEATED
from deixis.data._keyed_rows import KEY, KeyedRows, bits_for, ranges_of
from deixis.data._split_names import names_in_split


if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from deixis.audits._counting import Tally


MANY = 1024  # rows of a piece whose equal ones are counted first


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


class KeptSightings(Sequence[Sightings]):
    """Sightings that are added piece by piece; as a sequence, the same ones range by range of their digests."""

    def __init__(self) -> None:
        self.kept = {
            "example": KeyedRows(world=np.uint64, command=np.uint64, split=np.int32, often=np.int32),
            "world": KeyedRows(split=np.int32, often=np.int32),
            "command": KeyedRows(split=np.int32, often=np.int32),
        }
        self._numbers: dict[str, int] = {}  # of the names of splits

    @classmethod
    def of(cls, pieces: Iterable[Sightings]) -> Self:
        """Return sightings that are kept already, or keep those of some pieces."""
        if isinstance(pieces, cls):
            return pieces
        kept = cls()
        for piece in pieces:
            kept.append(piece)
        return kept

    @property
    def names(self) -> tuple[str, ...]:
        """The splits as stored."""
        return tuple(self._numbers)

    def append(self, piece: Sightings) -> None:
        """Add a piece that comes after all others."""
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in piece.names]
        if not len(piece.example):
            return
        split = np.array(numbers, np.int32)[piece.split]
        self.kept["example"].add(
            piece.example, world=piece.world, command=piece.command, split=split, often=np.int32(1)
        )
        for what in ("world", "command"):
            keys, splits = getattr(piece, what), split
            often: np.ndarray = np.ones(len(split), np.int32)
            if len(keys) >= MANY:  # of which few are different
                pairs = np.stack([keys, split.astype(np.uint64)], axis=1)
                different, often = np.unique(pairs, axis=0, return_counts=True)
                keys, splits = different[:, 0], different[:, 1].astype(np.int32)
            self.kept[what].add(keys, split=splits, often=often)

    def __len__(self) -> int:
        rows = len(self.kept["example"])
        return 1 << bits_for(rows) if rows else 0

    @overload
    def __getitem__(self, number: int) -> Sightings: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Sightings]: ...
    def __getitem__(self, number: int | slice) -> Sightings | Sequence[Sightings]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        rows = self.kept["example"].range(number, bits_for(len(self.kept["example"])))
        return Sightings(rows[KEY], rows["world"], rows["command"], rows["split"].astype(np.int64), self.names)


def count_repeats(tally: Tally, pieces: Iterable[Sightings]) -> None:
    """Count what is there more than once, within each split and between every two."""
    kept = KeptSightings.of(pieces)
    splits = tuple(sorted({single for name in kept.names for single in names_in_split(name)}))
    inside = np.array([[single in names_in_split(name) for single in splits] for name in kept.names], bool)
    if not len(kept):
        return
    for what in REPEATED:
        different, of_split = np.zeros((2, len(splits)), np.int64)
        shared = np.zeros((len(splits), len(splits)), np.int64)  # [split, other split]
        for (rows,) in ranges_of([kept.kept[what]]):
            held, often = inside[rows["split"]], rows["often"].astype(np.int64)  # [row, split]
            keys, which = np.unique(rows[KEY], return_inverse=True)
            known = np.zeros((len(keys), len(splits)), bool)
            for place in range(len(splits)):
                known[which[held[:, place]], place] = True
            different += known.sum(axis=0)
            of_split += often @ held
            shared += (held * often[:, None]).T @ known[which]
        for place, split in enumerate(splits):
            tally.add("different", what, split, count=int(different[place]))
            tally.add("repeats", what, split, split, count=int(of_split[place] - different[place]))
            for elsewhere, other in enumerate(splits):
                if elsewhere != place:
                    tally.add("repeats", what, split, other, count=int(shared[place, elsewhere]))


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


def shared_examples(seen: Mapping[str, Iterable[Sightings]]) -> tuple[SplitOverlap, ...]:
    """Return the overlaps of every two splits of two datasets that share an example, the later dataset first.

    Args:
        seen: what each dataset holds, by its name.
    """
    kept = [KeptSightings.of(pieces) for pieces in seen.values()]
    splits = [
        (number, single)
        for number, one in enumerate(kept)
        for single in dict.fromkeys(single for name in one.names for single in names_in_split(name))
    ]
    pairs = [(one, other) for k, one in enumerate(splits) for other in splits[:k] if other[0] != one[0]]
    totals, common = dict.fromkeys(splits, 0), dict.fromkeys(pairs, 0)
    for parts in ranges_of([one.kept["example"] for one in kept]) if pairs else ():
        held = {(number, single): _of_split(parts[number], kept[number], single) for number, single in splits}
        for split, digests in held.items():
            totals[split] += len(digests)
        for one, other in pairs:
            common[one, other] += int(np.isin(held[one], held[other]).sum())
    names = tuple(seen)
    found = (
        SplitOverlap(names[one[0]], one[1], names[other[0]], other[1], count, totals[one])
        for (one, other), count in common.items()
    )
    return tuple(overlap for overlap in found if overlap.examples)


def _of_split(rows: np.ndarray, kept: KeptSightings, single: str) -> np.ndarray:
    """The digests of the examples of a split."""
    inside = np.array([single in names_in_split(name) for name in kept.names], bool)
    digests: np.ndarray = rows[KEY][inside[rows["split"]]] if len(rows) else rows[KEY]
    return digests
