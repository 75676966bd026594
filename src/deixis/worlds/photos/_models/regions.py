"""Inputs of models that ground expressions: words, and regions of images with what surrounds them.

| name | shape | |
|---|---|---|
| `low` | [region, channel, cell] | what each cell of a region looks like, early in an encoder |
| `high` | [region, channel, cell] | the same, late in it |
| `pooled` | [region, channel] | the mean of `high` over cells |
| `place` | [region, 5] | left, top, right, bottom and area in shares of the image |
| `alike` | [region, 5, 5] | where up to five of the same category are, seen from the region; zeros where none is |
| `near` | [region, 5] | up to five regions around it as rows of the same table, -1 where there are none |
| `near_places` | [region, 5, 5] | where these are, seen from the region |
| `category` | [region] | the number of its category |
| `image` | [region] | the number of its image; regions of an image stand together |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import torch
from torch.nn import functional


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor


AROUND = 5  # regions of the same category, and regions nearby, that a region is seen with
UNKNOWN, PAD = 1, 0  # the first rows of every table of words
Q = TypeVar("Q")
S = TypeVar("S")


@dataclass(frozen=True)
class Words:
    """Texts as numbers of words.

    Shapes:
        words: int64 [text, step], 0 after the end. count: int64 [text], how many there are.
    """

    words: Tensor
    count: Tensor

    def __len__(self) -> int:
        return len(self.words)

    def take(self, rows: Tensor) -> Words:
        """Some of them: int64 [text]."""
        return Words(self.words[rows], self.count[rows])


class Regions(NamedTuple):
    """Regions as a model sees them, one row each.

    Shapes:
        low, high: float [region, channel, cell]. pooled: float [region, channel]. place: float [region, 5].
        alike: float [region, 5, 5]. near: float [region, 5, channel], what is pooled of regions around.
        near_places: float [region, 5, 5]. is_near: bool [region, 5], whether there is one.
    """

    low: Tensor
    high: Tensor
    pooled: Tensor
    place: Tensor
    alike: Tensor
    near: Tensor
    near_places: Tensor
    is_near: Tensor


@dataclass(frozen=True)
class RegionTable:
    """All regions of some images on one device, as in the table above.

    Shapes:
        first: int64 [image + 1], where the regions of each image begin. whole: float [image, channel, cell], what each
            image looks like as a whole, early in the encoder; None where nobody asks.
    """

    low: Tensor
    high: Tensor
    pooled: Tensor
    place: Tensor
    alike: Tensor
    near: Tensor
    near_places: Tensor
    category: Tensor
    image: Tensor
    first: Tensor
    whole: Tensor | None = None

    def __len__(self) -> int:
        return len(self.pooled)

    @property
    def device(self) -> torch.device:
        """The device of the tensors."""
        return self.pooled.device

    def take(self, rows: Tensor) -> Regions:
        """Some regions: int64 [region] -> `Regions`, in float32."""
        near = self.near[rows]
        is_near = near >= 0
        around = self.pooled[near.clamp(min=0)].float() * is_near[..., None]
        return Regions(
            self.low[rows].float(),
            self.high[rows].float(),
            self.pooled[rows].float(),
            self.place[rows],
            self.alike[rows],
            around,
            self.near_places[rows],
            is_near,
        )

    def of_images(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """The regions of images: rows int64 [image, region], padded with the first, and bool [image, region]."""
        start, end = self.first[images], self.first[images + 1]
        most = int((end - start).max())
        rows = start[:, None] + torch.arange(most, device=self.device)
        there = rows < end[:, None]
        return torch.where(there, rows, start[:, None]), there


@dataclass(frozen=True)
class Lesson:
    """The examples of one step.

    Shapes:
        said: the expressions, [example]. target: int64 [example], the region that each is about.
        rows, there: int64 and bool [example, region], all regions of its image.
        place: int64 [example], where the target is among these.
        other_said: for each another expression, of another region of the image where there is one.
        other_region: int64 [example], for each another region of the image where there is one.
        attributes: float [example, attribute], which of the most frequent words hold of the target.
        has_attributes: bool [example]. weights: float [attribute], how much each counts.
        mined: by module, expressions that are easily mistaken for this one, and their regions, int64 [example].
    """

    table: RegionTable
    said: Words
    target: Tensor
    rows: Tensor
    there: Tensor
    place: Tensor
    other_said: Words
    other_region: Tensor
    attributes: Tensor
    has_attributes: Tensor
    weights: Tensor
    mined: dict[str, tuple[Words, Tensor]] | None = None


@runtime_checkable
class Grounder(Protocol[Q, S]):
    """The interface of every model, in which texts and regions are encoded apart, so that each is encoded once.

    `fit(read(said), see(regions))` is defined for as many expressions as regions, row by row. `dense` scores every
    expression with many regions, and must give the same.
    """

    reads_images: bool

    def read(self, said: Words, whole: Tensor | None = None) -> Q:
        """Encode texts, given the features of whole images, float [text, channel, cell], if `reads_images`."""

    def see(self, regions: Regions) -> S:
        """Encode regions, independently of texts."""

    def fit(self, query: Q, seen: S) -> Tensor:
        """Return the fit of each region and its text: float [pair]."""

    def dense(self, query: Q, seen: S, rows: Tensor) -> Tensor:
        """Return the fit of regions: float [text, region], for rows int64 [text, region] of the encoded regions."""

    def loss(self, lesson: Lesson) -> tuple[Tensor, dict[str, Tensor]]:
        """Compute the loss, and further values to report."""


T = TypeVar("T", bound="tuple[Any, ...]")
R = TypeVar("R", bound="tuple[Any, ...]")


def take_rows(value: T, rows: Any) -> T:
    """Return some rows of a record of tensors, as another of its kind.

    `rows` is anything that indexes a tensor.
    """
    return type(value)(*(part[rows] for part in value))


def join_rows(values: Sequence[T]) -> T:
    """The rows of several records of one kind, one record after the other."""
    return type(values[0])(*(torch.cat(parts) for parts in zip(*values, strict=True)))


def join_words(texts: Sequence[Words]) -> Words:
    """Several lots of texts as one, padded to the longest."""
    steps = max(lot.words.shape[1] for lot in texts)
    words = [functional.pad(lot.words, (0, steps - lot.words.shape[1]), value=PAD) for lot in texts]
    return Words(torch.cat(words), torch.cat([lot.count for lot in texts]))


def pair_pieces(
    query: R, seen: T, rows: Tensor, *, numbers: int, at_once: int, dtype: torch.dtype
) -> Iterator[tuple[R, T]]:
    """Yield texts and their regions piece by piece (see `pieces`), regions in the precision of texts."""
    for part in pieces(rows, numbers, at_once):
        some = take_rows(seen, rows[part])
        yield take_rows(query, (part, None)), type(seen)(*(field.to(dtype) for field in some))


def pieces(rows: Tensor, numbers: int, at_once: int) -> Iterator[slice]:
    """The texts in slices: each pair of a text and a region takes so many numbers, of which so many fit at once.

    Shapes:
        rows: [text, region].
    """
    step = max(1, at_once // max(1, numbers * rows.shape[1]))
    for start in range(0, len(rows), step):
        yield slice(start, start + step)
