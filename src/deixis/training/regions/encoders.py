"""The encoders of regions by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deixis.errors import RecipeError
from deixis.training.regions.detector import detector_encoder
from deixis.training.regions.handcrafted import handcrafted_encoder
from deixis.training.regions.lite0 import lite0_encoder
from deixis.training.regions.oracle import NOISE, oracle_encoder
from deixis.training.regions.tiny import TINY


if TYPE_CHECKING:
    import torch

    from deixis.datasets.copsref.arrays import RegionArrays
    from deixis.training.regions.looking import RegionEncoder


__all__ = ["ENCODERS", "find_region_encoder"]

ENCODERS = ("lite0", "handcrafted", "oracle")
MOST_CELLS = 16  # across and down


def find_region_encoder(
    name: str,
    device: torch.device,
    *,
    regions: RegionArrays,
    grid: int = 3,
    weights: Path | None = None,
    noise: float = NOISE,
    seed: int = 0,
) -> RegionEncoder:
    """The encoder of a name.

    Args:
        name: one of `ENCODERS`, or a file or folder with what a detector saw; `tiny` has to learn first.
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
        known = f"{', '.join(ENCODERS)}, {TINY}, or the path of what a detector saw"
        raise RecipeError(f"unknown encoder {name!r}; known: {known}")
    return detector_encoder(Path(name), regions)
