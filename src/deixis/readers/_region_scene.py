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

from deixis.errors import SchemaError
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
    """The objects of an image, whose values, places and relations are worked out when they are asked for.

    Args:
        categories: of each object, one of `CATEGORIES`.
        boxes: where each is.
        ids: their numbers in the dataset, if they have any; they are no part of what the scene is.
    """

    __slots__ = ("_digest", "_links", "_objects", "_points", "categories", "ids", "regions")
    categories: tuple[str, ...]
    ids: tuple[int, ...]
    regions: tuple[Box, ...]
    _objects: tuple[frozenset[tuple[str, str]], ...] | None
    _links: frozenset[tuple[str, int, int]] | None
    _points: tuple[Point, ...] | None
    _digest: str

    def __init__(self, categories: Sequence[str], boxes: tuple[Box, ...], ids: tuple[int, ...] = ()) -> None:
        if not CATEGORIES.issuperset(categories) or len(categories) != len(boxes):
            raise SchemaError(f"each of {len(boxes)} boxes has a category of COCO, got {str(list(categories))[:60]}")
        put = object.__setattr__
        put(self, "schema", SCHEMA)
        put(self, "categories", tuple(categories))
        put(self, "regions", boxes)
        put(self, "ids", ids)
        put(self, "_objects", None)
        put(self, "_points", None)
        put(self, "_links", None)
        put(self, "_digest", "")

    def __len__(self) -> int:
        return len(self.regions)

    @property
    def objects(self) -> tuple[frozenset[tuple[str, str]], ...]:
        """The category and the rank of the size of every object."""
        found = self._objects
        if found is None:
            areas = [(right - left) * (bottom - top) for left, top, right, bottom in self.regions]
            order = {area: rank for rank, area in enumerate(sorted(set(areas), reverse=True), 1)}
            found = tuple(_values(one, order[area]) for one, area in zip(self.categories, areas, strict=True))
            object.__setattr__(self, "_objects", found)
        return found

    @property
    def points(self) -> tuple[Point, ...]:
        """The centres of the boxes."""
        found = self._points
        if found is None:
            found = tuple(Point((top + bottom) / 2, (left + right) / 2) for left, top, right, bottom in self.regions)
            object.__setattr__(self, "_points", found)
        return found

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
        return isinstance(other, RegionScene) and (self.categories, self.regions) == (other.categories, other.regions)

    def __hash__(self) -> int:
        return hash(self.regions)

    def __reduce__(self) -> tuple[object, ...]:
        return RegionScene, (self.categories, self.regions, self.ids)


def _values(category: str, rank: int) -> frozenset[tuple[str, str]]:
    """The values of an object; equal ones are one object in memory."""
    known = _VALUES.get((category, rank))
    if known is None:
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
