"""Small datasets of the three worlds to ask about, made once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, Recipe
from deixis.worlds.photos.data.store import write_copsref
from deixis.worlds.rooms.data.make import A3dsRecipe, make_a3ds
from tests.datasets.copsref.posed import posed
from tests.datasets.few_pairs import only_few_pairs


if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def grid_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some commands with one and three clauses."""
    pools = (
        Pool(name="p1", pattern="p1", commands=20, worlds=2),
        Pool(name="p3", pattern="p3", commands=10, worlds=2),
    )
    out = tmp_path_factory.mktemp("prompts") / "grid"
    make(Recipe(name="tiny", seed=5, pools=pools, dev=0.2, test=0.2), out, workers=1)
    return out


@pytest.fixture(scope="session")
def room_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test sets of A3DS, without captions."""
    out = tmp_path_factory.mktemp("prompts") / "rooms"
    with only_few_pairs():
        make_a3ds(A3dsRecipe(captions=(), test_sets=True, seed=3), out, workers=1)
    return out


@pytest.fixture(scope="session")
def photograph_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Expressions about drawn-up scene graphs, without pictures."""
    out = tmp_path_factory.mktemp("prompts") / "photographs"
    examples = [
        replace(one, split="train" if one.split == "val" and one.is_there else "test") for one in posed().examples
    ]
    write_copsref(out, examples, posed().scenes)
    return out
