"""Episodes as pictures: small ones for agents to see, larger ones with words for people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from deixis.worlds.grid.pictures.board import compose
from deixis.worlds.grid.pictures.labels import heading_lines
from deixis.worlds.grid.pictures.look import Look, Marks
from deixis.worlds.grid.pictures.raster import paint
from deixis.worlds.grid.pictures.strokes import Layer, Words
from deixis.worlds.grid.pictures.terminal import write_terminal


if TYPE_CHECKING:
    from deixis.scene.grid import GridScene


__all__ = ["CLEAR", "Frame", "observed_picture"]

CLEAR = "\x1b[H\x1b[2J"  # the terminal, from its upper left corner on
HEADING_LINES = 4  # the most that a heading has, so that all pictures of an environment are equally high
STRIP = 0.46  # the height of the line below the board, in cells


def observed_picture(scene: GridScene, cell: int) -> np.ndarray:
    """The board and nothing around it: uint8 [row, column, channel], red, green, blue."""
    picture = compose(scene, Marks(), Look(cell=cell))
    margin = round((picture.width - scene.size * cell) / 2)
    image = np.asarray(paint(picture, scale=1))
    end = margin + scene.size * cell
    return np.ascontiguousarray(image[margin:end, margin:end])


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One moment of an episode, to be looked at.

    Attributes:
        scene: the world now.
        command: what is to be done.
        line: what has just happened.
        target: the object to point out, if any.
    """

    scene: GridScene
    command: str
    line: str
    target: int | None = None

    def picture(self, cell: int = 64) -> np.ndarray:
        """A picture with the command above and the line below: uint8 [row, column, channel]."""
        look = Look(cell=cell, heading=True)
        lines = len(heading_lines(self.command, self.scene.size * cell, look))
        line_height = 1.35 * 0.235 * cell
        board = compose(self.scene, Marks(target=self.target), look, title=self.command)
        height = board.height + round(STRIP * cell)
        words = Words(
            x=round(0.16 * cell),
            y=height - 0.55 * STRIP * cell,
            text=self.line,
            size=0.235 * cell,
            color=look.palette.ink,
            anchor="start",
        )
        whole = replace(board, height=height, layers=(*board.layers, Layer(name="step", items=(words,))))
        image = np.asarray(paint(whole, scale=1))
        missing = round(HEADING_LINES * line_height + 0.12 * cell) - round(lines * line_height + 0.12 * cell)
        return np.pad(image, ((missing, 0), (0, 0), (0, 0)), mode="edge")

    def text(self, *, color: bool) -> str:
        """The same in characters."""
        board = write_terminal(self.scene, Marks(target=self.target), color=color)
        return f"{self.command}\n\n{board}\n{self.line}\n"
