"""Part `statistics` of rooms: how many images, captions and pairs there are, what captions say and images show.

Numbers of images and pairs are read. What captions say follows from their grammar and the images that they are about;
`deixis check` proves that the captions of a dataset are those.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._card_facts import matching
from deixis.data.store import open_dataset
from deixis.errors import BrokenDataset, RecipeError, UnknownName
from deixis.report._cells import as_csv, as_markdown
from deixis.report._markup import percent
from deixis.report._palette import MAX_DATASETS
from deixis.report.chart import WIDE, Axis, Chart, Figure, make_series
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.report.output import Output, TextTable
from deixis.seeds import derive, mix_words
from deixis.worlds.rooms.captions import GRAMMARS, frames, phrase_numbers, segments
from deixis.worlds.rooms.data.make import read_pairs
from deixis.worlds.rooms.draw import draw_rooms, encode_png
from deixis.worlds.rooms.pairs import partition
from deixis.worlds.rooms.scene import FACTORS, IMAGES, ROOMS, SIZES, factors_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._crew import Progress
    from deixis.report.chart_matplotlib import Format
    from deixis.worlds.rooms.captions import Grammar


SHEET, COLUMNS, SIDE = 24, 8, 96  # rooms on the sheet of a card, and pixels along a side of each
MOST_WORDS = 12  # that are printed


@dataclass(frozen=True, kw_only=True)
class CaptionCounts:
    """Counts of a dataset of captions.

    Attributes:
        name: what it is called.
        images: how many.
        captions: how many of each grammar.
        splits: images of every split.
        pairs: of every set.
        words: how often each word is said in all captions.
        lengths: for each grammar, how many captions have so many words.
        features: for each factor, how many images have each value.
    """

    name: str
    images: int
    captions: Mapping[str, int]
    splits: Mapping[str, int]
    pairs: Mapping[str, int]
    words: Mapping[str, int]
    lengths: Mapping[str, Mapping[int, int]]
    features: Mapping[str, Mapping[str, int]]

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain values."""
        lengths = {
            grammar: {str(words): count for words, count in some.items()} for grammar, some in self.lengths.items()
        }
        return {
            "name": self.name,
            "kind": "a3ds",
            "images": self.images,
            "captions": dict(self.captions),
            "splits": dict(self.splits),
            "pairs": dict(self.pairs),
            "words": dict(self.words),
            "lengths": lengths,
            "features": {factor: dict(values) for factor, values in self.features.items()},
        }


def count(path: Path, *, name: str, split: str | None = None, progress: Progress | None = None) -> CaptionCounts:
    """Count what a dataset holds.

    Args:
        path: where it lies.
        name: what to call it; what cannot be printed is replaced.
        split: only the images of this one, their captions and their pairs.
        progress: told how many images were looked at.

    Raises:
        BrokenDataset: when it cannot be read.
        UnknownName: when there is no such split.
    """
    manifest = open_dataset(path).manifest
    number, captions = manifest.get("images"), manifest.get("captions")
    is_counted = isinstance(captions, dict) and all(isinstance(one, int) for one in captions.values())
    if not isinstance(number, int) or not 1 <= number <= IMAGES or captions is None or not is_counted:
        raise BrokenDataset(f"the manifest of {path} does not say how many images and captions there are")
    splits: dict[str, int] = manifest["splits"]
    if split is not None and split not in splits:
        raise UnknownName(f"there is no split {split!r} in {path.name}; it has {', '.join(splits) or 'none'}")
    images = np.arange(number) if split is None else _images_of(manifest, split, number)
    words: Counter[str] = Counter()
    lengths: dict[str, dict[int, int]] = {}
    made: list[Grammar] = [grammar for grammar in GRAMMARS if grammar in captions]
    for done, grammar in enumerate(made, start=1):
        lengths[grammar] = _count_captions(images, grammar, words)
        if progress is not None:
            progress(name, done * len(images), len(made) * len(images))
    factors = factors_of(images)
    features = {}
    for place, (attribute, size) in enumerate(zip(ROOMS.attributes, SIZES, strict=True)):
        numbers = np.bincount(factors[:, place], minlength=size).tolist()
        features[attribute.name] = dict(zip(attribute.values[:size], numbers, strict=True))
    files = matching(manifest["files"], "pairs/*.parquet")
    pairs = {
        kind: len(rows)
        for entry in sorted(files, key=lambda entry: entry["path"])
        if split in (None, entry["split"])
        for kind, rows in read_pairs(path / entry["path"]).items()
    }
    return CaptionCounts(
        name="".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name),
        images=len(images),
        captions=captions if split is None else {grammar: sum(lengths[grammar].values()) for grammar in made},
        splits=splits if split is None else {split: splits[split]},
        pairs=pairs,
        words=dict(sorted(words.items(), key=lambda one: (-one[1], one[0]))),
        lengths=lengths,
        features=features,
    )


def _images_of(manifest: Mapping[str, Any], split: str, number: int) -> np.ndarray:
    recipe = manifest.get("recipe")
    seed = recipe.get("seed", 0) if isinstance(recipe, dict) else 0
    found = partition(seed=seed if type(seed) is int and seed >= 0 else 0)._asdict().get(split, np.zeros(0, np.int64))
    return found[found < number]


def _count_captions(images: np.ndarray, grammar: Grammar, words: Counter[str]) -> dict[int, int]:
    """How many captions of a grammar have each number of words; the words are counted on the way."""
    tally = np.zeros(100, np.int64)
    for number in range(len(frames(grammar))):
        chosen = phrase_numbers(images, number, grammar)
        total = np.zeros(len(images), np.int64)
        for place, phrases in segments(number, grammar):
            said = [phrase.split() for phrase in phrases]
            sizes = np.array([len(some) for some in said])
            which = np.zeros(len(images), np.int64) if place is None else chosen[:, place]
            total += sizes[which]
            for some, times in zip(said, np.bincount(which, minlength=len(said)).tolist(), strict=True):
                for word in some if times else ():
                    words[word] += times
        tally += np.bincount(total, minlength=len(tally))
    return {length: int(times) for length, times in enumerate(tally) if times}


def describe(counted: Sequence[CaptionCounts], *, brief: bool = False) -> Output:
    """Return datasets as plain values and as tables, one after the other, only with sizes if `brief`."""
    blocks: list[str | TextTable] = []
    for one in counted:
        blocks += [f"{one.name}: captions of 3D Shapes, {one.images:,} images", _sizes(one)]
        blocks += [] if brief else _contents(one)
    return Output(values={"datasets": [one.to_dict() for one in counted]}, blocks=blocks)


def _sizes(one: CaptionCounts) -> TextTable:
    return TextTable(
        ("", "", "number", "per image"), [cells[1:] for cells in _size_rows(one)], numbers=(2, 3), labels=2
    )


def _size_rows(one: CaptionCounts) -> list[tuple[str, ...]]:
    each = max(one.images, 1)
    rows: list[tuple[str, ...]] = [
        (one.name, "captions", name, f"{number:,}", f"{number / each:.0f}") for name, number in one.captions.items()
    ]
    rows += [(one.name, "images", name, f"{number:,}", "") for name, number in one.splits.items()]
    return rows + [(one.name, "pairs", name, f"{number:,}", "") for name, number in one.pairs.items()]


def _contents(one: CaptionCounts) -> Iterator[str | TextTable]:
    if one.words:
        total = sum(one.words.values())
        yield from ("", "Said most often")
        words = [(word, f"{times:,}", percent(times / total)) for word, times in list(one.words.items())[:MOST_WORDS]]
        yield TextTable(("word", "times", "share"), words, numbers=(1, 2))
        yield from ("", "Words per caption")
        lines = [
            (grammar, f"{min(some)}", f"{_mean(some):.1f}", f"{max(some)}")
            for grammar, some in one.lengths.items()
            if some
        ]
        yield TextTable(("captions", "fewest", "mean", "most"), lines, numbers=(1, 2, 3))
    yield from ("", "Features of the images")
    features = [
        (factor, value, f"{number:,}", percent(number / max(one.images, 1)))
        for factor, values in one.features.items()
        for value, number in values.items()
    ]
    yield TextTable(("factor", "value", "images", "share"), features, numbers=(2, 3), labels=2)


def _mean(lengths: Mapping[int, int]) -> float:
    return sum(words * times for words, times in lengths.items()) / max(sum(lengths.values()), 1)


def draw(counted: Sequence[CaptionCounts], *, formats: Sequence[Format] = FORMATS) -> dict[str, bytes]:
    """Return the figures, the tables and the counts as files by name.

    Equal counts give equal bytes.

    Returns:
        distributions in every format, table2.csv, table2.md, words.csv and stats.json.

    Raises:
        RecipeError: when there is nothing to show, or too much for one figure.
        DeixisError: when matplotlib is not installed.
    """
    if not 1 <= len(counted) <= MAX_DATASETS:
        raise RecipeError(f"a figure shows 1 to {MAX_DATASETS} datasets, got {len(counted)}")
    sheet = _distributions(counted)
    rows = [row for one in counted for row in _size_rows(one)]
    heads = ("dataset", "what", "which", "number", "per image")
    said = [(one.name, word, times) for one in counted for word, times in one.words.items()]
    files = {f"{sheet.name}.{form}": draw_figure(sheet, form) for form in formats}
    files["table2.csv"] = as_csv(
        heads, [(*row[:3], *(cell.replace(",", "") for cell in row[3:])) for row in rows]
    ).encode()
    files["table2.md"] = as_markdown(heads, rows).encode()
    files["words.csv"] = as_csv(("dataset", "word", "times said"), said).encode()
    plain = json.dumps(describe(counted).values, indent=2, ensure_ascii=False) + "\n"
    return files | {"stats.json": plain.encode()}


def draw_card(path: Path, *, progress: Progress | None = None) -> dict[str, bytes]:
    """The figures of a dataset's card: some of the images, and the distributions."""
    manifest = open_dataset(path).manifest
    recipe = manifest.get("recipe")
    seed = np.uint64(derive(int(recipe.get("seed", 0)) if isinstance(recipe, dict) else 0, "figure"))
    with np.errstate(over="ignore"):
        chosen = mix_words(seed + np.arange(SHEET, dtype=np.uint64)) % np.uint64(IMAGES)
    rooms = draw_rooms(chosen.astype(np.int64), size=SIDE)
    rows = [np.concatenate(list(rooms[start : start + COLUMNS]), axis=1) for start in range(0, SHEET, COLUMNS)]
    figures = draw([count(path, name=path.resolve().name, progress=progress)], formats=("png",))
    return {"images.png": encode_png(np.concatenate(rows)), "images.txt": b"Some of them.", **figures}


def _distributions(counted: Sequence[CaptionCounts]) -> Figure:
    """How long captions are, how many pairs there are, and which values images have."""
    charts = [_chart("lengths", "Words per caption", {one.name: _lengths(one) for one in counted}, "captions")]
    charts += [_chart("pairs", "Pairs by set", {one.name: one.pairs for one in counted}, "pairs")]
    for factor in FACTORS:
        values = {one.name: one.features[factor] for one in counted}
        charts.append(_chart(factor, factor.replace("_", " ").capitalize(), values, "images"))
    rows = tuple(tuple(charts[start : start + 2]) for start in range(0, len(charts), 2))
    return Figure(
        name="distributions",
        title="Captions, pairs and features",
        caption=" ".join(
            f"{one.name}: {one.images:,} images, {sum(one.captions.values()):,} captions." for one in counted
        ),
        rows=rows,
        width=WIDE,
    )


def _lengths(one: CaptionCounts) -> dict[str, int]:
    found: Counter[int] = Counter()
    for some in one.lengths.values():
        found.update(some)
    return {str(words): found[words] for words in range(min(found, default=0), max(found, default=-1) + 1)}


def _chart(name: str, title: str, counts: Mapping[str, Mapping[str, int]], axis: str) -> Chart:
    """Columns of numbers; several datasets are shown in shares, since they differ in size."""
    labels = tuple(dict.fromkeys(label for some in counts.values() for label in some)) or ("",)
    in_shares = len(counts) > 1
    series = {
        one: tuple(some.get(label, 0) / ((sum(some.values()) or 1) if in_shares else 1) for label in labels)
        for one, some in counts.items()
    }
    return Chart(
        name=name,
        title=title,
        marks="columns",
        labels=labels,
        series=make_series(series, colors="datasets"),
        axis=Axis(label="share" if in_shares else axis, unit="share" if in_shares else "count"),
        empty="none",
    )
