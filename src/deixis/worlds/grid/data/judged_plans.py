"""The judgements on plans as `deixis evaluate --out` left them, and where the examples behind them lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data.ids import with_current_ids
from deixis.data.parquet_files import open_parquet, read_all
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deixis.worlds.grid.data.sources import Source


__all__ = ["JudgedPlans", "Places", "find_plan_letters", "places_of", "read_verdicts"]

COLUMNS = ("id", "split", "exact", "got_there", "chosen", "role", "misreading")
MOST_NAMES = 60  # different things that can be missed: bits of a word
MOST_CODES = 30_000  # different splits, roles or sets of things that were missed


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedPlans:
    """What `write_verdicts` wrote, in columns; the codes are numbers of the names beside them.

    Shapes:
        ids: int64 [row]. split, role, missed: int16 [row]. exact, got_there: bool [row].
        chosen: int16 [row], the number of the object, -1 for none.

    Attributes:
        splits: the names of the splits.
        roles: why wrong objects are there; empty for whatever is no wrong object.
        misreadings: what is missed together.
    """

    ids: np.ndarray
    split: np.ndarray
    splits: tuple[str, ...]
    exact: np.ndarray
    got_there: np.ndarray
    chosen: np.ndarray
    role: np.ndarray
    roles: tuple[str, ...]
    missed: np.ndarray
    misreadings: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def is_wrong_object(self) -> np.ndarray:
        """bool [row]: the plan makes for an object, but not for the target."""
        has_role = np.array([bool(name) for name in self.roles], bool)
        return (self.chosen >= 0) & has_role[self.role] if len(self) else np.zeros(0, bool)

    @property
    def is_right_target(self) -> np.ndarray:
        """bool [row]: the plan makes for the target."""
        return (self.chosen >= 0) & ~self.is_wrong_object


def read_verdicts(path: Path) -> JudgedPlans:
    """The judgements in a file.

    Raises:
        BrokenDataset: when it is no such file.
    """
    try:
        with open_parquet(path) as file:
            _demand_columns(path, file.schema_arrow.names)
            table = read_all(file, path, COLUMNS)
        split, splits = _coded(table["split"])
        role, roles = _coded(table["role"])
        missed, misreadings = _sets(table["misreading"])
        return JudgedPlans(
            ids=with_current_ids(table)["id"].cast(pa.int64()).to_numpy(),
            split=split,
            splits=splits,
            exact=_flags(table["exact"]),
            got_there=_flags(table["got_there"]),
            chosen=table["chosen"].cast(pa.int16()).fill_null(-1).to_numpy(),
            role=role,
            roles=roles,
            missed=missed,
            misreadings=misreadings,
        )
    except BrokenDataset:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, NotImplementedError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise BrokenDataset(f"{path} does not hold the verdicts on plans: {reason}") from error


def _demand_columns(path: Path, names: Iterable[str]) -> None:
    lacking = [name for name in COLUMNS if name not in set(names)]
    if lacking:
        raise BrokenDataset(f"{path} lacks the column {lacking[0]!r}; write it with `deixis evaluate --out`")


def find_plan_letters(path: Path, ids: Iterable[int]) -> dict[int, str]:
    """Some of the plans in a file that `write_plans` wrote, one letter per action, by the id of the example.

    Raises:
        BrokenDataset: when it is no such file.
    """
    wanted = pa.array(list(ids), pa.int64())
    try:
        with open_parquet(path) as file:
            table = with_current_ids(read_all(file, path, ["id", "plan"]))
        found = table.filter(pc.is_in(table["id"].cast(pa.int64()), wanted))
        pairs = zip(found["id"].to_pylist(), found["plan"].cast(pa.string()).to_pylist(), strict=True)
        return {number: letters for number, letters in pairs if letters is not None}
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError) as error:
        raise BrokenDataset(f"{path} does not hold plans; write it with `write_plans`") from error


@dataclass(frozen=True, eq=False)
class Places:
    """Where each example lies: its number over all files of the dataset.

    Shapes:
        ids: int64 [row], in rising order. numbers: int32 [row].
    """

    ids: np.ndarray
    numbers: np.ndarray

    def find(self, ids: np.ndarray) -> np.ndarray:
        """int64 [id]: the number of each example, -1 where there is none with this id."""
        place = np.minimum(np.searchsorted(self.ids, ids), max(len(self.ids) - 1, 0))
        if not len(self.ids):
            return np.full(len(ids), -1, np.int64)
        return np.where(self.ids[place] == ids, self.numbers[place], -1).astype(np.int64)


def places_of(source: Source) -> Places:
    """Where the examples of a dataset lie, from their ids alone."""
    tables = source.tables() if source.dataset is None else source.dataset.tables(columns=["id"])
    ids = np.concatenate([np.zeros(0, np.int64), *(table["id"].to_numpy() for table in tables)])
    order = np.argsort(ids, kind="stable")
    return Places(ids[order], order.astype(np.int32))


def _coded(column: pa.ChunkedArray) -> tuple[np.ndarray, tuple[str, ...]]:
    """The numbers of texts, and the texts."""
    texts = column.cast(pa.string()).fill_null("").combine_chunks().dictionary_encode()
    texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    names = tuple(texts.dictionary.to_pylist())
    if len(names) > MOST_CODES:
        raise ValueError(f"a column has {len(names):,} different names")
    return texts.indices.to_numpy().astype(np.int16), names


def _flags(column: pa.ChunkedArray) -> np.ndarray:
    flags: np.ndarray = column.cast(pa.bool_()).fill_null(False).to_numpy()
    return flags


def _sets(column: pa.ChunkedArray) -> tuple[np.ndarray, tuple[tuple[str, ...], ...]]:
    """The numbers of sets of texts, and the sets."""
    lists = pa.concat_arrays(column.cast(pa.list_(pa.string())).chunks) if column.num_chunks else pa.array([[]])
    lengths = lists.value_lengths().fill_null(0).to_numpy()
    code, names = _coded(pa.chunked_array([lists.flatten()]))
    if len(names) > MOST_NAMES:
        raise ValueError(f"{len(names)} different things are said to be missed")
    masks = np.zeros(len(lengths), np.uint64)
    np.bitwise_or.at(masks, np.repeat(np.arange(len(lengths)), lengths), np.uint64(1) << code.astype(np.uint64))
    different, which = np.unique(masks, return_inverse=True)
    sets = tuple(tuple(name for bit, name in enumerate(names) if mask >> bit & 1) for mask in different.tolist())
    return which.astype(np.int16), sets
