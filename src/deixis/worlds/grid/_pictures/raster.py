"""Pictures as PNG: painted larger than asked with Pillow, then reduced, which smooths every edge."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING

from deixis.errors import DeixisError, SchemaError
from deixis.worlds.grid._pictures.strokes import Stroke, dashes, flatten


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

    from deixis.worlds.grid._pictures.strokes import XY, Ink, Picture, Words


OVERSAMPLING = 4  # pixels painted per pixel kept, along each side
MAX_SIDE_PX = 4096
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def write_png(picture: Picture, *, scale: int = 2) -> bytes:
    """Write the picture as a PNG file, `scale` pixels to the unit, with the same bytes for the same picture."""
    file = BytesIO()
    paint(picture, scale=scale).save(file, format="PNG", compress_level=6)
    return file.getvalue()


def paint(picture: Picture, *, scale: int = 2) -> Image:
    """Paint the picture as a Pillow image.

    Raises:
        DeixisError: when Pillow is not installed, or the image would be absurdly large.
    """
    return paint_large(picture, scale=scale).reduce(OVERSAMPLING)


def paint_large(picture: Picture, *, scale: int = 2) -> Image:
    """Paint the picture before it is reduced, `OVERSAMPLING` times as large, with the errors of `paint`."""
    width, height = round(picture.width * scale), round(picture.height * scale)
    if scale < 1 or max(width, height) > MAX_SIDE_PX:
        raise SchemaError(f"cannot paint {width} by {height} pixels at scale {scale}; at most {MAX_SIDE_PX} a side")
    try:
        from PIL import Image
    except ImportError:
        raise DeixisError('pictures as PNG need Pillow; run: pip install "deixis[data]"') from None
    canvas = Image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), picture.paper)
    put_items(canvas, [item for layer in picture.layers for item in layer.items], scale=scale)
    return canvas


def put_items(canvas: Image, items: Iterable[Stroke | Words], *, scale: int) -> None:
    """Paint strokes and words over what is on a canvas of `paint_large`, in their order."""
    from PIL import ImageDraw

    brush = _Brush(ImageDraw.Draw(canvas), scale * OVERSAMPLING)
    for item in items:
        brush.put(item)


class _Brush:
    """Puts strokes and words onto a canvas that has `factor` pixels to the unit."""

    def __init__(self, canvas: ImageDraw, factor: float) -> None:
        self.canvas, self.factor = canvas, factor
        self.fonts: dict[float, FreeTypeFont | ImageFont] = {}

    def put(self, item: Stroke | Words) -> None:
        """Paint one item over what is there."""
        if not isinstance(item, Stroke):
            self._write(item)
            return
        points = flatten(item.outline)
        if item.ink.fill:
            self.canvas.polygon(self._scale(points), fill=item.ink.fill)
        if item.ink.line and item.ink.width > 0:
            for stretch in dashes(points, item.ink.dash) if item.ink.dash else [points]:
                self._line(stretch, item.ink)

    def _line(self, points: Sequence[XY], ink: Ink) -> None:
        scaled, half = self._scale(points), ink.width * self.factor / 2
        for one, two in pairwise(scaled):
            self.canvas.polygon(_bar(one, two, half, longer=half if ink.is_sharp else 0.0), fill=ink.line)
        if not ink.is_sharp:
            for x, y in scaled:
                self.canvas.ellipse((x - half, y - half, x + half, y + half), fill=ink.line)

    def _write(self, words: Words) -> None:
        size = words.size * self.factor
        self.canvas.text(
            (words.x * self.factor, words.baseline * self.factor),
            words.text,
            fill=words.color,
            font=self._font(size),
            anchor=ANCHORS[words.anchor],
            stroke_width=round(0.028 * size) if words.is_bold else 0,
        )

    def _font(self, size: float) -> FreeTypeFont | ImageFont:
        from PIL import ImageFont

        if size not in self.fonts:
            self.fonts[size] = ImageFont.load_default(size)
        return self.fonts[size]

    def _scale(self, points: Sequence[XY]) -> list[XY]:
        return [(x * self.factor, y * self.factor) for x, y in points]


def _bar(one: XY, two: XY, half: float, *, longer: float) -> list[XY]:
    length = hypot(two[0] - one[0], two[1] - one[1]) or 1.0
    x, y = (two[0] - one[0]) / length, (two[1] - one[1]) / length
    (a, b), (c, d) = (one[0] - x * longer, one[1] - y * longer), (two[0] + x * longer, two[1] + y * longer)
    return [
        (a - y * half, b + x * half),
        (c - y * half, d + x * half),
        (c + y * half, d - x * half),
        (a + y * half, b - x * half),
    ]
