"""Judging many plans, some thousand at a time, here or with the help of a crew; verdicts come back in order."""

from __future__ import annotations

from dataclasses import fields, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from deixis.data._crew import in_order
from deixis.data._pieces import pack_arrays, share_kept, unpack_arrays
from deixis.worlds.grid.judging.verdicts import ExampleArrays, Plans, Verdicts, judge_all, take_plans


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.data._crew import Crew
    from deixis.data._pieces import KeptPieces


ROWS = 16_384  # judged together
FIELDS = tuple(field.name for field in fields(Verdicts))
PER_EXAMPLE = ("ids", "objects", "count", "size", "target", "agent", "roles")


def judge_with_crew(
    asked: ExampleArrays,
    plans: Plans,
    *,
    crew: Crew | None,
    kept: KeptPieces | None = None,
    is_given: np.ndarray | None = None,
) -> Verdicts:
    """Judge as `judge_all` does, some thousand plans at a time.

    Args:
        asked: the examples.
        plans: one for each of them, in their order.
        crew: those who judge; None to judge here.
        kept: what was judged before, which is not judged again.
        is_given: bool [example], false where there was no answer.
    """
    given = np.ones(len(asked), bool) if is_given is None else is_given
    if not len(asked):
        return judge_all(asked, plans, is_given=given)
    ranges = [range(start, min(start + ROWS, len(asked))) for start in range(0, len(asked), ROWS)]

    def judge(some: Sequence[range]) -> Iterator[Verdicts]:
        pieces = (_piece(asked, plans, given, rows) for rows in some)
        return map(_judge, pieces) if crew is None else in_order(crew, _judge, pieces, ahead=2 * crew.size)

    def key(rows: range) -> list[str]:
        answers = take_plans(plans, np.array(rows)).codes
        arrays = (asked.ids[rows.start : rows.stop], answers.values, answers.start, given[rows.start : rows.stop])
        return ["verdicts", *(sha256(array.tobytes()).hexdigest() for array in arrays)]

    found = list(share_kept(kept, ranges, judge, key=key, pack=_pack, unpack=_unpack))
    joined = {name: np.concatenate([getattr(one, name) for one in found]) for name in FIELDS}
    return Verdicts(**joined)


def _pack(verdicts: Verdicts) -> dict[str, str]:
    return pack_arrays({name: getattr(verdicts, name) for name in FIELDS})


def _unpack(packed: Mapping[str, str]) -> Verdicts:
    return Verdicts(**unpack_arrays(packed))


def _judge(piece: tuple[ExampleArrays, Plans, np.ndarray]) -> Verdicts:
    """The verdicts on a piece, by whoever was given it."""
    asked, plans, is_given = piece
    return judge_all(asked, plans, is_given=is_given)


def _piece(
    asked: ExampleArrays, plans: Plans, given: np.ndarray, some: range
) -> tuple[ExampleArrays, Plans, np.ndarray]:
    """Some of the examples and their plans; they take along only the commands that they need."""
    rows = slice(some.start, some.stop)
    used, which = np.unique(asked.which[rows], return_inverse=True)
    piece = replace(
        asked,
        **{name: getattr(asked, name)[rows] for name in PER_EXAMPLE},
        plans=asked.plans.slice(rows.start, rows.stop),
        which=which.astype(np.int64),
        commands=tuple(asked.commands[number] for number in used.tolist()),
    )
    answers = replace(take_plans(plans, np.arange(rows.start, rows.stop)), facts={}, faults={})
    return piece, answers, given[rows]
