"""A small network that learns to see together with the model that reads: four convolutions over shrunken pictures.

In training, `sight` makes the regions of a few images anew in every update, so that gradients reach the first layer.
For tests, `tiny_encoder` looks at all images once, like any other encoder.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from deixis.errors import RecipeError
from deixis.worlds.photos.training._features import place_regions
from deixis.worlds.photos.training._lite0 import shares_of
from deixis.worlds.photos.training._looking import Looks, RegionEncoder, roi_align


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.photos._models.regions import RegionTable
    from deixis.worlds.photos.data._region_arrays import RegionArrays
    from deixis.worlds.photos.training._looking import Block


TINY = "tiny"
LARGEST = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class TinySettings:
    """The size of the network.

    Attributes:
        side: pixels of the square that pictures are shrunk to.
        low, high: channels of the early map, a cell for 8 pixels, and of the late one, a cell for 16.
        grid: cells of a region, across and down.
    """

    side: int = 160
    low: int = 64
    high: int = 128
    grid: int = 3

    def __post_init__(self) -> None:
        sizes = (self.side, self.low, self.high, self.grid)
        if not all(type(size) is int and 1 <= size <= LARGEST for size in sizes) or self.side % 16:
            raise RecipeError(
                f"pictures are shrunk to a multiple of 16 pixels, and sizes go from 1 to {LARGEST:,}; got {sizes}"
            )


class Eyes(nn.Module):
    """A network that sees shrunken pictures: a call gives the early and the late map of them."""

    settings: TinySettings

    def look_at(self, pictures: Tensor, boxes: Tensor, there: Tensor) -> Looks:
        """Compute the features of boxes in pictures.

        Args:
            pictures: uint8 [image, side, side, 3].
            boxes: float [image, region, 4], x, y, width and height in shares of the picture.
            there: bool [image, region], which of them are regions.
        """
        early, late = self(pictures)
        grid = self.settings.grid
        low, high = (roi_align(seen, boxes, grid=grid)[there] for seen in (early, late))
        return Looks(low, high, functional.adaptive_avg_pool2d(early, grid).flatten(2))

    def looks(self, pictures: Tensor, regions: RegionArrays) -> Looks:
        """Return the features of the regions of images.

        Args:
            pictures: uint8 [image, side, side, 3].
            regions: of these images alone, see `RegionArrays.some`.
        """
        shares = shares_of(regions)
        rows = regions.first[:-1, None] + np.arange(int(np.diff(regions.first).max(initial=1)))
        is_there = rows < regions.first[1:, None]
        boxes = torch.from_numpy(shares[np.where(is_there, rows, 0)]).to(pictures.device)
        return self.look_at(pictures, boxes, torch.from_numpy(is_there).to(pictures.device))

    def table(self, pictures: Tensor, regions: RegionArrays) -> RegionTable:
        """Return the regions of images as models see them.

        Gradients flow back to this network.
        """
        looks = self.looks(pictures, regions)
        return place_regions(regions, looks.low, looks.high, looks.high.mean(2), looks.whole)


class TinyEyes(Eyes):
    """The network of four convolutions."""

    def __init__(self, settings: TinySettings | None = None) -> None:
        super().__init__()
        self.settings = settings or TinySettings()
        low, high = self.settings.low, self.settings.high
        self.early = nn.Sequential(_layer(3, low // 2 or 1), _layer(low // 2 or 1, low), _layer(low, low))
        self.late = _layer(low, high)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """The early and the late map of pictures uint8 [picture, side, side, 3]."""
        early = self.early(pictures.permute(0, 3, 1, 2).float() / 127.5 - 1)
        return early, self.late(early)


def _layer(into: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(into, out, 3, 2, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU())


def shrunken(pictures: tuple[np.ndarray, ...], side: int) -> np.ndarray:
    """Pictures as squares of so many pixels: uint8 [picture, side, side, 3]."""
    from PIL import Image

    def shrink(picture: np.ndarray) -> np.ndarray:
        return np.asarray(Image.fromarray(picture).resize((side, side), Image.Resampling.BOX))

    if not pictures:
        return np.zeros((0, side, side, 3), np.uint8)
    with ThreadPoolExecutor(4) as threads:
        return np.stack(list(threads.map(shrink, pictures)))


def tiny_encoder(eyes: Eyes, name: str = TINY) -> RegionEncoder:
    """Regions as a network that has learned sees them."""
    settings = eyes.settings
    digest = sha256(repr(sorted(asdict(settings).items())).encode())
    for part, value in sorted(eyes.state_dict().items()):
        digest.update(part.encode() + value.detach().cpu().contiguous().numpy().tobytes())

    def look(block: Block, device: torch.device) -> Looks:
        was_training = eyes.training
        eyes.eval()
        try:
            return eyes.looks(torch.from_numpy(shrunken(block.pictures, settings.side)).to(device), block.regions)
        finally:
            eyes.train(was_training)

    return RegionEncoder(name, digest.hexdigest(), settings.low, settings.high, settings.grid**2, look)
