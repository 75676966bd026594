"""How the modular models read: which words each module hears, and how much each module counts (Yu et al. 2018).

Each module hears the mean of the words, as they are before the LSTM, weighted by an attention that comes from what the
LSTM made of them. Of a text without words nothing is heard: its phrases are zeros.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from deixis.models.attention import FAR
from deixis.models.encoders import TwoWayLSTM


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.models.grounding.regions import Words


__all__ = ["LOCATION", "MODULES", "RELATIONSHIP", "SUBJECT", "Heard", "ModularLanguage"]

MODULES = ("subject", "location", "relationship")
SUBJECT, LOCATION, RELATIONSHIP = range(3)


class Heard(NamedTuple):
    """A text as the modules hear it.

    Shapes:
        weights: float [text, module], how much each counts. phrases: float [text, module, width].
        attention: float [text, module, step], zero after the end.
    """

    weights: Tensor
    phrases: Tensor
    attention: Tensor


class ModularLanguage(nn.Module):
    """Words to phrases; `words` is the number of entries of the vocabulary."""

    def __init__(self, words: int, width: int, dropout: float) -> None:
        super().__init__()
        self.word = nn.Embedding(words, width)
        self.dropout = nn.Dropout(dropout)
        self.embed = nn.Linear(width, width)
        self.lstm = TwoWayLSTM(width, width)
        self.weight = nn.Linear(2 * width, len(MODULES))
        self.attention = nn.Linear(2 * width, len(MODULES))

    def forward(self, said: Words, first: Tensor | None = None) -> Heard:
        """Read texts; `first`, float [text, width], is read before the words and is no word itself."""
        words = functional.relu(self.embed(self.dropout(self.word(said.words))))
        given = words if first is None else torch.cat((first[:, None], words), dim=1)
        before = given.shape[1] - words.shape[1]
        count = said.count + before
        read = self.lstm(given, count)
        last = torch.cat((read.last_onward, read.last_backward), dim=-1) * (count > 0)[:, None]
        states = torch.cat((read.onward, read.backward), dim=-1)[:, before:]
        attention = _over_words(self.attention(states), said.count)
        return Heard(torch.softmax(self.weight(last), dim=-1), attention @ words, attention)


def _over_words(energies: Tensor, count: Tensor) -> Tensor:
    """Attention over the words that are there: float [text, step, module] -> float [text, module, step]."""
    is_word = (torch.arange(energies.shape[1], device=count.device) < count[:, None])[:, None]
    return torch.softmax(energies.transpose(1, 2).masked_fill(~is_word, FAR), dim=-1) * is_word
