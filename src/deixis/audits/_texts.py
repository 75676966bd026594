"""Texts and images of any examples: lengths, words, and what is there twice, within splits and across them."""

from __future__ import annotations

from array import array
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.audits._pairs import words_of
from deixis.audits.figures import Figure, mean_figure, missing, quantiles
from deixis.data._split_names import names_in_split


if TYPE_CHECKING:
    from collections.abc import Sequence


TRAIN = "train"
NO_TEXT, ONE_SPLIT, NO_IMAGE = "there are no texts", "there is one split", "neither images nor scenes are given"
KINDS = {"text": "texts", "both": "texts with their images", "image": "images"}


class SharedBySplits(NamedTuple):
    """How many examples of a split have their text, their image, or both, in another one, too."""

    split: str
    other: str
    examples: int  # of the split, without those that are in both splits themselves
    shared: dict[str, int]  # by what is shared


class TextCount:
    """Counts of texts, and digests by which texts and images are recognised."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.lengths = array("i")
        self.texts = array("Q")
        self.images = array("Q")  # 0 where none is known
        self.codes = array("i")
        self._splits: dict[str, int] = {}

    def add(self, texts: Sequence[str], image: int, split: str) -> list[list[str]]:
        """Count the text of an example, or its sentences, and return the words of each."""
        words = [words_of(text) for text in texts]
        said: Counter[str] = Counter()
        for some in words:
            said |= Counter(some)  # what the sentences of a pair share is said once
            self.lengths.append(len(some))
        self.words.update(said)
        self.texts.append(digest(" | ".join(" ".join(some) for some in words)))
        self.images.append(image)
        self.codes.append(self._splits.setdefault(split, len(self._splits)))
        return words

    @property
    def splits(self) -> list[str]:
        """The single splits that occur, in their order."""
        return list(dict.fromkeys(single for entry in self._splits for single in names_in_split(entry)))

    def figures(self) -> dict[str, Figure]:
        """The figures that need texts and images."""
        found: dict[str, Figure] = {}
        if not self.words:
            return found
        middle, spread = quantiles(self.lengths)
        once = sum(1 for count in self.words.values() if count == 1)
        found["texts"] = Figure(value=len(self.texts), of=len(self.texts))
        found["words of a text"] = Figure(value=middle, spread=spread, of=len(self.lengths))
        found["different words"] = Figure(value=len(self.words), of=len(self.words))
        found["words said once"] = Figure(value=once / len(self.words), of=len(self.words))
        keys = self._keys()
        if "image" in keys:
            found["images"] = Figure(value=_count_different(self.images), of=len(self.texts))
        for kind, what in (("text", "same text"), ("both", "same text and image"), ("image", "image")):
            if kind not in keys:
                continue
            if kind != "image":
                found[f"{what} twice in a split"] = mean_figure(self._is_repeated(keys[kind]))
            found[f"{what} in another split"] = self._elsewhere(keys[kind])
        return found

    def compare_splits(self) -> list[SharedBySplits]:
        """Return what every two splits share, train last, without those that share nothing."""
        keys, held = self._keys(), self._membership()
        found = []
        for place, split in enumerate(self.splits):
            for other_place, other in enumerate(self.splits):
                if place == other_place:
                    continue
                here = np.flatnonzero(held[:, place] & ~held[:, other_place])  # an example in both is no leak
                there = np.flatnonzero(held[:, other_place])
                shared = {kind: int(np.isin(key[here], key[there]).sum()) for kind, key in keys.items()}
                if any(shared.values()):
                    found.append(SharedBySplits(split, other, len(here), shared))
        return sorted(found, key=lambda one: one.other == TRAIN)

    def _keys(self) -> dict[str, np.ndarray]:
        """The digests of texts, images and both, as far as they are known."""
        texts, images = np.array(self.texts, np.uint64), np.array(self.images, np.uint64)
        if not images.any():
            return {"text": texts}
        unknown = np.flatnonzero(images == 0)
        images[unknown] = unknown.astype(np.uint64) + np.uint64(1)  # each may be another
        return {"text": texts, "both": texts ^ (images * np.uint64(3)), "image": images}

    def _membership(self) -> np.ndarray:
        """Which splits hold each example: bool [example, split]."""
        inside = np.array([[single in names_in_split(entry) for single in self.splits] for entry in self._splits], bool)
        held: np.ndarray = inside[np.array(self.codes, np.int64)]
        return held

    def _is_repeated(self, keys: np.ndarray) -> np.ndarray:
        """Whether each example repeats an earlier one of its entry of splits."""
        pairs = np.stack([keys, np.array(self.codes, np.uint64)], axis=1)
        _, first = np.unique(pairs, axis=0, return_index=True)
        repeated = np.ones(len(keys), bool)
        repeated[first] = False
        return repeated

    def _elsewhere(self, keys: np.ndarray) -> Figure:
        """How often a key is also in train, or in another split where there is no train."""
        splits, held = self.splits, self._membership()
        if len(splits) < 2:
            return missing(ONE_SPLIT)
        _, which = np.unique(keys, return_inverse=True)
        known = np.zeros((int(which.max()) + 1, len(splits)), bool)
        for place in range(len(splits)):
            known[which[held[:, place]], place] = True
        if TRAIN in splits:
            train = splits.index(TRAIN)
            tested = held.any(axis=1) & ~held[:, train]
            return mean_figure(known[which, train][tested]) if tested.any() else missing(ONE_SPLIT)
        return mean_figure((known[which] & ~held).any(axis=1))


def _count_different(images: array[int]) -> int:
    """How many different images are known."""
    known = np.array(images, np.uint64)
    return len(np.unique(known[known != 0]))


def digest(text: str) -> int:
    """A number for a text, the same on every machine."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
