"""Pictures, masks and boxes as columns beside the rows of a dataset.

| column | |
|---|---|
| `picture` | the table as PNG, as `datasets.Image` keeps pictures |
| `masks` | an indexed PNG of the same size: for every pixel one more than the number of the solid it shows, or 0 |
| `boxes` | for every solid the smallest box around its pixels: x, y, width, height |

Of several tables, each has columns of its own: `picture_1`, `masks_1`, `boxes_1`, `picture_2`, …
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._crew import share_work
from deixis.data._huggingface import PICTURE, with_picture_features
from deixis.data.store import replacing_file
from deixis.worlds.tabletop._making.recipe import LARGEST
from deixis.worlds.tabletop._pictures import decode_png, encode_masks, encode_picture
from deixis.worlds.tabletop._render.ids import boxes, draw_ids
from deixis.worlds.tabletop._render.picture import draw_picture
from deixis.worlds.tabletop._scene import table_from_plain


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.data.store import Dataset
    from deixis.worlds.tabletop._solids import Tabletop


FEW = 64  # rows that are drawn and read together
BOXES = pa.list_(pa.list_(pa.int32()))
KEPT = {"compression": "zstd", "compression_level": 3, "write_page_checksum": True}


class TableColumns(NamedTuple):
    """The columns of one table."""

    picture: Any
    masks: Any
    boxes: Any


def draw_table(table: Tabletop, width: int, height: int) -> TableColumns:
    """The picture of a table, its masks and its boxes."""
    ids = draw_ids(table, width, height)
    found = boxes(ids, len(table.solids)).tolist()
    return TableColumns(encode_picture(draw_picture(table, width, height)), encode_masks(ids), found)


def write_with_pictures(rows: Any, path: Path, *, size: tuple[int, int], workers: int, crew: Any) -> None:
    """Write rows as Parquet with columns of pictures, masks and boxes, drawn by any number of workers."""
    most = max(len(json.loads(tables)) for tables in rows["scenes"].to_pylist())
    schema = rows.schema
    for name, kind in ((name, kind) for place in range(most) for name, kind in _columns(place, most)):
        schema = schema.append(pa.field(name, kind))
    pictures = [name for name in schema.names if name.startswith(("picture", "masks"))]
    parts = [rows.slice(start, FEW) for start in range(0, rows.num_rows, FEW)]
    asked = [(part["scenes"].to_pylist(), size) for part in parts]
    with (
        replacing_file(path) as draft,
        pq.ParquetWriter(draft, with_picture_features(schema, *pictures), **KEPT) as writer,
    ):
        for part, drawn in zip(parts, share_work(draw_rows, asked, workers=workers, crew=crew), strict=True):
            added = _arrays(part["id"].to_pylist(), drawn, most)
            columns = [*part.columns, *added]
            writer.write_table(pa.Table.from_arrays(columns, schema=writer.schema), row_group_size=FEW)


def draw_rows(_folder: Path, asked: tuple[list[str], tuple[int, int]]) -> list[list[TableColumns]]:
    """Draw the tables of some rows.

    A pure function, for other processes and machines.
    """
    rows, size = asked
    return [[draw_table(table_from_plain(one), *size) for one in json.loads(tables)] for tables in rows]


def _columns(place: int, most: int) -> Iterator[tuple[str, Any]]:
    """Names and kinds of the columns of one table."""
    suffix = f"_{place + 1}" if most > 1 else ""
    yield from ((f"picture{suffix}", PICTURE), (f"masks{suffix}", PICTURE), (f"boxes{suffix}", BOXES))


def _arrays(ids: list[int], drawn: list[list[TableColumns]], most: int) -> Iterator[Any]:
    """The columns of some rows, table by table; empty where a row has fewer tables."""
    for place in range(most):
        some = [row[place] if place < len(row) else None for row in drawn]
        names = [f"{number:06d}-{place + 1}.png" if most > 1 else f"{number:06d}.png" for number in ids]
        for field, begin in (("picture", ""), ("masks", "masks-")):
            held = [
                None if one is None else {"bytes": getattr(one, field), "path": f"{begin}{name}"}
                for one, name in zip(some, names, strict=True)
            ]
            yield pa.array(held, PICTURE)
        yield pa.array([None if one is None else one.boxes for one in some], BOXES)


def faults_of_pictures(dataset: Dataset) -> Iterator[str]:
    """Yield how pictures, masks and boxes of a dataset differ from what its tables show, drawn and counted anew."""
    for path in dataset.files():
        names = pq.read_schema(path).names
        suffixes = [name.removeprefix("boxes") for name in names if name.startswith("boxes")]
        columns = ["id", "scenes", *(f"{field}{suffix}" for suffix in suffixes for field in TableColumns._fields)]
        for group in pq.ParquetFile(path).iter_batches(FEW, columns=columns) if suffixes else ():
            for row in group.to_pylist():
                for place, (suffix, told) in enumerate(zip(suffixes, json.loads(row["scenes"]), strict=False)):
                    held = TableColumns(*(row[f"{field}{suffix}"] for field in TableColumns._fields))
                    what = _fault_of(held, table_from_plain(told))
                    if what:
                        yield f"{what} of example {row['id']}{f', table {place}' if len(suffixes) > 1 else ''}"


def _fault_of(held: TableColumns, table: Tabletop) -> str:
    """Say what is wrong with the picture, the masks or the boxes of a table, or an empty text."""
    if held.picture is None or held.masks is None or held.boxes is None:
        return "there is no picture, mask or box"
    ids = decode_png(held.masks["bytes"])
    if ids.ndim != 2 or max(ids.shape) > LARGEST or not np.array_equal(ids, draw_ids(table, *ids.shape[::-1])):
        return "the masks show something else than the table"
    if held.boxes != boxes(ids, len(table.solids)).tolist():
        return "the boxes are not those of the masks"
    if not np.array_equal(decode_png(held.picture["bytes"]), draw_picture(table, *ids.shape[::-1])):
        return "the picture shows something else than the table"
    return ""
