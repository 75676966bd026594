"""Reading the six factors off a picture, published or drawn here, by comparing it with drawings.

Hues are read where only one surface can be: the floor in the lower corners, the wall at the left and right edge, the
solid where even the smallest of every shape is. Orientation, shape and scale are those of the nearest drawing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.rooms._room import HUE_LEVELS
from deixis.worlds.rooms.draw import MAX_SIZE, draw_rooms
from deixis.worlds.rooms.scene import SIZES, RoomScene, ids_of


__all__ = ["RoomGuess", "decode_room", "picture_error"]

FLOOR = ((0.92, 1.0, 0.0, 0.3), (0.92, 1.0, 0.7, 1.0))  # top, bottom, left, right, as shares of the side
WALL = ((0.36, 0.56, 0.0, 0.2), (0.36, 0.56, 0.8, 1.0))
SOLID = ((0.68, 0.8, 0.45, 0.55),)
BESIDE = 0.3  # the share of columns at each side that hardly any solid reaches
NEIGHBOURS = 3  # orientations whose surroundings fit best are tried with every solid
SMALLEST = 16


class RoomGuess(NamedTuple):
    """The room in a picture, with the errors of the match."""

    room: RoomScene
    error: float  # root mean square difference to its drawing, in the 255 steps of a channel
    difference: float  # mean absolute difference to it, by which it was chosen
    runner_up: float  # mean absolute difference to the drawing with the next best shape, scale or orientation


def decode_room(picture: np.ndarray) -> RoomGuess:
    """The room that a picture shows.

    Args:
        picture: uint8 [row, column, channel], square, red, green, blue.

    Raises:
        SchemaError: when the array is no such picture.
    """
    picture = np.asarray(picture)
    _demand(picture)
    hues = [_hue(picture, regions) for regions in (FLOOR, WALL, SOLID)]
    orientations = _orientations(picture, hues)
    candidates = [
        (*hues, scale, shape, orientation)
        for orientation in orientations
        for shape in range(SIZES[4])
        for scale in range(SIZES[3])
    ]
    ids = ids_of(np.array(candidates))
    drawn = draw_rooms(ids, size=len(picture))
    differences = _difference(drawn, picture)
    best, second = np.argsort(differences, kind="stable")[:2]
    error = float(picture_error(drawn[best], picture))
    return RoomGuess(RoomScene(int(ids[best])), error, float(differences[best]), float(differences[second]))


def picture_error(pictures: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The root mean square difference of pictures, in the 255 steps of a channel.

    Shapes:
        pictures: uint8 [..., row, column, channel]; other: likewise, or one picture.
    """
    difference = pictures.astype(np.float64) - other
    return np.sqrt((difference * difference).mean(axis=(-3, -2, -1)))


def _difference(pictures: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The mean absolute difference; a few lines of pixels that are far off, as in a copied figure, count less here."""
    return np.abs(pictures.astype(np.float32) - other).mean(axis=(-3, -2, -1))


def _hue(picture: np.ndarray, regions: tuple[tuple[float, float, float, float], ...]) -> int:
    """The hue most pixels of some regions have, apart from how bright they are and any white in them."""
    side = len(picture)
    pieces = [
        picture[round(top * side) : round(bottom * side), round(left * side) : round(right * side)].reshape(-1, 3)
        for top, bottom, left, right in regions
    ]
    pixels = np.concatenate(pieces).astype(np.float64)
    pure = pixels - pixels.min(axis=1, keepdims=True)
    known = np.array(HUE_LEVELS, np.float64)
    likeness = pure @ (known / np.linalg.norm(known, axis=1, keepdims=True)).T
    return int(np.bincount(likeness.argmax(axis=1), minlength=len(known)).argmax())


def _orientations(picture: np.ndarray, hues: list[int]) -> list[int]:
    """The orientations whose walls and floor beside the solid look most like the picture's."""
    small_balls = ids_of(np.array([(*hues, 0, 2, orientation) for orientation in range(SIZES[5])]))
    edge = max(1, round(BESIDE * len(picture)))
    is_beside = np.r_[0:edge, len(picture) - edge : len(picture)]
    drawn = draw_rooms(small_balls, size=len(picture))
    differences = _difference(drawn[:, :, is_beside], picture[:, is_beside])
    return [int(number) for number in np.argsort(differences, kind="stable")[:NEIGHBOURS]]


def _demand(picture: np.ndarray) -> None:
    is_square = picture.ndim == 3 and picture.shape[0] == picture.shape[1] and picture.shape[2] == 3
    if not is_square or picture.dtype != np.uint8 or not SMALLEST <= len(picture) <= MAX_SIZE:
        raise SchemaError(
            f"a picture to decode is uint8 [size, size, 3] with {SMALLEST} to {MAX_SIZE} pixels a side, "
            f"got {picture.dtype} {list(picture.shape)}"
        )
