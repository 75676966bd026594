"""Several boards on one sheet: inputs above, outputs below, an arrow between, as reasoning tasks are shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING

from deixis.errors import SchemaError
from deixis.worlds.grid._pictures.board import compose
from deixis.worlds.grid._pictures.look import Look, Marks
from deixis.worlds.grid._pictures.strokes import Ink, Layer, Outline, Picture, Stroke, Words, polygon, rectangle


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid._pictures.strokes import XY
    from deixis.worlds.grid.scene import GridScene


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a sheet.

    Attributes:
        label: what stands above it.
        input: the upper board.
        output: the lower board; None shows a question mark in its place.
        is_asked: whether the column is set off as the one that is asked about.
    """

    label: str
    input: GridScene
    output: GridScene | None
    is_asked: bool = False


def compose_sheet(columns: Sequence[Column], *, look: Look, title: str, heading: str = "") -> Picture:
    """Compose the picture of columns side by side.

    Args:
        columns: what is shown; there must be one at least.
        look: how boards look; its heading and legend are left out.
        title: what the picture is, for screen readers.
        heading: what stands above everything, if anything.
    """
    if not columns:
        raise SchemaError("a sheet needs at least one column")
    plain = replace(look, heading=False, legend=False)
    layout = _Layout.of(columns, plain, heading)
    layers = [Layer(name="heading", items=layout.heading())] if heading else []
    descriptions = []
    for number, column in enumerate(columns):
        left = layout.left(number)
        layers.append(Layer(name="asked" if column.is_asked else "shown", items=layout.frame(column, left)))
        for scene, top in ((column.input, layout.upper), (column.output, layout.lower)):
            board = None if scene is None else compose(scene, Marks(), plain)
            moved = [layout.question(left)] if board is None else [_move_layer(la, (left, top)) for la in board.layers]
            layers += moved
            descriptions.append("A question mark." if board is None else board.description)
    return Picture(
        width=layout.width,
        height=layout.height,
        paper=plain.palette.paper,
        layers=tuple(layers),
        title=title,
        description=" ".join(_describe_columns(columns, descriptions)),
    )


def _describe_columns(columns: Sequence[Column], descriptions: list[str]) -> list[str]:
    pairs = zip(descriptions[::2], descriptions[1::2], strict=True)
    return [f"{c.label}. Input: {one} Output: {two}" for c, (one, two) in zip(columns, pairs, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """Where everything stands, in pixels."""

    look: Look
    board: float
    columns: int
    lines: tuple[str, ...]

    @classmethod
    def of(cls, columns: Sequence[Column], look: Look, heading: str) -> _Layout:
        """Return the layout of columns whose boards all have the size of the largest."""
        board = max(compose(column.input, Marks(), look).width for column in columns)
        bare = cls(look=look, board=board, columns=len(columns), lines=())
        letters = max(int((bare.width - 2 * bare.unit) / (0.48 * bare.font)), 20)
        return replace(bare, lines=tuple(wrap(heading, letters, max_lines=4, placeholder=" …")))

    @property
    def unit(self) -> float:
        """The distance between things, from which all others follow."""
        return 0.5 * self.look.cell

    @property
    def font(self) -> float:
        """The size of the heading's letters."""
        return 0.52 * self.look.cell

    @property
    def width(self) -> float:
        """Of the sheet."""
        return self.left(self.columns) + 0.5 * self.unit

    @property
    def height(self) -> float:
        """Of the sheet."""
        return round(self.lower + self.board + 1.2 * self.unit)

    @property
    def top(self) -> float:
        """Where the columns begin."""
        return round(0.8 * self.unit + (len(self.lines) * 1.4 * self.font + 0.4 * self.unit if self.lines else 0))

    @property
    def upper(self) -> float:
        """Where the upper boards begin."""
        return self.top + round(2.0 * self.unit)

    @property
    def lower(self) -> float:
        """Where the lower boards begin."""
        return self.upper + self.board + round(2.2 * self.unit)

    def left(self, number: int) -> float:
        """Where the boards of a column begin."""
        return round(1.3 * self.unit) + number * round(self.board + 1.5 * self.unit)

    def heading(self) -> tuple[Words, ...]:
        """Return the words above everything."""
        ink, x = self.look.palette.ink, self.left(0)
        places = [0.8 * self.unit + (i + 0.5) * 1.4 * self.font for i in range(len(self.lines))]
        return tuple(
            Words(x=x, y=y, text=line, size=self.font, color=ink, anchor="start")
            for y, line in zip(places, self.lines, strict=True)
        )

    def frame(self, column: Column, left: float) -> tuple[Stroke | Words, ...]:
        """Return the label of a column, its arrow and, where it is asked about, what sets it off."""
        palette, unit = self.look.palette, self.unit
        middle = left + self.board / 2
        label = Words(
            x=middle,
            y=self.top + unit,
            text=column.label,
            size=0.45 * self.look.cell,
            color=palette.ink if column.is_asked else palette.soft,
            is_bold=column.is_asked,
        )
        arrow = self._arrow(middle, self.upper + self.board + 0.35 * unit, self.lower - 0.35 * unit)
        if not column.is_asked:
            return (label, *arrow)
        pad = 0.5 * unit
        high = self.lower + self.board + pad - self.top
        back = rectangle(left - pad, self.top, self.board + 2 * pad, high, rounding=0.4 * self.look.cell)
        grounds = (self._ground(left, top) for top in (self.upper, self.lower))
        return (Stroke(back, Ink(fill=palette.glow)), *grounds, label, *arrow)

    def question(self, left: float) -> Layer:
        """Return a question mark where the answer belongs."""
        palette, cell, board = self.look.palette, self.look.cell, self.board
        edge = round(0.16 * cell)
        inner = rectangle(left + edge, self.lower + edge, board - 2 * edge, board - 2 * edge, rounding=0.1 * cell)
        dash = (0.22 * cell, 0.18 * cell)
        rim = Stroke(inner, Ink(line=palette.soft, width=max(cell / 32, 1.0), dash=dash))
        x, y = left + board / 2, self.lower + board / 2
        sign = Words(x=x, y=y, text="?", size=2.4 * cell, color=palette.ink, is_bold=True)
        return Layer(name="question", items=(rim, sign), title="what is the output?")

    def _ground(self, left: float, top: float) -> Stroke:
        edge = round(0.16 * self.look.cell)
        side = self.board - 2 * edge
        ground = rectangle(left + edge, top + edge, side, side, rounding=0.1 * self.look.cell)
        return Stroke(ground, Ink(fill=self.look.palette.paper))

    def _arrow(self, x: float, top: float, bottom: float) -> tuple[Stroke, ...]:
        ink = self.look.palette.ink
        head = 0.28 * self.unit * 2
        line = polygon([(x, top), (x, bottom - head)], is_closed=False)
        tip = polygon([(x, bottom), (x - 0.55 * head, bottom - head), (x + 0.55 * head, bottom - head)])
        return Stroke(line, Ink(line=ink, width=0.07 * self.look.cell)), Stroke(tip, Ink(fill=ink))


def _move_layer(layer: Layer, by: XY) -> Layer:
    """The same layer somewhere else; its object has no number of its own on a sheet."""
    return replace(layer, items=tuple(_move_item(item, by) for item in layer.items), object=None)


def _move_item(item: Stroke | Words, by: XY) -> Stroke | Words:
    if isinstance(item, Words):
        return replace(item, x=item.x + by[0], y=item.y + by[1])
    outline = item.outline
    pieces = tuple(tuple(_move_point(point, by) for point in piece) for piece in outline.pieces)
    return replace(item, outline=Outline(_move_point(outline.start, by), pieces, outline.is_closed))


def _move_point(point: XY, by: XY) -> XY:
    return point[0] + by[0], point[1] + by[1]
