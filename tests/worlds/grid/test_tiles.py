"""Boards from tiles: the very pixels of boards that are painted from nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest


pytest.importorskip("PIL", reason="needs deixis[data]")

from deixis.worlds.grid._pictures import tiles
from deixis.worlds.grid.environment._observations import Frame, draw_observation, paint_board
from deixis.worlds.grid.scene import COLORS, SHAPES, SIZES, Agent, Facing, GridObject, GridScene


def drawn_scene(seed: int, size: int, count: int) -> GridScene:
    """A board with random things on it, boxes and shared cells among them."""
    rng = np.random.default_rng(seed)
    objects = tuple(
        GridObject(
            shape=SHAPES[rng.integers(len(SHAPES))],
            color=COLORS[rng.integers(len(COLORS))],
            size=int(rng.integers(1, len(SIZES) + 1)),
            row=int(rng.integers(size)),
            column=int(rng.integers(size)),
        )
        for _ in range(count)
    )
    agent = Agent(int(rng.integers(size)), int(rng.integers(size)), Facing(int(rng.integers(4))))
    return GridScene(objects, size=size, agent=agent)


@pytest.mark.parametrize(("size", "cell"), [(6, 32), (12, 32), (5, 64), (4, 16), (12, 16), (6, 17), (12, 20)])
def test_observations_have_the_pixels_of_painted_boards(size, cell):
    """Whatever stands where, alone, together, inside of each other and at the edges."""
    for seed in range(20):
        scene = drawn_scene(seed, size, 3 + seed)

        assert np.array_equal(draw_observation(scene, cell), paint_board(scene, cell))


@pytest.mark.parametrize("cell", [64, 40])
def test_frames_have_the_pixels_of_painted_frames(cell):
    """With words above and below, and with the target pointed out, be it a box at the edge or a solid."""
    for seed in range(8):
        scene = drawn_scene(seed, 6, 6)
        command = "push the red circle" + " that is in the same row as a big blue square" * (seed % 4)
        for target in (None, *range(3)):
            frame = Frame(scene=scene, command=command, line=f"{seed}: turn left, reward -0.01", target=target)

            assert np.array_equal(frame.picture(cell), frame.paint(cell))


def test_all_places_of_all_things_have_their_own_pixels():
    """Every object and every agent on every cell, one by one."""
    for number, shape in enumerate(SHAPES):
        thing = GridObject(shape=shape, color=COLORS[number], size=number + 1, row=0, column=0)
        for row in range(4):
            for column in range(4):
                agent = Agent(3 - row, 3 - column, Facing(number))
                scene = GridScene((replace(thing, row=row, column=column),), size=4, agent=agent)
                assert np.array_equal(draw_observation(scene, 16), paint_board(scene, 16))


def test_tiles_are_painted_once(monkeypatch):
    """A scene that was seen needs no more painting."""
    scene = drawn_scene(1, 6, 8)
    first = draw_observation(scene, 32)
    monkeypatch.setattr(tiles, "put_items", lambda *_, **__: 1 / 0)

    again = draw_observation(scene, 32)

    assert np.array_equal(first, again)
    again[:] = 0
    assert np.array_equal(draw_observation(scene, 32), first)
