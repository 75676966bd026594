"""Worlds of few images, so that a course begins at once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from deixis.worlds.rooms.pairs import Images, partition
from deixis.worlds.rooms.training import _captions as captions


if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def only_few_images() -> Iterator[Images]:
    """Let trainings have the first hundred images of every part."""
    few = Images(*(part[:100] for part in partition(seed=42)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(captions, "partition", lambda **_: few)
        yield few
