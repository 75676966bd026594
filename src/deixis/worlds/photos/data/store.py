"""Cops-Ref datasets on disk: a table of examples, the scene graphs of their images, and a manifest.

| in the folder | |
|---|---|
| `manifest.json` | what it is, how it was made, and a hash of every file; written last |
| `README.md` | a card that names the splits, so that `datasets.load_dataset(FOLDER)` finds them |
| `croissant.json` | the same for machines, as Croissant metadata |
| `data/SPLIT.parquet` | the examples, see below |
| `scenes/` | the graphs of all images (`GraphTable.load`) |
| `images/*.parquet` | the pictures, where they are at hand, with the boxes of their objects |
| `imagined/` | of imagined scenes: what is published and what is true of them, laid out like GQA |
| `.partial/` | what is finished of a dataset that is being made, see `resumable` |

| column | |
|---|---|
| `id` | int64, one for each example |
| `split` | string |
| `text` | string, what is said |
| `form`, `forms` | string, and all forms that are made use of |
| `expression` | string, what it means: JSON, see `expression.plain`; empty where nobody has read the text |
| `image`, `object` | string, the target; no object where nothing fits |
| `change`, `changed`, `changed_id` | for expressions that fit nothing: what was changed, in words, and in which example |
| `distractor_kind`, `distractor_image`, `distractor_object`, `distractor_misreading` | lists, an entry for each image: why it is shown, its id, the object that tempts, and what a reader misses who takes it |
"""  # noqa: E501 (a row of a table)

from __future__ import annotations

import json
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._row_groups import RowGroups
from deixis.data._seal import write_manifest
from deixis.data._split_names import names_in_split
from deixis.data.card import write_card
from deixis.data.recipes import begin_manifest
from deixis.data.store import MANIFEST, file_digest, kind_of, lies_inside, open_dataset, read_parquet
from deixis.errors import BrokenDataset, DeixisError, RecipeError, UnknownName
from deixis.expression.plain import expression_from_json, expression_to_json
from deixis.worlds.photos._served_wants import EVERY_WORD
from deixis.worlds.photos.data._photographs import Photographs
from deixis.worlds.photos.data._picture_files import pictures_in, write_photographs
from deixis.worlds.photos.data.graphs import read_table
from deixis.worlds.photos.localise import DistractorImage, Example
from deixis.worlds.photos.making._imagined import TRUTH
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data.store import Dataset
    from deixis.worlds.photos.data._picture_files import Picture


__all__ = [
    "COLUMNS",
    "KIND",
    "ContentDigest",
    "CopsRef",
    "example_from_row",
    "is_copsref",
    "open_copsref",
    "table_of_examples",
    "write_copsref",
    "write_files",
]

KIND = "copsref"
SCENES, IMAGES, IMAGINED = "scenes", "images", "imagined"
IMAGES_PER_FILE = 2_048
QUICK = 64 << 20  # bytes of a file that is compared with its hash whenever it is read
BLOCK = 8_192  # examples that are turned into columns together
_LIST = pa.list_(pa.string())
COLUMNS = pa.schema(
    [
        ("id", pa.int64()),
        ("split", pa.string()),
        ("text", pa.string()),
        ("form", pa.string()),
        ("forms", _LIST),
        ("expression", pa.string()),
        ("image", pa.string()),
        ("object", pa.string()),
        ("change", pa.string()),
        ("changed", pa.string()),
        ("changed_id", pa.int64()),
        ("distractor_kind", _LIST),
        ("distractor_image", _LIST),
        ("distractor_object", _LIST),
        ("distractor_misreading", _LIST),
    ]
)


@dataclass(frozen=True)
class CopsRef:
    """A dataset of this kind: its folder, its examples and its scenes."""

    dataset: Dataset

    @property
    def path(self) -> Path:
        """The folder of the dataset."""
        return self.dataset.path

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split."""
        return self.dataset.splits

    @cached_property
    def scenes(self) -> GraphTable:
        """The graphs of all images.

        Raises `BrokenDataset` when they are damaged or not those of the manifest.
        """
        folder, scenes = self.path / SCENES, self.dataset.manifest.get("scenes")
        digests = scenes.get("sha256") if isinstance(scenes, dict) else None
        table = GraphTable.load(folder)
        for name, digest in digests.items() if isinstance(digests, dict) else ():
            file = folder / str(name)
            if not lies_inside(self.path, f"{SCENES}/{name}"):
                raise BrokenDataset(f"{self.path / MANIFEST} names {name[:80]!r}, which is not among the scenes")
            if file.is_file() and file.stat().st_size <= QUICK and file_digest(file) != digest:
                raise BrokenDataset(f"{file} is not what the manifest says: its SHA-256 differs; make or copy it again")
        return table

    @property
    def pictures(self) -> list[dict[str, Any]]:
        """The entries of the files that hold pictures, empty where none are kept."""
        return list(self.dataset.manifest.get("pictures", {}).get("files", ()))

    @cached_property
    def photographs(self) -> Photographs:
        """The pictures of the images by their ids."""
        return Photographs(self)

    @cached_property
    def truth(self) -> GraphTable | None:
        """Full truth about imagined images, cleaned as the scenes are, or None where it is unknown or not kept."""
        if EVERY_WORD in self.dataset.manifest.get("made with", {}):  # where nothing is left out
            return self.scenes if (self.path / IMAGINED / TRUTH).is_file() else None
        path = self.path / IMAGINED / TRUTH
        return read_table(path) if path.is_file() else None

    @cached_property
    def rows(self) -> RowGroups:
        """The rows by number, over all files in the order of the manifest."""
        listed = self.dataset.manifest["files"]
        return RowGroups([(self.path / entry["path"], entry["rows"]) for entry in listed], COLUMNS.names)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Example:
        values = self.rows.row(number).to_pylist()[0]
        with _in_row(f"example {number}"):
            return replace(example_from_row(values), graphs=self.scenes, photographs=self.photographs)

    def __iter__(self) -> Iterator[Example]:
        for example in self.examples():
            yield replace(example, graphs=self.scenes, photographs=self.photographs)

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """Return the numbers of the examples of a split, or of all, or raise `UnknownName` for no such split."""
        if split is None:
            return range(len(self))
        if split not in self.splits:
            raise UnknownName(f"there is no split {split!r}; known: {', '.join(self.splits)}")
        entries = zip(self.dataset.manifest["files"], self.rows.starts, strict=False)
        places = [
            range(start, start + entry["rows"]) for entry, start in entries if split in names_in_split(entry["split"])
        ]
        return places[0] if len(places) == 1 else [number for place in places for number in place]

    def examples(self, split: str | None = None) -> Iterator[Example]:
        """Yield the examples of a split, or all, in order, without the scenes of their images.

        Raises:
            BrokenDataset: when a row is not what the columns say, with its number.
        """
        for path in self.dataset.files(split):
            row = 0
            for table in read_parquet(path, columns=COLUMNS.names):
                for values in table.to_pylist():
                    with _in_row(f"{path.name}, row {row}"):
                        example = example_from_row(values)
                    yield example
                    row += 1


class ContentDigest:
    """A digest of the examples and scenes of a dataset, independent of the encoding of its files."""

    def __init__(self) -> None:
        self._splits: dict[str, Any] = {}

    def seeing(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Yield the examples unchanged, each entered on the way.

        Those of a split must come in their order.
        """
        for example in examples:
            told = json.dumps(_values_of(example), ensure_ascii=False, separators=(",", ":"))
            self._splits.setdefault(example.split, sha256()).update(told.encode() + b"\n")
            yield example

    def digest(self, scenes: GraphTable) -> str:
        """Return the digest of the examples seen so far and of the scenes they are about."""
        whole = sha256()
        for split, digest in sorted(self._splits.items()):
            whole.update(f"{split} {digest.hexdigest()}\n".encode())
        for name, told in scenes.contents():
            whole.update(name.encode() + b"\n")
            whole.update(told)
        return whole.hexdigest()


def _values_of(example: Example) -> list[object]:
    """All that an example says, in the order of the columns; distractor images one after the other."""
    return [
        example.id,
        example.split,
        example.text,
        example.form,
        example.forms,
        _expression_text(example),
        example.image_id,
        example.object_id,
        example.change,
        example.changed,
        example.changed_id,
        [(one.kind, one.image_id, one.object_id, one.misreading) for one in example.distractors],
    ]


def is_copsref(path: Path) -> bool:
    """Return whether the manifest of a folder names such a dataset."""
    return kind_of(path) == KIND


def open_copsref(path: Path | str) -> CopsRef:
    """Open the dataset in a folder, or raise `BrokenDataset` when it is damaged or of another kind."""
    if not isinstance(path, str) and path.is_file():
        way = f"deixis convert {path} OUT --to parquet --scenes GRAPHS"
        raise BrokenDataset(f"{path} is a file, not a dataset folder; if it holds released records: {way}")
    dataset = open_dataset(path)
    path = dataset.path
    if dataset.manifest.get("kind") != KIND:
        raise BrokenDataset(f"{path} holds no expressions about photographs (kind {dataset.manifest.get('kind')!r})")
    fault = _picture_fault(path, dataset.manifest.get("pictures", {"files": []}))
    if fault:
        raise BrokenDataset(f"{path / MANIFEST} is not a manifest of deixis: {fault}")
    dataset.demand_whole()
    return CopsRef(dataset)


def _picture_fault(folder: Path, listed: object) -> str:
    """What is wrong with what a manifest says of pictures, if anything."""
    entries = listed.get("files") if isinstance(listed, dict) else None
    if not isinstance(entries, list):
        return "it does not list its pictures"
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
            return "a file of pictures lacks its path"
        is_named = re.fullmatch(rf"{IMAGES}/[0-9a-z-]+\.parquet", entry["path"])
        if not is_named or not lies_inside(folder, entry["path"]):
            return f"it names the pictures {entry['path'][:80]!r}, which are not inside the dataset"
    return ""


def write_copsref(
    out: Path,
    examples: Iterable[Example],
    scenes: GraphTable,
    *,
    about: Mapping[str, Any] | None = None,
    pictures: Path | None = None,
) -> CopsRef:
    """Write examples and their scenes to a folder, replacing an older dataset of this kind there.

    Args:
        out: the folder.
        examples: of all splits, in any order; each split keeps its own.
        scenes: the graphs of all images that they name.
        about: anything JSON can hold, e.g. the settings they were made with; kept in the manifest under `made with`.
        pictures: a folder with the pictures of the images, called after their ids; those that are there are kept.

    Raises:
        RecipeError: when the folder holds something else or cannot be written to.
    """
    try:
        _clear(out)
        find = None if pictures is None else pictures_in(pictures)
        write_manifest(out, write_files(out, examples, scenes, about=about, find=find))
    except OSError as error:
        raise RecipeError(f"cannot write to {out}: {error.strerror or error}") from error
    return open_copsref(out)


def write_files(
    out: Path,
    examples: Iterable[Example],
    scenes: GraphTable,
    *,
    head: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
    find: Callable[[str], Picture | None] | None = None,
) -> dict[str, Any]:
    """Write all files of a dataset but its manifest, and return the manifest (see `write_copsref`).

    Args:
        out: the folder.
        examples: of all splits.
        scenes: the graphs of all images that they name.
        head: what the manifest begins with, see `begin_manifest`.
        about: kept in the manifest under `made with`.
        find: the picture of an image by its id; None where there are no pictures.
    """
    for name in ("data", IMAGES):
        if (out / name).is_dir():
            shutil.rmtree(out / name)
    (out / "data").mkdir(parents=True, exist_ok=True)
    content = ContentDigest()
    counts = _write_examples(out, content.seeing(examples))
    scenes.save(out / SCENES)
    manifest = {
        **(head or begin_manifest(WORLD, KIND, kind=KIND)),
        "examples": sum(counts.values()),
        "splits": counts,
        "content": content.digest(scenes),
        "files": [_entry(out, f"data/{split}.parquet", split, count) for split, count in counts.items()],
        "scenes": {
            "path": SCENES,
            "images": len(scenes),
            "objects": scenes.object_count,
            "relations": scenes.edge_count,
            "sha256": {file.name: file_digest(file) for file in sorted((out / SCENES).iterdir())},
        },
        **({"pictures": {"files": _write_pictures(out, scenes, find)}} if find is not None else {}),
        "made with": dict(about or {}),
    }
    write_card(out, manifest)
    return manifest


def _clear(out: Path) -> None:
    """Take away what an older dataset of this kind left; anything else is refused."""
    if out.exists() and not out.is_dir():
        raise RecipeError(f"{out} is a file; choose a folder")
    if out.exists() and any(out.iterdir()) and not is_copsref(out):
        raise RecipeError(f"{out} is not empty and does not hold a dataset of this kind; choose another folder")
    (out / MANIFEST).unlink(missing_ok=True)


def _entry(out: Path, path: str, split: str, rows: int) -> dict[str, Any]:
    file = out / path
    return {"path": path, "split": split, "rows": rows, "bytes": file.stat().st_size, "sha256": file_digest(file)}


def _write_pictures(out: Path, scenes: GraphTable, find: Callable[[str], Picture | None]) -> list[dict[str, Any]]:
    """Keep the pictures that are there; the entries of their files."""
    starts = range(0, len(scenes), IMAGES_PER_FILE)
    entries = []
    for number, start in enumerate(starts):
        path = f"{IMAGES}/{number:05d}-of-{len(starts):05d}.parquet"
        some = range(start, min(start + IMAGES_PER_FILE, len(scenes)))
        if rows := write_photographs(out / path, scenes, some, find):
            entries.append(_entry(out, path, "full", rows))
        else:
            (out / path).unlink()
    return entries


def _write_examples(out: Path, examples: Iterable[Example]) -> dict[str, int]:
    """Write a file for every split; how many examples each has."""
    writers: dict[str, pq.ParquetWriter] = {}
    counts: dict[str, int] = {}
    rest = iter(examples)
    try:
        while block := list(islice(rest, BLOCK)):
            for split in dict.fromkeys(example.split for example in block):
                some = [example for example in block if example.split == split]
                if split not in writers:
                    writers[split] = _writer(out, split)
                writers[split].write_table(table_of_examples(some))
                counts[split] = counts.get(split, 0) + len(some)
    finally:
        for writer in writers.values():
            writer.close()
    return counts


def _writer(out: Path, split: str) -> pq.ParquetWriter:
    if not split or not all(letter.isalnum() or letter in "-_+" for letter in split):
        raise RecipeError(f"{split[:40]!r} cannot be the name of a split: letters, digits, - and _ only")
    repeated = ["split", "form", "forms.list.element", "change", "distractor_kind.list.element"]
    return pq.ParquetWriter(
        out / "data" / f"{split}.parquet",
        COLUMNS,
        compression="zstd",
        compression_level=3,
        use_dictionary=repeated,
        store_schema=True,
        write_page_checksum=True,
    )


def table_of_examples(examples: list[Example]) -> pa.Table:
    """Return examples as a table with the columns above."""
    images = [example.distractors for example in examples]
    columns = {
        "id": [example.id for example in examples],
        "split": [example.split for example in examples],
        "text": [example.text for example in examples],
        "form": [example.form for example in examples],
        "forms": [list(example.forms) for example in examples],
        "expression": [_expression_text(example) for example in examples],
        "image": [example.image_id for example in examples],
        "object": [example.object_id for example in examples],
        "change": [example.change for example in examples],
        "changed": [example.changed for example in examples],
        "changed_id": [example.changed_id for example in examples],
        "distractor_kind": [[one.kind for one in some] for some in images],
        "distractor_image": [[one.image_id for one in some] for some in images],
        "distractor_object": [[one.object_id for one in some] for some in images],
        "distractor_misreading": [[one.misreading for one in some] for some in images],
    }
    return pa.table(columns, schema=COLUMNS)


def _expression_text(example: Example) -> str:
    return "" if example.expression is None else expression_to_json(example.expression)


@contextmanager
def _in_row(where: str) -> Iterator[None]:
    """`BrokenDataset` that says where, if what happens inside fails."""
    try:
        yield
    except (DeixisError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BrokenDataset(f"{where}: {_first_line(error)}") from error


def example_from_row(values: Mapping[str, Any]) -> Example:
    """Return the example in a row, as `pyarrow` gives it."""
    if type(values["id"]) is not int:
        raise BrokenDataset(f"an example has no whole number as its id: {values['id']!r:.60}")
    for name in ("split", "text", "form", "image", "object"):
        if not isinstance(values[name], str):
            raise BrokenDataset(f"example {values['id']} has no text as its {name}")
    said = values["expression"]
    images = zip(
        values["distractor_kind"],
        values["distractor_image"],
        values["distractor_object"],
        values["distractor_misreading"],
        strict=True,
    )
    return Example(
        id=values["id"],
        text=values["text"],
        expression=expression_from_json(said) if said else None,
        form=values["form"],
        forms=tuple(values["forms"]),
        image_id=values["image"],
        object_id=values["object"],
        distractors=tuple(DistractorImage(*one) for one in images),
        split=values["split"],
        change=values["change"],
        changed=values["changed"],
        changed_id=values["changed_id"],
    )


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
