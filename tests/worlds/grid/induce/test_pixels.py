"""Scenes as matrices: legal for the corpus, and without loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.testing import grid_scenes
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.induce.edits import in_reading_order
from deixis.worlds.grid.induce.pixels import decode, encode
from deixis.worlds.grid.scene import Agent, GridScene


@pytest.mark.slow
@given(st.integers(2, 6).flatmap(lambda size: grid_scenes(size=size, max_objects=20)))
def test_nothing_is_lost(scene):
    """Decoding gives back every object, whatever overlaps what."""
    assert decode(encode(scene)) == in_reading_order(scene)


@given(grid_scenes())
def test_matrices_are_legal(scene):
    """Whole numbers from 0 to 9, thirty rows of thirty."""
    matrix = encode(scene)

    assert len(matrix) == 30
    assert all(len(row) == 30 and all(type(v) is int and 0 <= v <= 9 for v in row) for row in matrix)


def test_a_scene_is_drawn_as_documented():
    """A red circle of size 3 in a blue box of size 2, and a yellow cylinder of size 1."""
    matrix = encode(grid("r○3+b▣2 . \n . y▱1"))

    assert matrix == [
        [2, 1, 1, 1, 2, 0, 0, 1, 1, 0],
        [7, 0, 2, 0, 0, 0, 0, 0, 0, 1],
        [1, 2, 2, 2, 0, 0, 0, 0, 0, 1],
        [1, 0, 2, 0, 0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 2, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 4, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 4, 4, 1],
        [1, 0, 0, 0, 0, 0, 0, 4, 0, 1],
        [1, 0, 0, 0, 0, 0, 4, 4, 0, 1],
        [0, 1, 1, 1, 0, 0, 1, 1, 1, 0],
    ]


@given(grid_scenes(size=3, min_objects=1, max_objects=5), st.data())
def test_a_changed_pixel_is_noticed(scene, data):
    """A matrix with one number changed is another scene or none, never the same."""
    pixels = np.array(encode(scene))
    row, column = data.draw(st.tuples(*[st.integers(0, 14)] * 2))
    pixels[row, column] = data.draw(st.integers(0, 9).filter(lambda v: v != pixels[row, column]))

    try:
        other = decode(pixels.tolist())
    except SchemaError:
        return
    assert other != in_reading_order(scene)


@pytest.mark.parametrize(
    "matrix",
    [
        None,
        7,
        [],
        "0" * 30,
        [[0] * 30] * 29,
        [[0] * 29] * 30,
        [[0] * 35] * 35,
        [[0.5] * 30] * 30,
        [[True] * 30] * 30,
        [[10] * 30] * 30,
        [[-1] * 30] * 30,
        [[5] * 30] * 30,
        [None] * 30,
        [[0] * 29 + ["1"]] * 30,
    ],
)
def test_what_is_no_matrix_of_a_scene_is_refused(matrix):
    """Whatever a file holds, the answer is one line."""
    with pytest.raises(SchemaError) as caught:
        decode(matrix)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        (GridScene((), size=7), "room for 6 cells"),
        (GridScene((), agent=Agent(0, 0)), "agent"),
        (grid("r○1+b□1 .\n. ."), "two solids in one cell"),
    ],
)
def test_scenes_without_a_matrix_are_refused(scene, message):
    """The message says why."""
    with pytest.raises(SchemaError, match=message):
        encode(scene)
