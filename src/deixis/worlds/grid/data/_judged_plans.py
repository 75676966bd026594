"""Single plans in a file of predictions, and where the examples behind them lie in a dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._ids import with_current_ids
from deixis.data._parquet_files import open_parquet, read_all
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deixis.worlds.grid.data.sources import Source


def find_plan_letters(path: Path, ids: Iterable[int]) -> dict[int, str]:
    """Return some of the plans in a file that `write_plans` wrote, one letter per action, by the id of the example.

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
    """The place of each example: its number over all files of the dataset.

    Shapes:
        ids: int64 [row], in rising order. numbers: int32 [row].
    """

    ids: np.ndarray
    numbers: np.ndarray

    def find(self, ids: np.ndarray) -> np.ndarray:
        """Return int64 [id]: the number of each example, -1 where there is none with this id."""
        place = np.minimum(np.searchsorted(self.ids, ids), max(len(self.ids) - 1, 0))
        if not len(self.ids):
            return np.full(len(ids), -1, np.int64)
        return np.where(self.ids[place] == ids, self.numbers[place], -1).astype(np.int64)


def places_of(source: Source) -> Places:
    """Find the places of the examples of a dataset from their ids alone."""
    tables = source.tables() if source.dataset is None else source.dataset.tables(columns=["id"])
    ids = np.concatenate([np.zeros(0, np.int64), *(table["id"].to_numpy() for table in tables)])
    order = np.argsort(ids, kind="stable")
    return Places(ids[order], order.astype(np.int32))
