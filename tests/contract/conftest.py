"""A small dataset of every world, the beads of the toolkit among them, made once."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis.worlds.registry import BUILT_IN, known_worlds
from tests.beads import installed_beads
from tests.datasets.few_pairs import only_few_pairs


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


TINY = """
mode = "every-word"
seed = 5
hold_out = ["a1"]
dev = 0.2
test = 0.2

[[pools]]
name = "p1"
pattern = "p1"
commands = 12
worlds = 2

[[pools]]
name = "p2"
pattern = "p2"
commands = 8
worlds = 2
"""
WORLDS = (*BUILT_IN, "beads")


@pytest.fixture(scope="module", autouse=True)
def beads() -> Iterator[None]:
    """The world of beads beside the built-in ones, for the modules of this folder only."""
    with installed_beads():
        yield


@pytest.fixture(scope="session", params=WORLDS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A world by name, and the folder of a small dataset of it."""
    place: Path = tmp_path_factory.mktemp(request.param)
    recipe = place / "tiny.toml"
    recipe.write_text(TINY, encoding="utf-8")
    words = {
        "grid": ["reascan", "--recipe", recipe],
        "rooms": ["a3ds", "--captions", "none", "--pairs", "--test-sets", "--pictures", 2],
        "photos": ["copsref", "--images", 60, "--val", 0, "--test", 0.6, "--each", 1, "--fewest", 1, "--closed-world"],
        "tabletop": ["tabletop", "--examples", 60, "--tests", 2],
        "beads": ["beads", "--examples", 60],
    }[request.param]
    folder = place / "data"
    with only_few_pairs(), nullcontext() if "beads" in known_worlds() else installed_beads():
        code = main(["make", *map(str, words), "--out", str(folder), "--workers", "1"])
    assert code == 0
    return SimpleNamespace(world=request.param, path=folder, words=[str(word) for word in words])
