"""SCAN: which image a text is about, word by word against its regions (Lee et al. 2018, text to image).

    share_wr  = LeakyReLU(cosine(word_w, region_r)), divided by its length over the words of the text
    context_w = sum_r softmax_r(sharpness * share_wr) region_r
    fit       = log sum_w exp(steepness * cosine(word_w, context_w)) / steepness

It finds no region. In Retrieve+REF it chooses the image in which another model then looks (Chen et al. 2020, section
5.1). Contexts are never written out: all that is asked of them are products with words and their lengths, and both
follow from products that are there already. 10,245,120 parameters and 300 for each word.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from deixis.learn._layers import MASKED_SCORE


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.photos._models.regions import Lesson, RegionTable, Words


SMALL = 1e-8  # keeps lengths of nothing from being divided by


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRetrieverSettings:
    """The sizes of the model, by default the published ones.

    Attributes:
        high: channels of what is pooled of a region.
        sharpness: the larger, the fewer regions a word looks at.
        steepness: the larger, the more the words that fit best count.
        leak: what is left of a negative cosine.
        margin: by how much the right image and the right text must be better than the best wrong ones.
    """

    high: int = 2048
    word_width: int = 300
    width: int = 1024
    sharpness: float = 9.0
    steepness: float = 6.0
    leak: float = 0.1
    margin: float = 0.2


class ReadTexts(NamedTuple):
    """Texts as read.

    Shapes:
        words: float [text, step, width], each of length one, zeros after the end. is_word: bool [text, step].
    """

    words: Tensor
    is_word: Tensor


class SeenImages(NamedTuple):
    """Images as sets of regions.

    Shapes:
        regions: float [image, region, width], each of length one. there: bool [image, region].
    """

    regions: Tensor
    there: Tensor


class ImageRetriever(nn.Module):
    """The model, for a vocabulary of `words` entries."""

    reads_images = False
    numbers_at_once = 2**26  # in `rank`

    def __init__(self, settings: ImageRetrieverSettings, words: int) -> None:
        super().__init__()
        self.settings = settings
        self.word = nn.Embedding(words, settings.word_width)
        self.gru = nn.GRU(settings.word_width, settings.width, batch_first=True, bidirectional=True)
        self.region = nn.Linear(settings.high, settings.width)
        nn.init.uniform_(self.word.weight, -0.1, 0.1)
        reach = sqrt(6) / sqrt(settings.high + settings.width)
        nn.init.uniform_(self.region.weight, -reach, reach)
        nn.init.zeros_(self.region.bias)

    def read(self, said: Words, whole: Tensor | None = None) -> ReadTexts:  # noqa: ARG002
        """Every word in its text: the mean of what a GRU makes of it from the left and from the right."""
        steps = said.words.shape[1]
        packed = pack_padded_sequence(
            self.word(said.words), said.count.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=steps)
        onward, backward = states.chunk(2, dim=-1)
        is_word = torch.arange(steps, device=states.device) < said.count[:, None]
        return ReadTexts(functional.normalize((onward + backward) / 2, dim=-1) * is_word[..., None], is_word)

    def see(self, pooled: Tensor, there: Tensor) -> SeenImages:
        """The regions of images: float [image, region, channel] and bool [image, region]."""
        regions = self.region(functional.normalize(pooled, dim=-1))
        return SeenImages(functional.normalize(regions, dim=-1) * there[..., None], there)

    def see_images(self, table: RegionTable, images: Tensor) -> SeenImages:
        """The regions of images of a table: int64 [image]."""
        rows, there = table.of_images(images)
        return self.see(table.pooled[rows].float(), there)

    def rank(self, query: ReadTexts, seen: SeenImages, images: Tensor | None = None) -> Tensor:
        """Return the fit of images and texts: float [text, image].

        Args:
            query: what was said.
            seen: the images.
            images: int64 [text, image], which of them each text is compared with; all by default. However many there
                are, no more than `numbers_at_once` numbers are held for them.
        """
        texts, steps, width = query.words.shape
        shown = len(seen.regions) if images is None else images.shape[1]
        most = seen.regions.shape[1]
        per_text = shown * most * (5 * steps + (0 if images is None else width + most))
        at_once = max(1, self.numbers_at_once // max(1, per_text))
        fits = []
        for start in range(0, texts, at_once):
            part = slice(start, start + at_once)
            chosen = slice(None) if images is None else images[part]
            regions = seen.regions[chosen].to(query.words.dtype)
            fits.append(self._fit(query.words[part], query.is_word[part], regions, seen.there[chosen]))
        return torch.cat(fits) if fits else query.words.new_zeros(0, shown)

    def loss(self, lesson: Lesson) -> tuple[Tensor, dict[str, Tensor]]:
        """Compute the hinge loss of each text and each image with the hardest wrong partner in the lesson.

        Texts about the same image are no wrong partners of each other's image.
        """
        images, own = lesson.table.image[lesson.target].unique(return_inverse=True)
        fits = self.rank(self.read(lesson.said), self.see_images(lesson.table, images))  # [text, image]
        texts = torch.arange(len(fits), device=fits.device)
        right = fits[texts, own]
        wrong = fits.masked_fill(own[:, None] == torch.arange(len(images), device=fits.device), MASKED_SCORE)
        of_text = functional.relu(self.settings.margin + wrong.amax(1) - right)
        of_image = functional.relu(self.settings.margin + wrong.amax(0)[own] - right)
        loss = of_text.sum() + of_image.sum()
        return loss, {"hinge": loss.detach(), "right": (fits.argmax(1) == own).float().mean()}

    def _fit(self, words: Tensor, is_word: Tensor, regions: Tensor, there: Tensor) -> Tensor:
        """Return the fit of images: float [text, image].

        Shapes:
            words: float [text, word, width]. is_word: bool [text, word].
            regions: float [image, region, width], or [text, image, region, width]. there: bool, without the width.
        """
        how = self.settings
        cosines = words[:, None] @ regions.transpose(-1, -2)  # [text, image, word, region]
        share = functional.leaky_relu(cosines, how.leak)
        share = share / (share.norm(dim=2, keepdim=True) + SMALL)
        weight = torch.softmax((how.sharpness * share).masked_fill(~there[..., None, :], MASKED_SCORE), dim=-1)
        squared = ((weight @ (regions @ regions.transpose(-1, -2))) * weight).sum(-1)  # the contexts' lengths
        fit = how.steepness * (weight * cosines).sum(-1) / squared.clamp(min=SMALL).sqrt()  # words are of length one
        return torch.logsumexp(fit.masked_fill(~is_word[:, None], MASKED_SCORE), dim=-1) / how.steepness
