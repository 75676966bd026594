"""The meaning that every row stores beside its text, and datasets of earlier versions that store none."""

from __future__ import annotations

import json
from shutil import copytree

import pyarrow as pa
import pytest

from deixis.data._seal import write_manifest
from deixis.data.store import file_digest, open_dataset, read_parquet, write_parquet
from deixis.errors import BrokenDataset
from deixis.expression.plain import expression_from_json
from deixis.worlds.grid._examples import GridExamples
from deixis.worlds.grid.checks import check_dataset
from deixis.worlds.grid.data.example_arrays import example_arrays
from deixis.worlds.grid.data.imported import write_imported
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.data.statistics import statistics_of
from deixis.worlds.grid.data.table import SCHEMA, example_at
from deixis.worlds.grid.language import read
from deixis.worlds.grid.making.make import make
from tests.datasets.tiny import whole


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A dataset with every split of the paper."""
    return make(whole("corrected"), tmp_path_factory.mktemp("stored") / "made", workers=1)


@pytest.fixture(scope="module")
def older(made, tmp_path_factory):
    """The same dataset as earlier versions wrote it, without the column."""
    folder = tmp_path_factory.mktemp("stored") / "older"
    copytree(made.path, folder)
    files = []
    for entry in made.manifest["files"]:
        path = folder / entry["path"]
        write_parquet(pa.concat_tables(read_parquet(path)).drop_columns(["expression"]), path)
        files.append({**entry, "bytes": path.stat().st_size, "sha256": file_digest(path)})
    write_manifest(folder, {**made.manifest, "files": files})
    return open_dataset(folder)


def rows_in(dataset):
    return pa.concat_tables(open_source(dataset.path).tables())


def test_every_row_stores_what_its_text_means(made):
    """In each split, those made on purpose included; nothing is found by the check, and the column is a text."""
    table = rows_in(made)

    assert table.schema == SCHEMA
    for text, stored in set(zip(table["command"].to_pylist(), table["expression"].to_pylist(), strict=True)):
        assert expression_from_json(stored) == read(text).expression
    assert check_dataset(made, select=["E"]).counts == {}


def test_a_dataset_without_the_column_is_read_as_before(made, older):
    """Examples, statistics, checks and what plans are judged by come from the texts, and are the same."""
    table, old = rows_in(made), rows_in(older)

    assert set(old["expression"].to_pylist()) == {""}
    assert old.drop_columns(["expression"]) == table.drop_columns(["expression"])
    assert statistics_of([old]) == statistics_of([table])
    assert example_arrays([old]).commands == example_arrays([table]).commands
    assert check_dataset(older, select=["E"]).counts == {}
    one, other = GridExamples(open_source(made.path)), GridExamples(open_source(older.path))
    for number in range(0, len(one), 7):
        assert one[number] == other[number]
        assert one[number].instruction == other[number].instruction
    assert one[0].stored is not None
    assert other[0].stored is None


def test_converting_stores_what_was_not_stored(made, older, tmp_path):
    """A dataset of an earlier version is given its expressions when it is written anew."""
    converted = write_imported(open_source(older.path).tables(), tmp_path / "anew", source="older", kind="reascan")

    found, wanted = rows_in(converted).sort_by("id"), rows_in(made).sort_by("id")
    assert found["expression"].to_pylist() == wanted["expression"].to_pylist()


def test_examples_go_by_what_is_stored(made):
    """The text is not read where the meaning is stored; E008 is there to tell when the two differ."""
    table = rows_in(made).slice(0, 1)
    other = json.dumps([{"is": ["shape", "box"]}])
    planted = table.set_column(SCHEMA.get_field_index("expression"), "expression", pa.array([other]))

    assert example_at(planted, 0).expression == expression_from_json(other)
    assert example_arrays([planted]).commands[0].expression == expression_from_json(other)


@pytest.mark.parametrize("stored", ["[", "[7]", "{}"])
def test_what_is_no_expression_is_a_broken_dataset(made, stored):
    """Those who trust the column say in one line that it cannot be read."""
    table = rows_in(made).slice(0, 1)
    planted = table.set_column(SCHEMA.get_field_index("expression"), "expression", pa.array([stored]))

    for ask in (lambda: example_arrays([planted]), lambda: statistics_of([planted]), lambda: example_at(planted, 0)):
        with pytest.raises(BrokenDataset, match="cannot be read"):
            ask()
