"""The solver finds rules by search, from the pairs alone."""

from __future__ import annotations

import pytest

from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.induce import Pair, solve
from deixis.worlds.grid.induce.edits import Enlarge


@pytest.mark.parametrize("reading", ["comparative", "superlative"])
@pytest.mark.parametrize("number", range(15))
def test_the_solver_finds_the_rule(tasks, number, reading):
    """It gives the right output for the right reason, however it reads size words."""
    task = tasks[number]

    solution = solve(task.train, task.test.input, reading=reading)

    assert solution is not None
    assert solution.output == task.test.output
    assert solution.rule.means(task.rule)


def test_the_shortest_rule_wins():
    """A circle that is also the only red thing is called the circle."""
    pair = Pair(grid("r○1 .\n. b□1"), grid("r○2 .\n. b□1"))

    solution = solve([pair], grid(". b○1\ng▱1 ."))

    assert solution is not None
    assert solution.rule.english() == "Find the circle; make it one size larger."
    assert solution.rule.edit == Enlarge()
    assert solution.output == grid(". b○2\ng▱1 .")


def test_rules_without_an_output_are_passed_over():
    """Where 'the circle' fits two objects, a longer rule that fits one is the answer."""
    pair = Pair(grid("r○1 .\n. b□1"), grid("r○2 .\n. b□1"))

    solution = solve([pair], grid("r○1 b○1\n. ."))

    assert solution is not None
    assert solution.output == grid("r○2 b○1\n. .")


@pytest.mark.parametrize("after", ["r○1 .\n. b□1", "r○4 .\n. b□1", ". .\n. ."])
def test_there_may_be_no_rule(after):
    """Changes that no edit makes have no solution."""
    assert solve([Pair(grid("r○1 .\n. b□1"), grid(after))], grid("r○1 .\n. .")) is None


def test_no_pairs_teach_nothing():
    """Without pairs there is no solution."""
    assert solve([], grid("r○1 .\n. .")) is None
