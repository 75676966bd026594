"""The observation of Minigrid, compared with Minigrid itself."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings

from deixis.errors import SchemaError
from deixis.testing import grid_scenes
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.environment import NAVIGATE
from deixis.worlds.grid.environment.minigrid import COLORS, KINDS, MinigridObservation, encode_ahead, encode_whole


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what pygame says when it is imported
    from minigrid.core import constants
    from minigrid.core.actions import Actions
    from minigrid.core.grid import Grid
    from minigrid.core.world_object import Ball, Box, Door, Key

MAKERS = {"circle": Ball, "cylinder": Key, "square": Door, "box": Box}


def as_minigrid(scene):
    """The scene built from Minigrid's own objects."""
    board = Grid(scene.size, scene.size)
    for thing in sorted(scene.objects, key=lambda thing: not thing.is_box):
        board.set(thing.column, thing.row, MAKERS[thing.shape](thing.color))
    return board


def test_numbers_are_those_of_minigrid():
    """Kinds, colours and actions have Minigrid's numbers."""
    names = {"circle": "ball", "cylinder": "key", "square": "door", "box": "box"}

    assert {constants.OBJECT_TO_IDX[names[shape]]: code for shape, code in KINDS.items()} == dict(
        zip(KINDS.values(), KINDS.values(), strict=True)
    )
    assert all(constants.COLOR_TO_IDX[color] == code for color, code in COLORS.items())
    assert [Actions.left, Actions.right, Actions.forward, Actions.done] == [0, 1, 2, 6]


@settings(max_examples=40, deadline=None)
@given(scene=grid_scenes(with_agent=True))
@pytest.mark.parametrize("view", [3, 7])
def test_what_lies_ahead_is_what_minigrid_shows(view, scene):
    """Kinds and colours are those of Minigrid's own slice, turned so that the agent looks up."""
    agent = scene.agent
    half = view // 2
    corner = {
        0: (agent.column, agent.row - half),
        1: (agent.column - half, agent.row),
        2: (agent.column - view + 1, agent.row - half),
        3: (agent.column - half, agent.row - view + 1),
    }[int(agent.facing)]
    part = as_minigrid(scene).slice(*corner, view, view)
    for _ in range(agent.facing + 1):
        part = part.rotate_left()

    assert np.array_equal(encode_ahead(scene, view)[:, :, :2], part.encode()[:, :, :2])


@settings(max_examples=40, deadline=None)
@given(scene=grid_scenes(with_agent=True))
def test_the_whole_board_is_what_minigrid_shows(scene):
    """Kinds and colours are Minigrid's, sizes stand third, and the agent hides what it stands on."""
    image, theirs = encode_whole(scene), as_minigrid(scene).encode()
    theirs[scene.agent.column, scene.agent.row] = (10, 0, scene.agent.facing)

    assert np.array_equal(image[:, :, :2], theirs[:, :, :2])
    assert image[scene.agent.column, scene.agent.row, 2] == scene.agent.facing


def test_the_target_lies_ahead():
    """What is two cells to the front is two cells above the middle of the last row."""
    scene = grid("""
        . . . .
        . > . g○3
        . . . .
        . . . .
    """)

    assert encode_ahead(scene, 7)[3, 4].tolist() == [6, 1, 3]


@pytest.mark.parametrize("view", [3, *(pytest.param(view, marks=pytest.mark.slow) for view in (7, None))])
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")  # it is a wrapper
def test_the_wrapper_passes_the_checks_of_gymnasium(view):
    """The wrapped environment has Minigrid's three keys and nothing to complain about."""
    env = MinigridObservation(gymnasium.make(NAVIGATE, observation="objects", episodes=64).unwrapped, view=view)
    seen, _ = env.reset(seed=0)

    assert set(seen) == {"image", "direction", "mission"}
    check_env(env, skip_render_check=True)


def test_only_grid_instructions_can_be_wrapped():
    """Another environment, or an impossible view, is refused in one line."""
    with pytest.raises(SchemaError, match="only deixis/Navigate-v1 can be shown as Minigrid"):
        MinigridObservation(gymnasium.make("CartPole-v1"))
    with pytest.raises(SchemaError, match="the view is an odd number of cells"):
        MinigridObservation(gymnasium.make(NAVIGATE, episodes=64), view=4)
