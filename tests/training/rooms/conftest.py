"""Worlds of few images, so that a course begins at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.training.rooms.few import only_few_images


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.rooms.pairs import Images


@pytest.fixture
def few_images() -> Iterator[Images]:
    """The first hundred images of every part."""
    with only_few_images() as few:
        yield few
