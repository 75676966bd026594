"""The files of a dataset, each written by whoever is free from the shards that it holds rows of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._crew import in_order
from deixis.data._resumable import entry_of
from deixis.data.store import write_parquet
from deixis.worlds.grid.data.table import SCHEMA, STATISTICS
from deixis.worlds.grid.making._kept_shards import read_rows


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np

    from deixis.data._crew import Progress
    from deixis.data._resumable import Entry
    from deixis.worlds.grid.making._hands import Hands
    from deixis.worlds.grid.making._kept_shards import KeptRows
    from deixis.worlds.grid.making._places import Places


ROWS_PER_FILE = 131_072
DATA = "data"


class FilePlan(NamedTuple):
    """A file to be written: its split, its path in the dataset, and the rows of kept shards that it holds."""

    split: str
    path: str
    rows: list[tuple[str, np.ndarray]]


def write_files(places: Places, hands: Hands, progress: Progress) -> list[Entry]:
    """Write every place to files of its own in `data/`, and return the entries of the manifest."""
    entries: list[Entry] = []
    done = 0
    for entry in in_order(hands, write_file, plan_files(places), ahead=2 * hands.size + 1):
        done += entry["rows"]
        progress("writing", done, places.total)
        entries.append(entry)
    return entries


def plan_files(places: Places) -> Iterator[FilePlan]:
    """Yield the files of a dataset, in the order of its manifest."""
    for name, size in places.sizes().items():
        chunks = _chunks(rows.only(mask) for rows, mask in places.only(name) if mask.any()) if size else []
        for number, chunk in enumerate(chunks):
            path = f"{DATA}/{name}-{number:05d}-of-{len(chunks):05d}.parquet"
            yield FilePlan(name, path, [(rows.name, rows.numbers) for rows in chunk])


def _chunks(shards: Iterator[KeptRows]) -> list[list[KeptRows]]:
    """Rows divided into files of bounded size; a shard is never divided."""
    chunks: list[list[KeptRows]] = []
    count = ROWS_PER_FILE
    for rows in shards:
        if count + len(rows) > ROWS_PER_FILE:
            chunks.append([])
            count = 0
        chunks[-1].append(rows)
        count += len(rows)
    return chunks


def write_file(folder: Path, plan: FilePlan) -> Entry:
    """Write one file."""
    parts = [_in_schema(read_rows(folder, name, numbers), plan.split) for name, numbers in plan.rows]
    whole = pa.concat_tables(parts)
    write_parquet(whole.combine_chunks(), folder / plan.path, statistics=STATISTICS)
    return entry_of(folder, plan.path, split=plan.split, rows=whole.num_rows)


def _in_schema(table: pa.Table, split: str) -> pa.Table:
    """The rows of a shard in the columns that datasets have."""
    columns = {field.name: pc.cast(table[field.name], field.type) for field in SCHEMA if field.name != "split"}
    columns["split"] = pa.repeat(pa.scalar(split, pa.string()), table.num_rows)
    return pa.table(columns, schema=SCHEMA)
