"""The room of 3D Shapes in numbers: camera, walls, solids, light and tiles.

The published pictures were made with MuJoCo, but the scene was not published. These numbers were fitted to fifty of the
pictures, all at once, by least squares on the pixels; fitted to one half of them, they do nearly as well on the other.
Lengths are in a unit in which the camera is four away from the solid; only ratios matter. The origin lies on the floor
under the solid, x to the right and y away from a camera at orientation 0, z upwards.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis.worlds.rooms._kernels.raycast import FIELDS


if TYPE_CHECKING:
    from collections.abc import Iterator


SCALE_FACTORS = tuple(np.linspace(0.75, 1.25, 8).tolist())
DEGREES = tuple(np.linspace(-30, 30, 15).tolist())
SKY = (153, 226, 249)  # red, green, blue: the same in every picture
# Red, green and blue of every hue at full saturation and value, in fifths: hues lie 36 degrees apart, so that each
# channel is a multiple of a fifth.
HUE_LEVELS = (
    (5, 0, 0),
    (5, 3, 0),
    (4, 5, 0),
    (1, 5, 0),
    (0, 5, 2),
    (0, 5, 5),
    (0, 2, 5),
    (1, 0, 5),
    (4, 0, 5),
    (5, 0, 3),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """The camera, on a ring around the solid and always pointed at it.

    Attributes:
        distance: from the axis of the ring, by definition of the unit.
        height: above the floor; found from where the solid touches the floor and where the floor meets the wall.
        target_height: of the point it looks at, a little above its own: the view rises by 0.8 degrees.
        focal_length: in widths of the picture, which is an angle of 51 degrees; the columns in which the corner of the
            room is seen at the first five orientations tie it to the width of the room.
    """

    distance: float = 4.0
    height: float = 1.1798
    target_height: float = 1.2326
    focal_length: float = 1.0417


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """A square room without a ceiling.

    Attributes:
        half_width: from the middle to a wall.
        wall_height: of all walls; above is the sky.
    """

    half_width: float = 6.2314
    wall_height: float = 3.6735


@dataclass(frozen=True, slots=True, kw_only=True)
class Solids:
    """The solids at scale 1, standing on the floor.

    Left free, the gap below them came out within 0.005 of none.

    Attributes:
        cube_half_edge: of the cube, whose faces are parallel to the walls.
        cylinder_radius: of the cylinder.
        cylinder_height: as much as it is wide.
        ball_radius: of the ball.
        pill_radius: of the pill and its two half balls.
        pill_length: of its straight part.
        slices: facets around; the edge of the lamp's light on a round solid is as wide as one.
        stacks: facets from pole to pole.
    """

    cube_half_edge: float = 0.5757
    cylinder_radius: float = 0.6168
    cylinder_height: float = 1.2301
    ball_radius: float = 0.6970
    pill_radius: float = 0.5332
    pill_length: float = 1.1211
    slices: float = 28  # MuJoCo's own
    stacks: float = 16  # likewise


@dataclass(frozen=True, slots=True, kw_only=True)
class Lights:
    """A lamp that belongs to the room, a light that goes with the camera, and light from everywhere.

    The lamp hangs behind the solid to the left and shines straight down in a cone, so that the floor is darkest far
    right, shadows fall right and to the front, and the side of a solid that is lit changes as the camera turns. Three
    kinds of lamp were fitted: with this one, pixels of published pictures that were copied faithfully are 4.6 of 255
    steps off (root mean square), with one whose shadows are cast by parallel rays 5.9, and with one that turns with the
    camera 7.5.

    Attributes:
        lamp_x: where it hangs.
        lamp_y: likewise.
        lamp_z: how high.
        lamp_focus: its light falls off with this power of the cosine of the angle to straight down (MuJoCo's own 10).
        lamp_strength: what it adds to a surface that faces it, right below.
        lamp_gloss: the white it adds to any part of a solid that is turned towards it.
        ambient: light from everywhere on floor and solid; all that reaches the floor in the shadow.
        headlight: what a solid's surface gets from the camera's side when it faces the camera.
        wall_ambient: light from everywhere on the walls.
        wall_headlight: as `headlight`, for walls.
    """

    lamp_x: float = -2.5659
    lamp_y: float = 0.8821
    lamp_z: float = 13.0777
    lamp_focus: float = 10.0
    lamp_strength: float = 0.9498
    lamp_gloss: float = 0.1213
    ambient: float = 0.3410
    headlight: float = 0.6070
    wall_ambient: float = 0.3500
    wall_headlight: float = 0.5867


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiles:
    """Six-sided tiles on floor and walls, brighter in their middles.

    In every square of 10 by 8, five are stained.

    The pattern showed when what the picture and a bare rendering differ by was averaged at every place of the room.

    Attributes:
        wall_column: from one column of tiles to the next, along the wall.
        wall_cell: from one tile of a column to the next, upwards.
        wall_relief: by how much the middle of a tile is brighter.
        floor_column: as on the wall; columns of the floor run across.
        floor_cell: likewise.
        floor_relief: likewise.
        stain: by how much a stained tile is darker.
    """

    wall_column: float = 0.3532
    wall_cell: float = 0.4522
    wall_relief: float = 0.0196
    floor_column: float = 0.3266
    floor_cell: float = 0.4094
    floor_relief: float = 0.0321
    stain: float = 0.0531


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Everything that a picture depends on beside its factors."""

    camera: Camera = Camera()
    walls: Walls = Walls()
    solids: Solids = Solids()
    lights: Lights = Lights()
    tiles: Tiles = Tiles()

    def numbers(self) -> np.ndarray:
        """The row for the kernels: float64, in the order of `worlds.rooms._kernels.raycast.FIELDS`."""
        known = dict(self._fields())
        return np.array([known[name] for name in FIELDS])

    def _fields(self) -> Iterator[tuple[str, float]]:
        for record in (self.camera, self.walls, self.solids, self.lights, self.tiles):
            yield from asdict(record).items()


ROOM = Room()
