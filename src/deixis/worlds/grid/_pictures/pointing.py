"""Marks in pictures: outlines and badges for roles, and the agent's way as a line with an arrow head.

Roles differ by the line of their outline and by the letter on their badge, so that no one needs to see colours.
"""

from __future__ import annotations

from itertools import pairwise
from math import atan2, cos, hypot, sin
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.grid._pictures.look import Role, roles_of
from deixis.worlds.grid._pictures.strokes import (
    FRAME_WIDTH,
    RELEASE_CELL,
    RELEASE_FRAME,
    Ink,
    Layer,
    Spot,
    Stroke,
    Words,
    disc,
    mix_colors,
    polygon,
    reach_of,
    rectangle,
    shift_points,
    silhouette,
    trim_ends,
)


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deixis.worlds.grid._pictures.look import Cell, Look, Marks
    from deixis.worlds.grid._pictures.strokes import XY, Outline
    from deixis.worlds.grid.scene import GridObject, GridScene

WAY_WIDTH = 0.05
HEAD = 0.2  # the length of an arrow head, in cells
ASIDE = 0.17  # how far a pull is drawn beside the way it retraces


class _Line(NamedTuple):
    """The line of a role: its width, then its dashes, for cells of 64 pixels."""

    width: float
    dash: tuple[float, ...]


LINES = {
    Role.TARGET: _Line(3.0, ()),
    Role.MENTIONED: _Line(2.0, ()),
    Role.RELATION: _Line(2.0, (7.5, 5.5)),
    Role.ATTRIBUTE: _Line(2.8, (0.01, 5.2)),
    Role.ISOMORPHISM: _Line(2.2, (8, 5, 0.01, 5)),
    Role.SIZE: _Line(2.2, (2.5, 4.8)),
    Role.RANDOM: _Line(1.6, (0.01, 7.5)),
    Role.HELPER: _Line(1.8, (4.5, 3.5, 0.01, 3.5, 0.01, 3.5)),
}


def role_ink(role: Role, look: Look) -> Ink:
    """Return the line that shows a role."""
    unit, palette = look.cell / 64, look.palette
    colors = {Role.TARGET: palette.accent, Role.MENTIONED: palette.ink}
    width, dash = LINES[role]
    return Ink(line=colors.get(role, palette.soft), width=width * unit, dash=tuple(unit * part for part in dash))


def role_items(thing: GridObject, spot: Spot, look: Look, role: Role) -> tuple[Stroke | Words, ...]:
    """Return the outline around an object (within a box) that shows its role, double for the target."""
    if role is Role.TARGET and look.style == "release":
        return _published_target(spot, look)
    ink, unit = role_ink(role, look), look.cell / 64
    grow = 3.4 * unit + (_half_frame(look) if thing.is_box else 0.0)
    outline = silhouette(thing, spot, look, grow=grow)
    strokes = [Stroke(outline, Ink(line=look.palette.paper, width=ink.width + 2 * unit)), Stroke(outline, ink)]
    if role is Role.TARGET:
        second = silhouette(thing, spot, look, grow=grow + 3.4 * unit)
        strokes.append(Stroke(second, Ink(line=ink.line, width=1.2 * unit)))
    return tuple(strokes)


def badge(x: float, y: float, look: Look, role: Role) -> tuple[Stroke | Words, ...]:
    """Return a small round badge with the letter of a role, filled for target and mentioned, open for distractors."""
    palette, radius = look.palette, 0.118 * look.cell
    ink = role_ink(role, look)
    is_filled = role in (Role.TARGET, Role.MENTIONED)
    back, front = (ink.line, palette.paper) if is_filled else (palette.paper, palette.ink)
    rim = Ink(fill=back, line=palette.paper if is_filled else ink.line, width=0.02 * look.cell)
    letter = Words(x=x, y=y, text=role.letter, size=1.45 * radius, color=front or palette.ink, is_bold=True)
    under = Stroke(disc(x, y, radius + 0.03 * look.cell), Ink(fill=palette.paper))
    return (under, Stroke(disc(x, y, radius), rim), letter)


def way_strokes(
    scene: GridScene, marks: Marks, look: Look, middle: Callable[[int, int], XY], spots: Sequence[Spot]
) -> tuple[Stroke, ...]:
    """Return the agent's way and, dashed, that of its load, with a ghost of the object where it ends."""
    walked = [middle(*cell) for cell in _turning_points(marks.path or ())]
    moved = [middle(*cell) for cell in _turning_points(marks.pushed)]
    mover = _find_mover(scene, marks)
    gap = 0.1 * look.cell
    reach = gap if mover is None else reach_of(scene.objects[mover], spots[mover], look) + 1.2 * gap
    strokes: list[Stroke] = []
    if len(moved) > 1 and mover is not None:
        thing, last = scene.objects[mover], moved[-1]
        ghost = silhouette(thing, Spot(x=last[0], y=last[1], cell=look.cell), look)
        line = mix_colors(look.palette.objects[thing.color], look.palette.ink, 0.25)
        dash = (0.07 * look.cell, 0.06 * look.cell)
        strokes.append(Stroke(ghost, Ink(line=line, width=0.03 * look.cell, dash=dash)))
    if len(walked) > 1:
        at_target = mover is not None and _cell_of(scene, mover) == (marks.path or ())[-1]
        ends = trim_ends(walked, start=0.36 * look.cell, end=reach if at_target else gap)
        strokes += _arrow(ends, look, is_dashed=False)
    if len(moved) > 1:
        by = _aside(marks, moved, look)
        end = 0.4 * look.cell if by != (0.0, 0.0) else gap  # a pull may end where the agent stands
        strokes += _arrow(trim_ends(shift_points(moved, by), start=reach, end=end), look, is_dashed=True)
    return tuple(strokes)


def _half_frame(look: Look) -> float:
    width = RELEASE_FRAME / RELEASE_CELL if look.style == "release" else FRAME_WIDTH
    return width * look.cell / 2


def _published_target(spot: Spot, look: Look) -> tuple[Stroke | Words, ...]:
    """The hatched, dashed frame around the target's cells and the word below it, as in the published pictures."""
    left, top = spot.corner
    side, unit, color = spot.span * spot.cell, spot.cell / RELEASE_CELL, look.palette.accent
    step = 10 * unit
    hatches = []
    for i in range(1, int(2 * side / step)):
        reach = i * step
        low, high = max(0.0, reach - side), min(reach, side)
        ends = [(left + low, top + reach - low), (left + high, top + reach - high)]
        hatches.append(Stroke(polygon(ends, is_closed=False), Ink(line=color, width=0.6 * unit)))
    frame = Ink(line=color, width=2 * unit, dash=(5 * unit, 5 * unit))
    x, y, size = left + side / 2, top + side - 6 * unit, 11 * unit
    plate = rectangle(x - 20 * unit, y - 6 * unit, 40 * unit, 12 * unit, rounding=3 * unit)
    caption = Words(x=x, y=y, text="Target", size=size, color=color, is_bold=True)
    border = Stroke(rectangle(left, top, side, side), frame)
    return (*hatches, border, Stroke(plate, Ink(fill=look.palette.paper)), caption)


def _turning_points(cells: Sequence[Cell]) -> list[Cell]:
    """The cells at which the direction changes, with both ends; standing still adds nothing."""
    steps = [cell for i, cell in enumerate(cells) if i == 0 or cell != cells[i - 1]]
    inner = [b for a, b, c in zip(steps, steps[1:], steps[2:], strict=False) if _heading(a, b) != _heading(b, c)]
    return [*steps[:1], *inner, *steps[1:][-1:]]


def _heading(one: Cell, two: Cell) -> tuple[float, float]:
    length = hypot(two[0] - one[0], two[1] - one[1])
    return round((two[0] - one[0]) / length, 6), round((two[1] - one[1]) / length, 6)


def _find_mover(scene: GridScene, marks: Marks) -> int | None:
    """Return the solid that the way leads to or moves: the target if it stands there, else any solid on that cell."""
    goal = marks.pushed[0] if marks.pushed else (marks.path or ((-1, -1),))[-1]
    there = [i for i, thing in enumerate(scene.objects) if _cell_of(scene, i) == goal and not thing.is_box]
    return marks.target if marks.target in there else next(iter(there), None)


def _cell_of(scene: GridScene, index: int) -> Cell:
    thing = scene.objects[index]
    return thing.row, thing.column


def _aside(marks: Marks, moved: Sequence[XY], look: Look) -> XY:
    """How a pull is shifted so that it does not hide the way it retraces."""
    walked = set(pairwise(marks.path or ()))
    if not any((two, one) in walked for one, two in pairwise(marks.pushed)):
        return 0.0, 0.0
    is_level = moved[0][1] == moved[1][1]
    return (0.0, ASIDE * look.cell) if is_level else (ASIDE * look.cell, 0.0)


def _arrow(points: Sequence[XY], look: Look, *, is_dashed: bool) -> list[Stroke]:
    """Return a rounded line on a pale casing, ending in an arrow head."""
    cell, palette = look.cell, look.palette
    line = polygon(trim_ends(points, start=0.0, end=0.6 * HEAD * cell), rounding=0.28 * cell, is_closed=False)
    head = _head(points[-2], points[-1], HEAD * cell)
    width = WAY_WIDTH * cell
    dash = (0.075 * cell, 0.095 * cell) if is_dashed else ()
    casing = width + 0.055 * cell
    return [
        Stroke(line, Ink(line=palette.paper, width=casing)),
        Stroke(head, Ink(fill=palette.paper, line=palette.paper, width=0.07 * cell)),
        Stroke(line, Ink(line=palette.ink, width=width, dash=dash)),
        Stroke(head, Ink(fill=palette.ink, line=palette.ink, width=0.015 * cell)),
    ]


def _head(before: XY, tip: XY, length: float) -> Outline:
    angle = atan2(tip[1] - before[1], tip[0] - before[0])
    wings = [(tip[0] - length * cos(angle + turn), tip[1] - length * sin(angle + turn)) for turn in (0.48, -0.48)]
    return polygon([tip, *wings])


MAX_HEADING_LINES = 4


def heading_lines(title: str, width: float, look: Look) -> list[str]:
    """Break the title into lines that fit over the board, the last one cut short if there are too many."""
    letters = max(int(width / (0.235 * look.cell * 0.53)), 8)
    return wrap(title, letters, max_lines=MAX_HEADING_LINES, placeholder=" …")


def legend_height(scene: GridScene, marks: Marks, look: Look) -> int:
    """Return the height of the legend, in whole pixels."""
    rows = -(-len(_entries(marks)) // _columns(scene)) if look.legend else 0
    return round((rows * 0.4 + 0.16) * look.cell) if rows else 0


def legend_layer(scene: GridScene, marks: Marks, look: Look, *, left: float, top: float) -> list[Layer]:
    """Return the marks in use, each with its line, its badge and its name."""
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
    """Return the number of columns, each with the room of three cells."""
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
