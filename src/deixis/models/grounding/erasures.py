"""What is taken away while CM-Att-Erase learns: words, blocks of cells, places and regions around.

All is drawn with torch's own generator.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from deixis.models.grounding.regions import UNKNOWN, Regions, Words


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["draw_block", "draw_one", "drawn", "without", "without_word"]

SHORTEST = 3  # words of a text from which one can be erased


def without_word(said: Words, attention: Tensor) -> Words:
    """Texts with one word, drawn by attention [text, step], made unknown; those of one or two words as they are."""
    is_long = (said.count >= SHORTEST)[:, None]
    erased = draw_one(torch.where(is_long, attention, 1.0)) & is_long
    return Words(said.words.masked_fill(erased, UNKNOWN), said.count)


def draw_block(attention: Tensor, block: int) -> Tensor:
    """A square of cells drawn by the attention inside it: float [region, cell] -> bool [region, cell]."""
    side = isqrt(attention.shape[1])
    squares = functional.avg_pool2d(attention.view(-1, 1, side, side), block, stride=1)
    first = draw_one(squares.flatten(1)).view(squares.shape).float()  # where the square has its first cell
    grown = functional.conv_transpose2d(first, first.new_ones(1, 1, block, block))
    return grown.flatten(1) > 0.5


def without(regions: Regions, cells: Tensor, places: Tensor, around: Tensor) -> Regions:
    """Regions with zeros for cells, bool [region, cell], places, [region, 6], and regions around, [region, 5]."""
    return Regions(
        low=regions.low.masked_fill(cells[:, None], 0),
        high=regions.high.masked_fill(cells[:, None], 0),
        pooled=regions.pooled,
        place=regions.place.masked_fill(places[:, :1], 0),
        alike=regions.alike.masked_fill(places[:, 1:, None], 0),
        near=regions.near.masked_fill(around[..., None], 0),
        near_places=regions.near_places.masked_fill(around[..., None], 0),
        is_near=regions.is_near & ~around,
    )


def draw_one(weights: Tensor) -> Tensor:
    """One of each row, drawn by its weight: float [row, choice] -> bool [row, choice]."""
    return torch.zeros_like(weights, dtype=torch.bool).scatter_(1, drawn(weights)[:, None], value=True)


def drawn(weights: Tensor) -> Tensor:
    """The number of one of each row, drawn by its weight: float [row, choice] -> int64 [row].

    The first of several clocks that ring at such rates; `torch.multinomial` would wait for the device.
    """
    return (weights / torch.empty_like(weights).exponential_()).argmax(1)
