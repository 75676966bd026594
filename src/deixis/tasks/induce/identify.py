"""Whether a task can be solved: which rules explain its pairs, and what they say about the test.

The **family** of a rule is every edit of every operation on what any expression with up to two clauses picks out. The
**length** of a rule is the number of parts of its expression. A task is **identifiable** when all rules of the family
that are not longer than its own and explain all pairs give the test the same output. A rule that picks out no object
of the test, or several, or cannot make its edit there, gives it none and is ruled out by the test itself.

The tasks made here keep a stronger promise: among the rules that are not longer, their own is the only one that
explains the pairs, whatever the test and whether *small* is read as smaller than another or as smallest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis.scene.grid import GRID
from deixis.tasks.induce.edits import apply_edit, edits_between
from deixis.tasks.induce.family import Sight, family
from deixis.tasks.induce.rule import Rule


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deixis.scene.grid import GridScene
    from deixis.schema import Reading
    from deixis.tasks.induce.edits import Edit
    from deixis.tasks.induce.rule import Pair, Task


__all__ = ["Explanations", "explain_pairs", "is_identifiable", "outputs_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Explanations:
    """The rules that explain some pairs.

    Attributes:
        by_edit: for each edit the numbers of the expressions in the family, shortest first.
        reading: how size words are read.
    """

    by_edit: Mapping[Edit, np.ndarray]
    reading: Reading

    def __len__(self) -> int:
        return sum(len(rows) for rows in self.by_edit.values())

    def rules(self) -> Iterator[Rule]:
        """Them, one by one."""
        for edit, rows in self.by_edit.items():
            for row in rows.tolist():
                yield Rule(family().expression(row), edit)

    def narrowed(self, pair: Pair) -> Explanations:
        """Those that explain one pair more."""
        return _narrowed(self.by_edit, pair, self.reading)


def explain_pairs(
    pairs: Iterable[Pair], *, longest: int, shortest: int = 0, reading: Reading = GRID.reading
) -> Explanations:
    """All rules of these lengths that explain all pairs; there must be at least one pair."""
    first, *rest = pairs
    rows = family().rows(shortest=shortest, longest=longest)
    found = _narrowed(dict.fromkeys(edits_between(first.input, first.output), rows), first, reading)
    for pair in rest:
        found = found.narrowed(pair)
    return found


def outputs_of(explanations: Explanations, scene: GridScene) -> set[GridScene]:
    """What rules make of a scene; those that give it no output are left out."""
    sight = Sight.of(scene, explanations.reading)
    outputs = set()
    for edit, rows in explanations.by_edit.items():
        for index in np.unique(family().referents(rows, sight)).tolist():
            output = apply_edit(edit, scene, index) if index >= 0 else None
            outputs |= {output} if output is not None else set()
    return outputs


def is_identifiable(task: Task, *, reading: Reading = GRID.reading) -> bool:
    """Whether every rule that is not longer than the task's own and explains its pairs gives the test its output."""
    found = explain_pairs(task.train, longest=task.rule.length, reading=reading)
    return outputs_of(found, task.test.input) == {task.test.output}


def _narrowed(by_edit: Mapping[Edit, np.ndarray], pair: Pair, reading: Reading) -> Explanations:
    sight, kept = Sight.of(pair.input, reading), {}
    for edit, targets in edits_between(pair.input, pair.output).items():
        rows = family().keep(by_edit[edit], sight, targets) if edit in by_edit else np.zeros(0, np.int64)
        if len(rows):
            kept[edit] = rows
    return Explanations(kept, reading)
