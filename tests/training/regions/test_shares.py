"""Learning from a share of the images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from deixis.errors import RecipeError
from deixis.worlds.photos.data._arrays import copsref_arrays
from deixis.worlds.photos.training._lessons import to_learn


if TYPE_CHECKING:
    from deixis.worlds.photos.data.store import CopsRef


def test_a_share_of_the_images_is_part_of_a_larger_one(photographs: CopsRef) -> None:
    """All expressions about an image are learnt from, or none; the share is of images, and 1 leaves out nothing."""
    arrays = copsref_arrays(photographs)
    image = arrays.expressions.image
    every = to_learn(photographs, arrays, "train")
    images, larger = len(np.unique(image[every])), every
    for share in (0.8, 0.5, 0.3):
        rows = to_learn(photographs, arrays, "train", share=share)
        assert set(rows) < set(larger)
        assert np.array_equal(rows, every[np.isin(image[every], image[rows])])
        assert len(np.unique(image[rows])) == round(share * images)
        larger = rows
    with pytest.raises(RecipeError, match="0 expressions to learn from"):
        to_learn(photographs, arrays, "train", share=1e-9)
