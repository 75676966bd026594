"""RoIAlign (He et al. 2017): what a map of features holds inside a box, read at points between its cells.

Reading between cells is linear in each direction on its own, and so is the mean over points. So the whole is two
products of matrices for each image, which a GPU does at once and through which gradients flow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["SAMPLES", "roi_align"]

SAMPLES = 4  # points across a cell of a box


def roi_align(maps: Tensor, boxes: Tensor, *, grid: int, samples: int = SAMPLES) -> Tensor:
    """What is in boxes: float [image, region, channel, grid * grid].

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
    """How much every cell of a map counts for every cell of a box, in one direction: [image, region, grid, cell]."""
    points = (torch.arange(grid * samples, device=start.device, dtype=start.dtype) + 0.5) / (grid * samples)
    at = (start[..., None] + side[..., None] * points) * cells - 0.5
    at = at.clamp(0, cells - 1)
    far = (at[..., None] - torch.arange(cells, device=start.device, dtype=start.dtype)).abs()
    near = (1 - far).clamp(min=0)
    return near.unflatten(2, (grid, samples)).mean(3)
