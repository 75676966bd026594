"""What a picture of a room looks like, in 2,048 numbers: five layers of convolutions, without anything to download.

It is trained to tell the six factors of a room by a linear map, on pictures that Deixis draws, and then frozen. Nothing
is flipped or cropped, so left stays left. 388,416 parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import nn
from torch.nn import functional


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["SIZE", "RoomEncoder", "RoomEncoderSettings"]

SIZE = 64  # pixels along one side of a picture


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomEncoderSettings:
    """The channels of each layer; all but the fourth halve the sides of the picture."""

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
        """Float [picture, 2048] from float [picture, 3, 64, 64] with values from 0 to 1."""
        x = pictures - 0.5
        for layer in self.layers:
            x = functional.relu(layer(x))
        return x.flatten(1)
