"""Boxes: the spaces that they are written in, how well two of them agree, and where their centres lie.

A box is (left, top, right, bottom). It is written in one of three spaces, which is always declared and never guessed:

| space | |
|---|---|
| `pixels` | of the image as it is |
| `share` | of the width and the height, from 0 to 1 |
| `0..1000` | of the width and the height, from 0 to 1000 |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.errors import SchemaError


if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["LADDER", "LARGEST", "SPACES", "Box", "Region", "Space", "box_from", "overlap", "pair_regions"]

Space: TypeAlias = Literal["pixels", "share", "0..1000"]
SPACES: dict[Space, float] = {"pixels": 0.0, "share": 1.0, "0..1000": 1000.0}
"""Every space with the number that stands for the whole width and height; 0 where that is the size of the image."""
LADDER = (0.5, 0.75, 0.9)
"""Overlaps (IoU) from which on an answer counts as right."""
LARGEST = 1e9  # a coordinate that no image has


class Box(NamedTuple):
    """A box of which the right and bottom edges are outside."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        """Width times height, 0 for a box that is turned inside out."""
        return max(0.0, self.right - self.left) * max(0.0, self.bottom - self.top)

    @property
    def center(self) -> tuple[float, float]:
        """The middle, (x, y)."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point lies inside or on the edge."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def scale(self, x: float, y: float) -> Box:
        """Return the box with its coordinates multiplied."""
        return Box(self.left * x, self.top * y, self.right * x, self.bottom * y)

    def convert(self, space: Space, to: Space, size: tuple[float, float]) -> Box:
        """Return the same box in another space.

        Args:
            space: the space that it is written in.
            to: the space that is wanted.
            size: width and height of the image in pixels; (0, 0) where they are not known.

        Raises:
            SchemaError: when the size is needed and not known.
        """
        if space == to:
            return self
        width, height = size
        if "pixels" in (space, to) and not (width > 0 and height > 0):
            raise SchemaError(f"boxes in {space} cannot be written in {to}: the size of the image is not known")
        here, there = ((SPACES[one] or width, SPACES[one] or height) for one in (space, to))
        return self.scale(there[0] / here[0], there[1] / here[1])


class Region(NamedTuple):
    """A box in one of several images, which are counted from 0."""

    image: int
    box: Box


def box_from(values: object, *, form: Literal["xyxy", "xywh"] = "xyxy") -> Box:
    """Return the box that four numbers stand for.

    Args:
        values: a list of four numbers.
        form: two corners, or one corner with width and height.

    Raises:
        SchemaError: when they are not four finite numbers, or the box has no area.
    """
    if not isinstance(values, list | tuple) or len(values) != 4 or not all(map(_is_edge, values)):
        raise SchemaError(f"a box is a list of four numbers, got {str(values)[:60]}")
    left, top, right, bottom = map(float, values)
    if form == "xywh":
        right, bottom = left + right, top + bottom
    if not (left < right and (right - left) * (bottom - top) > 0):
        raise SchemaError(f"the box {list(values)} has no area")
    return Box(left, top, right, bottom)


def _is_edge(value: object) -> bool:
    if type(value) is float:
        return -LARGEST < value < LARGEST
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST < value < LARGEST


def overlap(one: Box, other: Box) -> float:
    """Return the overlap of two boxes: intersection over union (IoU).

    >>> overlap(Box(0, 0, 2, 2), Box(1, 0, 3, 2))
    0.3333333333333333
    """
    inner = Box(
        max(one.left, other.left), max(one.top, other.top), min(one.right, other.right), min(one.bottom, other.bottom)
    )
    shared = inner.area
    union = one.area + other.area - shared
    return shared / union if union > 0 else 0.0


def pair_boxes(given: Sequence[Box], right: Sequence[Box]) -> list[tuple[int, int, float]]:
    """Pair boxes with right ones, each once and the best overlaps first, as (given, right, overlap)."""
    found = sorted(
        ((overlap(one, other), -k, -n) for k, one in enumerate(given) for n, other in enumerate(right)), reverse=True
    )
    pairs: list[tuple[int, int, float]] = []
    for value, k, n in found:
        if value > 0 and all(-k != a and -n != b for a, b, _ in pairs):
            pairs.append((-k, -n, value))
    return pairs


def pair_regions(given: Sequence[Region], right: Sequence[Region]) -> list[tuple[int, int, float]]:
    """Pair boxes with right ones of the same image, each once and the best overlaps first."""
    pairs = []
    for image in sorted({one.image for one in right}):
        mine = [k for k, one in enumerate(given) if one.image == image]
        theirs = [n for n, one in enumerate(right) if one.image == image]
        found = pair_boxes([given[k].box for k in mine], [right[n].box for n in theirs])
        pairs += [(mine[k], theirs[n], value) for k, n, value in found]
    return pairs
