"""Words around a board: the heading above it and the legend of marks below."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from deixis.worlds.grid.pictures.look import Role, roles_of
from deixis.worlds.grid.pictures.pointing import badge, role_ink
from deixis.worlds.grid.pictures.strokes import Ink, Layer, Stroke, Words, polygon


if TYPE_CHECKING:
    from deixis.scene.grid import GridScene
    from deixis.worlds.grid.pictures.look import Look, Marks


__all__ = ["heading_lines", "legend_height", "legend_layer"]

MAX_HEADING_LINES = 4


def heading_lines(title: str, width: float, look: Look) -> list[str]:
    """The title broken into lines that fit over the board, the last one cut short if there are too many."""
    letters = max(int(width / (0.235 * look.cell * 0.53)), 8)
    return wrap(title, letters, max_lines=MAX_HEADING_LINES, placeholder=" …")


def legend_height(scene: GridScene, marks: Marks, look: Look) -> int:
    """How much room the legend takes, in whole pixels."""
    rows = -(-len(_entries(marks)) // _columns(scene)) if look.legend else 0
    return round((rows * 0.4 + 0.16) * look.cell) if rows else 0


def legend_layer(scene: GridScene, marks: Marks, look: Look, *, left: float, top: float) -> list[Layer]:
    """The marks in use, each with its line, its badge and its name."""
    if not look.legend or not _entries(marks):
        return []
    columns = _columns(scene)
    width = scene.size * look.cell / columns
    items: list[Stroke | Words] = []
    for number, (role, name) in enumerate(_entries(marks)):
        row, column = divmod(number, columns)
        items += _entry(left + column * width, top + (0.24 + 0.4 * row) * look.cell, role, name, look)
    return [Layer(name="legend", items=tuple(items))]


def _entries(marks: Marks) -> list[tuple[Role | None, str]]:
    used = set(roles_of(marks).values())
    entries: list[tuple[Role | None, str]] = [(role, role.short) for role in Role if role in used]
    if marks.path and len(marks.path) > 1:
        entries.append((None, "walked"))
    if len(marks.pushed) > 1:
        entries.append((None, "pushed, pulled"))
    return entries


def _columns(scene: GridScene) -> int:
    """An entry needs the room of three cells."""
    return max(scene.size // 3, 1)


def _entry(x: float, y: float, role: Role | None, name: str, look: Look) -> list[Stroke | Words]:
    cell, palette = look.cell, look.palette
    ends = [(x + 0.04 * cell, y), (x + 0.46 * cell, y)]
    text = Words(x=x + 0.84 * cell, y=y, text=name, size=0.205 * cell, color=palette.ink, anchor="start")
    if role is None:
        ends[1] = (x + 0.7 * cell, y)
        dash = (0.075 * cell, 0.095 * cell) if name != "walked" else ()
        line = Ink(line=palette.ink, width=0.05 * cell, dash=dash)
        return [Stroke(polygon(ends, is_closed=False), line), text]
    lines = [Stroke(polygon(ends, is_closed=False), role_ink(role, look))]
    return [*lines, *badge(x + 0.64 * cell, y, look, role), text]
