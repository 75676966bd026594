"""Regions and expressions out of thin air, for tests of what is done with them."""

from __future__ import annotations

import torch

from deixis.worlds.photos._models.regions import RegionTable, Words
from deixis.worlds.photos.training._lessons import Material


__all__ = ["regions", "said_of"]

LOW, HIGH, CELLS = 4, 6, 4


def regions(counts: list[int], categories: int = 3, seed: int = 0) -> RegionTable:
    """Images with so many regions each, of random categories and looks."""
    chance = torch.Generator().manual_seed(seed)
    total = sum(counts)
    first = torch.tensor([0, *torch.tensor(counts).cumsum(0).tolist()])
    image = torch.arange(len(counts)).repeat_interleave(torch.tensor(counts))
    near = first[image][:, None] + torch.arange(5)
    near = torch.where((near < first[image + 1][:, None]) & (near != torch.arange(total)[:, None]), near, -1)
    high = torch.rand(total, HIGH, CELLS, generator=chance)
    return RegionTable(
        low=torch.rand(total, LOW, CELLS, generator=chance),
        high=high,
        pooled=high.mean(-1),
        place=torch.rand(total, 5, generator=chance),
        alike=torch.rand(total, 5, 5, generator=chance),
        near=near,
        near_places=torch.rand(total, 5, 5, generator=chance),
        category=torch.randint(categories, (total,), generator=chance),
        image=image,
        first=first,
        whole=torch.rand(len(counts), LOW, CELLS, generator=chance),
    )


def said_of(table: RegionTable, targets: list[int], words: int = 9, seed: int = 0) -> Material:
    """An expression of random words about each of these regions."""
    chance = torch.Generator().manual_seed(seed)
    target = torch.tensor(targets)
    count = torch.randint(1, 5, (len(target),), generator=chance)
    drawn = torch.randint(2, words, (len(target), 5), generator=chance)
    spoken = torch.where(torch.arange(5) < count[:, None], drawn, 0)
    attributes = torch.rand(len(target), 2, generator=chance) < 0.5
    return Material(Words(spoken, count), target, table.image[target], attributes, torch.ones(2))
