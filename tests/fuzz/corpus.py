"""The seeds: small datasets, files and texts of every kind, made once for a run."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from deixis._cli import main
from deixis.data.store import file_digest
from deixis.worlds.photos.data.store import write_copsref
from deixis.worlds.rooms.data.make import PAIRS
from tests.datasets.copsref.posed import posed


if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["GRAPHS", "Corpus", "seal"]

RECIPE = """
mode = "corrected"
seed = 5
hold_out = ["a1", "a2", "c1"]
dev = 0.2
test = 0.1
cap = 16
grid_size = 6

[[pools]]
name = "p1"
pattern = "p1"
commands = 12
worlds = 2

[[pools]]
name = "p3"
pattern = "p3"
commands = 6
worlds = 2
distractors = ["relation", "random"]

[[tests]]
name = "c1"
pattern = "p4"
commands = 2
worlds = 2
"""
GQA = {
    "2386621": {
        "width": 500,
        "height": 333,
        "location": "street",
        "weather": None,
        "objects": {
            "681267": {
                "name": "cup",
                "h": 34,
                "w": 64,
                "x": 10,
                "y": 20,
                "attributes": ["white", "round"],
                "relations": [{"name": "on", "object": "681268"}, {"name": "to the left of", "object": "681269"}],
            },
            "681268": {"name": "table", "h": 134, "w": 364, "x": 1, "y": 40, "attributes": ["wood"], "relations": []},
            "681269": {"name": "cup", "h": 30, "w": 60, "x": 200, "y": 22, "attributes": ["red"], "relations": []},
        },
    }
}
VISUAL_GENOME = [
    {
        "image_id": 1,
        "width": 800,
        "height": 600,
        "objects": [
            {"object_id": 5, "names": ["cup"], "x": 1, "y": 2, "w": 30, "h": 40, "attributes": ["white"]},
            {"object_id": 6, "names": ["table"], "x": 1, "y": 2, "w": 300, "h": 400},
        ],
        "relationships": [{"predicate": "ON", "subject_id": 5, "object_id": 6}],
    }
]
CLEVR = {
    "info": {"split": "val"},
    "scenes": [
        {
            "image_filename": "CLEVR_val_000000.png",
            "image_index": 0,
            "directions": {"right": [0.6, 0.7, 0.0], "left": [-0.6, -0.7, 0.0]},
            "relationships": {"right": [[1], []], "left": [[], [0]], "front": [[], []], "behind": [[], []]},
            "objects": [
                {"shape": "cube", "color": "red", "size": "large", "material": "rubber", "pixel_coords": [99, 90, 9.1]},
                {"shape": "sphere", "color": "blue", "size": "small", "material": "metal", "pixel_coords": [50, 60, 8]},
            ],
        }
    ],
}
GRAPHS = (GQA, VISUAL_GENOME, CLEVR)
ROOMS = {
    "format": 1,
    "kind": "a3ds",
    "made by": "deixis 0",
    "recipe digest": "0",
    "recipe": {
        "captions": ["short"],
        "layout": "parquet",
        "images": False,
        "image_size": 64,
        "pairs": False,
        "test_sets": True,
        "seed": 42,
    },
    "images": 480_000,
    "captions": {"short": 12_960_000},
    "splits": {"train": 30_000, "test": 400_000},
    "files": [{"path": "pairs/test.parquet", "split": "test", "rows": 12, "bytes": 0, "sha256": ""}],
}


@dataclass
class Corpus:
    """What was made for a run, in a folder of its own."""

    folder: Path

    def make(self, name: str, *words: object) -> Path:
        """What a command of ours makes at a place, made once."""
        place = self.folder / name
        if not place.exists():
            line = [str(place) if word == "OUT" else str(word) for word in words]
            if main(line) != 0:
                raise RuntimeError(f"deixis {' '.join(line)} failed")
        return place

    @cached_property
    def recipe(self) -> Path:
        """A recipe of a few dozen examples."""
        path = self.folder / "recipe.toml"
        path.write_text(RECIPE, encoding="utf-8")
        return path

    @cached_property
    def grid(self) -> Path:
        """A dataset of grid worlds."""
        return self.make("grid", "make", "reascan", "--recipe", self.recipe, "--out", "OUT")

    @cached_property
    def released(self) -> Path:
        """The same in the layout of the release."""
        words = ("convert", self.grid, "OUT", "--to", "reascan", "--split", "test", "--allow-losses")
        return self.make("data-compositional-splits.txt", *words)

    @cached_property
    def compact(self) -> Path:
        """The same, a line for each example."""
        return self.make("compact.jsonl", "convert", self.grid, "OUT", "--to", "compact", "--split", "test")

    @cached_property
    def photographs(self) -> Path:
        """A dataset of expressions about photographs."""
        place = self.folder / "photographs"
        if not place.exists():
            bare = [replace(one, id=10_000 + one.id, split="train", distractors=()) for one in posed().there[:5]]
            write_copsref(place, [*posed().examples, *bare], posed().scenes)
        return place

    @cached_property
    def rooms(self) -> Path:
        """A folder like one of A3DS, with few pairs."""
        place = self.folder / "rooms"
        if not place.exists():
            (place / "pairs").mkdir(parents=True)
            columns = {
                "set": pa.array(["random"] * 6 + ["shape"] * 6).dictionary_encode().cast(PAIRS.field("set").type),
                "target": pa.array(range(12), pa.uint32()),
                "distractor": pa.array(range(100, 112), pa.uint32()),
            }
            pq.write_table(pa.table(columns), place / "pairs" / "test.parquet")
            seal(place, json.loads(json.dumps(ROOMS)))
        return place

    @cached_property
    def prompts(self) -> Path:
        """Prompts about the grid worlds, with their right answers."""
        return self.make("prompts.jsonl", "prompts", self.grid, "--limit", 5, "--out", "OUT")

    def copy(self, place: Path, name: str) -> Path:
        """A copy of a folder that may be harmed."""
        target = self.folder / name
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(place, target)
        return target


def seal(folder: Path, manifest: dict[str, object] | None = None) -> None:
    """Write the manifest of a folder so that sizes and hashes are those of its files."""
    path = folder / "manifest.json"
    values = json.loads(path.read_text(encoding="utf-8")) if manifest is None else manifest
    for entry in values["files"]:
        file = folder / entry["path"]
        if file.is_file():
            entry |= {"bytes": file.stat().st_size, "sha256": file_digest(file)}
            with suppress(pa.ArrowException, OSError):
                entry["rows"] = pq.read_metadata(file).num_rows
    path.write_text(json.dumps(values), encoding="utf-8")
