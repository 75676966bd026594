"""How the tests run: hypothesis profiles, and the scenes that several tests look at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from deixis._cli import progress
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.scene import GridObject, GridScene
from tests.alone import Guard
from tests.costs import Costs


if TYPE_CHECKING:
    from pathlib import Path


settings.register_profile("fast", deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("usual", parent=settings.get_profile("fast"), max_examples=40)
settings.register_profile("thorough", parent=settings.get_profile("fast"), max_examples=1000)
settings.load_profile("fast")

os.environ.pop("COLUMNS", None)  # which xdist sets: tables are as wide as they are, unless a test says otherwise


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of `make quick`."""
    parser.addoption("--alone", action="store_true", help="fail tests that load torch, or start a process or a browser")


def pytest_configure(config: pytest.Config) -> None:
    """Measure what tests cost, and hold those of `make quick` to what they promise."""
    config.pluginmanager.register(Costs())
    runs_tests_itself = "PYTEST_XDIST_WORKER" in os.environ or not config.getoption("numprocesses", None)
    if config.getoption("--alone") and runs_tests_itself:
        config.pluginmanager.register(Guard())


@pytest.fixture(autouse=True)
def quiet_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep progress lines of slow machines out of what tests read from standard error."""
    monkeypatch.setattr(progress, "QUIET_SECONDS", 3600.0)
    monkeypatch.setattr(progress, "LINE_SECONDS", 3600.0)


@pytest.fixture
def red_circle_and_blue_square() -> GridScene:
    """A red circle and a blue square in different rows, columns and sizes."""
    return grid("""
        .   r○1 .
        .   .   .
        b□3 .   .
    """)


@pytest.fixture
def crowd() -> GridScene:
    """A board with every shape, two rows with company, and a box with something in it."""
    return grid("""
        0:r○1 .           1:b□2 .
        .     2:g▣2       .     .
        .     3:y▱4       4:r○3 .
        .     .           .     5:b□1
    """)


@pytest.fixture(scope="session")
def full_boards() -> tuple[GridScene, ...]:
    """Boards so full, with so few colours, that clauses find partners and compete for them."""
    rng = np.random.default_rng(7)
    return tuple(_full_board(int(count), rng) for count in rng.integers(3, 10, size=120))


def _full_board(count: int, rng: np.random.Generator) -> GridScene:
    codes = rng.integers((0, 0, 1, 0, 0), (4, 2, 4, 4, 4), size=(count, 5)).tolist()
    return GridScene(tuple(GridObject.from_codes(*code) for code in codes), size=4)


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
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small dataset of each world, by the name of the world, made once."""
    from deixis._cli import main
    from deixis.worlds.photos.data.store import write_copsref
    from tests.datasets.copsref.posed import posed
    from tests.datasets.few_pairs import only_few_pairs

    place = tmp_path_factory.mktemp("datasets of all worlds")
    (place / "tiny.toml").write_text(TINY, encoding="utf-8")
    made = {name: place / name for name in ("grid", "rooms", "photos")}
    words = {
        "grid": ["make", "reascan", "--recipe", str(place / "tiny.toml")],
        "rooms": ["make", "a3ds", "--captions", "none", "--test-sets", "--workers", "1"],
    }
    with only_few_pairs():
        for name, said in words.items():
            assert main([*said, "--out", str(made[name])]) == 0
    write_copsref(made["photos"], map(_in_words, posed().examples), posed().scenes)
    return made


def _in_words(example):
    """The example with a text in English, where its expression can be said."""
    from dataclasses import replace

    from deixis.errors import SchemaError
    from deixis.worlds.photos.language import realise_reference

    try:
        return replace(example, text=realise_reference(example.expression).text)
    except SchemaError:
        return example
