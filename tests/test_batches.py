"""Grids as arrays, against the plain definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.worlds.grid._batches import encode_grids
from deixis.worlds.grid.scene import COLORS, SHAPES, Agent, Facing, GridBatch, GridObject, GridScene


objects = st.builds(
    GridObject,
    st.sampled_from(SHAPES),
    st.sampled_from(COLORS),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(0, 3),
)
agents = st.builds(Agent, st.integers(0, 3), st.integers(0, 3), st.sampled_from(Facing))
scenes = st.builds(
    lambda things, agent: GridScene(tuple(things), size=4, agent=agent), st.lists(objects, max_size=6), agents
)


def plain_grid(scene: GridScene, channels: int) -> np.ndarray:
    """One world, object by object, as the specification says it."""
    grid = np.zeros((scene.size, scene.size, channels), np.uint8)
    for thing in scene.objects:
        cell = grid[thing.row, thing.column]
        cell[4 + SHAPES.index(thing.shape)] += 1
        if channels == 25 and thing.is_box:
            cell[12 + thing.size - 1] += 1
            cell[16 + COLORS.index(thing.color)] += 1
        else:
            cell[thing.size - 1] += 1
            cell[8 + COLORS.index(thing.color)] += 1
    if scene.agent:
        cell = grid[scene.agent.row, scene.agent.column]
        cell[channels - 5] = 1
        cell[channels - 4 + scene.agent.facing] = 1
    return grid


def agents_of(scenes: list[GridScene]) -> np.ndarray:
    """The agents as an array."""
    return np.array([(s.agent.row, s.agent.column, s.agent.facing) for s in scenes], np.uint8).reshape(-1, 3)


@given(st.lists(scenes, max_size=4), st.sampled_from([17, 25]))
def test_grids_are_those_of_the_plain_definition(scenes, channels):
    """Whole batches are encoded as each world alone would be, things in one cell added up."""
    grids = encode_grids(GridBatch.of(scenes) if scenes else GridBatch.of([]), agents_of(scenes), channels=channels)

    assert grids.dtype == np.uint8
    assert len(grids) == len(scenes)
    for grid, scene in zip(grids, scenes, strict=True):
        assert np.array_equal(grid, plain_grid(scene, channels))


def test_a_box_and_a_solid_in_one_cell_are_added():
    """A red circle on the corner of a red box reads 2 for red, and both are told apart with 25 channels."""
    scene = GridScene((GridObject("circle", "red", 2, 1, 1), GridObject("box", "red", 2, 1, 1)), agent=Agent(1, 1))

    sums = encode_grids(GridBatch.of([scene]), agents_of([scene]))[0, 1, 1].tolist()
    apart = encode_grids(GridBatch.of([scene]), None, channels=25)[0, 1, 1].tolist()

    assert sums == [0, 2, 0, 0, 1, 0, 0, 1, 2, 0, 0, 0, 1, 1, 0, 0, 0]
    assert apart == [0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]


def test_a_box_stands_in_its_corner_only():
    """The other cells that a box covers stay empty."""
    grids = encode_grids(GridBatch.of([GridScene((GridObject("box", "blue", 3, 0, 0),))]), None)

    assert grids.sum() == 3
    assert grids[0, 0, 0].sum() == 3


@pytest.mark.parametrize(
    ("agents", "channels", "words"),
    [
        (np.zeros((2, 3)), 17, "agents of shape"),
        (np.array([[6, 0, 0]]), 17, "an agent"),
        (np.array([[0, 0, 4]]), 17, "an agent"),
        (None, 16, "17 or 25"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(agents, channels, words):
    """An agent off the board or a wrong number of channels gives an error, not a wrong grid."""
    with pytest.raises(ValueError, match=words):
        encode_grids(GridBatch.of([GridScene(())]), agents, channels=channels)


def test_objects_off_the_board_are_refused():
    """Codes that no grid holds are no channel of anything."""
    batch = GridBatch(objects=np.full((1, 1, 5), 7, np.uint8), count=np.array([1], np.uint8))

    with pytest.raises(ValueError, match="an object"):
        encode_grids(batch, None)
