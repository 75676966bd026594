"""The regions of all images as arrays: their positions and neighbours (Cops-Ref section 5.1, after MattNet).

| name | shape | |
|---|---|---|
| `box` | float32 [region, 4] | x, y, width and height in pixels |
| `size` | int32 [image, 2] | width and height of each image |
| `first` | int64 [image + 1] | where the regions of each image begin |
| `image`, `category` | int32 [region] | the numbers of its image and of its category |
| `place` | float32 [region, 5] | left, top, right, bottom and area in shares of the image |
| `alike` | float32 [region, 5, 5] | where up to five of the same category are, the nearest first; zeros where none is |
| `near` | int64 [region, 5] | up to five regions around, those of other categories first, then the nearest; or -1 |
| `near_places` | float32 [region, 5, 5] | where these are |

Where another region is, seen from one: its left, top, right and bottom, counted from the middle of the one in its
widths and heights, and its area in areas of the one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from deixis.worlds.photos.scene.graph_table import GraphTable


AROUND = 5
PAIRS = 1 << 20  # pairs of regions that are compared at a time
ROWS = 1 << 15  # regions from which others are looked at, at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class RegionArrays:
    """The regions of some images, in the arrays described above.

    Attributes:
        image_ids: of the images, in order.
        names: of categories, by their numbers.
        words: of attributes, by their numbers.
        attr_ptr, attr: the attributes of every region, int64 [region + 1] and int32 [mention].
    """

    image_ids: Sequence[str]
    names: tuple[str, ...]
    words: tuple[str, ...]
    attr_ptr: np.ndarray
    attr: np.ndarray
    box: np.ndarray
    size: np.ndarray
    first: np.ndarray
    image: np.ndarray
    category: np.ndarray
    place: np.ndarray
    alike: np.ndarray
    near: np.ndarray
    near_places: np.ndarray

    def __len__(self) -> int:
        return len(self.box)

    @property
    def images(self) -> int:
        """Number of images."""
        return len(self.first) - 1

    @cached_property
    def digest(self) -> str:
        """Digest of the images and the boxes in them."""
        whole = sha256("\n".join(self.image_ids).encode("utf-8", "replace"))
        for array in (self.first, self.size, self.box, self.category, self.attr_ptr, self.attr):
            whole.update(np.ascontiguousarray(array).tobytes())
        for texts in (self.names, self.words):
            whole.update("\n".join(texts).encode("utf-8", "replace"))
        return whole.hexdigest()

    def rows_of(self, images: np.ndarray) -> np.ndarray:
        """Return the regions of images, image after image: int64 [region]."""
        start, count = self.first[images], self.first[images + 1] - self.first[images]
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return np.repeat(start, count) + within

    def some(self, images: np.ndarray) -> Self:
        """Return these arrays for some images alone, in the order given, with rows numbered anew.

        Shapes:
            images: int64 [image].
        """
        rows = self.rows_of(images)
        counts = self.first[images + 1] - self.first[images]
        first = np.concatenate(([0], np.cumsum(counts)))
        shift = np.repeat(first[:-1] - self.first[images], counts)
        near = self.near[rows]
        mentions = self.attr_ptr[rows + 1] - self.attr_ptr[rows]
        attr_ptr = np.concatenate(([0], np.cumsum(mentions)))
        which = np.arange(attr_ptr[-1]) + np.repeat(self.attr_ptr[rows] - attr_ptr[:-1], mentions)
        return type(self)(
            image_ids=tuple(self.image_ids[int(number)] for number in images),
            names=self.names,
            words=self.words,
            attr_ptr=attr_ptr,
            attr=self.attr[which],
            box=self.box[rows],
            size=self.size[images],
            first=first,
            image=np.repeat(np.arange(len(images), dtype=np.int32), counts),
            category=self.category[rows],
            place=self.place[rows],
            alike=self.alike[rows],
            near=np.where(near >= 0, near + shift[:, None], -1),
            near_places=self.near_places[rows],
        )


def region_arrays(table: GraphTable) -> RegionArrays:
    """Return the regions of all images of a table, in its order.

    Boxes may stick out of their image by a few pixels, as some of GQA's do: they are cut there. A side is at least one
    pixel long.

    Raises:
        BrokenDataset: when a box is not a box of its image, with the ids of both.
    """
    first = np.asarray(table.scene_ptr, np.int64)
    size = np.stack((table.width, table.height), 1).astype(np.int32)
    image = np.repeat(np.arange(len(table), dtype=np.int32), np.diff(first))
    box = _cut(table, np.asarray(table.box, np.float64), size, image)
    category = np.asarray(table.name, np.int32)
    alike, near = _neighbours(box, category, first)
    return RegionArrays(
        image_ids=table.image_ids,
        names=table.vocabulary.names,
        words=table.vocabulary.words,
        attr_ptr=np.asarray(table.attr_ptr),
        attr=np.asarray(table.attr),
        box=box.astype(np.float32),
        size=size,
        first=first,
        image=image,
        category=category,
        place=_places(box, size[image]),
        alike=seen_from(box, alike),
        near=near,
        near_places=seen_from(box, near),
    )


def _cut(table: GraphTable, box: np.ndarray, size: np.ndarray, image: np.ndarray) -> np.ndarray:
    """Return boxes within their images, or raise an error for those that have no part there."""
    if (size < 1).any():
        number = int(np.flatnonzero((size < 1).any(1))[0])
        width, height = size[number].tolist()
        raise BrokenDataset(f"image {table.image_ids[number]} is {width} by {height} pixels; no region can lie in it")
    limit = size[image].astype(np.float64)
    start, end = box[:, :2], box[:, :2] + box[:, 2:]
    bad = ~np.isfinite(box).all(1) | (box[:, 2:] < 0).any(1) | (start >= limit).any(1) | (end < 0).any(1)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        width, height = size[image[row]].tolist()
        raise BrokenDataset(
            f"object {table.object_ids[row]} of image {table.image_ids[int(image[row])]} has the box "
            f"{box[row].tolist()}, which lies outside its {width} by {height} pixels"
        )
    start = np.clip(start, 0, limit - 1)
    return np.concatenate((start, np.maximum(np.minimum(end, limit) - start, 1)), 1)


def _places(box: np.ndarray, size: np.ndarray) -> np.ndarray:
    start, sides = box[:, :2] / size, box[:, 2:] / size
    end = (box[:, :2] + box[:, 2:] - 1) / size
    return np.concatenate((start, end, sides.prod(1, keepdims=True)), 1).astype(np.float32)


def seen_from(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the positions of other regions relative to each: float32 [region, other, 5], zeros where there is none.

    Shapes:
        box: numbers [region, 4]. others: int64 [region, other], rows or -1.
    """
    seen = np.zeros((*others.shape, 5), np.float32)
    for start in range(0, len(others), ROWS):
        some = others[start : start + ROWS]
        own = np.asarray(box[start : start + len(some), None], np.float64)
        middle, sides = own[..., :2] + own[..., 2:] / 2, own[..., 2:]
        other = np.asarray(box[np.maximum(some, 0)], np.float64)
        corner = (other[..., :2] - middle) / sides
        opposite = (other[..., :2] + other[..., 2:] - middle) / sides
        area = other[..., 2:].prod(-1, keepdims=True) / sides.prod(-1, keepdims=True)
        found = np.concatenate((corner, opposite, area), -1)
        seen[start : start + len(some)] = np.where(some[..., None] >= 0, found, 0)
    return seen


def _neighbours(box: np.ndarray, category: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For every region the nearest of its category, and those around it: int64 [region, 5] each."""
    alike = np.full((len(box), AROUND), -1, np.int64)
    near = np.full((len(box), AROUND), -1, np.int64)
    middle = box[:, :2] + box[:, 2:] / 2
    for images, most in _together(np.diff(first)):
        rows = first[images, None] + np.arange(most)
        there = rows < first[images + 1, None]
        rows = np.where(there, rows, 0)
        at, kind = middle[rows], category[rows]
        apart = ((at[:, :, None] - at[:, None]) ** 2).sum(-1)
        is_same = kind[:, :, None] == kind[:, None]
        apart[~(there[:, :, None] & there[:, None])] = np.inf
        apart[:, np.arange(most), np.arange(most)] = np.inf
        same = _nearest(np.where(is_same, apart, np.inf), rows)
        other = _nearest(np.where(is_same, np.inf, apart), rows)
        both = np.concatenate((other, same), -1)
        order = np.argsort(both < 0, -1, kind="stable")[..., :AROUND]
        alike[rows[there]] = same[there]
        near[rows[there]] = np.take_along_axis(both, order, -1)[there]
    return alike, near


def _together(counts: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Images with about as many regions, as many at a time as can be compared together; and the most regions."""
    order = np.argsort(counts, kind="stable")
    order = order[counts[order] > 0]
    while len(order):
        most = counts[order]
        fitting = np.arange(1, len(order) + 1) * most**2 <= PAIRS
        some = max(int(fitting.sum()), 1)  # counts grow, so those that fit stand first
        yield order[:some], int(most[some - 1])
        order = order[some:]


def _nearest(apart: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the nearest few by distance, equals in their order: int64 [image, region, 5], -1 where there is none."""
    found = np.full((*apart.shape[:2], AROUND), -1, np.int64)
    order = np.argsort(apart, -1, kind="stable")[..., :AROUND]
    is_there = np.isfinite(np.take_along_axis(apart, order, -1))
    numbers = np.take_along_axis(np.broadcast_to(rows[:, None], apart.shape), order, -1)
    found[..., : order.shape[-1]] = np.where(is_there, numbers, -1)
    return found
