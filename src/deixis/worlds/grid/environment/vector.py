"""`deixis/Navigate-v1`, many at a time, with all episodes stepped by one call of a compiled kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.worlds.grid._kernels.environment import ACTIONS
from deixis.worlds.grid.environment._batch import Batch
from deixis.worlds.grid.environment._observations import Frame, Values, observe_all, space_of
from deixis.worlds.grid.environment.episodes import find_episodes
from deixis.worlds.grid.environment.navigate import NavigateEnv
from deixis.worlds.grid.environment.options import read_options


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.worlds.grid.environment.episodes import Episodes, Fresh


__all__ = ["NavigateVectorEnv"]

FACTS = ("numbers", "reset_mask")  # what `reset` can be asked for
ARRAYS = ("symbolic", "objects")  # kinds of observation that are arrays already
MOST_ROWS = 1 << 20


class NavigateVectorEnv(VectorEnv[Values, np.ndarray, np.ndarray]):
    """Many episodes at once, each row the same as a `NavigateEnv` with its seed.

    `reset(seed=s)` gives row k the seed s + k, as Gymnasium's own vector environments do.

    Args:
        num_envs: how many rows.
        autoreset_mode: `NEXT_STEP` begins a new episode with the step after the last, whatever the action; `SAME_STEP`
            at once, with what was seen last in `infos["final_obs"]`; `DISABLED` leaves it to
            `reset(options={"reset_mask": ...})`.
        copy: whether observations are new arrays each time; without it the next step changes them, which is faster.
        data, split, recipe, world_seed, episodes, options: as for `NavigateEnv`; what is observed must be `symbolic`
            or `objects`.
    """

    def __init__(  # noqa: PLR0913 (as many as there are things to choose)
        self,
        num_envs: int = 1,
        data: str | Path | None = None,
        split: str = "train",
        *,
        recipe: Fresh = None,
        world_seed: int | None = None,
        episodes: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if type(num_envs) is not int or not 1 <= num_envs <= MOST_ROWS:
            raise SchemaError(f"num_envs is a whole number from 1 to {MOST_ROWS:,}, got {num_envs!r}")
        if render_mode not in (None, "rgb_array", "ansi"):
            raise UnknownName(f"the render_mode of many episodes cannot be {render_mode!r}; known: rgb_array, ansi")
        self.num_envs, self.copy, self.render_mode = num_envs, copy, render_mode
        self.autoreset_mode = _mode(autoreset_mode)
        self.metadata = {**NavigateEnv.metadata, "autoreset_mode": self.autoreset_mode}
        self.options = read_options(options)
        if self.options.observation not in ARRAYS:
            raise UnknownName(
                f"many episodes at once are observed as {' or '.join(ARRAYS)}, not as {self.options.observation}; "
                'for that use vectorization_mode="sync"'
            )
        found = find_episodes(data, split, recipe=recipe, world_seed=world_seed, episodes=episodes)
        self.batch = Batch(found, self.options, num_envs)
        self.single_observation_space = space_of(self.batch, self.options)
        self.single_action_space = spaces.Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._every, self._none = np.ones(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
        self._is_over = np.ones(num_envs, np.bool_)
        self._is_seeded = False

    @property
    def episodes(self) -> Episodes:
        """The episodes to choose from."""
        return self.batch.episodes

    @property
    def instructions(self) -> tuple[str, ...]:
        """The command of every row."""
        return tuple(map(self.episodes.command, self.batch.stage.episode.tolist()))

    # ---------------------------------------------------------------------------- playing

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Values, dict[str, Any]]:
        """Begin an episode in every row.

        Args:
            seed: of the first row, those of the others count on from it; or one for each row.
            options: `{"numbers": [...]}` says which episode each row begins, `{"reset_mask": bool [row]}` which rows
                begin one; the others go on.
        """
        asked = dict(options or {})
        unknown = [name for name in asked if name not in FACTS]
        if unknown:
            raise UnknownName(f"reset has no option {unknown[0]!r}; known: {', '.join(FACTS)}")
        chosen = self._rows(asked["reset_mask"]) if "reset_mask" in asked else self._every
        self._seed(seed, chosen)
        numbers = self._numbers(asked["numbers"], chosen) if "numbers" in asked else self.batch.draw(chosen)
        self.batch.begin(numbers)
        self._is_over[chosen] = False
        return observe_all(self.batch, self.options, copy=self.copy), self._infos(chosen)

    def step(self, actions: np.ndarray) -> tuple[Values, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one action in every row.

        Raises:
            SchemaError: when they are not one action for each row.
            DeixisError: when an episode is over that nobody has reset.
        """
        codes = self._codes(actions)
        stage, mode = self.batch.stage, self.autoreset_mode
        if mode == AutoresetMode.NEXT_STEP:
            if not self._is_seeded:
                raise DeixisError("nothing has begun; call reset before the first step")
            self.batch.step(codes, self._is_over, self._every)
        else:
            if self._is_over.any():
                raise DeixisError(
                    f"the episode of row {self._is_over.argmax()} is over; call reset before the next step"
                )
            self.batch.step(codes, self._none, self._every)
        rewards, terminated, truncated = stage.reward.copy(), stage.terminated.copy(), stage.truncated.copy()
        over = terminated | truncated
        infos: dict[str, Any] = {}
        if mode == AutoresetMode.SAME_STEP and over.any():
            infos = self._final(over)
            self.batch.begin(self.batch.draw(over))
            over = self._none.copy()
        self._is_over = over
        return (
            observe_all(self.batch, self.options, copy=self.copy),
            rewards,
            terminated,
            truncated,
            {
                **self._infos(self._every),
                **infos,
            },
        )

    def render(self) -> tuple[Any, ...] | None:
        """Render every row as a picture (`rgb_array`) or as text (`ansi`)."""
        if self.render_mode is None:
            return None
        frames = [
            Frame(
                scene=self.batch.scene(row),
                command=command,
                line=f"step {self.batch.stage.steps[row]}",
                target=self.episodes.target(int(self.batch.stage.episode[row])) if self.options.point_out else None,
            )
            for row, command in enumerate(self.instructions)
        ]
        return tuple(one.picture() if self.render_mode == "rgb_array" else one.text(color=False) for one in frames)

    # ---------------------------------------------------------------------------- inside

    def _seed(self, seed: int | Sequence[int | None] | None, chosen: np.ndarray) -> None:
        rows = np.flatnonzero(chosen).tolist()
        if seed is None and self._is_seeded:
            return
        if seed is None or isinstance(seed, int | np.integer):
            super().reset(seed=None if seed is None else int(seed))
            first = int(self.np_random_seed or 0)
            self.batch.seed(rows, [first + row for row in rows])
        else:
            if len(seed) != self.num_envs:
                raise SchemaError(f"{self.num_envs} rows need as many seeds, got {len(seed)}")
            given = {row: each for row, each in enumerate(seed) if each is not None and chosen[row]}
            if not self._is_seeded:
                self._seed(None, chosen)
            self.batch.seed(list(given), [int(each) for each in given.values()])
        self._is_seeded = True

    def _rows(self, mask: object) -> np.ndarray:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise SchemaError(f"the reset_mask is an array of {self.num_envs} booleans, got {mask!r}")
        return mask

    def _numbers(self, numbers: object, chosen: np.ndarray) -> np.ndarray:
        given = np.asarray(numbers)
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            raise SchemaError(f"the numbers are {self.num_envs} numbers of episodes, one for each row")
        for number in given[chosen].tolist():
            self.episodes.demand(number)
        return np.where(chosen, given, -1).astype(np.int64)

    def _codes(self, actions: object) -> np.ndarray:
        codes = np.asarray(actions)
        if codes.shape != (self.num_envs,) or not np.issubdtype(codes.dtype, np.integer):
            raise SchemaError(f"{self.num_envs} rows need as many actions, got {codes.dtype} {list(codes.shape)}")
        if codes.min() < 0 or codes.max() >= ACTIONS:
            wrong = int(codes[(codes < 0) | (codes >= ACTIONS)][0])
            raise SchemaError(f"an action is a whole number from 0 to {ACTIONS - 1}, got {wrong}")
        return codes.astype(np.int64)

    def _infos(self, chosen: np.ndarray) -> dict[str, Any]:
        """What there is to know, and in which rows it is new."""
        stage = self.batch.stage
        facts = {
            "action_mask": stage.mask.copy(),
            "number": stage.episode.copy(),
            "distance": self.batch.distances(),
            "success": stage.success.copy(),
        }
        return {**facts, **{f"_{name}": chosen.copy() for name in facts}}

    def _final(self, over: np.ndarray) -> dict[str, Any]:
        """What was seen and known last in rows that are about to begin anew."""
        rows = np.flatnonzero(over)
        seen = {name: array[rows] for name, array in observe_all(self.batch, self.options, copy=False).items()}
        last = np.full(self.num_envs, None, object)
        for place, row in enumerate(rows.tolist()):
            last[row] = {name: array[place] for name, array in seen.items()}
        return {
            "final_obs": last,
            "_final_obs": over.copy(),
            "final_info": self._infos(over),
            "_final_info": over.copy(),
        }


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    known = {name: one for one in AutoresetMode for name in (one.name, one.value)}
    if mode not in known:
        raise UnknownName(
            f"the autoreset_mode cannot be {mode!r}; known: {', '.join(one.name for one in AutoresetMode)}"
        )
    return known[mode]
