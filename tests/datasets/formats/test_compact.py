"""The compact form, one example per line."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from deixis.errors import BrokenDataset
from deixis.worlds.grid._batches import encode_grids
from deixis.worlds.grid.data.table import grid_batch
from deixis.worlds.grid.formats._compact import agents_of, read_compact, write_compact
from deixis.worlds.grid.formats.reascan import read_reascan
from tests.datasets.formats.released import CHAIN, ONE_CLAUSE, SIMPLE, write_file


@pytest.fixture
def table(tmp_path):
    return next(read_reascan(write_file(tmp_path / "in.txt", SIMPLE, ONE_CLAUSE, CHAIN, split="dev")))


@pytest.mark.parametrize("channels", [17, 25])
def test_lines_are_read_as_they_were_written(tmp_path, table, channels):
    """Words, actions and grids come back."""
    written = write_compact(table, tmp_path / "c.jsonl", channels=channels)
    lines = list(read_compact(tmp_path / "c.jsonl"))

    assert written == len(lines) == 3
    assert lines[0].input == ["push", "the", "small", "red", "circle", "while", "spinning"]
    assert lines[1].target == ["turn left", "walk", "walk"]
    expected = encode_grids(grid_batch(table), agents_of(table), channels=channels)
    assert np.array_equal(np.stack([line.situation for line in lines]), expected)


def test_one_line_has_the_fields_of_the_release(tmp_path, table):
    """A line is a JSON object with a grid of 6 by 6 cells and 17 channels; the agent's channels say where it is."""
    write_compact(table, tmp_path / "c.jsonl")

    fields = json.loads((tmp_path / "c.jsonl").read_text(encoding="utf-8").splitlines()[0])

    assert list(fields) == ["input", "target", "situation"]
    assert np.array(fields["situation"]).shape == (6, 6, 17)
    assert fields["situation"][1][0] == [0] * 12 + [1, 1, 0, 0, 0]
    assert fields["situation"][1][1] == [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0] + [0] * 5


def test_one_split_can_be_chosen(tmp_path, table):
    """Examples of other splits are left out."""
    assert write_compact([table, table], tmp_path / "c.jsonl", split="train") == 0
    assert write_compact([table, table], tmp_path / "c.jsonl", split="dev") == 6


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "{}",
        '{"input": "walk", "target": [], "situation": [[[1]]]}',
        '{"input": [1], "target": [], "situation": [[[1]]]}',
        '{"input": [], "target": [], "situation": [[1]]}',
        '{"input": [], "target": [], "situation": [[[1], [1, 2]]]}',
        '{"input": [], "target": [], "situation": [[[300]]]}',
        '{"input": [], "target": [], "situation": [[["x"]]]}',
        "[" * 100_000,
    ],
)
def test_a_line_that_is_no_example_is_named(tmp_path, line):
    """The message says which line it is."""
    path = tmp_path / "c.jsonl"
    path.write_text('{"input": [], "target": [], "situation": [[[1]]]}\n\n' + line, encoding="utf-8")

    with pytest.raises(BrokenDataset, match="line 3"):
        list(read_compact(path))


def test_a_missing_file_is_named(tmp_path):
    """A wrong path gives one line."""
    with pytest.raises(BrokenDataset, match="cannot be read"):
        list(read_compact(tmp_path / "c.jsonl"))


def test_an_agent_outside_its_world_is_told(tmp_path, table):
    """A row of somebody else may place the agent where there is no cell."""
    place = table.schema.get_field_index("agent_column")
    wrong = table.set_column(place, table.schema.field(place), pa.array([0, 6, 0], pa.uint8()))

    with pytest.raises(BrokenDataset, match="an agent has the codes"):
        write_compact(wrong, tmp_path / "c.jsonl")
