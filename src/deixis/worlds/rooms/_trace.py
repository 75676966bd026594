"""The colour along one ray into a room: the definition that `worlds.rooms._kernels.raycast` must agree with."""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, atan2, ceil, cos, floor, inf, pi, sin, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.worlds.rooms._room import DEGREES, ROOM, SCALE_FACTORS, Room


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.rooms.scene import RoomScene


Surface: TypeAlias = Literal["floor", "wall", "solid", "sky"]
STAINS = {(0, 10), (0, 8), (1, 9), (1, 7), (2, 6)}  # column, and twice the place in it, of a square of 10 by 8 tiles
CLOSE = 1e-6


class RayColor(NamedTuple):
    """The surface that a ray meets, and its shade and gloss."""

    surface: Surface
    shade: float  # by how much the hue is multiplied
    gloss: float  # white that is added


class Vector(NamedTuple):
    """A place or a direction."""

    x: float
    y: float
    z: float

    def plus(self, other: Vector, times: float = 1.0) -> Vector:
        """The sum with a multiple of another."""
        return Vector(self.x + times * other.x, self.y + times * other.y, self.z + times * other.z)

    def dot(self, other: Vector) -> float:
        """The scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def unit(self) -> Vector:
        """The same direction with length 1."""
        length = sqrt(self.dot(self))
        return Vector(self.x / length, self.y / length, self.z / length)


class Hit(NamedTuple):
    """The point at which a ray meets a surface."""

    distance: float
    normal: Vector


@dataclass(frozen=True, slots=True)
class Ray:
    """A half line with a direction of length 1."""

    origin: Vector
    direction: Vector

    def at(self, distance: float) -> Vector:
        """The place this far along."""
        return self.origin.plus(self.direction, distance)


def trace(scene: RoomScene, column: float, row: float, *, room: Room = ROOM) -> RayColor:
    """Return the surface and colour at a place of the picture of a scene.

    Args:
        scene: its hues do not matter here.
        column: from 0 at the left edge of the picture to 1 at the right.
        row: from 0 at the top to 1 at the bottom.
        room: the room it stands in.
    """
    _, _, _, scale, shape, orientation = scene.factors
    angle, size = DEGREES[orientation] * pi / 180, SCALE_FACTORS[scale]
    camera = room.camera
    eye = Vector(camera.distance * sin(angle), -camera.distance * cos(angle), camera.height)
    forward = Vector(0, 0, camera.target_height).plus(eye, -1).unit()
    right = Vector(cos(angle), sin(angle), 0)
    upwards = _cross(right, forward)
    across, up = (column - 0.5) / camera.focal_length, (0.5 - row) / camera.focal_length
    ray = Ray(eye, forward.plus(right, across).plus(upwards, up).unit())
    hit = _first(_solid_hits(room, shape, size, ray))
    if hit is not None:
        return _solid(room, shape, size, ray.at(hit.distance), hit.normal, forward)
    return _surroundings(room, shape, size, ray, forward)


def _solid(room: Room, shape: int, size: float, place: Vector, normal: Vector, forward: Vector) -> RayColor:
    lights = room.lights
    is_flat = shape == 0 or (shape == 1 and normal.z != 0)
    corners = [(1.0, place, normal)] if is_flat else _corners(room, shape, size, place, normal)
    found = [(weight, _lamp(room, at, facing)) for weight, at, facing in corners]
    light = sum(weight * amount for weight, amount in found if amount > 0)
    gloss = sum(weight for weight, amount in found if amount > 0)
    head = max(0.0, -normal.dot(forward))
    shade = lights.ambient + lights.headlight * head + lights.lamp_strength * light
    return RayColor("solid", shade, lights.lamp_gloss * gloss)


def _surroundings(room: Room, shape: int, size: float, ray: Ray, forward: Vector) -> RayColor:
    """Floor, wall or sky: whichever of the four planes is met first."""
    walls, lights, tiles = room.walls, room.lights, room.tiles
    half, (dx, dy, dz) = walls.half_width, ray.direction
    planes = (
        (_reach(-ray.origin.z, dz), Vector(0, 0, 1)),
        (_reach(half - ray.origin.y, dy), Vector(0, -1, 0)),
        (_reach(half - ray.origin.x, dx), Vector(-1, 0, 0)),
        (_reach(-half - ray.origin.x, dx), Vector(1, 0, 0)),
    )
    distance, normal = min(planes)
    place = ray.at(distance)
    if normal.z:
        to_lamp = Ray(place, Vector(lights.lamp_x, lights.lamp_y, lights.lamp_z).plus(place, -1).unit())
        is_dark = _first(_solid_hits(room, shape, size, to_lamp)) is not None
        shade = lights.ambient + (0 if is_dark else lights.lamp_strength * _lamp(room, place, normal))
        n, m, wave = _tile(place.y / tiles.floor_column, place.x / tiles.floor_cell)
        is_stained = (-n % 10, (m + 8) % 16) in STAINS
        return RayColor("floor", shade * (1 + tiles.floor_relief * wave - tiles.stain * is_stained), 0.0)
    if place.z > walls.wall_height:
        return RayColor("sky", 1.0, 0.0)
    shade = lights.wall_ambient + lights.wall_headlight * max(0.0, -normal.dot(forward))
    shade += lights.lamp_strength * max(0.0, _lamp(room, place, normal))
    along = place.x if normal.y else place.y
    n, m, wave = _tile(along / tiles.wall_column, place.z / tiles.wall_cell)
    is_stained = ((-n if normal.x < 0 else n) % 10, m % 16) in STAINS
    return RayColor("wall", shade * (1 + tiles.wall_relief * wave - tiles.stain * is_stained), 0.0)


def _reach(gap: float, speed: float) -> float:
    """After which distance a gap is crossed; infinite for what lies behind."""
    return gap / speed if speed and gap / speed > 0 else inf


def _lamp(room: Room, place: Vector, normal: Vector) -> float:
    """How much of the lamp's light a place gets; not above 0 where it is turned away."""
    lights = room.lights
    towards = Vector(lights.lamp_x, lights.lamp_y, lights.lamp_z).plus(place, -1).unit()
    return float(normal.dot(towards) * towards.z**lights.lamp_focus) if towards.z > 0 else 0.0


def _tile(x: float, y: float) -> tuple[int, int, float]:
    """The tile of a place: its column, twice its place in the column, and how near its middle (from -0.5 to 1)."""
    middles = [(n, 2 * m + n % 2) for n in (floor(x) - 1, floor(x), ceil(x), ceil(x) + 1) for m in _around(y)]
    n, m = min(middles, key=lambda at: (x - at[0]) ** 2 + (y - at[1] / 2) ** 2 * 4 / 3)
    return n, m, (cos(2 * pi * x) + 2 * cos(pi * x) * cos(2 * pi * y)) / 3


def _around(y: float) -> range:
    return range(floor(y) - 1, floor(y) + 3)


def _corners(
    room: Room, shape: int, size: float, place: Vector, normal: Vector
) -> Iterator[tuple[float, Vector, Vector]]:
    """The corners of the facet that a place of a round solid lies on: weight, place and normal of each."""
    radius, low, high = _round(room, shape, size)
    slice_, stack = 2 * pi / room.solids.slices, pi / room.solids.stacks
    around = atan2(normal.y, normal.x) / slice_
    is_upright = shape == 1 or (shape == 3 and abs(normal.z) < 1e-9)
    above = 0.0 if is_upright else asin(max(-1.0, min(1.0, normal.z))) / stack
    for i in (0, 1):
        for j in (0, 1):
            weight = abs(1 - i - around % 1) * abs(1 - j - above % 1)
            azimuth, latitude = (floor(around) + i) * slice_, (floor(above) + j) * stack
            if weight == 0:
                continue
            facing = Vector(cos(latitude) * cos(azimuth), cos(latitude) * sin(azimuth), sin(latitude))
            centre = place.z if is_upright else high if normal.z > 0 else low
            yield weight, Vector(0, 0, centre).plus(facing, radius), facing


def _round(room: Room, shape: int, size: float) -> tuple[float, float, float]:
    """Radius of a round solid, and the heights of the centres of its lower and upper half ball."""
    solids = room.solids
    if shape == 1:
        return solids.cylinder_radius * size, 0.0, solids.cylinder_height * size
    if shape == 2:
        return solids.ball_radius * size, solids.ball_radius * size, solids.ball_radius * size
    low = solids.pill_radius * size
    return low, low, low + solids.pill_length * size


def _solid_hits(room: Room, shape: int, size: float, ray: Ray) -> Iterator[Hit]:
    """Every place where a ray meets the surface of the solid from outside."""
    if shape == 0:
        yield from _cube_hits(room.solids.cube_half_edge * size, ray)
        return
    radius, low, high = _round(room, shape, size)
    if shape in {2, 3}:
        for centre in {low, high}:
            for hit in _ball_hits(radius, centre, ray):
                if low == high or (hit.normal.z >= 0 if centre == high else hit.normal.z <= 0):
                    yield hit
    if shape in {1, 3}:
        for hit in _side_hits(radius, ray):
            if low <= ray.at(hit.distance).z <= high:
                yield hit
    if shape == 1 and ray.direction.z:
        is_from_above = ray.direction.z < 0
        distance = ((high if is_from_above else low) - ray.origin.z) / ray.direction.z
        x, y, _ = ray.at(distance)
        if x * x + y * y <= radius * radius:
            yield Hit(distance, Vector(0, 0, 1 if is_from_above else -1))


def _cube_hits(half: float, ray: Ray) -> Iterator[Hit]:
    """Faces turned towards the ray whose square it goes through."""
    low, high = Vector(-half, -half, 0), Vector(half, half, 2 * half)
    for axis in range(3):
        speed = ray.direction[axis]
        if abs(speed) < 1e-12:
            continue
        distance = ((low if speed > 0 else high)[axis] - ray.origin[axis]) / speed
        place = ray.at(distance)
        if all(low[k] <= place[k] <= high[k] for k in range(3) if k != axis):
            yield Hit(distance, Vector(*((-1 if speed > 0 else 1) * (k == axis) for k in range(3))))


def _ball_hits(radius: float, centre: float, ray: Ray) -> Iterator[Hit]:
    away = ray.origin.plus(Vector(0, 0, centre), -1)
    along = away.dot(ray.direction)
    rest = along * along - away.dot(away) + radius * radius
    if rest >= 0:
        distance = -along - sqrt(rest)
        yield Hit(distance, _divide(ray.at(distance).plus(Vector(0, 0, centre), -1), radius))


def _side_hits(radius: float, ray: Ray) -> Iterator[Hit]:
    (x, y, _), (dx, dy, _) = ray.origin, ray.direction
    steepness = dx * dx + dy * dy
    along = x * dx + y * dy
    rest = along * along - steepness * (x * x + y * y - radius * radius)
    if steepness >= 1e-12 and rest >= 0:
        distance = (-along - sqrt(rest)) / steepness
        yield Hit(distance, _divide(ray.at(distance), radius)._replace(z=0.0))


def _first(hits: Iterator[Hit]) -> Hit | None:
    return min((hit for hit in hits if hit.distance >= CLOSE), default=None, key=lambda hit: hit.distance)


def _divide(vector: Vector, by: float) -> Vector:
    return Vector(vector.x / by, vector.y / by, vector.z / by)


def _cross(a: Vector, b: Vector) -> Vector:
    return Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
