"""Made tasks: legal worlds, rules that do something, the same for any number of workers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import RecipeError, UnsatisfiablePattern
from deixis.expression.patterns import C2, P1, P2, P3
from deixis.resolution import denotation
from deixis.seeds import Stream
from deixis.worlds.grid.induce import Operation, TaskRecipe, make_task, make_tasks
from deixis.worlds.grid.induce import make as making
from deixis.worlds.grid.induce._family import family
from deixis.worlds.grid.induce._worlds import draw_world


def test_operations_and_patterns_take_turns(tasks):
    """Fifteen tasks are every operation with every pattern."""
    assert [task.rule.operation for task in tasks] == list(Operation) * 3
    assert [task.pattern for task in tasks] == ["p1"] * 5 + ["p2"] * 5 + ["p3"] * 5


def test_every_pair_shows_the_rule(tasks):
    """By the plain definition the rule finds one solid in every input and makes the output of it."""
    for task in tasks:
        for pair in (*task.train, task.test):
            (target,) = denotation(task.rule.expression, pair.input)
            assert not pair.input.objects[target].is_box
            assert task.rule.apply(pair.input) == pair.output != pair.input


def test_worlds_are_legal_and_as_large_as_asked(tasks, recipe):
    """No two solids share a cell, no two boxes a corner, no box leaves the grid, nobody is there."""
    for task in tasks:
        for scene in (scene for pair in (*task.train, task.test) for scene in (pair.input, pair.output)):
            assert (scene.size, scene.agent) == (6, None)
            assert len({(o.row, o.column, o.is_box) for o in scene.objects}) == len(scene)
            assert all(max(o.row, o.column) + o.size <= 6 for o in scene.objects if o.is_box)
        assert {len(pair.input) for pair in task.train} == {recipe.objects}


def test_there_are_as_many_pairs_as_asked(tasks):
    """At least three, six at most, and all different."""
    for task in tasks:
        assert 3 <= len(task.train) <= 6
        assert len({pair.input for pair in (*task.train, task.test)}) == len(task.train) + 1


def test_the_same_number_gives_the_same_task(tasks, recipe):
    """Tasks depend on the recipe and their number only; another seed gives others."""
    assert make_task(recipe, 7) == tasks[7]
    assert make_task(TaskRecipe(tasks=15, seed=4), 7) != tasks[7]


@pytest.mark.slow
def test_workers_do_not_change_the_tasks():
    """One process or two: the same tasks in the same order."""
    recipe = TaskRecipe(tasks=24, patterns=(P1,), operations=(Operation.ENLARGE,))

    assert list(make_tasks(recipe, workers=1)) == list(make_tasks(recipe, workers=2))


@pytest.mark.parametrize("grid_size", [4, 5])
def test_smaller_grids_have_tasks_too(grid_size):
    """Also with two clauses."""
    task = make_task(TaskRecipe(tasks=1, patterns=(P3,), grid_size=grid_size), 0)

    assert task.test.input.size == grid_size


def test_what_cannot_be_made_is_refused(monkeypatch):
    """When no command makes a task the message says what to change."""
    monkeypatch.setattr(making, "COMMANDS", 2)
    recipe = TaskRecipe(tasks=1, patterns=(P3,), grid_size=4, objects=3, pairs=1, most_pairs=1, worlds=1)

    with pytest.raises(UnsatisfiablePattern, match="none of 2 commands of the pattern p3"):
        make_task(recipe, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tasks": 0}, "tasks must be 1 to"),
        ({"pairs": 4, "most_pairs": 3}, "most_pairs must be 4 to"),
        ({"grid_size": 7}, "grid_size must be 4 to 6, got 7"),
        ({"objects": 99}, "objects must be"),
        ({"operations": ()}, "at least one operation"),
        ({"patterns": (C2,)}, "not 'chain'"),
    ],
)
def test_impossible_recipes_are_refused(options, message):
    """The message says what is possible."""
    with pytest.raises(RecipeError, match=message):
        TaskRecipe(**options)


def test_recipes_can_be_written_with_names():
    """Names of operations are read in either case, with either stroke; all of them where none is named."""
    recipe = TaskRecipe.from_names(operations=("draw-adjacent", "MOVE"), patterns=("p2",), tasks=3)

    assert recipe == TaskRecipe(operations=(Operation.DRAW_ADJACENT, Operation.MOVE), patterns=(P2,), tasks=3)
    assert TaskRecipe.from_names() == TaskRecipe()
    with pytest.raises(RecipeError, match="unknown operation 'jump'"):
        TaskRecipe.from_names(operations=("jump",))


@given(st.integers(0, 156_368), st.integers(0, 2**32))
def test_worlds_show_their_expression(row, seed):
    """Whatever the expression and the chance: it picks out the target alone, however size words are read."""
    expression = family().expression(row)

    world = draw_world(expression, size=6, objects=8, rng=Stream(seed))

    if world is not None:
        for reading in ("comparative", "superlative"):
            assert denotation(expression, world.scene, reading=reading) == {world.target}
        assert not world.scene.objects[world.target].is_box
