"""E3: does the plan carry the command out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.datasets.checks.registry import Hits, check
from deixis.worlds.grid.actions import Action, Verb, plan_to_letters
from deixis.worlds.grid.plan import plan


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.datasets.checks.chunk import Chunk


@check("E301")
def other_plan(chunk: Chunk) -> Hits:
    """The recorded plan is not the planner's."""

    def detail(row: int) -> str:
        command = chunk.command(row)
        made = plan(chunk.scene(row), int(chunk.target[row]), command.verb, command.manner)
        return f"it should be {plan_to_letters(made) or 'empty'}, {_recorded(chunk, row)} is recorded"

    return Hits.where(_failing(chunk, chunk.judge.agreements), detail)


@check("E302")
def astray(chunk: Chunk) -> Hits:
    """The recorded plan, carried out, does not reach the target.

    The agent must stand on the cell of the target when it first pushes or pulls, or else at the end.
    """
    return Hits.where(_failing(chunk, chunk.judge.arrivals), lambda row: f"{_recorded(chunk, row)} is recorded")


@check("I303")
def nothing_moves(chunk: Chunk) -> Hits:
    """Pushing or pulling moves nothing, so that the plan is that of walking.

    The target stands at the edge or against another solid.
    """
    efforts = (chunk.plan.values == Action.PUSH) | (chunk.plan.values == Action.PULL)
    moves = np.bincount(chunk.plan.row[efforts], minlength=len(chunk)) > 0
    asked = chunk.of_command([c.is_read and c.verb != Verb.WALK for c in chunk.commands], bool)
    return Hits.where(asked & ~moves, lambda row: repr(chunk.command(row).text))


def _failing(chunk: Chunk, ask: Callable[[Chunk, np.ndarray], np.ndarray]) -> np.ndarray:
    """bool [row]: the plan can be judged and fails."""
    rows = np.flatnonzero(chunk.is_planned)
    failing = np.zeros(len(chunk), bool)
    failing[rows] = ~ask(chunk, rows)
    return failing


def _recorded(chunk: Chunk, row: int) -> str:
    return chunk.table["plan"][row].as_py() or "the empty plan"
