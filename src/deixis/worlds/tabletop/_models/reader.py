"""Readers of tables: soft sets along programs, over solids whose values are told or which are seen in a picture.

The program model is given size, colour, material and shape of every solid as numbers, and where each stands. The pixel
model is given the picture and a box around each solid: a small convolutional network looks at what is in the box, and
places are those of the boxes. Both learn from nothing but the solid that is meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

from deixis.expression.steps import SIDES, Is, Nth, Related
from deixis.learn._programs import SchemaSymbols, read_rows
from deixis.learn._told import ObjectReader, ReaderSizes
from deixis.worlds.tabletop._schema import SCHEMA


if TYPE_CHECKING:
    from torch import Tensor


VALUES = sum(len(attribute.values) for attribute in SCHEMA.attributes) + 2
"""What is told of a solid: a number for each value, and where it stands, across and down."""
PLACES = 6
"""What is told of the places of two solids: both differences, how large they are, the distance, and its square."""
BOX = 4
"""What is told of a box: its middle, its width and its height."""


class TableSymbols(SchemaSymbols):
    """Numbers for all that is said of solids, for ranks by their side, and for a text of which nothing is told."""

    @property
    def anything(self) -> int:
        """The number of the word of a reader who is told nothing."""
        return len(self.names) + 1

    def __len__(self) -> int:
        return len(self.names) + 2 + len(SIDES)

    def word(self, step: Is | Related | Nth) -> int:
        """Return the number of a word for a reader who does not know what it belongs to."""
        if isinstance(step, Nth):
            return len(self.names) + 2 + SIDES.index(step.side)
        name = step.relation if isinstance(step, Related) else f"{step.attribute} {step.value}"
        return 1 + self.names.index(name)


SYMBOLS = TableSymbols(SCHEMA)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReaderSettings:
    """The sizes of a reader.

    Attributes:
        crop: pixels of a side of what is seen of a solid; 0 where values are told.
        width: of words and looks. pair: of what is seen of two solids together.
        channels: of the first layer of the network that looks at crops.
    """

    crop: int
    width: int
    pair: int
    channels: int = 16


class TableReader(nn.Module):
    """A reader that is told values, or sees crops of a picture."""

    def __init__(self, settings: TableReaderSettings) -> None:
        super().__init__()
        self.settings = settings
        if settings.crop:
            one, two, three = (settings.channels * k for k in (1, 2, 4))
            self.eye: nn.Module | None = nn.Sequential(
                nn.Conv2d(3, one, 3, stride=2, padding=1),
                nn.ReLU(),
                nn.Conv2d(one, two, 3, stride=2, padding=1),
                nn.ReLU(),
                nn.Conv2d(two, three, 3, stride=2, padding=1),
                nn.ReLU(),
                nn.Flatten(),
                nn.LazyLinear(settings.width),
                nn.ReLU(),
            )
            self.eye(torch.zeros(1, 3, settings.crop, settings.crop))  # settles the size of the linear layer
        else:
            self.eye = None
        features = settings.width + BOX if settings.crop else VALUES
        sizes = ReaderSizes(
            features=features,
            places=PLACES,
            words=len(SYMBOLS),
            width=settings.width,
            pair=settings.pair,
            hidden=settings.width if settings.crop else 0,
        )
        self.reader = ObjectReader(sizes)

    def forward(self, lines: Tensor, seen: Tensor, places: Tensor, there: Tensor) -> Tensor:
        """Return how each solid fits: float [table, solid], at most 0.

        Shapes:
            lines: int64 [table, number]. seen: float [table, solid, value], or uint8 [table, solid, 3, crop, crop].
            places: float [table, solid, 4], across, down, and of boxes their width and height. there: bool [table,
            solid].
        """
        features = seen if self.eye is None else self._look(seen, places, there)
        across, down = places[..., 0], places[..., 1]
        step = torch.stack((across[:, :, None] - across[:, None], down[:, :, None] - down[:, None]), dim=-1)
        far = step.square().sum(-1, keepdim=True)
        between = torch.cat((step, step.abs(), far.clamp(min=1e-8).sqrt(), far), dim=-1)
        look = self.reader.see(features, there, 4 * between, centre=places[..., :2])
        return self.reader.fit(read_rows(lines), look)

    def _look(self, crops: Tensor, places: Tensor, there: Tensor) -> Tensor:
        assert self.eye is not None
        found = crops.new_zeros(*there.shape, self.settings.width, dtype=torch.float32)
        found[there] = self.eye(crops[there].float() / 255 - 0.5)
        return torch.cat((found, places), dim=-1)
