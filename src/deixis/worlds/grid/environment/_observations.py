"""Observations of an agent, as spaces of Gymnasium and as values in them, and pictures of episodes.

Pictures are small for agents to see, and larger, with words, for people.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from gymnasium import spaces

from deixis.worlds.grid._pictures.board import compose, describe
from deixis.worlds.grid._pictures.look import Look, Marks
from deixis.worlds.grid._pictures.pointing import heading_lines
from deixis.worlds.grid._pictures.raster import paint
from deixis.worlds.grid._pictures.strokes import Layer, Words
from deixis.worlds.grid._pictures.terminal import write_terminal
from deixis.worlds.grid._pictures.tiles import board_of
from deixis.worlds.grid.scene import GridScene


if TYPE_CHECKING:
    from deixis.worlds.grid.environment._batch import Batch
    from deixis.worlds.grid.environment.episodes import Episodes
    from deixis.worlds.grid.environment.options import Options


Values: TypeAlias = dict[str, Any]
CHARACTERS = string.ascii_letters + string.digits + " .,:-'"
LONGEST_OBJECT, LONGEST_START = 80, 200  # of a description, in letters


def space_of(batch: Batch, options: Options) -> spaces.Dict:
    """Return the space of the observations of one row."""
    size, places = batch.episodes.size, batch.episodes.places
    words = spaces.Box(0, batch.vocabulary, (batch.stage.words.shape[1],), np.uint16)
    match options.observation:
        case "symbolic":
            most = max(places, 1)  # what stands on one cell is added up
            return spaces.Dict({"grid": spaces.Box(0, most, (size, size, options.channels), np.uint8), "words": words})
        case "objects":
            codes = np.tile(np.array([3, 3, 4, size - 1, size - 1], np.uint8), (places, 1))
            agent = np.array([size - 1, size - 1, 3], np.uint8)
            return spaces.Dict(
                {
                    "objects": spaces.Box(np.zeros_like(codes), codes, dtype=np.uint8),
                    "agent": spaces.Box(np.zeros_like(agent), agent, dtype=np.uint8),
                    "words": words,
                }
            )
        case "rgb":
            side = size * options.cell
            return spaces.Dict({"image": spaces.Box(0, 255, (side, side, 3), np.uint8), "words": words})
    longest = LONGEST_START + LONGEST_OBJECT * places
    command = max(len(said.text) for said in batch.episodes.asked.commands)
    return spaces.Dict(
        {
            "instruction": spaces.Text(command, charset=letters_of(batch.episodes)),
            "scene": spaces.Text(longest, charset=CHARACTERS),
        }
    )


def observe(batch: Batch, options: Options, row: int) -> Values:
    """Return the observation of one row, in new arrays."""
    match options.observation:
        case "rgb":
            return {"image": draw_observation(batch.scene(row), options.cell), "words": batch.stage.words[row].copy()}
        case "text":
            number = int(batch.stage.episode[row])
            return {"instruction": batch.episodes.command(number), "scene": describe(batch.scene(row), Marks())}
    return {name: array[row].copy() for name, array in _arrays(batch, options).items()}


def observe_all(batch: Batch, options: Options, *, copy: bool) -> Values:
    """Return the observations of all rows, for the kinds of observation that are arrays already."""
    arrays = _arrays(batch, options)
    return {name: array.copy() for name, array in arrays.items()} if copy else arrays


def _arrays(batch: Batch, options: Options) -> Values:
    stage = batch.stage
    if options.observation == "symbolic":
        return {"grid": stage.grid, "words": stage.words}
    return {"objects": stage.objects, "agent": stage.agent, "words": stage.words}


def letters_of(episodes: Episodes) -> str:
    """Return every letter that a command may have."""
    return "".join(sorted(set(CHARACTERS).union(*(said.text for said in episodes.asked.commands))))


CLEAR = "\x1b[H\x1b[2J"  # the terminal, from its upper left corner on
HEADING_LINES = 4  # the most that a heading has, so that all pictures of an environment are equally high
STRIP = 0.46  # the height of the line below the board, in cells


def draw_observation(scene: GridScene, cell: int) -> np.ndarray:
    """Draw the board and nothing around it: uint8 [row, column, channel], red, green, blue.

    Put together from tiles, it has the pixels of `paint_board`.
    """
    board = board_of(scene.size, Look(cell=cell))
    image = board.empty.copy()
    if not board.put(image, scene, Marks()):
        return paint_board(scene, cell)
    side = scene.size * cell
    return np.ascontiguousarray(image[board.top : board.top + side, board.left : board.left + side])


def paint_board(scene: GridScene, cell: int) -> np.ndarray:
    """Paint the same from nothing, by the plain definition."""
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
        """Draw a picture with the command above and the line below: uint8 [row, column, channel].

        Put together from tiles, it has the pixels of `painted`.
        """
        look = Look(cell=cell, heading=True)
        headings = len(heading_lines(self.command, self.scene.size * cell, look))
        board = board_of(self.scene.size, look, headings)
        image = np.concatenate(
            [
                _board_with_heading(self.command, self.scene.size, cell),
                _strip_with_line(self.line, self.scene.size, cell),
            ]
        )
        if not board.put(image, self.scene, Marks(target=self.target)):
            return self.paint(cell)
        return _as_high(image, headings, cell)

    def paint(self, cell: int = 64) -> np.ndarray:
        """Paint the same from nothing, by the plain definition."""
        look = Look(cell=cell, heading=True)
        lines = len(heading_lines(self.command, self.scene.size * cell, look))
        board = compose(self.scene, Marks(target=self.target), look, title=self.command)
        height = board.height + round(STRIP * cell)
        words = _words(self.line, height, look)
        whole = replace(board, height=height, layers=(*board.layers, Layer(name="step", items=(words,))))
        return _as_high(np.asarray(paint(whole, scale=1)), lines, cell)

    def text(self, *, color: bool) -> str:
        """Return the same in characters."""
        board = write_terminal(self.scene, Marks(target=self.target), color=color)
        return f"{self.command}\n\n{board}\n{self.line}\n"


def _words(line: str, height: float, look: Look) -> Words:
    """Return the line at the lower end of a picture of that height."""
    y = height - 0.55 * STRIP * look.cell
    x, size = round(0.16 * look.cell), 0.235 * look.cell
    return Words(x=x, y=y, text=line, size=size, color=look.palette.ink, anchor="start")


def _as_high(image: np.ndarray, lines: int, cell: int) -> np.ndarray:
    """Return a picture made as high as one with the most lines above the board."""
    line_height = 1.35 * 0.235 * cell
    missing = round(HEADING_LINES * line_height + 0.12 * cell) - round(lines * line_height + 0.12 * cell)
    return np.pad(image, ((missing, 0), (0, 0), (0, 0)), mode="edge")


@lru_cache(maxsize=64)
def _board_with_heading(command: str, size: int, cell: int) -> np.ndarray:
    """Return the empty board with the command above it."""
    look = Look(cell=cell, heading=True)
    picture = compose(GridScene((), size=size), Marks(), look, title=command)
    board = board_of(size, look, len(heading_lines(command, size * cell, look)))
    high = board.top - board.rim  # where the words end
    words = tuple(layer for layer in picture.layers if layer.name == "heading")
    strip = np.asarray(paint(replace(picture, height=high, layers=words), scale=1))
    return np.concatenate([strip, board.empty[high:]])


@lru_cache(maxsize=512)
def _strip_with_line(line: str, size: int, cell: int) -> np.ndarray:
    """Return the strip below the board with what has just happened."""
    look = Look(cell=cell, heading=True)
    bare = compose(GridScene((), size=size), Marks(), look)
    height = bare.height + round(STRIP * cell)
    words = _words(line, height, look)
    strip = replace(
        bare,
        height=round(STRIP * cell),
        layers=(Layer(name="step", items=(replace(words, y=words.y - bare.height),)),),
    )
    return np.asarray(paint(strip, scale=1))
