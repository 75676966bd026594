"""The making of tasks, in worlds chosen so that each pair rules out rules that are not the task's.

For every pair several worlds are drawn, and the one is kept that the fewest other rules explain. Pairs are added until
the rule is the only one of its family that explains them all and is not longer. A command for which that cannot be
reached is replaced by another; how many were is recorded.
"""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, TypeAlias

from deixis.errors import RecipeError, UnsatisfiablePattern
from deixis.expression.patterns import P1, P2, P3, pattern
from deixis.seeds import Stream, derive
from deixis.worlds.grid.commands import sample_commands, schematics
from deixis.worlds.grid.induce._worlds import READINGS, draw_world
from deixis.worlds.grid.induce.edits import Operation, Paint, Reshape, apply_edit, edits_of
from deixis.worlds.grid.induce.rule import Pair, Rule, Task
from deixis.worlds.grid.induce.solve import explain_pairs


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Expression
    from deixis.expression.patterns import Pattern
    from deixis.worlds.grid.induce.edits import Edit
    from deixis.worlds.grid.induce.solve import Explanations


__all__ = ["TaskRecipe", "make_task", "make_tasks"]

_Found: TypeAlias = "tuple[Explanations, ...]"  # one for every reading of size words

TRIES = 40  # draws in vain after which a world is given up
COMMANDS = 400  # commands replaced in vain after which a task is given up
FEW_TASKS = 20  # so few that starting further processes takes longer than making them


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecipe:
    """The recipe of tasks.

    Attributes:
        tasks: how many.
        pairs: how many pairs a task shows at least.
        most_pairs: how many it may show where fewer do not make the rule plain.
        operations: what rules do, in turn.
        patterns: the patterns of their expressions, in turn.
        grid_size: cells along one side; at most 6, so that a scene of five pixels a cell is a legal ARC matrix.
        objects: how many objects a scene has, as far as they find room.
        worlds: how many worlds are drawn for every pair, of which the most telling one is kept.
        seed: everything random follows from it.
    """

    tasks: int = 500
    pairs: int = 3
    most_pairs: int = 6
    operations: tuple[Operation, ...] = tuple(Operation)
    patterns: tuple[Pattern, ...] = field(default=(P1, P2, P3))
    grid_size: int = 6
    objects: int = 8
    worlds: int = 8
    seed: int = 42

    def __post_init__(self) -> None:
        for name, low, high in (("tasks", 1, 10**6), ("pairs", 1, 10), ("objects", 3, 16), ("worlds", 1, 1000)):
            _demand(name, getattr(self, name), low, high)
        _demand("most_pairs", self.most_pairs, self.pairs, 10)
        _demand("grid_size", self.grid_size, 4, 6)
        if not self.operations or not self.patterns:
            raise RecipeError("tasks need at least one operation and one pattern")
        for chosen in self.patterns:
            if chosen not in (P1, P2, P3):
                raise RecipeError(f"rules have the patterns p1, p2 and p3, not {chosen.name!r}")

    @classmethod
    def from_names(
        cls, *, operations: tuple[str, ...] = (), patterns: tuple[str, ...] = (), **options: int
    ) -> TaskRecipe:
        """Return a recipe with operations and patterns given by name, or all of them where none is named."""
        known = {operation.value.lower(): operation for operation in Operation}
        chosen = []
        for name in operations:
            if name.lower().replace("-", "_") not in known:
                raise RecipeError(f"unknown operation {name[:40]!r}; known: {', '.join(known)}")
            chosen.append(known[name.lower().replace("-", "_")])
        return cls(
            operations=tuple(chosen) or tuple(Operation),
            patterns=tuple(pattern(name) for name in patterns) or (P1, P2, P3),
            **options,
        )


def make_tasks(recipe: TaskRecipe, *, workers: int | None = None) -> Iterator[Task]:
    """Make the tasks of a recipe, in order, the same for any number of workers (one per core by default)."""
    workers = min(workers or os.cpu_count() or 1, recipe.tasks)
    one = partial(make_task, recipe)
    if workers == 1 or recipe.tasks <= FEW_TASKS:
        yield from map(one, range(recipe.tasks))
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_interrupts_to_the_parent) as pool:
        try:
            yield from pool.map(one, range(recipe.tasks), chunksize=4)
        finally:
            pool.shutdown(cancel_futures=True)


def make_task(recipe: TaskRecipe, number: int) -> Task:
    """Make one task of a recipe, with operations and patterns in turns.

    Raises:
        UnsatisfiablePattern: when no command of the pattern made a task, as on a grid that is too small.
    """
    rng = Stream(derive(recipe.seed, "induce", number))
    turn, kind = divmod(number, len(recipe.operations))
    operation, of_pattern = recipe.operations[kind], recipe.patterns[turn % len(recipe.patterns)]
    for replaced in range(COMMANDS):
        rule = _draw_rule(operation, of_pattern, rng)
        task = _Maker(recipe, rule, rng).task(replaced, number)
        if task is not None:
            return task
    raise UnsatisfiablePattern(
        f"none of {COMMANDS} commands of the pattern {of_pattern.name} made a task for {operation}; "
        "use a larger grid, more objects or more pairs"
    )


class _Maker:
    """Makes the task of one rule."""

    def __init__(self, recipe: TaskRecipe, rule: Rule, rng: Stream) -> None:
        self.recipe, self.rule, self.rng = recipe, rule, rng

    def task(self, replaced: int, number: int) -> Task | None:
        """Return the task, or None where its pairs do not make the rule plain."""
        pairs: list[Pair] = []
        found: _Found | None = None
        while len(pairs) < self.recipe.most_pairs:
            candidates = [(pair, self._narrow(found, pair)) for pair in self._pairs()]
            if not candidates:
                return None
            pair, found = min(candidates, key=lambda candidate: _count(candidate[1]))
            pairs.append(pair)
            if len(pairs) >= self.recipe.pairs and _count(found) == len(found):
                return self._task(tuple(pairs), replaced, number)
        return None

    def _task(self, pairs: tuple[Pair, ...], replaced: int, number: int) -> Task | None:
        """The task of these pairs; of several worlds to test it on, the one that the fewest rules get right by luck."""
        test = min(self._pairs(), key=lambda pair: _count(self._narrow(None, pair)), default=None)
        if test is None:
            return None
        return Task(rule=self.rule, train=pairs, test=test, replaced=replaced, number=number, seed=self.recipe.seed)

    def _narrow(self, found: _Found | None, pair: Pair) -> _Found:
        """What explains one pair more, in either reading of size words."""
        if found is not None:
            return tuple(explanations.narrow(pair) for explanations in found)
        return tuple(explain_pairs((pair,), longest=self.rule.length, reading=reading) for reading in READINGS)

    def _pairs(self) -> Iterator[Pair]:
        """Yield several worlds in which the rule does something."""
        for _ in range(self.recipe.worlds):
            pair = next((pair for pair in (self._pair() for _ in range(TRIES)) if pair), None)
            if pair is None:
                return
            yield pair

    def _pair(self) -> Pair | None:
        size, objects = self.recipe.grid_size, self.recipe.objects
        world = draw_world(self.rule.expression, size=size, objects=objects, rng=self.rng)
        if world is None:
            return None
        output = apply_edit(self.rule.edit, world.scene, world.target)
        return None if output is None else Pair(world.scene, output)


def _count(found: _Found) -> int:
    """Return how many rules explain the pairs, in all readings together."""
    return sum(len(explanations) for explanations in found)


def _draw_rule(operation: Operation, of_pattern: Pattern, rng: Stream) -> Rule:
    """Return a rule with a random expression, every combination of relations equally likely, and a random edit."""
    kinds = sorted({tuple(sorted(schematic.relations)) for schematic in schematics(of_pattern)})
    expression = next(sample_commands(of_pattern, rng=rng, relations=rng.choice(kinds)))
    possible = [edit for edit in edits_of(operation) if not _is_idle(edit, expression)]
    return Rule(expression, rng.choice(possible))


def _is_idle(edit: Edit, expression: Expression) -> bool:
    """Return whether an edit could never be made, because the expression asks for what it would bring about."""
    match edit:
        case Paint(color):
            return color == expression.value("color")
        case Reshape(shape):
            return shape == expression.value("shape")
    return False


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _demand(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise RecipeError(f"{name} must be {low} to {high}, got {value}")
