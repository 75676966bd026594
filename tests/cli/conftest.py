"""Datasets that several tests of the command line look at, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deixis.cli import main


if TYPE_CHECKING:
    from pathlib import Path


TINY = """
mode = "corrected"
seed = 5
hold_out = ["a1", "a2"]
dev = 0.2
test = 0.1

[[pools]]
name = "p1"
pattern = "p1"
commands = 20
worlds = 2

[[pools]]
name = "p3"
pattern = "p3"
commands = 10
worlds = 2
"""


@pytest.fixture(scope="session")
def tiny_recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe of sixty examples."""
    path = tmp_path_factory.mktemp("recipe") / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, tiny_recipe: Path) -> Path:
    """The dataset of that recipe."""
    out = tmp_path_factory.mktemp("made") / "tiny"
    assert main(["make", "reascan", "--recipe", str(tiny_recipe), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Path:
    """The same examples in the layout of the release."""
    out = tmp_path_factory.mktemp("released") / "data-compositional-splits.txt"
    assert main(["convert", str(tiny), "--to", "reascan", str(out)]) == 0
    return out
