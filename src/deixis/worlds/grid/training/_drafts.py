"""Drafts of plans: guesses from the planner, which a model accepts or corrects in one pass instead of step by step."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.worlds.grid._batches import AGENT
from deixis.worlds.grid._kernels.drafts import continue_plans, plan_towards_all
from deixis.worlds.grid.actions import MANNERS, VERBS


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid.data._arrays import PlanArrays


class Scenes(NamedTuple):
    """Worlds and what is to be done in them, as the planner takes them.

    Shapes:
        agents: uint8 [example, 3]; objects: uint8 [example, place, 5]; counts, verbs, manners: int64 [example].
    """

    agents: np.ndarray
    objects: np.ndarray
    counts: np.ndarray
    verbs: np.ndarray
    manners: np.ndarray


class Drafts:
    """Drafts for some examples, better with every action of theirs that is known.

    Args:
        scenes: the worlds of the examples.
        size: cells along one side.
        limit: actions of the longest plan.
        target_scores: float [example, cell], how much each cell is that of the target; None where nobody points.
    """

    def __init__(self, scenes: Scenes, size: int, limit: int, target_scores: np.ndarray | None) -> None:
        shape = scenes.objects.shape[:2]
        self.plans, self.lengths = np.zeros((*shape, limit), np.uint8), np.zeros(shape, np.int64)
        plan_towards_all(self.plans, self.lengths, *scenes[:1], *scenes[3:], *scenes[1:3], size)
        self.merits = np.zeros(shape)
        if target_scores is not None:
            cells = scenes.objects[:, :, 3].astype(np.int64) * size + scenes.objects[:, :, 4]
            self.merits[:] = np.take_along_axis(target_scores, cells, axis=1)

    def go_on(self, said: np.ndarray, known: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Write guesses behind the actions known of some examples, and return how long the plans are with them.

        Shapes:
            said: uint8 [row, action]; known: int64 [row]; rows: int64 [row], the numbers of the examples.
        """
        drafted = np.zeros_like(known)
        continue_plans(said, known, drafted, self.plans[rows], self.lengths[rows], self.merits[rows])
        return drafted


def read_scenes(arrays: PlanArrays, vocabulary: Sequence[str]) -> Scenes:
    """Return the worlds and instructions of examples, from the channels that are lit and the words.

    A verb that is not among the words counts as walking, and a manner as none.
    """
    size, channels = isqrt(arrays.cells), arrays.channels
    is_lit = arrays.lit < arrays.cells * channels
    is_agent = is_lit & (arrays.lit % channels >= channels + AGENT)
    first = np.argsort(~is_agent, axis=1, kind="stable")[:, :2]
    here, faces = np.take_along_axis(arrays.lit, first, axis=1).T
    agents = np.stack((here // channels // size, here // channels % size, faces % channels - channels - AGENT - 1), 1)
    counts = (is_lit.sum(axis=1) - 2) // 3
    objects = _objects(arrays.lit, counts, size, channels)
    manners = [manner.split()[-1] if manner else "" for manner in MANNERS]
    found = (_find(arrays.words, vocabulary, words) for words in (list(VERBS), manners))
    return Scenes(agents.astype(np.uint8), objects, counts, *found)


def _objects(lit: np.ndarray, counts: np.ndarray, size: int, channels: int) -> np.ndarray:
    """Return shape, color, size, row and column of objects, uint8 [example, place, 5]; zeros beyond the last."""
    places = lit.shape[1] // 3
    lights = lit[:, : 3 * places].reshape(len(lit), places, 3)
    cell = lights[:, :, 0] // channels
    big, shape, color = np.moveaxis(lights % channels, 2, 0)
    is_apart = (big >= 12).astype(np.int32)  # a box, where boxes have channels of their own
    things = np.stack((shape - 4, color - 8 - 8 * is_apart, big + 1 - 12 * is_apart, cell // size, cell % size), axis=2)
    return np.where((np.arange(places) < counts[:, None])[:, :, None], things, 0).astype(np.uint8)


def _find(words: np.ndarray, vocabulary: Sequence[str], wanted: Sequence[str]) -> np.ndarray:
    """Return which of the wanted words each command has, int64 [example], 0 for none."""
    code = np.zeros(len(vocabulary) + 1, np.int64)
    for number, word in enumerate(vocabulary, start=1):
        code[number] = wanted.index(word) if word in wanted else 0
    return code[words].max(axis=1, initial=0)
