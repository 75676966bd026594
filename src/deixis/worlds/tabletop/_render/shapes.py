"""The exact form of every solid, and scenes as rows of numbers for the compiled ray caster.

Sines and cosines come from a series of plain multiplications and not from the library of the system, whose last digit
differs between machines: so do all numbers of a picture, which then has the same bytes everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.worlds.tabletop._solids import HALF_HEIGHTS, SHAPES


if TYPE_CHECKING:
    from deixis.worlds.tabletop._solids import Camera, Solid, Tabletop


CUBE, SPHERE, CYLINDER, CONE, TORUS = range(len(SHAPES))
BEVEL = 0.13
"""Radius of a cube's rounded edges, as a share of half its height."""
RING_RADIUS, RING_THICKNESS = 0.8, 0.3
"""Of a torus: from its middle to the middle of its tube, and the radius of the tube, as shares of half a height."""

ROW = ("shape", "x", "y", "half", "cosine", "sine", "reach", "height", "middle", "bound")
"""The numbers of a solid: `reach` is the radius of the smallest upright circle around it, `middle` the height of its
middle, `bound` the radius of a sphere around it."""
VIEW = ("x", "y", "z", *(f"{axis}_{part}" for axis in ("right", "up", "forward") for part in "xyz"), "focal")
"""The numbers of a camera: where it stands, its three axes, and its focal length in widths of the picture."""

_REACHES = (2.0**0.5, 1.0, 1.0, 1.0, RING_RADIUS + RING_THICKNESS)
_HEIGHTS = (2.0, 2.0, 2.0, 2.0, 2 * RING_THICKNESS)


class Extent(NamedTuple):
    """The room that a solid takes, in units."""

    reach: float
    height: float


def extent_of(solid: Solid) -> Extent:
    """Return the radius of the smallest upright circle around a solid, and its height, in units."""
    half, shape = HALF_HEIGHTS[solid.size] / 1_000, SHAPES.index(solid.shape)
    return Extent(half * _REACHES[shape], half * _HEIGHTS[shape])


def rows_of(scene: Tabletop) -> np.ndarray:
    """The solids of a scene as float64 [solid, number], see `ROW`."""
    rows = np.empty((len(scene.solids), len(ROW)))
    for row, solid in zip(rows, scene.solids, strict=True):
        half, shape = HALF_HEIGHTS[solid.size] / 1_000, SHAPES.index(solid.shape)
        around = (cosine(solid.turn), sine(solid.turn))
        reach, height = extent_of(solid)
        bound = half if shape == SPHERE else (reach * reach + height * height / 4) ** 0.5
        row[:] = (shape, solid.x / 1_000, solid.y / 1_000, half, *around, reach, height, height / 2, bound)
    return rows


def view_of(camera: Camera) -> np.ndarray:
    """A camera that looks at the middle of the table as float64 [number], see `VIEW`."""
    along, aside = cosine(camera.azimuth), sine(camera.azimuth)
    level, rise = cosine(camera.elevation), sine(camera.elevation)
    distance = camera.distance / 1_000
    place = (distance * level * along, distance * level * aside, distance * rise)
    right, up = (-aside, along, 0.0), (-rise * along, -rise * aside, level)
    forward = (-level * along, -level * aside, -rise)
    half = camera.view / 2
    return np.array([*place, *right, *up, *forward, 0.5 * cosine(half) / sine(half)])


def sine(degrees: float) -> float:
    """The sine of an angle in degrees, the same to the last digit on every machine."""
    turn = degrees % 360
    if turn > 180:
        return -sine(turn - 180)
    if turn > 90:
        turn = 180 - turn
    if turn > 45:
        return _series(90 - turn, first=0)
    return _series(turn, first=1)


def cosine(degrees: float) -> float:
    """The cosine of an angle in degrees, the same to the last digit on every machine."""
    return sine(degrees + 90)


def _series(degrees: float, *, first: int) -> float:
    """Taylor's series of the sine, or of the cosine if it begins with the power 0, for angles up to 45 degrees."""
    angle = degrees * 0.017453292519943295
    term, total = (angle if first else 1.0), 0.0
    for power in range(first, 24, 2):
        total += term
        term *= -angle * angle / ((power + 1) * (power + 2))
    return total
