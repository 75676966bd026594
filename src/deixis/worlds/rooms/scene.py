"""Rooms of 3D Shapes: one object in front of a wall, told by six factors, so that a scene is one integer.

The images are numbered in the order of the original file: floor hue slowest, orientation fastest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import SchemaError
from deixis.scene.scene import Point
from deixis.schema import Attribute, Schema


if TYPE_CHECKING:
    from typing import Self


__all__ = [
    "FACTORS",
    "HUES",
    "IMAGES",
    "ORIENTATIONS",
    "PLACES",
    "ROOMS",
    "SCALES",
    "SIZES",
    "SOLIDS",
    "RoomScene",
    "factors_of",
    "ids_of",
]

FACTORS = ("floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation")
SIZES = (10, 10, 10, 8, 4, 15)  # how many values each has
IMAGES = 480_000
STRIDES = (48_000, 4_800, 480, 60, 15, 1)

HUES = ("red", "orange", "yellow", "green", "light green", "cyan", "medium blue", "dark blue", "purple", "pink")
SCALES = ("tiny", "small", "medium-sized", "middle-sized", "big", "large", "huge", "giant")
SOLIDS = ("block", "cylinder", "ball", "pill")
ORIENTATIONS = tuple(f"{degrees:+.1f}°" for degrees in np.linspace(-30, 30, 15).round(1).tolist())  # of the camera
PLACES = (  # what captions say about an orientation: fifteen of them share eleven phrases
    "in the right corner",
    "on the right",
    "close to the right side",
    "near the right corner",
    "close to the middle",
    "nearly in the middle",
    "in the middle",
    "in the middle",
    "in the middle",
    "nearly in the middle",
    "close to the middle",
    "near the left corner",
    "close to the left side",
    "on the left",
    "in the left corner",
)
ROOMS = Schema(
    name="3D Shapes",
    attributes=(
        Attribute(name="floor_hue", values=HUES),
        Attribute(name="wall_hue", values=HUES),
        Attribute(name="object_hue", values=HUES),
        Attribute(name="scale", values=SCALES),
        Attribute(name="shape", values=SOLIDS, is_head=True),
        Attribute(
            name="orientation",
            values=(*ORIENTATIONS, *dict.fromkeys(PLACES)),
            broader=tuple(zip(ORIENTATIONS, PLACES, strict=True)),
        ),
    ),
)
_VALUES = (HUES, HUES, HUES, SCALES, SOLIDS, ORIENTATIONS)


@dataclass(frozen=True, slots=True)
class RoomScene:
    """One room with one object: the image of a number from 0 to 479,999."""

    id: int

    def __post_init__(self) -> None:
        if type(self.id) is not int or not 0 <= self.id < IMAGES:
            raise SchemaError(f"images of 3D Shapes are numbered from 0 to {IMAGES - 1:,}, got {self.id!r}")

    @classmethod
    def of(cls, floor_hue: int, wall_hue: int, object_hue: int, scale: int, shape: int, orientation: int) -> Self:
        """The room with these factors, each the number of a value."""
        factors = (floor_hue, wall_hue, object_hue, scale, shape, orientation)
        for name, value, size in zip(FACTORS, factors, SIZES, strict=True):
            if type(value) is not int or not 0 <= value < size:
                raise SchemaError(f"{name} has values from 0 to {size - 1}, got {value!r}")
        return cls(sum(value * stride for value, stride in zip(factors, STRIDES, strict=True)))

    @property
    def factors(self) -> tuple[int, ...]:
        """The six factors, each the number of its value."""
        return tuple(self.id // stride % size for stride, size in zip(STRIDES, SIZES, strict=True))

    @property
    def digest(self) -> str:
        """A name for everything in it."""
        return f"room {self.id}"

    @property
    def schema(self) -> Schema:
        """The schema of rooms."""
        return ROOMS

    def __len__(self) -> int:
        return 1

    def values(self, index: int, attribute: str) -> frozenset[str]:
        """Return the value of a factor.

        The orientation is recorded in degrees, which its phrase covers.
        """
        self._demand(index)
        number = ROOMS.attribute_code(attribute)
        return frozenset((_VALUES[number][self.factors[number]],))

    def related(self, relation: str, index: int, other: int) -> bool:
        """A room has one object and no relations."""
        raise SchemaError(f"rooms of 3D Shapes have no relations, so not {relation!r} of {index} and {other}")

    def position(self, index: int) -> Point:
        """The object stands in the middle."""
        self._demand(index)
        return Point(0.0, 0.0)

    def __str__(self) -> str:
        floor, wall, hue, scale, shape, place = self.factors
        room = f"in front of a {HUES[wall]} wall on {HUES[floor]} floor"
        return f"{SCALES[scale]} {HUES[hue]} {SOLIDS[shape]} {PLACES[place]} {room}"

    @staticmethod
    def _demand(index: int) -> None:
        if index != 0:
            raise SchemaError(f"a room of 3D Shapes has one object, number 0, got {index}")


def factors_of(ids: np.ndarray) -> np.ndarray:
    """The factors of many images: uint8 [..., 6]."""
    ids = np.asarray(ids)
    if not _are_whole(ids):
        raise SchemaError("images of 3D Shapes have whole numbers; some number here is not")
    if ids.size and (ids.min() < 0 or ids.max() >= IMAGES):
        raise SchemaError(f"images of 3D Shapes are numbered from 0 to {IMAGES - 1:,}, got {ids.min()} to {ids.max()}")
    return np.stack([ids // stride % size for stride, size in zip(STRIDES, SIZES, strict=True)], axis=-1).astype(
        np.uint8
    )


def ids_of(factors: np.ndarray) -> np.ndarray:
    """The numbers of images with these factors: int64 [...], from integers [..., 6]."""
    factors = np.asarray(factors)
    if not _are_whole(factors):
        raise SchemaError("factors are whole numbers, each the number of a value; some number here is not")
    if factors.shape[-1:] != (len(FACTORS),) or (factors.size and (factors < 0).any()):
        raise SchemaError(f"an image has six factors, none below 0, got an array of shape {factors.shape}")
    if factors.size and (factors >= np.array(SIZES)).any():
        raise SchemaError(f"the six factors have {SIZES} values; some number lies beyond them")
    return (factors.astype(np.int64) * np.array(STRIDES)).sum(axis=-1)


def _are_whole(values: np.ndarray) -> bool:
    """Whether all are numbers without a fraction; NaN and the infinite ones are not."""
    if values.dtype.kind in "iu":
        return True
    return values.dtype.kind == "f" and bool((np.isfinite(values) & (values == np.trunc(values))).all())
