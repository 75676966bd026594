"""Checks of photographs that compare examples with each other, in memory of a fixed size and two bytes for an image.

Each is told of the examples in their order, and tells at the end, or at once, what is wrong.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.data._keyed_rows import KEY, PLACE, KeyedRows, ranges_of
from deixis.errors import UnknownName


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph_table import GraphTable


NEVER = -1  # an image that was not shown yet


class ImageSplits:
    """The first split that shows each image."""

    def __init__(self, scenes: GraphTable) -> None:
        self.scenes = scenes
        self._first = np.full(len(scenes), NEVER, np.int16)
        self._others: dict[str, str] = {}  # of images that the scenes do not have, which is a fault
        self._numbers: dict[str, int] = {}

    def first(self, image: str, split: str) -> str:
        """Return the split that showed an image first; this one, where none did before."""
        number = self._numbers.setdefault(split, len(self._numbers))
        try:
            scene = self.scenes.find(image)
        except UnknownName:
            return self._others.setdefault(image, split)
        if self._first[scene] == NEVER:
            self._first[scene] = number
        return tuple(self._numbers)[self._first[scene]]


class ShownImages:
    """The images that examples are shown with, by which those that fit nothing are compared with their origins."""

    def __init__(self) -> None:
        self._rows = KeyedRows(images=np.uint64, row=np.int64, id=np.int64, split=np.int32, is_there=np.bool_)
        self._numbers: dict[str, int] = {}

    def add(self, block: Sequence[tuple[int, Example]]) -> None:
        """Remember examples, each with its row."""
        rows, some = [row for row, _ in block], [example for _, example in block]
        origins = [one.id if one.is_there else one.changed_id for one in some]
        keys = [(-1 if origin is None else origin) % (1 << 64) for origin in origins]
        splits = [self._numbers.setdefault(one.split, len(self._numbers)) for one in some]
        self._rows.add(
            np.array(keys, np.uint64),
            images=np.array([_digest_of_images(one) for one in some], np.uint64),
            row=np.array(rows, np.int64),
            id=np.array([one.id for one in some], np.int64),
            split=np.array(splits, np.int32),
            is_there=np.array([one.is_there for one in some], np.bool_),
        )

    def others(self, most: int) -> tuple[int, list[tuple[int, int, str, int]]]:
        """How many examples are not shown as their origins, and row, id, split and origin of the first of them."""
        names, count = tuple(self._numbers), 0
        found: list[tuple[int, np.void]] = []
        for (rows,) in ranges_of([self._rows]):
            shown: dict[int, int] = {}
            some = []
            for number, (key, images, is_there) in enumerate(
                zip(rows[KEY].tolist(), rows["images"].tolist(), rows["is_there"].tolist(), strict=True)
            ):
                if is_there:
                    shown[key] = images
                elif shown.get(key, images) != images:
                    some.append((int(rows[PLACE][number]), rows[number]))
            count += len(some)
            found = nsmallest(most, [*found, *some], key=_place)
        return count, [
            (int(row["row"]), int(row["id"]), names[row["split"]], int(row[KEY].astype(np.int64))) for _, row in found
        ]


class FewestImages:
    """How many images of the rarest kind the examples of each split are shown with."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.counts: dict[str, Counter[int]] = {}
        self._first: dict[tuple[str, int], list[tuple[int, int]]] = {}  # row and id, by split and number of images

    def add(self, fewest: int, row: int, example: Example) -> None:
        """Count an example."""
        self.counts.setdefault(example.split, Counter())[fewest] += 1
        first = self._first.setdefault((example.split, fewest), [])
        if len(first) < self.most:
            first.append((row, example.id))

    def below(self, split: str, least: int) -> tuple[int, Iterator[FewImages]]:
        """How many examples of a split have fewer images than that, and the first of them."""
        few = [fewest for fewest in self.counts[split] if fewest < least]
        some = sorted(FewImages(row, number, fewest) for fewest in few for row, number in self._first[split, fewest])
        return sum(self.counts[split][fewest] for fewest in few), iter(some[: self.most])


class FewImages(NamedTuple):
    """An example with few images of a kind."""

    row: int
    id: int
    images: int


def _digest_of_images(example: Example) -> int:
    told = repr([(one.kind, one.image_id) for one in example.distractors])
    return int.from_bytes(sha256(told.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def _place(found: tuple[int, object]) -> int:
    return found[0]
