"""The edits of a rule: five operations on the object it finds in a grid scene.

An edit either changes the scene or cannot be made at all: there is no edit that leaves everything as it is. It cannot
be made where it would change nothing (painting something red that is red), where there is no room, or where it would
leave the grid.

| operation     | edit                                        | it cannot be made                                    |
|---------------|---------------------------------------------|------------------------------------------------------|
| DRAW          | `Paint`: another colour                     | on what has the colour already                       |
| ENLARGE       | `Enlarge`: one size more                    | beyond size 4; on a box that would leave the grid    |
| CHANGE_SHAPE  | `Reshape`: another shape, the same colour   | on what has the shape already, or into a taken cell  |
| DRAW_ADJACENT | `DrawBeside`: a new solid in the next cell  | off the grid, or into a cell that holds anything     |
| MOVE          | `Move`: one cell, or until something blocks | off the grid, onto another solid; boxes never move   |

A solid that becomes a box becomes one of size 1, the frame of its own cell, as in the original tasks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from deixis.errors import SchemaError
from deixis.worlds.grid.scene import COLORS, SHAPES, SIZES, Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = [
    "DIRECTIONS",
    "SOLIDS",
    "DrawBeside",
    "Edit",
    "Enlarge",
    "Move",
    "Operation",
    "Paint",
    "Reshape",
    "apply_edit",
    "edits_between",
    "edits_of",
    "in_reading_order",
]

SOLIDS = tuple(shape for shape in SHAPES if shape != "box")
DIRECTIONS = {"right": Facing.EAST, "down": Facing.SOUTH, "left": Facing.WEST, "up": Facing.NORTH}
DISTANCES = ("one cell", "until blocked")


class Operation(StrEnum):
    """The operations, by the names of the original tasks."""

    DRAW = "DRAW"
    ENLARGE = "ENLARGE"
    CHANGE_SHAPE = "CHANGE_SHAPE"
    DRAW_ADJACENT = "DRAW_ADJACENT"
    MOVE = "MOVE"


@dataclass(frozen=True, slots=True)
class Paint:
    """Edit that gives the object another colour."""

    color: str

    def __post_init__(self) -> None:
        _demand("color", self.color, COLORS)


@dataclass(frozen=True, slots=True)
class Enlarge:
    """Edit that makes the object one size larger."""


@dataclass(frozen=True, slots=True)
class Reshape:
    """Edit that gives the object another shape, and keeps its colour, and its size unless it becomes a box."""

    shape: str

    def __post_init__(self) -> None:
        _demand("shape", self.shape, SHAPES)


@dataclass(frozen=True, slots=True)
class DrawBeside:
    """Edit that draws a new solid in the next cell in one direction."""

    direction: str
    color: str = "blue"
    shape: str = "square"
    size: int = 4

    def __post_init__(self) -> None:
        _demand("direction", self.direction, tuple(DIRECTIONS))
        _demand("color", self.color, COLORS)
        _demand("shape", self.shape, SOLIDS)
        _demand("size", str(self.size), SIZES)


@dataclass(frozen=True, slots=True)
class Move:
    """Edit that moves the object in one direction, by one cell or to the end of the way."""

    direction: str
    distance: str = "one cell"

    def __post_init__(self) -> None:
        _demand("direction", self.direction, tuple(DIRECTIONS))
        _demand("distance", self.distance, DISTANCES)


Edit: TypeAlias = Paint | Enlarge | Reshape | DrawBeside | Move

OPERATIONS: dict[type[Edit], Operation] = {
    Paint: Operation.DRAW,
    Enlarge: Operation.ENLARGE,
    Reshape: Operation.CHANGE_SHAPE,
    DrawBeside: Operation.DRAW_ADJACENT,
    Move: Operation.MOVE,
}


def edits_of(operation: Operation) -> tuple[Edit, ...]:
    """Return every edit of an operation, with all values of its arguments."""
    match operation:
        case Operation.DRAW:
            return tuple(Paint(color) for color in COLORS)
        case Operation.ENLARGE:
            return (Enlarge(),)
        case Operation.CHANGE_SHAPE:
            return tuple(Reshape(shape) for shape in SHAPES)
        case Operation.DRAW_ADJACENT:
            things = product(DIRECTIONS, COLORS, SOLIDS, range(1, len(SIZES) + 1))
            return tuple(DrawBeside(*thing) for thing in things)
        case Operation.MOVE:  # pragma: no branch (the last operation)
            return tuple(Move(*how) for how in product(DIRECTIONS, DISTANCES))


def apply_edit(edit: Edit, scene: GridScene, index: int) -> GridScene | None:
    """Return the scene after an edit of one object, in reading order, or None where the edit cannot be made."""
    thing = scene.objects[index]
    others = (*scene.objects[:index], *scene.objects[index + 1 :])
    if isinstance(edit, DrawBeside):
        new = _draw_beside(edit, thing, scene)
        return None if new is None else _scene_of(scene, (*scene.objects, new))
    changed = _change(edit, thing, others, scene.size)
    return None if changed is None or changed == thing else _scene_of(scene, (*others, changed))


def edits_between(before: GridScene, after: GridScene) -> dict[Edit, frozenset[int]]:
    """Return every edit that turns one scene into the other, each with the objects it may have been made on.

    A square that appears between two objects may have been drawn to the right of the one or to the left of the other,
    so several edits can explain one change.
    """
    old, new = set(before.objects), set(after.objects)
    gone, come = old - new, new - old
    if before.size != after.size or len(come) != 1 or len(gone) > 1:
        return {}
    (arrived,) = come
    guesses = _guesses_of_change(before, gone.pop(), arrived) if gone else _guesses_of_drawing(before, arrived)
    found: dict[Edit, set[int]] = {}
    wanted = in_reading_order(after)
    for edit, index in guesses:
        if apply_edit(edit, before, index) == wanted:
            found.setdefault(edit, set()).add(index)
    return {edit: frozenset(indices) for edit, indices in found.items()}


def in_reading_order(scene: GridScene) -> GridScene:
    """Return the same scene with its objects numbered from the upper left to the lower right, solids before boxes."""
    return _scene_of(scene, scene.objects)


def _scene_of(scene: GridScene, objects: tuple[GridObject, ...]) -> GridScene:
    return replace(scene, objects=tuple(sorted(objects, key=lambda o: (o.row, o.column, o.is_box, o.codes()))))


def _change(
    edit: Paint | Enlarge | Reshape | Move, thing: GridObject, others: tuple[GridObject, ...], size: int
) -> GridObject | None:
    match edit:
        case Paint(color):
            return replace(thing, color=color)
        case Enlarge():
            grown = thing.size + 1
            fits = not thing.is_box or max(thing.row, thing.column) + grown <= size
            return replace(thing, size=grown) if grown <= len(SIZES) and fits else None
        case Reshape(shape):
            return _reshape(thing, shape, others)
        case Move(direction, distance):  # pragma: no branch (the last edit)
            return _move(thing, direction, distance, others, size)


def _reshape(thing: GridObject, shape: str, others: tuple[GridObject, ...]) -> GridObject | None:
    is_box = shape == "box"
    if thing.shape == shape or any(_is_at(o, thing.row, thing.column) and o.is_box == is_box for o in others):
        return None
    return replace(thing, shape=shape, size=1 if is_box else thing.size)


def _move(
    thing: GridObject, direction: str, distance: str, others: tuple[GridObject, ...], size: int
) -> GridObject | None:
    if thing.is_box:
        return None
    down, right = DIRECTIONS[direction].step
    taken = {(o.row, o.column) for o in others if not o.is_box}
    row, column = thing.row, thing.column
    while True:
        there = row + down, column + right
        if there in taken or not all(0 <= place < size for place in there):
            break
        row, column = there
        if distance == "one cell":
            break
    return replace(thing, row=row, column=column)


def _draw_beside(edit: DrawBeside, thing: GridObject, scene: GridScene) -> GridObject | None:
    down, right = DIRECTIONS[edit.direction].step
    row, column = thing.row + down, thing.column + right
    is_on_grid = 0 <= row < scene.size and 0 <= column < scene.size
    if not is_on_grid or any(_is_at(o, row, column) for o in scene.objects):
        return None
    return GridObject(edit.shape, edit.color, edit.size, row, column)


def _guesses_of_change(before: GridScene, old: GridObject, new: GridObject) -> Iterator[tuple[Edit, int]]:
    index = before.objects.index(old)
    here = Paint(new.color), Enlarge(), Reshape(new.shape)
    for edit in here if _is_at(old, new.row, new.column) else edits_of(Operation.MOVE):
        yield edit, index


def _guesses_of_drawing(before: GridScene, new: GridObject) -> Iterator[tuple[Edit, int]]:
    if new.is_box:
        return
    for name, facing in DIRECTIONS.items():
        down, right = facing.step
        for index, thing in enumerate(before.objects):
            if _is_at(thing, new.row - down, new.column - right):
                yield DrawBeside(name, new.color, new.shape, new.size), index


def _is_at(thing: GridObject, row: int, column: int) -> bool:
    return thing.row == row and thing.column == column


def _demand(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise SchemaError(f"an edit cannot have the {what} {str(value)[:40]!r}; known: {', '.join(known)}")
