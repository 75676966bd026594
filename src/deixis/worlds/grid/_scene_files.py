"""A single world from a file, to be asked about.

The plainest form is JSON:

    {"size": 6,
     "agent": {"row": 0, "column": 5, "facing": "south"},
     "objects": [{"shape": "circle", "color": "red", "size": 2, "row": 1, "column": 1}]}

The agent may be left out. What `deixis show --json` prints, an example of a released ReaSCAN file and its situation
alone can be read too, and a picture in text (see `deixis.worlds.grid.drawn`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset, DeixisError, SchemaError


if TYPE_CHECKING:
    from deixis.worlds.grid.scene import Agent, GridObject, GridScene


LARGEST = 4 << 20  # bytes of a file with one world


def read_world(where: Path | str) -> GridScene:
    """Return the world in a file.

    Raises:
        DeixisError: saying what is wrong with it.
    """
    text = _text_of(Path(where))
    try:
        return _world_from(json.loads(text)) if text.lstrip().startswith("{") else _read_picture(text)
    except (ValueError, RecursionError, DeixisError) as error:
        raise BrokenDataset(f"{where} is not a world: {error}") from error


def world_to_dict(scene: GridScene) -> dict[str, Any]:
    """Return a world in the plain form."""
    agent = scene.agent
    place = {"row": agent.row, "column": agent.column, "facing": agent.facing.name.lower()} if agent else None
    names = ("shape", "color", "size", "row", "column")
    objects = [{name: getattr(thing, name) for name in names} for thing in scene.objects]
    return {"size": scene.size, **({"agent": place} if place else {}), "objects": objects}


def _text_of(path: Path) -> str:
    with path.open("rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise BrokenDataset(f"{path} is too large for a single world; name an example of a dataset as PATH#N")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenDataset(f"{path} is not a world: it is not text") from error


def _read_picture(text: str) -> GridScene:
    from deixis.worlds.grid.drawn import grid

    return _of_bearable_size(grid(text))


def _world_from(fields: dict[str, Any]) -> GridScene:
    if isinstance(fields.get("world"), dict):
        return _world_from(fields["world"])
    if "situation" in fields or "placed_objects" in fields:
        return _read_released(fields.get("situation", fields))
    return _plain(fields)


def _read_released(situation: object) -> GridScene:
    from deixis.worlds.grid.formats._situation import read_situation
    from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene

    found = read_situation(situation)
    row, column, facing = found.agent
    things = tuple(GridObject.from_codes(*codes) for codes in found.objects)
    return GridScene(things, size=found.size, agent=Agent(row, column, Facing(facing)))


def _plain(fields: dict[str, Any]) -> GridScene:
    from deixis.worlds.grid.scene import GridScene

    unknown = fields.keys() - {"size", "agent", "objects"}
    if unknown or not isinstance(fields.get("objects"), list):
        what = f"unknown fields {', '.join(sorted(unknown))}" if unknown else "no list of objects"
        raise SchemaError(f'it has {what}; write {{"size": 6, "agent": {{…}}, "objects": [{{…}}, …]}}')
    things = tuple(_thing(entry, number) for number, entry in enumerate(fields["objects"]))
    agent = None if fields.get("agent") is None else _agent(fields["agent"])
    return _of_bearable_size(GridScene(things, size=_whole(fields, "size", "the world", 6), agent=agent))


def _of_bearable_size(scene: GridScene) -> GridScene:
    from deixis.worlds.grid.scene import MAX_OBJECTS

    if len(scene) > MAX_OBJECTS:
        raise SchemaError(f"it has {len(scene)} objects; at most {MAX_OBJECTS} can be handled")
    return scene


def _thing(entry: object, number: int) -> GridObject:
    from deixis.worlds.grid.scene import GridObject

    what = f"object {number}"
    fields = _fields(entry, what, ("shape", "color", "size", "row", "column"))
    shape, color = (str(fields.get(name)) for name in ("shape", "color"))
    return GridObject(shape, color, *(_whole(fields, name, what) for name in ("size", "row", "column")))


def _agent(entry: object) -> Agent:
    from deixis.worlds.grid.scene import Agent, Facing

    fields = _fields(entry, "the agent", ("row", "column", "facing"))
    facing = str(fields.get("facing", "east")).upper()
    if facing not in Facing.__members__:
        known = ", ".join(name.lower() for name in Facing.__members__)
        raise SchemaError(f"the agent cannot face {facing.lower()[:40]!r}; known: {known}")
    return Agent(_whole(fields, "row", "the agent"), _whole(fields, "column", "the agent"), Facing[facing])


def _fields(entry: object, what: str, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(entry, dict) or entry.keys() - set(names):
        raise SchemaError(f"{what} must have the fields {', '.join(names)} and no others")
    return entry


def _whole(fields: dict[str, Any], name: str, what: str, default: int | None = None) -> int:
    value = fields.get(name, default)
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 6:
        value = int(value)  # as the released files write numbers
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 16:
        raise SchemaError(f"{what} needs a whole number as {name}, got {repr(value)[:40]}")
    return value
