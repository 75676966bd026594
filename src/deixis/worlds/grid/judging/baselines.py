"""Plans without a model: the floor and the ceiling of every table.

`random_plans` says random actions, as many as there should be (the random baseline of ReaSCAN). `oracle_plans` reads
the command, resolves it in the world and plans: what a system that understands everything says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.data._ragged import Ragged
from deixis.seeds import GOLDEN_WORD, derive, mix_words
from deixis.worlds.grid.actions import Action
from deixis.worlds.grid.judging.verdicts import Plans
from deixis.worlds.grid.resolution import resolve_pairs
from deixis.worlds.grid.scene import GridBatch


if TYPE_CHECKING:
    from deixis.worlds.grid.judging.verdicts import ExampleArrays


__all__ = ["BASELINES", "oracle_plans", "random_plans"]

BASELINES = ("random", "oracle")
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


def random_plans(asked: ExampleArrays, *, seed: int) -> Plans:
    """For every example as many actions as the right plan has, each drawn from all six alike.

    The draws depend on the seed and the id of the example alone: they are those of
    `Stream(mix(id ^ derive(seed, "random plans")))`.
    """
    plans = asked.plans.slice(0, len(asked))  # its own, so that the row of every action is not kept with `asked`
    with np.errstate(over="ignore"):
        start = mix_words(asked.ids.astype(np.uint64) ^ np.uint64(derive(seed, "random plans")))
        words = mix_words(start[plans.row] + GOLDEN_WORD * (plans.place + 1).astype(np.uint64))
    actions = ((words & _LOW) * np.uint64(len(Action)) >> _HALF).astype(np.uint8)
    return Plans(ids=asked.ids, codes=Ragged(actions, plans.start), facts={"model": "random", "seed": seed})


def oracle_plans(asked: ExampleArrays) -> Plans:
    """For every example the plan for what its command picks out.

    Of several objects the first is taken; the plan is empty where there is none.
    """
    from deixis.worlds.grid._kernels.navigation import make_plans
    from deixis.worlds.grid._kernels.plan import longest_plan

    codes = np.array([command.codes for command in asked.commands], np.int64).reshape(-1, 2)[asked.which]
    verbs, manners = np.ascontiguousarray(codes[:, 0]), np.ascontiguousarray(codes[:, 1])
    room = max((int(longest_plan(size)) for size in np.unique(asked.size)), default=0)
    plans, lengths = np.zeros((len(asked), room), np.uint8), np.zeros(len(asked), np.int64)
    worlds = asked.objects, asked.count, asked.size, asked.agent
    make_plans(*worlds, _first_referents(asked), verbs, manners, plans, lengths)
    codes = Ragged.of_lengths(plans[np.arange(room) < lengths[:, None]], lengths)
    return Plans(ids=asked.ids, codes=codes, facts={"model": "oracle"})


def _first_referents(asked: ExampleArrays) -> np.ndarray:
    """int64 [example]: the first object that the command picks out, or -1."""
    found = np.zeros(len(asked), np.uint64)
    is_read = np.array([command.is_read for command in asked.commands], bool)
    programs = [command.meaning.program for command in asked.commands if command.is_read]
    number = np.cumsum(is_read) - 1
    for size in np.unique(asked.size):
        rows = np.flatnonzero((asked.size == size) & is_read[asked.which])
        batch = GridBatch(objects=asked.objects[rows], count=asked.count[rows].astype(np.uint8), size=int(size))
        found[rows] = resolve_pairs(programs, batch, number[asked.which[rows]])[:, 0]
    first = np.bitwise_count((found & (~found + np.uint64(1))) - np.uint64(1)).astype(np.int64)
    return np.where(found != 0, first, -1)
