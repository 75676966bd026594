"""Datasets on disk: Parquet files and a manifest, written so that a half-written file is never taken for a whole one.

| in the folder | |
|---|---|
| `manifest.json` | what it is, how it was made, and a hash of every file; written last |
| `README.md` | a card that names the splits, so that `datasets.load_dataset(FOLDER)` finds them |
| `croissant.json` | the same for machines, as Croissant metadata |
| `data/*.parquet` | the examples; files are named after their split |
| `.partial/` | what is finished of a dataset that is being made, see `resumable` |
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._ids import with_current_ids
from deixis.data._parquet_files import open_parquet, sound
from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset
from deixis.worlds.registry import NEWEST_FORMAT as FORMAT
from deixis.worlds.registry import world_in


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


__all__ = [
    "FORMAT",
    "MANIFEST",
    "OTHER_FILES",
    "PARTIAL",
    "Dataset",
    "file_digest",
    "is_blob_of",
    "kind_of",
    "lies_inside",
    "open_dataset",
    "parse_manifest",
    "read_parquet",
    "replacing_file",
    "write_parquet",
]

MANIFEST = "manifest.json"
PARTIAL = ".partial"
OTHER_FILES = "other files"  # of a manifest: whatever lies beside the data, see `seal`
BLOBS, SNAPSHOTS = "blobs", "snapshots"  # of a download's cache: the files, and folders of links to them
ROW_GROUP = 32_768
MAX_COUNT = (1 << 53) - 1  # of rows or bytes; every reader of JSON holds it exactly


@contextmanager
def replacing_file(path: Path) -> Iterator[Path]:
    """A temporary file that takes the place of `path` when all went well, and is removed when not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")  # on any machine
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


def write_parquet(table: pa.Table, path: Path, *, statistics: Sequence[str] = ("split",)) -> None:
    """One file of examples: zstd, dictionaries for everything that repeats.

    Args:
        table: the examples.
        path: of the file.
        statistics: the columns whose least and greatest values every row group tells.
    """
    dictionary = [name for name in table.schema.names if name not in ("id", "necessary")]
    paths = [f"{name}.list.element" if pa.types.is_list(table.schema.field(name).type) else name for name in dictionary]
    with replacing_file(path) as draft:
        pq.write_table(
            table,
            draft,
            compression="zstd",
            compression_level=3,
            use_dictionary=paths,
            write_statistics=list(statistics),
            row_group_size=ROW_GROUP,
            store_schema=True,
            write_page_checksum=True,
        )


@dataclass(frozen=True, slots=True)
class Dataset:
    """A finished dataset: its folder and what its manifest says."""

    path: Path
    manifest: dict[str, Any]

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split.

        An example of two test sets counts in both.
        """
        return dict(self.manifest["splits"])

    @property
    def digest(self) -> str:
        """The digest of what it contains, as the manifest has it."""
        content = self.manifest.get("content")
        if isinstance(content, str):
            return content
        return sha256("\n".join(sorted(entry["sha256"] for entry in self.manifest["files"])).encode()).hexdigest()

    def files(self, split: str | None = None) -> list[Path]:
        """The files of a split, or all."""
        chosen = [
            entry["path"] for entry in self.manifest["files"] if split is None or split in _memberships(entry["split"])
        ]
        if split is not None and not chosen and split not in self.splits:
            raise BrokenDataset(f"there is no split {split!r} in {self.path.name}; it has {', '.join(self.splits)}")
        return [self.path / name for name in chosen]

    def tables(
        self,
        split: str | None = None,
        *,
        rows: int = ROW_GROUP,
        columns: list[str] | None = None,
        demanded: Iterable[str] = (),
    ) -> Iterator[pa.Table]:
        """Yield the examples, some thousand rows at a time (see `read_parquet`)."""
        for path in self.files(split):
            yield from read_parquet(path, rows=rows, columns=columns, demanded=demanded)

    def demand_whole(self) -> None:
        """Raise `BrokenDataset` unless every file is there with the length in the manifest.

        The content is not read.
        """
        for entry in self.manifest["files"]:
            file = self.path / entry["path"]
            if not file.is_file():
                raise BrokenDataset(f"{self.path} lacks the file {entry['path']}; delete the folder and make it again")
            if file.stat().st_size != entry["bytes"]:
                raise BrokenDataset(f"{file} is not as long as the manifest says; delete the folder and make it again")


def _memberships(split: str) -> tuple[str, ...]:
    """The whole name and its parts: files of `a1+a2` belong to both."""
    return (split, *names_in_split(split))


def read_parquet(
    path: Path, *, rows: int = ROW_GROUP, columns: list[str] | None = None, demanded: Iterable[str] = ()
) -> Iterator[pa.Table]:
    """The rows of one of our files, some thousand at a time.

    Args:
        path: the file.
        rows: how many at a time.
        columns: those that are read, all by default.
        demanded: columns that the file must have.
    """
    with open_parquet(path) as file:
        missing = set(columns or demanded) - set(file.schema_arrow.names)
        if missing:
            raise BrokenDataset(
                f"{path.name} lacks the columns {', '.join(sorted(missing))}; it was not written by deixis"
            )
        for batch in file.iter_batches(batch_size=rows, columns=columns):
            yield with_current_ids(sound(pa.Table.from_batches([batch])))


def kind_of(folder: Path) -> str | None:
    """Return the kind that the manifest of a finished dataset names (`imported`, for one), or None if it names none."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    kind = manifest.get("kind") if isinstance(manifest, dict) else None
    return kind if isinstance(kind, str) else None


def open_dataset(path: Path | str) -> Dataset:
    """Open the dataset in a folder.

    Raises `BrokenDataset` if its manifest is missing, unreadable or names files outside it.

    An address such as `s3://bucket/folder` will do as well: the dataset is then copied to this machine, see `remote`.
    """
    if isinstance(path, str):
        from deixis.data.remote import at_hand

        path = at_hand(path)
    manifest_path = path / MANIFEST
    if not manifest_path.is_file():
        begun = "; its making was interrupted: run the same `deixis make` again to finish it"
        hint = begun if (path / PARTIAL).is_dir() else ""
        raise BrokenDataset(f"{path} is not a finished deixis dataset: it has no {MANIFEST}{hint}")
    try:
        written = manifest_path.read_bytes()
    except OSError as error:
        raise BrokenDataset(f"{manifest_path} cannot be read: {_first_line(error)}") from error
    return Dataset(path, parse_manifest(written, path, str(manifest_path)))


def parse_manifest(written: bytes, folder: Path, name: str) -> dict[str, Any]:
    """Return a manifest that names no file outside the folder, or raise `BrokenDataset` if it is unsound.

    Args:
        written: its bytes.
        folder: where the files of the dataset lie, or are to lie.
        name: what complaints call it.
    """
    try:
        manifest = json.loads(written.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{name} is not a manifest: {_first_line(error)}; make the dataset again") from error
    if isinstance(manifest, dict) and type(manifest.get("format")) is int:
        # complains of a newer format, and of a world that is not installed
        world_in(manifest, where=name.removesuffix(f"/{MANIFEST}"))
    fault = _half_characters(manifest) or _fault_of(manifest) or next(_outside(folder, manifest), "")
    if fault:
        raise BrokenDataset(f"{name} is not a manifest of deixis: {fault}")
    assert isinstance(manifest, dict)
    return manifest


def lies_inside(folder: Path, name: str) -> bool:
    """Return whether a file of this name, as a manifest has it, lies inside a folder, links followed.

    A downloaded snapshot, `CACHE/snapshots/NAME`, consists of links into `CACHE/blobs`; these count as inside.
    """
    path, root = PurePosixPath(name), folder.resolve()
    try:
        real = (root / path).resolve()
    except (OSError, ValueError, RuntimeError):  # a loop of links, a name with a null byte
        return False
    is_inside = real.is_relative_to(root) or is_blob_of(root, real)
    return is_inside and bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def is_blob_of(root: Path, real: Path) -> bool:
    """Return whether a file is one that a downloaded snapshot links to.

    Both paths must be free of links.
    """
    return root.parent.name == SNAPSHOTS and real.parent == root.parent.parent / BLOBS


def _fault_of(manifest: object) -> str:
    """What is wrong with the form of a manifest, if anything."""
    if not isinstance(manifest, dict):
        return "it holds no table of keys"
    written = manifest.get("format")
    if type(written) is not int or written < 1:
        return f"it has format {written!r}; this version reads formats 1 to {FORMAT}"
    splits, files = manifest.get("splits"), manifest.get("files")
    if not isinstance(splits, dict) or not all(_is_count(size) for size in splits.values()):
        return "it does not say how many examples each split has"
    if not isinstance(files, list) or not all(isinstance(entry, dict) for entry in files):
        return "it does not list its files"
    for entry in files:
        if not all(isinstance(entry.get(key), str) for key in ("path", "split", "sha256")):
            return "a file lacks its path, its split or its hash"
        if not all(_is_count(entry.get(key)) for key in ("rows", "bytes")):
            return f"the file {entry['path']!r} lacks its number of rows or bytes"
    others = manifest.get(OTHER_FILES, {})
    if not isinstance(others, dict) or not all(_is_sized(entry) for entry in others.values()):
        return "a file beside the data lacks its number of bytes or its hash"
    return ""


def _is_sized(entry: object) -> bool:
    return isinstance(entry, dict) and _is_count(entry.get("bytes")) and isinstance(entry.get("sha256"), str)


def _half_characters(manifest: object) -> str:
    """A complaint where a text holds half a character, which JSON can write and no file can."""
    try:
        json.dumps(manifest, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return "a text in it holds half a character"
    return ""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT


def _outside(folder: Path, manifest: dict[str, Any]) -> Iterator[str]:
    """A complaint for every file that does not lie inside the folder."""
    for name in (*(entry["path"] for entry in manifest["files"]), *manifest.get(OTHER_FILES, ())):
        if not lies_inside(folder, name):
            yield f"it names the file {name!r}, which is not inside the dataset"


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
