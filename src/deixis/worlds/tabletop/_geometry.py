"""Where solids are for the viewer, and by how much: plain definitions in whole numbers.

Everything fast is tested against this file. Lengths are in thousandths, sines and cosines in 65,536ths, so every
machine computes the same numbers. From where the viewer stands, a solid has a *side* (how far to the right of the
middle of the table its middle is), a *distance* (how far beyond the middle of the table) and a *column* (where its
middle is seen in the picture, in hundred-thousandths of the distance of the picture plane).

One solid is left of another if its side is smaller, and in front of it if its distance is smaller. Two solids are near
each other if the gap between them is small; the gap is counted between round bases of the width of the size, whatever
the shape, so that it does not depend on the shape. Margins keep a scene free of close calls (`close_calls`).
"""

from __future__ import annotations

from itertools import combinations
from math import cos, radians, sin, tan
from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.tabletop._solids import HALF_HEIGHTS


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.tabletop._solids import Camera, Solid, Tabletop


ONE = 65_536
COLUMN_UNIT = 100_000
RADII = {"small": 420, "large": 840}
"""Radius of the round base by size: between half the side and half the diagonal of a cube."""
LEAST_GAP = 300
"""Smallest gap between two solids: corners of two cubes never touch."""
NEAR_GAP = 650
"""Up to this gap two solids are near each other."""
FAR_GAP = 950
"""From this gap on they are not; no two solids of a generated scene have a gap in between."""
SIDE_MARGIN = 200
"""By how much the sides of two solids differ at least."""
DISTANCE_MARGIN = 200
"""By how much their distances differ at least."""
COLUMN_MARGIN = 1_200
"""By how much their columns differ at least: 4 pixels of a picture that is 320 wide."""


class Frame(NamedTuple):
    """The viewer's frame, in whole numbers.

    Attributes:
        cosine, sine: of the azimuth of the camera, in 65,536ths.
        low, high: cosine and sine of its elevation.
        away: the distance of the camera from the middle of the table.
        across, down: half the width and half the height that the picture shows, in the unit of columns.
    """

    cosine: int
    sine: int
    low: int
    high: int
    away: int
    across: int
    down: int


class Place(NamedTuple):
    """Where a solid is for the viewer."""

    side: int
    distance: int
    column: int


def frame_of(camera: Camera) -> Frame:
    """Return the frame of a camera; pictures are four wide and three high."""
    turn, tilt, half = radians(camera.azimuth), radians(camera.elevation), tan(radians(camera.view) / 2)
    return Frame(
        cosine=round(ONE * cos(turn)),
        sine=round(ONE * sin(turn)),
        low=round(ONE * cos(tilt)),
        high=round(ONE * sin(tilt)),
        away=camera.distance,
        across=round(COLUMN_UNIT * half),
        down=round(COLUMN_UNIT * half * 3 / 4),
    )


def place_of(solid: Solid, frame: Frame) -> Place:
    """Return where the middle of a solid is for the viewer."""
    side = (solid.y * frame.cosine - solid.x * frame.sine) // ONE
    distance = -((solid.x * frame.cosine + solid.y * frame.sine) // ONE)
    depth = frame.away + (distance * frame.low - HALF_HEIGHTS[solid.size] * frame.high) // ONE
    return Place(side, distance, side * COLUMN_UNIT // depth)


def places_of(table: Tabletop) -> tuple[Place, ...]:
    """Return the places of all solids."""
    frame = frame_of(table.camera)
    return tuple(place_of(solid, frame) for solid in table.solids)


def is_closer_than(one: Solid, other: Solid, gap: int) -> bool:
    """Return whether the gap between two solids is at most so large."""
    reach = gap + RADII[one.size] + RADII[other.size]
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2 <= reach**2


def close_calls(table: Tabletop) -> Iterator[str]:
    """Yield what a viewer could take one way or the other: two solids too close along a direction, or half near."""
    places = places_of(table)
    for k, n in combinations(range(len(places)), 2):
        one, other = places[k], places[n]
        if is_closer_than(table.solids[k], table.solids[n], LEAST_GAP - 1):
            yield f"solids {k} and {n} nearly touch"
        if abs(one.side - other.side) < SIDE_MARGIN or abs(one.column - other.column) < COLUMN_MARGIN:
            yield f"solids {k} and {n} are hardly to the left or right of each other"
        elif (one.side < other.side) != (one.column < other.column):
            yield f"which of solids {k} and {n} is to the left differs between table and picture"
        if abs(one.distance - other.distance) < DISTANCE_MARGIN:
            yield f"solids {k} and {n} are hardly in front of or behind each other"
        is_near = is_closer_than(table.solids[k], table.solids[n], NEAR_GAP)
        if not is_near and is_closer_than(table.solids[k], table.solids[n], FAR_GAP - 1):
            yield f"solids {k} and {n} are neither near each other nor apart"
