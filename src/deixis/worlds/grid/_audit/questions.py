"""Everything that an audit asks about one grid expression, worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.audits.audit import CLAUSE, IMPLIED
from deixis.audits.measures import pattern_name
from deixis.data._ragged import Ragged
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid.data._commands import MOST_COMMANDS
from deixis.worlds.grid.navigate import text_digest
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression


PHRASES = ("target", "other")
KINDS = ("noun", "colour word", "size word", CLAUSE, IMPLIED)  # those of grid commands; the first four are slots
SHAPE, COLOR, _, PARENT, RELATION = range(5)  # of a blueprint
CLAUSE_SLOT = KINDS.index(CLAUSE)


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """One grid expression as numbers.

    Shapes:
        mentions: int8 [mention, 5], its blueprint.
        parts: int64 [part, 4]: mention; slot, which is shape, color, size or clause; phrase; kind.
        relations: int64 [clause], in the order of the mentions.
    """

    pattern: str
    digest: int
    mentions: np.ndarray
    parts: np.ndarray
    relations: np.ndarray
    has_several_clauses: bool
    colour_part: int  # the number of the part, -1 where the target is given no colour
    noun_part: int

    @classmethod
    def about(cls, expression: Expression) -> Question:
        """Return the questions about an expression."""
        mentions = blueprint(expression)
        parts = list(_parts(mentions.tolist()))
        numbers = {part[:2]: number for number, part in enumerate(parts)}
        return cls(
            pattern=pattern_name(expression),
            digest=text_digest(str(expression)),
            mentions=mentions,
            parts=np.array(parts, np.int64).reshape(-1, 4),
            relations=mentions[1:, RELATION].astype(np.int64),
            has_several_clauses=len(expression.clauses) > 1,
            colour_part=numbers.get((0, COLOR), -1),
            noun_part=numbers.get((0, SHAPE), -1),
        )


class Questions:
    """The questions about expressions, each worked out once as long as there are not too many."""

    def __init__(self) -> None:
        self._known: dict[Expression, Question] = {}

    def __getitem__(self, expression: Expression) -> Question:
        known = self._known.get(expression)
        if known is None:
            if len(self._known) > MOST_COMMANDS:
                self._known = {}  # another one, as other threads may be reading
            known = self._known[expression] = Question.about(expression)
        return known


class QuestionTables(NamedTuple):
    """The tables of several questions, as the kernel takes them.

    Shapes:
        mentions: int8 [mention, 5] and parts: int64 [part, 4] of each question.
    """

    mentions: Ragged
    parts: Ragged

    @classmethod
    def of(cls, questions: Sequence[Question]) -> QuestionTables:
        """Return the tables of these questions."""
        return cls(
            Ragged.of_lists([question.mentions for question in questions], np.zeros((0, 5), np.int8)),
            Ragged.of_lists([question.parts for question in questions], np.zeros((0, 4), np.int64)),
        )


def _parts(mentions: list[list[int]]) -> list[tuple[int, int, int, int]]:
    """Mention, slot, phrase and kind of every part."""
    found = []
    for number, mention in enumerate(mentions):
        if number:
            found.append((number, CLAUSE_SLOT, int(mention[PARENT] > 0), CLAUSE_SLOT))
        for slot in range(CLAUSE_SLOT):
            if mention[slot] >= 0:
                is_implied = slot == SHAPE and number > 0 and _implies(mention[RELATION], mention[SHAPE])
                found.append((number, slot, int(number > 0), KINDS.index(IMPLIED) if is_implied else slot))
    return found


def _implies(relation: int, shape: int) -> bool:
    """Return whether a relation already says the noun of what it relates to."""
    return ("shape", GRID.attribute("shape").values[shape]) in GRID.relations[relation].to
