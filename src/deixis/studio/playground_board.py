"""Boards that travel: as plain values between page and server, and as a short text in an address.

The plain values are those that `deixis explain --world` reads. In an address a board is its side, its agent and its
objects, joined with underscores: `6_a0.5s_rc2.1.1` is a board of 6 by 6 cells with an agent at row 0, column 5 that
faces south, and a red circle of size 2 at row 1, column 1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deixis.errors import SchemaError
from deixis.scene.grid import COLORS, SHAPES, SIZES, Agent, Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["MAX_OBJECTS", "MAX_SIDE", "MIN_SIDE", "from_address", "from_plain", "to_address", "to_plain"]

MIN_SIDE, MAX_SIDE = 4, 16
MAX_OBJECTS = 48
FIELDS = ("shape", "color", "size", "row", "column")
SHAPE_LETTERS = dict(zip("cysx", SHAPES, strict=True))
COLOR_LETTERS = {color[0]: color for color in COLORS}
FACING_LETTERS = {facing.name[0].lower(): facing for facing in Facing}
AGENT = re.compile(r"a(\d{1,3})\.(\d{1,3})([eswn])", re.ASCII)
OBJECT = re.compile(r"([rbgy])([cysx])(\d)\.(\d{1,3})\.(\d{1,3})", re.ASCII)


def to_address(scene: GridScene) -> str:
    """A board as a short text that needs no escaping in an address."""
    shapes = {shape: letter for letter, shape in SHAPE_LETTERS.items()}
    things = [f"{t.color[0]}{shapes[t.shape]}{t.size}.{t.row}.{t.column}" for t in scene.objects]
    agent = scene.agent
    place = [f"a{agent.row}.{agent.column}{agent.facing.name[0].lower()}"] if agent else []
    return "_".join([str(scene.size), *place, *things])


def from_address(text: str) -> GridScene:
    """The board that `to_address` wrote.

    Raises:
        SchemaError: when it is none, or one that the playground does not take.
    """
    side, *pieces = text.split("_")
    if not (side.isascii() and side.isdecimal() and len(side) < 4):
        raise SchemaError(f"the board in this address begins with {side[:20]!r} instead of the length of its side")
    agent: Agent | None = None
    objects = []
    for piece in pieces:
        if found := AGENT.fullmatch(piece):
            agent = Agent(int(found[1]), int(found[2]), FACING_LETTERS[found[3]])
        elif found := OBJECT.fullmatch(piece):
            shape, color = SHAPE_LETTERS[found[2]], COLOR_LETTERS[found[1]]
            objects.append(GridObject(shape, color, *(int(found[k]) for k in (3, 4, 5))))
        else:
            raise SchemaError(f"the board in this address has {piece[:20]!r}; an object is written like rc2.1.1")
    return bounded(GridScene(tuple(objects), size=int(side), agent=agent))


def to_plain(scene: GridScene) -> dict[str, Any]:
    """A board as plain values."""
    agent = scene.agent
    place = {"row": agent.row, "column": agent.column, "facing": agent.facing.name.lower()} if agent else None
    objects = [{name: getattr(thing, name) for name in FIELDS} for thing in scene.objects]
    return {"size": scene.size, "agent": place, "objects": objects}


def from_plain(fields: object) -> GridScene:
    """The board of plain values.

    Raises:
        SchemaError: when they are none, or one that the playground does not take.
    """
    table = _table(fields, "the board", ("size", "agent", "objects"))
    entries = table.get("objects")
    if not isinstance(entries, list):
        raise SchemaError("the board has no list of objects")
    if len(entries) > MAX_OBJECTS:
        raise SchemaError(_too_many(len(entries)))
    objects = tuple(_object(entry, number) for number, entry in enumerate(entries))
    agent = None if table.get("agent") is None else _agent(table["agent"])
    return bounded(GridScene(objects, size=_whole(table, "size", "the board"), agent=agent))


def bounded(scene: GridScene) -> GridScene:
    """The scene, if it is one that the playground takes."""
    if not MIN_SIDE <= scene.size <= MAX_SIDE:
        raise SchemaError(f"a board of the playground has {MIN_SIDE} to {MAX_SIDE} cells a side, got {scene.size}")
    if len(scene) > MAX_OBJECTS:
        raise SchemaError(_too_many(len(scene)))
    return scene


def _too_many(count: int) -> str:
    return f"a board of the playground holds at most {MAX_OBJECTS} objects, got {count}"


def _object(entry: object, number: int) -> GridObject:
    what = f"object {number}"
    table = _table(entry, what, FIELDS)
    shape, color = (str(table.get(name))[:20] for name in ("shape", "color"))
    size = _whole(table, "size", what)
    if not 1 <= size <= len(SIZES):
        raise SchemaError(f"the size of {what} must be 1 to {len(SIZES)}, got {size}")
    return GridObject(shape, color, size, _whole(table, "row", what), _whole(table, "column", what))


def _agent(entry: object) -> Agent:
    table = _table(entry, "the agent", ("row", "column", "facing"))
    facing = str(table.get("facing", "east")).upper()
    if facing not in Facing.__members__:
        raise SchemaError(f"the agent cannot face {facing[:20].lower()!r}; known: east, south, west, north")
    return Agent(_whole(table, "row", "the agent"), _whole(table, "column", "the agent"), Facing[facing])


def _table(entry: object, what: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(entry, dict) or entry.keys() - set(names):
        raise SchemaError(f"{what} must have the fields {', '.join(names)} and no others")
    return entry


def _whole(fields: Mapping[str, Any], name: str, what: str) -> int:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1000:
        raise SchemaError(f"{what} needs a small whole number as {name}, got {str(value)[:20]!r}")
    return value
