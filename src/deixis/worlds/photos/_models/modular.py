"""MattNet: a subject, a location and a relationship, each heard in its words and matched by itself (Yu et al. 2018).

    fit = w_subject s_subject + w_location s_location + w_relationship s_relationship, between -1 and 1

An attention led by the phrase looks at the cells of a region for the subject. The location is where the region is, and
where others of its category are. The relationship is with that one of five regions around that fits best. With pairs
that were mined for each module it is MattNet-Mine (Chen et al. 2020). 12,931,676 parameters and 512 for each word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from deixis.worlds.photos._models.modules import (
    LOCATION,
    MODULES,
    RELATIONSHIP,
    SUBJECT,
    Matching,
    ModularLanguage,
    Rescale,
    Subject,
)
from deixis.worlds.photos._models.ranking import attribute_loss, lots_of, mined_loss, pair_rows, rank_loss
from deixis.worlds.photos._models.regions import AROUND, pair_pieces, take_rows


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.photos._models.regions import Lesson, Regions, Words


@dataclass(frozen=True, slots=True, kw_only=True)
class ModularGrounderSettings:
    """The sizes of the model, by default the published ones.

    Attributes:
        low, high: channels of the features of cells. attributes: frequent words to be told from a region.
        size: that vectors are first scaled to.
    """

    low: int = 1024
    high: int = 2048
    width: int = 512
    attributes: int = 50
    size: float = 20.0
    word_dropout: float = 0.5
    attribute_dropout: float = 0.2
    dropout: float = 0.1
    margin: float = 0.1
    attribute_weight: float = 1.0
    mined_weight: float = 1.0


class ModularQuery(NamedTuple):
    """Captions as tokens, with their lengths.

    Shapes:
        weights: float [text, module]. glance: float [text, width], what the subject adds to the attention over cells.
        subject, location, relationship: float [text, width], what is matched.
    """

    weights: Tensor
    glance: Tensor
    subject: Tensor
    location: Tensor
    relationship: Tensor


class ModularSeen(NamedTuple):
    """Regions as the modules see them.

    Shapes:
        cells, firsts, attributes: see `SeenSubject`. location: float [region, width].
        relationship: float [region, 5, width], zeros where there is no region around.
    """

    cells: Tensor
    firsts: Tensor
    attributes: Tensor
    location: Tensor
    relationship: Tensor


class ModularGrounder(nn.Module):
    """The model, for a vocabulary of `words` entries."""

    reads_images = False
    numbers_at_once = 2**26  # in `dense`

    def __init__(self, settings: ModularGrounderSettings, words: int) -> None:
        super().__init__()
        self.settings, width, size = settings, settings.width, settings.size
        self.language = ModularLanguage(words, width, settings.word_dropout)
        self.subject = Subject(settings)
        self.place, self.alike = Rescale(5, size), Rescale(5 * AROUND, size)
        self.location = nn.Linear(5 + 5 * AROUND, width)
        self.location_matching = Matching(width, width, width, settings.dropout)
        self.near, self.near_place = Rescale(settings.high, size), Rescale(5, size)
        self.relationship = nn.Linear(settings.high + 5, width)
        self.relationship_matching = Matching(width, width, width, settings.dropout)

    def phrases(self, said: Words) -> dict[str, Tensor]:
        """Return the phrase of each module, to find texts that are easily confused: float [text, width] each."""
        return dict(zip(MODULES, self.language(said).phrases.unbind(1), strict=True))

    def read(self, said: Words, whole: Tensor | None = None) -> ModularQuery:  # noqa: ARG002
        """Encode texts: the phrase of each module, and its weight."""
        heard = self.language(said)
        phrases = heard.phrases
        return ModularQuery(
            heard.weights,
            *self.subject.hear(phrases[:, SUBJECT]),
            self.location_matching.said(phrases[:, LOCATION]),
            self.relationship_matching.said(phrases[:, RELATIONSHIP]),
        )

    def see(self, regions: Regions) -> ModularSeen:
        """Each region by itself, where it is, and what is around it."""
        places = torch.cat((self.place(regions.place), self.alike(regions.alike.flatten(1))), dim=-1)
        around = torch.cat((self.near(regions.near), self.near_place(regions.near_places)), dim=-1)
        related = self.relationship_matching.seen(self.relationship(around))
        return ModularSeen(
            *self.subject.see(regions.low, regions.high),
            self.location_matching.seen(self.location(places)),
            related * regions.is_near[..., None],
        )

    def fit(self, query: ModularQuery, seen: ModularSeen) -> Tensor:
        """Return the fit of each region and its text: float [pair], from -1 to 1.

        An empty place around a region scores zero, and wins where all that is there scores less, as published.
        """
        attention = self.subject.look_at(seen.cells, query.glance)
        related = (seen.relationship @ query.relationship[..., None])[..., 0]
        scores = (
            self.subject.matching.match_mean(attention, seen.firsts, query.subject),
            (seen.location * query.location).sum(-1),
            related.amax(-1),
        )
        return (query.weights * torch.stack(scores, dim=-1)).sum(-1)

    def dense(self, query: ModularQuery, seen: ModularSeen, rows: Tensor) -> Tensor:
        """Return the fit of regions: float [text, region]."""
        numbers = (3 * seen.cells.shape[1] + AROUND + 4) * self.settings.width
        pairs = pair_pieces(query, seen, rows, numbers=numbers, at_once=self.numbers_at_once, dtype=query.weights.dtype)
        return torch.cat([self.fit(*pair) for pair in pairs])

    def loss(self, lesson: Lesson) -> tuple[Tensor, dict[str, Tensor]]:
        """The ranking loss, that of the attributes of targets and, where pairs were mined, that of these."""
        settings, examples, lots = self.settings, len(lesson.target), lots_of(lesson)
        query, seen = self.read(lots.said), self.see(lesson.table.take(lots.regions))
        texts, regions = pair_rows(lots.pairs, examples, lesson.target.device)
        scores = self.fit(take_rows(query, texts), take_rows(seen, regions)).view(-1, examples)
        loss, told = rank_loss(scores, settings.margin)
        attributes = attribute_loss(seen.attributes[:examples], lesson)
        loss, told["attributes"] = loss + settings.attribute_weight * attributes, attributes.detach()
        if lesson.mined:
            mined = mined_loss(scores, settings.margin)
            loss, told["mined"] = loss + settings.mined_weight * mined, mined.detach()
        return loss, told
