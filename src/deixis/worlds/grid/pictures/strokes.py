"""The few things a picture is made of: outlines with ink, words, and layers of them.

Coordinates are pixels, x to the right and y downwards. Both ways of putting a picture down read the same outlines, so
that an SVG and a PNG of one scene look alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, cos, hypot, pi, sin
from typing import TYPE_CHECKING, Literal, TypeAlias


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


__all__ = [
    "XY",
    "Ink",
    "Layer",
    "Outline",
    "Picture",
    "Stroke",
    "Words",
    "along",
    "barrel",
    "dashes",
    "disc",
    "ellipse",
    "flatten",
    "grown",
    "mixed",
    "polygon",
    "rectangle",
    "shifted",
    "trimmed",
    "turned",
]

XY: TypeAlias = tuple[float, float]
KAPPA = 0.5522847498  # where the handles of four cubic curves lie so that they make a circle
CURVE_STEPS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """How an outline is filled and lined."""

    fill: str | None = None
    line: str | None = None
    width: float = 1.0
    dash: tuple[float, ...] = ()
    is_sharp: bool = False  # square corners and blunt ends instead of round ones


@dataclass(frozen=True, slots=True)
class Outline:
    """A line or closed shape: where it starts, then straight pieces (one point) and curves (three)."""

    start: XY
    pieces: tuple[tuple[XY, ...], ...]
    is_closed: bool = True


@dataclass(frozen=True, slots=True)
class Stroke:
    """An outline put down with some ink."""

    outline: Outline
    ink: Ink


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A line of text; x is its start, middle or end, y the middle of its capitals."""

    x: float
    y: float
    text: str
    size: float
    color: str
    anchor: Literal["start", "middle", "end"] = "middle"
    is_bold: bool = False

    @property
    def baseline(self) -> float:
        """Where the letters stand."""
        return self.y + 0.355 * self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Strokes and words that belong together, in painting order; those of one object carry its number."""

    name: str
    items: tuple[Stroke | Words, ...]
    object: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Everything there is to see, and the same in words."""

    width: float
    height: float
    paper: str
    layers: tuple[Layer, ...]
    title: str
    description: str


def polygon(corners: Sequence[XY], *, rounding: float = 0.0, is_closed: bool = True) -> Outline:
    """Straight lines from corner to corner, each corner rounded off as far as its neighbours leave room."""
    if rounding <= 0 or len(corners) < 3:
        return Outline(corners[0], tuple((corner,) for corner in corners[1:]), is_closed)
    count = len(corners)
    inner = range(count) if is_closed else range(1, count - 1)
    pieces: list[tuple[XY, ...]] = []
    for i in inner:
        before, corner, after = corners[i - 1], corners[i], corners[(i + 1) % count]
        into, out = _towards(corner, before, rounding), _towards(corner, after, rounding)
        pieces += [(into,), (_between(into, corner, KAPPA), _between(out, corner, KAPPA), out)]
    if is_closed:
        return Outline(pieces[-1][-1], tuple(pieces), True)
    return Outline(corners[0], (*pieces, (corners[-1],)), False)


def rectangle(x: float, y: float, width: float, height: float, *, rounding: float = 0.0) -> Outline:
    """An upright rectangle from its upper-left corner."""
    return polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], rounding=rounding)


def ellipse(x: float, y: float, across: float, down: float) -> Outline:
    """An upright ellipse from its middle and half-axes."""
    a, b = across * KAPPA, down * KAPPA
    return Outline(
        (x + across, y),
        (
            ((x + across, y + b), (x + a, y + down), (x, y + down)),
            ((x - a, y + down), (x - across, y + b), (x - across, y)),
            ((x - across, y - b), (x - a, y - down), (x, y - down)),
            ((x + a, y - down), (x + across, y - b), (x + across, y)),
        ),
    )


def disc(x: float, y: float, radius: float) -> Outline:
    """A circle."""
    return ellipse(x, y, radius, radius)


def barrel(x: float, y: float, across: float, down: float, *, lid: float) -> Outline:
    """The silhouette of an upright cylinder around its middle; `lid` is the half-height of its round ends."""
    a, b = across * KAPPA, lid * KAPPA
    top, bottom = y - down + lid, y + down - lid
    return Outline(
        (x - across, top),
        (
            ((x - across, top - b), (x - a, top - lid), (x, top - lid)),
            ((x + a, top - lid), (x + across, top - b), (x + across, top)),
            ((x + across, bottom),),
            ((x + across, bottom + b), (x + a, bottom + lid), (x, bottom + lid)),
            ((x - a, bottom + lid), (x - across, bottom + b), (x - across, bottom)),
        ),
    )


def grown(corners: Sequence[XY], by: float) -> list[XY]:
    """A convex polygon, listed clockwise, with every side moved outwards by the same distance."""
    sides = []
    for one, two in pairwise([*corners, corners[0]]):
        length = hypot(*_from_to(one, two))
        along_x, along_y = (two[0] - one[0]) / length, (two[1] - one[1]) / length
        sides.append(((one[0] + by * along_y, one[1] - by * along_x), (along_x, along_y)))
    return [_crossing(sides[i - 1], sides[i]) for i in range(len(sides))]


def turned(points: Iterable[XY], *, quarters: int, around: XY) -> list[XY]:
    """Points given relative to the origin, turned clockwise by quarter turns and moved to where they belong."""
    cosine, sine = round(cos(quarters * pi / 2)), round(sin(quarters * pi / 2))
    return [(around[0] + x * cosine - y * sine, around[1] + x * sine + y * cosine) for x, y in points]


def shifted(points: Iterable[XY], by: XY) -> list[XY]:
    """The same points, moved."""
    return [(x + by[0], y + by[1]) for x, y in points]


def trimmed(points: Sequence[XY], *, start: float, end: float) -> list[XY]:
    """A line of straight pieces with some length taken off both ends, and at least a third of it left."""
    total = sum(hypot(*_from_to(a, b)) for a, b in pairwise(points))
    if start + end > 2 * total / 3:
        start, end = (2 * total / 3 * cut / (start + end) for cut in (start, end))
    return along(points, start, total - end)


def along(points: Sequence[XY], first: float, last: float) -> list[XY]:
    """The stretch of a line between two distances from its start."""
    kept: list[XY] = []
    walked = 0.0
    for one, two in pairwise(points):
        length = hypot(*_from_to(one, two))
        if length > 0 and walked + length >= first and walked <= last:
            low, high = max(first - walked, 0.0) / length, min(last - walked, length) / length
            kept += [_between(one, two, low), _between(one, two, high)]
        walked += length
    return [point for i, point in enumerate(kept) if i == 0 or hypot(*_from_to(kept[i - 1], point)) > 1e-6]


def flatten(outline: Outline) -> list[XY]:
    """The outline as straight pieces, fine enough for the eye; closed ones end where they start."""
    points = [outline.start]
    for piece in outline.pieces:
        if len(piece) == 1:
            points.append(piece[0])
        else:
            points += [_on_curve(points[-1], piece, i / CURVE_STEPS) for i in range(1, CURVE_STEPS + 1)]
    if outline.is_closed and points[-1] != points[0]:
        points.append(points[0])
    return points


def dashes(points: Sequence[XY], pattern: Sequence[float]) -> list[list[XY]]:
    """The visible stretches of a dashed line; the pattern is on, off, on, off and so on."""
    total = sum(hypot(*_from_to(a, b)) for a, b in pairwise(points))
    repeats = ceil(total / sum(pattern))
    stretches = []
    walked = 0.0
    for i, length in enumerate(tuple(pattern) * repeats):
        if i % 2 == 0 and walked < total:
            stretches.append(along(points, walked, min(walked + length, total)))
        walked += length
    return stretches


def mixed(color: str, other: str, share: float) -> str:
    """A colour with a share (0 to 1) of another one in it."""
    pairs = ((int(color[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(one + (two - one) * share):02X}" for one, two in pairs)


def _towards(corner: XY, other: XY, distance: float) -> XY:
    length = hypot(*_from_to(corner, other))
    return _between(corner, other, min(distance / length, 0.5))


def _between(one: XY, two: XY, share: float) -> XY:
    return one[0] + (two[0] - one[0]) * share, one[1] + (two[1] - one[1]) * share


def _on_curve(start: XY, piece: tuple[XY, ...], t: float) -> XY:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    points = (start, *piece)
    return (
        sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
        sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
    )


def _from_to(one: XY, two: XY) -> XY:
    return two[0] - one[0], two[1] - one[1]


def _crossing(one: tuple[XY, XY], two: tuple[XY, XY]) -> XY:
    ((x, y), (dx, dy)), ((u, v), (du, dv)) = one, two
    t = ((u - x) * dv - (v - y) * du) / (dx * dv - dy * du)
    return x + t * dx, y + t * dy
