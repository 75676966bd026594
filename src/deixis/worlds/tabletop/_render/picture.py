"""Pictures of solids on a table, in the manner of CLEVR's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.worlds.tabletop._render._kernels.paint import paint
from deixis.worlds.tabletop._render._kernels.rays import cast_ids
from deixis.worlds.tabletop._render.ids import demand
from deixis.worlds.tabletop._render.light import SKY, lamp_rows, look_rows
from deixis.worlds.tabletop._render.shapes import rows_of, view_of
from deixis.worlds.tabletop._solids import HEIGHT, WIDTH


if TYPE_CHECKING:
    from deixis.worlds.tabletop._solids import Tabletop


STEPS = 1 << 14
"""Steps of light that a pixel is rounded to before it becomes a number of a file."""


def draw_picture(scene: Tabletop, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """The picture of a scene: uint8 [row, column, channel], red, green, blue, always with the same bytes."""
    demand(scene, width, height)
    rows, view = rows_of(scene), view_of(scene.camera)
    ids, depths = np.empty((height, width), np.uint8), np.empty((height, width))
    cast_ids(rows, view, ids, depths, *np.empty((2, len(rows)), np.int64))
    out = np.empty((height, width, 3), np.uint8)
    paint(np.hstack([rows, look_rows(scene)]), lamp_rows(), np.array(SKY), view, ids, levels(), out)
    return out


def levels() -> np.ndarray:
    """256 times the number in a file for every step of light, as sRGB has it: uint16 [step]."""
    light = np.arange(STEPS) / (STEPS - 1)
    curved = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.floor(256 * 255 * curved + 0.5).astype(np.uint16)
