"""A solver that finds the rule of a task by search, as a baseline.

It sees the pairs and the scene that is asked about, nothing else. What has changed between input and output says which
edits are possible; then all expressions are tried, shortest first, and the first rule that explains every pair and
has an output for the test is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.grid.induce._family import Sight, family
from deixis.worlds.grid.induce._worlds import READINGS
from deixis.worlds.grid.induce.edits import apply_edit, edits_between
from deixis.worlds.grid.induce.files import list_tasks, puzzle_from_dict, read_json, task_from_dict
from deixis.worlds.grid.induce.rule import Rule
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.schema import Reading
    from deixis.worlds.grid.induce.edits import Edit
    from deixis.worlds.grid.induce.rule import Pair, Task
    from deixis.worlds.grid.scene import GridScene

__all__ = [
    "Attempt",
    "Explanations",
    "Finding",
    "Solution",
    "check_folder",
    "explain_pairs",
    "faults_of",
    "is_identifiable",
    "outputs_of",
    "solve",
    "solve_folder",
]


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
        """Yield the rules, one by one."""
        for edit, rows in self.by_edit.items():
            for row in rows.tolist():
                yield Rule(family().expression(row), edit)

    def narrow(self, pair: Pair) -> Explanations:
        """Return the rules that explain one more pair."""
        return _narrow(self.by_edit, pair, self.reading)


def explain_pairs(
    pairs: Iterable[Pair], *, longest: int, shortest: int = 0, reading: Reading = GRID.reading
) -> Explanations:
    """Return all rules of these lengths that explain all pairs, of which there must be at least one."""
    first, *rest = pairs
    rows = family().rows(shortest=shortest, longest=longest)
    found = _narrow(dict.fromkeys(edits_between(first.input, first.output), rows), first, reading)
    for pair in rest:
        found = found.narrow(pair)
    return found


def outputs_of(explanations: Explanations, scene: GridScene) -> set[GridScene]:
    """Return the outputs of rules for a scene, without those that give it none."""
    sight = Sight.of(scene, explanations.reading)
    outputs = set()
    for edit, rows in explanations.by_edit.items():
        for index in np.unique(family().referents(rows, sight)).tolist():
            output = apply_edit(edit, scene, index) if index >= 0 else None
            outputs |= {output} if output is not None else set()
    return outputs


def is_identifiable(task: Task, *, reading: Reading = GRID.reading) -> bool:
    """Return whether all rules no longer than the task's own that explain its pairs give the test its output."""
    found = explain_pairs(task.train, longest=task.rule.length, reading=reading)
    return outputs_of(found, task.test.input) == {task.test.output}


def _narrow(by_edit: Mapping[Edit, np.ndarray], pair: Pair, reading: Reading) -> Explanations:
    sight, kept = Sight.of(pair.input, reading), {}
    for edit, targets in edits_between(pair.input, pair.output).items():
        rows = family().keep(by_edit[edit], sight, targets) if edit in by_edit else np.zeros(0, np.int64)
        if len(rows):
            kept[edit] = rows
    return Explanations(kept, reading)


class Solution(NamedTuple):
    """A rule that was found, and its output for the test."""

    rule: Rule
    output: GridScene


def solve(pairs: Sequence[Pair], scene: GridScene, *, reading: Reading = GRID.reading) -> Solution | None:
    """Find the shortest rule that explains all pairs and apply it to a scene, or return None where there is none."""
    if not pairs:
        return None
    for length in range(1, int(family().length[-1]) + 1):
        for rule in explain_pairs(pairs, shortest=length, longest=length, reading=reading).rules():
            output = rule.apply(scene, reading=reading)
            if output is not None:
                return Solution(rule, output)
    return None


class Finding(NamedTuple):
    """A task of a folder and its fault, empty where it has none."""

    path: Path
    faults: tuple[str, ...]


class Attempt(NamedTuple):
    """The solver's attempt at a task: whether its output is right, and the rule that it found, in English."""

    path: Path
    is_right: bool
    rule: str


def check_folder(folder: Path) -> Iterator[Finding]:
    """Check every task that the index names, in order."""
    for path, digest in list_tasks(folder):
        try:
            values = read_json(path)
            changed = () if sha256(path.read_bytes()).hexdigest() == digest else ("the file is not the one indexed",)
            yield Finding(path, (*changed, *faults_of(task_from_dict(values))))
        except (BrokenDataset, DeixisError) as error:
            yield Finding(path, (str(error),))


def faults_of(task: Task) -> tuple[str, ...]:
    """Return the faults of a task, in words: the rule must turn every input into its output, and be identifiable."""
    faults = []
    for reading in READINGS:
        for number, pair in enumerate((*task.train, task.test), start=1):
            which = "the test" if number > len(task.train) else f"pair {number}"
            if task.rule.apply(pair.input, reading=reading) != pair.output:
                faults.append(f"the rule does not turn the input of {which} into its output")
        found = explain_pairs(task.train, longest=task.rule.length, reading=reading)
        outputs = outputs_of(found, task.test.input)
        if outputs != {task.test.output}:
            faults.append(f"rules that explain its pairs give {len(outputs)} different outputs, or not the right one")
        elif len(found) > 1:
            faults.append(f"{len(found)} rules that are not longer explain its pairs, not one")
    return tuple(dict.fromkeys(faults))


def solve_folder(folder: Path) -> Iterator[Attempt]:
    """Solve every task that the index names, from its matrices alone, without the answer.

    Raises:
        BrokenDataset: when a file is not in the layout of the corpus.
    """
    for path, _ in list_tasks(folder):
        try:
            puzzle = puzzle_from_dict(read_json(path))
        except DeixisError as error:
            raise BrokenDataset(f"{path}: {error}") from error
        solution = solve(puzzle.train, puzzle.question)
        is_right = solution is not None and solution.output == puzzle.answer
        yield Attempt(path, is_right, solution.rule.english() if solution else "")
