"""Worlds as the released files write them: positions and sizes as strings, objects with a vector of bits.

The vector has 12 bits: size 1 to 4, then circle, cylinder, square, box, then red, blue, green, yellow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from deixis.errors import BrokenDataset
from deixis.worlds.grid.scene import COLORS, MAX_GRID, MAX_OBJECTS, SHAPES, SIZES


Codes = tuple[int, int, int, int, int]  # shape, color, size, row, column
SHAPE_CODES = {name: code for code, name in enumerate(SHAPES)}
COLOR_CODES = {name: code for code, name in enumerate(COLORS)}


class ImpossibleWorld(BrokenDataset):
    """A world that is spelled out, but cannot be one: an unknown colour, too big a size, a cell off the grid."""


class LostTarget(BrokenDataset):
    """A target that is none of the objects."""


class Situation(NamedTuple):
    """A world as small integers."""

    size: int
    objects: list[Codes]
    target: int
    agent: tuple[int, int, int]  # row, column, facing


def read_situation(fields: object, *, with_vectors: bool = True) -> Situation:
    """Read the world that a file spells out, with numbers as strings or as numbers.

    Args:
        fields: the situation of an example.
        with_vectors: refuse an object whose vector says something else than its words.

    Raises:
        BrokenDataset: when something is missing, out of range or contradicts itself.
    """
    situation = _object(fields, "the situation")
    size = _whole(situation, "grid_size", 2, MAX_GRID)
    placed = _object(_field(situation, "placed_objects"), "placed_objects")
    if len(placed) > MAX_OBJECTS:
        raise ImpossibleWorld(f"it has {len(placed)} objects, at most {MAX_OBJECTS} can be held")
    objects = [_read_object(_field(placed, str(k), "placed_objects"), str(k), size) for k in range(len(placed))]
    if with_vectors:
        _demand_vectors({**placed, "target_object": situation.get("target_object")})
    row, column = _read_position(_field(situation, "agent_position"), "the agent", size)
    return Situation(
        size=size,
        objects=objects,
        target=_find_target(situation, objects, size),
        agent=(row, column, _whole(situation, "agent_direction", 0, 3)),
    )


def write_situation(situation: Situation) -> dict[str, Any]:
    """Return the world with the fields of the released files, in their order."""
    size, objects, target, (row, column, facing) = situation
    _, _, _, target_row, target_column = objects[target]
    return {
        "grid_size": size,
        "agent_position": {"row": str(row), "column": str(column)},
        "agent_direction": facing,
        "target_object": _write_object(objects[target]),
        "distance_to_target": str(abs(target_row - row) + abs(target_column - column)),
        "direction_to_target": _direction(target_row - row, target_column - column),
        "placed_objects": {str(k): _write_object(codes) for k, codes in enumerate(objects)},
        "carrying_object": None,
    }


def vector_of(shape: int, color: int, size: int) -> str:
    """Return the bits of an object."""
    bits = ["0"] * 12
    for place in (size - 1, 4 + shape, 8 + color):
        bits[place] = "1"
    return "".join(bits)


def _direction(down: int, right: int) -> str:
    return ("s" if down > 0 else "n" if down < 0 else "") + ("e" if right > 0 else "w" if right < 0 else "")


def _write_object(codes: Codes) -> dict[str, Any]:
    shape, color, size, row, column = codes
    return {
        "vector": vector_of(shape, color, size),
        "position": {"row": str(row), "column": str(column)},
        "object": {"shape": SHAPES[shape], "color": COLORS[color], "size": str(size)},
    }


def _read_object(value: object, name: str, grid: int) -> Codes:
    thing = _object(value, f"object {name}")
    looks = _object(_field(thing, "object", f"object {name}"), f"object {name}")
    try:
        shape, color = SHAPE_CODES[looks["shape"]], COLOR_CODES[looks["color"]]
    except (KeyError, TypeError):
        seen = _shorten({key: looks.get(key) for key in ("shape", "color")})
        raise ImpossibleWorld(f"object {name} has no known shape and color but {seen}") from None
    size = _whole(looks, "size", 1, len(SIZES), f"object {name}")
    row, column = _read_position(_field(thing, "position", f"object {name}"), f"object {name}", grid)
    return shape, color, size, row, column


def _demand_vectors(things: dict[str, Any]) -> None:
    """An error where the vector of an object is not that of its words; those of gSCAN have another length."""
    for name, thing in things.items():
        vector, looks = (thing.get("vector"), thing.get("object")) if isinstance(thing, dict) else (None, None)
        if isinstance(vector, str) and len(vector) == 12 and isinstance(looks, dict):
            shape, color = SHAPE_CODES[looks["shape"]], COLOR_CODES[looks["color"]]
            size = _whole(looks, "size", 1, len(SIZES), f"object {name}")
            if vector != vector_of(shape, color, size):
                what = f"a {COLORS[color]} {SHAPES[shape]} of size {size}"
                raise BrokenDataset(f"object {name} is {what}, but its vector {vector} says otherwise")


def _find_target(situation: dict[str, Any], objects: list[Codes], grid: int) -> int:
    """The number of the target; the first of several things alike in one cell."""
    target = _read_object(_field(situation, "target_object"), "target_object", grid)
    if target not in objects:
        raise LostTarget("target_object is none of placed_objects")
    return objects.index(target)


def _read_position(value: object, what: str, grid: int) -> tuple[int, int]:
    position = _object(value, f"the position of {what}")
    return _whole(position, "row", 0, grid - 1, what), _whole(position, "column", 0, grid - 1, what)


def _whole(fields: dict[str, Any], name: str, low: int, high: int, what: str = "the situation") -> int:
    value = _field(fields, name, what)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 6:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BrokenDataset(f"{name} of {what} is {_shorten(value)}, not a whole number from {low} to {high}")
    if not low <= value <= high:
        raise ImpossibleWorld(f"{name} of {what} is {_shorten(value)}, not a whole number from {low} to {high}")
    return value


def _field(fields: dict[str, Any], name: str, what: str = "the situation") -> Any:
    if name not in fields:
        raise BrokenDataset(f"{what} has no {name!r}")
    return fields[name]


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BrokenDataset(f"{what} is {_shorten(value)}, not an object of fields")
    return value


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
