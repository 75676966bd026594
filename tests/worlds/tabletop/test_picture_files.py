"""Columns of pictures: what is written, and what the check finds when it is changed."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.data.store import replacing_file
from deixis.worlds.tabletop._making.pictures import faults_of_pictures, write_with_pictures
from deixis.worlds.tabletop._pictures import decode_png, encode_masks
from deixis.worlds.tabletop._render.ids import boxes, draw_ids
from deixis.worlds.tabletop._render.picture import draw_picture
from deixis.worlds.tabletop._scene import table_to_plain
from deixis.worlds.tabletop._solids import Solid, Tabletop


SIZE = 64, 48


def _table(x: int) -> Tabletop:
    near = Solid(shape="sphere", color="red", material="shiny", size="large", x=x, y=-500)
    return Tabletop(solids=(near, Solid(shape="cone", color="cyan", material="matte", size="small", x=-x, y=900)))


def _write(path, *rows: tuple[Tabletop, ...], workers: int = 1) -> SimpleNamespace:
    told = [json.dumps([table_to_plain(one) for one in tables]) for tables in rows]
    table = pa.table({"id": pa.array(range(len(rows)), pa.int64()), "scenes": told})
    write_with_pictures(table, path, size=SIZE, workers=workers, crew=None)
    return SimpleNamespace(files=lambda: [path])


def _change(path, column: str, value: object) -> None:
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[1] = value
    place = table.column_names.index(column)
    changed = table.set_column(place, table.schema.field(column), pa.array(values, table.schema.field(column).type))
    with replacing_file(path) as draft:
        pq.write_table(changed, draft)


def test_rows_have_the_picture_the_masks_and_the_boxes_of_their_table(tmp_path) -> None:
    """What is read back is what is drawn, and nothing is found wrong with it."""
    data = _write(tmp_path / "a.parquet", (_table(700),), (_table(-900),))
    row = pq.read_table(tmp_path / "a.parquet").to_pylist()[1]
    ids = draw_ids(_table(-900), *SIZE)
    assert (decode_png(row["picture"]["bytes"]) == draw_picture(_table(-900), *SIZE)).all()
    assert (decode_png(row["masks"]["bytes"]) == ids).all()
    assert row["boxes"] == boxes(ids, 2).tolist()
    assert row["picture"]["path"] == "000001.png"
    assert not list(faults_of_pictures(data))


def test_several_tables_have_columns_of_their_own(tmp_path) -> None:
    """Rows with fewer tables than others leave the last columns empty."""
    data = _write(tmp_path / "a.parquet", (_table(700), _table(800)), (_table(-900), _table(300)))
    table = pq.read_table(tmp_path / "a.parquet")
    drawn = ["picture_1", "masks_1", "boxes_1", "picture_2", "masks_2", "boxes_2"]
    assert table.column_names == ["id", "scenes", *drawn]
    assert b"Image" in table.schema.metadata[b"huggingface"]
    assert not list(faults_of_pictures(data))


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("boxes", [[1, 2, 3, 4], [0, 0, 0, 0]], "the boxes are not those of the masks of example 1"),
        ("masks", {"bytes": encode_masks(np.zeros((48, 64), np.uint8)), "path": ""}, "the masks show something else"),
        ("picture", {"bytes": encode_masks(np.zeros((48, 64), np.uint8)), "path": ""}, "the picture shows something"),
        ("picture", None, "there is no picture, mask or box of example 1"),
    ],
)
def test_a_changed_column_is_found(tmp_path, column: str, value: object, said: str) -> None:
    """Boxes, masks or a picture of another table are found, with the example that has them."""
    data = _write(tmp_path / "a.parquet", (_table(700),), (_table(-900),))
    _change(tmp_path / "a.parquet", column, value)
    (fault,) = faults_of_pictures(data)
    assert said in fault


@pytest.mark.slow
def test_any_number_of_workers_writes_the_same_bytes(tmp_path) -> None:
    """Two processes draw what one draws."""
    rows = [(_table(x),) for x in range(-1_500, 1_500, 30)]
    for workers in (1, 2):
        _write(tmp_path / f"{workers}.parquet", *rows, workers=workers)
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()
