"""CM-Att-Erase: MattNet that reads with the image in view, and that learns without what it relies on (Liu et al. 2019).

Reading begins with a glimpse of the whole image. The phrase leads the eye to cells, and also to places and to regions
around. In a second stage of training (`erases`) what these attentions rely on is taken away at random, with torch's own
generator: a word of the text, or a block of cells, a place or a region around the target. What is left has to be enough
to tell the right pair from a wrong one. Nothing is erased when the model is used. 16,142,411 parameters and 512 for
each word.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from deixis.worlds.photos._models.modules import (
    LOCATION,
    MODULES,
    RELATIONSHIP,
    SUBJECT,
    Attention,
    EncodedText,
    Matching,
    ModularLanguage,
    Rescale,
    Subject,
)
from deixis.worlds.photos._models.ranking import attribute_loss, hinge, lots_of, mined_loss, pair_rows, rank_loss
from deixis.worlds.photos._models.regions import (
    AROUND,
    UNKNOWN,
    Regions,
    Words,
    join_rows,
    join_words,
    pair_pieces,
    take_rows,
)


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.photos._models.regions import Lesson


SHORTEST = 3  # words of a text from which one can be erased


def without_word(said: Words, attention: Tensor) -> Words:
    """Replace one word of each text, drawn by attention [text, step], by the unknown word.

    Texts of one or two words stay as they are.
    """
    is_long = (said.count >= SHORTEST)[:, None]
    erased = draw_one(torch.where(is_long, attention, 1.0)) & is_long
    return Words(said.words.masked_fill(erased, UNKNOWN), said.count)


def draw_block(attention: Tensor, block: int) -> Tensor:
    """A square of cells drawn by the attention inside it: float [region, cell] -> bool [region, cell]."""
    side = isqrt(attention.shape[1])
    squares = functional.avg_pool2d(attention.view(-1, 1, side, side), block, stride=1)
    first = draw_one(squares.flatten(1)).view(squares.shape).float()  # where the square has its first cell
    grown = functional.conv_transpose2d(first, first.new_ones(1, 1, block, block))
    return grown.flatten(1) > 0.5


def without(regions: Regions, cells: Tensor, places: Tensor, around: Tensor) -> Regions:
    """Regions with zeros for cells, bool [region, cell], places, [region, 6], and regions around, [region, 5]."""
    return Regions(
        low=regions.low.masked_fill(cells[:, None], 0),
        high=regions.high.masked_fill(cells[:, None], 0),
        pooled=regions.pooled,
        place=regions.place.masked_fill(places[:, :1], 0),
        alike=regions.alike.masked_fill(places[:, 1:, None], 0),
        near=regions.near.masked_fill(around[..., None], 0),
        near_places=regions.near_places.masked_fill(around[..., None], 0),
        is_near=regions.is_near & ~around,
    )


def draw_one(weights: Tensor) -> Tensor:
    """Draw one of each row by its weight: float [row, choice] -> bool [row, choice]."""
    return torch.zeros_like(weights, dtype=torch.bool).scatter_(1, draw_index(weights)[:, None], value=True)


def draw_index(weights: Tensor) -> Tensor:
    """Draw the number of one of each row by its weight: float [row, choice] -> int64 [row].

    The first of several clocks that ring at such rates; `torch.multinomial` would wait for the device.
    """
    return (weights / torch.empty_like(weights).exponential_()).argmax(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasingGrounderSettings:
    """The sizes of the model, by default the published ones, with words learned from scratch.

    Attributes:
        low, high: channels of the features of cells. attributes: frequent words to be told from a region.
        size: that vectors are first scaled to. bottleneck: channels inside the glimpse of the whole image.
        block: cells along a side of what is erased of a region; two of seven, and as large a share of other sides,
            unless it is given.
    """

    low: int = 1024
    high: int = 2048
    width: int = 512
    attributes: int = 50
    size: float = 20.0
    bottleneck: int = 256
    block: int | None = None
    word_dropout: float = 0.5
    attribute_dropout: float = 0.2
    dropout: float = 0.1
    margin: float = 0.1
    attribute_weight: float = 1.0
    mined_weight: float = 1.0
    erased_word_weight: float = 1.0
    erased_sight_weight: float = 1.0

    def block_of(self, side: int) -> int:
        """Cells along a side of what is erased of a region of so many."""
        return min(side, self.block or max(1, round(2 * side / 7)))


class ErasingQuery(NamedTuple):
    """Texts as the modules read them, in view of an image.

    Shapes:
        weights: float [text, module]. glances: float [text, 4, width], what is added to the attention over cells, its
            own place, places of others alike, and regions around. vectors: float [text, module, width], to be matched.
    """

    weights: Tensor
    glances: Tensor
    vectors: Tensor


class ErasingSeen(NamedTuple):
    """Regions as the modules see them: what is added to the attention, and to the matching.

    Shapes:
        cells, firsts, attributes: see `SeenSubject`. places, place_firsts: float [region, 6, width], its own first.
        around, around_firsts: float [region, 5, width].
    """

    cells: Tensor
    firsts: Tensor
    attributes: Tensor
    places: Tensor
    place_firsts: Tensor
    around: Tensor
    around_firsts: Tensor


class Looks(NamedTuple):
    """The attention of a model over cells [..., cell], places [..., 6] and regions around [..., 5]."""

    cells: Tensor
    places: Tensor
    around: Tensor


class ErasingGrounder(nn.Module):
    """The model, for a vocabulary of `words` entries.

    `erases` is for the second stage.
    """

    reads_images = True
    numbers_at_once = 2**26  # in `dense`

    def __init__(self, settings: ErasingGrounderSettings, words: int) -> None:
        super().__init__()
        self.settings, width, size = settings, settings.width, settings.size
        self.erases = False
        self.glimpse = Glimpse(settings.low, settings.bottleneck, width)
        self.language = ModularLanguage(words, width, settings.word_dropout)
        self.subject = Subject(settings)
        self.place, self.alike, self.location_phrase = Rescale(5, size), Rescale(5, size), Rescale(width, size)
        self.place_embed, self.alike_embed = nn.Linear(5, width), nn.Linear(5, width)
        self.place_attention, self.alike_attention = Attention(width, width, width), Attention(width, width, width)
        self.location_matching = Matching(width, width, width, settings.dropout)
        self.near, self.near_place = Rescale(settings.high, size), Rescale(5, size)
        self.relationship_phrase = Rescale(width, size)
        self.relationship = nn.Linear(settings.high + 5, width)
        self.near_attention = Attention(width, width, width)
        self.relationship_matching = Matching(width, width, width, settings.dropout)

    def phrases(self, said: Words, whole: Tensor) -> dict[str, Tensor]:
        """Return the phrase of each module in view of an image: float [text, width] each."""
        return dict(zip(MODULES, self._hear(said, whole).phrases.unbind(1), strict=True))

    def read(self, said: Words, whole: Tensor | None = None) -> ErasingQuery:
        """Encode texts: the phrase of each module, its weight, and what it adds to the attention."""
        return self._query(self._hear(said, whole))

    def see(self, regions: Regions) -> ErasingSeen:
        """Each region by itself, where it is, and what is around it."""
        own = functional.relu(self.place_embed(self.place(regions.place)))[:, None]
        others = functional.relu(self.alike_embed(self.alike(regions.alike)))
        around = torch.cat((self.near(regions.near), self.near_place(regions.near_places)), dim=-1)
        related = self.relationship(around)
        return ErasingSeen(
            *self.subject.see(regions.low, regions.high),
            torch.cat((self.place_attention.see(own), self.alike_attention.see(others)), dim=1),
            self.location_matching.seen.first(torch.cat((own, others), dim=1)),
            self.near_attention.see(related),
            self.relationship_matching.seen.first(related),
        )

    def fit(self, query: ErasingQuery, seen: ErasingSeen) -> Tensor:
        """Return the fit of each region and its text: float [pair], from -1 to 1."""
        looks = self.looks(query, seen)
        subject, location, relationship = query.vectors.unbind(-2)
        scores = (
            self.subject.matching.match_mean(looks.cells, seen.firsts, subject),
            self.location_matching.match_mean(looks.places, seen.place_firsts, location),
            self.relationship_matching.match_mean(looks.around, seen.around_firsts, relationship),
        )
        return (query.weights * torch.stack(scores, dim=-1)).sum(-1)

    def looks(self, query: ErasingQuery, seen: ErasingSeen) -> Looks:
        """Return the attention of the model for each pair."""
        cells, own, alike, near = query.glances.unbind(-2)
        places = (
            self.place_attention.energies(seen.places[..., :1, :], own),
            self.alike_attention.energies(seen.places[..., 1:, :], alike),
        )
        return Looks(
            self.subject.look_at(seen.cells, cells),
            torch.softmax(torch.cat(places, dim=-1), dim=-1),
            torch.softmax(self.near_attention.energies(seen.around, near), dim=-1),
        )

    def dense(self, query: ErasingQuery, seen: ErasingSeen, rows: Tensor) -> Tensor:
        """Return the fit of regions: float [text, region].

        Those of a row have to be of the image that was in view.
        """
        numbers = 3 * (seen.cells.shape[1] + 2 * AROUND + 1) * self.settings.width
        pairs = pair_pieces(query, seen, rows, numbers=numbers, at_once=self.numbers_at_once, dtype=query.weights.dtype)
        return torch.cat([self.fit(*pair) for pair in pairs])

    def loss(self, lesson: Lesson) -> tuple[Tensor, dict[str, Tensor]]:
        """Return the losses of ranking, attributes and mined pairs, and in the second stage those of erasing.

        Every text is read in view of the image that its region is from, as it is when the model is used.
        """
        settings, examples, lots = self.settings, len(lesson.target), lots_of(lesson)
        said, regions, pairs = lots.said, lesson.table.take(lots.regions), lots.pairs
        images = lesson.table.image[lots.regions]
        if self.erases:
            erased_said, erased = self.erase(lesson)
            text, region = len(said) // examples, len(regions.pooled) // examples
            said, regions = join_words([said, erased_said]), join_rows([regions, erased])
            images = torch.cat((images, images[:examples]))
            pairs += ((text, 0), (text, 1), (0, region), (1, region))
        texts, rows = pair_rows(pairs, examples, lesson.target.device)
        query = self.read(said.take(texts), self._whole(lesson, images[rows]))
        seen = self.see(regions)
        scores = self.fit(query, take_rows(seen, rows)).view(-1, examples)

        plain = scores[: len(lots.pairs)]
        loss, told = rank_loss(plain, settings.margin)
        attributes = attribute_loss(seen.attributes[:examples], lesson)
        loss, told["attributes"] = loss + settings.attribute_weight * attributes, attributes.detach()
        if lesson.mined:
            mined = mined_loss(plain, settings.margin)
            loss, told["mined"] = loss + settings.mined_weight * mined, mined.detach()
        if self.erases:
            word, other_region, sight, other_text = scores[-4:]
            no_word, no_sight = (
                hinge(word, other_region, settings.margin),
                hinge(sight, other_text, settings.margin),
            )
            loss = loss + settings.erased_word_weight * no_word + settings.erased_sight_weight * no_sight
            told |= {"erased word": no_word.detach(), "erased sight": no_sight.detach()}
        return loss, told

    @torch.no_grad()
    def erase(self, lesson: Lesson) -> tuple[Words, Regions]:
        """Erase from a lesson the word, or the part of the target, that the model attends to most.

        What is erased is drawn, with torch's own generator, from where the model looks; no gradient passes.
        """
        regions = Regions(*(field.detach() for field in lesson.table.take(lesson.target)))
        heard = self._hear(lesson.said, self._whole(lesson, lesson.table.image[lesson.target]))
        looks = self.looks(self._query(heard), self.see(regions))
        erased_said = without_word(lesson.said, (heard.weights[:, None] @ heard.attention)[:, 0])
        module = draw_index(heard.weights)
        side = isqrt(looks.cells.shape[1])
        cells = draw_block(looks.cells, self.settings.block_of(side)) & (module == SUBJECT)[:, None]
        places = draw_one(looks.places) & (module == LOCATION)[:, None]
        around = draw_one(looks.around) & (module == RELATIONSHIP)[:, None]
        return erased_said, without(regions, cells, places, around)

    def _hear(self, said: Words, whole: Tensor | None) -> EncodedText:
        if whole is None:
            raise ValueError(
                "this model reads in view of an image: give `whole`, what the image of each text looks like"
            )
        return self.language(said, self.glimpse(whole))

    def _query(self, heard: EncodedText) -> ErasingQuery:
        subject, location, relationship = heard.phrases.unbind(1)
        glance, subject_vector = self.subject.hear(subject)
        places, around = self.location_phrase(location), self.relationship_phrase(relationship)
        glances = (
            glance,
            self.place_attention.hear(places),
            self.alike_attention.hear(places),
            self.near_attention.hear(around),
        )
        vectors = (
            subject_vector,
            self.location_matching.said(location),
            self.relationship_matching.said(relationship),
        )
        return ErasingQuery(heard.weights, torch.stack(glances, dim=1), torch.stack(vectors, dim=1))

    def _whole(self, lesson: Lesson, images: Tensor) -> Tensor | None:
        whole = lesson.table.whole
        return None if whole is None else whole[images].float()


class Glimpse(nn.Module):
    """A whole image as something to be read: three convolutions, added to what comes in, and the mean of all cells."""

    def __init__(self, channels: int, bottleneck: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, bottleneck, 1),
            nn.BatchNorm2d(bottleneck),
            nn.ReLU(),
            nn.Conv2d(bottleneck, bottleneck, 3, padding=1),
            nn.BatchNorm2d(bottleneck),
            nn.ReLU(),
            nn.Conv2d(bottleneck, channels, 1),
            nn.BatchNorm2d(channels),
        )
        self.out = nn.Linear(channels, width)

    def forward(self, whole: Tensor) -> Tensor:
        """Float [image, channel, cell] -> float [image, width]."""
        side = isqrt(whole.shape[2])
        return self.out(whole.mean(2) + self.layers(whole.unflatten(2, (side, side))).mean((2, 3)))
