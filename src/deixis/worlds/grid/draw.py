"""Pictures of grid scenes: as SVG for pages, as PNG for files and models, as text for the terminal, and in motion.

All of them show the same things: objects, agent, and what the marks point out. A distractor's kind is told by the line
of its outline and by a letter, never by colour alone: T target, M mentioned, R relation, A attribute, I isomorphism,
S size counterpart, ? random.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.grid._pictures.animate import film_of, write_gif, write_moving_svg
from deixis.worlds.grid._pictures.board import compose
from deixis.worlds.grid._pictures.look import Cell, Look, Marks, Role
from deixis.worlds.grid._pictures.raster import write_png
from deixis.worlds.grid._pictures.svg import write_svg
from deixis.worlds.grid._pictures.terminal import write_terminal
from deixis.worlds.grid.actions import Action, plan_from_codes
from deixis.worlds.grid.simulate import simulate


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.worlds.grid.scene import GridScene


__all__ = [
    "Look",
    "Marks",
    "Role",
    "Way",
    "animate_gif",
    "animate_svg",
    "draw_png",
    "draw_svg",
    "draw_terminal",
    "path_of",
]

NOTHING = Marks()
DEFAULT = Look()


class Way(NamedTuple):
    """The way of actions: the cells the agent walks over and those it moves an object over, first cells included."""

    path: tuple[Cell, ...]
    pushed: tuple[Cell, ...]  # empty when nothing moves


def draw_svg(scene: GridScene, *, marks: Marks | None = None, look: Look = DEFAULT, title: str = "") -> str:
    """Return the scene as a self-contained SVG document with a title and a description for screen readers.

    Every object is a group with its number as `data-object`, so that a page can light up what a word points at.

    Raises:
        SchemaError: when a mark points at an object or cell that is not there.

    Example:
        >>> from deixis.worlds.grid.drawn import grid
        >>> scene = grid('''
        ...     r○2 .
        ...     .   b□1
        ... ''')
        >>> draw_svg(scene, marks=Marks(target=0)).count('class="object"')
        2
    """
    return write_svg(compose(scene, marks or NOTHING, look, title=title))


def draw_png(
    scene: GridScene, *, marks: Marks | None = None, look: Look = DEFAULT, scale: int = 2, title: str = ""
) -> bytes:
    """Draw the scene as a PNG file like the SVG, `scale` pixels to the pixel, with equal bytes for equal scenes.

    Raises:
        SchemaError: when a mark points at an object or cell that is not there, or the image would be too large.
        DeixisError: when Pillow is not installed.
    """
    return write_png(compose(scene, marks or NOTHING, look, title=title), scale=scale)


def draw_terminal(scene: GridScene, *, marks: Marks | None = None, color: bool) -> str:
    """Return the scene as lines of text: the board with the frames of boxes, then every object with its role.

    Raises:
        SchemaError: when a mark points at an object or cell that is not there.
    """
    return write_terminal(scene, marks or NOTHING, color=color)


def animate_gif(
    scene: GridScene, actions: Iterable[int], *, marks: Marks | None = None, look: Look = DEFAULT, title: str = ""
) -> bytes:
    """Animate the agent's actions as a GIF that plays for ever.

    The title stands above the board, the action below it. Equal arguments give equal bytes.

    Args:
        scene: before the first action.
        actions: a plan, sensible or not; what happens is what the simulator says.
        marks: what to point out; a way in it is not shown, since the agent is seen to go it.
        look: how it looks.
        title: usually the command.

    Raises:
        SchemaError: when the scene has no agent, the actions cannot be understood or are too many, or a mark points at
            something that is not there.
        DeixisError: when Pillow is not installed.
    """
    return write_gif(film_of(scene, actions, marks or NOTHING, look, title=title))


def animate_svg(
    scene: GridScene, actions: Iterable[int], *, marks: Marks | None = None, look: Look = DEFAULT, title: str = ""
) -> str:
    """Animate the agent's actions as an SVG document that moves by itself.

    It needs no script and nothing from elsewhere. Where the reader prefers things not to move, and in print, it shows
    the first moment with the whole way drawn in. Arguments and errors are those of `animate_gif`.
    """
    plan = tuple(actions)
    way = path_of(scene, plan)
    shown = replace(marks or NOTHING, path=way.path, pushed=way.pushed)
    return write_moving_svg(film_of(scene, plan, shown, look, title=title))


def path_of(scene: GridScene, actions: Iterable[int]) -> Way:
    """Return the way that actions lead through a scene, to be drawn: walked, then pushed or pulled.

    Raises:
        SchemaError: when the scene has no agent or an action has an unknown code.
    """
    plan = plan_from_codes(actions)
    cells = [(agent.row, agent.column) for agent in simulate(scene, plan).trail]
    path: list[Cell] = [cells[0]]
    pushed: list[Cell] = []
    for action, (before, after) in zip(plan, pairwise(cells), strict=True):
        if before == after:
            continue
        way = path if action == Action.WALK else pushed
        if not way or way[-1] != before:
            way.append(before)
        way.append(after)
    return Way(tuple(path), tuple(pushed))
