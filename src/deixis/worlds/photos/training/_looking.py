"""Looking at regions: what an encoder is, and what it makes of the images of a dataset, some at a time.

| encoder | |
|---|---|
| `lite0` | EfficientNet-Lite0 with weights from ImageNet, see `lite0` |
| `handcrafted` | colours, edges and textures, without weights, see `encoders` |
| `oracle` | what the scene graph says, with noise, as an upper limit, see `encoders` |
| a run of `region-encoder` | a network that has learnt categories and attributes, see `region_network` |
| another path | an HDF5 file or a folder of GQA with what a detector saw, see `encoders` |
| `tiny` | a network that learns together with the model, see `tiny` and `sight` |

`roi_align` is RoIAlign (He et al. 2017): what a map of features holds inside a box, read at points between its cells.
Reading between cells is linear in each direction on its own, and so is the mean over points. So the whole is two
products of matrices for each image, which a GPU does at once and through which gradients flow.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.photos.data._photographs import decode_picture, read_pictures


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from deixis.learn.run import Progress
    from deixis.worlds.photos.data._region_arrays import RegionArrays
    from deixis.worlds.photos.data.store import CopsRef


BLOCK = 64  # images at a time
AHEAD = 2  # blocks whose pictures are read meanwhile, at least
PARTS = ("low", "high", "whole")
DTYPE = np.dtype("<f2")


@dataclass(frozen=True)
class Block:
    """Some images that follow each other.

    Attributes:
        regions: of these images alone; rows are numbered from 0.
        row: the number of the first of these rows among all.
        pictures: of each image uint8 [row, column, 3]; empty where nobody asks.
    """

    regions: RegionArrays
    row: int
    pictures: tuple[np.ndarray, ...] = ()


class Looks(NamedTuple):
    """The features of regions and of their images.

    Shapes:
        low, high: float [region, channel, cell], early and late in an encoder.
        whole: float [image, channel, cell], early in it.
    """

    low: Tensor
    high: Tensor
    whole: Tensor


@dataclass(frozen=True)
class RegionEncoder:
    """Something that turns regions into numbers.

    Attributes:
        name: what to call it; digest: of its weights and settings.
        low, high: how many channels there are; cells: of a region.
        look: what the regions of some images look like.
        needs_pictures: whether it looks at pictures.
        is_one: whether early and late are the same, so that they are kept once.
        blocks: of images that it looks at together.
        learnt_from: digests of the pictures that it has learnt from.
    """

    name: str
    digest: str
    low: int
    high: int
    cells: int
    look: Callable[[Block, torch.device], Looks]
    needs_pictures: bool = True
    is_one: bool = False
    blocks: int = 1
    learnt_from: frozenset[str] = frozenset()


def shapes_of(regions: RegionArrays, encoder: RegionEncoder) -> dict[str, tuple[int, int, int]]:
    """The shapes of the parts that are kept of some regions: `low` only where it is not `high`."""
    shapes = {
        "low": (len(regions), encoder.low, encoder.cells),
        "high": (len(regions), encoder.high, encoder.cells),
        "whole": (regions.images, encoder.low, encoder.cells),
    }
    if encoder.is_one:
        del shapes["low"]
    return shapes


@torch.no_grad()
def looks_of(
    regions: RegionArrays,
    encoder: RegionEncoder,
    device: torch.device,
    dataset: CopsRef | None,
    start: int,
    *,
    size: int = BLOCK,
    progress: Progress | None = None,
) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    """Yield for every block of images the number of the first one and the features, in float16.

    Args:
        regions: of all images.
        encoder: what looks at them.
        device: where that is computed.
        dataset: where the pictures are.
        start: the image to begin with, the first of a block.
        size: images of a block.
        progress: told how far things are.
    """
    pictures = None
    if encoder.needs_pictures and dataset:
        pictures = picture_blocks(dataset, start, regions.images, size=size, ahead=max(AHEAD, encoder.blocks))
    for first in range(start, regions.images, size * encoder.blocks):
        images = np.arange(first, min(first + size * encoder.blocks, regions.images))
        starts = range(0, len(images), size)
        seen = tuple(one for _ in starts for one in next(pictures)) if pictures else ()
        block = Block(regions.some(images), int(regions.first[first]), seen)
        found = _check(encoder.look(block, device), block, encoder, first)
        for begin in starts:
            end = min(begin + size, len(images))
            rows = slice(int(block.regions.first[begin]), int(block.regions.first[end]))
            yield (
                first + begin,
                {part: some[begin:end] if part == "whole" else some[rows] for part, some in found.items()},
            )
            if progress:
                progress("looking at regions", first + end, regions.images, encoder.name)


def _check(looks: Looks, block: Block, encoder: RegionEncoder, first: int) -> dict[str, np.ndarray]:
    """Return the features of a block in float16, as which they leave the device; `first` is its first image."""
    found = {}
    for part, wanted in shapes_of(block.regions, encoder).items():
        some: Tensor = getattr(looks, part)
        if tuple(some.shape) != wanted:
            raise RecipeError(f"the encoder {encoder.name} gives {part} of {tuple(some.shape)}, not {wanted}")
        if not bool(torch.isfinite(some).all()):
            raise BrokenDataset(f"the encoder {encoder.name} sees what is no number in image {first} or after")
        most = float(np.finfo(DTYPE).max)
        found[part] = np.ascontiguousarray(some.float().clamp(-most, most).half().cpu().numpy())
    return found


def picture_blocks(
    dataset: CopsRef, start: int, images: int, *, size: int = BLOCK, ahead: int = AHEAD
) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the pictures of blocks, while several cores read those of the next ones."""
    ids = dataset.scenes.image_ids
    held = read_pictures(dataset, start=start)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 16)) as threads:
        waiting: deque[Any] = deque()
        for first in range(start, images + ahead * size, size):
            count = min(size, images - first)
            if count > 0:
                some = [next(held) for _ in range(count)]
                waiting.append([threads.submit(decode_picture, one, ids[number]) for number, one in some])
            if len(waiting) > ahead or (count <= 0 and waiting):
                yield tuple(one.result() for one in waiting.popleft())
        while waiting:
            yield tuple(one.result() for one in waiting.popleft())


SAMPLES = 4  # points across a cell of a box


def roi_align(maps: Tensor, boxes: Tensor, *, grid: int, samples: int = SAMPLES) -> Tensor:
    """Pool the features in boxes: float [image, region, channel, grid * grid].

    Points beyond the middles of the outermost cells see what these hold.

    Args:
        maps: float [image, channel, row, column].
        boxes: float [image, region, 4], x, y, width and height in shares of what the map covers.
        grid: cells of a box, across and down.
        samples: points of a cell, across and down, whose mean is taken.
    """
    images, channels, rows, columns = maps.shape
    regions = boxes.shape[1]
    across = _readers(boxes[..., 0], boxes[..., 2], columns, grid, samples).to(maps.dtype)
    down = _readers(boxes[..., 1], boxes[..., 3], rows, grid, samples).to(maps.dtype)
    flat = maps.reshape(images, channels * rows, columns)
    read = torch.bmm(flat, across.reshape(images, regions * grid, columns).transpose(1, 2))
    read = read.reshape(images, channels, rows, regions, grid).permute(0, 3, 2, 1, 4)
    read = read.reshape(images * regions, rows, channels * grid)
    found = torch.bmm(down.reshape(images * regions, grid, rows), read)
    found = found.reshape(images, regions, grid, channels, grid).permute(0, 1, 3, 2, 4)
    return found.reshape(images, regions, channels, grid * grid)


def _readers(start: Tensor, side: Tensor, cells: int, grid: int, samples: int) -> Tensor:
    """Return the weights of the cells of a map for those of a box, in one direction: [image, region, grid, cell]."""
    points = (torch.arange(grid * samples, device=start.device, dtype=start.dtype) + 0.5) / (grid * samples)
    at = (start[..., None] + side[..., None] * points) * cells - 0.5
    at = at.clamp(0, cells - 1)
    far = (at[..., None] - torch.arange(cells, device=start.device, dtype=start.dtype)).abs()
    near = (1 - far).clamp(min=0)
    return near.unflatten(2, (grid, samples)).mean(3)
