"""The table of examples: there and back, arrays for the resolver, and rows that make no sense."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data._ragged import Ragged
from deixis.errors import BrokenDataset, UnknownName
from deixis.testing import grid_scenes
from deixis.worlds.grid.actions import Action
from deixis.worlds.grid.data.table import SCHEMA, example_at, examples_of, grid_batch, rows_of, table_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.roles import KINDS, Role
from deixis.worlds.grid.scene import GridBatch, GridObject, GridScene


TEXTS = ("walk to the red small circle", "push the circle that is inside of a big box", "pull the object cautiously")


@st.composite
def examples(draw, *, size=6):
    scene = draw(grid_scenes(size=size, min_objects=1, with_agent=True))
    if draw(st.booleans()):
        scene = replace(scene, agent=None)
    role = st.builds(Role, st.sampled_from(KINDS), st.integers(0, 31))
    return Example(
        text=draw(st.sampled_from(TEXTS)),
        scene=scene,
        target=draw(st.integers(0, len(scene) - 1)),
        plan=tuple(draw(st.lists(st.sampled_from(Action), max_size=5))),
        roles=draw(st.just(()) | st.tuples(*[role] * len(scene))),
        misreadings=tuple(draw(st.lists(st.integers(0, 2**16 - 1), max_size=3))),
        split=draw(st.sampled_from(("", "train", "a1+a2"))),
        command_number=draw(st.integers(-1, 10**6)),
        world_number=draw(st.integers(-1, 180)),
    )


@pytest.fixture
def example():
    scene = grid("""
        >   .   r○1
        r▣2 .   .
        .   r○3 .
    """)
    return Example(text=TEXTS[0], scene=scene, target=0, plan=(Action.WALK, Action.WALK), roles=(Role("target"),) * 3)


@given(st.lists(examples(), max_size=4))
def test_examples_come_back_from_their_table(some):
    """Writing examples to a table and reading them gives equal examples, in order."""
    table = table_of(some)

    assert table.schema == SCHEMA
    assert list(examples_of(table)) == some
    assert [example_at(table, number) for number in range(len(some))] == some
    assert table["id"].to_pylist() == [example.id for example in some]


def test_a_row_says_what_its_columns_mean(example):
    """Each column holds what the documentation of the table says."""
    row = next(rows_of(table_of([example], with_necessity=True)))

    assert row == {
        "id": example.id,
        "command": "walk to the red small circle",
        "expression": '[{"is":["shape","circle"]},{"is":["color","red"]},{"end":["size","least"]}]',
        "pattern": "p1",
        "verb": "walk",
        "manner": "",
        "grid_size": 3,
        "shape": [0, 3, 0],
        "color": [0, 0, 0],
        "size": [1, 2, 3],
        "row": [0, 1, 2],
        "column": [2, 0, 1],
        "role": [0, 0, 0],
        "misreading": [],
        "target": 0,
        "agent_row": 0,
        "agent_column": 0,
        "agent_facing": 0,
        "plan": "WW",
        "necessary": [True, False, True],
        "command_number": -1,
        "world_number": -1,
        "split": "",
    }


def test_a_world_without_an_agent_is_told_from_one_with_an_agent_in_the_corner(example):
    """No agent is written as 255, and stays no agent."""
    lonely = replace(example, scene=replace(example.scene, agent=None))

    table = table_of([lonely, example])

    assert table["agent_row"].to_pylist() == [255, 0]
    assert [again.scene.agent is None for again in examples_of(table)] == [True, False]


@pytest.mark.parametrize("number", [-1, 1, 100])
def test_there_are_no_examples_beyond_the_end(example, number):
    """Asking for a row that is not there says how many there are."""
    with pytest.raises(UnknownName, match=f"no example {number}; the table has 1"):
        example_at(table_of([example]), number)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": [9, 0, 0]}, "tuple index out of range"),
        ({"color": [4, 0, 0]}, "tuple index out of range"),
        ({"size": [5, 1, 1]}, "must be 1 to 4, got 5"),
        ({"row": [0, 1, 7]}, "outside the 3x3 grid"),
        ({"shape": [0, 0]}, "zip"),
        ({"shape": None}, "NoneType"),
        ({"shape": [None, 0, 0]}, "NoneType"),
        ({"grid_size": 1}, "grid size must be at least 2"),
        ({"agent_row": 3}, "outside the 3x3 grid"),
        ({"agent_row": None}, "NoneType"),
        ({"agent_facing": 4}, "4 is not a valid Facing"),
        ({"target": 3}, "target is object 3, but the world has 3 objects"),
        ({"target": None}, "NoneType"),
        ({"role": [0]}, "1 roles for 3 objects"),
        ({"plan": "WX"}, "unexpected word 'X' at word 2"),
        ({"plan": None}, "its plan is no text"),
        ({"command": None}, "its command is no text"),
        ({"split": None}, "its split is no text"),
        ({"expression": "[7]"}, "7 cannot be understood"),
        ({"expression": "{"}, "an expression is stored as JSON"),
        ({"verb": "fly"}, "'fly' is not a valid Verb"),
        ({"command_number": None}, "NoneType"),
    ],
)
def test_a_row_that_makes_no_sense_is_a_broken_dataset(example, change, message):
    """Whatever is wrong in a row, the error says which row and what."""
    row = {**next(rows_of(table_of([example]))), **change}
    table = pa.Table.from_pylist([row], schema=SCHEMA)

    with pytest.raises(BrokenDataset, match=rf"row {example.id} cannot be read as an example: .*{message}"):
        list(examples_of(table))


@pytest.mark.parametrize("column", ["command", "shape", "role", "agent_row"])
def test_a_missing_column_is_a_broken_dataset(example, column):
    """A table without one of the columns is refused, naming it."""
    with pytest.raises(BrokenDataset, match=f"has no column '{column}'"):
        example_at(table_of([example]).drop_columns([column]), 0)


@given(st.lists(examples(), max_size=5))
def test_the_worlds_become_arrays(some):
    """The batch of a table is the batch of its scenes."""
    _assert_same(grid_batch(table_of(some)), GridBatch.of([example.scene for example in some]))


@given(st.lists(examples(), min_size=2, max_size=5), st.data())
def test_slices_and_chunks_become_the_same_arrays(some, data):
    """It does not matter whether a table is a slice of another or has its rows in several chunks."""
    first = data.draw(st.integers(0, len(some) - 1))
    table = table_of(some)
    chunked = pa.concat_tables([table.slice(0, first), table.slice(first)])

    _assert_same(grid_batch(table.slice(first)), GridBatch.of([example.scene for example in some[first:]]))
    _assert_same(grid_batch(chunked), GridBatch.of([example.scene for example in some]))


def test_a_list_column_is_values_and_starts(example):
    """A ragged column is its values in a row and where each row starts, from a table or from an array."""
    fewer = replace(example, scene=replace(example.scene, objects=example.scene.objects[:1]), roles=())
    column = table_of([example, fewer])["size"]

    for given_as in (column, column.combine_chunks()):
        found = Ragged.of_column(given_as)
        assert found.values.tolist() == [1, 2, 3, 1]
        assert found.start.tolist() == [0, 3, 4]


def test_grids_of_different_sizes_are_not_mixed(example):
    """A batch has one grid size; a table with several is refused."""
    larger = replace(example, scene=replace(example.scene, size=4))

    with pytest.raises(BrokenDataset, match=r"mixes grids of sizes \[3, 4\]"):
        grid_batch(table_of([example, larger]))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("shape", [[4, 0, 0]], "shape must hold values from 0 to 3"),
        ("color", [[0, 4, 0]], "color must hold values from 0 to 3"),
        ("size", [[0, 1, 1]], "size must hold values from 1 to 4"),
        ("size", [[5, 1, 1]], "size must hold values from 1 to 4"),
        ("row", [[0, 1, 3]], "row must hold values from 0 to 2"),
        ("column", [[0, 9, 1]], "column must hold values from 0 to 2"),
        ("row", [[0, 1]], "shape and row do not describe the same objects"),
        ("row", [None], "'row' has gaps"),
        ("row", [[0, None, 1]], "has gaps"),
        ("grid_size", [None], "'grid_size' has gaps"),
    ],
)
def test_arrays_are_not_made_of_nonsense(example, column, values, message):
    """Values beyond what a grid can hold, uneven columns and gaps are refused before a kernel sees them."""
    table = table_of([example])
    broken = table.set_column(table.column_names.index(column), column, pa.array(values, SCHEMA.field(column).type))

    with pytest.raises(BrokenDataset, match=message):
        grid_batch(broken)


def test_arrays_are_not_made_of_other_columns(example):
    """A missing column and one of another type are refused."""
    table = table_of([example])
    place = table.column_names.index("color")
    worded = table.set_column(place, "color", pa.array([["red", "blue", "green"]]))

    with pytest.raises(BrokenDataset, match="no column 'color'"):
        grid_batch(table.drop_columns(["color"]))
    with pytest.raises(BrokenDataset, match=r"'color' holds list<.*string> instead of list<.*uint8>"):
        grid_batch(worded)


def test_a_world_with_too_many_objects_is_refused(example):
    """More objects than a set in one machine word can hold are refused."""
    crowd = GridScene(tuple(GridObject("box", "red", 1, k // 9, k % 9) for k in range(65)), size=9)

    with pytest.raises(BrokenDataset, match="65 objects; 64 at most"):
        grid_batch(table_of([replace(example, scene=crowd, roles=())]))


def _assert_same(batch, expected):
    assert batch.size == expected.size
    assert np.array_equal(batch.count, expected.count)
    assert np.array_equal(batch.objects, expected.objects)
