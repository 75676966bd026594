"""Relations that follow from the places of things: in front of, behind, near, next to, above, below.

What was put on, in or into the hands of something is written down when the stage is set; the relations here are read
off the finished picture, for every pair of things, so that the truth leaves none of them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.worlds.photos.imagine._picture import Owners
    from deixis.worlds.photos.imagine._stage import Thing
    from deixis.worlds.photos.scene.graph import Box


SOLID = ("ground", "scenery", "top", "held", "wall")
HIDES = 0.12  # of what is behind
STANDS_BEFORE = 0.35  # of what is in front
NEAR = 0.05  # of the width of the picture
ABOVE = 0.16  # of the height of the picture


def seen_relations(
    things: Sequence[Thing], boxes: Sequence[Box], owners: Owners, size: tuple[int, int]
) -> list[tuple[int, str, int]]:
    """Return every visible relation as thing, relation, other thing, by their places in the list."""
    found = [*_depth(things, owners), *_nearness(things, boxes, size[0]), *_height(things, boxes, size[1])]
    return sorted(set(found))


def roots(things: Sequence[Thing]) -> list[int]:
    """Return for each thing the one that it is a part of or worn by, or itself where it is on its own."""
    place = {thing.number: i for i, thing in enumerate(things)}
    return [
        place[thing.host] if thing.level in ("worn", "part") and thing.host in place else i
        for i, thing in enumerate(things)
    ]


def _depth(things: Sequence[Thing], owners: Owners) -> Iterable[tuple[int, str, int]]:
    root = roots(things)
    count = len(things)
    covers = np.zeros((count, count), np.int64)
    np.add.at(covers, (np.array(root)[:, None], np.array(root)[None, :]), owners.covers)
    for one, other in np.argwhere(covers > 0).tolist():
        a, b = things[one], things[other]
        if one == other or a.level not in SOLID or b.level not in SOLID or _are_attached(things, one, other):
            continue
        if a.level == "wall" or (a.level == "scenery" and b.level == "scenery"):
            continue
        hidden = covers[one, other]
        if hidden >= HIDES * owners.alone[other] or hidden >= STANDS_BEFORE * owners.alone[one]:
            yield one, "in front of", other
            yield other, "behind", one


def _nearness(things: Sequence[Thing], boxes: Sequence[Box], width: int) -> Iterable[tuple[int, str, int]]:
    near = NEAR * width
    for one, a in enumerate(things):
        for other in range(one):
            b = things[other]
            if not _share_a_plane(a, b):
                continue
            box, rest = boxes[one], boxes[other]
            gap = max(box.x, rest.x) - min(box.x + box.w, rest.x + rest.w)
            shared = min(box.y + box.h, rest.y + rest.h) - max(box.y, rest.y)
            if gap > near or shared < 0.4 * min(box.h, rest.h) or gap < -0.25 * min(box.w, rest.w):
                continue
            names = ("near", "next to") if gap < 0.5 * near else ("near",)
            for name in names:
                yield one, name, other
                yield other, name, one


def _height(things: Sequence[Thing], boxes: Sequence[Box], height: int) -> Iterable[tuple[int, str, int]]:
    for one, a in enumerate(things):
        if a.level != "wall":
            continue
        for other, b in enumerate(things):
            if b.level not in ("wall", "ground") or one == other:
                continue
            box, rest = boxes[one], boxes[other]
            gap = rest.y - (box.y + box.h)
            shared = min(box.x + box.w, rest.x + rest.w) - max(box.x, rest.x)
            if 0 <= gap <= ABOVE * height and shared >= 0.6 * min(box.w, rest.w):
                yield one, "above", other
                yield other, "below", one


def _share_a_plane(a: Thing, b: Thing) -> bool:
    """Whether two things stand so that the gap between them in the picture is the gap between them in the scene."""
    if a.level == "ground" and b.level == "ground":
        return a.host != b.number and b.host != a.number and abs(a.foot - b.foot) < 0.3 * max(a.scale, b.scale)
    if a.level == b.level and a.level in ("top", "wall"):
        return a.host == b.host and (a.level == "wall" or abs(a.foot - b.foot) < 0.12 * a.scale)
    return False


def _are_attached(things: Sequence[Thing], one: int, other: int) -> bool:
    numbers = {thing.number: thing for thing in things}
    for a, b in ((things[one], things[other]), (things[other], things[one])):
        host = a.host
        while host is not None and host in numbers:
            if host == b.number:
                return True
            host = numbers[host].host
    return False
