"""Read examples kept as a dataset folder: Parquet files, from which every example comes back as it was.

| column | |
|---|---|
| `id` | what the dataset calls it |
| `split` | where it belongs |
| `text` | what is said |
| `expression` | what it means, as JSON (`deixis.expression.plain`); empty where that is not known |
| `scenes` | the scenes, as JSON (`deixis.scene.plain`), without relations that follow from boxes; see `schemas.json` |
| `targets` | the objects that are meant, each by the numbers of its scene and of the object |
| `images`, `sizes` | the images by name, and width and height of each, 0 where they are not known |
| `boxes`, `box_images` | the right regions, left, top, right and bottom, and the number of the image of each |
| `regions` | for each scene the boxes of its objects |
| `space` | of `boxes` and `regions`: `pixels` or `share` |
| `choices`, `right` | what can be answered, and the number of the right answer |
| `facts` | what else the dataset says, as JSON |
| `record` | the number of the record that it came of |
| `number` | its place among all examples |
| `rest` | what the columns above do not keep, as JSON |
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._parquet_files import open_parquet, sound
from deixis.data._split_names import splits_of
from deixis.data.store import open_dataset
from deixis.errors import BrokenDataset, DeixisError, RecipeError, UnknownName
from deixis.expression.plain import expression_from_json, expression_to_json
from deixis.judge.boxes import Box
from deixis.readers._region_scene import RegionScene
from deixis.readers._schemas import schema_from_plain, schema_to_plain
from deixis.readers.files import read_json
from deixis.readers.reader import Image, ReadExample, Region
from deixis.scene.plain import scene_from_plain, scene_to_plain
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.readers.reader import Reader
    from deixis.scene.scene import PlainScene
    from deixis.schema import Schema


GROUP = 1_024  # rows that are written and read together
GROUPS_KEPT = 8  # in memory
MAX_SPLITS = 500
SCHEMAS = "schemas.json"
BOX = pa.list_(pa.float64())
COLUMNS = pa.schema(
    [
        ("id", pa.string()),
        ("split", pa.string()),
        ("text", pa.string()),
        ("expression", pa.string()),
        ("scenes", pa.string()),
        ("targets", pa.list_(pa.list_(pa.int32()))),
        ("images", pa.list_(pa.string())),
        ("sizes", pa.list_(pa.list_(pa.float64()))),
        ("boxes", pa.list_(BOX)),
        ("box_images", pa.list_(pa.int32())),
        ("regions", pa.list_(pa.list_(BOX))),
        ("space", pa.string()),
        ("choices", pa.list_(pa.string())),
        ("right", pa.int32()),
        ("facts", pa.string()),
        ("record", pa.int64()),
        ("number", pa.int64()),
        ("rest", pa.string()),
    ]
)
DEMANDED = ("split", "text", "space", "right", "record")  # columns without empty cells, beside the lists


class Place(NamedTuple):
    """The place of a row: the number of its file, of a group of rows in it, and of the row in the group."""

    file: int
    group: int
    row: int


# -------------------------------------------------------------------------------- writing


class SchemaNumbers:
    """The schemas of some scenes by number, in the order in which they occur."""

    def __init__(self) -> None:
        self.known: dict[Schema, int] = {}
        self._last: tuple[Schema, int] | None = None

    def number(self, schema: Schema) -> int:
        """Return the number of a schema."""
        if self._last is None or self._last[0] is not schema:
            self._last = schema, self.known.setdefault(schema, len(self.known))
        return self._last[1]

    def to_json(self) -> str:
        """The schemas as JSON."""
        return json.dumps([schema_to_plain(schema) for schema in self.known], ensure_ascii=False) + "\n"


class RowWriter:
    """Writes examples into a folder, a file for every split, some thousand rows at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.schemas = SchemaNumbers()
        self.files: dict[str, str] = {}  # by split
        self.counts: dict[str, int] = {}  # of rows, by split
        self._waiting: dict[str, list[dict[str, Any]]] = {}
        self._open: dict[str, pq.ParquetWriter] = {}

    def add(self, example: ReadExample, number: int) -> None:
        """Add an example; `SchemaError` or `ValueError` where it cannot be kept."""
        row = row_of(example, number, self.schemas)
        pa.array([row], type=pa.struct(COLUMNS))  # an example that cannot be kept is no part of a group
        waiting = self._waiting.setdefault(example.split, [])
        waiting.append(row)
        self.counts[example.split] = self.counts.get(example.split, 0) + 1
        if len(waiting) >= GROUP:
            self._write(example.split)

    def close(self) -> None:
        """Write what is left, and the schemas."""
        for split in list(self._waiting):
            self._write(split)
        for writer in self._open.values():
            writer.close()
        (self.folder / SCHEMAS).write_text(self.schemas.to_json(), encoding="utf-8", newline="\n")

    def _write(self, split: str) -> None:
        rows = self._waiting[split]
        if not rows:
            return
        if split not in self._open:
            self._open[split] = self._begin(split)
        self._open[split].write_table(pa.Table.from_pylist(rows, schema=COLUMNS), row_group_size=GROUP)
        self._waiting[split] = []

    def _begin(self, split: str) -> pq.ParquetWriter:
        if len(self._open) >= MAX_SPLITS:
            raise RecipeError(f"there are more than {MAX_SPLITS} splits; convert them one by one with --split")
        plain = "".join(
            letter if letter.isascii() and (letter.isalnum() or letter in "_+-") else "_" for letter in split
        )
        taken = {name.lower() for name in self.files.values()}
        names = (f"data/{plain[:80] or 'split'}{'' if not k else f'-{k}'}.parquet" for k in range(MAX_SPLITS + 1))
        name = self.files[split] = next(name for name in names if name.lower() not in taken)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        options = {"compression": "zstd", "compression_level": 3, "write_page_checksum": True}
        return pq.ParquetWriter(path, COLUMNS, write_statistics=["split"], use_dictionary=["split", "space"], **options)


def row_of(example: ReadExample, number: int, schemas: SchemaNumbers) -> dict[str, Any]:
    """Return the row of an example."""
    said = example.expression
    rest: dict[str, Any] = {}
    if not isinstance(example.id, str):
        rest["id"] = example.id
    if said is not None and example.meaning is None:
        rest["parsed"] = True
    if example.scenes:
        rest["schemas"] = [schemas.number(scene.schema) for scene in example.scenes]
    scenes = [scene_to_plain(scene) for scene in example.scenes] if not _follow(example) else _objects(example)
    if scenes and _follow(example):
        rest["relations"] = "from boxes"
    edges = [edge for _, box in example.boxes for edge in box] + [
        e for some in example.regions for b in some for e in b
    ]
    if not all(type(edge) is float for edge in edges):
        rest["boxes"] = [list(box) for _, box in example.boxes]
        rest["regions"] = [[list(box) for box in some] for some in example.regions]
    if not all(type(edge) is float for image in example.images for edge in image[1:]):
        rest["sizes"] = [list(image[1:]) for image in example.images]
    return {
        "id": str(example.id),
        "split": example.split,
        "text": example.text,
        "expression": None if said is None else expression_to_json(said),
        "scenes": _json(scenes),
        "targets": [list(one) for one in example.targets],
        "images": [image.name for image in example.images],
        "sizes": [list(image[1:]) for image in example.images],
        "boxes": [list(box) for _, box in example.boxes],
        "box_images": [image for image, _ in example.boxes],
        "regions": [[list(box) for box in some] for some in example.regions],
        "space": example.space,
        "choices": list(example.choices),
        "right": example.right,
        "facts": _json(example.facts),
        "record": example.record,
        "number": number,
        "rest": _json(rest),
    }


def _follow(example: ReadExample) -> bool:
    """Return whether everything in the scenes but categories follows from the boxes."""
    pairs = zip(example.scenes, example.regions, strict=False)
    is_whole = 0 < len(example.scenes) == len(example.regions)
    return is_whole and all(isinstance(scene, RegionScene) and scene.regions == boxes for scene, boxes in pairs)


def _objects(example: ReadExample) -> list[dict[str, Any]]:
    """The objects of scenes alone."""
    return [{"objects": [dict(sorted(values)) for values in scene.objects]} for scene in example.scenes]  # type: ignore[attr-defined]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# -------------------------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class KeptMeaning:
    """The meaning of a text as it was read when its example was converted, which says nothing of other texts."""

    expression: Expression | None

    def __call__(self, example: ReadExample) -> Expression | None:
        """Return the meaning."""
        del example
        return self.expression


class RowFile:
    """The examples of a folder that `deixis convert --to parquet` wrote, by number, some groups of rows in memory.

    Attributes:
        path: the folder.
        reader: who read them first.
        dataset: the folder with its manifest.
    """

    def __init__(self, reader: Reader, path: Path) -> None:
        self.reader, self.path = reader, path
        self.dataset = open_dataset(path)
        self.dataset.demand_whole()
        self._files = [self.path / str(entry["path"]) for entry in self.dataset.manifest["files"]]
        self._schemas = _schemas(path)
        self._kept: OrderedDict[tuple[int, int], list[dict[str, Any]]] = OrderedDict()
        self._index()

    def _index(self) -> None:
        """Where the row of every number stands, and its split."""
        names: dict[str, int] = {}
        places: list[tuple[int, int, int]] = []
        numbers: list[int] = []
        codes: list[int] = []
        for file, path in enumerate(self._files):
            with open_parquet(path) as opened:
                _demand_columns(opened, path)
                for group in range(opened.num_row_groups):
                    table = sound(opened.read_row_group(group, columns=["number", "split"]))
                    numbers += table["number"].to_pylist()
                    codes += [names.setdefault(name or "", len(names)) for name in table["split"].to_pylist()]
                    places += [(file, group, row) for row in range(table.num_rows)]
        if not places:
            raise BrokenDataset(f"{self.path} holds no examples")
        if None in numbers or len(set(numbers)) < len(numbers):
            raise BrokenDataset(f"{self.path} has examples without a number of their own; convert it again")
        order = np.argsort(np.array(numbers, np.int64), kind="stable")
        self._places = np.array(places, np.int64)[order]
        self._codes = np.array(codes, np.int64)[order]
        self._names = list(names)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> ReadExample:
        if not 0 <= number < len(self):
            raise UnknownName(f"there is no example {number} in {self.path.name}; it has {len(self):,}, counted from 0")
        file, group, row = map(int, self._places[number])
        values = self._group(file, group)[row]
        try:
            return self._example(values)
        except (DeixisError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
            told = (str(error).splitlines() or [type(error).__name__])[0][:200]
            raise BrokenDataset(f"example {number} of {self.path.name} cannot be read: {told}") from error

    def __iter__(self) -> Iterator[ReadExample]:
        return (self[number] for number in range(len(self)))

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split; an example of two splits counts in both."""
        found: dict[str, int] = {}
        for code, often in enumerate(np.bincount(self._codes, minlength=len(self._names)).tolist()):
            for name in splits_of(self._names[code]):
                found[name] = found.get(name, 0) + often
        return found

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """Return the numbers of the examples of a split, or of all, or raise `UnknownName` for an unknown split."""
        if split is None:
            return range(len(self))
        if split not in self.splits:
            raise UnknownName(f"there is no split {split[:40]!r} in {self.path.name}; it has {', '.join(self.splits)}")
        wanted = [code for code, name in enumerate(self._names) if split in splits_of(name)]
        found: list[int] = np.flatnonzero(np.isin(self._codes, wanted)).tolist()
        return found

    def to_dict(self) -> dict[str, Any]:
        """The reading in numbers: records, examples, and refusals by code, as they were when it was converted."""
        kept = self.dataset.manifest.get("reading")
        known = kept if isinstance(kept, dict) else {}
        return {"reader": self.reader.name, "records": len(self), "refused": {}, **known, "examples": len(self)}

    def _group(self, file: int, group: int) -> list[dict[str, Any]]:
        key = file, group
        if key not in self._kept:
            with open_parquet(self._files[file]) as opened:
                self._kept[key] = sound(opened.read_row_group(group)).to_pylist()
            while len(self._kept) > max(GROUPS_KEPT, len(self._files)):
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _example(self, row: dict[str, Any]) -> ReadExample:
        if lacks := [name for name in DEMANDED if row[name] is None]:
            raise BrokenDataset(f"it has no {lacks[0]}")
        rest, scenes, facts = (json.loads(row[name]) for name in ("rest", "scenes", "facts"))
        if not isinstance(facts, dict):
            raise BrokenDataset("its facts have no names")
        schemas = [self._schemas[number] for number in rest.get("schemas", ())]
        said = None if row["expression"] is None else expression_from_json(row["expression"])
        is_parsed = "parsed" in rest
        boxes, sizes = rest.get("boxes", row["boxes"]), rest.get("sizes", row["sizes"])
        regions = tuple(tuple(Box(*box) for box in some) for some in rest.get("regions", row["regions"]))
        if rest.get("relations") == "from boxes":
            categories = [[thing["category"] for thing in scene["objects"]] for scene in scenes]
            made: tuple[PlainScene, ...] = tuple(
                RegionScene(some, places) for some, places in zip(categories, regions, strict=True)
            )
        else:
            made = tuple(scene_from_plain(one, schema) for one, schema in zip(scenes, schemas, strict=True))
        return ReadExample(
            id=rest.get("id", row["id"]),
            split=row["split"],
            text=row["text"],
            scenes=made,
            targets=tuple(Where(*one) for one in row["targets"]),
            meaning=None if is_parsed else said,
            parse=KeptMeaning(said) if is_parsed else None,
            images=tuple(Image(name, *size) for name, size in zip(row["images"], sizes, strict=True)),
            boxes=tuple(Region(at, Box(*box)) for at, box in zip(row["box_images"], boxes, strict=True)),
            regions=regions,
            space=row["space"],
            choices=tuple(row["choices"]),
            right=row["right"],
            facts=facts,
            record=row["record"],
            folder=self.path,
        )


def _schemas(path: Path) -> list[Schema]:
    kept = read_json(path / SCHEMAS) if (path / SCHEMAS).is_file() else []
    if not isinstance(kept, list):
        raise BrokenDataset(f"{path / SCHEMAS} is no list of schemas")
    return [schema_from_plain(one) for one in kept]


def _demand_columns(opened: pq.ParquetFile, path: Path) -> None:
    if not opened.schema_arrow.remove_metadata().equals(COLUMNS):
        lacking = [name for name in COLUMNS.names if name not in opened.schema_arrow.names]
        told = f"it lacks {', '.join(lacking)}" if lacking else "a column has another type"
        raise BrokenDataset(f"{path.name} is no file of read examples: {told}; convert the source again")
