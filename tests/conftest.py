"""How the tests run: hypothesis profiles, and the scenes that several tests look at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from deixis.scene import GridObject, GridScene, grid


settings.register_profile("fast", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", parent=settings.get_profile("fast"), max_examples=1000)
settings.load_profile("fast")


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
