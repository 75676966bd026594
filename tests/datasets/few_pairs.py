"""Datasets of rooms with few pairs in each test set, so that judging them takes a moment."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest

from deixis.worlds.rooms.data import make
from deixis.worlds.rooms.pairs import test_sets as draw_test_sets


if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def only_few_pairs() -> Iterator[None]:
    """Let datasets of rooms that are made meanwhile have 150 pairs in each test set, and 500 for tuning."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(make, "test_sets", partial(draw_test_sets, count=150))
        patch.setattr(make, "TUNING_PAIRS", 500)
        yield
