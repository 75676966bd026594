"""Cops-Ref datasets on disk: a table of examples, the scene graphs of their images, and a manifest.

| in the folder | |
|---|---|
| `manifest.json` | what it is, how it was made, and a hash of every file; written last |
| `README.md` | a card that names the splits, so that `datasets.load_dataset(FOLDER)` finds them |
| `croissant.json` | the same for machines, as Croissant metadata |
| `data/SPLIT.parquet` | the examples, see below |
| `scenes/` | the graphs of all images (`GraphTable.load`) |
| `images/*.parquet` | the pictures, where they are at hand, with the boxes of their objects |

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
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deixis._version import __version__
from deixis.datasets.card import write_card
from deixis.datasets.pictures import write_photographs
from deixis.datasets.store import FORMAT, MANIFEST, file_digest, kind_of, open_dataset, read_parquet, replacing_file
from deixis.errors import BrokenDataset, DeixisError, RecipeError
from deixis.expression.plain import expression_from_plain, expression_to_plain
from deixis.scene.graph_table import GraphTable
from deixis.tasks.localise import DistractorImage, Example


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from deixis.datasets.store import Dataset


__all__ = ["COLUMNS", "KIND", "CopsRef", "example_from_row", "is_copsref", "open_copsref", "write_copsref"]

KIND = "copsref"
SCENES, IMAGES = "scenes", "images"
IMAGES_PER_FILE = 2_048
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
        """Where it lies."""
        return self.dataset.path

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split."""
        return self.dataset.splits

    @cached_property
    def scenes(self) -> GraphTable:
        """The graphs of all images."""
        return GraphTable.load(self.path / SCENES)

    @property
    def pictures(self) -> list[dict[str, Any]]:
        """The entries of the files that hold pictures; none where they are not kept."""
        return list(self.dataset.manifest.get("pictures", {}).get("files", ()))

    def examples(self, split: str | None = None) -> Iterator[Example]:
        """The examples of a split, or all, in order.

        Raises:
            BrokenDataset: when a row is not what the columns say, with its number.
        """
        for path in self.dataset.files(split):
            row = 0
            for table in read_parquet(path, columns=COLUMNS.names):
                for values in table.to_pylist():
                    try:
                        yield example_from_row(values)
                    except (DeixisError, ValueError, TypeError, KeyError, RecursionError) as error:
                        raise BrokenDataset(f"{path.name}, row {row}: {_first_line(error)}") from error
                    row += 1


def is_copsref(path: Path) -> bool:
    """Whether a folder says that it holds such a dataset."""
    return kind_of(path) == KIND


def open_copsref(path: Path) -> CopsRef:
    """The dataset in a folder; `BrokenDataset` when it is damaged or of another kind."""
    dataset = open_dataset(path)
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
        if not re.fullmatch(rf"{IMAGES}/[0-9a-z-]+\.parquet", entry["path"]) or (folder / entry["path"]).is_symlink():
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
    """Write examples and their scenes to a folder; an older dataset of this kind there is replaced.

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
        (out / "data").mkdir(parents=True, exist_ok=True)
        counts = _write_examples(out, examples)
        scenes.save(out / SCENES)
        files = [_entry(out, f"data/{split}.parquet", split, count) for split, count in counts.items()]
        manifest = {
            "format": FORMAT,
            "kind": KIND,
            "made by": f"deixis {__version__}",
            "examples": sum(counts.values()),
            "splits": counts,
            "files": files,
            "scenes": {
                "path": SCENES,
                "images": len(scenes),
                "objects": scenes.object_count,
                "relations": scenes.edge_count,
                "sha256": {file.name: file_digest(file) for file in sorted((out / SCENES).iterdir())},
            },
            **({"pictures": {"files": _write_pictures(out, scenes, pictures)}} if pictures is not None else {}),
            "made with": dict(about or {}),
        }
        write_card(out, manifest)
        with replacing_file(out / MANIFEST) as draft:
            draft.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise RecipeError(f"cannot write to {out}: {error.strerror or error}") from error
    return open_copsref(out)


def _clear(out: Path) -> None:
    """Take away what an older dataset of this kind left; anything else is refused."""
    if out.exists() and not out.is_dir():
        raise RecipeError(f"{out} is a file; choose a folder")
    if out.exists() and any(out.iterdir()) and not is_copsref(out):
        raise RecipeError(f"{out} is not empty and does not hold a dataset of this kind; choose another folder")
    (out / MANIFEST).unlink(missing_ok=True)
    for name in ("data", IMAGES):
        if (out / name).is_dir():
            shutil.rmtree(out / name)


def _entry(out: Path, path: str, split: str, rows: int) -> dict[str, Any]:
    file = out / path
    return {"path": path, "split": split, "rows": rows, "bytes": file.stat().st_size, "sha256": file_digest(file)}


def _write_pictures(out: Path, scenes: GraphTable, pictures: Path) -> list[dict[str, Any]]:
    """Keep the pictures that are there; the entries of their files."""
    starts = range(0, len(scenes), IMAGES_PER_FILE)
    entries = []
    for number, start in enumerate(starts):
        path = f"{IMAGES}/{number:05d}-of-{len(starts):05d}.parquet"
        some = range(start, min(start + IMAGES_PER_FILE, len(scenes)))
        if rows := write_photographs(out / path, scenes, some, pictures):
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
                writers[split].write_table(_table_of(some))
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


def _table_of(examples: list[Example]) -> pa.Table:
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
    if example.expression is None:
        return ""
    return json.dumps(expression_to_plain(example.expression), ensure_ascii=False, separators=(",", ":"))


def example_from_row(values: Mapping[str, Any]) -> Example:
    """The example in a row, as `pyarrow` gives it."""
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
        expression=expression_from_plain(json.loads(said)) if said else None,
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
