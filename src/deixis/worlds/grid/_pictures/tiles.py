"""Boards assembled from cells that were painted before: the pixels of `paint`, many times faster.

What can be seen of a cell depends only on what reaches into it. So the pixels of a cell are kept under the things
there, in the order in which they are painted, and a board is its empty ground with such tiles put in. Things are
painted by the very strokes of `compose`, whole pixels away, so that no pixel differs (the tests compare them).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from deixis.worlds.grid._pictures.board import _agent_spot, _badge_place, _ground, _painting_order, _Plot
from deixis.worlds.grid._pictures.look import roles_of
from deixis.worlds.grid._pictures.pointing import badge, role_items
from deixis.worlds.grid._pictures.raster import OVERSAMPLING, paint, paint_large, put_items
from deixis.worlds.grid._pictures.strokes import Picture, Spot, Stroke, Words, flatten, paint_agent, paint_object
from deixis.worlds.grid.scene import Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

    from deixis.worlds.grid._pictures.look import Look, Marks, Role


MOST_TILES = 8_192  # of one board: 25 MB at 32 pixels a cell, 100 MB at 64
MOST_SPRITE_PIXELS = 32 << 20  # of one board, four bytes each
EXACT_CELLS = (16, 32, 64)  # pixels a cell at which lines fall on the same parts of pixels on every cell
NOWHERE = (1, 2, 3)  # a colour that nothing has
SPARE = 0.5  # pixels that painting may go beyond a line
Item: TypeAlias = Stroke | Words
Cell: TypeAlias = tuple[int, int]


class Thing(NamedTuple):
    """A thing painted on a board, by its look, which is the same on every cell.

    Attributes:
        what: shape, colour and size of an object, or the facing of the agent.
        within: where it stands within its cell, its share of the cell, the inset and the span of a box.
        role: what it is pointed out as.
        is_badge: whether this is the letter of its role.
    """

    what: tuple[str, str, int] | int
    within: tuple[float, ...]
    role: Role | None = None
    is_badge: bool = False


class Sprite(NamedTuple):
    """A thing painted before pictures are reduced.

    Attributes:
        image, mask: its pixels, and where they cover the ground.
        left, top: where they lie, from the upper left corner of its cell.
        ends: how far it reaches to the left, top, right and bottom from there, in pixels of the picture.
        cells: the cells that it reaches into, its own being (0, 0).
    """

    image: Image
    mask: Image
    left: int
    top: int
    ends: tuple[float, float, float, float]
    cells: tuple[Cell, ...]


class Board:
    """The boards of one size and look, with the tiles that were painted for them.

    Args:
        size: cells a side.
        look: how it looks; the style must be ours.
        headings: lines of words above the board, which only make room here.
    """

    def __init__(self, size: int, look: Look, headings: int) -> None:
        self.size, self.look = size, look
        margin = round(0.16 * look.cell)
        self.bare = _Plot.of(GridScene((), size=size), look, margin, [""] * headings)
        self.left, self.top, self.rim = round(self.bare.left), round(self.bare.top), round(0.1 * look.cell)
        side = size * look.cell
        layers = [layer for layer in _ground(GridScene((), size=size), look, self.bare) if layer.name == "grid"]
        self.ground = Picture(
            width=side + self.left + margin,
            height=self.top + side + margin,
            paper=look.palette.paper,
            layers=tuple(layers),
            title="",
            description="",
        )
        self._large: Image | None = None
        self._empty: np.ndarray | None = None
        self._tiles: dict[tuple[Cell, tuple[tuple[Thing, Cell], ...]], np.ndarray] = {}
        self._sprites: dict[Thing, Sprite] = {}
        self._sprite_pixels = 0

    @property
    def empty(self) -> np.ndarray:
        """The board with nothing on it, and what is around it: uint8 [row, column, channel]."""
        if self._empty is None:
            self._empty = np.asarray(paint(self.ground, scale=1))
        return self._empty

    def put(self, image: np.ndarray, scene: GridScene, marks: Marks) -> bool:
        """Put everything on a board into a picture of the empty one, or return False where that cannot be done exactly.

        Args:
            image: uint8 [row, column, channel], as large as `empty` or larger below.
            scene: what is on the board.
            marks: the target to point out, if any; no ways, no lights.
        """
        if self.look.cell not in EXACT_CELLS:
            return False
        cells: dict[Cell, list[tuple[Thing, Cell]]] = {}
        for thing, (row, column) in self._list_things(scene, marks):
            sprite = self._sprite(thing)
            if not self._holds(sprite, row, column):
                return False
            for away in sprite.cells:
                cells.setdefault((row + away[0], column + away[1]), []).append((thing, away))
        for cell, things in cells.items():
            left, top, right, bottom = self._box(cell, 1)
            image[top:bottom, left:right] = self._tile(cell, tuple(things))
        return True

    def _list_things(self, scene: GridScene, marks: Marks) -> list[tuple[Thing, Cell]]:
        """What is painted, in order, and on which cell."""
        plot = _Plot.of(scene, self.look, self.bare.margin, [""] * len(self.bare.headings))
        roles, order = roles_of(marks), _painting_order(scene, marks, self.look)
        looks = [(thing.shape, thing.color, thing.size) for thing in scene.objects]
        found = [self._place(looks[index], plot.spots[index], roles.get(index)) for index in order]
        if scene.agent:
            found.append(self._place(int(scene.agent.facing), _agent_spot(scene, self.look, plot)))
        pointed = sorted(roles.items())
        return found + [self._place(looks[index], plot.spots[index], role, is_badge=True) for index, role in pointed]

    def _place(
        self, what: tuple[str, str, int] | int, spot: Spot, role: Role | None = None, *, is_badge: bool = False
    ) -> tuple[Thing, Cell]:
        x, y, edge = spot.x - self.left, spot.y - self.top, self.look.cell
        row, column = int(y // edge), int(x // edge)
        within = (round(x - column * edge, 6), round(y - row * edge, 6), spot.share, spot.inset, spot.span)
        return Thing(what, within, role, is_badge), (row, column)

    def _holds(self, sprite: Sprite, row: int, column: int) -> bool:
        """Return whether a thing on a cell stays on the board and the rim around it."""
        edge, far = self.look.cell, self.size * self.look.cell + self.rim
        left, top, right, bottom = sprite.ends
        is_inside = min(column * edge + left, row * edge + top) >= -self.rim
        return is_inside and max(column * edge + right, row * edge + bottom) <= far

    def _tile(self, cell: Cell, things: tuple[tuple[Thing, Cell], ...]) -> np.ndarray:
        """The pixels of a cell with some things that reach into it; all cells that no edge is near look alike."""
        row, column = (number if number in (-1, 0, self.size - 1, self.size) else 1 for number in cell)
        found = self._tiles.get(((row, column), things))
        if found is None:
            if len(self._tiles) >= MOST_TILES:
                self._tiles.clear()
            if self._large is None:
                self._large = paint_large(self.ground, scale=1)
            box = self._box(cell, OVERSAMPLING)
            canvas = self._large.crop(box)
            for thing, away in things:
                sprite = self._sprite(thing)
                left = (self.left + (cell[1] - away[1]) * self.look.cell) * OVERSAMPLING
                top = (self.top + (cell[0] - away[0]) * self.look.cell) * OVERSAMPLING
                canvas.paste(sprite.image, (left + sprite.left - box[0], top + sprite.top - box[1]), sprite.mask)
            found = np.asarray(canvas.reduce(OVERSAMPLING))
            self._tiles[(row, column), things] = found
        return found

    def _sprite(self, thing: Thing) -> Sprite:
        """A thing as it is painted on a canvas of its own; all its strokes are opaque, so nothing shines through."""
        found = self._sprites.get(thing)
        if found is None:
            found = self._paint(thing)
            pixels = found.image.width * found.image.height
            if self._sprite_pixels + pixels > MOST_SPRITE_PIXELS:
                self._sprites.clear()
                self._sprite_pixels = 0
            self._sprite_pixels += pixels
            self._sprites[thing] = found
        return found

    def _paint(self, thing: Thing) -> Sprite:
        """Paint a thing on the second cell of the second row, so that nothing of it lies beyond the upper left."""
        from PIL import Image

        edge = self.look.cell
        items = self._items(thing)
        parts = np.array([part for item in items for part in _stretches(item)])
        low, high = parts[:, :2].min(axis=0), parts[:, 2:].max(axis=0)
        ends = (low[0] - edge, low[1] - edge, high[0] - edge, high[1] - edge)
        box = [int(np.floor(value * OVERSAMPLING)) for value in low]
        box += [int(np.ceil(value * OVERSAMPLING)) for value in high]
        canvas = Image.new("RGB", (box[2], box[3]), NOWHERE)
        put_items(canvas, items, scale=1)
        image = canvas.crop((box[0], box[1], box[2], box[3]))
        mask = Image.fromarray(np.where((np.asarray(image) != NOWHERE).any(axis=2), 255, 0).astype(np.uint8))
        cells: set[Cell] = set()
        for left, top, right, bottom in (parts // edge).astype(int) - 1:
            cells |= set(product(range(top, bottom + 1), range(left, right + 1)))
        corner = edge * OVERSAMPLING
        where = tuple((int(row), int(column)) for row, column in sorted(cells))
        return Sprite(image, mask, box[0] - corner, box[1] - corner, ends, where)

    def _items(self, thing: Thing) -> tuple[Item, ...]:
        """Return the strokes of a thing on the second cell of the second row."""
        x, y, share, inset, span = thing.within
        edge = self.look.cell
        spot = Spot(x=edge + x, y=edge + y, cell=edge, share=share, inset=inset, span=int(span))
        if isinstance(thing.what, int):
            return paint_agent(Facing(thing.what), spot, self.look)
        shape, color, size = thing.what
        body = GridObject(shape=shape, color=color, size=size, row=0, column=0)
        if thing.is_badge:
            assert thing.role is not None
            return badge(*_badge_place(body, spot, self.look), self.look, thing.role)
        drawn = paint_object(body, spot, self.look)
        return drawn if thing.role is None else (*drawn, *role_items(body, spot, self.look, thing.role))

    def _box(self, cell: Cell, unit: int) -> tuple[int, int, int, int]:
        """Where a cell, or a stretch of the rim around the board, lies: left, top, right, bottom, in 1/unit pixels."""
        ends = []
        for number, start in zip(cell, (self.top, self.left), strict=True):
            edge = self.look.cell
            first = start - self.rim if number < 0 else start + number * edge
            ends.append((first, first + (edge if 0 <= number < self.size else self.rim)))
        (top, bottom), (left, right) = ends
        return left * unit, top * unit, right * unit, bottom * unit


@lru_cache(maxsize=16)
def board_of(size: int, look: Look, headings: int = 0) -> Board:
    """Return the board of a size and look, always the same one, so that its tiles are kept."""
    return Board(size, look, headings)


def _stretches(item: Item) -> Iterator[tuple[float, float, float, float]]:
    """Yield the parts that an item is made of, each as the left, top, right and bottom that it stays within."""
    if not isinstance(item, Stroke):  # a letter
        yield item.x - item.size, item.y - item.size, item.x + item.size, item.y + item.size
        return
    points = flatten(item.outline)
    away = item.ink.width / 2 + SPARE
    pieces = [points] if item.ink.fill else [list(pair) for pair in pairwise(points)]
    for piece in pieces:
        xs, ys = zip(*piece, strict=True)
        yield min(xs) - away, min(ys) - away, max(xs) + away, max(ys) + away
