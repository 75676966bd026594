"""A small dataset of tables, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deixis.worlds.tabletop._making.recipe import TabletopRecipe
from deixis.worlds.tabletop._recipes import RECIPES


if TYPE_CHECKING:
    from pathlib import Path


RECIPE = TabletopRecipe(examples=90, tests=4, absent=0.15, seed=11)


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with all test sets by rule, and expressions that fit nothing."""
    folder = tmp_path_factory.mktemp("tabletop") / "data"
    RECIPES.make(RECIPE, folder, workers=1)
    return folder
