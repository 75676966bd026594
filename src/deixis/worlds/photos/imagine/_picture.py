"""From shapes to pixels: the picture, and the owner of each part of it.

Everything is painted twice as large as asked and then reduced, which smooths every edge. A second canvas of the same
size records which thing was painted last at each place, so that the box of a thing is what is seen of it, to the pixel.
"""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import DeixisError
from deixis.worlds.photos.imagine._pen import LIMB, OUTLINE_PX, OVAL, POLYGON
from deixis.worlds.photos.imagine._textures import cover


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    from deixis.worlds.photos.imagine._pen import XY, Shape
    from deixis.worlds.photos.imagine._textures import Color


OVERSAMPLING = 2  # pixels painted per pixel kept, along each side
NOBODY = 255  # the owner of places where nothing was painted
MAX_THINGS = 254


class OwnedShapes(NamedTuple):
    """The shapes of one thing, or of the shade it throws, which has no owner (owner -1)."""

    owner: int
    shapes: tuple[Shape, ...]
    is_backdrop: bool = False


class Owners(NamedTuple):
    """The visible part of each thing.

    Attributes:
        alone: int64 [thing], pixels painted for it, whatever was painted over them later; 0 for a backdrop.
        visible: int64 [thing], pixels at which it was painted last.
        boxes: int64 [thing, 4] with left, top, right and bottom of those pixels; right and bottom lie outside.
        covers: int64 [thing, thing], pixels of the second that the first, no backdrop, was painted over.
    All in pixels of the enlarged canvas.
    """

    alone: np.ndarray
    visible: np.ndarray
    boxes: np.ndarray
    covers: np.ndarray


def paint(painted: Iterable[OwnedShapes], width: int, height: int) -> Image:
    """Paint the picture as a Pillow image of the given size."""
    image, draw = _pillow()
    canvas = image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), (255, 255, 255))
    brush = _Brush(canvas, draw.Draw(canvas))
    for layer in painted:
        for shape in layer.shapes:
            brush.put(shape)
    return canvas.reduce(OVERSAMPLING)


def who_owns(painted: Sequence[OwnedShapes], things: int, width: int, height: int) -> Owners:
    """Find the visible part of each thing once all are painted, in the order given.

    Shade and glass hide nothing.
    """
    if things > MAX_THINGS:
        raise DeixisError(f"a picture holds at most {MAX_THINGS} things, got {things}")
    image, draw = _pillow()
    size = (width * OVERSAMPLING, height * OVERSAMPLING)
    canvas = image.new("L", size, NOBODY)
    pencil = draw.Draw(canvas)
    alone, visible = np.zeros(things, np.int64), np.zeros(things, np.int64)
    boxes, covers = np.zeros((things, 4), np.int64), np.zeros((things, things), np.int64)
    regions = {}
    for owner, shapes, is_backdrop in painted:
        solid = [shape for shape in shapes if shape.paint.opacity >= 1]
        region = _region(solid, *size)
        if owner < 0 or region is None:
            continue
        regions[owner] = region
        before = None if is_backdrop else np.asarray(canvas.crop(region))
        for shape in solid:
            _outline(pencil, shape, owner)
        if before is not None:
            is_mine = np.asarray(canvas.crop(region)) == owner
            alone[owner] = np.count_nonzero(is_mine)
            covers[owner] = np.bincount(before[is_mine], minlength=256)[:things]
    last = np.asarray(canvas)
    for owner, (left, top, right, bottom) in regions.items():
        is_mine = last[top:bottom, left:right] == owner
        rows, columns = np.flatnonzero(is_mine.any(1)), np.flatnonzero(is_mine.any(0))
        if not len(rows):
            continue
        visible[owner] = np.count_nonzero(is_mine)
        boxes[owner] = left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1
    return Owners(alone, visible, boxes, covers)


class _Brush:
    """Puts shapes onto a canvas that has `OVERSAMPLING` pixels to the pixel."""

    def __init__(self, canvas: Image, pencil: ImageDraw) -> None:
        self.canvas, self.pencil = canvas, pencil

    def put(self, shape: Shape) -> None:
        """Paint one shape over what is there."""
        paint = shape.paint
        if paint.opacity < 1:
            self._lay_over(shape, paint.color, round(255 * paint.opacity), "")
            return
        if paint.line is not None and shape.kind == LIMB:
            _outline(self.pencil, shape, paint.line)
        _inside(self.pencil, shape, paint.color)
        if paint.texture:
            self._lay_over(shape, paint.over, 255, paint.texture)
        if paint.line is not None and shape.kind != LIMB:
            _edge(self.pencil, shape, paint.line)

    def _lay_over(self, shape: Shape, color: tuple[int, int, int], strength: int, texture: str) -> None:
        image, draw = _pillow()
        is_upright = bool(texture) and _is_upright(shape)
        region = _inner(shape, *self.canvas.size) if is_upright else _region([shape], *self.canvas.size)
        if region is None:
            return
        left, top, right, bottom = region
        if is_upright:
            sheet = cover(texture, right - left, bottom - top, shape.paint.period * OVERSAMPLING)
            self.canvas.paste(_between(shape.paint.color, color, sheet, image), (left, top))
            return
        mask = image.new("L", (right - left, bottom - top), 0)
        moved = shape._replace(points=tuple((x - left / OVERSAMPLING, y - top / OVERSAMPLING) for x, y in shape.points))
        _inside(draw.Draw(mask), moved, strength)
        if texture:
            from PIL import ImageChops

            sheet = cover(texture, right - left, bottom - top, shape.paint.period * OVERSAMPLING)
            mask = ImageChops.multiply(mask, image.fromarray(sheet))
        self.canvas.paste(color, (left, top), mask)


def _is_upright(shape: Shape) -> bool:
    """Return whether a shape without an edge fills a rectangle, as backdrops do."""
    if shape.kind != POLYGON or shape.paint.line is not None or len(shape.points) != 4:
        return False
    (a, b), (c, d), (e, f), (g, h) = shape.points
    return a == g and c == e and b == d and f == h


def _between(color: Color, over: Color, sheet: np.ndarray, image: ModuleType) -> Image:
    """Return a rectangle of one colour with another laid over it, as strongly as the sheet says."""
    mixed = image.frombytes("P", (sheet.shape[1], sheet.shape[0]), sheet.tobytes())
    shares = np.arange(256)[:, None] / 255
    mixed.putpalette(np.rint(np.array(color) * (1 - shares) + np.array(over) * shares).astype(np.uint8).tobytes())
    painted: Image = mixed.convert("RGB")
    return painted


def _inside(pencil: ImageDraw, shape: Shape, ink: int | tuple[int, int, int]) -> None:
    """Fill the shape."""
    points = _enlarge(shape.points)
    if shape.kind == OVAL:
        pencil.ellipse(points, fill=ink)
    elif shape.kind == LIMB:
        _stroke(pencil, points, shape.width * OVERSAMPLING, ink)
    else:
        pencil.polygon(points, fill=ink)


def _edge(pencil: ImageDraw, shape: Shape, ink: int | tuple[int, int, int]) -> None:
    """Line the shape."""
    width = round(OUTLINE_PX * OVERSAMPLING)
    points = _enlarge(shape.points)
    if shape.kind == OVAL:
        pencil.ellipse(points, outline=ink, width=width)
    else:
        pencil.line([*points, points[0]], fill=ink, width=width)


def _outline(pencil: ImageDraw, shape: Shape, ink: int | tuple[int, int, int]) -> None:
    """Everything that a shape touches, its edge included."""
    if shape.paint.line is None:
        _inside(pencil, shape, ink)
        return
    if shape.kind == LIMB:
        wider = (shape.width + 2 * OUTLINE_PX) * OVERSAMPLING
        _stroke(pencil, _enlarge(shape.points), wider, ink)
        return
    _inside(pencil, shape, ink)
    _edge(pencil, shape, ink)


def _stroke(pencil: ImageDraw, points: Sequence[XY], width: float, ink: int | tuple[int, int, int]) -> None:
    half = max(width, 1.0) / 2
    if len(points) > 1:
        pencil.line(points, fill=ink, width=max(1, round(width)))
    if half > 0.75:
        for x, y in points:
            pencil.ellipse((x - half, y - half, x + half, y + half), fill=ink)


def _enlarge(points: Sequence[XY]) -> list[XY]:
    return [(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points]


def _region(shapes: Sequence[Shape], width: int, height: int) -> tuple[int, int, int, int] | None:
    """Return the part of the canvas that the shapes may touch, or None where they all lie outside."""
    if not shapes:
        return None
    slack = max(shape.width for shape in shapes) / 2 + OUTLINE_PX + 1
    xs = [x for shape in shapes for x, _ in shape.points]
    ys = [y for shape in shapes for _, y in shape.points]
    left, top = max(0, int((min(xs) - slack) * OVERSAMPLING)), max(0, int((min(ys) - slack) * OVERSAMPLING))
    right = min(width, int((max(xs) + slack) * OVERSAMPLING) + 1)
    bottom = min(height, int((max(ys) + slack) * OVERSAMPLING) + 1)
    return (left, top, right, bottom) if left < right and top < bottom else None


def _inner(shape: Shape, width: int, height: int) -> tuple[int, int, int, int] | None:
    """Return the part of the canvas that an upright rectangle fills for certain, or None where it lies outside."""
    (x, y), _, (u, v), _ = _enlarge(shape.points)
    left, top, right, bottom = max(0, ceil(x)), max(0, ceil(y)), min(width, floor(u)), min(height, floor(v))
    return (left, top, right, bottom) if left < right and top < bottom else None


def _pillow() -> tuple[ModuleType, ModuleType]:
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise DeixisError('imagined scenes need Pillow; run: pip install "deixis[data]"') from None
    return Image, ImageDraw
