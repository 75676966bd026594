"""Episodes in progress, in any number, stepped together by the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.seeds import derive
from deixis.worlds.grid._kernels.environment import ACTIONS, Stage, begin_all, distances, draw_all, step_all
from deixis.worlds.grid.environment.episodes import scene_from


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid.environment.episodes import Episodes
    from deixis.worlds.grid.environment.options import Options
    from deixis.worlds.grid.scene import GridScene


class Batch:
    """Rows of episodes, each with one at a time.

    Attributes:
        episodes: those to choose from.
        vocabulary: how many words there are.
        stage: the arrays, see `worlds.grid._kernels.environment.Stage`; they change with every step.
    """

    def __init__(self, episodes: Episodes, options: Options, rows: int) -> None:
        self.episodes = episodes
        words, self.vocabulary = episodes.words(options.words, options.longest_command)
        self.play = episodes.play(words)
        self.rules = options.rules(episodes.size)
        channels = options.channels if options.observation == "symbolic" else 0
        self.stage = _empty_stage(rows, episodes.places, episodes.size, channels, words.shape[1])

    def __len__(self) -> int:
        return len(self.stage.episode)

    def seed(self, rows: Sequence[int] | np.ndarray, seeds: Sequence[int]) -> None:
        """Seed the choice of episodes in some rows."""
        for row, seed in zip(rows, seeds, strict=True):
            self.stage.random[row, 0] = derive(seed, "episodes")

    def draw(self, chosen: np.ndarray) -> np.ndarray:
        """Draw random episodes for the chosen rows, bool [row]: int64 [row], -1 in the others."""
        drawn = np.empty(len(self), np.int64)
        draw_all(self.stage.random, chosen, len(self.episodes), drawn)
        return drawn

    def begin(self, numbers: np.ndarray) -> None:
        """Begin episodes, int64 [row], leaving a row as it is where the number is below 0."""
        begin_all(self.play, self.stage, self.rules, numbers)

    def step(self, actions: np.ndarray, waiting: np.ndarray, chosen: np.ndarray) -> None:
        """Take an action, int64 [row], in every chosen row, and begin anew in those that wait, bool [row]."""
        step_all(self.play, self.stage, self.rules, actions, waiting, chosen)

    def distances(self) -> np.ndarray:
        """Return the number of cells still missing in every row: int64 [row]."""
        found = np.empty(len(self), np.int64)
        distances(self.play, self.stage, found)
        return found

    def scene(self, row: int) -> GridScene:
        """Return the world of a row as it is now."""
        count = self.episodes.asked.count[self.stage.episode[row]]
        return scene_from(self.stage.objects[row, :count], self.stage.agent[row], size=self.episodes.size)


def _empty_stage(rows: int, places: int, size: int, channels: int, words: int) -> Stage:
    def whole() -> np.ndarray:
        return np.zeros(rows, np.int64)

    def flags() -> np.ndarray:
        return np.zeros(rows, np.bool_)

    return Stage(
        random=np.zeros((rows, 1), np.uint64),
        episode=whole(),
        objects=np.zeros((rows, places, 5), np.uint8),
        agent=np.zeros((rows, 3), np.uint8),
        solid=np.zeros((rows, size * size), np.int8),
        strained=whole(),
        steps=whole(),
        displaced=whole(),
        far=np.ones(rows, np.int64),
        on_plan=flags(),
        spoilt=flags(),
        recent=whole(),
        lefts=whole(),
        spun=flags(),
        pending=flags(),
        axis=whole(),
        grid=np.zeros((rows, size, size, channels), np.uint8),
        words=np.zeros((rows, words), np.uint16),
        mask=np.ones((rows, ACTIONS), np.int8),
        reward=np.zeros(rows, np.float64),
        terminated=flags(),
        truncated=flags(),
        success=flags(),
    )
