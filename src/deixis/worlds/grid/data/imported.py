"""Examples of others, kept as a dataset folder: Parquet files and a manifest of the kind `imported`.

A released file lists an example of two test sets twice. Such examples are found again by their content and kept once,
as members of both. An example of train, dev or test that is also elsewhere is a leak: it stays where it is, and is
counted in the manifest.
"""

from __future__ import annotations

import json
import os
import re
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._memberships import AT_RANDOM
from deixis.data._seal import write_manifest
from deixis.data._split_names import join_splits, splits_of
from deixis.data.card import write_card
from deixis.data.recipes import begin_manifest
from deixis.data.store import Dataset, file_digest, open_dataset, read_parquet, write_parquet
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.grid.data.table import SCHEMA, STATISTICS, fill_expressions
from deixis.worlds.grid.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


__all__ = ["write_imported"]

ROWS_PER_FILE = 131_072
ROWS_IN_HAND = 524_288  # over all splits; beyond it the fullest is written
SPLIT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")


def write_imported(tables: Iterable[pa.Table], out: Path, *, source: str, kind: str) -> Dataset:
    """Write tables as a dataset folder, which takes its name only when it is whole.

    Args:
        tables: in the columns of `worlds.grid.data.table`; every row goes to a file of its split.
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
        files, twice = _merge(draft, files)
        _describe(draft, files, source=source, kind=kind, twice=twice)
        if out.exists():
            out.rmdir()
        draft.rename(out)
    finally:
        rmtree(draft, ignore_errors=True)
    return open_dataset(out)


def _write_files(tables: Iterable[pa.Table], folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the entry of every file, written as soon as there is enough for one."""
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
        rows = fill_expressions(table.filter(mask)).select(SCHEMA.names)
        yield (
            split,
            rows if name else rows.set_column(SCHEMA.names.index("split"), "split", pa.array([split] * len(rows))),
        )


def _rows(tables: list[pa.Table]) -> int:
    return sum(table.num_rows for table in tables)


# -------------------------------------------------------------------------------- examples of several splits


def _merge(folder: Path, files: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Keep examples of several test sets once; the files there are then, and what was found in several splits."""
    ids = [_ids(folder / entry["path"]) for entry in files]
    repeated = _repeats_of(np.concatenate(ids))
    places = [np.flatnonzero(np.isin(one, repeated)) for one in ids]
    leaks = _leaks(files, [one[rows] for one, rows in zip(ids, places, strict=True)])
    tests = [n for n, entry in enumerate(files) if not (AT_RANDOM | {"aside"}) & set(splits_of(entry["split"]))]
    found = [row for number in tests for row in _rows_at(folder, files[number], places[number], number)]
    merged = _partners(found, [files[number]["split"] for number in range(len(files))])
    twice = {"merged": sum(len(rows) - 1 for rows in merged), "also elsewhere": leaks}
    gone = {(number, place) for rows in merged for number, place, _ in rows}
    kept = [one for n, entry in enumerate(files) if (one := _without(folder, entry, [p for m, p in gone if m == n]))]
    return kept + list(_write_merged(folder, merged, files, {entry["path"] for entry in kept})), twice


def _ids(path: Path) -> np.ndarray:
    return np.concatenate([table["id"].to_numpy() for table in read_parquet(path, columns=["id"])])


def _repeats_of(ids: np.ndarray) -> np.ndarray:
    different, counts = np.unique(ids, return_counts=True)
    return np.asarray(different[counts > 1])


def _leaks(files: list[dict[str, Any]], ids: list[np.ndarray]) -> dict[str, int]:
    """Return how many contents are in train, dev or test and in another split, by the two splits."""
    known: dict[str, np.ndarray] = {}
    for entry, some in zip(files, ids, strict=True):
        for split in splits_of(entry["split"]):
            known[split] = np.union1d(known[split], some) if split in known else np.unique(some)
    pairs = ((a, b) for place, a in enumerate(known) for b in list(known)[place + 1 :] if AT_RANDOM & {a, b})
    counts = {f"{a}, {b}": len(np.intersect1d(known[a], known[b])) for a, b in pairs}
    return {pair: count for pair, count in counts.items() if count}


_Found = tuple[int, int, dict[str, Any]]  # the number of a file, the row in it and what it holds


def _rows_at(folder: Path, entry: dict[str, Any], places: np.ndarray, number: int) -> Iterator[_Found]:
    before = 0
    for table in read_parquet(folder / entry["path"]) if len(places) else ():
        inside = places[(places >= before) & (places < before + table.num_rows)] - before
        rows = table.take(pa.array(inside)).to_pylist()
        yield from ((number, int(place) + before, row) for place, row in zip(inside, rows, strict=True))
        before += table.num_rows


def _partners(found: list[_Found], splits: list[str]) -> list[list[_Found]]:
    """Return the rows that are the same but for their split, put together with at most one of each split."""
    same: dict[str, dict[str, list[_Found]]] = {}
    for one in found:
        content = json.dumps({name: value for name, value in one[2].items() if name != "split"}, default=str)
        same.setdefault(content, {}).setdefault(splits[one[0]], []).append(one)
    groups = []
    for rows in same.values():
        for rank in range(max(map(len, rows.values()))):
            group = [some[rank] for some in rows.values() if len(some) > rank]
            if len(group) > 1:
                groups.append(group)
    return groups


def _without(folder: Path, entry: dict[str, Any], places: list[int]) -> dict[str, Any] | None:
    """Return the entry of a file without some of its rows, or None where none is left."""
    if not places:
        return entry
    path = folder / entry["path"]
    table = pa.concat_tables(read_parquet(path))
    path.unlink()
    kept = np.setdiff1d(np.arange(table.num_rows), places)
    return _write_file(table.take(pa.array(kept)), entry["split"], path) if len(kept) else None


def _write_merged(
    folder: Path, merged: list[list[_Found]], files: list[dict[str, Any]], taken: set[str]
) -> Iterator[dict[str, Any]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for group in merged:
        split = join_splits(files[number]["split"] for number, _, _ in group)
        rows.setdefault(split, []).append({**group[0][2], "split": split})
    for split, some in rows.items():
        names = (f"data/{split}-{number:05d}.parquet" for number in range(len(taken) + 1))
        name = next(name for name in names if name not in taken)
        yield _write_file(pa.Table.from_pylist(some, schema=SCHEMA), split, folder / name)


def _write_file(table: pa.Table, split: str, path: Path) -> dict[str, Any]:
    write_parquet(table.cast(SCHEMA).combine_chunks(), path, statistics=STATISTICS)
    return {
        "path": path.relative_to(path.parent.parent).as_posix(),
        "split": split,
        "rows": table.num_rows,
        "bytes": path.stat().st_size,
        "sha256": file_digest(path),
    }


def _describe(
    folder: Path, files: list[dict[str, Any]], *, source: str, kind: str, twice: dict[str, Any] | None = None
) -> None:
    """The manifest and the card."""
    splits: dict[str, int] = {}
    for entry in files:
        for single in splits_of(entry["split"]):
            splits[single] = splits.get(single, 0) + entry["rows"]
    manifest = {
        **begin_manifest(WORLD, "imported", kind="imported"),
        "imported from": {"name": source, "kind": kind},
        "examples": sum(entry["rows"] for entry in files),
        "splits": splits,
        **({"in several splits": twice} if twice and any(twice.values()) else {}),
        "files": files,
    }
    write_card(folder, manifest)
    write_manifest(folder, manifest)
