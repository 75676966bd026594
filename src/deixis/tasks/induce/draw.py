"""Pictures of tasks as in ReaSCAN's Figure 8: pairs side by side, then the test with a question mark or its answer.

A matrix can be drawn too, in the colours that tools for the Abstraction and Reasoning Corpus use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.grid.pictures.look import Look
from deixis.worlds.grid.pictures.raster import write_png
from deixis.worlds.grid.pictures.sheet import Column, compose_sheet
from deixis.worlds.grid.pictures.strokes import Ink, Layer, Picture, Stroke, rectangle
from deixis.worlds.grid.pictures.svg import write_svg


if TYPE_CHECKING:
    from deixis.tasks.induce.pixels import Matrix
    from deixis.tasks.induce.rule import Task


__all__ = ["draw_matrix_png", "draw_matrix_svg", "draw_task_png", "draw_task_svg"]

LOOK = Look(cell=32)
INKS = ("#10131A", "#1E78D6", "#F0463C", "#3CC24A", "#FFDC28", "#9AA0A8", "#E632BE", "#FF8A2A", "#86D8FF", "#8A1030")
GAP = "#343A46"


def draw_task_svg(task: Task, *, rule: bool = False, answer: bool = False, look: Look = LOOK) -> str:
    """The sheet of a task as an SVG document.

    Args:
        task: the task.
        rule: whether the rule stands above it.
        answer: whether the answer is shown instead of a question mark.
        look: how the boards look.
    """
    return write_svg(_sheet(task, rule=rule, answer=answer, look=look))


def draw_task_png(task: Task, *, rule: bool = False, answer: bool = False, look: Look = LOOK, scale: int = 2) -> bytes:
    """The sheet of a task as a PNG file; the arguments are those of `draw_task_svg`."""
    return write_png(_sheet(task, rule=rule, answer=answer, look=look), scale=scale)


def draw_matrix_svg(matrix: Matrix, *, pixel: int = 12) -> str:
    """A matrix of the corpus as an SVG document, `pixel` units to the pixel."""
    return write_svg(_mosaic(matrix, pixel))


def draw_matrix_png(matrix: Matrix, *, pixel: int = 12, scale: int = 1) -> bytes:
    """A matrix of the corpus as a PNG file."""
    return write_png(_mosaic(matrix, pixel), scale=scale)


def _mosaic(matrix: Matrix, pixel: int) -> Picture:
    inner = 0.93 * pixel
    tiles = tuple(
        Stroke(rectangle(column * pixel, row * pixel, inner, inner), Ink(fill=INKS[value]))
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
