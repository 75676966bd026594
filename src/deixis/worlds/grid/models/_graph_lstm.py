"""GCN-LSTM: messages in a graph of what stands on the grid, guided by the command.

Every occupied cell is a node, every node is linked to every other. In four rounds the command chooses which words
matter, and each node gathers from the others what those words ask for. Then convolutions see where the nodes stand, and
the decoder of M-LSTM says the plan.

All cells are computed, occupied or not, and what is not a node is masked: the same sums as over a graph, without one.

524,336 parameters learn, with ReaSCAN's 35 words; the published module registers 540,976, of which 16,384 are never
used and 256 are frozen at zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional

from deixis.learn._layers import MASKED_SCORE, EncodedWords, TwoWayLSTM
from deixis.worlds.grid.models._recurrent import ActionDecoder, GridConvolutions, Memory, RecurrentPolicy
from deixis.worlds.grid.models.policy import Layout


if TYPE_CHECKING:
    from torch import Tensor


PAD = 1  # of the table of words, in which 0 is a word that nobody knows
PARTS = (4, 4, 4, 5)  # channels of size, shape, colour, and of the agent


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphLSTMSettings:
    """The sizes of a GCN-LSTM, by default those of the published runs.

    Attributes:
        action_dropout: share of an action's vector that is left out. The published code drops 0.85 where it meant to
            keep 0.85; 0.15 is what was meant.
        scaled: whether the scores by which nodes choose whom to hear are divided by the root of the width. The
            published configuration says so, the published code does not; undivided, they grow with every round.
        points: whether the first look at the cells is scored as pointing at the target; no parameter more.
    """

    word_width: int = 32
    width: int = 64
    rounds: int = 4
    kernels: tuple[int, ...] = (1, 5, 7)
    word_dropout: float = 0.2
    command_dropout: float = 0.08
    node_dropout: float = 0.15
    cell_dropout: float = 0.1
    action_dropout: float = 0.15
    scaled: bool = False
    points: bool = False


class GraphLSTM(RecurrentPolicy):
    """The GCN-LSTM, for `words` known words."""

    layout = Layout(size=10, pad=PAD, start=2, stop=3, first=4)
    channels = sum(PARTS)

    def __init__(self, settings: GraphLSTMSettings, words: int) -> None:
        super().__init__()
        self.settings = settings
        self.points = settings.points
        width = settings.width
        self.embedding = nn.Embedding(words + 2, settings.word_width, padding_idx=PAD)
        self.encoder = TwoWayLSTM(settings.word_width, width // 2)
        for lstm in (self.encoder.onward, self.encoder.backward):
            _start_lstm(lstm)
        self.look = nn.ModuleList(nn.Linear(channels, width // 4, bias=False) for channels in PARTS)
        self.messages = MessagePassing(width, settings.rounds, settings.node_dropout, scaled=settings.scaled)
        self.grid = GridConvolutions(width, width, settings.kernels, settings.cell_dropout)
        self.decoder = ActionDecoder(
            self.layout,
            width=width,
            word_width=width,
            cell_width=width * len(settings.kernels),
            summary_width=width,
            dropout=settings.action_dropout,
            reads_all=False,
        )

    def compile_parts(self) -> None:
        """Let torch compile the rounds of messages, which are many small operations."""
        self.messages.compile(dynamic=False)

    def encode(self, words: Tensor, word_count: Tensor, grid: Tensor, told: Tensor | None = None) -> Memory:  # noqa: ARG002
        """Encode the command, pass messages between the nodes, and add where they stand."""
        words = functional.pad(words, (0, max(0, 1 - words.shape[1])))  # where no command has a word, one place stays
        rows = torch.where(words > 0, words + 1, PAD)
        embedded = functional.dropout(self.embedding(rows), self.settings.word_dropout, self.training)
        read: EncodedWords = self.encoder(embedded, word_count)
        said = torch.cat((read.onward, read.backward), dim=-1)
        summary = torch.cat((read.last_onward, read.last_backward), dim=-1)
        summary = functional.dropout(summary, self.settings.command_dropout, self.training)
        is_word = torch.arange(rows.shape[1], device=rows.device) < word_count[:, None]
        said = torch.where(is_word[:, :, None], said, 0)

        is_node = grid.sum(-1) > 0
        parts = (layer(part) for layer, part in zip(self.look, grid.split(PARTS, dim=-1), strict=True))
        looks = torch.cat(tuple(parts), dim=-1)
        is_lower = self.computes_in != torch.float32
        with torch.autocast(grid.device.type, self.computes_in, enabled=is_lower, cache_enabled=False):
            nodes = self.messages(looks, is_node, said, is_word, summary)
        cells = self.grid((nodes * is_node[:, :, None]).to(self.computes_in))
        return self.decoder.encode(said.to(self.computes_in), is_word, cells, summary.to(self.computes_in))


class MessagePassing(nn.Module):
    """Rounds with shared weights in which every node gathers from all others what the command asks for.

    With x what a node looks like, m what it has gathered, k what the command attends to in a round:

        f = W4 x ∘ W5 m          g = [x; m; f]
        i tells j:  softmax over i ≠ j of (W7 g_i ∘ W8 k) · W6 g_j,  the message  W9 g_i ∘ W10 k
        m ← W11 m + W11' Σ messages          and in the end  W12 [x; m]

    Where they are `scaled`, the scores are divided by the root of the width first.
    """

    def __init__(self, width: int, rounds: int, dropout: float, *, scaled: bool = False) -> None:
        super().__init__()
        self.rounds, self.dropout = rounds, dropout
        self.scale = width**-0.5 if scaled else 1.0

        def linear(inputs: int, *, bias: bool = False) -> nn.Linear:
            return nn.Linear(inputs, width, bias=bias)

        self.node = linear(width)
        self.nothing_yet = nn.Parameter(torch.randn(width))
        self.relevance = nn.Linear(width, 1, bias=False)
        self.wish = linear(width, bias=True)
        self.wish_of_round = nn.ModuleList(linear(width) for _ in range(rounds))
        self.from_node, self.from_gathered = linear(width), linear(width)
        self.receiver, self.sender, self.content = linear(3 * width), linear(3 * width), linear(3 * width)
        self.asked, self.asked_content = linear(width), linear(width)
        self.keep, self.add = linear(width), linear(width)
        self.result = linear(2 * width)

    def forward(self, looks: Tensor, is_node: Tensor, said: Tensor, is_word: Tensor, summary: Tensor) -> Tensor:
        """Return the states of all nodes after the last round.

        Shapes:
            looks: float [example, cell, width]; is_node: bool [example, cell].
            said: float [example, word, width]; is_word: bool [example, word]; summary: float [example, width].
        """
        x = self.node(looks)
        m = self.nothing_yet.expand_as(x)
        cells = torch.arange(x.shape[1], device=x.device)
        may_tell = is_node[:, :, None] & is_node[:, None, :] & (cells[:, None] != cells)
        for k in self.attend(said, is_word, summary):
            f = self.from_node(self._drop(x)) * self.from_gathered(self._drop(m))
            g = torch.cat((x, m, f), dim=-1)
            scores = self.receiver(g) @ (self.sender(g) * self.asked(k)[:, None]).transpose(1, 2)
            weights = (
                torch.softmax((scores.float() * self.scale).masked_fill(~may_tell, MASKED_SCORE), dim=-1) * may_tell
            )
            m = self.keep(m) + self.add(weights.to(g.dtype) @ (self.content(g) * self.asked_content(k)[:, None]))
        return self.result(torch.cat((x, m), dim=-1))

    def attend(self, said: Tensor, is_word: Tensor, summary: Tensor) -> list[Tensor]:
        """Compute the context of the command in every round, float [example, width] each."""
        wish = functional.relu(self.wish(summary))
        found = []
        for of_round in self.wish_of_round:
            scores = self.relevance(said * of_round(wish)[:, None]).squeeze(-1)
            weights = torch.softmax(scores.float().masked_fill(~is_word, MASKED_SCORE), dim=-1)
            found.append((weights[:, None].to(said.dtype) @ said).squeeze(1))
        return found

    def _drop(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)


def _start_lstm(lstm: nn.LSTM) -> None:
    """The published start: small uniform matrices, a gate that forgets little, one bias of two held at zero."""
    width = lstm.hidden_size
    bound = (3 / (3 * width)) ** 0.5
    of = dict(lstm.named_parameters())
    with torch.no_grad():
        of["weight_ih_l0"].uniform_(-bound, bound)
        of["weight_hh_l0"].uniform_(-bound, bound)
        of["bias_ih_l0"].zero_()
        of["bias_ih_l0"][width : 2 * width] = 1
        of["bias_hh_l0"].zero_()
    of["bias_hh_l0"].requires_grad_(False)
