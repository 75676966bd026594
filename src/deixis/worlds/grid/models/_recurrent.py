"""The decoder that M-LSTM and GCN-LSTM share: one action after another, from what was said and what is seen.

At every step the state first looks at the words, then, knowing what it found there, at the cells; both finds and the
last action move the state on:

    said = attention(state; words)          wish = tanh([state; said] W + b)          seen = attention(wish; cells)
    state, carried = LSTM([last action; said; seen], state, carried)

Products that need no step before them are taken for all steps at once, and those that start from the same vector are
taken together: four products a step remain. On a GPU `deixis.learn._fused` takes the same steps faster.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from deixis.learn._layers import attend, attention_scores, can_fuse
from deixis.worlds.grid.models.policy import Policy


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.grid.models.policy import Layout


class Memory(NamedTuple):
    """The encoded command and grid that a decoder attends to.

    Shapes:
        words: [example, word, width] and cells: [example, cell, width], the keys.
        is_word: bool [example, word].
        start: [example, width], the first state.
    """

    words: Tensor
    is_word: Tensor
    cells: Tensor
    start: Tensor


class State(NamedTuple):
    """The hidden state of a decoder and the cell of its LSTM, both [example, width]."""

    state: Tensor
    carried: Tensor


class RecurrentPolicy(Policy):
    """A model whose plans come from an `ActionDecoder`."""

    decoder: ActionDecoder

    def scores(self, memory: Memory, shown: Tensor) -> Tensor:
        """Return scores for every next action, given the right ones before it (teacher forcing)."""
        return self.decoder(memory, shown)

    def target_scores(self, memory: Memory) -> Tensor:
        """Return the scores of the cells for the target: those by which the first action attends to the cells."""
        return self.decoder.first_look(memory) if self.points else super().target_scores(memory)

    def begin(self, memory: Memory, limit: int) -> State:  # noqa: ARG002
        """Return the state in which decoding starts."""
        return self.decoder.begin(memory)

    def next_scores(self, memory: Memory, last: Tensor, state: State) -> tuple[Tensor, State]:
        """Return scores for the next action, and the next state."""
        return self.decoder.next_scores(memory, last, state)


def cell_step(addends: tuple[Tensor, ...], carried: Tensor) -> tuple[Tensor, Tensor]:
    """Return the next state and cell of an LSTM whose gates (in, forget, new, out) are the sum of the addends."""
    let_in, keep, new, let_out = sum(addend.float() for addend in addends).chunk(4, dim=-1)  # type: ignore[union-attr]
    carried = torch.sigmoid(keep) * carried + torch.sigmoid(let_in) * torch.tanh(new)
    return (torch.sigmoid(let_out) * torch.tanh(carried)).to(addends[0].dtype), carried


class ActionDecoder(nn.Module):
    """A decoder that says a plan, action by action.

    Args:
        layout: the rows of the table of actions.
        width: of the state and of everything it looks at.
        word_width, cell_width, summary_width: of what the encoders hand over.
        dropout: share of every action's vector that is left out while training.
        reads_all: whether the next action is read off the last action, the state and both finds (M-LSTM), or off the
            state alone (GCN-LSTM).
    """

    def __init__(
        self,
        layout: Layout,
        *,
        width: int,
        word_width: int,
        cell_width: int,
        summary_width: int,
        dropout: float,
        reads_all: bool,
    ) -> None:
        super().__init__()
        self.layout, self.width, self.dropout, self.reads_all = layout, width, dropout, reads_all
        self.embedding = nn.Embedding(layout.size, width, padding_idx=layout.pad)
        self.start = nn.Linear(summary_width, width)
        self.word_key = nn.Linear(word_width, width, bias=False)
        self.word_query = nn.Linear(width, width, bias=False)
        self.word_energy = nn.Linear(width, 1, bias=False)
        self.cell_key = nn.Linear(cell_width, width, bias=False)
        self.cell_query = nn.Linear(width, width, bias=False)
        self.cell_energy = nn.Linear(width, 1, bias=False)
        self.wish = nn.Linear(2 * width, width)
        self.lstm = nn.LSTMCell(3 * width, width)
        self.mix = nn.Linear(4 * width, width, bias=False) if reads_all else None
        self.output = nn.Linear(width, layout.size, bias=False)

    def encode(self, words: Tensor, is_word: Tensor, cells: Tensor, summary: Tensor) -> Memory:
        """Compute the keys of words and cells, once for all steps."""
        start = torch.tanh(linear(self.start, summary))
        return Memory(linear(self.word_key, words), is_word, linear(self.cell_key, cells), start)

    def forward(self, memory: Memory, shown: Tensor) -> Tensor:
        """Return scores for the next action at every step, given the right actions before it.

        Shapes:
            shown: int64 [example, step]. Returns float32 [example, step, action].
        """
        token = functional.dropout(self.embedding(shown), self.dropout, self.training).to(memory.words.dtype)
        steps = self._fused_steps if can_fuse(memory.words) else self.steps
        return self._scores(token, *steps(memory, token, self.begin(memory))[0])

    def steps(self, memory: Memory, token: Tensor, state: State) -> tuple[tuple[Tensor, Tensor, Tensor], State]:
        """Take one step for every action shown: the states and what was found, [example, step, width] each.

        Shapes:
            token: float [example, step, width].
        """
        dtype, width = token.dtype, self.width
        of_token, of_said, of_seen = self.lstm.weight_ih.to(dtype).t().split(width)
        from_state = torch.cat((self.word_query.weight, self.wish.weight[:, :width], self.lstm.weight_hh)).to(dtype).t()
        from_said = torch.cat((self.wish.weight[:, width:].to(dtype).t(), of_said), dim=1)
        bias = (self.lstm.bias_ih + self.lstm.bias_hh).to(dtype)
        went = []
        for token_gates in (token @ of_token + bias).unbind(1):
            query, wish, gates = (state.state @ from_state).split((width, width, 4 * width), dim=1)
            said, _ = attend(query, memory.words, self.word_energy.weight[0], memory.is_word)
            said_wish, said_gates = (said @ from_said).split((width, 4 * width), dim=1)
            query = linear(self.cell_query, torch.tanh(wish + said_wish + self.wish.bias.to(dtype)))
            seen, _ = attend(query, memory.cells, self.cell_energy.weight[0])
            state = State(*cell_step((token_gates, gates, said_gates, seen @ of_seen), state.carried))
            went.append((state.state, said, seen))
        states, saids, seens = (torch.stack(parts, dim=1) for parts in zip(*went, strict=True))
        return (states, saids, seens), state

    def begin(self, memory: Memory) -> State:
        """Return the state in which every plan starts: one vector serves as state and as cell."""
        return State(memory.start, memory.start.float())

    def first_look(self, memory: Memory) -> Tensor:
        """Return the scores by which the first step attends to the cells, float32 [example, cell]."""
        state = memory.start
        said, _ = attend(linear(self.word_query, state), memory.words, self.word_energy.weight[0], memory.is_word)
        wish = torch.tanh(linear(self.wish, torch.cat((state, said), dim=1)))
        return attention_scores(linear(self.cell_query, wish), memory.cells, self.cell_energy.weight[0])

    def next_scores(self, memory: Memory, last: Tensor, state: State) -> tuple[Tensor, State]:
        """Return scores for the action after the last one, int64 [example], and the next state."""
        token = self.embedding(last)[:, None].to(memory.words.dtype)
        found, state = self.steps(memory, token, state)
        return self._scores(token, *found)[:, 0], state

    def _scores(self, token: Tensor, state: Tensor, said: Tensor, seen: Tensor) -> Tensor:
        if self.mix is None:
            return linear(self.output, state).float()
        return linear(self.output, linear(self.mix, torch.cat((token, state, said, seen), dim=-1))).float()

    def _fused_steps(
        self, memory: Memory, token: Tensor, state: State
    ) -> tuple[tuple[Tensor, Tensor, Tensor], State | None]:
        """`steps` on a GPU; every width is padded with zeros that stay zeros."""
        from deixis.learn._fused import StepWeights, decode_steps, pad_blocks

        dtype, width = token.dtype, self.width
        joined = torch.cat((self.word_query.weight, self.wish.weight[:, :width], self.lstm.weight_hh))
        of_token, of_said, of_seen = self.lstm.weight_ih.split(width, dim=1)
        bias = torch.cat((torch.zeros_like(self.wish.bias), self.wish.bias, torch.zeros_like(self.lstm.bias_ih)))
        weights = StepWeights(
            state=pad_blocks(joined, 6, 1).to(dtype).t().contiguous(),
            bias=pad_blocks(bias, 6).to(dtype),
            said=pad_blocks(torch.cat((self.wish.weight[:, width:], of_said)), 5, 1).to(dtype).t().contiguous(),
            wish=pad_blocks(self.cell_query.weight, 1, 1).to(dtype).t().contiguous(),
            seen=pad_blocks(of_seen, 4, 1).to(dtype).t().contiguous(),
            word_energy=pad_blocks(self.word_energy.weight[0], 1),
            cell_energy=pad_blocks(self.cell_energy.weight[0], 1),
        )
        gates = token.transpose(0, 1) @ pad_blocks(of_token, 4).to(dtype).t()
        gates = gates + pad_blocks(self.lstm.bias_ih + self.lstm.bias_hh, 4).to(dtype)
        spare = weights.wish.shape[0] - width
        words, cells, start = (functional.pad(part, (0, spare)) for part in (memory.words, memory.cells, state.state))
        found = decode_steps(gates, words, memory.is_word, cells, start, weights)
        states, said, seen = (part[:, :, :width].transpose(0, 1) for part in found)
        return (states, said, seen), None


def linear(layer: nn.Linear, x: Tensor) -> Tensor:
    """Apply a linear layer in the dtype of its input."""
    bias = None if layer.bias is None else layer.bias.to(x.dtype)  # type: ignore[redundant-expr]
    return functional.linear(x, layer.weight.to(x.dtype), bias)


class GridConvolutions(nn.Module):
    """Convolutions at several scales, side by side."""

    def __init__(self, channels: int, filters: int, kernels: tuple[int, ...], dropout: float) -> None:
        super().__init__()
        self.scales = nn.ModuleList(nn.Conv2d(channels, filters, kernel, padding=kernel // 2) for kernel in kernels)
        self.dropout = dropout

    def forward(self, cells: Tensor) -> Tensor:
        """Return float [example, cell, scale x filter] for float [example, cell, channel]."""
        side = isqrt(cells.shape[1])
        grid = cells.unflatten(1, (side, side)).permute(0, 3, 1, 2)
        seen = [
            functional.conv2d(grid, conv.weight.to(grid.dtype), conv.bias.to(grid.dtype), padding=conv.padding)  # type: ignore[call-overload]
            for conv in self.scales
        ]
        features = functional.relu(torch.cat(seen, dim=1)).permute(0, 2, 3, 1).flatten(1, 2)
        return functional.dropout(features, self.dropout, self.training)
