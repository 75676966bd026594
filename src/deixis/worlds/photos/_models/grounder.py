"""GroundeR: the whole text against the whole region (Rohrbach et al. 2016, with all answers given).

    fit = w · ReLU(W [norm(text); norm(region)] + b) + c

The region is what is pooled late in an encoder, as published; with `sees_early` also what is pooled early in it, where
colours and textures are. It learns by choosing among the regions of one image. What it then compares across images are
these fits, not the shares of a softmax, which say nothing of other images. It makes no use of pairs that were mined.
2,336,147 parameters and 500 for each word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from deixis.learn._layers import MASKED_SCORE
from deixis.worlds.photos._models.regions import pieces


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.photos._models.regions import Lesson, Regions, Words


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseGrounderSettings:
    """The sizes of the model, by default the published ones, with the channels of the features used here.

    Attributes:
        high: channels of what is pooled of a region.
        low: channels of what is pooled early, which count with `sees_early` only.
        sees_early: whether what is pooled early is seen as well.
        sees_place: whether the place of a region is seen as well; Cops-Ref's paper does not say.
    """

    high: int = 2048
    low: int = 0
    sees_early: bool = False
    sees_place: bool = True
    width: int = 500
    joint: int = 128


class HeardPhrase(NamedTuple):
    """The share of texts in the hidden layer: float [text, joint]."""

    hidden: Tensor


class SeenRegion(NamedTuple):
    """The share of regions in the hidden layer: float [region, joint]."""

    hidden: Tensor


class PhraseGrounder(nn.Module):
    """The model, for a vocabulary of `words` entries."""

    reads_images = False
    numbers_at_once = 2**26  # in `dense`

    def __init__(self, settings: PhraseGrounderSettings, words: int) -> None:
        super().__init__()
        self.settings = settings
        self.channels = settings.high + settings.low * settings.sees_early + 5 * settings.sees_place
        self.word = nn.Embedding(words, settings.width)
        self.lstm = nn.LSTM(settings.width, settings.width, batch_first=True)
        self.said_norm = nn.BatchNorm1d(settings.width)
        self.seen_norm = nn.BatchNorm1d(self.channels)
        self.joint = nn.Linear(settings.width + self.channels, settings.joint)
        self.score = nn.Linear(settings.joint, 1)
        nn.init.xavier_uniform_(self.word.weight)
        for weight in self.lstm.parameters():
            nn.init.uniform_(weight, -0.08, 0.08)
        for layer in (self.joint, self.score):
            nn.init.kaiming_normal_(layer.weight)
            nn.init.zeros_(layer.bias)

    def read(self, said: Words, whole: Tensor | None = None) -> HeardPhrase:  # noqa: ARG002
        """Return the last state of the LSTM, or zeros for a text without words."""
        states, _ = self.lstm(self.word(said.words))
        last = states[torch.arange(len(states), device=states.device), (said.count - 1).clamp(min=0)]
        heard = self.said_norm(last * (said.count > 0)[:, None])
        return HeardPhrase(functional.linear(heard, self.joint.weight[:, : self.settings.width], self.joint.bias))

    def see(self, regions: Regions) -> SeenRegion:
        """Encode the pooled features and the place of regions."""
        return self._see(regions.low, regions.pooled, regions.place)

    def fit(self, query: HeardPhrase, seen: SeenRegion) -> Tensor:
        """Return the fit of each region and its text, an unbounded number: float [pair]."""
        return self.score(functional.relu(query.hidden + seen.hidden))[..., 0]

    def dense(self, query: HeardPhrase, seen: SeenRegion, rows: Tensor) -> Tensor:
        """Return the fit of regions: float [text, region]."""
        parts = [
            self.fit(HeardPhrase(query.hidden[part, None]), SeenRegion(seen.hidden[rows[part]].to(query.hidden.dtype)))
            for part in pieces(rows, 2 * self.settings.joint, self.numbers_at_once)
        ]
        return torch.cat(parts)

    def loss(self, lesson: Lesson) -> tuple[Tensor, dict[str, Tensor]]:
        """The cross-entropy of the target among the regions of its image."""
        heard, there = self.read(lesson.said).hidden, lesson.there
        where = there.flatten().nonzero()[:, 0]
        rows = lesson.rows.flatten()[where]
        table = lesson.table
        hidden = self._see(table.low[rows].float(), table.pooled[rows].float(), table.place[rows]).hidden
        seen = hidden.new_zeros(there.numel(), hidden.shape[1]).index_copy(0, where, hidden).view(*there.shape, -1)
        fits = self.fit(HeardPhrase(heard[:, None]), SeenRegion(seen)).masked_fill(~there, MASKED_SCORE)
        loss = functional.cross_entropy(fits, lesson.place)
        return loss, {"choice": loss.detach(), "right": (fits.argmax(1) == lesson.place).float().mean()}

    def _see(self, low: Tensor, pooled: Tensor, place: Tensor) -> SeenRegion:
        parts = [pooled]
        if self.settings.sees_early:
            parts.append(low.mean(2))
        if self.settings.sees_place:
            parts.append(place)
        seen = self.seen_norm(torch.cat(parts, dim=1))
        return SeenRegion(functional.linear(seen, self.joint.weight[:, self.settings.width :]))
