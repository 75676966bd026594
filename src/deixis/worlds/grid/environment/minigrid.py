"""`deixis/Navigate-v1` with the observations of Minigrid, for networks that were made for it.

| here | in Minigrid |
|---|---|
| circle, cylinder, square, box | ball, key, door, box |
| red, blue, green, yellow | the same colours, by Minigrid's numbers |
| size | the third number, which for doors says whether they are open |
| turn left, turn right, walk | left, right, forward: the same numbers |
| push, pull, stay, stop | pickup, drop, toggle, done: the same numbers |

A box is shown where its upper left corner is, unless something stands there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from deixis.errors import SchemaError
from deixis.worlds.grid.environment._observations import Values, letters_of
from deixis.worlds.grid.environment.navigate import NavigateEnv


if TYPE_CHECKING:
    from deixis.worlds.grid.scene import Agent, GridScene


__all__ = ["COLORS", "KINDS", "MinigridObservation", "encode_ahead", "encode_whole"]

EMPTY, WALL, AGENT = (1, 0, 0), (2, 5, 0), 10
KINDS = {"circle": 6, "cylinder": 5, "square": 4, "box": 7}  # ball, key, door, box
COLORS = {"red": 0, "green": 1, "blue": 2, "yellow": 4}
VIEW = 7  # cells along a side of what Minigrid's agents see


class MinigridObservation(gymnasium.ObservationWrapper[Values, np.int64, Values], RecordConstructorArgs):
    """The observation of Minigrid: `image`, `direction` and `mission`.

    Args:
        env: `deixis/Navigate-v1` with any observation; `objects` costs least.
        view: cells along a side of what the agent sees ahead, an odd number; None shows the whole board.
    """

    def __init__(self, env: gymnasium.Env[Values, np.int64], view: int | None = VIEW) -> None:
        RecordConstructorArgs.__init__(self, view=view)
        gymnasium.ObservationWrapper.__init__(self, env)
        inner = env.unwrapped
        if not isinstance(inner, NavigateEnv):
            raise SchemaError(f"only deixis/Navigate-v1 can be shown as Minigrid, not {inner}")
        if view is not None and (type(view) is not int or not 3 <= view <= 31 or view % 2 == 0):
            raise SchemaError(
                f"the view is an odd number of cells from 3 to 31, or None for the whole board, got {view!r}"
            )
        self.view, self.inner = view, inner
        side = inner.episodes.size if view is None else view
        longest = max(len(said.text) for said in inner.episodes.asked.commands)
        self.observation_space = spaces.Dict(
            {
                "image": spaces.Box(0, 255, (side, side, 3), np.uint8),
                "direction": spaces.Discrete(4),
                "mission": spaces.Text(longest, charset=letters_of(inner.episodes)),
            }
        )

    def observation(self, observation: Values) -> Values:  # noqa: ARG002 (the world itself is looked at)
        """Return the observation of the world as Minigrid has it."""
        scene = self.inner.scene
        agent = scene.agent
        assert agent is not None
        image = encode_whole(scene) if self.view is None else encode_ahead(scene, self.view)
        return {"image": image, "direction": int(agent.facing), "mission": self.inner.instruction}


def encode_whole(scene: GridScene) -> np.ndarray:
    """Encode the whole board, agent included: uint8 [column, row, 3] with kind, colour and size, or direction."""
    image = _encode_objects(scene)
    if scene.agent:
        image[scene.agent.column, scene.agent.row] = (AGENT, COLORS["red"], scene.agent.facing)
    return image


def encode_ahead(scene: GridScene, view: int = VIEW) -> np.ndarray:
    """Encode the view ahead of the agent, who looks up from the middle of the last row: uint8 [column, row, 3]."""
    agent: Agent | None = scene.agent
    if agent is None:
        raise SchemaError("the scene has no agent to look ahead; give it one")
    side = scene.size + 2 * view
    board = np.empty((side, side, 3), np.uint8)
    board[:] = WALL
    board[view:-view, view:-view] = _encode_objects(scene)
    column, row = agent.column + view, agent.row + view
    for _ in range(agent.facing + 1):  # turned until what lies ahead is up
        board = np.rot90(board, -1)
        column, row = row, side - 1 - column
    half = view // 2
    return np.ascontiguousarray(board[column - half : column + half + 1, row - view + 1 : row + 1])


def _encode_objects(scene: GridScene) -> np.ndarray:
    image = np.empty((scene.size, scene.size, 3), np.uint8)
    image[:] = EMPTY
    for thing in sorted(scene.objects, key=lambda thing: not thing.is_box):
        image[thing.column, thing.row] = (KINDS[thing.shape], COLORS[thing.color], thing.size)
    return image
