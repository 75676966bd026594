"""The light on the table and the colours of solids, as records and as numbers for the compiled painter.

Lamps and sky were fitted to what public CLEVR pictures show of their empty table, where the root mean square difference
is 4 %, and to the lamps that their shiny spheres mirror. All is linear light; 1 is the brightest that a picture shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.worlds.tabletop._solids import COLORS


if TYPE_CHECKING:
    from deixis.worlds.tabletop._solids import Tabletop


class Lamp(NamedTuple):
    """A square lamp that faces the middle of the table.

    Attributes:
        place: of its middle, in units.
        side: half its width.
        strength: light on a table one unit below it, in red, green and blue.
        casts: whether solids cast shadows in its light.
    """

    place: tuple[float, float, float]
    side: float
    strength: tuple[float, float, float]
    casts: bool = True


LAMPS = (
    Lamp((5.47, -2.19, 3.83), 0.5, (2.66, 2.49, 2.14)),
    Lamp((-0.53, 2.28, 3.60), 0.4, (0.91, 0.95, 0.97)),
    Lamp((-3.53, -2.84, 2.90), 0.4, (0.68, 0.73, 0.90)),
    Lamp((1.64, -0.16, 4.90), 0.4, (0.62, 0.53, 0.45), casts=False),
)
SKY = (0.134, 0.134, 0.133)
"""Light of the sky as the table gives it back; also what is seen above the horizon."""
HUES = {
    "gray": (87, 87, 87),
    "red": (173, 35, 35),
    "blue": (42, 75, 215),
    "green": (29, 105, 20),
    "brown": (129, 74, 25),
    "purple": (129, 38, 192),
    "cyan": (41, 208, 208),
    "yellow": (255, 238, 51),
}
"""CLEVR's colours: the shares of 255 of red, green and blue light that a solid gives back."""

LAMP_ROW = (
    "x",
    "y",
    "z",
    *(f"{side}_{part}" for side in ("across", "along") for part in "xyz"),
    *"rgb",
    "wide",
    "casts",
)
"""The numbers of a lamp: its middle, two vectors from there to the middles of its sides, its strength, how far its
corners are from its middle, and whether it casts shadows."""
LOOK_ROW = (*"rgb", "is_shiny")
"""The numbers of a solid's surface."""


def lamp_rows() -> np.ndarray:
    """The lamps as float64 [lamp, number], see `LAMP_ROW`."""
    rows = [(*one.place, *sum(sides_of(one), ()), *one.strength, one.side * 2**0.5, one.casts) for one in LAMPS]
    return np.array(rows)


def look_rows(scene: Tabletop) -> np.ndarray:
    """The surfaces of the solids of a scene as float64 [solid, number], see `LOOK_ROW`."""
    rows = [(*(share / 255 for share in HUES[one.color]), one.material == "shiny") for one in scene.solids]
    return np.array(rows, np.float64).reshape(len(scene.solids), len(LOOK_ROW))


def sides_of(lamp: Lamp) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Vectors from the middle of a lamp to the middles of two of its sides, at right angles to the way it faces."""
    x, y, z = lamp.place
    flat, far = (x * x + y * y) ** 0.5, (x * x + y * y + z * z) ** 0.5
    across = (y / flat, -x / flat, 0.0)
    along = (x * z / (flat * far), y * z / (flat * far), -flat / far)
    return tuple(lamp.side * part for part in across), tuple(lamp.side * part for part in along)


assert tuple(HUES) == COLORS
