"""Features of an object that are visible without reading anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.audits._plain import features
from deixis.worlds.grid.data.statistics import COMPASS


if TYPE_CHECKING:
    from deixis.worlds.grid.scene import GridScene


GRID_FEATURES = ("shape", "color", "size", "row", "column", "distance", "direction")
_BY_SIGNS = np.array([[7, 0, 1], [6, 8, 2], [5, 4, 3]])  # [up, level, down][left, level, right], numbers of COMPASS


def grid_features(scene: GridScene, index: int) -> dict[str, str]:
    """Return the visible features of an object on a grid: its values, and its distance and direction from the agent.

    The distance is the number of steps; north is up.
    """
    thing, agent = scene.objects[index], scene.agent
    assert agent is not None
    down, right = thing.row - agent.row, thing.column - agent.column
    away = {"distance": str(min(abs(down) + abs(right), 255)), "direction": COMPASS[int(compass(down, right))]}
    return {**features(scene, index), **away}


def compass(down: np.ndarray | int, right: np.ndarray | int) -> np.ndarray:
    """Return the direction of something so many rows down and columns to the right: numbers of `COMPASS`."""
    found: np.ndarray = _BY_SIGNS[np.sign(down) + 1, np.sign(right) + 1]
    return found
