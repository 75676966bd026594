"""M-LSTM, the baseline of gSCAN and ReaSCAN.

An LSTM reads the command, convolutions of three sizes see the grid, and a decoder looks first at the words, then at the
cells.

| part | sizes |
|---|---|
| words | 38 x 25, dropout 0.3, LSTM 25 -> 100 both ways, directions added |
| grid | 17 channels, convolutions 1, 5, 7 with 50 filters each, ReLU, dropout 0.1 |
| decoder | width 100, additive attention, actions 9 x 100 with dropout 0.3 |

444,450 parameters with ReaSCAN's 35 words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional

from deixis.learn._layers import TwoWayLSTM
from deixis.worlds.grid.models._recurrent import ActionDecoder, GridConvolutions, Memory, RecurrentPolicy
from deixis.worlds.grid.models.policy import Layout


if TYPE_CHECKING:
    from torch import Tensor


PAD, START, STOP = 0, 1, 2  # the first rows of both tables


@dataclass(frozen=True, slots=True, kw_only=True)
class MultimodalLSTMSettings:
    """The sizes of an M-LSTM, by default those of the published runs.

    Attributes:
        points: whether the first look at the cells is scored as pointing at the target; no parameter more.
    """

    word_width: int = 25
    width: int = 100
    channels: int = 17
    filters: int = 50
    kernels: tuple[int, ...] = (1, 5, 7)
    word_dropout: float = 0.3
    action_dropout: float = 0.3
    cell_dropout: float = 0.1
    points: bool = False


class MultimodalLSTM(RecurrentPolicy):
    """The M-LSTM, for `words` known words."""

    layout = Layout(size=9, pad=PAD, start=START, stop=STOP, first=3)

    def __init__(self, settings: MultimodalLSTMSettings, words: int) -> None:
        super().__init__()
        self.settings = settings
        self.channels = settings.channels
        self.points = settings.points
        self.embedding = nn.Embedding(words + 3, settings.word_width, padding_idx=PAD)
        self.encoder = TwoWayLSTM(settings.word_width, settings.width)
        self.grid = GridConvolutions(settings.channels, settings.filters, settings.kernels, settings.cell_dropout)
        self.decoder = ActionDecoder(
            self.layout,
            width=settings.width,
            word_width=settings.width,
            cell_width=settings.filters * len(settings.kernels),
            summary_width=settings.width,
            dropout=settings.action_dropout,
            reads_all=True,
        )

    def encode(self, words: Tensor, word_count: Tensor, grid: Tensor, told: Tensor | None = None) -> Memory:  # noqa: ARG002
        """Encode the command, between its start and end tokens, and the grid."""
        rows, count = _wrap(words, word_count)
        embedded = functional.dropout(self.embedding(rows), self.settings.word_dropout, self.training)
        read = self.encoder(embedded, count)
        is_word = torch.arange(rows.shape[1], device=rows.device) < count[:, None]
        return self.decoder.encode(
            (read.onward + read.backward).to(self.computes_in),
            is_word,
            self.grid(grid.to(self.computes_in)),
            (read.last_onward + read.last_backward).to(self.computes_in),
        )


def _wrap(words: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows of the word table, between the start and end tokens."""
    rows = torch.where(words > 0, words + 2, PAD)
    rows = functional.pad(rows, (1, 1), value=PAD)
    rows[:, 0] = START
    place = torch.arange(rows.shape[1], device=rows.device)
    return torch.where(place == count[:, None] + 1, STOP, rows), count + 2
