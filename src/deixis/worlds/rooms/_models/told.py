"""The program model of rooms: told the parse of a caption, it learns what words mean, and finds the image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import nn

from deixis.learn._programs import SchemaSymbols, read_rows
from deixis.learn._told import ObjectReader, ReaderSizes
from deixis.worlds.rooms.scene import ROOMS


if TYPE_CHECKING:
    from torch import Tensor


SYMBOLS = SchemaSymbols(ROOMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomReaderSettings:
    """The sizes of the model: the features of an image, and the width of words and looks."""

    features: int
    width: int = 64


class RoomReader(nn.Module):
    """Soft sets over the images of a context, along the programs of captions (`deixis.learn._told`).

    Rooms hold one object each, and captions relate nothing, so that words alone are learnt.
    """

    def __init__(self, settings: RoomReaderSettings) -> None:
        super().__init__()
        self.settings = settings
        sizes = ReaderSizes(
            features=settings.features, places=0, words=len(SYMBOLS), width=settings.width, relates=False
        )
        self.reader = ObjectReader(sizes)

    def forward(self, lines: Tensor, images: Tensor) -> Tensor:
        """Return how each image fits: int64 [context, number], float [context, image, feature] -> [context, image]."""
        there = images.new_ones(images.shape[:2]).bool()
        return self.reader.fit(read_rows(lines), self.reader.see(images, there))
