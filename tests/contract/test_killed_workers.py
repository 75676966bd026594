"""A worker that is killed while a dataset of any world is made changes no byte of it."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from deixis.data._processes import process_crew
from deixis.data.recipes import recipe_in
from deixis.data.store import open_dataset
from deixis.worlds.registry import BUILT_IN, find_world
from deixis.worlds.rooms.data.make import A3dsRecipe
from tests.datasets.few_pairs import only_few_pairs
from tests.datasets.tiny import folder_bytes


if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path
    from types import SimpleNamespace

    from deixis.data._processes import ProcessCrew
    from deixis.worlds.world import Recipe


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal"),
]


def test_a_killed_worker_changes_no_byte(made: SimpleNamespace, tmp_path: Path) -> None:
    """What it had in hand is done again by another, in every world."""
    if made.world not in BUILT_IN:
        pytest.skip("this world is installed in the process of the test only")
    world = find_world(made.world)
    recipe, expected = recipe_of(made), made.path
    killed: list[int] = []

    def kill_one(_stage: str, done: int, total: int | None, /) -> None:
        if not killed and (total is None or done < total):
            killed.extend(list(crew._pool._processes)[:1])
            os.kill(killed[0], signal.SIGKILL)

    with only_few_pairs():
        if recipe.digest != open_dataset(made.path).manifest["recipe digest"]:
            expected = tmp_path / "here"
            world.part("recipes").make(recipe, expected, workers=1)
        with process_crew(2) as crew:
            world.part("recipes").make(recipe, tmp_path / "there", workers=2, crew=crew, progress=kill_one)

    assert killed
    assert folder_bytes(tmp_path / "there") == folder_bytes(expected)


def kill_a_process(crew: ProcessCrew) -> list[int]:
    """Kill a process as soon as work is handed to it; the list that is returned names it then."""
    killed: list[int] = []
    begin = crew.begin

    def begin_and_kill(work: Callable[..., Any], arguments: tuple[object, ...]) -> tuple[Any, Future[Any]]:
        begun = begin(work, arguments)
        if not killed:
            killed.extend(list(crew._pool._processes)[:1])
            os.kill(killed[0], signal.SIGKILL)
        return begun

    crew.begin = begin_and_kill  # type: ignore[method-assign]
    return killed


def recipe_of(made: SimpleNamespace) -> Recipe:
    """The recipe of a dataset, as its manifest holds it, with enough to do for several workers."""
    if made.world == "rooms":
        return A3dsRecipe(captions=("short",))
    values = recipe_in(open_dataset(made.path).manifest)
    recipe = find_world(made.world).part("recipes").recipe_from(values)
    return replace(recipe, examples=500) if made.world == "tabletop" else recipe
