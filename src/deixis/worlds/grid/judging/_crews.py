"""Judging many plans with the help of a crew: some thousand go out at a time, the verdicts come back in order."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np

from deixis.data._crew import in_order
from deixis.worlds.grid.judging.verdicts import ExampleArrays, Plans, Verdicts, judge_all, take_plans


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.data._crew import Crew


ROWS = 16_384  # judged together
PER_EXAMPLE = ("ids", "objects", "count", "size", "target", "agent", "roles")


def judge_with_crew(asked: ExampleArrays, plans: Plans, *, crew: Crew, is_given: np.ndarray | None = None) -> Verdicts:
    """Judge as `judge_all` does, by a crew.

    Args:
        asked: the examples.
        plans: one for each of them, in their order.
        crew: those who judge.
        is_given: bool [example], false where there was no answer.
    """
    given = np.ones(len(asked), bool) if is_given is None else is_given
    found = list(in_order(crew, _judge, _pieces(asked, plans, given), ahead=2 * crew.size))
    if not found:
        return judge_all(asked, plans, is_given=given)
    joined = {field.name: np.concatenate([getattr(one, field.name) for one in found]) for field in fields(Verdicts)}
    return Verdicts(**joined)


def _judge(piece: tuple[ExampleArrays, Plans, np.ndarray]) -> Verdicts:
    """The verdicts on a piece, by whoever was given it."""
    asked, plans, is_given = piece
    return judge_all(asked, plans, is_given=is_given)


def _pieces(asked: ExampleArrays, plans: Plans, given: np.ndarray) -> Iterator[tuple[ExampleArrays, Plans, np.ndarray]]:
    """The examples and their plans in pieces; each takes along only the commands that it needs."""
    for start in range(0, len(asked), ROWS):
        rows = slice(start, min(start + ROWS, len(asked)))
        used, which = np.unique(asked.which[rows], return_inverse=True)
        piece = replace(
            asked,
            **{name: getattr(asked, name)[rows] for name in PER_EXAMPLE},
            plans=asked.plans.slice(rows.start, rows.stop),
            which=which.astype(np.int64),
            commands=tuple(asked.commands[number] for number in used.tolist()),
        )
        answers = replace(take_plans(plans, np.arange(rows.start, rows.stop)), facts={}, faults={})
        yield piece, answers, given[rows]
