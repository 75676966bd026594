"""The test that an expression cannot fit anything in an image, under every reading that a person may have.

What is shown beside the right image must not show what is said, and what is said not to be there must not be there. So
an image is refused when the expression fits anything in it

* as it is recorded;
* with left and right as people see them, more loosely than the rule has it (`left_right.with_loose_sides`);
* in other words (`alike`);
* and for all that is not recorded. Where the whole truth is at hand, as it is for imagined scenes, that is asked, in
  the same three ways; else everything that may be true counts (`worlds.photos.resolution.unknowns`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.photos._alike import merge_alike_relations, with_alternatives
from deixis.worlds.photos._left_right import LEFT, RIGHT, with_loose_sides
from deixis.worlds.photos.resolution.graphs import compile_for, counts_of, resolve_graph_pairs
from deixis.worlds.photos.resolution.unknowns import judge_graph_pairs


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.program import Program
    from deixis.worlds.photos.resolution.unknowns import Unknowns
    from deixis.worlds.photos.scene.graph_table import GraphTable


SIDES = frozenset((LEFT, RIGHT))


class _Question(NamedTuple):
    """Programs to be resolved in a table; only those of some expressions, and perhaps for all that is unknown."""

    table: GraphTable
    programs: Sequence[Program]
    is_asked: np.ndarray  # bool [expression]
    unknowns: Unknowns | None = None


@dataclass(frozen=True, eq=False)
class Questions:
    """Some expressions with all questions about them."""

    questions: tuple[_Question, ...]

    def may_fit(self, which: np.ndarray, scenes: np.ndarray) -> np.ndarray:
        """Return for each pair whether an expression may fit something in a scene, however it is put: bool [pair].

        Args:
            which: int [pair], the number of the expression.
            scenes: int [pair].
        """
        fits = np.zeros(len(which), np.bool_)
        for table, programs, is_asked, unknowns in self.questions:
            rest = np.flatnonzero(~fits & is_asked[which])
            if not len(rest):
                continue
            if unknowns is None:
                masks = resolve_graph_pairs(programs, table, which[rest], scenes[rest])
            else:
                _, masks = judge_graph_pairs(programs, table, which[rest], scenes[rest], unknowns)
            fits[rest] = counts_of(masks) > 0
        return fits


@dataclass(frozen=True, eq=False, kw_only=True)
class Guard:
    """Settings of the guard: the readings to test, and the tables to test them in.

    Attributes:
        table: the scenes as they are recorded.
        in_other_words: whether similar words count.
        loose_sides: whether left and right count as loosely as people may see them.
        unknowns: if given, what may be true counts, where the truth is not known.
        truth: the same scenes, in the same order, as they are.
    """

    table: GraphTable
    in_other_words: bool = True
    loose_sides: bool = True
    unknowns: Unknowns | None = None
    truth: GraphTable | None = None
    _wide: dict[int, GraphTable] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.truth is not None and len(self.truth) != len(self.table):
            raise SchemaError(f"{len(self.table):,} scenes are recorded, but the truth is about {len(self.truth):,}")

    def ask(self, expressions: Sequence[Expression]) -> Questions:
        """Return the questions about some expressions, the cheapest first."""
        return Questions(tuple(self._questions(expressions)))

    def _questions(self, expressions: Sequence[Expression]) -> Iterator[_Question]:
        everything = np.ones(len(expressions), np.bool_)
        sided = np.array([self.loose_sides and says_sides(one) for one in expressions], np.bool_)
        for table in (self.table, *([self.truth] if self.truth is not None else [])):
            said = [compile_for(one, table.vocabulary) for one in expressions]
            yield _Question(table, said, everything)
            if sided.any():
                yield _Question(with_loose_sides(table), said, sided)
            if self.in_other_words:
                words = table.vocabulary
                yield _Question(
                    self._widest(table),
                    [compile_for(with_alternatives(e, words), words) for e in expressions],
                    everything,
                )
            if table is self.table and self.truth is None and self.unknowns is not None:
                yield _Question(table, said, everything, self.unknowns)
                if sided.any():
                    yield _Question(with_loose_sides(table), said, sided, self.unknowns)

    def _widest(self, table: GraphTable) -> GraphTable:
        """Return the table in which similar words, and sides, count as the same."""
        if id(table) not in self._wide:
            self._wide[id(table)] = merge_alike_relations(with_loose_sides(table) if self.loose_sides else table)
        return self._wide[id(table)]


def says_sides(expression: Expression) -> bool:
    """Return whether an expression speaks of left or right."""
    return not SIDES.isdisjoint(expression.relations())


def aligned_with(table: GraphTable, truth: GraphTable) -> GraphTable:
    """Return the truth after checking that it is about the scenes of a table, in their order.

    Raises:
        SchemaError: when it is about other scenes.
    """
    if len(table) != len(truth) or list(table.image_ids) != list(truth.image_ids):
        raise SchemaError("the truth must be about the same images as the scene graphs, in the same order")
    return truth
