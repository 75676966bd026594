"""The plain definition of the solid that a pixel shows: distances from solids, and a walk along a ray.

Every solid is told by a function that says how far a point is from its surface, negative inside. A ray walks on by the
least of these distances until it arrives. This is slow and needs no case distinctions; the compiled ray caster solves
equations instead, and must find the same.
"""

from __future__ import annotations

from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.worlds.tabletop._render.shapes import BEVEL, RING_RADIUS, RING_THICKNESS, cosine, sine
from deixis.worlds.tabletop._solids import HALF_HEIGHTS


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.worlds.tabletop._solids import Camera, Solid, Tabletop


ARRIVED = 1e-6
LEFT = 40.0  # units behind which nothing stands


class Point(NamedTuple):
    """A place or a direction in space."""

    x: float
    y: float
    z: float

    def plus(self, other: Point, times: float = 1.0) -> Point:
        """This and a multiple of another."""
        return Point(self.x + times * other.x, self.y + times * other.y, self.z + times * other.z)


class Sight(NamedTuple):
    """The end of a ray.

    Attributes:
        id: 0 for the table or the background, else one more than the number of the solid.
        distance: of the place from the camera.
        margin: how near it came to another end: the least distance from a solid that it passed, the depth to which it
            goes into the solid it met, or the way from there to the next, whatever is least.
    """

    id: int
    distance: float
    margin: float


def draw_ids_plainly(scene: Tabletop, width: int, height: int) -> np.ndarray:
    """The solid that the middle of every pixel shows, by the plain definition: uint8 [row, column]."""
    rows = [[look(scene, x + 0.5, y + 0.5, width, height).id for x in range(width)] for y in range(height)]
    return np.array(rows, np.uint8)


def look(scene: Tabletop, column: float, row: float, width: int, height: int) -> Sight:
    """The solid that the ray through a place of the picture meets."""
    place, direction = ray_through(scene.camera, column, row, width, height)
    seen = [_meet(solid, place, direction) for solid in scene.solids]
    distance, number = min(((sight.distance, n) for n, sight in enumerate(seen)), default=(inf, -1))
    if distance == inf:
        return Sight(0, inf, min((sight.margin for sight in seen), default=inf))
    rivals = [abs(sight.distance - distance) for n, sight in enumerate(seen) if n != number]
    return Sight(number + 1, distance, min((*rivals, *(sight.margin for sight in seen))))


def ray_through(camera: Camera, column: float, row: float, width: int, height: int) -> tuple[Point, Point]:
    """The place of the camera, and the direction of a place of its picture."""
    distance = camera.distance / 1_000
    level, rise = cosine(camera.elevation), sine(camera.elevation)
    along, aside = cosine(camera.azimuth), sine(camera.azimuth)
    back = Point(level * along, level * aside, rise)  # from the middle of the table to the camera
    right, up = Point(-aside, along, 0.0), Point(-rise * along, -rise * aside, level)
    half_width = sine(camera.view / 2) / cosine(camera.view / 2)  # of what is seen, one unit ahead
    pixel = 2 * half_width / width
    ahead = Point(0.0, 0.0, 0.0).plus(back, -1)
    direction = ahead.plus(right, (column - width / 2) * pixel).plus(up, (height / 2 - row) * pixel)
    length = sqrt(sum(part * part for part in direction))
    return Point(0.0, 0.0, 0.0).plus(back, distance), Point(*(part / length for part in direction))


def distance_to(solid: Solid, point: Point) -> float:
    """The distance of a point from the surface of a solid, negative inside."""
    half = HALF_HEIGHTS[solid.size] / 1_000
    x, y = point.x - solid.x / 1_000, point.y - solid.y / 1_000
    x, y = (
        cosine(solid.turn) * x + sine(solid.turn) * y,
        cosine(solid.turn) * y - sine(solid.turn) * x,
    )
    return _DISTANCES[solid.shape](Point(x, y, point.z), half)


def normal_of(solid: Solid, point: Point) -> Point:
    """The direction in which the distance from a solid grows fastest, of length one."""
    step = 1e-6
    axes = (Point(step, 0.0, 0.0), Point(0.0, step, 0.0), Point(0.0, 0.0, step))
    ways = [distance_to(solid, point.plus(axis)) - distance_to(solid, point.plus(axis, -1)) for axis in axes]
    length = sqrt(sum(way * way for way in ways))
    return Point(*(way / length for way in ways))


def _meet(solid: Solid, place: Point, direction: Point) -> Sight:
    """Walk until the solid is met or left behind, and tell how near it came to the other."""
    walked, nearest = 0.0, inf
    while walked < LEFT:
        step = distance_to(solid, place.plus(direction, walked))
        if step < ARRIVED:
            beyond = (distance_to(solid, place.plus(direction, walked + 0.001 * 2**k)) for k in range(10))
            return Sight(1, walked, max(-depth for depth in beyond))
        nearest = min(nearest, step)
        walked += step
    return Sight(0, inf, nearest)


def _to_cube(p: Point, half: float) -> float:
    """The points within the bevel of a smaller cube."""
    bevel = BEVEL * half
    past = [abs(part) - (half - bevel) for part in (p.x, p.y, p.z - half)]
    return sqrt(sum(max(part, 0.0) ** 2 for part in past)) + min(max(past), 0.0) - bevel


def _to_sphere(p: Point, half: float) -> float:
    return hypot(p.x, p.y, p.z - half) - half


def _to_cylinder(p: Point, half: float) -> float:
    past_side, past_end = hypot(p.x, p.y) - half, abs(p.z - half) - half
    return hypot(max(past_side, 0.0), max(past_end, 0.0)) + min(max(past_side, past_end), 0.0)


def _to_cone(p: Point, half: float) -> float:
    """In a plane through the axis: the distance from a triangle between rim, tip and middle."""
    out, tip = hypot(p.x, p.y), 2 * half
    along = ((half - out) * half + p.z * tip) / (half * half + tip * tip)  # on the side, 0 at the rim and 1 at the tip
    along = min(max(along, 0.0), 1.0)
    to_side = hypot(out - half * (1 - along), p.z - tip * along)
    to_base = hypot(max(out - half, 0.0), p.z)
    is_inside = p.z >= 0 and out <= half * (1 - p.z / tip)
    return -min(to_side, to_base) if is_inside else min(to_side, to_base)


def _to_torus(p: Point, half: float) -> float:
    ring, tube = RING_RADIUS * half, RING_THICKNESS * half
    return hypot(hypot(p.x, p.y) - ring, p.z - tube) - tube


_DISTANCES: dict[str, Callable[[Point, float], float]] = {
    "cube": _to_cube,
    "sphere": _to_sphere,
    "cylinder": _to_cylinder,
    "cone": _to_cone,
    "torus": _to_torus,
}
