"""How words and actions become numbers for a model, and back.

Everything outside a model counts words from 1 (0 is padding) and actions from 0 to 5.
Each published model has a table of its own in which some rows are reserved: a `Layout` says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["ACTIONS", "Batch", "Layout"]

ACTIONS = 6


class Batch(NamedTuple):
    """Some examples as tensors.

    Shapes:
        words: int64 [example, word], 0 where the command has ended.
        word_count: int64 [example].
        grid: float [example, cell, channel], cells row by row.
        target: int64 [example], the cell of what is meant.
        actions: int64 [example, step], 0 to 5; anything where the plan has ended.
        action_count: int64 [example].
    """

    words: Tensor
    word_count: Tensor
    grid: Tensor
    target: Tensor
    actions: Tensor
    action_count: Tensor


@dataclass(frozen=True, slots=True)
class Layout:
    """The rows of a model's table of actions.

    Attributes:
        size: how many rows there are.
        pad, start, stop: the rows for nothing, for the beginning and for the end of a plan.
        first: the row of the first action; the other five follow.
    """

    size: int
    pad: int
    start: int
    stop: int
    first: int

    def teach(self, actions: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
        """What a decoder is shown, and what it should say, step by step.

        Shapes:
            actions: int64 [example, step]; count: int64 [example]. Returns two int64 [example, step + 1].
        """
        place = torch.arange(actions.shape[1] + 1, device=actions.device)
        padded = torch.nn.functional.pad(actions, (0, 1)) + self.first
        said = torch.where(place < count[:, None], padded, self.pad)
        said = torch.where(place == count[:, None], self.stop, said)
        shown = torch.cat((torch.full_like(said[:, :1], self.start), said[:, :-1]), dim=1)
        shown = torch.where(place <= count[:, None], shown, self.pad)
        return shown, said
