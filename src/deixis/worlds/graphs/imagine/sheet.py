"""Many imagined scenes on one sheet, to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import RecipeError
from deixis.worlds.graphs.imagine.imagined import draw_imagined


if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image

    from deixis.worlds.graphs.imagine.imagined import Imagined


__all__ = ["draw_sheet"]

GAP = 8
PAPER = (255, 255, 255)


def draw_sheet(scenes: Sequence[Imagined], *, columns: int = 4, cell: tuple[int, int] = (360, 270)) -> Image:
    """The pictures side by side, each as large as its cell allows."""
    if not scenes or columns < 1:
        raise RecipeError(f"a sheet needs a scene and a column, got {len(scenes)} and {columns}")
    from PIL import Image

    width, height = cell
    rows = -(-len(scenes) // columns)
    sheet = Image.new("RGB", (columns * (width + GAP) + GAP, rows * (height + GAP) + GAP), PAPER)
    for place, scene in enumerate(scenes):
        picture = draw_imagined(scene)
        picture.thumbnail(cell)
        row, column = divmod(place, columns)
        left = GAP + column * (width + GAP) + (width - picture.width) // 2
        top = GAP + row * (height + GAP) + (height - picture.height) // 2
        sheet.paste(picture, (left, top))
    return sheet
