"""A Cops-Ref dataset as arrays: its regions (`region_arrays`), and its expressions as numbers of words.

Texts are read in lower case and without punctuation, because capitals would tell the form: only expressions of order
begin with a small letter in the release. Words of the training split that occur often enough have a number, and so has
every word of a category; all others are `UNKNOWN`.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data.store import read_parquet
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.photos.data._region_arrays import RegionArrays, region_arrays
from deixis.worlds.photos.data._roles import known_phrases, roles_in
from deixis.worlds.photos.localise import FORMS, SETTINGS


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.photos.data._roles import Phrases
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import Setting
    from deixis.worlds.photos.scene._gather import Texts
    from deixis.worlds.photos.scene.graph_table import GraphTable


PAD, UNKNOWN = 0, 1  # the first rows of every table of words
SPECIAL = ("<pad>", "<unknown>")
STEPS = 30  # words that are read at most, Cops-Ref section 5.1
BLOCK = 65_536  # examples that are read at a time
PUNCTUATION = r'[.,;:!?"()\[\]]'
COLUMNS = ["id", "split", "text", "form", "expression", "image", "object", "distractor_kind", "distractor_image"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSettings:
    """Settings for turning texts into numbers.

    Attributes:
        split: whose words are counted.
        rare: words that occur there so often or less have no number of their own.
        attributes: how many attribute words a model learns to see.
        steps: words that are read at most.
        vocabulary, labels: the words and the attribute words of a model that is there already; nothing is counted then.
    """

    split: str = "train"
    rare: int = 5
    attributes: int = 50
    steps: int = STEPS
    vocabulary: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.steps < 1 or self.attributes < 0 or self.rare < 0:
            raise RecipeError(f"at least one word is read, and counts are not negative; got {self}")
        if self.vocabulary is not None and self.vocabulary[: len(SPECIAL)] != SPECIAL:
            raise RecipeError(f"a vocabulary begins with {' and '.join(SPECIAL)}, got {self.vocabulary[:2]}")


class ImageLists(NamedTuple):
    """The images shown with every expression in one setting, the right one first, each once.

    Shapes:
        first: int64 [expression + 1], where those of each begin. image: int32 [shown].
    """

    first: np.ndarray
    image: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class ExpressionArrays:
    """Expressions, one row each, split after split.

    Attributes:
        splits, forms: what the numbers of splits and forms stand for.
        shown: the images of each setting.

    Shapes:
        id: int64 [expression]. split, form: int8 [expression].
        words: int32 [expression, step], `PAD` after the end. count: int32 [expression], how many words are read.
        length: int32 [expression], how many words there are. roles: int8 [expression, step], see `roles`.
        image: int32 [expression]. target: int64 [expression], the row of the target among the regions, or -1 where
            nothing fits.
        labels: bool [expression, attribute], which attribute words hold of the target.
    """

    splits: tuple[str, ...]
    forms: tuple[str, ...]
    id: np.ndarray
    split: np.ndarray
    form: np.ndarray
    words: np.ndarray
    count: np.ndarray
    length: np.ndarray
    roles: np.ndarray
    image: np.ndarray
    target: np.ndarray
    labels: np.ndarray
    shown: Mapping[Setting, ImageLists]

    def __len__(self) -> int:
        return len(self.id)

    @property
    def is_negative(self) -> np.ndarray:
        """Mask of the expressions that fit nothing: bool [expression]."""
        return self.target < 0

    def rows(self, split: str) -> np.ndarray:
        """Return the rows of a split, int64 [expression], or raise `RecipeError` where there is none of that name."""
        if split not in self.splits:
            raise RecipeError(f"there is no split {split!r}; there are {', '.join(self.splits) or 'none'}")
        return np.flatnonzero(self.split == self.splits.index(split))


@dataclass(frozen=True, eq=False, kw_only=True)
class CopsRefArrays:
    """A dataset as arrays.

    Attributes:
        regions: of all images; expressions: of all splits.
        vocabulary: the words by their numbers.
        labels: the attribute words that a model learns to see. weights: float32 [label], how much each counts.
    """

    regions: RegionArrays
    expressions: ExpressionArrays
    vocabulary: tuple[str, ...]
    labels: tuple[str, ...]
    weights: np.ndarray


def copsref_arrays(dataset: CopsRef, wanted: TextSettings | None = None) -> CopsRefArrays:
    """Return the arrays of a dataset.

    Raises:
        BrokenDataset: when an expression names an image or an object that is not there, with its id.
        RecipeError: when the split whose words are to be counted is missing.
    """
    wanted = wanted or TextSettings()
    if wanted.vocabulary is None and wanted.split not in dataset.splits:
        raise RecipeError(
            f"the words of {wanted.split!r} are to be counted, but {dataset.path.name} has only "
            f"{', '.join(dataset.splits) or 'no splits'}"
        )
    regions = region_arrays(dataset.scenes)
    finder = _Finder(dataset.scenes)
    words = _Words()
    blocks = [_read(block, path.name, finder, words, wanted) for path, block in _blocks(dataset)]
    held = {name: np.concatenate([block[name] for block in blocks]) for name in (blocks[0] if blocks else ())}
    if not held:
        raise BrokenDataset(f"{dataset.path.name} holds no expressions")
    splits, split = _number_values(held.pop("split"), tuple(dataset.splits))
    forms, form = _number_values(held.pop("form"), FORMS)
    counted = split == splits.index(wanted.split) if wanted.split in splits else np.zeros(len(split), bool)
    vocabulary = wanted.vocabulary or _vocabulary(words, held, counted, regions.names, wanted.rare)
    labels, weights = _labels(regions, held["target"][counted], wanted)
    kinds, shown = held.pop("kind"), held.pop("shown")
    expressions = ExpressionArrays(
        splits=splits,
        forms=forms,
        split=split.astype(np.int8),
        form=form.astype(np.int8),
        id=held["id"],
        **_steps(held, words.numbers_in(vocabulary), wanted.steps),
        length=held["length"],
        image=held["image"],
        target=held["target"],
        labels=_target_labels(regions, held["target"], labels),
        shown={
            setting: _images_shown(setting, held["image"], held["distractors"], kinds, shown) for setting in SETTINGS
        },
    )
    return CopsRefArrays(
        regions=regions, expressions=expressions, vocabulary=vocabulary, labels=labels, weights=weights
    )


def label_weights(counts: np.ndarray) -> np.ndarray:
    """Return the weight of each attribute word, 1/sqrt(count) scaled to 1 to 10 (MattNet): float32 [label]."""
    weights = 1 / np.sqrt(np.maximum(counts, 1))
    if not len(weights):
        return weights.astype(np.float32)
    spread = weights.max() - weights.min()
    return (1 + 9 * (weights - weights.min()) / (spread or 1)).astype(np.float32)


# -------------------------------------------------------------------------------------------------- reading


def _blocks(dataset: CopsRef) -> Iterator[tuple[Path, pa.Table]]:
    for path in dataset.dataset.files():
        for table in read_parquet(path, rows=BLOCK, columns=COLUMNS):
            yield path, table.combine_chunks()


def _read(table: pa.Table, file: str, finder: _Finder, words: _Words, wanted: TextSettings) -> dict[str, np.ndarray]:
    """The columns of some rows as arrays; what is a list in them is flat, with how many there are."""
    for name in COLUMNS:
        if table.column(name).null_count:
            raise BrokenDataset(f"{file}: the column {name} has empty fields")
    ids = table.column("id").to_numpy()
    lists = _column(table, "text", pa.string())
    plain = pc.replace_substring_regex(pc.utf8_lower(lists), PUNCTUATION, " ")
    texts = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(plain))
    said = texts.to_pylist()
    said = [[word for word in one if word] for one in said]
    flat = words.numbers_of(said)
    image = finder.images(_column(table, "image", pa.large_string()), file, ids)
    kinds, kind_counts = _flat(table, "distractor_kind")
    others, counts = _flat(table, "distractor_image")
    if not np.array_equal(counts, kind_counts):
        raise BrokenDataset(f"{file}: lists of distractor images and of their kinds differ in length")
    return {
        "id": ids.astype(np.int64),
        "split": np.array(table.column("split").to_pylist(), object),
        "form": np.array(table.column("form").to_pylist(), object),
        "length": np.array([len(one) for one in said], np.int32),
        "flat": flat,
        "roles": _roles(table, said, finder.phrases, wanted.steps),
        "image": image,
        "target": finder.targets(image, _column(table, "object", pa.large_string()), file, ids),
        "distractors": counts,
        "kind": pc.index_in(kinds, value_set=pa.array(SETTINGS)).fill_null(-1).to_numpy(zero_copy_only=False),
        "shown": finder.images(others.cast(pa.large_string()), file, np.repeat(ids, counts)),
    }


def _column(table: pa.Table, name: str, kind: pa.DataType) -> pa.Array:
    column = table.column(name).combine_chunks()
    return (column.chunk(0) if isinstance(column, pa.ChunkedArray) else column).cast(kind)


def _flat(table: pa.Table, name: str) -> tuple[pa.Array, np.ndarray]:
    lists = _column(table, name, pa.list_(pa.string()))
    return lists.flatten(), pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)


def _roles(table: pa.Table, said: list[list[str]], phrases: Phrases, steps: int) -> np.ndarray:
    """What the words do: int8 [expression, step]."""
    roles = np.zeros((len(said), steps), np.int8)
    for row, (words, written) in enumerate(zip(said, table.column("expression").to_pylist(), strict=True)):
        found = roles_in(words, _plain(written), phrases)[:steps]
        roles[row, : len(found)] = found
    return roles


def _plain(written: str) -> Any:
    """Return the plain values of an expression, or None where there are none that can be read."""
    try:
        return json.loads(written) if written else None
    except (ValueError, RecursionError):
        return None


class _Finder:
    """Finds images and objects by their ids, many at once."""

    def __init__(self, scenes: GraphTable) -> None:
        self.scenes = scenes
        self.phrases = known_phrases(scenes.vocabulary)
        self._images = _texts(scenes.image_ids)
        objects = _texts(scenes.object_ids).dictionary_encode()
        self._objects = objects.dictionary
        keys = np.asarray(scenes.scene_of, np.int64) * max(len(self._objects), 1) + objects.indices.to_numpy()
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def images(self, wanted: pa.Array, file: str, ids: np.ndarray) -> np.ndarray:
        """Return the numbers of images: int32."""
        found = pc.index_in(wanted, value_set=self._images)
        if found.null_count:
            row = found.is_null().to_pylist().index(True)
            raise BrokenDataset(
                f"{file}, example {ids[row]}: there is no scene graph of the image {wanted[row].as_py()!r}"
            )
        return found.to_numpy(zero_copy_only=False).astype(np.int32)

    def targets(self, images: np.ndarray, wanted: pa.Array, file: str, ids: np.ndarray) -> np.ndarray:
        """Return the rows of objects among the regions, -1 where no object is named: int64."""
        is_named = pc.not_equal(wanted, "").to_numpy(zero_copy_only=False).astype(bool)
        code = pc.index_in(wanted, value_set=self._objects).fill_null(-1).to_numpy(zero_copy_only=False)
        key = images.astype(np.int64) * max(len(self._objects), 1) + code
        place = np.minimum(np.searchsorted(self._keys, key), max(len(self._keys) - 1, 0))
        is_found = (code >= 0) & (self._keys[place] == key) if len(self._keys) else np.zeros(len(code), bool)
        if (is_named & ~is_found).any():
            row = int(np.flatnonzero(is_named & ~is_found)[0])
            raise BrokenDataset(
                f"{file}, example {ids[row]}: image {self.scenes.image_ids[int(images[row])]!r} has no object "
                f"{wanted[row].as_py()!r}"
            )
        return np.where(is_named, self._order[place] if len(self._keys) else -1, -1)


def _texts(texts: Texts) -> pa.Array:
    """Return texts as a column, without a copy where they are what they should be."""
    column = pa.LargeStringArray.from_buffers(
        len(texts), pa.py_buffer(np.ascontiguousarray(texts.ptr)), pa.py_buffer(np.ascontiguousarray(texts.data))
    )
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:  # not UTF-8: what cannot be read is replaced
        return pa.array(list(texts), pa.large_string())
    return column


class _Words:
    """Numbers words in the order in which they are met."""

    def __init__(self) -> None:
        self.met: dict[str, int] = {}

    def numbers_of(self, said: list[list[str]]) -> np.ndarray:
        """Their numbers, one text after the other: int32 [word]."""
        met = self.met
        return np.array([met.setdefault(word, len(met)) for words in said for word in words], np.int32)

    def numbers_in(self, vocabulary: Sequence[str]) -> np.ndarray:
        """For each word that was met its number in a vocabulary: int32 [word]."""
        known = {word: number for number, word in enumerate(vocabulary) if number > UNKNOWN}
        return np.array([known.get(word, UNKNOWN) for word in self.met], np.int32)


# -------------------------------------------------------------------------------------------------- counting


def _number_values(values: np.ndarray, known: tuple[str, ...]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return all values that there are, known ones first, and their numbers."""
    names = tuple(dict.fromkeys((*known, *sorted(set(values.tolist())))))
    numbers = {name: number for number, name in enumerate(names)}
    return names, np.array([numbers[value] for value in values.tolist()], np.int64)


def _vocabulary(
    words: _Words, held: Mapping[str, np.ndarray], counted: np.ndarray, names: Sequence[str], rare: int
) -> tuple[str, ...]:
    """Return the words that have a number, the most frequent first, equals by the alphabet."""
    is_counted = np.repeat(counted, held["length"])
    counts = np.bincount(held["flat"][is_counted], minlength=len(words.met))
    frequent = {word: int(count) for word, count in zip(words.met, counts, strict=True) if count > rare}
    for name in names:
        for word in name.lower().split():
            frequent.setdefault(word, 0)
    return (*SPECIAL, *sorted(frequent, key=lambda word: (-frequent[word], word)))


def _steps(held: Mapping[str, np.ndarray], numbers: np.ndarray, steps: int) -> dict[str, np.ndarray]:
    """Words cut to so many steps; a text without any says one unknown word."""
    length = held["length"].astype(np.int64)
    start = np.cumsum(length) - length
    words = np.full((len(length), steps), PAD, np.int32)
    step = np.arange(steps)
    is_there = step < length[:, None]
    words[is_there] = numbers[held["flat"][(start[:, None] + step)[is_there]]]
    words[length == 0, 0] = UNKNOWN
    return {"words": words, "count": np.clip(length, 1, steps).astype(np.int32), "roles": held["roles"]}


def _labels(regions: RegionArrays, targets: np.ndarray, wanted: TextSettings) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the most frequent attribute words of targets, with their weights."""
    rows = targets[targets >= 0]
    counts: Counter[str] = Counter()
    for code, count in enumerate(np.bincount(_mentions(regions, rows)[1], minlength=len(regions.words)).tolist()):
        counts[regions.words[code]] = count
    if wanted.labels is not None:
        labels = wanted.labels
    else:
        seen = [word for word in counts if counts[word]]
        labels = tuple(sorted(seen, key=lambda word: (-counts[word], word))[: wanted.attributes])
    return labels, label_weights(np.array([counts[word] for word in labels], np.float64))


def _mentions(regions: RegionArrays, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the attributes of regions: their places in `rows` and their numbers, one entry for each."""
    start, count = regions.attr_ptr[rows], regions.attr_ptr[rows + 1] - regions.attr_ptr[rows]
    places = np.repeat(np.arange(len(rows)), count)
    within = np.arange(len(places)) - np.repeat(np.cumsum(count) - count, count)
    return places, regions.attr[np.repeat(start, count) + within]


def _target_labels(regions: RegionArrays, targets: np.ndarray, labels: Sequence[str]) -> np.ndarray:
    """Which attribute words hold of targets: bool [expression, label]."""
    known = {word: number for number, word in enumerate(labels)}
    number_of = np.array([known.get(word, -1) for word in regions.words], np.int64)
    there = np.flatnonzero(targets >= 0)
    places, codes = _mentions(regions, targets[there])
    numbers = number_of[codes] if len(codes) else np.zeros(0, np.int64)
    held = np.zeros((len(targets), len(labels)), bool)
    held[there[places[numbers >= 0]], numbers[numbers >= 0]] = True
    return held


def _images_shown(
    setting: Setting, image: np.ndarray, counts: np.ndarray, kinds: np.ndarray, others: np.ndarray
) -> ImageLists:
    """Return the images of a setting: the right one, then those of the kinds that are asked for, each once."""
    is_shown = np.full(len(kinds), setting == "Full") | (kinds == SETTINGS.index(setting))
    own = np.arange(len(image))
    whose = np.concatenate((own, np.repeat(own, counts)[is_shown]))
    which = np.concatenate((image, others[is_shown])).astype(np.int64)
    key = whose * (int(which.max(initial=0)) + 1) + which
    once = np.sort(np.unique(key, return_index=True)[1])
    order = once[np.argsort(whose[once], kind="stable")]
    first = np.concatenate(([0], np.cumsum(np.bincount(whose[order], minlength=len(image)))))
    return ImageLists(first.astype(np.int64), which[order].astype(np.int32))
