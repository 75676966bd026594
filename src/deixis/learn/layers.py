"""How commands and grids are read: an LSTM in both directions, and convolutions of several sizes side by side."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from deixis.models.recurrent import can_fuse


if TYPE_CHECKING:
    from torch import Tensor


__all__ = ["GridConvolutions", "ReadWords", "TwoWayLSTM"]


class ReadWords(NamedTuple):
    """A command as an LSTM has read it.

    Shapes:
        onward, backward: float [example, word, width], the state after each word, from the left and from the right;
            meaningless beyond the end of a command.
        last_onward, last_backward: float [example, width], the states after the last word either way.
    """

    onward: Tensor
    backward: Tensor
    last_onward: Tensor
    last_backward: Tensor


class TwoWayLSTM(nn.Module):
    """An LSTM over the words of commands of different lengths, from both ends, without looking at the padding."""

    computes_in: torch.dtype = torch.float32

    def __init__(self, word_width: int, width: int) -> None:
        super().__init__()
        self.onward = nn.LSTM(word_width, width, batch_first=True)
        self.backward = nn.LSTM(word_width, width, batch_first=True)

    def forward(self, words: Tensor, count: Tensor) -> ReadWords:
        """Read the words, float [example, word, width], of which `count` are there."""
        place = torch.arange(words.shape[1], device=words.device)  # [word]
        mirrored = (count[:, None] - 1 - place) % words.shape[1]  # the padding stays behind the words
        onward, backward = self._both(words, _reordered(words, mirrored))
        last = (count - 1).clamp(min=0)[:, None]  # an empty command is one word of padding
        return ReadWords(
            onward,
            _reordered(backward, mirrored),
            _reordered(onward, last).squeeze(1),
            _reordered(backward, last).squeeze(1),
        )

    def _both(self, words: Tensor, mirrored: Tensor) -> tuple[Tensor, Tensor]:
        """The states of both LSTMs, each [example, word, width]."""
        if not can_fuse(words):
            return self.onward(words)[0], self.backward(mirrored)[0]
        from deixis.models.fused import scan, widened

        pair = [dict(lstm.named_parameters()) for lstm in (self.onward, self.backward)]
        gates = [
            functional.linear(
                given.transpose(0, 1),
                widened(lstm["weight_ih_l0"], 4),
                widened(lstm["bias_ih_l0"] + lstm["bias_hh_l0"], 4),
            )
            for lstm, given in zip(pair, (words, mirrored), strict=True)
        ]
        weight = torch.stack([widened(lstm["weight_hh_l0"], 4, 1).t() for lstm in pair])
        states = scan(torch.stack(gates, dim=1).to(self.computes_in), weight.to(self.computes_in))
        onward, backward = (part.transpose(0, 1)[:, :, : self.onward.hidden_size] for part in states.unbind(1))
        return onward.to(words.dtype), backward.to(words.dtype)


def _reordered(rows: Tensor, order: Tensor) -> Tensor:
    return rows.gather(1, order[:, :, None].expand(-1, -1, rows.shape[2]))


class GridConvolutions(nn.Module):
    """What stands around each cell, at several scales at once."""

    def __init__(self, channels: int, filters: int, kernels: tuple[int, ...], dropout: float) -> None:
        super().__init__()
        self.scales = nn.ModuleList(nn.Conv2d(channels, filters, kernel, padding=kernel // 2) for kernel in kernels)
        self.dropout = dropout

    def forward(self, cells: Tensor) -> Tensor:
        """Float [example, cell, channel] in, float [example, cell, scale x filter] out."""
        side = isqrt(cells.shape[1])
        grid = cells.unflatten(1, (side, side)).permute(0, 3, 1, 2)
        seen = [
            functional.conv2d(grid, conv.weight.to(grid.dtype), conv.bias.to(grid.dtype), padding=conv.padding)  # type: ignore[call-overload]
            for conv in self.scales
        ]
        features = functional.relu(torch.cat(seen, dim=1)).permute(0, 2, 3, 1).flatten(1, 2)
        return functional.dropout(features, self.dropout, self.training)
