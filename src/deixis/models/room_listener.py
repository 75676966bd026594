"""A listener that reads a caption and scores images by how well they fit (Tsvilodub and Franke 2023, section 2.3).

It reads up to the end of the caption and no further. An image fits by the product of what was read and what is seen, so
the order in which images are shown makes no difference. 3,174,912 parameters with 48 words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["RoomListener", "RoomListenerSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomListenerSettings:
    """The sizes of the listener; the defaults are the published ones."""

    features: int = 2048
    width: int = 512


class RoomListener(nn.Module):
    """The model itself; `words` is the number of entries of its vocabulary."""

    def __init__(self, settings: RoomListenerSettings, words: int) -> None:
        super().__init__()
        self.settings, width = settings, settings.width
        self.word = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.image = nn.Linear(settings.features, width)
        nn.init.normal_(self.image.weight, std=0.02)
        nn.init.zeros_(self.image.bias)

    def forward(self, images: Tensor, said: Tensor, length: Tensor) -> Tensor:
        """How well each image fits what was said: float [context, image].

        Shapes:
            images: float [context, image, feature].
            said: int64 [context, step], without the start; or float [context, step, word], where words are mixed.
            length: int64 [context], steps up to the end of the caption, which is one of them.
        """
        words = said.to(self.word.weight.dtype) @ self.word.weight if said.is_floating_point() else self.word(said)
        read, _ = self.lstm(words)
        last = (length - 1).clamp(min=0)
        heard = read[torch.arange(len(read), device=read.device), last]
        return (self.image(images) @ heard[:, :, None])[:, :, 0].float()
