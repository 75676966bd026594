"""Expressions of absent things: each fits its target until one place is changed, and then fits nothing shown.

`changes` proposes expressions in words that the corpus knows: they sound right, and are about things that are there.
That they are false is verified here by resolution, in every way that `guard` knows, without ranks: two objects at the
same distance have none, but people see a first one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Nth, Related
from deixis.seeds import derive
from deixis.worlds.photos._changes import CHANGES, propose_changes
from deixis.worlds.photos._cooccurrences import Cooccurrences
from deixis.worlds.photos._guard import Guard
from deixis.worlds.photos.engine._facts import Facts
from deixis.worlds.photos.engine.settings import Engine


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.worlds.photos._changes import Change, Negative
    from deixis.worlds.photos._index import GraphIndex
    from deixis.worlds.photos.resolution.unknowns import Unknowns
    from deixis.worlds.photos.scene.graph_table import GraphTable


SPARE = 4  # for every one that is wanted, how many are tried: in the first scene, and what is false of it in the others
BATCH = 2_000  # expressions that are changed together


class ShownExpression(NamedTuple):
    """An expression and the numbers of the scenes in which nothing may fit once it is changed."""

    expression: Expression
    scenes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Negation:
    """Settings of the search for expressions of absent things.

    Attributes:
        changes: which changes to make.
        each: how many of every change, at most.
        most: how many of all changes together, at most, where they are chosen to be in balance (`balance`).
        in_other_words: whether the result must not fit in similar words either.
        loose_sides: whether it must not fit with left and right as people see them either.
        unknowns: if given, the result must certainly not fit, for all that is not annotated. Where the truth is at
            hand, that is asked instead.
    """

    changes: tuple[Change, ...] = CHANGES
    each: int = 1
    most: int = 1
    in_other_words: bool = True
    loose_sides: bool = True
    unknowns: Unknowns | None = None

    def __post_init__(self) -> None:
        if strange := [change for change in self.changes if change not in CHANGES]:
            raise SchemaError(f"unknown change {strange[0]!r}; known: {', '.join(CHANGES)}")
        if self.each < 1 or self.most < 1:
            raise SchemaError(f"at least one change is wanted, got {min(self.each, self.most)}")


def find_negatives(
    shown: Sequence[ShownExpression],
    table: GraphTable,
    index: GraphIndex,
    how: Negation | None = None,
    *,
    seed: int,
    facts: Facts | None = None,
    truth: GraphTable | None = None,
) -> list[tuple[Negative, ...]]:
    """Find for every expression some that differ from it in one place and fit nothing in its scenes.

    Args:
        shown: expressions with the scenes that are shown with them; the right one, and its distractors if it has any.
        table: the scenes.
        index: of the table.
        how: which changes to make.
        seed: of the choice of words.
        facts: which words can be said where; those of the engine by default.
        truth: the same scenes as they are, where that is known.
    """
    how = how or Negation()
    seen = Cooccurrences(table, index, facts or Facts.of(table, Engine()))
    guard = Guard(
        table=table,
        in_other_words=how.in_other_words,
        loose_sides=how.loose_sides,
        unknowns=how.unknowns,
        truth=truth,
    )
    base = derive(seed, "negatives")
    found: list[tuple[Negative, ...]] = []
    for start in range(0, len(shown), BATCH):
        batch = shown[start : start + BATCH]
        tried = [
            propose_changes(
                one.expression,
                next(iter(one.scenes), None),
                seen,
                how.changes,
                most=SPARE * how.each,
                seed=base,
            )
            for one in batch
        ]
        first = [one.scenes[:1] for one in batch]
        tried = _false_in(first, tried, guard, most=SPARE * how.each)
        found += map(tuple, _false_in([one.scenes for one in batch], tried, guard, most=how.each))
    return found


def _false_in(
    scenes: Sequence[tuple[int, ...]], tried: Sequence[Sequence[Negative]], guard: Guard, *, most: int
) -> list[list[Negative]]:
    """Return those changed expressions that fit nothing in any scene shown with them, so many of each change."""
    where = [some for some, changed in zip(scenes, tried, strict=True) for _ in changed]
    false = iter(_nowhere([one.expression for some in tried for one in some], where, guard).tolist())
    kept: list[list[Negative]] = []
    for some in tried:
        counts: Counter[Change] = Counter()
        kept.append([])
        for negative in some:
            if next(false) and counts[negative.change] < most:
                counts[negative.change] += 1
                kept[-1].append(negative)
    return kept


def _nowhere(expressions: Sequence[Expression], scenes: Sequence[tuple[int, ...]], guard: Guard) -> np.ndarray:
    """Return whether each expression fits nothing in any of its scenes, bool [expression]."""
    which = np.repeat(np.arange(len(expressions)), [len(some) for some in scenes])
    where = np.array([scene for some in scenes for scene in some], np.int64)
    fits = np.zeros(len(expressions), np.bool_)
    asked = guard.ask([_without_ranks(expression) for expression in expressions])
    fits[which[asked.may_fit(which, where)]] = True
    return ~fits


def _without_ranks(expression: Expression) -> Expression:
    """The expression without its ranks, which fits all that it fits; nothing is done inside a negation."""
    return Description(tuple(_unrank(step) for step in expression.steps if not isinstance(step, Nth)))


def _unrank(step: Step) -> Step:
    match step:
        case Related(relation, to):
            return Related(relation, _without_ranks(to))
        case AnyOf(steps):
            return AnyOf(tuple(_unrank(inner) for inner in steps))
        case _:
            return step
