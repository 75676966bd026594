"""The bodies of objects and agent, in both styles: silhouettes that can be grown, and the strokes that paint them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.worlds.grid.pictures.strokes import (
    XY,
    Ink,
    Outline,
    Stroke,
    barrel,
    disc,
    ellipse,
    grown,
    mixed,
    polygon,
    rectangle,
    turned,
)


if TYPE_CHECKING:
    from deixis.scene.grid import Facing, GridObject
    from deixis.worlds.grid.pictures.look import Look, Palette


__all__ = ["Spot", "middle_of", "paint_agent", "paint_object", "reach_of", "silhouette"]

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
    """Where a body is drawn: the middle of its cell (or of its share of the cell), and how large."""

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
    """The outer line of an object, moved outwards by some pixels (inwards for a box, to stay within its cells)."""
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
    """How far a solid stretches from its own middle, in pixels."""
    if look.style == "deixis":
        return REACH[thing.size - 1] * spot.cell * spot.share
    reach = RELEASE_RADIUS[thing.size - 1] if thing.shape == "circle" else RELEASE_SIDE[thing.size - 1] / 2
    return reach * spot.cell / RELEASE_CELL


def middle_of(thing: GridObject, spot: Spot, look: Look) -> XY:
    """The middle of a solid, which in the release look is not always that of its cell."""
    if look.style == "deixis" or thing.shape == "circle":
        return spot.x, spot.y
    (left, top), reach = spot.corner, reach_of(thing, spot, look)
    return (left + reach if thing.shape == "square" else spot.x), top + reach


def paint_object(thing: GridObject, spot: Spot, look: Look, *, is_dim: bool = False) -> tuple[Stroke, ...]:
    """The strokes that show an object."""
    palette = look.palette
    color = palette.objects[thing.color]
    edge = mixed(color, "#000000", 0.32)
    if is_dim:
        color, edge = (mixed(tint, palette.paper, 0.8) for tint in (color, edge))
    outline = silhouette(thing, spot, look)
    if thing.is_box:
        return _frame(outline, spot, look, color=color, edge=edge)
    if look.style == "release":
        return (Stroke(outline, Ink(fill=color)),)
    body = Stroke(outline, Ink(fill=color, line=edge, width=0.022 * spot.cell))
    return (body, *_lid_strokes(thing, spot, color=color, edge=edge))


def paint_agent(facing: Facing, spot: Spot, look: Look) -> tuple[Stroke, ...]:
    """The strokes that show the agent: a pointer with its tip ahead."""
    unit = spot.cell * spot.share
    if look.style == "release":
        corners = [(x * unit / RELEASE_CELL, y * unit / RELEASE_CELL) for x, y in RELEASE_POINTER]
        return (Stroke(polygon(turned(corners, quarters=facing, around=(spot.x, spot.y))), Ink(fill=RELEASE_AGENT)),)
    corners = turned([(x * unit, y * unit) for x, y in POINTER], quarters=facing, around=(spot.x, spot.y))
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
            return polygon(grown(corners, grow) if grow else corners, rounding=grow)
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
    return (Stroke(lid, Ink(fill=mixed(color, "#FFFFFF", 0.45), line=edge, width=0.022 * spot.cell)),)


def _lid(reach: float) -> float:
    return 0.3 * reach


def _halo(palette: Palette, width: float) -> Ink:
    return Ink(fill=palette.paper, line=palette.paper, width=width)
