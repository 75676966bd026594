"""ResNet-50 (He et al. 2016) without its last layer, for those who have its weights; names as in torchvision's file.

Torchvision itself is not asked for: only the weights are, as a safetensors file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn
from torch.nn import functional


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["MEAN", "SPREAD", "ResNet50"]

MEAN, SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of the channels of ImageNet's pictures
STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # channels, blocks, stride of the first
WIDER = 4  # how many times as many channels leave a block


class Bottleneck(nn.Module):
    """Three convolutions and a way around them."""

    def __init__(self, into: int, channels: int, stride: int) -> None:
        super().__init__()
        out = channels * WIDER
        self.conv1 = nn.Conv2d(into, channels, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.conv3 = nn.Conv2d(channels, out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out)
        is_plain = stride == 1 and into == out
        around = nn.Sequential(nn.Conv2d(into, out, 1, stride, bias=False), nn.BatchNorm2d(out))
        self.downsample = nn.Identity() if is_plain else around

    def forward(self, x: Tensor) -> Tensor:
        """Float [picture, channel, row, column]."""
        inside = functional.relu(self.bn1(self.conv1(x)))
        inside = functional.relu(self.bn2(self.conv2(inside)))
        return functional.relu(self.bn3(self.conv3(inside)) + self.downsample(x))


class ResNet50(nn.Module):
    """The network up to the mean over all places: 2,048 numbers for a picture, 23,508,032 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        into = 64
        for number, (channels, blocks, stride) in enumerate(STAGES, 1):
            stage = [Bottleneck(into, channels, stride)]
            into = channels * WIDER
            stage += [Bottleneck(into, channels, 1) for _ in range(blocks - 1)]
            self.add_module(f"layer{number}", nn.Sequential(*stage))

    def forward(self, pictures: Tensor) -> Tensor:
        """Float [picture, 2048] from float [picture, 3, 224, 224], normalised by `MEAN` and `SPREAD`."""
        x = functional.max_pool2d(functional.relu(self.bn1(self.conv1(pictures))), 3, 2, 1)
        for number in range(1, len(STAGES) + 1):
            x = self.get_submodule(f"layer{number}")(x)
        return x.mean((2, 3))
