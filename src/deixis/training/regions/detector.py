"""Regions as a detector saw them elsewhere; see `datasets.copsref.detected` for the files that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.datasets.copsref.detected import open_detected
from deixis.training.regions.looking import Looks, RegionEncoder


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.datasets.copsref.arrays import RegionArrays
    from deixis.training.regions.looking import Block


__all__ = ["detector_encoder"]


def detector_encoder(path: Path, regions: RegionArrays) -> RegionEncoder:
    """Regions as the files at a path describe them.

    Args:
        path: a file or a folder.
        regions: of all images; a file with a row for each region must have as many rows.
    """
    seen = open_detected(path, len(regions))

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
