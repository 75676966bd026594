"""Part `examples` of rooms: images shown together, and a caption that tells the target from the others.

A dataset with pairs has one example for each of them, by set. In one without pairs every image is a target, beside
another one of its split; numbers of examples are numbers of images then. `deixis show DATA N --split images` shows the
image N by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._parquet_files import columns_of
from deixis.data.store import open_dataset
from deixis.errors import BrokenDataset, UnknownName
from deixis.seeds import Stream, derive
from deixis.worlds.rooms.captions import GRAMMARS, caption, expression_of, frames
from deixis.worlds.rooms.data.make import CONTEXTS, PAIRS, read_pairs
from deixis.worlds.rooms.every_word import EVERY_WORD, needed_features
from deixis.worlds.rooms.pairs import context_of, partition
from deixis.worlds.rooms.scene import FACTORS, IMAGES, PLACES, RoomScene
from deixis.worlds.rooms.speakers import caption_numbers


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.scene.scene import Context
    from deixis.worlds.rooms.captions import Grammar


SPOKEN: tuple[Grammar, ...] = ("short", "exhaustive")  # captions that are tried, the short ones first
SINGLE = "images"  # what is counted in where images are shown one by one
SEED = 42  # of the splits, where a folder does not say


def contrast(one: int, other: int) -> tuple[str, ...]:
    """The features in which captions can tell two images apart."""
    names = zip(FACTORS, _spoken_factors(one), _spoken_factors(other), strict=True)
    return tuple(name for name, mine, others in names if mine != others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Images shown together, and a caption of the first.

    Attributes:
        images: their numbers, the target first; a single one where an image is shown by itself.
        id: the number of the example in its dataset.
        split: the set of pairs that it is from, or the split of its target.
        seed: of the caption.
        grammars: the captions of the dataset.
    """

    images: tuple[int, ...]
    id: int
    split: str = ""
    seed: int = SEED
    grammars: tuple[Grammar, ...] = SPOKEN

    @property
    def text(self) -> str:
        """A caption of the target that fits no other image, if there is one in the grammars of the dataset."""
        grammar, number = self._caption_choice()
        return caption(self.images[0], number, grammar)

    @property
    def expression(self) -> Expression:
        """The features that the caption names."""
        grammar, number = self._caption_choice()
        return expression_of(self.images[0], frames(grammar)[number].features)

    @property
    def context(self) -> Context:
        """The rooms, one object each."""
        return context_of(self.images)

    @property
    def answer(self) -> int:
        """The image that is meant."""
        return self.images[0]

    @property
    def splits(self) -> tuple[str, ...]:
        """The split alone: the name of a set of pairs may hold a +."""
        return (self.split,)

    @property
    def likeness(self) -> tuple[object, ...]:
        """The key for audits: the features named, those that tell each image apart, and the length."""
        grammar, number = self._caption_choice()
        named = frames(grammar)[number].features
        telling = tuple(frozenset(named).intersection(contrast(self.images[0], other)) for other in self.images[1:])
        return named, telling, len(caption(self.images[0], number, grammar).split())

    def _caption_choice(self) -> tuple[Grammar, int]:
        """The grammar and the number of the caption."""
        if self.split in EVERY_WORD:
            return "partial", int(caption_numbers(needed_features(np.array([self.images])))[0])
        return _choose_caption(self.images, self.seed, self.grammars)


@lru_cache(maxsize=256)
def _choose_caption(images: tuple[int, ...], seed: int, grammars: tuple[Grammar, ...]) -> tuple[Grammar, int]:
    needed = tuple(frozenset(contrast(images[0], other)) for other in images[1:])
    stream = Stream(derive(seed, "caption", *images))
    for grammar in grammars:
        if telling := _telling(grammar, needed):
            return grammar, stream.choice(telling)
    return grammars[-1], 0  # captions cannot tell these images apart


@lru_cache(maxsize=4096)
def _telling(grammar: Grammar, needed: tuple[frozenset[str], ...]) -> tuple[int, ...]:
    """The captions that name a feature out of every set."""
    known = frames(grammar)
    return tuple(k for k, frame in enumerate(known) if all(one & set(frame.features) for one in needed))


@dataclass(frozen=True)
class RoomExamples:
    """The examples of a dataset of rooms.

    Attributes:
        path: where it lies.
        sets: its pairs by set, int64 [pair, 2]; empty where it has none.
        seed: of its splits and of captions.
        grammars: the captions that it has.
    """

    path: Path
    sets: Mapping[str, np.ndarray]
    seed: int = SEED
    grammars: tuple[Grammar, ...] = SPOKEN

    @cached_property
    def splits(self) -> Mapping[str, int]:
        """The number of examples of every set of pairs, or where there are none, of images in every split."""
        return {name: len(rows) for name, rows in self._parts.items()}

    def __len__(self) -> int:
        return sum(self.splits.values())

    def __getitem__(self, number: int) -> Example:
        if not 0 <= number < len(self):
            raise UnknownName(f"there is no example {number} here; there are {len(self):,}, counted from 0")
        if not self.sets:
            return self._image(number)
        place = int(np.searchsorted(self._starts, number, side="right")) - 1
        split = list(self.sets)[place]
        images = self.sets[split][number - self._starts[place]]
        return self._example(tuple(images.tolist()), number, split)

    def __iter__(self) -> Iterator[Example]:
        return map(self.__getitem__, range(len(self)))

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """The numbers of the examples of a set of pairs or a split, or of all."""
        if split is None:
            return range(len(self))
        self._demand(split)
        if not self.sets:
            found: list[int] = self._parts[split].tolist()
            return found
        start = self._starts[list(self.sets).index(split)]
        return range(start, start + self.splits[split])

    def count(self, split: str | None = None) -> int:
        """Count the examples to show: all, those of a split, or images one by one."""
        if split is None:
            return len(self)
        if split == SINGLE:
            return IMAGES
        self._demand(split)
        return self.splits[split]

    def pick(self, number: int, split: str | None = None) -> Example:
        """Return the example of a number within a split or over all, or for `images` the image of that number."""
        if split is None:
            return self[number]
        if split == SINGLE:
            if not 0 <= number < IMAGES:
                raise UnknownName(f"there is no image {number}; they are numbered from 0 to {IMAGES - 1:,}")
            return self._example((number,), number, self._split_of[number])
        self._demand(split)
        if not 0 <= number < self.splits[split]:
            what = "pair" if self.sets else "image"
            raise UnknownName(f"there is no {what} {number} in {split}; it has {self.splits[split]:,}, counted from 0")
        return self[self.numbers(split)[number]]

    def _example(self, images: tuple[int, ...], number: int, split: str) -> Example:
        return Example(images=images, id=number, split=split, seed=self.seed, grammars=self.grammars)

    def _image(self, number: int) -> Example:
        """An image beside another one of its split."""
        split = self._split_of[number]
        others = self._parts[split]
        place = Stream(derive(self.seed, "beside", number)).below(len(others) - 1)
        other = int(others[place if others[place] != number else -1])
        return self._example((number, other), number, split)

    def _demand(self, split: str) -> None:
        if split not in self.splits:
            hint = "" if self.sets else "; the folder holds no pairs: make it with --test-sets or --pairs"
            known = ", ".join((*self.splits, SINGLE))
            raise UnknownName(f"there is no split {split!r} in {self.path.name}; it has {known}{hint}")

    @cached_property
    def _parts(self) -> Mapping[str, np.ndarray]:
        return self.sets or partition(seed=self.seed)._asdict()

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(self.splits.values())][:-1]

    @property
    def _split_of(self) -> Sequence[str]:
        return _split_of(self.seed)


@cache
def _split_of(seed: int) -> tuple[str, ...]:
    """The split of every image."""
    parts = partition(seed=seed)._asdict()
    names, codes = tuple(parts), np.zeros(IMAGES, np.uint8)
    for code, images in enumerate(parts.values()):
        codes[images] = code
    return tuple(names[code] for code in codes.tolist())


def open(path: Path) -> RoomExamples:  # noqa: A001 (the protocol calls it so)
    """The examples of a dataset folder, or of a file of pairs."""
    if path.is_file():
        return RoomExamples(path, read_pairs(path))
    dataset = open_dataset(path)
    recipe = _recipe_in(dataset.manifest)
    sets: dict[str, np.ndarray] = {}
    for file in sorted((path / "pairs").glob("*.parquet")):
        sets.update(read_pairs(file))
    said = recipe.get("captions")
    grammars = tuple(name for name in SPOKEN + GRAMMARS if isinstance(said, list) and name in said)
    seed = recipe.get("seed")
    return RoomExamples(path, sets, seed if isinstance(seed, int) else SEED, tuple(dict.fromkeys(grammars)) or SPOKEN)


def recognises(path: Path) -> bool:
    """Return whether a file holds pairs of images."""
    if not path.is_file() or path.suffix != ".parquet":
        return False
    try:
        return columns_of(path) in (PAIRS.names, CONTEXTS.names)
    except BrokenDataset:
        return False


def _recipe_in(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    recipe = manifest.get("recipe")
    return recipe if isinstance(recipe, dict) else {}


@lru_cache(maxsize=4096)
def _spoken_factors(image: int) -> tuple[object, ...]:
    """Return the factors as captions distinguish them: fifteen orientations share eleven phrases."""
    *hues, place = RoomScene(image).factors
    return *hues, PLACES[place]
