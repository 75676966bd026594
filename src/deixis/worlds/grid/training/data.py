"""Examples on the device where a model learns, and batches of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.errors import RecipeError
from deixis.models.tokens import Batch


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.datasets.arrays import PlanArrays
    from deixis.models.policy import Policy


__all__ = ["DeviceData", "demand_room"]


class DeviceData:
    """The arrays of a split as tensors of one device; batches are gathered there."""

    def __init__(self, arrays: PlanArrays, device: torch.device) -> None:
        def moved(array: np.ndarray, dtype: type[np.generic]) -> Tensor:
            # torch has few unsigned types, and maps no read-only memory
            return torch.from_numpy(array.astype(dtype, copy=True)).to(device)

        self.cells, self.channels = arrays.cells, arrays.channels
        self.words = moved(arrays.words, np.int16)
        self.word_count = moved(arrays.word_count, np.int16)
        self.lit = moved(arrays.lit, np.int32)
        self.target = moved(arrays.target, np.int16)
        self.actions = moved(arrays.actions, np.uint8)
        self.start = moved(arrays.start, np.int64)

    def __len__(self) -> int:
        return len(self.words)

    def batch(self, rows: Tensor, steps: int) -> Batch:
        """Some examples, int64 [example], with room for so many actions."""
        first, after = self.start[rows], self.start[rows + 1]
        at = first[:, None] + torch.arange(steps, device=rows.device)
        actions = self.actions[at.clamp_(max=len(self.actions) - 1)].long()
        width = self.cells * self.channels
        grid = torch.zeros(len(rows), width + 1, device=rows.device)
        grid.scatter_add_(1, self.lit[rows].long(), grid.new_ones(()).expand(len(rows), self.lit.shape[1]))
        return Batch(
            self.words[rows].long(),
            self.word_count[rows].long(),
            grid[:, :width].unflatten(1, (self.cells, self.channels)),
            self.target[rows].long(),
            actions,
            after - first,
        )


def demand_room(model: Policy, arrays: PlanArrays, what: str) -> None:
    """An error when commands or plans are longer than the model's tables."""
    longest = int(arrays.word_count.max(initial=0))
    if model.longest_command and longest > model.longest_command:
        raise RecipeError(
            f"{what} has a command of {longest} words; the model has room for {model.longest_command}, "
            "set longest_command higher"
        )
    if arrays.channels != model.channels:
        raise RecipeError(f"{what} is encoded with {arrays.channels} channels; the model sees {model.channels}")
