"""Grid worlds as the arrays that models receive.

Channels of a cell, 17 of them as in the released encoders:

    0-3    size 1 to 4
    4-7    circle, cylinder, square, box
    8-11   red, blue, green, yellow
    12     the agent is here
    13-16  it faces east, south, west, north

A box stands only in the cell of its upper-left corner. What else stands there is added, so a channel can read 2. With
25 channels box and solid are told apart: 0-11 as before, but without size and color of boxes, 12-15 size of a box,
16-19 its color, 20 agent, 21-24 where it faces.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from deixis.worlds.grid.scene import BOX


CHANNELS = (17, 25)
AGENT = -5  # the channel of the agent, counted from the last; its facing follows


class Grids(Protocol):
    """Many worlds as arrays, such as `scene.GridBatch`.

    Shapes:
        objects: uint8 [scene, place, 5] with shape, color, size, row, column; places beyond `count` are unused.
        count: uint8 [scene].
    """

    @property
    def objects(self) -> np.ndarray:
        """The objects of every world."""

    @property
    def count(self) -> np.ndarray:
        """Number of objects of every world."""

    @property
    def size(self) -> int:
        """Cells along one side."""


def encode_grids(batch: Grids, agents: np.ndarray | None, *, channels: int = 17) -> np.ndarray:
    """Return the worlds as uint8 [scene, row, column, channel].

    Args:
        batch: the worlds.
        agents: integers [scene, 3] with row, column and facing (east 0, south 1, west 2, north 3); None for worlds
            without one.
        channels: 17, or 25 to keep boxes and solids apart.

    Raises:
        ValueError: when the arrays do not belong together or hold what no grid of this size can.
    """
    if channels not in CHANNELS:
        raise ValueError(f"a grid is encoded with 17 or 25 channels, not with {channels}")
    scenes, places = batch.objects.shape[:2]
    is_used = np.arange(places) < batch.count[:, None]
    scene, _ = np.nonzero(is_used)
    things = batch.objects[is_used].astype(np.int64)  # [object, 5]
    _check_range(things, (0, 0, 1, 0, 0), (3, 3, 4, batch.size - 1, batch.size - 1), "an object")
    grids = np.zeros((scenes, batch.size, batch.size, channels), np.uint8)
    shape, color, size, row, column = things.T
    for channel in channels_of(shape, color, size, channels=channels):
        np.add.at(grids, (scene, row, column, channel), 1)
    if agents is not None:
        _put_agents(grids, np.asarray(agents), batch.size)
    return grids


def channels_of(shape: np.ndarray, color: np.ndarray, size: np.ndarray, *, channels: int) -> tuple[np.ndarray, ...]:
    """Return the three channels of objects: those of their size, shape and color."""
    apart = np.where((shape == BOX) & (channels == 25), 1, 0)
    return size - 1 + 12 * apart, 4 + shape, 8 + color + 8 * apart


def _put_agents(grids: np.ndarray, agents: np.ndarray, size: int) -> None:
    if agents.shape != (len(grids), 3):
        raise ValueError(f"{len(grids)} worlds need agents of shape ({len(grids)}, 3), got {agents.shape}")
    agents = agents.astype(np.int64)
    _check_range(agents, (0, 0, 0), (size - 1, size - 1, 3), "an agent")
    row, column, facing = agents.T
    here = grids.shape[-1] + AGENT
    every = np.arange(len(grids))
    grids[every, row, column, here] = 1
    grids[every, row, column, here + 1 + facing] = 1


def _check_range(values: np.ndarray, low: tuple[int, ...], high: tuple[int, ...], what: str) -> None:
    wrong = np.flatnonzero(((values < low) | (values > high)).any(axis=1))
    if len(wrong):
        raise ValueError(f"{what} has the codes {values[wrong[0]].tolist()}, allowed are {list(low)} to {list(high)}")
