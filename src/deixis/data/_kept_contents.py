"""Contents of any number of examples, and the clashes among them, in memory of a fixed size (see `_keyed_rows`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from deixis.data._contents import Contents, first_clashes
from deixis.data._keyed_rows import KEY, PLACE, KeyedRows, bits_for, ranges_of, scratch_file
from deixis.data._memberships import AT_RANDOM


if TYPE_CHECKING:
    from typing import Self

    from deixis.data._contents import Clash


TEXTS_IN_MEMORY = 1 << 22  # bytes of ids that are texts


class Sighting(NamedTuple):
    """An example as it is told of.

    Attributes:
        source: the number of its dataset, where several are compared.
    """

    source: int
    row: int
    id: int | str
    split: str


class KeptContents(Sequence[Contents]):
    """Contents that are added piece by piece; as a sequence, the same contents range by range of their digests."""

    def __init__(self) -> None:
        self.rows = KeyedRows(id=np.int64, is_text=np.bool_, row=np.int64, split=np.int32)
        self.alone = AT_RANDOM
        self._numbers: dict[str, int] = {}  # of the names of splits
        self._texts = scratch_file(self, in_memory=TEXTS_IN_MEMORY)  # ids, a line of JSON each
        self._is_begun = False

    @classmethod
    def of(cls, pieces: Iterable[Contents]) -> Self:
        """Return contents that are kept already, or keep those of some pieces."""
        if isinstance(pieces, cls):
            return pieces
        kept = cls()
        for piece in pieces:
            kept.add(piece)
        return kept

    @property
    def names(self) -> tuple[str, ...]:
        """The splits."""
        return tuple(self._numbers)

    def add(self, piece: Contents, *, shift: int = 0) -> None:
        """Add a piece that comes after all others; its rows are counted from `shift`."""
        self._is_begun = True
        self.alone |= piece.alone
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in piece.names]
        are_texts = piece.id.dtype == object
        ids = self._places_of_texts(piece) if are_texts else piece.id
        split = np.array(numbers, np.int32)[piece.split] if len(piece) else np.zeros(0, np.int32)
        self.rows.add(piece.digest, id=ids, is_text=np.bool_(are_texts), row=piece.row + shift, split=split)

    def __len__(self) -> int:
        return 1 << bits_for(len(self.rows)) if self._is_begun else 0

    @overload
    def __getitem__(self, number: int) -> Contents: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Contents]: ...
    def __getitem__(self, number: int | slice) -> Contents | Sequence[Contents]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        rows = self.rows.range(number, bits_for(len(self.rows)))
        ids = rows["id"]
        if rows["is_text"].any():
            ids = np.array([self._id_of(row) for row in rows], object)
        split = rows["split"].astype(np.int64)
        return Contents(digest=rows[KEY], id=ids, row=rows["row"], split=split, names=self.names, alone=self.alone)

    def describe(self, row: np.void, source: int) -> Sighting:
        """Return a row as it is told of."""
        return Sighting(source, int(row["row"]), self._id_of(row), self.names[row["split"]])

    def _id_of(self, row: np.void) -> int | str:
        if not row["is_text"]:
            return int(row["id"])
        self._texts.seek(int(row["id"]))
        found: int | str = json.loads(self._texts.readline())
        return found

    def _places_of_texts(self, piece: Contents) -> np.ndarray:
        """Keep the ids of a piece as texts, and return where each lies."""
        lines = [json.dumps(one if isinstance(one, str) else int(one)).encode() + b"\n" for one in piece.id]
        start = self._texts.seek(0, 2)
        self._texts.write(b"".join(lines))
        return np.array([start, *(start + end for end in accumulate(map(len, lines)))][:-1], np.int64)


def find_clashes(
    kept: Sequence[KeptContents], clash: Clash, *, most: int, across: bool = False
) -> tuple[int, list[tuple[Sighting, Sighting]]]:
    """How many examples clash with an earlier one, and the first of them, each with the earlier one.

    Args:
        kept: what every dataset holds; those of the first come first.
        clash: whether two splits may not share content.
        most: how many of the first are returned.
        across: whether only examples of different datasets are compared.
    """
    names = tuple(dict.fromkeys(name for one in kept for name in one.names))
    alone = AT_RANDOM.union(*(one.alone for one in kept))
    numbers = [np.array([names.index(name) for name in one.names], np.int64) for one in kept]
    starts = [0, *accumulate(len(one.rows) for one in kept)]
    total = 0
    found: list[tuple[int, tuple[np.void, int], tuple[np.void, int]]] = []  # place of the later one, both with datasets
    for parts in ranges_of([one.rows for one in kept]):
        rows = np.concatenate(parts)
        source = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        split = np.concatenate([number[part["split"]] for number, part in zip(numbers, parts, strict=True)])
        here = Contents(digest=rows[KEY], id=rows["id"], row=rows["row"], split=split, names=names, alone=alone)
        earlier = first_clashes(here, clash, apart=source if across else None)
        total += len(earlier)
        some = [((rows[k], int(source[k])), (rows[n], int(source[n]))) for k, n in nsmallest(most, earlier.items())]
        places = [starts[source[k]] + int(rows[PLACE][k]) for k in nsmallest(most, earlier)]
        found = nsmallest(most, [*found, *((at, *pair) for at, pair in zip(places, some, strict=True))], key=_place)
    return total, [(kept[n].describe(one, n), kept[k].describe(other, k)) for _, (one, n), (other, k) in found]


def _place(found: tuple[int, object, object]) -> int:
    return found[0]
