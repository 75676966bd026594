"""Datasets on disk: Parquet files and a manifest, written so that a half-written file is never taken for a whole one.

    DIR/manifest.json          what it is, how it was made, and a hash of every file; written last
    DIR/README.md              a card that names the splits, so that `datasets.load_dataset(DIR)` finds them
    DIR/data/*.parquet         the examples; files are named after their split
    DIR/.partial/              what is finished of a dataset that is being made
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.datasets.shards import Shard
from deixis.datasets.table import SCHEMA
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.datasets.recipe import Recipe


__all__ = ["MANIFEST", "Dataset", "Workshop", "file_digest", "open_dataset", "replacing_file", "write_parquet"]

MANIFEST = "manifest.json"
PARTIAL = ".partial"
FORMAT = 1
ROW_GROUP = 32_768


@contextmanager
def replacing_file(path: Path) -> Iterator[Path]:
    """A temporary file that takes the place of `path` when all went well, and is removed when not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield draft
        with draft.open("rb+") as stream:
            os.fsync(stream.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def file_digest(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def write_parquet(table: pa.Table, path: Path) -> None:
    """One file of examples: zstd, dictionaries for everything that repeats."""
    dictionary = [name for name in table.schema.names if name != "id"]
    paths = [f"{name}.list.element" if pa.types.is_list(table.schema.field(name).type) else name for name in dictionary]
    with replacing_file(path) as draft:
        pq.write_table(
            table,
            draft,
            compression="zstd",
            compression_level=3,
            use_dictionary=[p for p in paths if not p.startswith("necessary")],
            write_statistics=["command", "pattern", "verb", "manner", "split", "grid_size", "command_number"],
            row_group_size=ROW_GROUP,
            store_schema=True,
        )


@dataclass(frozen=True, slots=True)
class Dataset:
    """A finished dataset: its folder and what its manifest says."""

    path: Path
    manifest: dict[str, Any]

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split; one that is in two test sets counts in both."""
        return dict(self.manifest["splits"])

    def files(self, split: str | None = None) -> list[Path]:
        """The files of a split, or all."""
        chosen = [
            entry["path"]
            for entry in self.manifest["files"]
            if split is None or split == entry["split"] or split in entry["split"].split("+")
        ]
        if split is not None and not chosen and split not in self.splits:
            raise BrokenDataset(f"there is no split {split!r} in {self.path.name}; it has {', '.join(self.splits)}")
        return [self.path / name for name in chosen]

    def tables(self, split: str | None = None, *, rows: int = ROW_GROUP, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """The examples, some thousand rows at a time."""
        for path in self.files(split):
            yield from read_parquet(path, rows=rows, columns=columns)


def read_parquet(path: Path, *, rows: int = ROW_GROUP, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """The rows of one of our files, some thousand at a time."""
    try:
        with pq.ParquetFile(path) as file:
            missing = set(columns or SCHEMA.names) - set(file.schema_arrow.names)
            if missing:
                raise BrokenDataset(f"{path.name} lacks the columns {', '.join(sorted(missing))}; it was not written by deixis")
            for batch in file.iter_batches(batch_size=rows, columns=columns):
                yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError, EOFError) as error:
        raise BrokenDataset(f"{path.name} cannot be read as Parquet ({_first_line(error)}); make or copy it again") from error


def open_dataset(path: Path) -> Dataset:
    """The dataset in a folder; `BrokenDataset` when its manifest is missing, unreadable or names files outside the folder."""
    manifest_path = path / MANIFEST
    if not manifest_path.is_file():
        hint = "; its making was interrupted: run the same `deixis make` again to finish it" if (path / PARTIAL).is_dir() else ""
        raise BrokenDataset(f"{path} is not a finished deixis dataset: it has no {MANIFEST}{hint}")
    try:
        manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise BrokenDataset(f"{manifest_path} has format {manifest['format']!r}; this version of deixis reads format {FORMAT}")
        for entry in manifest["files"]:
            name = PurePosixPath(entry["path"])
            if name.is_absolute() or ".." in name.parts or not isinstance(entry["rows"], int):
                raise BrokenDataset(f"{manifest_path} names the file {str(name)!r}, which is not inside the dataset")
        dict(manifest["splits"])
    except BrokenDataset:
        raise
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BrokenDataset(f"{manifest_path} is not a manifest: {_first_line(error)}; make the dataset again") from error
    return Dataset(path, manifest)


class Workshop:
    """The unfinished part of a dataset: finished shards are kept, so that making can go on where it stopped."""

    def __init__(self, out: Path, recipe: Recipe) -> None:
        self.out = out
        self.folder = out / PARTIAL
        self.recipe = recipe
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = (self.folder / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise RecipeError(f"another process is making a dataset in {out}; wait for it or choose another folder") from error
        self._claim()

    def _claim(self) -> None:
        """Make sure that what lies here belongs to the same recipe."""
        note = self.folder / "recipe.json"
        if note.is_file():
            try:
                known = json.loads(note.read_text(encoding="utf-8")).get("digest")
            except (OSError, ValueError, AttributeError):
                known = None
            if known == self.recipe.digest:
                return
            if known is not None:
                raise RecipeError(
                    f"{self.out} holds the beginning of a dataset made from another recipe; "
                    f"choose another folder, or delete {self.folder} to start anew"
                )
        with replacing_file(note) as draft:
            draft.write_text(json.dumps({"digest": self.recipe.digest, "recipe": self.recipe.to_dict()}, indent=1), encoding="utf-8")

    def load(self, name: str) -> Shard | None:
        """A finished shard, or None if there is none or it is damaged."""
        data, note = self.folder / f"{name}.arrow", self.folder / f"{name}.json"
        if not (data.is_file() and note.is_file()):
            return None
        try:
            said = json.loads(note.read_text(encoding="utf-8"))
            if file_digest(data) != said["sha256"]:
                return None
            with pa.memory_map(str(data)) as source:
                table = pa.ipc.open_file(source).read_all()
            return Shard(table, np.array(said["outcomes"], np.int64))
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
            return None

    def keep(self, name: str, shard: Shard) -> Shard:
        """Keep a finished shard; returned as read back from disk, so that it need not stay in memory."""
        data = self.folder / f"{name}.arrow"
        with replacing_file(data) as draft, pa.OSFile(str(draft), "wb") as sink, pa.ipc.new_file(sink, shard.table.schema) as writer:
            writer.write_table(shard.table)
        with replacing_file(self.folder / f"{name}.json") as draft:
            draft.write_text(json.dumps({"sha256": file_digest(data), "outcomes": shard.outcomes.tolist()}), encoding="utf-8")
        kept = self.load(name)
        return kept if kept is not None else shard

    def clear(self) -> None:
        """Remove the folder, now that the dataset is finished."""
        for path in sorted(self.folder.iterdir()):
            path.unlink()
        self.folder.rmdir()
        self.close()

    def close(self) -> None:
        """Let other processes work here."""
        self._lock.close()


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
