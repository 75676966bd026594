"""The module that the modular models share: what a region looks like, cell by cell, where the phrase leads the eye.

It also tells which of the most frequent words hold of the region, and learns what to look for from that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import torch
from torch import nn
from torch.nn import functional

from deixis.models.grounding.matching import Attention, Matching, Rescaled


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["SeenSubject", "Subject", "SubjectSizes"]


class SubjectSizes(Protocol):
    """What the module takes from the settings of a model."""

    @property
    def low(self) -> int:
        """Channels early in the encoder."""

    @property
    def high(self) -> int:
        """Channels late in it."""

    @property
    def width(self) -> int:
        """Of what is seen and said."""

    @property
    def attributes(self) -> int:
        """How many are told."""

    @property
    def size(self) -> float:
        """That rescaled vectors begin with."""

    @property
    def dropout(self) -> float:
        """Of matching."""

    @property
    def attribute_dropout(self) -> float:
        """Before attributes are told."""


class SeenSubject(NamedTuple):
    """A region, whatever is said.

    Shapes:
        cells: float [region, cell, width], what each adds to the attention. firsts: float [region, cell, width], what
            each adds to the matching. attributes: float [region, attribute], logits.
    """

    cells: Tensor
    firsts: Tensor
    attributes: Tensor


class Subject(nn.Module):
    """What a region looks like, and how well that fits."""

    def __init__(self, sizes: SubjectSizes) -> None:
        super().__init__()
        low, high, width = sizes.low, sizes.high, sizes.width
        self.low, self.high = Rescaled(low, sizes.size), Rescaled(high, sizes.size)
        self.look, self.phrase = Rescaled(width, sizes.size), Rescaled(width, sizes.size)
        self.fuse = nn.Linear(low + high, width)
        self.fuse_norm = nn.BatchNorm1d(width)
        self.attribute_dropout = nn.Dropout(sizes.attribute_dropout)
        self.attribute = nn.Linear(width, sizes.attributes)
        self.attention = Attention(high + width, width, width)
        self.matching = Matching(high + width, width, width, sizes.dropout)

    def see(self, low: Tensor, high: Tensor) -> SeenSubject:
        """Look at regions; float [region, channel, cell] each."""
        high = self.high(high.transpose(1, 2))
        fused = self.fuse(torch.cat((self.low(low.transpose(1, 2)), high), dim=-1))
        looks = functional.relu(self.fuse_norm(fused.flatten(0, 1))).view(fused.shape)
        attributes = self.attribute(self.attribute_dropout(looks.mean(1)))
        cells = torch.cat((high, self.look(looks)), dim=-1)
        return SeenSubject(self.attention.see(cells), self.matching.seen.first(cells), attributes)

    def hear(self, phrase: Tensor) -> tuple[Tensor, Tensor]:
        """What a phrase adds to the attention, and what is matched with it; float [text, width] in and out."""
        return self.attention.hear(self.phrase(phrase)), self.matching.said(phrase)

    def look_at(self, cells: Tensor, heard: Tensor) -> Tensor:
        """Attention over cells: float [..., cell], from float [..., cell, width] and float [..., width]."""
        return torch.softmax(self.attention.energies(cells, heard), dim=-1)
