"""Ids, masks and boxes of the solids that a picture shows, and the share of each that is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.tabletop._render._kernels.rays import cast_ids
from deixis.worlds.tabletop._render.shapes import rows_of, view_of
from deixis.worlds.tabletop._solids import HEIGHT, WIDTH


if TYPE_CHECKING:
    from deixis.worlds.tabletop._solids import Camera, Tabletop


MAX_SIDE, MAX_SOLIDS = 4_096, 63


def draw_ids(scene: Tabletop, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """The solid that the middle of every pixel shows: uint8 [row, column], one more than its number, 0 for none.

    The horizontal angle of view is the camera's at every size; a higher picture shows more above and below.
    """
    return _cast(scene, width, height)[0]


def visible_shares(scene: Tabletop, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """The share of every solid's own silhouette that is seen: float64 [solid].

    Its own silhouette is what it would show alone in a picture without borders: whatever other solids or the borders
    hide counts as not seen.
    """
    _, seen, whole = _cast(scene, width, height)
    return seen / np.maximum(whole, 1)


def masks(ids: np.ndarray, count: int) -> np.ndarray:
    """The pixels that show each of `count` solids: bool [solid, row, column]."""
    return ids[None] == np.arange(1, count + 1)[:, None, None]


def boxes(ids: np.ndarray, count: int) -> np.ndarray:
    """The smallest boxes around what is seen of `count` solids: int64 [solid, 4], as x, y, width, height.

    A solid that is not seen has the box 0, 0, 0, 0.
    """
    found = np.zeros((count, 4), np.int64)
    for box, mask in zip(found, masks(ids, count), strict=True):
        if mask.any():
            columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
            box[:] = columns[0], rows[0], columns[-1] + 1 - columns[0], rows[-1] + 1 - rows[0]
    return found


def project(camera: Camera, points: np.ndarray, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """The places of points in a picture: float64 [..., 3], as column, row and distance ahead of the camera.

    The middle of the upper left pixel is (0.5, 0.5). What lies behind the camera has a distance below 0.

    Args:
        camera: the camera.
        points: float [..., 3], in units; the table is z = 0.
        width: of the picture, in pixels.
        height: of the picture, in pixels.
    """
    view = view_of(camera)
    x, y, z = (np.asarray(points, np.float64)[..., k] - view[k] for k in range(3))
    across, up, ahead = (x * view[k] + y * view[k + 1] + z * view[k + 2] for k in (3, 6, 9))
    focal = view[12] * width
    return np.stack([0.5 * width + focal * across / ahead, 0.5 * height - focal * up / ahead, ahead], axis=-1)


def _cast(scene: Tabletop, width: int, height: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ids, seen pixels and pixels of the whole silhouette."""
    demand(scene, width, height)
    ids, depths = np.empty((height, width), np.uint8), np.empty((height, width))
    seen, whole = np.empty((2, len(scene.solids)), np.int64)
    cast_ids(rows_of(scene), view_of(scene.camera), ids, depths, seen, whole)
    return ids, seen, whole


def demand(scene: Tabletop, width: int, height: int) -> None:
    """Raise `SchemaError` where a scene or a size cannot be drawn."""
    for name, value in (("width", width), ("height", height)):
        if type(value) is not int or not 1 <= value <= MAX_SIDE:
            raise SchemaError(f"the {name} of a picture is a whole number from 1 to {MAX_SIDE}, got {value!r}")
    if len(scene.solids) > MAX_SOLIDS:
        raise SchemaError(f"a picture shows up to {MAX_SOLIDS} solids, got {len(scene.solids)}")
