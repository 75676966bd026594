"""Regions as the scene graph describes them, with noise: an upper limit, and quick to compute."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.errors import RecipeError
from deixis.training.regions.chance import normals
from deixis.training.regions.looking import Looks, RegionEncoder


if TYPE_CHECKING:
    from deixis.datasets.copsref.arrays import RegionArrays
    from deixis.training.regions.looking import Block


__all__ = ["NOISE", "oracle_encoder"]

NOISE = 0.25  # the spread of what is added to ones and zeros


def oracle_encoder(regions: RegionArrays, *, noise: float = NOISE, seed: int = 0) -> RegionEncoder:
    """A one for the category of a region and for each of its attributes, zeros elsewhere, and noise on all of them.

    Args:
        regions: whose categories and attributes have a place.
        noise: the spread of the noise.
        seed: of the noise.
    """
    if not isfinite(noise) or noise < 0:
        raise RecipeError(f"noise is 0 or more, got {noise}")
    names, channels = len(regions.names), len(regions.names) + len(regions.words)

    def look(block: Block, device: torch.device) -> Looks:
        some = block.regions
        seen = noise * normals(seed, block.row + np.arange(len(some)), channels)
        seen[np.arange(len(some)), some.category] += 1
        whose = np.repeat(np.arange(len(some)), np.diff(some.attr_ptr))
        seen[whose, names + some.attr] += 1
        whole = np.zeros((some.images, channels), np.float32)
        np.add.at(whole, some.image, seen)
        whole /= np.maximum(np.diff(some.first), 1)[:, None]
        high = torch.from_numpy(seen)[..., None].to(device)
        return Looks(high, high, torch.from_numpy(whole)[..., None].to(device))

    digest = f"oracle-1-{noise!r}-{seed}"
    return RegionEncoder("oracle", digest, channels, channels, 1, look, needs_pictures=False, is_one=True)
