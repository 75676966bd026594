"""Scenes of boxes with COCO's categories: what follows from the boxes alone.

| fact | definition |
|---|---|
| place | the centre of the box |
| `size` | the rank of the area of the box in its image; 1 is the biggest |
| left-of, right-of, above, below | the centre lies further to that side |
| next-to | the gap between the boxes is at most half the longer side of the smaller one |

Depth is not known, so nothing is in front of anything.
"""

from __future__ import annotations

from hashlib import blake2b
from math import hypot
from typing import TYPE_CHECKING

from deixis.scene.scene import PlainScene, Point
from deixis.schema import Attribute, Relation, Schema


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.judge.boxes import Box


NUMBERS = """
1 person, bicycle, car, motorcycle, airplane, bus, train, truck, boat, traffic light, fire hydrant
13 stop sign, parking meter, bench, bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe
27 backpack, umbrella
31 handbag, tie, suitcase, frisbee, skis, snowboard, sports ball, kite, baseball bat, baseball glove, skateboard
42 surfboard, tennis racket, bottle
46 wine glass, cup, fork, knife, spoon, bowl, banana, apple, sandwich, orange, broccoli, carrot, hot dog, pizza, donut
61 cake, chair, couch, potted plant, bed
67 dining table
70 toilet
72 tv, laptop, mouse, remote, keyboard, cell phone, microwave, oven, toaster, sink, refrigerator
84 book, clock, vase, scissors, teddy bear, hair drier, toothbrush
"""
COCO: dict[int, str] = {}
"""The categories of COCO by their numbers, as its annotation files list them."""
for _line in NUMBERS.strip().splitlines():
    _start, _, _names = _line.partition(" ")
    COCO |= dict(enumerate(_names.split(", "), int(_start)))
WIDER = {  # what several categories are called
    "bike": ("bicycle", "motorcycle"),
    "glass": ("wine glass", "cup"),
    "bag": ("handbag", "backpack", "suitcase"),
    "board": ("skateboard", "surfboard", "snowboard"),
    "any bear": ("bear", "teddy bear"),
    "animal": ("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "any bear", "zebra", "giraffe"),
    "vehicle": ("bike", "car", "bus", "truck", "train", "airplane", "boat"),
    "fruit": ("banana", "apple", "orange"),
}
LEFT, RIGHT, ABOVE, BELOW, NEXT = "left-of", "right-of", "above", "below", "next-to"
RANKS = 200  # the smallest of more objects share the last rank
SCHEMA = Schema(
    name="regions",
    attributes=(
        Attribute(
            name="category",
            values=(*COCO.values(), *WIDER),
            is_head=True,
            broader=tuple((one, wider) for wider, some in WIDER.items() for one in some),
        ),
        Attribute(name="size", values=tuple(str(rank) for rank in range(RANKS, 0, -1)), is_ordered=True),
    ),
    relations=(
        *(Relation(name=name) for name in (LEFT, RIGHT, ABOVE, BELOW)),
        Relation(name=NEXT, is_symmetric=True),
    ),
)
CATEGORIES = frozenset(COCO.values())
_VALUES: dict[tuple[str, int], frozenset[tuple[str, str]]] = {}


class RegionScene(PlainScene):
    """The objects of an image, whose relations are worked out when they are asked for.

    Args:
        categories: of each object, one of `CATEGORIES`.
        boxes: where each is.
        ids: their numbers in the dataset, if they have any; they are no part of what the scene is.
    """

    __slots__ = ("_digest", "_links", "ids", "regions")
    ids: tuple[int, ...]
    regions: tuple[Box, ...]
    _links: frozenset[tuple[str, int, int]] | None
    _digest: str

    def __init__(self, categories: Sequence[str], boxes: tuple[Box, ...], ids: tuple[int, ...] = ()) -> None:
        put = object.__setattr__
        areas = [(right - left) * (bottom - top) for left, top, right, bottom in boxes]
        order = {area: rank for rank, area in enumerate(sorted(set(areas), reverse=True), 1)}
        put(self, "schema", SCHEMA)
        put(self, "objects", tuple(_values(one, order[area]) for one, area in zip(categories, areas, strict=True)))
        put(self, "points", tuple(Point((box[1] + box[3]) / 2, (box[0] + box[2]) / 2) for box in boxes))
        put(self, "regions", boxes)
        put(self, "ids", ids)
        put(self, "_links", None)
        put(self, "_digest", "")

    @property
    def links(self) -> frozenset[tuple[str, int, int]]:
        """All relations."""
        found = self._links
        if found is None:
            things = range(len(self))
            every = ((r.name, k, n) for r in SCHEMA.relations for k in things for n in things if k != n)
            found = frozenset(link for link in every if self.related(*link))
            object.__setattr__(self, "_links", found)
        return found

    def related(self, relation: str, index: int, other: int) -> bool:
        """Return whether one object stands in a relation to another."""
        here, there = self.points[index], self.points[other]
        if relation == LEFT:
            return here.column < there.column
        if relation == RIGHT:
            return here.column > there.column
        if relation == ABOVE:
            return here.row < there.row
        if relation == BELOW:
            return here.row > there.row
        return index != other and _are_close(self.regions[index], self.regions[other])

    @property
    def digest(self) -> str:
        """A name for exactly this scene."""
        if not self._digest:
            facts = [[sorted(values) for values in self.objects], self.regions]
            object.__setattr__(self, "_digest", blake2b(repr(facts).encode(), digest_size=16).hexdigest())
        return self._digest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegionScene) and (self.objects, self.regions) == (other.objects, other.regions)

    def __hash__(self) -> int:
        return hash(self.regions)

    def __reduce__(self) -> tuple[object, ...]:
        categories = [next(value for name, value in one if name == "category") for one in self.objects]
        return RegionScene, (categories, self.regions, self.ids)


def _values(category: str, rank: int) -> frozenset[tuple[str, str]]:
    """The values of an object; equal ones are one object in memory."""
    known = _VALUES.get((category, rank))
    if known is None:
        SCHEMA.attributes[0].code(category)
        size = str(min(rank, RANKS))
        known = _VALUES[category, rank] = frozenset({("category", category), ("size", size)})
    return known


def _are_close(one: Box, other: Box) -> bool:
    """Whether the gap between two boxes is small for their size."""
    across = max(one.left, other.left) - min(one.right, other.right)
    down = max(one.top, other.top) - min(one.bottom, other.bottom)
    smaller = min(one, other, key=lambda box: box.area)
    longer = max(smaller.right - smaller.left, smaller.bottom - smaller.top)
    return hypot(max(across, 0.0), max(down, 0.0)) <= longer / 2
