"""Layers that models of several worlds share: additive attention, and an LSTM that reads from both ends.

    score_j = energy · tanh(query + key_j)        weight = softmax(score)        context = Σ weight_j key_j

The values of attention are the keys themselves, as in the published models. `attend` is the definition; on a GPU
`deixis.learn._fused` computes the same without storing anything of the size of the keys, and a test holds the two
together.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional


if TYPE_CHECKING:
    from torch import Tensor


HAS_TRITON = find_spec("triton") is not None
MASKED_SCORE = -1e9  # of padding; finite, so that no row can become NaN


def attention_scores(query: Tensor, keys: Tensor, energy: Tensor) -> Tensor:
    """Compute the scores of keys for additive attention, float32 [example, key]; shapes as for `attend`."""
    return (torch.tanh(query[:, None, :] + keys) @ energy.to(keys.dtype)).float()


def attend(query: Tensor, keys: Tensor, energy: Tensor, is_there: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Compute additive attention: the context of every query, and the weights.

    Args:
        query: float [example, width].
        keys: float [example, key, width].
        energy: float [width].
        is_there: bool [example, key], False where a key is padding.

    Returns:
        context float [example, width], weights float32 [example, key].
    """
    scores = attention_scores(query, keys, energy)
    if is_there is not None:
        scores = scores.masked_fill(~is_there, MASKED_SCORE)
    weights = torch.softmax(scores, dim=-1)
    context = torch.bmm(weights[:, None, :].to(keys.dtype), keys).squeeze(1)
    return context, weights


def can_fuse(tensor: Tensor) -> bool:
    """Tell whether the kernels of `deixis.learn._fused` can be used for a tensor."""
    return tensor.is_cuda and HAS_TRITON


class EncodedWords(NamedTuple):
    """A command, encoded by an LSTM in both directions.

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
    """A bidirectional LSTM over the words of commands of different lengths, which ignores the padding."""

    computes_in: torch.dtype = torch.float32

    def __init__(self, word_width: int, width: int) -> None:
        super().__init__()
        self.onward = nn.LSTM(word_width, width, batch_first=True)
        self.backward = nn.LSTM(word_width, width, batch_first=True)

    def forward(self, words: Tensor, count: Tensor) -> EncodedWords:
        """Encode words, float [example, word, width], of which `count` are not padding."""
        place = torch.arange(words.shape[1], device=words.device)  # [word]
        mirrored = (count[:, None] - 1 - place) % words.shape[1]  # the padding stays behind the words
        onward, backward = self._both(words, _reorder(words, mirrored))
        last = (count - 1).clamp(min=0)[:, None]  # an empty command is one word of padding
        return EncodedWords(
            onward,
            _reorder(backward, mirrored),
            _reorder(onward, last).squeeze(1),
            _reorder(backward, last).squeeze(1),
        )

    def _both(self, words: Tensor, mirrored: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states of both LSTMs, each [example, word, width]."""
        if not can_fuse(words):
            return self.onward(words)[0], self.backward(mirrored)[0]
        from deixis.learn._fused import pad_blocks, scan

        pair = [dict(lstm.named_parameters()) for lstm in (self.onward, self.backward)]
        gates = [
            functional.linear(
                given.transpose(0, 1),
                pad_blocks(lstm["weight_ih_l0"], 4),
                pad_blocks(lstm["bias_ih_l0"] + lstm["bias_hh_l0"], 4),
            )
            for lstm, given in zip(pair, (words, mirrored), strict=True)
        ]
        weight = torch.stack([pad_blocks(lstm["weight_hh_l0"], 4, 1).t() for lstm in pair])
        states = scan(torch.stack(gates, dim=1).to(self.computes_in), weight.to(self.computes_in))
        onward, backward = (part.transpose(0, 1)[:, :, : self.onward.hidden_size] for part in states.unbind(1))
        return onward.to(words.dtype), backward.to(words.dtype)


def _reorder(rows: Tensor, order: Tensor) -> Tensor:
    return rows.gather(1, order[:, :, None].expand(-1, -1, rows.shape[2]))
