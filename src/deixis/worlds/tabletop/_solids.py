"""Solids on a table and the camera that sees them, as plain records of whole numbers.

Lengths are in thousandths of a unit and angles in degrees, so that a scene is the same on every machine and in every
file. One unit is CLEVR's: the table reaches from -3 to 3 along both axes, z points up, and the table top is z = 0.
"""

from __future__ import annotations

from dataclasses import dataclass


SHAPES = ("cube", "sphere", "cylinder", "cone", "torus")
COLORS = ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")
MATERIALS = ("matte", "shiny")
SIZES = ("small", "large")

HALF_HEIGHTS = {"small": 350, "large": 700}
"""Half the height of a solid by its size, except of the torus, which lies flat."""
TABLE_REACH = 3_000
"""How far from the middle of the table a solid may stand, along each axis."""
WIDTH, HEIGHT = 320, 240
"""Pixels of a picture unless something else is said: CLEVR's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solid:
    """One solid on the table.

    Attributes:
        shape: one of `SHAPES`.
        color: one of `COLORS`.
        material: one of `MATERIALS`.
        size: one of `SIZES`.
        x: position of its middle along the table's first axis, in thousandths.
        y: position along the second axis, in thousandths.
        turn: rotation about the vertical axis, in degrees.
    """

    shape: str
    color: str
    material: str
    size: str
    x: int
    y: int
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """A camera that looks at the middle of the table; by default the middle one of CLEVR's, which move a little.

    Attributes:
        azimuth: direction of the camera as seen from the middle, in degrees anticlockwise from the first axis.
        elevation: height above the table top, in degrees.
        distance: from the middle, in thousandths.
        view: horizontal angle of view, in degrees.
    """

    azimuth: int = 319
    elevation: int = 28
    distance: int = 11_200
    view: int = 49


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabletop:
    """Solids, and the camera that sees them; the order of the solids is their numbering."""

    solids: tuple[Solid, ...]
    camera: Camera = Camera()
