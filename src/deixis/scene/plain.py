"""Scenes as plain values that JSON can hold.

A scene is `{"objects": [{"name": "cup", "color": ["red", "white"]}], "relations": [["on", 0, 1]], "points": [[0, 2]]}`.
Several values of one attribute make a list. Points, (row, column) of every object, are needed for ranks only.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis._numbers import is_number
from deixis.errors import SchemaError
from deixis.scene.scene import PlainScene, Point


if TYPE_CHECKING:
    from deixis.schema import Schema


__all__ = ["scene_from_plain", "scene_to_plain"]


FIELDS = ("objects", "relations", "points")


def scene_to_plain(scene: Any) -> dict[str, Any]:
    """Return a written-out scene as plain values, or raise `SchemaError` for any other scene."""
    if not isinstance(scene, PlainScene):
        raise SchemaError(f"only scenes that are written out (PlainScene) can be kept, got {type(scene).__name__}")
    objects = []
    for pairs in scene.objects:
        values: dict[str, list[str]] = {}
        for attribute, value in sorted(pairs):
            values.setdefault(attribute, []).append(value)
        objects.append({name: some[0] if len(some) == 1 else some for name, some in values.items()})
    plain: dict[str, Any] = {"objects": objects}
    if scene.links:
        plain["relations"] = [list(link) for link in sorted(scene.links)]
    if scene.points:
        plain["points"] = [list(point) for point in scene.points]
    return plain


def scene_from_plain(values: object, schema: Schema) -> PlainScene:
    """Return the scene that `scene_to_plain` wrote, or raise `SchemaError` for anything else."""
    if not isinstance(values, dict):
        raise SchemaError(f"each of scenes should be an object, got {_shorten(values)}")
    for name in values:
        if name not in FIELDS:
            raise SchemaError(f"a scene has no field {name!r}; known: {', '.join(FIELDS)}")
    objects = tuple(_pairs(one) for one in _list(values.get("objects"), "objects"))
    links = frozenset(_link(one) for one in _list(values.get("relations", []), "relations"))
    points = tuple(_point(one) for one in _list(values.get("points", []), "points"))
    return PlainScene(schema=schema, objects=objects, links=links, points=points)


def _pairs(said: object) -> frozenset[tuple[str, str]]:
    if not isinstance(said, dict):
        raise SchemaError(f"each of objects should be an object, got {_shorten(said)}")
    return frozenset(
        (attribute, _text(value, f"a value of {attribute!r}"))
        for attribute, values in said.items()
        for value in (values if isinstance(values, list) else [values])
    )


def _link(said: object) -> tuple[str, int, int]:
    if not isinstance(said, list) or len(said) != 3:
        raise SchemaError(f"a relation of a scene is [name, object, other object], got {_shorten(said)}")
    return _text(said[0], "the name of a relation"), _index(said[1]), _index(said[2])


def _point(said: object) -> Point:
    if not isinstance(said, list) or len(said) != 2 or not all(is_number(number) for number in said):
        raise SchemaError(f"a point is [row, column], got {_shorten(said)}")
    return Point(*said)


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise SchemaError(f"{what} should be a list, got {_shorten(value)}")
    return value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise SchemaError(f"{what} should be a text, got {_shorten(value)}")
    return value


def _index(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise SchemaError(f"an object should be a whole number, got {_shorten(value)}")
    return value


def _shorten(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"
