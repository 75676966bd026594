"""Encoders of pictures of rooms, to 2,048 numbers: five layers of convolutions, or ResNet-50.

`RoomEncoder` is trained to tell the six factors of a room by a linear map, on pictures that Deixis draws, and then
frozen. Nothing is flipped or cropped, so left stays left. 388,416 parameters, nothing to download.

`ResNet50` (He et al. 2016, without its last layer) is for those who have its weights as a safetensors file, with names
as in torchvision's. Torchvision itself is not asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import nn
from torch.nn import functional


if TYPE_CHECKING:
    from torch import Tensor


SIZE = 64  # pixels along one side of a picture


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomEncoderSettings:
    """The channels of each layer, all but the fourth of which halve the sides of the picture."""

    channels: tuple[int, ...] = (32, 64, 128, 128, 128)


class RoomEncoder(nn.Module):
    """The model itself."""

    def __init__(self, settings: RoomEncoderSettings) -> None:
        super().__init__()
        self.settings = settings
        inward = (3, *settings.channels[:-1])
        strides = [1 if number == 3 else 2 for number in range(len(settings.channels))]
        self.layers = nn.ModuleList(
            nn.Conv2d(into, out, 3, stride, 1)
            for into, out, stride in zip(inward, settings.channels, strides, strict=True)
        )

    def forward(self, pictures: Tensor) -> Tensor:
        """Return float [picture, 2048] for float [picture, 3, 64, 64] with values from 0 to 1."""
        x = pictures - 0.5
        for layer in self.layers:
            x = functional.relu(layer(x))
        return x.flatten(1)


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
        """Return the features of pictures: float [picture, channel, row, column]."""
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
        """Return float [picture, 2048] for float [picture, 3, 224, 224], normalised by `MEAN` and `SPREAD`."""
        x = functional.max_pool2d(functional.relu(self.bn1(self.conv1(pictures))), 3, 2, 1)
        for number in range(1, len(STAGES) + 1):
            x = self.get_submodule(f"layer{number}")(x)
        return x.mean((2, 3))
