"""Encoders of regions by name, and those without weights.

`handcrafted` is numpy only, the same on every machine. Of every cell of a region, 48 numbers: how much of it has each
of 24 colours (8 hues, dark and bright, and 8 greys); in which of 9 directions its edges run; how much of it has each of
10 local patterns (Ojala et al. 2002); its mean red, green and blue, how much its brightness varies, and how strong its
edges are. What comes late in a network is a random projection of a cell and its region, 256 numbers that are not below
zero.

`oracle` is what the scene graph says, with noise: an upper limit, and quick to compute. A path stands for a region
encoder that has learnt (`region_network`), or for regions as a detector saw them elsewhere; see
`worlds.photos.data._detected` for the files that are read.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from deixis.errors import RecipeError
from deixis.learn.run import find_checkpoint
from deixis.seeds import normals
from deixis.worlds.photos.data._detected import open_detector_features
from deixis.worlds.photos.training._lite0 import lite0_encoder, shares_of
from deixis.worlds.photos.training._looking import Looks, RegionEncoder
from deixis.worlds.photos.training._region_network import learnt_encoder
from deixis.worlds.photos.training._tiny import TINY


if TYPE_CHECKING:
    from deixis.worlds.photos.data._region_arrays import RegionArrays
    from deixis.worlds.photos.training._looking import Block


LOW, HIGH = 48, 256
HUES, GREYS, DIRECTIONS, PATTERNS = 8, 8, 9, 10
COLOURS = 2 * HUES + GREYS
DULL = 0.2  # the saturation below which a pixel is grey
SIDE = 4  # pixels of a square whose pixels are counted together
NEIGHBOURS = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))  # around a pixel, in order


def handcrafted_encoder(*, grid: int = 3, seed: int = 0) -> RegionEncoder:
    """Regions as colours, edges and textures.

    Args:
        grid: cells of a region, across and down.
        seed: of the random projection.
    """
    projection = normals(seed, np.arange(HIGH), 2 * LOW) / np.float32(np.sqrt(LOW))

    def look(block: Block, device: torch.device) -> Looks:
        regions, shares = block.regions, shares_of(block.regions)
        low = np.zeros((len(regions), LOW, grid * grid), np.float32)
        whole = np.zeros((regions.images, LOW, grid * grid), np.float32)
        everything = np.array([[0, 0, 1, 1]], np.float32)

        def see(number: int) -> None:
            picture, some = block.pictures[number], slice(*regions.first[number : number + 2].tolist())
            boxes = np.concatenate((everything, shares[some]))
            read = read_cells(planes_of(picture), picture.shape, boxes, grid)
            whole[number], low[some] = read[0], read[1:]

        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            list(threads.map(see, range(len(block.pictures))))
        both = np.concatenate((low, np.broadcast_to(low.mean(2, keepdims=True), low.shape)), 1)
        high = np.maximum(projection @ both, 0)
        return Looks(*(torch.from_numpy(one).to(device) for one in (low, high, whole)))

    return RegionEncoder("handcrafted", f"handcrafted-1-{grid}-{seed}", LOW, HIGH, grid * grid, look)


def planes_of(picture: np.ndarray) -> np.ndarray:
    """Compute the features of squares of four by four pixels, averaged over the pixels: float32 [plane, row, column].

    Planes are the colours, the directions (weighted by how strong the edge is), the patterns, red, green and blue, and
    brightness and its square.
    """
    height, width = picture.shape[:2]
    rows, columns = -(-height // SIDE), -(-width // SIDE)
    square = ((np.arange(height) // SIDE)[:, None] * columns + np.arange(width) // SIDE).ravel()
    pixels = picture.astype(np.float32) / 255
    brightness = pixels @ np.array((0.299, 0.587, 0.114), np.float32)
    direction, strength = _edges(brightness)
    count = np.bincount(square, minlength=rows * columns)

    def count_kinds(kind: np.ndarray, kinds: int, weight: np.ndarray | None = None) -> np.ndarray:
        where = kind.ravel().astype(np.int64) * (rows * columns) + square
        weights = None if weight is None else weight.ravel()
        return np.bincount(where, weights, kinds * rows * columns).reshape(kinds, -1) / count

    layers = np.concatenate((pixels, brightness[..., None], brightness[..., None] ** 2), 2)
    layers = np.pad(layers, ((0, rows * SIDE - height), (0, columns * SIDE - width), (0, 0)))
    means = layers.reshape(rows, SIDE, columns, SIDE, -1).sum((1, 3)).reshape(rows * columns, -1).T / count
    every = [
        count_kinds(_colours(picture), COLOURS),
        count_kinds(direction, DIRECTIONS, strength),
        count_kinds(_patterns(brightness), PATTERNS),
        means,
    ]
    return np.concatenate(every).reshape(-1, rows, columns).astype(np.float32)


def read_cells(planes: np.ndarray, shape: tuple[int, ...], shares: np.ndarray, grid: int) -> np.ndarray:
    """Compute the features of the cells of boxes: float32 [box, 48, cell].

    Shapes:
        planes: see `planes_of`. shape: of the picture. shares: float [box, 4] in shares of the picture.
    """
    count, rows, columns = planes.shape
    across = _weights(shares[:, 0] * shape[1] / SIDE, shares[:, 2] * shape[1] / SIDE, columns, grid)
    down = _weights(shares[:, 1] * shape[0] / SIDE, shares[:, 3] * shape[0] / SIDE, rows, grid)
    read = planes.reshape(count * rows, columns) @ across.reshape(-1, columns).T
    read = read.reshape(count, rows, len(shares), grid).transpose(2, 1, 0, 3).reshape(len(shares), rows, count * grid)
    means = (down @ read).reshape(len(shares), grid, count, grid).transpose(0, 2, 1, 3)
    means = means.reshape(len(shares), count, grid * grid)
    colours, edges, patterns, paint, light, square = np.split(
        means, np.cumsum((COLOURS, DIRECTIONS, PATTERNS, 3, 1)), axis=1
    )
    strength = edges.sum(1, keepdims=True)
    varies = np.sqrt(np.maximum(square - light**2, 0))
    return np.concatenate((colours, edges / np.maximum(strength, 1e-6), patterns, paint, varies, strength), 1)


def _weights(start: np.ndarray, side: np.ndarray, squares: int, grid: int) -> np.ndarray:
    """Return the share of every cell of a box in every square, in one direction: float32 [box, grid, square]."""
    bounds = start[:, None] + side[:, None] * np.arange(grid + 1) / grid
    bounds = np.clip(bounds, 0, squares)
    place = np.arange(squares)
    overlap = np.minimum(bounds[:, 1:, None], place + 1) - np.maximum(bounds[:, :-1, None], place)
    overlap = np.maximum(overlap, 0)
    return (overlap / np.maximum(overlap.sum(2, keepdims=True), 1e-6)).astype(np.float32)


def _colours(picture: np.ndarray) -> np.ndarray:
    """The number of the colour of every pixel: greys by how bright they are, others by hue, dark ones first."""
    red, green, blue = (np.ascontiguousarray(picture[..., k], np.int32) for k in range(3))
    most, least = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    spread = most - least
    above = np.where(most == red, green - blue, np.where(most == green, blue - red, red - green))
    begins = np.where(most == red, 6, np.where(most == green, 2, 4)).astype(np.float32)
    hue = begins + above.astype(np.float32) / np.maximum(spread, 1).astype(
        np.float32
    )  # in sixths of the circle, red at 6
    sector = (hue * np.float32(HUES / 6) + np.float32(0.5)).astype(np.int32) % HUES  # red lies amid the first
    is_bright = (most >= 128).astype(np.int32)
    is_grey = spread < DULL * np.maximum(most, 1)
    return np.where(is_grey, 2 * HUES + most * GREYS // 256, sector + HUES * is_bright)


def _edges(brightness: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the gradient of brightness at every pixel in 9 undirected orientations."""
    padded = np.pad(brightness, 1, mode="edge")
    across = padded[1:-1, 2:] - padded[1:-1, :-2]
    down = padded[2:, 1:-1] - padded[:-2, 1:-1]
    angle = np.arctan2(down, across) % np.pi
    return np.minimum((angle * (DIRECTIONS / np.pi)).astype(np.int32), DIRECTIONS - 1), np.hypot(across, down)


def _patterns(brightness: np.ndarray) -> np.ndarray:
    """The local pattern of every pixel: how many neighbours are as bright, where these stand together; else 9."""
    padded = np.pad(brightness, 1, mode="edge")
    height, width = brightness.shape
    bits = np.stack(
        [
            padded[1 + down : 1 + down + height, 1 + across : 1 + across + width] >= brightness - 1e-4
            for down, across in NEIGHBOURS
        ]
    )
    changes = (bits != np.roll(bits, 1, 0)).sum(0)
    return np.where(changes <= 2, bits.sum(0), PATTERNS - 1)


class Noise(NamedTuple):
    """The spread of what is added to the ones and zeros of `oracle`.

    Attributes:
        attributes: on attributes.
        categories: on categories; None for as much as on attributes.
    """

    attributes: float = 0.25
    categories: float | None = None


NOISE = Noise()


def oracle_encoder(regions: RegionArrays, *, noise: Noise = NOISE, seed: int = 0) -> RegionEncoder:
    """A one for the category of a region and for each of its attributes, zeros elsewhere, and noise on all of them.

    Args:
        regions: whose categories and attributes have a place.
        noise: the spread of the noise.
        seed: of the noise.
    """
    on_attributes = noise.attributes
    on_categories = on_attributes if noise.categories is None else noise.categories
    for spread in (on_attributes, on_categories):
        if not isfinite(spread) or spread < 0:
            raise RecipeError(f"noise is 0 or more, got {spread}")
    names, channels = len(regions.names), len(regions.names) + len(regions.words)

    def look(block: Block, device: torch.device) -> Looks:
        some = block.regions
        seen = normals(seed, block.row + np.arange(len(some)), channels)
        seen[:, :names] *= on_categories
        seen[:, names:] *= on_attributes
        seen[np.arange(len(some)), some.category] += 1
        whose = np.repeat(np.arange(len(some)), np.diff(some.attr_ptr))
        seen[whose, names + some.attr] += 1
        whole = np.zeros((some.images, channels), np.float32)
        np.add.at(whole, some.image, seen)
        whole /= np.maximum(np.diff(some.first), 1)[:, None]
        high = torch.from_numpy(seen)[..., None].to(device)
        return Looks(high, high, torch.from_numpy(whole)[..., None].to(device))

    digest = f"oracle-1-{on_attributes!r}-{seed}" + ("" if on_categories == on_attributes else f"-{on_categories!r}")
    return RegionEncoder("oracle", digest, channels, channels, 1, look, needs_pictures=False, is_one=True)


def detector_encoder(path: Path, regions: RegionArrays) -> RegionEncoder:
    """Regions as the files at a path describe them.

    Args:
        path: a file or a folder.
        regions: of all images; a file with a row for each region must have as many rows.
    """
    seen = open_detector_features(path, len(regions))

    def look(block: Block, device: torch.device) -> Looks:
        some = block.regions
        low, high = seen.rows(block.row, some)
        whole = np.zeros((some.images, *low.shape[1:]), np.float32)
        np.add.at(whole, some.image, low)
        whole /= np.maximum(np.diff(some.first), 1)[:, None, None]
        return Looks(*(torch.from_numpy(one).to(device) for one in (low, high, whole)))

    return RegionEncoder(
        "detector", seen.digest, seen.low, seen.high, seen.cells, look, needs_pictures=False, is_one=seen.is_one
    )


ENCODERS = ("lite0", "handcrafted", "oracle")
MOST_CELLS = 16  # across and down


def find_region_encoder(
    name: str,
    device: torch.device,
    *,
    regions: RegionArrays,
    grid: int = 3,
    weights: Path | None = None,
    noise: Noise = NOISE,
    seed: int = 0,
) -> RegionEncoder:
    """The encoder of a name.

    Args:
        name: one of `ENCODERS`, a run or checkpoint of a region encoder, or a file or folder with what a detector saw;
            `tiny` has to learn first.
        device: where it is to be.
        regions: that it will look at.
        grid: cells of a region, across and down, where pictures are looked at.
        weights: a file with weights for `lite0`; those of the package that brings them by default.
        noise: of `oracle`.
        seed: of whatever is random.

    Raises:
        RecipeError: when there is none of that name, or its weights are missing.
        BrokenCheckpoint, BrokenDataset: when its file is not what it should be.
    """
    if not 1 <= grid <= MOST_CELLS:
        raise RecipeError(f"a region has 1 to {MOST_CELLS} cells across and down, got {grid}")
    if name == "lite0":
        return lite0_encoder(weights, device, grid=grid)
    if name == "handcrafted":
        return handcrafted_encoder(grid=grid, seed=seed)
    if name == "oracle":
        return oracle_encoder(regions, noise=noise, seed=seed)
    if not Path(name).exists():
        known = f"{', '.join(ENCODERS)}, {TINY}, or the path of a region encoder or of what a detector saw"
        raise RecipeError(f"unknown encoder {name!r}; known: {known}")
    if (checkpoint := find_checkpoint(Path(name))) is not None:
        return learnt_encoder(checkpoint, device, grid=grid)
    return detector_encoder(Path(name), regions)
