"""Boxes of objects on boards agree with the pixels in which they are drawn."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from deixis.worlds.grid._pictures.board import object_boxes
from deixis.worlds.grid._questions.pose import LOOK
from deixis.worlds.grid.draw import draw_png
from deixis.worlds.grid.scene import GridObject, GridScene


SIDE = 6


def pixels(*objects):
    """The board with some objects as an array, as models see it."""
    png = draw_png(GridScene(objects, size=SIDE), look=LOOK, scale=1)
    return np.asarray(Image.open(BytesIO(png)).convert("RGB"), np.int16)


def bounds(*objects):
    """The edges of the pixels in which objects differ from an empty board by more than a shade."""
    rows, columns = np.nonzero(np.abs(pixels(*objects) - pixels()).max(2) > 60)
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


@pytest.mark.parametrize("shape", ["circle", "square", "cylinder", "box"])
def test_boxes_are_those_of_the_pixels(shape):
    """Of every size, to a pixel."""
    for size in (1, 2, 3, 4):
        thing = GridObject(row=1, column=2, color="red", shape=shape, size=size)
        (box,) = object_boxes(GridScene((thing,), size=SIDE), LOOK)
        assert np.abs(np.subtract(box, bounds(thing))).max() <= 1.5, (shape, size)


def test_things_that_share_a_cell_have_boxes_of_their_own():
    """Side by side, and together they reach as far as what is drawn."""
    pair = tuple(GridObject(row=3, column=3, color=color, shape="circle", size=4) for color in ("red", "blue"))
    one, other = object_boxes(GridScene(pair, size=SIDE), LOOK)
    whole = (*np.minimum(one, other)[:2], *np.maximum(one, other)[2:])

    assert one[0] < other[0]
    assert one != other
    assert np.abs(np.subtract(whole, bounds(*pair))).max() <= 1.5
