"""Galleries of 3D Shapes: images one by one, or the pairs of a test set."""

from __future__ import annotations

import re
from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
from markupsafe import Markup

from deixis._studio.catalogue import Catalogue
from deixis._studio.filters import Card, Chip, Choice, Facet, Field
from deixis.errors import UnknownName
from deixis.worlds.rooms._examples import Example
from deixis.worlds.rooms.captions import GRAMMARS, caption, phrase_tables, segments
from deixis.worlds.rooms.data.make import read_pairs
from deixis.worlds.rooms.every_word import EVERY_WORD, needed_captions
from deixis.worlds.rooms.formats.a3ds import read_image_list
from deixis.worlds.rooms.scene import FACTORS, HUES, IMAGES, ORIENTATIONS, PLACES, SCALES, SOLIDS, factors_of


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis._studio.filters import PageQuery
    from deixis._studio.library import Entry
    from deixis.data.store import Dataset
    from deixis.worlds.rooms.captions import Grammar


VALUES = (HUES, HUES, HUES, SCALES, SOLIDS, ORIENTATIONS)
STRIDE = 297_361
MOST_COVERS = 1_000  # images among which one is chosen that looks well
TURNED = {angle: f"{angle}, {place}" for angle, place in zip(ORIENTATIONS, PLACES, strict=True)}


def room_catalogue(entry: Entry, wanted: PageQuery) -> Catalogue:
    """Return all images, or where `set` names one, its pairs.

    Raises:
        UnknownName: when something is asked for that does not exist.
        BrokenDataset: when something cannot be read.
    """
    grammar, chosen, sets = _grammar(wanted), wanted.get("set"), pairs_of(entry)
    images, pairs = _candidates(entry, wanted)
    facets = _facets_of(_ImageSet(images))

    def cards(numbers: np.ndarray) -> Iterator[Card]:
        for number in numbers.tolist():
            if pairs is not None:
                yield _pair_card(entry, chosen, number, pairs[number], grammar)
            else:
                yield _image_card(entry, int(images[number]), grammar)

    return Catalogue(
        what="pairs" if chosen else "images",
        size=len(images),
        facets=facets,
        cards=cards,
        having=lambda text: _text_masks(facets, text),
        text=Field("text", "caption has", wanted.get("text"), hint="tiny ball"),
        first=tuple(_first_fields(entry, wanted, sets)),
        further=(_captions_field(wanted),),
        part=f"{chosen}/{grammar}" if chosen else None,
        numbers=None if chosen else images,
    )


class ShownPair(Example):
    """Images shown together, with the caption that is on their card."""

    __slots__ = ()

    def _caption_choice(self) -> tuple[Grammar, int]:
        return super()._caption_choice() if self.split in EVERY_WORD else (self.grammars[0], 0)


def examples_of(entry: Entry, part: str) -> tuple[ShownPair, ...]:
    """Return the pairs of a set as their cards show them.

    Args:
        entry: the dataset.
        part: the name of a set and a grammar, as in `room_catalogue`.
    """
    name, _, grammar = part.rpartition("/")
    rows = pairs_of(entry).get(name, np.zeros((0, 2), np.int64))
    return tuple(
        ShownPair(images=tuple(images), id=number, split=name, grammars=(grammar,))  # type: ignore[arg-type]
        for number, images in enumerate(rows.tolist())
    )


def find_shown(entry: Entry, number: int, wanted: PageQuery) -> ShownPair:
    """Return what a card shows: a pair of the set that is asked for, or an image by itself."""
    name, grammar = wanted.get("set"), _grammar(wanted)
    images = tuple(pairs_of(entry)[name][number].tolist()) if name else (number,)
    return ShownPair(images=images, id=number, split=name, grammars=(grammar,))


def _candidates(entry: Entry, wanted: PageQuery) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the images to choose from, and their pairs if they are targets."""
    dataset: Dataset = entry.data
    chosen, split = wanted.get("set"), wanted.get("split")
    sets = pairs_of(entry)
    if chosen and chosen not in sets:
        raise UnknownName(f"there is no set of pairs {chosen!r} here; there are {', '.join(sets) or 'none'}")
    if split and split not in dataset.splits:
        raise UnknownName(f"there is no split {split!r} here; there are {', '.join(dataset.splits)}")
    if not chosen:
        return _images(entry, split), None
    return _targets(_ImageSet(sets[chosen])), sets[chosen]


@lru_cache(maxsize=16)
def _targets(pairs: _ImageSet) -> np.ndarray:
    """The targets of pairs, always the same array, so that what is known of them is kept."""
    return pairs.images[:, 0]


def room_cover(entry: Entry) -> Card:
    """A pair that shows at a glance what captions are for, or where there are no pairs, an image."""
    for name, pairs in sorted(pairs_of(entry).items()):
        for number in _colorful(pairs):
            return _pair_card(entry, name, number, pairs[number], "exhaustive")
    images = _all_images()
    return _image_card(entry, int(images[next(iter(_colorful(images[:, None])), 0)]), "exhaustive")


def _colorful(rows: np.ndarray) -> list[int]:
    """The rows of images [row, image], in order, whose first has a large object and three different colours."""
    floor, wall, thing, scale, _, _ = factors_of(rows[:MOST_COVERS, 0]).T
    good = (floor != wall) & (wall != thing) & (floor != thing) & (scale >= len(SCALES) // 2)
    return [int(number) for number in np.flatnonzero(good)]


def pairs_of(entry: Entry) -> dict[str, np.ndarray]:
    """Return the pairs of every set: int64 [pair, 2], the target first.

    Sets of the same name come from one file only.
    """
    return {name: rows for name, (_, rows) in _sets_of(entry).items()}


def pair_file(entry: Entry, name: str) -> str:
    """Return the file of a set of pairs, from the folder of the dataset, or an empty text if there is no such set."""
    return f"pairs/{_sets_of(entry)[name][0]}" if name in _sets_of(entry) else ""


def _sets_of(entry: Entry) -> dict[str, tuple[str, np.ndarray]]:
    folder = entry.path / "pairs"
    return _pairs(tuple((path, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.parquet"))))


@lru_cache(maxsize=4)
def _pairs(stamps: tuple[tuple[Any, int], ...]) -> dict[str, tuple[str, np.ndarray]]:
    found: dict[str, tuple[str, np.ndarray]] = {}
    for path, _ in stamps:
        for name, rows in read_pairs(path).items():
            found.setdefault(name, (path.name, rows[((rows >= 0) & (rows < IMAGES)).all(axis=1)]))
    return found


def _images(entry: Entry, split: str) -> np.ndarray:
    path = entry.path / "ids" / f"{split}.txt"
    if not split or not path.is_file():
        return _all_images()
    return _read_images(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _all_images() -> np.ndarray:
    return _mix(np.arange(IMAGES))


@lru_cache(maxsize=6)
def _read_images(path: Any, stamp: int) -> np.ndarray:  # noqa: ARG001 (a changed file is read again)
    return _mix(np.asarray(read_image_list(path), np.int64))


def _mix(images: np.ndarray) -> np.ndarray:
    """Return the images in an order in which neighbours differ, since thousands of red rooms come first by number."""
    stride = next(number for number in range(STRIDE, 2 * STRIDE) if gcd(number, len(images)) == 1)
    return images[np.arange(len(images)) * stride % max(1, len(images))]


class _ImageSet:
    """Images as a key by identity, so that their facets are made once."""

    def __init__(self, images: np.ndarray) -> None:
        self.images = images

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ImageSet) and other.images is self.images

    def __hash__(self) -> int:
        return id(self.images)


@lru_cache(maxsize=16)
def _facets_of(kept: _ImageSet) -> tuple[Facet, ...]:
    factors = factors_of(kept.images)
    made = []
    for place, (name, values) in enumerate(zip(FACTORS, VALUES, strict=True)):
        tables = {value: np.arange(len(values)) == code for code, value in enumerate(values)}
        labels = TURNED if name == "orientation" else {}
        made.append(Facet(name, name.replace("_", " "), np.ascontiguousarray(factors[:, place]), tables, labels))
    return tuple(made)


def _text_masks(facets: tuple[Facet, ...], text: str) -> Iterator[np.ndarray]:
    """For each word, the images whose longest caption has it: the caption names all factors, so some value must."""
    fixed = {word for place, phrases in segments(0) if place is None for word in phrases[0].split()} | {"a", "an"}
    for word in re.findall(r"[\w-]+", text.lower()):
        if word in fixed:
            continue
        mask = np.zeros(len(facets[0].codes), bool)
        for facet, phrases in zip(facets, phrase_tables("exhaustive"), strict=True):
            said = [
                " ".join(phrases.phrases[first : first + size]).replace("-", " ").split()
                for first, size in zip(phrases.first, phrases.size, strict=True)
            ]
            table = np.array([set(word.split("-")) <= set(words) for words in said], bool)
            if table.any():
                mask |= np.take(table, facet.codes)
        yield mask


def _grammar(wanted: PageQuery) -> Any:
    said = wanted.get("captions") or "exhaustive"
    if said not in GRAMMARS:
        raise UnknownName(f"there are no captions {said!r}; known: {', '.join(GRAMMARS)}")
    return said


def _first_fields(entry: Entry, wanted: PageQuery, sets: dict[str, np.ndarray]) -> Iterator[Field]:
    if sets:
        choices = tuple(Choice(name, name.replace("_", " "), len(rows)) for name, rows in sets.items())
        yield Field("set", "test set (pairs that share)", wanted.get("set"), choices, any="single images")
    if not wanted.get("set"):
        splits = tuple(Choice(name, name, size) for name, size in entry.splits.items())
        yield Field("split", "split", wanted.get("split"), splits, any="all")


def _captions_field(wanted: PageQuery) -> Field:
    listed = tuple(Choice(name, name) for name in GRAMMARS if name != "exhaustive")
    return Field("captions", "captions shown", wanted.get("captions"), listed, any="exhaustive")


def _image_card(entry: Entry, image: int, grammar: Any) -> Card:
    return Card(
        f"/d/{entry.slug}/image/{image}",
        caption(image, 0, grammar),
        _pictures(entry, (image,)),
        (Chip(f"image {image:,}"),),
    )


def _pair_card(entry: Entry, name: str, number: int, pair: np.ndarray, grammar: Any) -> Card:
    images = tuple(pair.tolist())
    factors = factors_of(pair)
    shared = int((factors == factors[:1]).all(axis=0).sum())
    chips = [Chip(f"pair {number:,}" if len(images) == 2 else f"context {number:,}"), Chip(f"{shared} shared")]
    text = needed_captions(pair[None])[0] if name in EVERY_WORD else caption(images[0], 0, grammar)
    return Card(
        f"/d/{entry.slug}/{quote(name, safe='')}/{number}",
        text,
        _pictures(entry, images),
        tuple(chips),
    )


def _pictures(entry: Entry, images: tuple[int, ...]) -> Markup:
    shown = [
        f'<img src="/d/{entry.slug}/image/{image}.png" width="128" height="128" loading="lazy" '
        f'alt="{"target" if place == 0 else "distractor"}">'
        if len(images) > 1
        else f'<img src="/d/{entry.slug}/image/{image}.png" width="128" height="128" loading="lazy" alt="">'
        for place, image in enumerate(images)
    ]
    return Markup("".join(shown))  # noqa: S704 (slugs and numbers only)
