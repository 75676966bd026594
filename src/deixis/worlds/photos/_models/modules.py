"""Parts of the modular models: reading, matching, and the module of the subject (Yu et al. 2018).

    rescaled(x) = x / |x| * size
    attention(x_1 .. x_n; phrase) = softmax_i(energy · tanh(W [x_i; phrase] + b))
    matching(seen, said) = cosine of two vectors, each from Linear, norm, ReLU, dropout, Linear, norm

Each module hears the mean of the words, as they are before the LSTM, weighted by an attention that comes from what the
LSTM made of them. Of a text without words nothing is heard: its phrases are zeros. The maps of attention and of
matching that come first are linear, so whatever they make of what is seen does not depend on what is said: it is kept,
and added up or weighted later.

The module of the subject sees what a region looks like, cell by cell, where the phrase leads the eye. It also tells
which of the most frequent words hold of the region, and learns what to look for from that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import torch
from torch import nn
from torch.nn import functional

from deixis.learn._layers import MASKED_SCORE, TwoWayLSTM
from deixis.worlds.photos._models.regions import Words, join_rows, take_rows


if TYPE_CHECKING:
    from torch import Tensor


MODULES = ("subject", "location", "relationship")
SUBJECT, LOCATION, RELATIONSHIP = range(3)
LOT = 64  # texts that a CPU reads together


class EncodedText(NamedTuple):
    """A text as the modules hear it.

    Shapes:
        weights: float [text, module], how much each counts. phrases: float [text, module, width].
        attention: float [text, module, step], zero after the end.
    """

    weights: Tensor
    phrases: Tensor
    attention: Tensor


class ModularLanguage(nn.Module):
    """The encoder of words as phrases, for a vocabulary of `words` entries."""

    def __init__(self, words: int, width: int, dropout: float) -> None:
        super().__init__()
        self.word = nn.Embedding(words, width)
        self.dropout = nn.Dropout(dropout)
        self.embed = nn.Linear(width, width)
        self.lstm = TwoWayLSTM(width, width)
        self.weight = nn.Linear(2 * width, len(MODULES))
        self.attention = nn.Linear(2 * width, len(MODULES))

    def forward(self, said: Words, first: Tensor | None = None) -> EncodedText:
        """Read texts.

        `first`, float [text, width], is read before the words and is no word itself. A CPU reads texts of about the
        same length together, so that it reads little padding.
        """
        if said.words.device.type != "cpu" or len(said) <= LOT:
            return self._read(said, first)
        order, steps = said.count.argsort(stable=True), said.words.shape[1]
        lots = []
        for rows in order.split(LOT):
            most = max(1, int(said.count[rows[-1]]))
            some = Words(said.words[rows, :most], said.count[rows])
            read = self._read(some, None if first is None else first[rows])
            lots.append(read._replace(attention=functional.pad(read.attention, (0, steps - most))))
        return take_rows(join_rows(lots), order.argsort())

    def _read(self, said: Words, first: Tensor | None) -> EncodedText:
        """Read texts that are all padded to one length."""
        words = functional.relu(self.embed(self.dropout(self.word(said.words))))
        given = words if first is None else torch.cat((first[:, None], words), dim=1)
        before = given.shape[1] - words.shape[1]
        count = said.count + before
        read = self.lstm(given, count)
        last = torch.cat((read.last_onward, read.last_backward), dim=-1) * (count > 0)[:, None]
        states = torch.cat((read.onward, read.backward), dim=-1)[:, before:]
        attention = _over_words(self.attention(states), said.count)
        return EncodedText(torch.softmax(self.weight(last), dim=-1), attention @ words, attention)


def _over_words(energies: Tensor, count: Tensor) -> Tensor:
    """Attention over the words that are there: float [text, step, module] -> float [text, module, step]."""
    is_word = (torch.arange(energies.shape[1], device=count.device) < count[:, None])[:, None]
    return torch.softmax(energies.transpose(1, 2).masked_fill(~is_word, MASKED_SCORE), dim=-1) * is_word


class Rescale(nn.Module):
    """A vector's direction, times a learned size for each of its numbers."""

    def __init__(self, width: int, size: float) -> None:
        super().__init__()
        self.size = nn.Parameter(torch.full((width,), size))

    def forward(self, x: Tensor) -> Tensor:
        """Rescale float [..., width], with zeros unchanged."""
        return functional.normalize(x, dim=-1) * self.size


class Attention(nn.Module):
    """Attention over several vectors, given a phrase."""

    def __init__(self, seen: int, phrase: int, width: int) -> None:
        super().__init__()
        self.seen = seen
        self.joint = nn.Linear(seen + phrase, width)
        self.energy = nn.Linear(width, 1)

    def see(self, seen: Tensor) -> Tensor:
        """Return the share of vectors in the argument of the tanh: float [..., seen] -> float [..., width]."""
        return functional.linear(seen, self.joint.weight[:, : self.seen], self.joint.bias)

    def hear(self, phrase: Tensor) -> Tensor:
        """Return the share of phrases in it: float [..., phrase] -> float [..., width]."""
        return functional.linear(phrase, self.joint.weight[:, self.seen :])

    def energies(self, seen: Tensor, heard: Tensor) -> Tensor:
        """Return the attention score of each vector.

        Shapes:
            seen: float [..., vector, width]. heard: float [..., width]. Returns float [..., vector].
        """
        return self.energy((seen + heard[..., None, :]).tanh_())[..., 0]


class Side(nn.Module):
    """One side of a matching."""

    def __init__(self, channels: int, width: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.Linear(channels, width)
        self.first_norm = nn.BatchNorm1d(width)
        self.dropout = nn.Dropout(dropout)
        self.second = nn.Linear(width, width)
        self.second_norm = nn.BatchNorm1d(width)

    def forward(self, x: Tensor) -> Tensor:
        """Return vectors of length one: float [..., channel] -> float [..., width]."""
        return self.finish(self.first(x))

    def finish(self, x: Tensor) -> Tensor:
        """Finish the map after its first linear layer: float [..., width] in and out."""
        rows = self.dropout(functional.relu(self.first_norm(x.flatten(0, -2))))
        return functional.normalize(self.second_norm(self.second(rows)), dim=-1).view(x.shape)


class Matching(nn.Module):
    """The fit of vectors and a phrase, from -1 to 1."""

    def __init__(self, seen: int, phrase: int, width: int, dropout: float) -> None:
        super().__init__()
        self.seen = Side(seen, width, dropout)
        self.said = Side(phrase, width, dropout)

    def match_mean(self, attention: Tensor, firsts: Tensor, said: Tensor) -> Tensor:
        """Return the fit of the mean of several vectors, weighted by attention.

        Shapes:
            attention: float [..., vector]. firsts: float [..., vector, width], what the first linear map makes of each.
            said: float [..., width], embedded. Returns float [...].
        """
        mean = (attention[..., None, :] @ firsts)[..., 0, :]
        return (self.seen.finish(mean) * said).sum(-1)


class SubjectSizes(Protocol):
    """The settings of a model that the module takes."""

    @property
    def low(self) -> int:
        """Channels early in the encoder."""

    @property
    def high(self) -> int:
        """Channels late in it."""

    @property
    def width(self) -> int:
        """Of what is seen and said."""

    @property
    def attributes(self) -> int:
        """The number of attributes."""

    @property
    def size(self) -> float:
        """Initial scale of rescaled vectors."""

    @property
    def dropout(self) -> float:
        """Of matching."""

    @property
    def attribute_dropout(self) -> float:
        """Before attributes are told."""


class SeenSubject(NamedTuple):
    """A region, encoded without any text.

    Shapes:
        cells: float [region, cell, width], what each adds to the attention. firsts: float [region, cell, width], what
            each adds to the matching. attributes: float [region, attribute], logits.
    """

    cells: Tensor
    firsts: Tensor
    attributes: Tensor


class Subject(nn.Module):
    """The module of the subject: features of a region, and how well they fit."""

    def __init__(self, sizes: SubjectSizes) -> None:
        super().__init__()
        low, high, width = sizes.low, sizes.high, sizes.width
        self.low, self.high = Rescale(low, sizes.size), Rescale(high, sizes.size)
        self.look, self.phrase = Rescale(width, sizes.size), Rescale(width, sizes.size)
        self.fuse = nn.Linear(low + high, width)
        self.fuse_norm = nn.BatchNorm1d(width)
        self.attribute_dropout = nn.Dropout(sizes.attribute_dropout)
        self.attribute = nn.Linear(width, sizes.attributes)
        self.attention = Attention(high + width, width, width)
        self.matching = Matching(high + width, width, width, sizes.dropout)

    def see(self, low: Tensor, high: Tensor) -> SeenSubject:
        """Encode regions, float [region, channel, cell] each."""
        high = self.high(high.transpose(1, 2))
        fused = self.fuse(torch.cat((self.low(low.transpose(1, 2)), high), dim=-1))
        looks = functional.relu(self.fuse_norm(fused.flatten(0, 1))).view(fused.shape)
        attributes = self.attribute(self.attribute_dropout(looks.mean(1)))
        cells = torch.cat((high, self.look(looks)), dim=-1)
        return SeenSubject(self.attention.see(cells), self.matching.seen.first(cells), attributes)

    def hear(self, phrase: Tensor) -> tuple[Tensor, Tensor]:
        """Return the share of a phrase in the attention, and the vector to match, float [text, width]."""
        return self.attention.hear(self.phrase(phrase)), self.matching.said(phrase)

    def look_at(self, cells: Tensor, heard: Tensor) -> Tensor:
        """Attention over cells: float [..., cell], from float [..., cell, width] and float [..., width]."""
        return torch.softmax(self.attention.energies(cells, heard), dim=-1)
