"""Pictures for the terminal: a board of characters, the frames of boxes drawn around the cells they cover."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from deixis.worlds.grid._pictures.look import check_marks, roles_of
from deixis.worlds.grid.drawn import AGENTS
from deixis.worlds.grid.drawn import MARKS as SIGNS


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid._pictures.look import Cell, Marks, Role
    from deixis.worlds.grid.scene import GridObject, GridScene


WIDE, HIGH = 9, 3  # characters per cell
LEFT = 3  # room for the numbers of the rows
NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
LINES = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"  # by which of the four sides a line leaves the character
CODES = {"red": "31", "blue": "34", "green": "32", "yellow": "33"}
BOLD, DIM, INVERSE = "1", "2", "7"
WALKED = {(0, 1): "→", (1, 0): "↓", (0, -1): "←", (-1, 0): "↑"}
MOVED = {(0, 1): "⇢", (1, 0): "⇣", (0, -1): "⇠", (-1, 0): "⇡"}
ROWS_IN_CELL = (1, 2, 0)  # the middle first, then below, then above

_Sheet: TypeAlias = dict[tuple[int, int], tuple[str, str]]  # (line, place) -> character, terminal codes


def write_terminal(scene: GridScene, marks: Marks, *, color: bool) -> str:
    """Draw the board and, below it, a list of every object with its role."""
    check_marks(scene, marks)
    sheet: _Sheet = {}
    _draw_frames(sheet, scene, marks)
    _draw_things(sheet, scene, marks)
    _draw_ways(sheet, scene, marks)
    board = _board_lines(sheet, scene.size, color=color)
    return "\n".join([*board, "", *_list_lines(scene, marks, color=color)]) + "\n"


def _draw_frames(sheet: _Sheet, scene: GridScene, marks: Marks) -> None:
    """The frames of boxes, large ones first; where frames run together their lines join."""
    sides: dict[tuple[int, int], int] = {}
    boxes = [i for i, thing in enumerate(scene.objects) if thing.is_box]
    for index in sorted(boxes, key=lambda i: (-scene.objects[i].size, i)):
        thing, codes = scene.objects[index], _codes(scene, marks, index)
        corners = _corners(thing, scene.size)
        for spot, leaving in _frame(*corners).items():
            sides[spot] = sides.get(spot, 0) | leaving
            sheet[spot] = LINES[sides[spot]], codes
    for index in boxes:
        line, place = _corners(scene.objects[index], scene.size)[0]
        _put(sheet, line, place + 1, _token(scene, marks, index), _codes(scene, marks, index))


def _corners(thing: GridObject, size: int) -> tuple[tuple[int, int], tuple[int, int]]:
    span = min(thing.size, size - thing.row, size - thing.column)
    top, left = thing.row * HIGH, thing.column * WIDE
    return (top, left), (top + span * HIGH - 1, left + span * WIDE - 1)


def _frame(first: tuple[int, int], last: tuple[int, int]) -> dict[tuple[int, int], int]:
    (top, left), (bottom, right) = first, last
    places = {(line, place): EAST | WEST for line in (top, bottom) for place in range(left + 1, right)}
    places |= {(line, place): NORTH | SOUTH for place in (left, right) for line in range(top + 1, bottom)}
    return places | {
        (top, left): EAST | SOUTH,
        (top, right): WEST | SOUTH,
        (bottom, left): EAST | NORTH,
        (bottom, right): WEST | NORTH,
    }


def _draw_ways(sheet: _Sheet, scene: GridScene, marks: Marks) -> None:
    """An arrow on every cell that is left again, below what stands there."""
    taken = {(thing.row, thing.column) for thing in scene.objects if not thing.is_box}
    if scene.agent:
        taken.add((scene.agent.row, scene.agent.column))
    walked = set((marks.path or ())[:-1])
    for cells, arrows in ((marks.path or (), WALKED), (marks.pushed, MOVED)):
        for one, two in pairwise(cells):
            step = _sign(two[0] - one[0]), _sign(two[1] - one[1])
            if step in arrows:
                beside = arrows is MOVED and one in walked
                line = one[0] * HIGH + (HIGH - 1 if one in taken else HIGH // 2)
                sheet[line, one[1] * WIDE + WIDE // 2 + beside] = arrows[step], BOLD


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _draw_things(sheet: _Sheet, scene: GridScene, marks: Marks) -> None:
    cells: dict[Cell, list[tuple[str, str]]] = {}
    for index, thing in enumerate(scene.objects):
        if not thing.is_box:
            token = _token(scene, marks, index), _codes(scene, marks, index)
            cells.setdefault((thing.row, thing.column), []).append(token)
    if scene.agent:
        sign = AGENTS[scene.agent.facing]
        cells.setdefault((scene.agent.row, scene.agent.column), []).append((f"({sign})", BOLD))
    for (row, column), tokens in cells.items():
        for within, (text, codes) in zip(ROWS_IN_CELL, tokens, strict=False):
            start = column * WIDE + (WIDE - len(text)) // 2
            _put(sheet, row * HIGH + within, start, text, codes)


def _put(sheet: _Sheet, line: int, start: int, text: str, codes: str) -> None:
    for offset, sign in enumerate(text):
        sheet[line, start + offset] = sign, codes


def _token(scene: GridScene, marks: Marks, index: int) -> str:
    """An object in few characters: number, colour letter, shape, size and, if it has one, the letter of its role."""
    thing, role = scene.objects[index], roles_of(marks).get(index)
    return f"{index}:{thing.color[0]}{SIGNS[thing.shape]}{thing.size}{role.letter if role else ''}"


def _codes(scene: GridScene, marks: Marks, index: int) -> str:
    parts = [CODES[scene.objects[index].color]]
    if marks.lit is not None and index not in marks.lit:
        parts.append(DIM)
    if index == marks.target:
        parts += [BOLD, INVERSE]
    return ";".join(parts)


def _board_lines(sheet: _Sheet, size: int, *, color: bool) -> list[str]:
    head = " " * LEFT + "".join(str(column).center(WIDE) for column in range(size))
    lines = [head.rstrip()]
    for line in range(size * HIGH):
        row, within = divmod(line, HIGH)
        signs = [sheet.get((line, place), (_empty(within, place), DIM)) for place in range(size * WIDE)]
        start = str(row).rjust(LEFT - 1) if within == HIGH // 2 else " " * (LEFT - 1)
        lines.append(f"{start} {_join(signs, color=color)}".rstrip())
    return lines


def _empty(within: int, place: int) -> str:
    return "·" if within == HIGH // 2 and place % WIDE == WIDE // 2 else " "


def _join(signs: Sequence[tuple[str, str]], *, color: bool) -> str:
    if not color:
        return "".join(sign for sign, _ in signs)
    parts, current = [], ""
    for sign, codes in signs:
        if codes != current:
            parts.append(f"\x1b[0m\x1b[{codes}m")
            current = codes
        parts.append(sign)
    return "".join([*parts, "\x1b[0m"])


def _list_lines(scene: GridScene, marks: Marks, *, color: bool) -> list[str]:
    roles = roles_of(marks)
    lines = []
    if scene.agent:
        agent = scene.agent
        facing = agent.facing.name.lower()
        lines.append(f"({AGENTS[agent.facing]}) agent at row {agent.row}, column {agent.column}, facing {facing}")
    for index, thing in enumerate(scene.objects):
        token = _token(scene, marks, index).ljust(8)
        shown = f"\x1b[{_codes(scene, marks, index)}m{token}\x1b[0m" if color else token
        lines.append(f"{shown} {thing}{_extent(thing)}{_role_words(roles.get(index))}")
    return lines


def _extent(thing: GridObject) -> str:
    if not thing.is_box or thing.size == 1:
        return ""
    return f", to row {thing.row + thing.size - 1}, column {thing.column + thing.size - 1}"


def _role_words(role: Role | None) -> str:
    return f"  [{role.letter}] {role.words}" if role else ""
