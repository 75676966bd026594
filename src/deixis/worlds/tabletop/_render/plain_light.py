"""The plain definition of a pixel's colour: which light reaches the places it shows, and what they send back.

Nothing is shared between pixels, as the compiled painter does, and every shadow is looked for. Colours and places are
arrays of three numbers.
"""

from __future__ import annotations

from math import floor, sqrt
from typing import TYPE_CHECKING

import numpy as np

from deixis.worlds.tabletop._render.light import HUES, LAMPS, SKY, sides_of
from deixis.worlds.tabletop._render.plain import Point, distance_to, look, normal_of, ray_through
from deixis.worlds.tabletop._render.shapes import BEVEL, RING_RADIUS, RING_THICKNESS, cosine, extent_of, sine
from deixis.worlds.tabletop._solids import HALF_HEIGHTS


if TYPE_CHECKING:
    from deixis.worlds.tabletop._render.light import Lamp
    from deixis.worlds.tabletop._solids import Solid, Tabletop


UP = np.array([0.0, 0.0, 1.0])
LIFT = 1e-5
PLACES = ((1, 5), (9, 15), (5, 11), (13, 1), (3, 13), (11, 7), (7, 3), (15, 9))  # in a pixel, in sixteenths
SPREAD = 1.3


class Pixel:
    """A pixel of a picture: which solids it and its neighbours show, and the light that comes from it."""

    def __init__(self, scene: Tabletop, ids: np.ndarray, x: int, y: int) -> None:
        self.scene, self.x, self.y = scene, x, y
        self.height, self.width = ids.shape
        self.shown = set(ids[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].flat)
        self.own = int(ids[y, x])

    def light(self) -> np.ndarray:
        """The mean light of its places, each at most 1."""
        if len(self.shown) > 1:
            places = 8
        else:
            places = 4 if self.own and self.scene.solids[self.own - 1].material == "shiny" else 1
        met = [self._look(place, places) for place in range(places)]
        total = np.zeros(3)
        bare = [where for number, where, _ in met if number == 0 and np.isfinite(where).all()]
        if bare:
            total += len(bare) * np.minimum(1.0, light_of_table(self.scene, np.mean(bare, axis=0), (self.x, self.y, 0)))
        total += (sum(number == 0 for number, *_ in met) - len(bare)) * np.array(SKY)
        for number in {seen for seen, *_ in met} - {0}:
            same = [place for place, one in enumerate(met) if one[0] == number]
            most = 4 if self.scene.solids[number - 1].material == "shiny" else 1
            lit = [self._light_of(met[place], place) for place in same[:most]]
            total += np.mean(np.minimum(1.0, lit), axis=0) * len(same)
        return total / places

    def _look(self, place: int, places: int) -> tuple[int, np.ndarray, np.ndarray]:
        """The number of what a place shows, where that is, and the direction of the ray."""
        column, row = self.x + 0.5, self.y + 0.5
        if places > 1:
            column += SPREAD * (PLACES[place][0] / 16 - 0.5)
            row += SPREAD * (PLACES[place][1] / 16 - 0.5)
        some = [n for n in range(len(self.scene.solids)) if n + 1 in self.shown]
        part = type(self.scene)(solids=tuple(self.scene.solids[n] for n in some), camera=self.scene.camera)
        sight = look(part, column, row, self.width, self.height)
        start, direction = (np.array(one) for one in ray_through(part.camera, column, row, self.width, self.height))
        distance = sight.distance if sight.id else -start[2] / direction[2] if direction[2] < -1e-3 else np.inf
        return (some[sight.id - 1] + 1 if sight.id else 0), start + distance * direction, direction

    def _light_of(self, met: tuple[int, np.ndarray, np.ndarray], place: int) -> np.ndarray:
        number, where, direction = met
        noise = self.x, self.y, place
        solid = self.scene.solids[number - 1]
        normal = soften(solid, where, np.array(normal_of(solid, Point(*where))))
        if solid.material == "matte":
            return hue(solid) * light_on_solid(self.scene, solid, where, normal, noise)
        u, v = (0.05 * (part / 16 - 0.5) for part in PLACES[place])
        mirror = direction - 2 * (direction @ normal) * normal + np.array([u, v, u if place % 2 else -v])
        return hue(solid) * mirror_light(self.scene, solid, where, mirror / length(mirror))


def light_of_table(scene: Tabletop, where: np.ndarray, noise: tuple[int, int, int]) -> np.ndarray:
    """The light that a place of the table sends back, of the lamps and the sky that it sees."""
    lamps = sum(
        light_of_lamp(lamp, where, UP) * seen_share(scene, None, lamp, where + LIFT * UP, noise) for lamp in LAMPS
    )
    return sky_on_table(scene, where) + lamps


def sky_on_table(scene: Tabletop, where: np.ndarray) -> np.ndarray:
    """Light of the sky on a place of the table, of which solids hide some and give back as much in their colours."""
    hidden = [gloom(solid, where) for solid in scene.solids]
    colors = sum((share * hue(solid) for share, solid in zip(hidden, scene.solids, strict=True)), np.zeros(3))
    return np.array(SKY) * (np.prod([1 - share for share in hidden]) + colors)


def light_on_solid(
    scene: Tabletop, solid: Solid, where: np.ndarray, normal: np.ndarray, noise: tuple[int, int, int]
) -> np.ndarray:
    """Light on a place of a solid: lamps, and what surrounds it."""
    lifted = where + LIFT * normal
    lamps = sum(light_of_lamp(lamp, where, normal) * seen_share(scene, solid, lamp, lifted, noise) for lamp in LAMPS)
    return surroundings(scene, solid, where, normal) + lamps


def light_of_lamp(lamp: Lamp, where: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Light of a lamp on a surface if nothing hides it: less with the square of the distance, and the more aslant."""
    way = np.array(lamp.place) - where
    return np.array(lamp.strength) * max(0.0, normal @ way) / length(way) ** 3


def surroundings(
    scene: Tabletop, solid: Solid, where: np.ndarray, normal: np.ndarray, *, near: bool = True
) -> np.ndarray:
    """Light on a place of a solid from the sky above, the table below and the solids around."""
    half = HALF_HEIGHTS[solid.size] / 1_000
    faced = (where + normal * (where[2] + 0.3 * half)) * [1, 1, 0]  # a place of the table
    table = np.array(SKY)
    for lamp in LAMPS:
        way = (np.array(lamp.place) - faced) * [1, 1, 0]
        table = table + light_of_lamp(lamp, faced, UP) * (0.55 + 0.45 * (normal @ way) / length(way))
    below = (0.5 - 0.5 * normal[2]) * min(1.0, 0.2 + 4 * where[2] / half)
    light = (0.5 + 0.5 * normal[2]) * np.array(SKY) + (below * table if normal[2] < 0.98 else 0)
    free, colors = 1.0, np.zeros(3)
    for other in scene.solids if near else ():
        radius = extent_of(other).height / 2
        way = np.array([other.x / 1_000, other.y / 1_000, radius]) - where
        hidden = min(0.8, max(0.0, normal @ way) * radius**2 / length(way) ** 3)
        if other is not solid and _is_near(solid, other):
            free, colors = free * (1 - hidden), colors + hidden * hue(other)
    return light * (free + colors)


def mirror_light(scene: Tabletop, solid: Solid, where: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Light that comes to a place of a shiny solid from a direction: a solid, the table, or the sky and its lamps."""
    others = tuple(one for one in scene.solids if one is not solid)
    found = [(walk(one, where, direction, 40.0), one) for one in others]
    distance, other = min(found, key=lambda one: one[0], default=(np.inf, solid))
    if distance < np.inf:
        place = where + distance * direction
        normal = np.array(normal_of(other, Point(*place)))
        light = surroundings(scene, other, place, normal, near=False)
        for lamp in LAMPS:
            if not is_hidden(_casters(scene, other, lamp), place + LIFT * normal, np.array(lamp.place)):
                light = light + light_of_lamp(lamp, place, normal)
        return hue(other) * light
    if direction[2] < -1e-3:
        place = where - where[2] / direction[2] * direction
        around = tuple(one for one in scene.solids if one is solid or _is_near(solid, one))
        light = sky_on_table(type(scene)(solids=around, camera=scene.camera), place)
        for lamp in LAMPS:
            if not (lamp.casts and is_hidden(around, place + LIFT * UP, np.array(lamp.place))):
                light = light + light_of_lamp(lamp, place, UP)
        return light * min(1.0, max(0.0, 2 - 2 * gloom(solid, place)))
    night = min(1.0, max(0.0, (direction[2] - 0.4) / 0.45))
    light = np.array(SKY) * (1 - 0.85 * night**2 * (3 - 2 * night))
    for lamp in LAMPS:
        way = np.array(lamp.place) - where
        close = direction @ way / length(way)
        light = light + 0.15 * max(0.0, (close - 0.8) / 0.2) ** 4 * np.array(lamp.strength)
        light = light + 6 * max(0.0, (close - 0.988) / 0.012) ** 2
    return light


def seen_share(scene: Tabletop, own: Solid | None, lamp: Lamp, where: np.ndarray, noise: tuple[int, int, int]) -> float:
    """The share of a lamp that is seen: all or none if that is so near its corners, else of sixteen places."""
    casters = _casters(scene, own, lamp)
    across, along = (np.array(side) for side in sides_of(lamp))
    corners = [np.array(lamp.place) + u * across + v * along for u in (-0.9, 0.9) for v in (-0.9, 0.9)]
    free = [not is_hidden(casters, where, corner) for corner in corners]
    if all(free) or not any(free):
        return float(all(free))
    x, y, place = noise
    shift_u, shift_v = ripple(x, y) + 0.618034 * place, ripple(y + 37, x + 17) + 0.754878 * place
    count = 0
    for number in range(16):
        u = (number + 0.5) / 16 + shift_u
        v = (int(f"{number:04b}"[::-1], 2) + 0.5) / 16 + shift_v
        spot = np.array(lamp.place) + (2 * (u % 1) - 1) * across + (2 * (v % 1) - 1) * along
        count += not is_hidden(casters, where, spot)
    return count / 16


def _casters(scene: Tabletop, own: Solid | None, lamp: Lamp) -> tuple[Solid, ...]:
    """The solids that cast shadows: a torus casts them on itself too."""
    return tuple(one for one in scene.solids if lamp.casts and (one is not own or one.shape == "torus"))


def is_hidden(casters: tuple[Solid, ...], where: np.ndarray, spot: np.ndarray) -> bool:
    """Return whether a solid comes between two places: for shadows a cube has sharp edges and is a little less wide."""
    way = spot - where
    return any(walk(one, where, way / length(way), length(way), is_shadow=True) < np.inf for one in casters)


def walk(solid: Solid, where: np.ndarray, direction: np.ndarray, farthest: float, *, is_shadow: bool = False) -> float:
    """The way to a solid in a direction, walking on by the distance from it, infinite where it is not met."""
    walked = 0.0
    while walked < farthest:
        place = where + walked * direction
        if place[2] > 2 and direction[2] > 0:
            return np.inf
        is_box = is_shadow and solid.shape == "cube"
        step = _to_box(solid, place) if is_box else distance_to(solid, Point(*place))
        if step < 1e-6:
            return walked
        walked += step
    return np.inf


def _to_box(solid: Solid, where: np.ndarray) -> float:
    """How far a place is from the cube that casts a shadow."""
    half = HALF_HEIGHTS[solid.size] / 1_000
    x, y = where[0] - solid.x / 1_000, where[1] - solid.y / 1_000
    c, s = cosine(solid.turn), sine(solid.turn)
    inner = half * (1 - BEVEL / 2)
    past = np.abs([c * x + s * y, c * y - s * x, where[2] - half]) - [inner, inner, half]
    return float(length(np.maximum(past, 0)) + min(past.max(), 0.0))


def gloom(solid: Solid, where: np.ndarray) -> float:
    """The share of the sky that a solid hides from a place on the table, fading with the distance.

    Exact for a sphere; for the others, what a wall or a tube of endless width would hide, and less the narrower it is.
    """
    half = HALF_HEIGHTS[solid.size] / 1_000
    x, y = where[0] - solid.x / 1_000, where[1] - solid.y / 1_000
    away, reach = sqrt(x * x + y * y), extent_of(solid).reach + 2.5 * half
    fade = max(0.0, 1 - (away / reach) ** 2)
    if solid.shape == "sphere":
        return fade * half**3 / sqrt(away**2 + half**2) ** 3
    if solid.shape == "torus":
        ring, tube = RING_RADIUS * half, RING_THICKNESS * half
        near, far = (tube**2 / (tube**2 + gap**2) for gap in (away - ring, away + ring))
        if away > ring:
            return fade * near * ring / sqrt(ring**2 + (away - ring) ** 2)
        return fade * min(0.9, 0.8 * near + 0.8 * far)
    gap, lean, width = max(0.0, away - half), 0.0, half
    if solid.shape == "cone":
        lean, width = half, 0.6 * half
    if solid.shape == "cube":
        c, s = cosine(solid.turn), sine(solid.turn)
        gap = sqrt(sum(max(0.0, abs(part) - half) ** 2 for part in (c * x + s * y, c * y - s * x)))
    wall = 1 - (gap + lean) / sqrt((gap + lean) ** 2 + 4 * half**2)
    return fade * 0.5 * wall * width / sqrt(width**2 + gap**2)


def soften(solid: Solid, where: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """The normal that light sees: flat faces lean outwards a little, as CLEVR's do, and rims look rounded."""
    half = HALF_HEIGHTS[solid.size] / 1_000
    out = (where - [solid.x / 1_000, solid.y / 1_000, half]) / half
    if solid.shape == "cube":
        out = out - (out @ normal) * normal
        bent = normal + 0.06 * out / sqrt(out @ out + 1e-4)
    elif solid.shape == "cylinder" and abs(normal[2]) > 0.5:
        away = sqrt(out[0] ** 2 + out[1] ** 2 + 1e-4)
        lean = 0.06 + max(0.0, (away - 0.9) / 0.1)
        bent = np.array([lean * out[0] / away, lean * out[1] / away, normal[2]])
    elif solid.shape == "cylinder":
        lean = max(0.0, (abs(out[2]) - 0.9) / 0.1)
        bent = np.array([normal[0], normal[1], lean if out[2] > 0 else -lean])
    else:
        bent = normal
    return bent / length(bent)


def ripple(x: int, y: int) -> float:
    """A number from 0 to 1 for every pixel, unlike its neighbours'."""
    value = 52.9829189 * ((0.06711056 * x + 0.00583715 * y) % 1)
    return value - floor(value)


def hue(solid: Solid) -> np.ndarray:
    """The shares of red, green and blue light that a solid gives back."""
    return np.array(HUES[solid.color]) / 255


def length(vector: np.ndarray) -> float:
    """The length of a vector."""
    return sqrt(vector @ vector)


def _is_near(solid: Solid, other: Solid) -> bool:
    """Whether one solid may darken another: what is farther away is left out."""
    reach, height = extent_of(solid)
    bound = height / 2 if solid.shape == "sphere" else sqrt(reach**2 + height**2 / 4)
    far = extent_of(other).reach + 2.5 * HALF_HEIGHTS[other.size] / 1_000 + bound
    return (solid.x - other.x) ** 2 + (solid.y - other.y) ** 2 < (1_000 * far) ** 2
