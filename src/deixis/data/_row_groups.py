"""Examples by their number: only the groups of rows that hold them are read, however many there are in all.

Parquet files come in groups of some thousand rows, and their last bytes say where each begins. Numbers count over all
files of a dataset in the order of its manifest, from 0.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from math import inf
from shutil import rmtree
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from weakref import finalize

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._ids import with_current_ids
from deixis.data._parquet_files import open_parquet, parquet_errors, sound
from deixis.data._stored_paths import StoredPath, source_of
from deixis.errors import BrokenDataset, UnknownName


if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from pathlib import Path

    from deixis.data._stored_paths import AnyPath


KEPT_GROUPS = 4  # some ten megabytes each
READERS = 2  # groups that are read at a time
FOOTERS = 8  # footers that are fetched at a time


class Group(NamedTuple):
    """A stretch of rows that is read together."""

    path: AnyPath
    place: int  # of the group within its file
    start: int  # number of its first row
    rows: int

    @property
    def stop(self) -> int:
        """The number after that of its last row."""
        return self.start + self.rows


class GroupCache:
    """The tables that were asked for last, up to a number of them and a number of bytes."""

    def __init__(self, most: int, memory: float = inf) -> None:
        self.most, self.memory = most, memory
        self._tables: OrderedDict[Hashable, pa.Table] = OrderedDict()
        self._guard = Lock()

    def __len__(self) -> int:
        return len(self._tables)

    def find(self, key: Hashable) -> pa.Table | None:
        """Return the table of a key, if it is kept."""
        with self._guard:
            if key in self._tables:
                self._tables.move_to_end(key)
            return self._tables.get(key)

    def clear(self) -> None:
        """Keep no table."""
        with self._guard:
            self._tables.clear()

    def forget(self, key: Hashable) -> None:
        """Keep a table no longer."""
        with self._guard:
            self._tables.pop(key, None)

    def keep(self, key: Hashable, table: pa.Table) -> None:
        """Keep a table, and forget those that were asked for least recently; the last one is always kept."""
        with self._guard:
            self._tables[key] = table
            held = sum(one.nbytes for one in self._tables.values()) if self.memory < inf else 0
            while len(self._tables) > 1 and (held > self.memory or len(self._tables) > self.most):
                held -= self._tables.popitem(last=False)[1].nbytes


def demand_rows(numbers: Sequence[int] | np.ndarray, count: int) -> np.ndarray:
    """Return the numbers of rows as int64, or raise `UnknownName` where there is no such row among so many."""
    wanted = np.asarray(numbers, np.int64)
    outside = wanted[(wanted < 0) | (wanted >= count)]
    if len(outside):
        raise UnknownName(f"there is no example {outside[0]} here; there are {count:,}, counted from 0")
    return wanted


class RowGroups:
    """The rows of some Parquet files, by number.

    Args:
        files: every file with the number of its rows, as the manifest says.
        columns: the columns that are read; files must have them.
        optional: those of them that files need not have.
        scratch: a folder that is deleted when the rows are no longer used.
    """

    def __init__(
        self,
        files: Iterable[tuple[AnyPath, int]],
        columns: Sequence[str],
        *,
        optional: Sequence[str] = (),
        scratch: Path | None = None,
    ) -> None:
        self.files = list(files)
        self.columns = list(columns)
        self.optional = frozenset(optional)
        self.starts = [0, *accumulate(rows for _, rows in self.files)]
        self._metadata: dict[AnyPath, pq.FileMetaData] = {}
        self._kept = GroupCache(KEPT_GROUPS)
        if scratch is not None:
            finalize(self, rmtree, scratch, ignore_errors=True)

    def __len__(self) -> int:
        return self.starts[-1]

    def row(self, number: int) -> pa.Table:
        """Return one row as a table.

        Its group is kept for a while, since its neighbours may be asked for next.

        Raises:
            UnknownName: when there is no row of this number.
            BrokenDataset: when its file cannot be read.
        """
        return self.take([number])

    def take(self, numbers: Sequence[int] | np.ndarray) -> pa.Table:
        """The rows of some numbers, in that order.

        Raises:
            UnknownName: when there is no row of one of the numbers.
            BrokenDataset: when a file cannot be read.
        """
        wanted = demand_rows(numbers, len(self))
        if not len(wanted):
            return self._nothing()
        groups = list(dict.fromkeys(self.group_of(number) for number in np.unique(wanted).tolist()))
        where = {group: np.flatnonzero((wanted >= group.start) & (wanted < group.stop)) for group in groups}

        def part(group: Group) -> pa.Table:
            return self.read(group, keep=len(groups) <= KEPT_GROUPS).take(pa.array(wanted[where[group]] - group.start))

        parts = list(_pool().map(part, groups)) if len(groups) > 1 else [part(groups[0])]
        back = np.argsort(np.concatenate([where[group] for group in groups]))
        return pa.concat_tables(parts, promote_options="default").take(pa.array(back))

    def groups(self) -> Iterator[Group]:
        """All stretches, in order."""
        stored = [path for path, _ in self.files if isinstance(path, StoredPath) and path not in self._metadata]
        if len(stored) > 1:  # each is a request or two
            with ThreadPoolExecutor(FOOTERS, thread_name_prefix="footers") as pool:
                list(pool.map(self._about, stored))
        for place in range(len(self.files)):
            yield from self._groups_in(place)

    def group_of(self, number: int) -> Group:
        """The stretch that a row lies in."""
        place = int(np.searchsorted(self.starts, number, side="right")) - 1
        return next(group for group in self._groups_in(place) if number < group.stop)

    def read(self, group: Group, columns: Sequence[str] | None = None, *, keep: bool = False) -> pa.Table:
        """The rows of a stretch.

        Args:
            group: which one.
            columns: only these; texts come as dictionaries then.
            keep: whether it is likely to be asked for again.
        """
        if columns is not None:
            return self._read(group, list(columns), coded=True)
        key = group.path, group.place
        if (kept := self._kept.find(key)) is not None:
            return kept
        table = self._read(group, self.columns, coded=False)
        if keep:
            self._kept.keep(key, table)
        return table

    def unpacked_bytes(self, group: Group) -> int:
        """Return the number of bytes of a group when it is unpacked, as its file says."""
        return int(self._about(group.path).row_group(group.place).total_byte_size)

    def _read(self, group: Group, columns: list[str], *, coded: bool) -> pa.Table:
        with parquet_errors(group.path):
            about = self._about(group.path)
            kinds = about.schema.to_arrow_schema()
            columns = [name for name in columns if name not in self.optional or name in kinds.names]
            texts = [name for name in columns if name in kinds.names and pa.types.is_string(kinds.field(name).type)]
            with pq.ParquetFile(
                source_of(group.path),
                metadata=about,
                read_dictionary=texts if coded else None,
                page_checksum_verification=True,
                pre_buffer=isinstance(group.path, StoredPath),  # few large requests instead of many small ones
            ) as file:
                missing = set(columns) - set(file.schema_arrow.names)
                if missing:
                    raise BrokenDataset(f"{group.path.name} lacks the columns {', '.join(sorted(missing))}")
                return with_current_ids(sound(file.read_row_group(group.place, columns=columns, use_threads=False)))

    def _nothing(self) -> pa.Table:
        """A table of these columns without rows."""
        if not self.files:
            return pa.table({})
        kinds = self._about(self.files[0][0]).schema.to_arrow_schema()
        return pa.schema([kinds.field(name) for name in self.columns if name in kinds.names]).empty_table()

    def _groups_in(self, place: int) -> Iterator[Group]:
        path, rows = self.files[place]
        about = self._about(path)
        if about.num_rows != rows:
            raise BrokenDataset(f"{path.name} has {about.num_rows:,} rows, but should have {rows:,}; make it again")
        start = self.starts[place]
        for index in range(about.num_row_groups):
            size = about.row_group(index).num_rows
            yield Group(path, index, start, size)
            start += size

    def _about(self, path: AnyPath) -> pq.FileMetaData:
        if path not in self._metadata:
            with open_parquet(path) as file:
                self._metadata[path] = file.metadata
        return self._metadata[path]


def spare_memory() -> None:
    """Give memory back as soon as it is no longer used.

    This is for programs that run for long, and makes reading a little slower.
    """
    pa.set_memory_pool(pa.system_memory_pool())


_POOL: list[ThreadPoolExecutor] = []


def _pool() -> ThreadPoolExecutor:
    if not _POOL:
        _POOL.append(ThreadPoolExecutor(READERS, thread_name_prefix="rows"))
    return _POOL[0]
