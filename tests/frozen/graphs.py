"""A small file of scene graphs in the layout of GQA, written without any code of ours."""

from __future__ import annotations

from hashlib import sha256
from typing import Any


__all__ = ["scene_graphs"]

NAMES = ("man", "woman", "dog", "cup", "bag", "chair", "book", "lamp")
COLORS = ("red", "blue", "white", "black")
OTHERS = ("wooden", "large", "small", "round")
RELATIONS = ("holding", "next to", "near", "behind", "in front of")
WIDTH, HEIGHT = 500, 375


def scene_graphs(images: int) -> dict[str, Any]:
    """Images with a table, a floor and seven things that stand on them and beside each other."""
    return {str(7000 + number): _image(number) for number in range(images)}


def _image(number: int) -> dict[str, Any]:
    first = (7000 + number) * 100
    things = {
        str(first): _thing("floor", (0, 225, 500, 150), [_pick(COLORS, number, "floor")]),
        str(first + 1): _thing("table", (60, 180, 320, 120), ["wooden", _pick(COLORS, number, "table")]),
    }
    for place in range(7):
        ids = [str(first + 2 + other) for other in range(7) if other != place]
        key = (number, place)
        box = (10 + 68 * place, 90 + _below(60, *key, "y"), 40 + _below(20, *key, "w"), 50 + _below(30, *key, "h"))
        attributes = [_pick(COLORS, *key, "color"), _pick(OTHERS, *key, "other")][: 1 + _below(2, *key, "how many")]
        relations = [
            {"name": "on", "object": str(first + _below(2, *key, "under"))},
            {"name": _pick(RELATIONS, *key, "relation"), "object": _pick(ids, *key, "partner")},
        ]
        things[str(first + 2 + place)] = _thing(_pick(NAMES, *key, "name"), box, attributes, relations)
    return {"width": WIDTH, "height": HEIGHT, "objects": things}


def _thing(
    name: str, box: tuple[int, ...], attributes: list[str], relations: list[Any] | None = None
) -> dict[str, Any]:
    x, y, w, h = box
    return {"name": name, "x": x, "y": y, "w": w, "h": h, "attributes": attributes, "relations": relations or []}


def _below(limit: int, *key: object) -> int:
    return int(sha256(repr(key).encode()).hexdigest(), 16) % limit


def _pick(values: Any, *key: object) -> Any:
    return values[_below(len(values), *key)]
