"""Rows remembered of every example, such as digests, that are compared with each other in memory of a fixed size.

Rows with equal keys must meet. So rows are put aside in one file without a name, in stretches that are sorted by the
scrambled key, and read back range by range of those keys: whatever has the same key comes in the same range, and every
range fits into memory. The file is gone with the process, however that ends. Few rows never leave memory.
"""

from __future__ import annotations

from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from deixis.seeds import GOLDEN_WORD, mix_words


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


AT_ONCE = 1 << 18  # rows that are held in memory, of all that are compared together
KEY, PLACE = "key", "place"


class KeyedRows:
    """Rows of numbers with a key each, in any number.

    Args:
        columns: what a row has beside its key and its place, by name, with the type of numpy.

    Shapes (of what `ranges` gives): a structured array [row] with `key`, uint64; `place`, int64, how many rows were
    added before; and the columns.
    """

    def __init__(self, **columns: Any) -> None:
        self.kind = np.dtype([(KEY, np.uint64), (PLACE, np.int64), *columns.items()])
        self._count = 0
        self._waiting: list[np.ndarray] = []
        self._held = 0  # rows that wait
        self._file: Any = None
        self._stretches: list[tuple[int, np.ndarray]] = []  # where each begins, and the place of every 256th of keys

    def __len__(self) -> int:
        return self._count

    def add(self, keys: np.ndarray, **columns: np.ndarray | np.generic) -> None:
        """Add rows, after all that are there; a column may be one value for all of them."""
        rows = np.empty(len(keys), self.kind)
        rows[KEY] = keys
        rows[PLACE] = np.arange(self._count, self._count + len(keys))
        for name, values in columns.items():
            rows[name] = values
        self._waiting.append(rows)
        self._count += len(rows)
        self._held += len(rows)
        if self._held >= AT_ONCE:
            self._put_aside()

    def range(self, number: int, bits: int) -> np.ndarray:
        """Return the rows whose scrambled keys begin with these bits, in the order in which they were added."""
        found = [_only(rows, number, bits) for rows in self._waiting]
        stored = [_only(rows, number, bits) for rows in self._read_stretches(number, bits)]
        rows = np.concatenate([np.empty(0, self.kind), *stored, *found])
        return rows[np.argsort(rows[PLACE], kind="stable")] if stored else rows

    def _put_aside(self) -> None:
        """Write what waits as one stretch, sorted by scrambled key."""
        if self._file is None:
            self._file = scratch_file(self)
        rows = np.concatenate(self._waiting)
        scrambled = _scramble(rows[KEY])
        order = np.argsort(scrambled, kind="stable")
        begins = np.searchsorted(scrambled[order] >> np.uint64(56), np.arange(257))
        start = self._file.seek(0, 2)
        self._file.write(rows[order].tobytes())
        self._stretches.append((start, begins))
        self._waiting, self._held = [], 0

    def _read_stretches(self, number: int, bits: int) -> Iterator[np.ndarray]:
        """Yield the rows of every stretch that may begin with these bits."""
        if bits <= 8:
            first, last = number << 8 - bits, (number + 1) << 8 - bits
        else:
            first = number >> bits - 8
            last = first + 1
        for start, begins in self._stretches:
            self._file.seek(start + int(begins[first]) * self.kind.itemsize)
            size = int(begins[last] - begins[first]) * self.kind.itemsize
            yield np.frombuffer(self._file.read(size), self.kind)


def scratch_file(owner: object, *, in_memory: int = 1) -> Any:
    """Open a file without a name, which is closed when its owner is no longer used.

    Args:
        owner: whoever writes and reads it.
        in_memory: how many bytes stay in memory as long as there are no more.
    """
    file = SpooledTemporaryFile(max_size=in_memory, prefix="deixis-")  # noqa: SIM115 (open as long as it is needed)
    finalize(owner, file.close)
    return file


def ranges_of(stores: Sequence[KeyedRows]) -> Iterator[list[np.ndarray]]:
    """Yield the rows of some stores, range by range, those of every store apart; all in one range where they are few.

    Rows of two stores with the same key are in the same range.
    """
    bits = bits_for(sum(map(len, stores)))
    for number in range(1 << bits):
        yield [store.range(number, bits) for store in stores]


def bits_for(rows: int) -> int:
    """Return the number of bits that divide so many rows into ranges that fit into memory."""
    return max(0, -(-rows // AT_ONCE) - 1).bit_length()


def _only(rows: np.ndarray, number: int, bits: int) -> np.ndarray:
    """The rows whose scrambled keys begin with these bits."""
    if not bits:
        return rows
    return rows[_scramble(rows[KEY]) >> np.uint64(64 - bits) == np.uint64(number)]


def _scramble(keys: np.ndarray) -> np.ndarray:
    """Keys that are spread evenly, however those are that were given."""
    with np.errstate(over="ignore"):
        scrambled: np.ndarray = mix_words(keys * GOLDEN_WORD)
    return scrambled
