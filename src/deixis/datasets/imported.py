"""Examples of others, kept as a dataset of ours: Parquet files and a manifest of the kind `imported`."""

from __future__ import annotations

import json
import os
import re
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deixis._version import __version__
from deixis.datasets.card import write_card
from deixis.datasets.store import FORMAT, MANIFEST, Dataset, file_digest, open_dataset, write_parquet
from deixis.datasets.table import SCHEMA
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


__all__ = ["write_imported"]

ROWS_PER_FILE = 131_072
ROWS_IN_HAND = 524_288  # over all splits; beyond it the fullest is written
SPLIT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")


def write_imported(tables: Iterable[pa.Table], out: Path, *, source: str, kind: str) -> Dataset:
    """Write tables as a dataset folder; it takes its name only when it is whole.

    Args:
        tables: in the columns of `datasets.table`; every row goes to a file of its split.
        out: the folder; it must not exist, or be empty.
        source: where they are from, e.g. the name of a released file, for the manifest.
        kind: what that is, e.g. `reascan`.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RecipeError(f"{out} already exists; choose another folder or delete it")
    draft = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    draft.mkdir(parents=True)
    try:
        files = list(_write_files(tables, draft))
        if not files:
            raise BrokenDataset(f"{source} holds no examples to convert")
        _describe(draft, files, source=source, kind=kind)
        if out.exists():
            out.rmdir()
        draft.rename(out)
    finally:
        rmtree(draft, ignore_errors=True)
    return open_dataset(out)


def _write_files(tables: Iterable[pa.Table], folder: Path) -> Iterator[dict[str, Any]]:
    """The entry of every file, written as soon as there is enough for one."""
    waiting: dict[str, list[pa.Table]] = {}
    numbers: dict[str, int] = {}

    def write(split: str) -> dict[str, Any]:
        number = numbers[split] = numbers.get(split, -1) + 1
        return _write_file(
            pa.concat_tables(waiting.pop(split)), split, folder / "data" / f"{split}-{number:05d}.parquet"
        )

    for table in tables:
        for split, rows in _by_split(table):
            waiting.setdefault(split, []).append(rows)
            if _rows(waiting[split]) >= ROWS_PER_FILE:
                yield write(split)
        if sum(map(_rows, waiting.values())) > ROWS_IN_HAND:
            yield write(max(waiting, key=lambda split: _rows(waiting[split])))
    for split in list(waiting):
        yield write(split)


def _by_split(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    if table["split"].null_count:
        raise BrokenDataset("the column 'split' has gaps; every example must be in a split")
    encoded = table["split"].combine_chunks().dictionary_encode()
    for number, name in enumerate(encoded.dictionary.to_pylist()):
        split = name or "train"
        if not SPLIT_NAME.fullmatch(split):
            raise BrokenDataset(f"a split is called {split[:100]!r}; only letters, digits and _ . + - can be kept")
        mask = pc.equal(encoded.indices, number)
        rows = table.filter(mask).select(SCHEMA.names)
        yield (
            split,
            rows if name else rows.set_column(SCHEMA.names.index("split"), "split", pa.array([split] * len(rows))),
        )


def _rows(tables: list[pa.Table]) -> int:
    return sum(table.num_rows for table in tables)


def _write_file(table: pa.Table, split: str, path: Path) -> dict[str, Any]:
    write_parquet(table.cast(SCHEMA).combine_chunks(), path)
    return {
        "path": path.relative_to(path.parent.parent).as_posix(),
        "split": split,
        "rows": table.num_rows,
        "bytes": path.stat().st_size,
        "sha256": file_digest(path),
    }


def _describe(folder: Path, files: list[dict[str, Any]], *, source: str, kind: str) -> None:
    """The manifest and the card."""
    splits: dict[str, int] = {}
    for entry in files:
        for single in entry["split"].split("+"):
            splits[single] = splits.get(single, 0) + entry["rows"]
    manifest = {
        "format": FORMAT,
        "kind": "imported",
        "made by": f"deixis {__version__}",
        "imported from": {"name": source, "kind": kind},
        "examples": sum(entry["rows"] for entry in files),
        "splits": splits,
        "files": files,
    }
    write_card(folder, manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
