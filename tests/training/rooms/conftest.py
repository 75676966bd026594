"""Worlds of few images, so that a course begins at once."""

from __future__ import annotations

import numpy as np
import pytest

from deixis.worlds.rooms.pairs import Images, partition
from deixis.worlds.rooms.training import captions


@pytest.fixture
def few_images(monkeypatch: pytest.MonkeyPatch) -> Images:
    """Of every part of the images the first few."""
    whole = partition(seed=42)
    few = Images(*(np.sort(part[:100]) for part in whole))
    monkeypatch.setattr(captions, "partition", lambda **_: few)
    return few
