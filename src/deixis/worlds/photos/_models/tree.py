"""Modules along the tree of an expression: each step narrows a soft set of the regions of one image.

    is(word)              log sigmoid(word · look(region) + bias)
    related(word, set)    to some region of the set, with log sigmoid(word · ReLU(one + other + places) + bias) each
    same(dimension, set)  having a value in common with some region of the set, as `is` finds values
    nth, not, or          as `soft_sets` has them

What comes out for a region is the logarithm of the probability that it is what is meant, so fits can be compared across
images. Instead of words the model reads programs, in the same form: three numbers for each row, an operation (below)
and its two arguments. `deixis.worlds.photos.data._programs` writes them.

| | | |
|---|---|---|
| `ALL` | | put the set of all regions of the image onto a stack |
| `IS` | word | keep those of the top set that it holds of |
| `NTH` | n, side | keep the nth from a side |
| `RELATED` | word | take the top set away; keep those of the next that are related to it |
| `SAME` | dimension | the same, for having a value of the dimension in common |
| `COPY` | d | put onto the stack a copy of the set that lies d below its top |
| `NOT` | | take the top set away, and its regions out of the next |
| `OR` | | take the top set away, and add its regions to the next; both are parts of the one below |
| `DROP` | | take away the set below the top |

This model is not published. It does not demand that mentions which are not related directly be different objects.
1,908,034 parameters with the channels of MattNet, and 578 for each word.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from deixis.learn._layers import MASKED_SCORE
from deixis.learn._programs import ProgramRows, read_rows, run_programs
from deixis.learn._soft_sets import NEVER, same, unless
from deixis.worlds.photos._models.modules import Rescale
from deixis.worlds.photos._models.regions import PAD, join_rows, take_rows


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor

    from deixis.worlds.photos._models.regions import Lesson, Regions, RegionTable, Words


PAIR = 10  # what is told of the places of two regions
FEW = 2**22  # numbers that a processor handles at once; a few steps more cost it less than padding


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeGrounderSettings:
    """The sizes of the model.

    Attributes:
        low, high: channels of the features of cells, and of what is pooled of a region.
        width: of looks and words. pair: of what is seen of two regions together.
        size: that features are first scaled to.
        truth: how much it counts that a fit is a probability, beside that the target fits best.
    """

    low: int = 1024
    high: int = 2048
    width: int = 512
    pair: int = 64
    dropout: float = 0.1
    size: float = 20.0
    truth: float = 0.1


class TreeSeen(NamedTuple):
    """Regions as seen.

    Shapes:
        look: float [region, width]. one, other: float [region, pair], as either side of a relation.
        place: float [region, 5]. image: int64 [region].
    """

    look: Tensor
    one: Tensor
    other: Tensor
    place: Tensor
    image: Tensor


class TreeGrounder(nn.Module):
    """The model itself.

    A region is judged beside all others of its image that are *seen*: `see` is told the images of regions, and takes
    them to be of one image where it is not.

    Args:
        settings: its sizes.
        words: the number of entries of its vocabulary.
        values: for each dimension of `SAME`, the words that are its values.
    """

    reads_images = False
    joins_regions = True  # `see` wants to know the image of each region, and all regions of an image
    numbers_at_once = 2**27  # in `dense`
    values: Tensor

    def __init__(self, settings: TreeGrounderSettings, words: int, values: Sequence[Sequence[int]] = ()) -> None:
        super().__init__()
        self.settings, width, pair = settings, settings.width, settings.pair
        self.low, self.high = Rescale(settings.low, settings.size), Rescale(settings.high, settings.size)
        self.dropout = nn.Dropout(settings.dropout)
        self.region = nn.Linear(settings.low + settings.high + 5, width)
        self.look = nn.Linear(width, width)
        self.one, self.other = nn.Linear(width, pair), nn.Linear(width, pair)
        self.places = nn.Linear(PAIR, pair)
        self.word, self.word_bias = nn.Embedding(words, width), nn.Embedding(words, 1)
        self.relation, self.relation_bias = nn.Embedding(words, pair), nn.Embedding(words, 1)
        self.threshold = nn.Parameter(torch.tensor(-3.0))
        self.slope = nn.Parameter(torch.tensor(0.0))  # its logarithm
        for bias in (self.word_bias, self.relation_bias):
            nn.init.zeros_(bias.weight)
        most = max((len(some) for some in values), default=0)
        padded = [[*some, *[PAD] * (most - len(some))] for some in values]
        self.register_buffer("values", torch.tensor(padded, dtype=torch.int64).view(len(values), most))

    def read(self, said: Words, whole: Tensor | None = None) -> ProgramRows:  # noqa: ARG002
        """Return programs as rows.

        An empty program says nothing, so that everything fits it.
        """
        return read_rows(said.words)

    def see(self, regions: Regions, image: Tensor | None = None) -> TreeSeen:
        """Encode regions, of which those with the same `image`, int64 [region], are seen together."""
        image = (
            torch.zeros(len(regions.pooled), dtype=torch.int64, device=regions.pooled.device)
            if image is None
            else image
        )
        return self._see(regions.low.mean(-1), regions.pooled, regions.place, image)

    def see_table(self, table: RegionTable, rows: Tensor, *, at_once: int = 4096) -> TreeSeen:
        """Encode regions of a table, int64 [region], some at once.

        Images should be whole.
        """
        return join_rows([self._see_rows(table, part) for part in rows.split(at_once)])

    def fit(self, query: ProgramRows, seen: TreeSeen) -> Tensor:
        """Return the fit of each region and its text, beside the others: float [pair], at most 0."""
        return self.dense(query, seen, torch.arange(len(seen.look), device=seen.look.device)[:, None])[:, 0]

    def dense(self, query: ProgramRows, seen: TreeSeen, rows: Tensor) -> Tensor:
        """Return the fit of regions, each beside all regions of its image: float [text, region], at most 0."""
        blocks = _blocks_of(seen.image)
        images = len(blocks.sizes)
        asked = torch.arange(len(rows), device=rows.device)[:, None] * images + blocks.block[rows]
        pairs, where = asked.unique(return_inverse=True)
        fits = self._fits(query, pairs // images, seen, blocks, pairs % images)
        return fits[where, blocks.place[rows]]

    def presence(self, best: Tensor) -> Tensor:
        """The log-odds that what is described is there at all, by the best fit of all regions shown: float [text]."""
        return self.slope.exp() * (best - self.threshold)

    def loss(self, lesson: Lesson) -> tuple[Tensor, dict[str, Tensor]]:
        """Compute the loss of the target as the only region that fits, in its image and in that of the example before.

        The threshold of what is there is fitted to the fits, and not the other way round. No use is made of pairs that
        were mined.
        """
        table, examples = lesson.table, torch.arange(len(lesson.target), device=lesson.target.device)
        images = torch.stack((table.image[lesson.target], table.image[lesson.target.roll(1)]))  # [lot, example]
        shown, block = images.unique(return_inverse=True)
        rows, there = table.of_images(shown)
        seen = self._see_rows(table, rows[there])
        fits = self._fits(
            self.read(lesson.said), examples.repeat(2), seen, _blocks_of(seen.image), block.flatten()
        ).view(2, len(examples), -1)
        is_other = images[0] != images[1]
        candidates = there[block] & torch.stack((torch.ones_like(is_other), is_other))[..., None]
        place = lesson.target - table.first[images[0]]
        right = fits[0, examples, place]
        wrong = candidates.clone()
        wrong[0, examples, place] = False
        choice = torch.logsumexp(fits.masked_fill(~candidates, MASKED_SCORE).transpose(0, 1).flatten(1), dim=1) - right
        truth = -right - unless(fits).masked_fill(~wrong, 0.0).sum((0, 2))
        odds = self.presence(fits.detach().masked_fill(~candidates, MASKED_SCORE).amax(2))  # [lot, example]
        known = functional.softplus(-odds[0]) + functional.softplus(odds[1]).masked_fill(~is_other, 0.0)
        loss = choice.mean() + self.settings.truth * truth.mean() + known.mean()
        return loss, {
            "choice": choice.mean().detach(),
            "truth": truth.mean().detach(),
            "known": known.mean().detach(),
            "right": (fits[0].masked_fill(~candidates[0], MASKED_SCORE).argmax(1) == place).float().mean(),
        }

    def _see_rows(self, table: RegionTable, rows: Tensor) -> TreeSeen:
        low, pooled = table.low[rows].float().mean(-1), table.pooled[rows].float()
        return self._see(low, pooled, table.place[rows], table.image[rows])

    def _see(self, low: Tensor, pooled: Tensor, place: Tensor, image: Tensor) -> TreeSeen:
        given = self.dropout(torch.cat((self.low(low), self.high(pooled), place), dim=1))
        region = functional.relu(self.region(given))
        return TreeSeen(self.look(region), self.one(region), self.other(region), place, image)

    def _fits(self, query: ProgramRows, text: Tensor, seen: TreeSeen, blocks: _Blocks, block: Tensor) -> Tensor:
        """Programs, int64 [pair], in images, int64 [pair]: float [pair, region].

        Images of about the same size are looked at together, as many at once as memory allows.
        """
        sizes, order = blocks.sizes[block].sort(descending=True, stable=True)
        most = blocks.rows.shape[1]
        fits = []
        for part, regions in self._parts(sizes.tolist()):
            its = block[order[part]]
            there = torch.arange(regions, device=block.device) < blocks.sizes[its, None]
            some = take_rows(seen, blocks.rows[its, :regions])
            some = some._replace(look=some.look.float(), one=some.one.float(), other=some.other.float())
            found = self._follow(take_rows(query, text[order[part]]), some, there)
            fits.append(functional.pad(found, (0, most - regions), value=NEVER))
        return torch.cat(fits)[order.argsort()]

    def _parts(self, sizes: list[int]) -> Iterator[tuple[slice, int]]:
        """Slices of images of such sizes, the largest first, with the size of the largest in each."""
        is_cpu = self.threshold.device.type == "cpu"
        at_once = min(self.numbers_at_once, FEW) if is_cpu else self.numbers_at_once
        start = 0
        while start < len(sizes):
            regions = sizes[start]
            numbers = regions * (regions * (2 * self.settings.pair + PAIR) + 2 * self.settings.width)
            end = start + max(1, at_once // numbers)
            yield slice(start, end), regions
            start = end

    def _follow(self, query: ProgramRows, seen: TreeSeen, there: Tensor) -> Tensor:
        """Programs, each in one image: float [pair, region].

        Shapes:
            query: [pair, row]. seen: [pair, region]. there: bool [pair, region].
        """
        return run_programs(query, there, _RegionJudge(self, seen))

    def are(self, words: Tensor, look: Tensor) -> Tensor:
        """Return whether words hold: int64 [pair, word], float [pair, region, width] -> float [pair, region, word]."""
        odds = look @ self.word(words).transpose(1, 2) / sqrt(self.settings.width)
        return functional.logsigmoid(odds + self.word_bias(words).transpose(1, 2))

    def stand(self, words: Tensor, seen: TreeSeen) -> Tensor:
        """Return whether relations hold: int64 [pair] -> float [pair, region, other]."""
        both = seen.one[:, :, None] + seen.other[:, None] + self.places(pair_places(seen.place))
        odds = functional.relu(both) @ self.relation(words)[:, None, :, None] / sqrt(self.settings.pair)
        return functional.logsigmoid(odds[..., 0] + self.relation_bias(words)[..., None])

    def share(self, dimensions: Tensor, look: Tensor) -> Tensor:
        """Return whether two regions have a value in common: int64 [pair] -> float [pair, region, other]."""
        words = self.values[dimensions]
        return same(self.are(words, look).masked_fill((words == PAD)[:, None], NEVER))


class _RegionJudge:
    """What a model says of the regions of some images, beside each other: the judge of programs."""

    def __init__(self, model: TreeGrounder, seen: TreeSeen) -> None:
        self.model, self.seen = model, seen

    def holds(self, row: int, words: Tensor, pairs: Tensor) -> Tensor:  # noqa: ARG002
        return self.model.are(words[:, None], self.seen.look[pairs])[..., 0]

    def relation(self, row: int, words: Tensor, pairs: Tensor) -> Tensor:  # noqa: ARG002
        return self.model.stand(words, take_rows(self.seen, pairs))

    def comparison(self, row: int, words: Tensor, inside: Tensor, pairs: Tensor) -> Tensor:
        raise NotImplementedError("photographs order nothing, so their programs compare nothing")

    def common(self, dimensions: Tensor, pairs: Tensor) -> Tensor:
        return self.model.share(dimensions, self.seen.look[pairs])

    def centres(self, pairs: Tensor) -> Tensor:
        place = self.seen.place[pairs]
        return (place[..., :2] + place[..., 2:4]) / 2


def pair_places(place: Tensor) -> Tensor:
    """Return the places of regions relative to each other: float [..., region, 5] -> float [..., region, other, 10].

    How far the other is across and down, in shares of the image and in sizes of the first; how much larger it is; how
    much of each lies in the other, and of both in common; and the distance.
    """
    one, other = place[..., :, None, :], place[..., None, :, :]
    size, other_size = ((p[..., 2:4] - p[..., :2]).clamp(min=1e-3) for p in (one, other))
    away = (other[..., 2:4] + other[..., :2] - one[..., 2:4] - one[..., :2]) / 2
    across = torch.minimum(one[..., 2:4], other[..., 2:4]) - torch.maximum(one[..., :2], other[..., :2])
    common = across.clamp(min=0).prod(-1, keepdim=True)
    area, other_area = size.prod(-1, keepdim=True), other_size.prod(-1, keepdim=True)
    return torch.cat(
        (
            away,
            (away / size).clamp(-5, 5),
            (other_size / size).log().clamp(-5, 5),
            *(common / whole for whole in (area, other_area, area + other_area - common)),
            away.norm(dim=-1, keepdim=True),
        ),
        dim=-1,
    )


class _Blocks(NamedTuple):
    """The regions of each image side by side.

    Shapes:
        rows: int64 [image, region], padded with any. sizes: int64 [image]. block, place: int64 [region], where each is.
    """

    rows: Tensor
    sizes: Tensor
    block: Tensor
    place: Tensor


def _blocks_of(image: Tensor) -> _Blocks:
    """The blocks of regions by their images, int64 [region], in the order of the images' numbers."""
    _, block, sizes = image.unique(return_inverse=True, return_counts=True)
    order = block.argsort(stable=True)
    first = sizes.cumsum(0) - sizes
    place = torch.empty_like(order)
    place[order] = torch.arange(len(image), device=image.device) - first[block[order]]
    rows = order.new_zeros(len(sizes), int(sizes.max()))
    rows[block, place] = torch.arange(len(image), device=image.device)
    return _Blocks(rows, sizes, block, place)
