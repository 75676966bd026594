"""Scenes as matrices of the Abstraction and Reasoning Corpus: whole numbers from 0 to 9, at most 30 rows and columns.

A cell is five by five pixels, so a grid of six by six cells is exactly as large as a matrix may be. Nothing is lost:
`decode` gives back the scene.

    o t f f o      g  the solid: its shape in its colour; a square fills the nine pixels, a circle is a plus,
    s g g g f         a cylinder leans to the right
    f g g g f      o  dots in the solid's colour, as many as its size, clockwise from the upper left
    f g g g f      t  the colour of the box that starts here
    o f f f o      s  the size of that box: 6, 7, 8, 9 for sizes 1, 2, 3, 4
                   f  frames of boxes, in their colours; of several along one line the smallest box is seen

Colours are those that tools for the corpus show: blue 1, red 2, green 3, yellow 4; 0 is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.grid._pictures.look import Look
from deixis.worlds.grid._pictures.raster import write_png
from deixis.worlds.grid._pictures.sheet import Column, compose_sheet
from deixis.worlds.grid._pictures.strokes import Ink, Layer, Picture, Stroke, rectangle
from deixis.worlds.grid._pictures.svg import write_svg
from deixis.worlds.grid.induce.edits import in_reading_order
from deixis.worlds.grid.scene import SIZES, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.grid.induce.rule import Task

__all__ = [
    "CELL",
    "MAX_SIDE",
    "Matrix",
    "decode",
    "draw_matrix_png",
    "draw_matrix_svg",
    "draw_task_png",
    "draw_task_svg",
    "encode",
]


Matrix: TypeAlias = list[list[int]]

CELL = 5
MAX_SIDE = 30
INKS = {"blue": 1, "red": 2, "green": 3, "yellow": 4}
COLOR_OF = {ink: color for color, ink in INKS.items()}
GLYPHS = {
    "circle": np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool),
    "cylinder": np.array([[0, 1, 1], [0, 1, 0], [1, 1, 0]], bool),
    "square": np.ones((3, 3), bool),
}
DOTS = ((0, 0), (0, 4), (4, 4), (4, 0))
START, EXTENT = (0, 1), (1, 0)  # of a box, in its first cell
FIRST_EXTENT = 6  # the number that stands for size 1


def encode(scene: GridScene) -> Matrix:
    """Encode a scene without an agent as a matrix.

    Raises:
        SchemaError: when it has an agent, is too large, or holds two solids in one cell or two boxes with one corner.
    """
    if scene.agent is not None:
        raise SchemaError("a scene with an agent has no matrix; tasks of abstract reasoning have none")
    if scene.size * CELL > MAX_SIDE:
        raise SchemaError(f"a matrix has room for {MAX_SIDE // CELL} cells along a side, not for {scene.size}")
    if len({(o.row, o.column, o.is_box) for o in scene.objects}) < len(scene):
        raise SchemaError("two solids in one cell, or two boxes with one corner, have no matrix")
    pixels = np.zeros((scene.size * CELL, scene.size * CELL), np.int64)
    boxes = sorted((o for o in scene.objects if o.is_box), key=lambda o: (-o.size, o.row, o.column))
    for box in boxes:
        _frame(pixels, box)
    for thing in scene.objects:
        cell = _cell(pixels, thing.row, thing.column)
        if thing.is_box:
            cell[START], cell[EXTENT] = INKS[thing.color], FIRST_EXTENT + thing.size - 1
        else:
            cell[1:4, 1:4][GLYPHS[thing.shape]] = INKS[thing.color]
            for dot in DOTS[: thing.size]:
                cell[dot] = INKS[thing.color]
    return pixels.tolist()


def decode(matrix: object) -> GridScene:
    """Decode a matrix as a scene, its objects in reading order.

    Raises:
        SchemaError: when it is not a matrix of the corpus, or none that a scene could have.
    """
    pixels = _pixels(matrix)
    size = len(pixels) // CELL
    things = [thing for row in range(size) for column in range(size) for thing in _things(pixels, row, column)]
    scene = in_reading_order(GridScene(tuple(things), size=size))
    if encode(scene) != pixels.tolist():
        raise SchemaError("the matrix is none of a grid scene: some pixels belong to nothing")
    return scene


def _frame(pixels: np.ndarray, box: GridObject) -> None:
    """The outline of a box, without the pixels that solids and the starts of boxes need."""
    first_row, first_column = box.row * CELL, box.column * CELL
    last_row, last_column = (place + box.size * CELL - 1 for place in (first_row, first_column))
    ink = INKS[box.color]
    for row, column in np.ndindex(pixels.shape):
        is_inside = first_row <= row <= last_row and first_column <= column <= last_column
        is_edge = row in (first_row, last_row) or column in (first_column, last_column)
        within = row % CELL, column % CELL
        if is_inside and is_edge and within not in (*DOTS, START, EXTENT):
            pixels[row, column] = ink


def _things(pixels: np.ndarray, row: int, column: int) -> Iterator[GridObject]:
    """What a cell seems to hold."""
    cell = _cell(pixels, row, column)
    middle = cell[1:4, 1:4]
    if cell[START]:
        size = int(cell[EXTENT]) - FIRST_EXTENT + 1
        yield GridObject("box", _color(cell[START]), _check_size(size), row, column)
    if middle.any():
        shape = next((name for name, glyph in GLYPHS.items() if (glyph == (middle > 0)).all()), None)
        if shape is None:
            raise SchemaError(f"the pixels in the middle of cell ({row}, {column}) are no shape")
        size = sum(bool(cell[dot]) for dot in DOTS)
        yield GridObject(shape, _color(middle.max()), _check_size(size), row, column)


def _cell(pixels: np.ndarray, row: int, column: int) -> np.ndarray:
    return pixels[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]


def _color(ink: int) -> str:
    if int(ink) not in COLOR_OF:
        raise SchemaError(f"the number {int(ink)} stands for no colour of an object; 1 to 4 do")
    return COLOR_OF[int(ink)]


def _check_size(size: int) -> int:
    if not 1 <= size <= len(SIZES):
        raise SchemaError(f"an object of the matrix has no size from 1 to {len(SIZES)}")
    return size


def _pixels(matrix: object) -> np.ndarray:
    """Return the matrix as an array, once it is sure to be one."""
    if not isinstance(matrix, list) or not 2 * CELL <= len(matrix) <= MAX_SIDE or len(matrix) % CELL:
        raise SchemaError(f"a matrix is a list of rows, a multiple of {CELL} and at most {MAX_SIDE} of them")
    for row in matrix:
        if not isinstance(row, list) or len(row) != len(matrix):
            raise SchemaError("a matrix of a grid scene has as many columns as rows")
        if not all(type(value) is int and 0 <= value <= 9 for value in row):
            raise SchemaError("a matrix holds whole numbers from 0 to 9")
    return np.array(matrix, np.int64)


LOOK = Look(cell=32)
FILLS = (
    "#10131A",
    "#1E78D6",
    "#F0463C",
    "#3CC24A",
    "#FFDC28",
    "#9AA0A8",
    "#E632BE",
    "#FF8A2A",
    "#86D8FF",
    "#8A1030",
)
GAP = "#343A46"


def draw_task_svg(task: Task, *, rule: bool = False, answer: bool = False, look: Look = LOOK) -> str:
    """Draw the sheet of a task as an SVG document.

    Args:
        task: the task.
        rule: whether the rule stands above it.
        answer: whether the answer is shown instead of a question mark.
        look: how the boards look.
    """
    return write_svg(_sheet(task, rule=rule, answer=answer, look=look))


def draw_task_png(task: Task, *, rule: bool = False, answer: bool = False, look: Look = LOOK, scale: int = 2) -> bytes:
    """Draw the sheet of a task as a PNG file, with the arguments of `draw_task_svg`."""
    return write_png(_sheet(task, rule=rule, answer=answer, look=look), scale=scale)


def draw_matrix_svg(matrix: Matrix, *, pixel: int = 12) -> str:
    """Draw a matrix of the corpus as an SVG document, `pixel` units to the pixel."""
    return write_svg(_mosaic(matrix, pixel))


def draw_matrix_png(matrix: Matrix, *, pixel: int = 12, scale: int = 1) -> bytes:
    """Draw a matrix of the corpus as a PNG file."""
    return write_png(_mosaic(matrix, pixel), scale=scale)


def _mosaic(matrix: Matrix, pixel: int) -> Picture:
    inner = 0.93 * pixel
    tiles = tuple(
        Stroke(rectangle(column * pixel, row * pixel, inner, inner), Ink(fill=FILLS[value]))
        for row, values in enumerate(matrix)
        for column, value in enumerate(values)
    )
    return Picture(
        width=len(matrix) * pixel,
        height=len(matrix) * pixel,
        paper=GAP,
        layers=(Layer(name="pixels", items=tiles),),
        title="A matrix of the Abstraction and Reasoning Corpus",
        description=f"{len(matrix)} rows of {len(matrix)} numbers, shown as colours.",
    )


def _sheet(task: Task, *, rule: bool, answer: bool, look: Look) -> Picture:
    shown = [
        Column(label=f"pair {number}", input=pair.input, output=pair.output)
        for number, pair in enumerate(task.train, start=1)
    ]
    asked = Column(label="test", input=task.test.input, output=task.test.output if answer else None, is_asked=True)
    heading = task.rule.english() if rule else ""
    return compose_sheet([*shown, asked], look=look, title=heading or "An abstract-reasoning task", heading=heading)
