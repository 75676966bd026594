"""Pictures of rooms, as arrays and as PNG files.

Each is cast with several rays a pixel and brought down to size with a Lanczos filter, as the published pictures were;
that is where the faint light line above their walls comes from.
"""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.rooms._kernels.raycast import LAYERS, cast_layers, paint_rooms
from deixis.worlds.rooms._room import DEGREES, HUE_LEVELS, ROOM, SCALE_FACTORS, SKY
from deixis.worlds.rooms.scene import RoomScene, factors_of


__all__ = ["GEOMETRIES", "MAX_SIZE", "SAMPLES", "SIZE", "draw_png", "draw_room", "draw_rooms", "encode_png"]

SIZE = 64  # pixels along a side, as published
SAMPLES = 4  # rays along each side of a pixel; with twelve, small pictures differ from these by 1.6 of 255 steps
MAX_SIZE, MAX_SAMPLES = 1024, 16
GEOMETRIES = 480  # scale, shape and orientation; pictures whose numbers differ by a multiple of it differ in hues alone
_LOBES = 3  # of the filter, in pixels to each side


def draw_rooms(ids: np.ndarray, *, size: int = SIZE, samples: int = SAMPLES) -> np.ndarray:
    """The pictures of many images: uint8 [image, row, column, channel], red, green, blue.

    Pictures that differ in hues alone share nearly all the work, and what they share is kept at the published size.

    Args:
        ids: integers [image], the numbers of images.
        size: pixels along a side.
        samples: rays along each side of a pixel.

    Raises:
        SchemaError: when a number is not that of an image, or a size cannot be drawn.
    """
    ids = np.asarray(ids)
    if ids.ndim != 1 or (ids.size and not np.issubdtype(ids.dtype, np.integer)):
        raise SchemaError(f"numbers of images are a list of integers, got {ids.dtype} of shape {ids.shape}")
    _demand(size, samples)
    factors = factors_of(ids)
    levels = np.array(HUE_LEVELS, np.uint8)[factors[:, :3]]  # [image, surface, channel]
    pictures = np.empty((len(ids), size * size, 3), np.uint8)
    geometry = np.asarray(ids, np.int64) % GEOMETRIES
    order = np.argsort(geometry, kind="stable")
    starts = np.flatnonzero(np.diff(geometry[order], prepend=-1))
    for places in np.split(order, starts[1:]) if len(ids) else ():
        layers = (_kept_layers if size <= SIZE else _layers)(int(geometry[places[0]]), size, samples)
        paint_rooms(layers.reshape(LAYERS, -1), levels[places], places, pictures)
    return pictures.reshape(len(ids), size, size, 3)


def draw_room(room: RoomScene | int, *, size: int = SIZE, samples: int = SAMPLES) -> np.ndarray:
    """The picture of one image: uint8 [row, column, channel]."""
    number = room.id if isinstance(room, RoomScene) else RoomScene(room).id
    return draw_rooms(np.array([number]), size=size, samples=samples)[0]


def draw_png(room: RoomScene | int, *, size: int = 256, samples: int = SAMPLES) -> bytes:
    """Draw one image as a PNG file, always with the same bytes."""
    return encode_png(draw_room(room, size=size, samples=samples))


def encode_png(picture: np.ndarray) -> bytes:
    """A picture, uint8 [row, column, channel], as a PNG file."""
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise SchemaError(f"a picture is uint8 [row, column, 3], got {picture.dtype} {list(picture.shape)}")
    rows, columns = picture.shape[:2]
    lines = np.concatenate(
        [np.zeros((rows, 1), np.uint8), picture.reshape(rows, -1)], axis=1
    )  # each begins: unfiltered
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)  # eight bits a channel, red, green, blue
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _layers(geometry: int, size: int, samples: int) -> np.ndarray:
    """What all pictures of one scale, shape and orientation share: int16 [layer, row, column]."""
    scale, shape, orientation = factors_of(np.array([geometry]))[0, 3:].tolist()
    layers = np.empty((LAYERS, size, size), np.int16)
    angle = np.radians(DEGREES[orientation])
    weights, totals = _filter(size, samples)
    numbers, sky = ROOM.numbers(), np.array(SKY) / 255
    cast_layers(numbers, sky, shape, SCALE_FACTORS[scale], float(angle), samples, weights, totals, layers)
    return layers


_kept_layers = lru_cache(maxsize=GEOMETRIES)(_layers)  # 172 kB each at the published size


def _filter(size: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights of rays around a pixel, and what they sum to for each pixel of a line."""
    ray = np.arange(-_LOBES * samples, (_LOBES + 1) * samples)
    away = (ray + 0.5) / samples - 0.5  # from the middle of the pixel, in pixels
    weights = np.where(np.abs(away) < _LOBES, np.sinc(away) * np.sinc(away / _LOBES), 0.0)
    first = np.arange(size)[:, None] * samples + ray
    totals = np.where((first >= 0) & (first < size * samples), weights, 0).sum(axis=1)
    return weights, totals


def _demand(size: int, samples: int) -> None:
    for name, value, most in (("size", size, MAX_SIZE), ("samples", samples, MAX_SAMPLES)):
        if type(value) is not int or not 1 <= value <= most:
            raise SchemaError(f"the {name} of a picture is a whole number from 1 to {most}, got {value!r}")
