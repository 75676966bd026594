"""The rows of any dataset by number, some thousand in memory at a time, for those who feed models.

A card says which tables a dataset has: captions by grammar, pairs, images, …

Files come in groups of rows that are read together. A group is kept as long as there is room. Those of a dataset in
storage are fetched when they are needed, and nothing is copied to this machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from sys import maxsize
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import pyarrow as pa

from deixis.data._ragged import Ragged
from deixis.data._row_groups import GroupCache, RowGroups, demand_rows
from deixis.data._stored_paths import StoredPath
from deixis.data.card import facts_of
from deixis.data.remote import RemoteFolder, is_address
from deixis.data.store import MANIFEST, open_dataset, parse_manifest
from deixis.errors import BrokenDataset, UnknownName
from deixis.worlds.registry import world_in


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.data._row_groups import Group
    from deixis.data._stored_paths import AnyPath


MEMORY = 256 << 20  # bytes of groups that are kept
_FOUND = ("_rows", "_kept", "groups", "_starts")  # what is found out or read again in another process
Table: TypeAlias = Any  # of pyarrow


@dataclass
class ExampleRows:
    """Rows of one split of one table.

    Attributes:
        path: the folder of the dataset, here or in storage.
        world: the name of its world.
        table: which table of it.
        split: which split, by the name that other tools have for it.
        files: the files with their numbers of rows.
        columns: the names of the columns.
        memory: how many bytes of rows are kept at most.
    """

    path: AnyPath
    world: str
    table: str
    split: str
    files: tuple[tuple[AnyPath, int], ...]
    columns: tuple[str, ...]
    memory: int = MEMORY

    def __len__(self) -> int:
        return sum(rows for _, rows in self.files)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _FOUND}

    @cached_property
    def _rows(self) -> RowGroups:
        return RowGroups(self.files, self.columns)

    @cached_property
    def _kept(self) -> GroupCache:
        return GroupCache(maxsize, self.memory)

    @cached_property
    def groups(self) -> list[Group]:
        """The stretches of rows that are read together, in order."""
        return list(self._rows.groups())

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.array([0, *accumulate(group.rows for group in self.groups)])

    @property
    def sizes(self) -> list[int]:
        """The number of rows of each stretch."""
        return [group.rows for group in self.groups]

    @property
    def row_bytes(self) -> float:
        """Mean number of bytes of an unpacked row."""
        return sum(self._rows.unpacked_bytes(group) for group in self.groups) / max(len(self), 1)

    def forget(self) -> None:
        """Keep nothing of what was read."""
        self._kept.clear()

    def pass_over(self, numbers: np.ndarray, left: np.ndarray) -> None:
        """Forget the groups of which nothing is left when some rows were taken.

        Args:
            numbers: the rows.
            left: how many rows of every group are still to come, int64 [group]; those taken are subtracted.
        """
        which, taken = np.unique(np.searchsorted(self._starts, numbers, side="right") - 1, return_counts=True)
        left[which] -= taken
        for number in which[left[which] <= 0].tolist():
            self._kept.forget(number)

    def take(self, numbers: Sequence[int] | np.ndarray) -> Table:
        """The rows of some numbers, in that order.

        Raises:
            UnknownName: when there is no row of one of the numbers.
            BrokenDataset: when a file cannot be read.
        """
        wanted = demand_rows(numbers, len(self))
        which = np.searchsorted(self._starts, wanted, side="right") - 1
        parts, places = [], []
        for number in np.unique(which).tolist():
            here = np.flatnonzero(which == number)
            parts.append(self._group(number).take(pa.array(wanted[here] - self._starts[number])))
            places.append(here)
        if not parts:
            return pa.table({})
        if len(parts) == 1:
            return parts[0]
        return pa.concat_tables(parts).take(pa.array(np.argsort(np.concatenate(places))))

    def read_column(self, group: Group, name: str) -> list[Any]:
        """One column of a stretch of rows, without the others."""
        found: list[Any] = self._rows.read(group, [name]).column(name).to_pylist()
        return found

    def _group(self, number: int) -> pa.Table:
        if (kept := self._kept.find(number)) is not None:
            return kept
        table = self._rows.read(self.groups[number]).combine_chunks()
        self._kept.keep(number, table)
        return table


def place_of(path: Path | str) -> AnyPath:
    """Return a path unchanged, and for an address the place in storage."""
    return StoredPath(RemoteFolder.at(path).address) if is_address(path) else Path(path)


def open_rows(
    path: AnyPath, *, split: str | None = None, table: str | None = None, memory: int = MEMORY
) -> ExampleRows:
    """The rows of a dataset.

    Args:
        path: its folder, here or in storage.
        split: which split; may be left out where there is only one.
        table: which table; the first of the card where nothing is said.
        memory: how many bytes of rows are kept at most.

    Raises:
        BrokenDataset: when there is no dataset, or it is damaged.
        StorageError: when storage cannot be reached.
        UnknownName: when it has no such table or split.
    """
    manifest = _read_manifest(path)
    world = world_in(manifest, where=str(path))
    try:
        tables = {one.name: one for one in facts_of(cast("Path", path), manifest).tables}
    except (KeyError, TypeError, AttributeError) as error:
        raise BrokenDataset(f"the manifest of {path} lacks something: {error!r}") from error
    if not tables:
        raise BrokenDataset(f"{path} holds no table that can be read row by row")
    chosen = tables[_known_name(next(iter(tables)) if table is None else table, tables, "table", path)]
    if split is None and len(chosen.files) > 1:
        raise UnknownName(f"say which split of {path.name} is meant: {', '.join(chosen.files)}")
    name = _known_name(next(iter(chosen.files), "") if split is None else split, chosen.files, "split", path)
    return ExampleRows(
        path=path,
        world=world.name,
        table=chosen.name,
        split=name,
        files=tuple((path / entry["path"], entry["rows"]) for entry in chosen.files[name] if entry["rows"]),
        columns=tuple(chosen.schema.names),
        memory=memory,
    )


def _read_manifest(path: AnyPath) -> dict[str, Any]:
    if not isinstance(path, StoredPath):
        dataset = open_dataset(path)
        dataset.demand_whole()
        return dataset.manifest
    written = RemoteFolder.at(path.folder).read(MANIFEST)
    if written is None:
        raise BrokenDataset(f"{path} is not a finished deixis dataset: there is no {MANIFEST}")
    return parse_manifest(written, Path(path.name), f"{path}/{MANIFEST}")


def _known_name(name: str, known: Mapping[str, Any], what: str, path: AnyPath) -> str:
    if name in known:
        return name
    plain = name.replace("-", "_")  # as splits are called on the card
    if plain in known:
        return plain
    raise UnknownName(f"there is no {what} {name!r} in {path.name}; it has {', '.join(known) or 'none'}")


def columns_of(table: Table) -> dict[str, np.ndarray | Ragged | list[Any]]:
    """The columns of some rows: numbers as arrays, lists of numbers as `Ragged`, anything else as lists."""
    return {name: _column(table.column(name)) for name in table.column_names}


def no_columns(table: Table) -> dict[str, Any]:
    """Nothing beside the columns of a table, for worlds that add nothing."""
    del table
    return {}


def _column(column: pa.ChunkedArray) -> np.ndarray | Ragged | list[Any]:
    kind = column.type
    if _is_number(kind) and not column.null_count:
        return column.to_numpy()
    if pa.types.is_list(kind) and _is_number(kind.value_type) and not column.null_count:
        return Ragged.of_column(column)
    return column.to_pylist()


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
