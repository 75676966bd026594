"""Whether tasks keep their promises, judged anew from their files."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import BrokenDataset, DeixisError
from deixis.tasks.induce.files import list_tasks, puzzle_from_dict, read_json, task_from_dict
from deixis.tasks.induce.identify import explain_pairs, outputs_of
from deixis.tasks.induce.solve import solve
from deixis.tasks.induce.worlds import READINGS


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.tasks.induce.rule import Task


__all__ = ["Attempt", "Finding", "check_folder", "faults_of", "solve_folder"]


class Finding(NamedTuple):
    """A task of a folder and what is wrong with it; nothing where it is as promised."""

    path: Path
    faults: tuple[str, ...]


class Attempt(NamedTuple):
    """What the solver made of a task: whether its output is right, and the rule that it found, in English."""

    path: Path
    is_right: bool
    rule: str


def check_folder(folder: Path) -> Iterator[Finding]:
    """The findings for every task that the index names, in order."""
    for path, digest in list_tasks(folder):
        try:
            values = read_json(path)
            changed = () if sha256(path.read_bytes()).hexdigest() == digest else ("the file is not the one indexed",)
            yield Finding(path, (*changed, *faults_of(task_from_dict(values))))
        except (BrokenDataset, DeixisError) as error:
            yield Finding(path, (str(error),))


def faults_of(task: Task) -> tuple[str, ...]:
    """What is wrong with a task, in words: the rule must turn every input into its output, and be identifiable."""
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
    """The solver's attempts at every task that the index names; it sees matrices only, and not the answer.

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
