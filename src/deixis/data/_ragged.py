"""Lists of different lengths, one per row, as two arrays."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Sequence


class Ragged:
    """Lists of different lengths, one per row.

    Shapes:
        values: [value, ...], all lists one after the other; start: int64 [row + 1]; length: int64 [row].
    """

    def __init__(self, values: np.ndarray, start: np.ndarray) -> None:
        self.values = values
        self.start = start
        self.length = np.diff(start)

    @classmethod
    def of_column(cls, column: Any) -> Ragged:
        """Return a list column of Arrow, chunked or not.

        Raises:
            BrokenDataset: when a row or a value is missing.
        """
        array = column.combine_chunks() if hasattr(column, "num_chunks") else column
        if array.null_count or array.values.null_count:
            raise BrokenDataset("a list column has gaps; every row must have a list of values, be it empty")
        start = array.offsets.to_numpy().astype(np.int64)
        values = array.values.to_numpy(zero_copy_only=False)
        return cls(values[start[0] : start[-1]], start - start[0])

    @classmethod
    def of_lists(cls, lists: Sequence[np.ndarray], empty: np.ndarray | None = None) -> Ragged:
        """Return some arrays as lists.

        Args:
            lists: an array for every row.
            empty: an array without values, which says what they are like where there may be no row.
        """
        values = [*(() if empty is None else (empty,)), *lists]
        return cls.of_lengths(np.concatenate(values), [len(one) for one in lists])

    @classmethod
    def of_lengths(cls, values: np.ndarray, lengths: Sequence[int] | np.ndarray) -> Ragged:
        """Cut values that stand one after the other into lists of these lengths."""
        start = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=start[1:])
        return cls(values, start)

    @classmethod
    def of_pieces(cls, pieces: Sequence[Ragged]) -> Ragged:
        """Return the rows of several, one after the other."""
        return cls.of_lengths(
            np.concatenate([one.values for one in pieces]), np.concatenate([p.length for p in pieces])
        )

    @cached_property
    def row(self) -> np.ndarray:
        """int64 [value]: the row of every value."""
        return np.repeat(np.arange(len(self.length)), self.length)

    @cached_property
    def place(self) -> np.ndarray:
        """int64 [value]: the place of every value in its list."""
        return np.arange(len(self.values)) - self.start[self.row]

    def pad(self, width: int) -> np.ndarray:
        """Fill the lists up with zeros to [row, width], cutting off what is beyond the width."""
        out = np.zeros((len(self.length), width, *self.values.shape[1:]), self.values.dtype)
        kept = self.place < width
        out[self.row[kept], self.place[kept]] = self.values[kept]
        return out

    def take(self, rows: np.ndarray) -> Ragged:
        """Return the lists of some rows."""
        taken = self.length[rows]
        start = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(taken, out=start[1:])
        inner = np.arange(start[-1]) - np.repeat(start[:-1], taken)
        return Ragged(self.values[np.repeat(self.start[:-1][rows], taken) + inner], start)

    def slice(self, first: int, last: int) -> Ragged:
        """Return the lists of the rows from `first` up to `last`, without copying values."""
        start = self.start[first : last + 1]
        return Ragged(self.values[start[0] : start[-1]], start - start[0])

    def split(self) -> list[np.ndarray]:
        """Return the values of every row."""
        return [self[row] for row in range(len(self))]

    def __getitem__(self, row: int) -> np.ndarray:
        return self.values[self.start[row] : self.start[row + 1]]

    def __len__(self) -> int:
        return len(self.length)
