"""What every model that says plans offers to training and decoding."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import torch
from torch import nn


if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from deixis.models.tokens import Layout


__all__ = ["Policy"]


class Policy(nn.Module):
    """From a command and a grid to scores for each next action.

    Attributes:
        layout: the rows of the model's table of actions.
        channels: how the grid is encoded, see `deixis.batches`.
        longest_command, longest_plan: what its tables have room for; 0 for no limit.
        points: whether it can say where the target stands, besides how to go about it.
        computes_in: the dtype of the heavy products; weights, sums and losses stay in float32.
    """

    layout: Layout
    channels: int
    longest_command: int = 0
    longest_plan: int = 0
    points: bool = False
    computes_in: torch.dtype = torch.float32

    @abstractmethod
    def remember(self, words: Tensor, word_count: Tensor, grid: Tensor) -> Any:
        """What is kept of a command and a grid while a plan is said: a named tuple of tensors by example."""

    @abstractmethod
    def scores(self, memory: Any, shown: Tensor) -> Tensor:
        """Scores for every next action, given the right ones before it: float32 [example, step, row of the layout]."""

    def pointed(self, memory: Any) -> Tensor:
        """How much each cell is that of the target, float32 [example, cell]; of a model that `points`."""
        raise NotImplementedError(f"{type(self).__name__} does not point")

    @abstractmethod
    def begin(self, memory: Any, limit: int) -> Any:
        """Where decoding starts; `limit` is the number of steps there may be."""

    @abstractmethod
    def next_scores(self, memory: Any, last: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Scores for the next action after the last one, int64 [example], and where decoding is then."""

    def narrowed(self, memory: Any, state: Any, rows: Tensor) -> tuple[Any, Any]:
        """Memory and state of some examples alone, int64 [example]."""
        return memory._make(part[rows] for part in memory), state._make(part[rows] for part in state)

    def compile_parts(self) -> None:
        """Let torch compile what gains by it; nothing, unless a model says otherwise."""

    def may_be_lower(self) -> Iterator[nn.Parameter]:
        """Weights that enter heavy products alone: while a model learns they may be held in their dtype, too."""
        return iter(())

    def compute_in(self, dtype: torch.dtype) -> None:
        """Take the heavy products in this dtype."""
        for module in self.modules():
            if hasattr(module, "computes_in"):
                setattr(module, "computes_in", dtype)  # noqa: B010 (a module types its attributes as tensors)

    def forward(self, words: Tensor, word_count: Tensor, grid: Tensor, shown: Tensor) -> Tensor:
        """`scores` of a batch."""
        return self.scores(self.remember(words, word_count, grid), shown)
