"""The primitives of a picture: outlines with ink, words, and layers of them.

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

    from deixis.worlds.grid._pictures.look import Look, Palette
    from deixis.worlds.grid.scene import Facing, GridObject

XY: TypeAlias = tuple[float, float]
KAPPA = 0.5522847498  # where the handles of four cubic curves lie so that they make a circle
CURVE_STEPS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """Fill and line of an outline."""

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
    """A line of text, x its start, middle or end, y the middle of its capitals."""

    x: float
    y: float
    text: str
    size: float
    color: str
    anchor: Literal["start", "middle", "end"] = "middle"
    is_bold: bool = False

    @property
    def baseline(self) -> float:
        """The baseline of the letters."""
        return self.y + 0.355 * self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Strokes and words that belong together, in painting order, with the number of their object if they have one."""

    name: str
    items: tuple[Stroke | Words, ...]
    object: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Everything in a picture, and its description in words."""

    width: float
    height: float
    paper: str
    layers: tuple[Layer, ...]
    title: str
    description: str


def polygon(corners: Sequence[XY], *, rounding: float = 0.0, is_closed: bool = True) -> Outline:
    """Return straight lines from corner to corner, each corner rounded off within the room its neighbours leave."""
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
    """Return an upright rectangle from its upper-left corner."""
    return polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], rounding=rounding)


def ellipse(x: float, y: float, across: float, down: float) -> Outline:
    """Return an upright ellipse from its middle and half-axes."""
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
    """Return a circle."""
    return ellipse(x, y, radius, radius)


def barrel(x: float, y: float, across: float, down: float, *, lid: float) -> Outline:
    """Return the silhouette of an upright cylinder around its middle, `lid` being the half-height of its round ends."""
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


def grow_polygon(corners: Sequence[XY], by: float) -> list[XY]:
    """Return a convex polygon, listed clockwise, with every side moved outwards by the same distance."""
    sides = []
    for one, two in pairwise([*corners, corners[0]]):
        length = hypot(*_from_to(one, two))
        along_x, along_y = (two[0] - one[0]) / length, (two[1] - one[1]) / length
        sides.append(((one[0] + by * along_y, one[1] - by * along_x), (along_x, along_y)))
    return [_crossing(sides[i - 1], sides[i]) for i in range(len(sides))]


def turn_points(points: Iterable[XY], *, quarters: int, around: XY) -> list[XY]:
    """Return points given relative to the origin, turned clockwise by quarter turns and moved to where they belong."""
    cosine, sine = round(cos(quarters * pi / 2)), round(sin(quarters * pi / 2))
    return [(around[0] + x * cosine - y * sine, around[1] + x * sine + y * cosine) for x, y in points]


def shift_points(points: Iterable[XY], by: XY) -> list[XY]:
    """Return the same points, moved."""
    return [(x + by[0], y + by[1]) for x, y in points]


def trim_ends(points: Sequence[XY], *, start: float, end: float) -> list[XY]:
    """Return a line of straight pieces with some length taken off both ends, and at least a third of it left."""
    total = sum(hypot(*_from_to(a, b)) for a, b in pairwise(points))
    if start + end > 2 * total / 3:
        start, end = (2 * total / 3 * cut / (start + end) for cut in (start, end))
    return along(points, start, total - end)


def along(points: Sequence[XY], first: float, last: float) -> list[XY]:
    """Return the stretch of a line between two distances from its start."""
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
    """Return the outline as straight pieces, fine enough for the eye, closed ones ending at their start."""
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
    """Return the visible stretches of a dashed line, for a pattern of on, off, on, off and so on."""
    total = sum(hypot(*_from_to(a, b)) for a, b in pairwise(points))
    repeats = ceil(total / sum(pattern))
    stretches = []
    walked = 0.0
    for i, length in enumerate(tuple(pattern) * repeats):
        if i % 2 == 0 and walked < total:
            stretches.append(along(points, walked, min(walked + length, total)))
        walked += length
    return stretches


def mix_colors(color: str, other: str, share: float) -> str:
    """Return a colour with a share (0 to 1) of another one in it."""
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


REACH = (0.125, 0.195, 0.265, 0.335)  # half the width of a solid of size 1 to 4, in cells
SQUARE_SHARE = 0.89  # squares a little smaller than circles, so that equal sizes look equal
FRAME_WIDTH = 0.062  # the line of a box, in cells
POINTER = ((0.31, 0.0), (-0.25, 0.235), (-0.13, 0.0), (-0.25, -0.235))
RELEASE_CELL = 60  # the published geometry is given for cells of 60 pixels
RELEASE_RADIUS = (6.0, 12.0, 18.0, 22.0)
RELEASE_SIDE = (15.0, 30.0, 45.0, 52.0)
RELEASE_SLANT = (7.5, 15.0, 22.5, 22.0)
RELEASE_FRAME = 8.0
RELEASE_POINTER = ((-12.0, 10.0), (12.0, 0.0), (-12.0, -10.0))
RELEASE_AGENT = "#FFC0CB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """The spot of a body: the middle of its cell (or of its share of the cell), and its size."""

    x: float
    y: float
    cell: float
    share: float = 1.0  # below 1 when several things stand on the cell
    inset: float = 0.0  # how far a box's frame keeps from the edge of its cells, in pixels
    span: int = 1  # how many cells a box really covers on the board

    @property
    def corner(self) -> XY:
        """The upper-left corner of the cell."""
        return self.x - self.cell / 2, self.y - self.cell / 2


def silhouette(thing: GridObject, spot: Spot, look: Look, *, grow: float = 0.0) -> Outline:
    """Return the outer line of an object, moved outwards by some pixels (inwards for a box, within its cells)."""
    if look.style == "release":
        return _release_silhouette(thing, spot, grow)
    unit = spot.cell * spot.share
    reach = REACH[thing.size - 1] * unit
    match thing.shape:
        case "circle":
            return disc(spot.x, spot.y, reach + grow)
        case "square":
            side = reach * SQUARE_SHARE + grow
            return rectangle(spot.x - side, spot.y - side, 2 * side, 2 * side, rounding=0.055 * unit + grow)
        case "cylinder":
            return barrel(spot.x, spot.y, 0.76 * reach + grow, reach + grow, lid=_lid(reach) + 0.6 * grow)
    left, top = spot.corner
    inset = spot.inset + grow
    side = spot.span * spot.cell - 2 * inset
    return rectangle(left + inset, top + inset, side, side, rounding=max(0.16 * spot.cell - 0.7 * grow, 0))


def reach_of(thing: GridObject, spot: Spot, look: Look) -> float:
    """Return the distance from a solid's own middle to its edge, in pixels."""
    if look.style == "deixis":
        return REACH[thing.size - 1] * spot.cell * spot.share
    reach = RELEASE_RADIUS[thing.size - 1] if thing.shape == "circle" else RELEASE_SIDE[thing.size - 1] / 2
    return reach * spot.cell / RELEASE_CELL


def middle_of(thing: GridObject, spot: Spot, look: Look) -> XY:
    """Return the middle of a solid, which in the release look is not always that of its cell."""
    if look.style == "deixis" or thing.shape == "circle":
        return spot.x, spot.y
    (left, top), reach = spot.corner, reach_of(thing, spot, look)
    return (left + reach if thing.shape == "square" else spot.x), top + reach


def paint_object(thing: GridObject, spot: Spot, look: Look, *, is_dim: bool = False) -> tuple[Stroke, ...]:
    """Return the strokes that show an object."""
    palette = look.palette
    color = palette.objects[thing.color]
    edge = mix_colors(color, "#000000", 0.32)
    if is_dim:
        color, edge = (mix_colors(tint, palette.paper, 0.8) for tint in (color, edge))
    outline = silhouette(thing, spot, look)
    if thing.is_box:
        return _frame(outline, spot, look, color=color, edge=edge)
    if look.style == "release":
        return (Stroke(outline, Ink(fill=color)),)
    body = Stroke(outline, Ink(fill=color, line=edge, width=0.022 * spot.cell))
    return (body, *_lid_strokes(thing, spot, color=color, edge=edge))


def paint_agent(facing: Facing, spot: Spot, look: Look) -> tuple[Stroke, ...]:
    """Return the strokes that show the agent: a pointer with its tip ahead."""
    unit = spot.cell * spot.share
    if look.style == "release":
        corners = [(x * unit / RELEASE_CELL, y * unit / RELEASE_CELL) for x, y in RELEASE_POINTER]
        return (
            Stroke(polygon(turn_points(corners, quarters=facing, around=(spot.x, spot.y))), Ink(fill=RELEASE_AGENT)),
        )
    corners = turn_points([(x * unit, y * unit) for x, y in POINTER], quarters=facing, around=(spot.x, spot.y))
    outline = polygon(corners, rounding=0.03 * unit)
    return (Stroke(outline, _halo(look.palette, 0.11 * spot.cell)), Stroke(outline, Ink(fill=look.palette.ink)))


def _release_silhouette(thing: GridObject, spot: Spot, grow: float) -> Outline:
    scale = spot.cell / RELEASE_CELL
    left, top = spot.corner
    side, slant = RELEASE_SIDE[thing.size - 1] * scale, RELEASE_SLANT[thing.size - 1] * scale
    match thing.shape:
        case "circle":
            return disc(spot.x, spot.y, RELEASE_RADIUS[thing.size - 1] * scale + grow)
        case "square":
            return rectangle(left - grow, top - grow, side + 2 * grow, side + 2 * grow, rounding=grow)
        case "cylinder":
            corners = [(spot.x, top), (spot.x + slant, top), (spot.x, top + side), (spot.x - slant, top + side)]
            return polygon(grow_polygon(corners, grow) if grow else corners, rounding=grow)
    width = spot.span * spot.cell - 2 * grow
    return rectangle(left + grow, top + grow, width, width)


def _frame(outline: Outline, spot: Spot, look: Look, *, color: str, edge: str) -> tuple[Stroke, ...]:
    if look.style == "release":
        width = RELEASE_FRAME * spot.cell / RELEASE_CELL
        return (Stroke(outline, Ink(line=color, width=width, is_sharp=True)),)
    width = FRAME_WIDTH * spot.cell
    return (
        Stroke(outline, Ink(line=look.palette.paper, width=width + 0.042 * spot.cell)),
        Stroke(outline, Ink(line=edge, width=width)),
        Stroke(outline, Ink(line=color, width=width - 0.025 * spot.cell)),
    )


def _lid_strokes(thing: GridObject, spot: Spot, *, color: str, edge: str) -> tuple[Stroke, ...]:
    if thing.shape != "cylinder":
        return ()
    reach = REACH[thing.size - 1] * spot.cell * spot.share
    lid = ellipse(spot.x, spot.y - reach + _lid(reach), 0.76 * reach, _lid(reach))
    return (Stroke(lid, Ink(fill=mix_colors(color, "#FFFFFF", 0.45), line=edge, width=0.022 * spot.cell)),)


def _lid(reach: float) -> float:
    return 0.3 * reach


def _halo(palette: Palette, width: float) -> Ink:
    return Ink(fill=palette.paper, line=palette.paper, width=width)
