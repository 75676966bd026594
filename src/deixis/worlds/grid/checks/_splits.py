"""Checks of held-out examples in training (E4).

`data.checks` compares splits with each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from deixis.data._memberships import AT_RANDOM
from deixis.data._split_names import names_in_split
from deixis.data.checks import Hits
from deixis.worlds.grid.checks._judge import PlainJudge
from deixis.worlds.grid.checks._registry import check
from deixis.worlds.grid.data.table import OBJECT_COLUMNS
from deixis.worlds.grid.scene import GRID
from deixis.worlds.grid.splits.cases import Facts, rows_of_cases, size_word


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Expression
    from deixis.worlds.grid.checks._chunk import Chunk
    from deixis.worlds.grid.scene import GridScene
    from deixis.worlds.grid.splits.cases import Case


class HoldOut(Protocol):
    """The examples that must stay out of training."""

    @property
    def id(self) -> str:
        """Its name."""

    def says(self, expression: Expression) -> bool:
        """Return whether the command is held out, in any world."""

    def thing_codes(self) -> Mapping[str, str]:
        """Return the values, by attribute, that no mentioned object may have together, or empty for any world."""

    @property
    def cases(self) -> tuple[Case, ...]:
        """What an example may not be, several things at once."""

    @property
    def shots(self) -> int:
        """How many of the examples may be in train all the same."""

    def holds(
        self, expression: Expression, scene: GridScene, *, verb: str = "", manner: str = "", actions: int = 0
    ) -> bool:
        """Return whether an example is held out, by its command or by a mentioned object, which come first."""


@check("E403")
def held_out(chunk: Chunk) -> Hits:
    """Something held out occurs in train, dev or test.

    The check uses the rules that it is given; without rules it finds nothing.
    """
    training = np.array([bool(frozenset(names_in_split(split)) & AT_RANDOM) for split in chunk.split_names], bool)[
        chunk.split
    ]
    asked = training & chunk.is_judged
    broken = {rule.id: _less_shots(chunk, rule, asked & _holds(chunk, rule, asked)) for rule in chunk.rules}
    wrong = np.logical_or.reduce([np.zeros(len(chunk), bool), *broken.values()])
    return Hits.where(wrong, lambda row: ", ".join(name for name, rows in broken.items() if rows[row]))


def _holds(chunk: Chunk, rule: HoldOut, asked: np.ndarray) -> np.ndarray:
    """Return bool [row]: the rule holds of the row."""
    if isinstance(chunk.judge, PlainJudge):
        rows = np.flatnonzero(asked).tolist()
        held = np.zeros(len(chunk), bool)
        held[rows] = [_holds_of(chunk, rule, row) for row in rows]
        return held
    says = chunk.of_command([c.is_read and rule.says(c.expression) for c in chunk.commands], bool)
    found: np.ndarray = says | _shows(chunk, rule)
    return found | (asked & rows_of_cases(rule.cases, _facts_of(chunk))) if rule.cases else found


def _holds_of(chunk: Chunk, rule: HoldOut, row: int) -> bool:
    """Return whether a rule holds of one row, by its plain definition."""
    command, actions = chunk.command(row), int(chunk.plan.length[row])
    verb, manner = str(command.verb), str(command.manner)
    return rule.holds(command.expression, chunk.scene(row), verb=verb, manner=manner, actions=actions)


def _less_shots(chunk: Chunk, rule: HoldOut, held: np.ndarray) -> np.ndarray:
    """Return the rows held out, less those of train where there are no more than the rule lets into it."""
    if not rule.shots:
        return held
    trained = np.array(["train" in names_in_split(split) for split in chunk.split_names], bool)[chunk.split]
    return held & ~trained if (held & trained).sum() <= rule.shots else held


def _facts_of(chunk: Chunk) -> Facts:
    """What cases ask about the rows of a chunk; nonsense where a row cannot be judged."""
    objects = chunk.objects
    return Facts.of(
        verb=chunk.of_command([c.codes[0] for c in chunk.commands], np.int64),
        manner=chunk.of_command([c.codes[1] for c in chunk.commands], np.int64),
        said=chunk.of_command([size_word(c.expression) if c.is_read else -1 for c in chunk.commands], np.int64),
        things=objects[:, [0, min(1, objects.shape[1] - 1)]],
        mentions=chunk.of_command([len(c.phrases) if c.is_read else 0 for c in chunk.commands], np.int64),
        agent=chunk.agent[:, :2],
        actions=chunk.plan.length,
    )


def _shows(chunk: Chunk, rule: HoldOut) -> np.ndarray:
    """Return bool [row]: one of the mentioned objects, which come first, is the held-out thing."""
    wanted = rule.thing_codes()
    if not wanted:
        return np.zeros(len(chunk), bool)
    mentions = chunk.of_command([len(c.phrases) if c.is_read else 0 for c in chunk.commands], np.int64)
    fits = np.arange(chunk.objects.shape[1]) < np.minimum(mentions, chunk.count)[:, None]
    for attribute, value in wanted.items():
        fits &= chunk.objects[:, :, OBJECT_COLUMNS.index(attribute)] == GRID.attribute(attribute).code(value)
    return fits.any(axis=1)
