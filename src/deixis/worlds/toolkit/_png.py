"""Pictures of examples as PNG, without their text, for sheets of many."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from deixis.scene.scene import Where
from deixis.worlds.example import context_of, scenes_of
from deixis.worlds.toolkit._drawing import CELL, PAINT, cells_of


if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont
    from PIL.ImageFont import ImageFont as BasicFont

    from deixis.scene.scene import Scene
    from deixis.worlds.example import Example


BOARD = {"red": "#c8313c", "blue": "#2356a8", "green": "#3db08f", "yellow": "#f4c430"}
INK, QUIET, TARGET, PAPER = "#1f2430", "#525b70", "#a3127a", "#ffffff"
MAX_DRAWN = 60  # objects of a scene; more are too small to be told apart
MAX_VALUES, LETTERS = 3, 16


def draw_scenes(example: Example) -> bytes:
    """Draw the objects of all scenes with numbers and values, a ring around the target."""
    from PIL import Image

    context = context_of(example)
    target = None if context is None else context.target
    panels = [_panel(scene, place, target) for place, scene in enumerate(scenes_of(example))]
    width, height = (sum(one.width for one in panels), max((one.height for one in panels), default=0))
    sheet = Image.new("RGB", (max(width, CELL), max(height, CELL)), PAPER)
    left = 0
    for one in panels:
        sheet.paste(one, (left, 0))
        left += one.width
    file = BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()


def _panel(scene: Scene, place: int, target: Where | None) -> Image:
    from PIL import Image, ImageDraw

    cells = cells_of(scene)[:MAX_DRAWN]
    width = CELL * (1 + max((column for column, _ in cells), default=0))
    height = CELL * (1 + max((row for _, row in cells), default=0))
    panel = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(panel)
    for index, (column, row) in enumerate(cells):
        x, y = column * CELL + CELL // 2, row * CELL
        is_meant = target == Where(place, index)
        box = (x - CELL // 2 + 3, y + 3, x + CELL // 2 - 4, y + CELL - 4)
        pen.rounded_rectangle(box, 12, outline=TARGET if is_meant else "#d5dae3", width=4 if is_meant else 1)
        values = [value for one in scene.schema.attributes for value in sorted(scene.values(index, one.name))]
        color = next((value for value in values if value in BOARD or value in PAINT), "")
        pen.ellipse((x - 17, y + 15, x + 17, y + 49), fill=BOARD.get(color) or PAINT.get(color, "#f6f7fa"), outline=INK)
        light = color in ("yellow", "white", "pink", "cyan", "")
        pen.text((x, y + 32), str(index), fill=INK if light else PAPER, anchor="mm", font=font_of(15))
        for line, value in enumerate(values[:MAX_VALUES]):
            pen.text((x, y + 61 + 14 * line), value[:LETTERS], fill=QUIET, anchor="mm", font=font_of(12))
    return panel


@cache
def font_of(size: int) -> FreeTypeFont | BasicFont:
    """Return the font of pictures, the same everywhere."""
    from PIL import ImageFont

    return ImageFont.load_default(size)
