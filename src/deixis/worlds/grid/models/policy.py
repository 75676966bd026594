"""The interface of models that say plans, for training and decoding, and how words and actions become numbers.

Everything outside a model counts words from 1 (0 is padding) and actions from 0 to 5.
Each published model has a table of its own in which some rows are reserved: a `Layout` says which.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import nn


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor


__all__ = ["ACTIONS", "Batch", "Layout", "Policy"]

ACTIONS = 6


class Batch(NamedTuple):
    """Some examples as tensors.

    Shapes:
        words: int64 [example, word], 0 where the command has ended.
        word_count: int64 [example].
        grid: float [example, cell, channel], cells row by row.
        target: int64 [example], the cell of what is meant.
        mentions: int64 [example, mention, 2], the last word of each noun phrase and the cell of what it mentions; -1
            for both where there is no such phrase, or where it is not known what it mentions.
        actions: int64 [example, step], 0 to 5; anything where the plan has ended.
        action_count: int64 [example].
        told: int64 [example, number], what the model is told of the structure of each command (see `Policy.tell`).
    """

    words: Tensor
    word_count: Tensor
    grid: Tensor
    target: Tensor
    mentions: Tensor
    actions: Tensor
    action_count: Tensor
    told: Tensor


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
        """Return the input and the target of a decoder, step by step (teacher forcing).

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


class Policy(nn.Module):
    """A model from a command and a grid to scores for each next action.

    Attributes:
        layout: the rows of the model's table of actions.
        channels: how the grid is encoded, see `deixis.worlds.grid._batches`.
        longest_command, longest_plan: what its tables have room for; 0 for no limit.
        points: whether it can also say where the target stands.
        points_mentions: whether it can also say where everything that a command mentions stands.
        checks_drafts: whether the scores of a whole plan take no longer than those of a few steps.
        computes_in: the dtype of the heavy products; sums and losses stay in float32.
        is_told: whether it is told the parse of commands.
        vocabulary: the words that it was built for, in the order of their numbers; empty where only told how many.
        learns_targets: whether it cannot do without the loss of pointing.
        can_record: whether a step is the same operations each time, so that a GPU can replay it.
    """

    layout: Layout
    channels: int
    longest_command: int = 0
    longest_plan: int = 0
    points: bool = False
    points_mentions: bool = False
    checks_drafts: bool = False
    computes_in: torch.dtype = torch.float32
    is_told: bool = False
    vocabulary: tuple[str, ...] = ()
    learns_targets: bool = False
    can_record: bool = True

    def tell(self, commands: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return what a model that `is_told` is told of commands, and which of them no parser can read.

        Shapes:
            int16 [command, number]. bool [command].
        """
        return np.zeros((len(commands), 0), np.int16), np.zeros(len(commands), np.bool_)

    @abstractmethod
    def encode(self, words: Tensor, word_count: Tensor, grid: Tensor, told: Tensor | None = None) -> Any:
        """Encode commands and grids for decoding: a named tuple of tensors by example.

        `told` is for models that `is_told`: int64 [example, number], as of `tell`.
        """

    @abstractmethod
    def scores(self, memory: Any, shown: Tensor) -> Tensor:
        """Return scores for every next action, given the right ones before it: float32 [example, step, layout row]."""

    def target_scores(self, memory: Any) -> Tensor:
        """Return the scores of the cells for the target, float32 [example, cell], of a model that `points`."""
        raise NotImplementedError(f"{type(self).__name__} does not point")

    def pointing_cost(self, memory: Any, target: Tensor) -> Tensor:
        """Return the cost of pointing at other cells than the targets', int64 [example], summed over examples."""
        return nn.functional.cross_entropy(self.target_scores(memory), target, reduction="sum")

    def show_target(self, memory: Any, target: Tensor) -> Any:  # noqa: ARG002 (for those whose plans start from it)
        """Return the memory with the target that is meant, int64 [example], for training."""
        return memory

    def mention_scores(self, memory: Any) -> Tensor:
        """Return the scores of the cells for the noun phrase that ends with each word, where it `points_mentions`.

        Shapes:
            float32 [example, word, cell].
        """
        raise NotImplementedError(f"{type(self).__name__} does not point at what is mentioned")

    @abstractmethod
    def begin(self, memory: Any, limit: int) -> Any:
        """Return the state in which decoding of at most `limit` steps starts."""

    @abstractmethod
    def next_scores(self, memory: Any, last: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Return scores for the action after the last one, int64 [example], and the next state."""

    def select(self, memory: Any, state: Any, rows: Tensor) -> tuple[Any, Any]:
        """Return memory and state of some examples, int64 [example]."""
        return memory._make(part[rows] for part in memory), state._make(part[rows] for part in state)

    def compile_parts(self) -> None:
        """Let torch compile the parts that become faster, by default none."""

    def low_precision_parameters(self) -> Iterator[nn.Parameter]:
        """Yield weights of heavy products, which may be held in `computes_in` during training."""
        return iter(())

    def compute_in(self, dtype: torch.dtype) -> None:
        """Compute the heavy products in this dtype."""
        for module in self.modules():
            if hasattr(module, "computes_in"):
                setattr(module, "computes_in", dtype)  # noqa: B010 (a module types its attributes as tensors)

    def forward(
        self, words: Tensor, word_count: Tensor, grid: Tensor, shown: Tensor, told: Tensor | None = None
    ) -> Tensor:
        """Return the `scores` of a batch."""
        return self.scores(self.encode(words, word_count, grid, told), shown)
