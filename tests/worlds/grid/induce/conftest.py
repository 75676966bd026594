"""Tasks that several tests look at, made once: every operation with every pattern."""

from __future__ import annotations

import pytest

from deixis.worlds.grid.induce import Task, TaskRecipe, make_task


@pytest.fixture(scope="session")
def recipe() -> TaskRecipe:
    """Fifteen tasks: five operations times three patterns."""
    return TaskRecipe(tasks=15, seed=3)


@pytest.fixture(scope="session")
def tasks(recipe: TaskRecipe) -> tuple[Task, ...]:
    """The tasks of that recipe."""
    return tuple(make_task(recipe, number) for number in range(recipe.tasks))
