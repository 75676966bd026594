"""A3DS in other formats: the files of its release, and dataset folders of Deixis.

A release is a folder with files of captions (`3dshapes_captions_*.json`), and where they are at hand a vocabulary
(`vocabulary.json`) and lists of the images of every split (`ids/SPLIT.txt`). Without lists, all images are in one
split, which is called `full`.
"""

from __future__ import annotations

import heapq
import json
import shutil
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._conversions import takes_request
from deixis.data._resumable import make_in
from deixis.data.card import write_card
from deixis.data.recipes import begin_manifest
from deixis.data.store import file_digest, kind_of, open_dataset, replacing_file
from deixis.errors import BrokenDataset, RecipeError
from deixis.report.output import Output, TextTable
from deixis.worlds.rooms.captions import GRAMMARS
from deixis.worlds.rooms.data._captions import COLUMNS, read_captions
from deixis.worlds.rooms.data._images import write_rooms
from deixis.worlds.rooms.data.make import KIND
from deixis.worlds.rooms.formats.a3ds import (
    best_fitting,
    caption_file_name,
    count_differences,
    read_caption_file,
    read_image_list,
    read_vocabulary,
    write_image_list,
    write_vocabulary,
)
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.vocabulary import vocabulary
from deixis.worlds.rooms.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.data._conversions import ConversionRequest
    from deixis.data._crew import Progress
    from deixis.data._resumable import Entry, ResumableFolder
    from deixis.worlds.rooms.captions import Grammar


reads = {
    "parquet": "a dataset folder",
    "release": "a file of captions, 3dshapes_captions_*.json, or a folder with some, with vocabulary.json and ids/",
}
writes = {
    "parquet": "a dataset folder, from files of the release",
    "release": "a folder with files of captions, the vocabulary and lists of images",
}
CAPTIONS, VOCABULARY, FULL = "3dshapes_captions*.json", "vocabulary.json", "full"
BATCH = 4_800  # images at a time


def recognise(path: Path) -> str:
    """Return the format at a path, `parquet` or `release`, or an empty text if it is neither."""
    if kind_of(path) == KIND:
        return "parquet"
    return "release" if _caption_files(path) else ""


def _caption_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.match(CAPTIONS) else []
    return sorted(path.glob(CAPTIONS))


@takes_request
def convert(asked: ConversionRequest) -> Output:
    """Part `formats`: files of the release as a dataset, or the captions of a dataset as files of the release."""
    source = asked.only_source("of A3DS one dataset or one release")
    if asked.to == "release":
        return _write_release(source, asked.out, asked.split, asked.tell, force=asked.force)
    if not _caption_files(source):
        raise RecipeError(f"{source} holds no {CAPTIONS} of the release to make a dataset from")
    return _Import(source, asked.split, asked.tell).write(asked.out)


# -------------------------------------------------------------------------------- from the release


class _Import:
    """Files of the release on their way into a dataset."""

    def __init__(self, source: Path, split: str | None, tell: Progress) -> None:
        self.source, self.tell = source, tell
        self.files = _caption_files(source)
        home = source if source.is_dir() else source.parent
        lists = {path.stem: np.unique(read_image_list(path)) for path in sorted((home / "ids").glob("*.txt"))}
        self.splits = lists or {FULL: np.arange(IMAGES)}
        if split is not None:
            if split not in self.splits:
                raise RecipeError(f"{source} has no list ids/{split}.txt; it has {', '.join(lists) or 'none'}")
            self.splits = {split: self.splits[split]}
        words = home / VOCABULARY
        self.words = read_vocabulary(words) if words.is_file() else None
        self.differing: dict[str, int] = {}

    def write(self, out: Path) -> Output:
        """Write the dataset; what came of it."""
        digest = "".join(file_digest(path) for path in self.files)[:64]
        dataset = make_in(out, digest, lambda folder: self._make(folder, digest))
        captions = dataset.manifest["captions"]
        rows = [(name, f"{size:,}") for name, size in captions.items()]
        notes = [
            f"{count:,} captions are not those of the grammar {grammar}; `deixis check` names them"
            for grammar, count in self.differing.items()
            if count
        ]
        values = {"captions": captions, "splits": dataset.splits, "captions of another grammar": self.differing}
        return Output(values=values, blocks=[TextTable(("grammar", "captions"), rows, numbers=(1,)), *notes])

    def _make(self, folder: ResumableFolder, digest: str) -> None:
        entries: list[Entry] = []
        captions: dict[str, int] = {}
        for file in self.files:
            grammar, some = self._captions(folder, file)
            if grammar in captions:
                raise RecipeError(f"two files hold {grammar} captions; convert them one at a time")
            captions[grammar] = sum(entry["rows"] for entry in some)
            entries += some
        for split, images in self.splits.items():
            count = write_image_list(folder.out / f"ids/{split}.txt", images)
            entries.append(folder.keep(f"ids/{split}.txt", split=split, rows=count))
            write_rooms(folder.out / f"images/{split}.parquet", images)
            entries.append(folder.keep(f"images/{split}.parquet", split=split, rows=count))
        words = self.words or vocabulary("natural" if {"natural", "partial"} & set(captions) else "complete")
        entries.append(
            folder.keep(VOCABULARY, split="vocabulary", rows=write_vocabulary(folder.out / VOCABULARY, words))
        )
        manifest = {
            **begin_manifest(WORLD, "imported", kind=KIND),
            "recipe digest": digest,
            "imported from": {"name": self.source.name, "kind": "release"},
            "images": IMAGES,
            "captions": captions,
            "splits": {name: len(images) for name, images in self.splits.items()},
            "files": sorted(entries, key=lambda entry: entry["path"]),
        }
        write_card(folder.out, manifest)
        folder.finish(manifest)

    def _captions(self, folder: ResumableFolder, file: Path) -> tuple[Grammar, list[Entry]]:
        """The captions of a file as Parquet, a file for every split; and which grammar they are of."""
        members = read_caption_file(file)
        first = list(islice(members, BATCH))
        grammar = best_fitting(first)
        owner = np.full(IMAGES, -1)
        for code, images in enumerate(self.splits.values()):
            owner[images] = code
        paths = [f"captions/{grammar}-{split}-00000-of-00001.parquet" for split in self.splits]
        counts = [0] * len(paths)
        drafts = [folder.out / f"{path}.draft" for path in paths]
        (folder.out / "captions").mkdir(exist_ok=True)
        options = {"compression": "zstd", "compression_level": 3, "store_schema": True, "write_page_checksum": True}
        writers = [pq.ParquetWriter(draft, COLUMNS, use_dictionary=["image", "number"], **options) for draft in drafts]
        last, seen = -1, 0
        self.differing[grammar] = 0
        try:
            batch = first
            while batch:
                numbers = [image for image, _ in batch]
                if any(one >= other for one, other in zip([last, *numbers], numbers, strict=False)):
                    raise BrokenDataset(f"{file.name}: its images do not come in the order of their numbers")
                last, seen = numbers[-1], seen + len(numbers)
                self.differing[grammar] += count_differences(batch, grammar)
                for code, writer in enumerate(writers):
                    some = [one for one in batch if owner[one[0]] == code]
                    if some:
                        table = _table(some)
                        writer.write_table(table, row_group_size=len(table))
                        counts[code] += len(table)
                self.tell(f"{grammar} captions, images", seen, IMAGES)
                batch = list(islice(members, BATCH))
        finally:
            for writer in writers:
                writer.close()
        for draft, path in zip(drafts, paths, strict=True):
            draft.replace(folder.out / path)
        return grammar, [folder.keep(path, split=grammar, rows=rows) for path, rows in zip(paths, counts, strict=True)]


def _table(batch: Sequence[tuple[int, tuple[str, ...]]]) -> pa.Table:
    sizes = [len(texts) for _, texts in batch]
    images = np.repeat(np.array([image for image, _ in batch], np.uint32), sizes)
    numbers = np.concatenate([np.arange(size, dtype=np.uint8) for size in sizes])
    return pa.table([images, numbers, [text for _, texts in batch for text in texts]], schema=COLUMNS)


# -------------------------------------------------------------------------------- to the release


def _write_release(source: Path, out: Path, split: str | None, tell: Progress, *, force: bool) -> Output:
    dataset = open_dataset(source)
    if dataset.manifest.get("kind") != KIND:
        raise BrokenDataset(f"{source} holds another kind of dataset")
    if split is not None and split not in dataset.splits:
        raise RecipeError(f"there is no split {split!r} in {source.name}; it has {', '.join(dataset.splits)}")
    grammars = [grammar for grammar in GRAMMARS if grammar in dataset.manifest["captions"]]
    if not grammars:
        raise RecipeError(f"{source} holds no captions, which are what a release is made of")
    files = {grammar: out / caption_file_name(grammar) for grammar in grammars}
    for path in (*files.values(), out / VOCABULARY):
        if path.exists() and not force:
            raise RecipeError(f"{path} already exists; choose another name, or give --force to replace it")
    written: dict[str, int] = {}
    entries = dataset.manifest["files"]
    for grammar, path in files.items():
        stored = [source / one["path"] for one in entries if one["split"] == grammar]
        captions = _captions_in(stored, None if split is None else read_image_list(source / f"ids/{split}.txt"))
        written[grammar] = _write_captions(path, captions, tell, grammar)
    shutil.copyfile(source / VOCABULARY, out / VOCABULARY)
    for name in dataset.splits if split is None else (split,):
        (out / "ids").mkdir(exist_ok=True)
        shutil.copyfile(source / f"ids/{name}.txt", out / f"ids/{name}.txt")
    rows = [(name, f"{size:,}") for name, size in written.items()]
    return Output(values={"captions": written}, blocks=[TextTable(("grammar", "captions"), rows, numbers=(1,))])


def _captions_in(files: Sequence[Path], images: np.ndarray | None) -> Iterator[tuple[int, Sequence[str]]]:
    """The images of some files with their captions, in the order of their numbers; of all images, or some."""
    released = [path for path in files if path.suffix == ".json"]
    parquet = [path for path in files if path.suffix == ".parquet"]
    if parquet:
        found: Iterator[tuple[int, Sequence[str]]] = heapq.merge(*map(_by_image, parquet), key=lambda one: one[0])
    else:
        found = (one for path in released[:1] for one in read_caption_file(path))
    wanted = None if images is None else frozenset(images.tolist())
    return (one for one in found if wanted is None or one[0] in wanted)


def _by_image(path: Path) -> Iterator[tuple[int, Sequence[str]]]:
    image = -1
    texts: list[str] = []
    for table in read_captions(path):
        for number, text in zip(table["image"].to_pylist(), table["text"].to_pylist(), strict=True):
            if number != image and texts:
                yield image, texts
                texts = []
            image = number
            texts.append(text)
    if texts:
        yield image, texts


def _write_captions(path: Path, captions: Iterator[tuple[int, Sequence[str]]], tell: Progress, grammar: str) -> int:
    """Write captions byte for byte as `json.dump` would; how many there are."""
    count = 0
    with replacing_file(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
        mark = "{"
        for number, (image, texts) in enumerate(captions):
            file.write(f'{mark}"{image}": {json.dumps(list(texts))}')
            mark = ", "
            count += len(texts)
            if number % BATCH == 0:
                tell(f"{grammar} captions, images", number, IMAGES)
        file.write("}" if mark != "{" else "{}")
    return count
