"""`deixis/Navigate-v1`: carry out an instruction in a grid world."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces

from deixis.environments._options import demand_one_of
from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.worlds.grid._kernels.environment import ACTIONS
from deixis.worlds.grid.actions import Action
from deixis.worlds.grid.environment._batch import Batch
from deixis.worlds.grid.environment._observations import CLEAR, Frame, Values, observe, space_of
from deixis.worlds.grid.environment.episodes import find_episodes
from deixis.worlds.grid.environment.options import read_options


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.worlds.grid.environment.episodes import Episodes, Fresh
    from deixis.worlds.grid.scene import GridScene


__all__ = ["ACTION_NAMES", "STOP", "NavigateEnv"]

STOP = ACTIONS - 1
ACTION_NAMES = (*(action.words for action in Action), "stop")
FACTS = ("example", "number")  # what `reset` can be asked for
_ONE = np.ones(1, np.bool_)
_NONE = np.zeros(1, np.bool_)


class NavigateEnv(gymnasium.Env[Values, np.int64]):
    """An agent on a board is told what to do: "push the small red circle that is inside of the blue box cautiously".

    Actions: 0 turn left, 1 turn right, 2 walk, 3 push, 4 pull, 5 stay, 6 stop. What they do is what
    `deixis.worlds.grid.simulate` says: objects do not stand in the way of the agent, which pushes or pulls what it
    stands on, heavy ones (sizes 3 and 4) at every second effort.

    `info` holds `action_mask`, int8 [7], the actions that do something; `number`, that of the episode; `distance`,
    the cells that are still missing; `success`, whether what was done so far is what was asked for.

    Args:
        data: the folder of a dataset, or a released file; without it, worlds are made from a recipe.
        split: of the dataset, or `train`, `all` or the name of a hold-out of the recipe.
        recipe: a recipe, the path of its file, or its keys; small ReaSCAN by default.
        world_seed: takes the place of the seed of the recipe.
        episodes: how many to make from it, 2,048 by default; a dataset has its own.
        render_mode: `human` draws in the terminal, `ansi` gives the same as text, `rgb_array` a picture.
        options: see `deixis.worlds.grid.environment.options.Options`.

    Example:
        >>> import gymnasium, deixis.environments
        >>> env = gymnasium.make("deixis/Navigate-v1", observation="text", episodes=64)
        >>> observation, info = env.reset(seed=1)
        >>> sorted(observation)
        ['instruction', 'scene']
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        data: str | Path | None = None,
        split: str = "train",
        *,
        recipe: Fresh = None,
        world_seed: int | None = None,
        episodes: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            demand_one_of("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.options = read_options(options)
        found = find_episodes(data, split, recipe=recipe, world_seed=world_seed, episodes=episodes)
        self.batch = Batch(found, self.options, 1)
        self.observation_space = space_of(self.batch, self.options)
        self.action_space = spaces.Discrete(ACTIONS)
        self._is_seeded = False
        self._line = ""
        self._is_over = True

    # ---------------------------------------------------------------------------- playing

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Values, dict[str, Any]]:
        """Begin a random episode.

        Args:
            seed: the episodes from here on follow from it.
            options: `{"example": id}` begins the episode of that example, `{"number": n}` the nth, counted from 0.
        """
        super().reset(seed=seed)
        if seed is not None or not self._is_seeded:
            self.batch.seed([0], [int(self.np_random_seed or 0)])
            self._is_seeded = True
        self.batch.begin(self._choose(options or {}))
        self._is_over = False
        self._line = f"{self.batch.rules.limit} actions at most"
        self._show()
        return observe(self.batch, self.options, 0), self._info()

    def step(self, action: np.int64) -> tuple[Values, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take one action.

        Raises:
            SchemaError: when there is no such action.
            DeixisError: when the episode is over.
        """
        if not self.action_space.contains(action):
            raise SchemaError(f"an action is a whole number from 0 to {ACTIONS - 1}, got {action!r}")
        if self._is_over:
            raise DeixisError("the episode is over; call reset before the next step")
        self.batch.step(np.array([action], np.int64), _NONE, _ONE)
        stage = self.batch.stage
        reward, terminated, truncated = float(stage.reward[0]), bool(stage.terminated[0]), bool(stage.truncated[0])
        self._is_over = terminated or truncated
        done = f"stop after {stage.steps[0]}" if action == STOP else f"{stage.steps[0]}: {ACTION_NAMES[int(action)]}"
        self._line = f"{done}, reward {reward:.2f}"
        self._show()
        return observe(self.batch, self.options, 0), reward, terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """Return the mask of actions that do something, bool [7].

        Learners with masks look for this name.
        """
        return self.batch.stage.mask[0].astype(np.bool_)

    # ---------------------------------------------------------------------------- looking

    @property
    def episodes(self) -> Episodes:
        """The episodes to choose from."""
        return self.batch.episodes

    @property
    def episode(self) -> int:
        """The number of the episode that is being played."""
        return int(self.batch.stage.episode[0])

    @property
    def instruction(self) -> str:
        """The command of the episode."""
        return self.episodes.command(self.episode)

    @property
    def scene(self) -> GridScene:
        """The world as it is now."""
        return self.batch.scene(0)

    def render(self) -> Any:
        """Render the state as a picture (`rgb_array`) or as text (`ansi`), or return None without a render mode."""
        if self.render_mode == "rgb_array":
            return self._frame().picture()
        return self._frame().text(color=False) if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            sys.stdout.write(CLEAR + self._frame().text(color=True))
            sys.stdout.flush()

    def _frame(self) -> Frame:
        target = self.episodes.target(self.episode) if self.options.point_out else None
        return Frame(scene=self.scene, command=self.instruction, line=self._line, target=target)

    # ---------------------------------------------------------------------------- inside

    def _choose(self, asked: dict[str, Any]) -> np.ndarray:
        unknown = [name for name in asked if name not in FACTS]
        if unknown:
            raise UnknownName(f"reset has no option {unknown[0]!r}; known: {', '.join(FACTS)}")
        if "example" in asked:
            return np.array([self.episodes.find(asked["example"])], np.int64)
        if "number" in asked:
            return np.array([self.episodes.demand(asked["number"])], np.int64)
        return self.batch.draw(_ONE)

    def _info(self) -> dict[str, Any]:
        stage = self.batch.stage
        return {
            "action_mask": stage.mask[0].copy(),
            "number": self.episode,
            "distance": int(self.batch.distances()[0]),
            "success": bool(stage.success[0]),
        }
