"""E0: is what is written there what it should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.datasets.checks.registry import Hits, check
from deixis.datasets.store import file_digest
from deixis.datasets.table import OBJECT_COLUMNS, SCHEMA


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.datasets.checks.chunk import Chunk


__all__ = ["ShardFile", "readable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardFile:
    """A file of a dataset, and what the manifest says about it."""

    path: Path
    sha256: str
    rows: int
    split: str = ""


@check("E001", scope="table")
def unreadable(table: pa.Table) -> str:
    """The file, its columns or a row cannot be read.

    A row is unreadable when a value is missing or when the columns of its objects differ in length. This is reported
    whatever was selected: what cannot be read cannot be checked.
    """
    for field in SCHEMA:
        if field.name not in table.column_names:
            return f"the column {field.name} is missing"
        found = table.schema.field(field.name).type
        if not _fits(found, field.type):
            return f"the column {field.name} holds {found}, not {field.type}"
    return ""


def readable(table: pa.Table) -> tuple[pa.Table, np.ndarray, dict[int, str]]:
    """The rows that can be read, in the types of the schema: (rows, their numbers, why others are left out)."""
    table = pa.table([_cast(table[field.name], field.type) for field in SCHEMA], schema=SCHEMA)
    reasons: dict[int, str] = {}
    for name in SCHEMA.names:
        if table[name].null_count or _has_inner_nulls(table[name]):
            for row in np.flatnonzero(_missing(table[name])):
                reasons.setdefault(int(row), f"there is no value for {name}")
    lengths = [pc.fill_null(pc.list_value_length(table[name]), 0).to_numpy() for name in OBJECT_COLUMNS]
    for name, length in zip(OBJECT_COLUMNS, lengths, strict=True):
        for row in np.flatnonzero(length != lengths[0]):
            reasons.setdefault(int(row), f"there are {lengths[0][row]} shapes, but {length[row]} values for {name}")
    kept = np.ones(len(table), bool)
    kept[list(reasons)] = False
    return (table if not reasons else table.filter(pa.array(kept))), np.flatnonzero(kept), reasons


@check("E002", scope="file")
def not_as_in_manifest(file: ShardFile) -> str:
    """The file is not what the manifest says.

    Its SHA-256 or its number of rows differs.
    """
    from pyarrow import parquet

    if file_digest(file.path) != file.sha256:
        return f"{file.path.name} has changed: its SHA-256 is not the one recorded"
    rows = parquet.ParquetFile(file.path).metadata.num_rows
    return "" if rows == file.rows else f"{file.path.name} has {rows} rows, but the manifest says {file.rows}"


@check("E003")
def other_content(chunk: Chunk) -> Hits:
    """The id is not that of the content.

    Ids are digests of the words and the world, whatever the order of its objects.
    """
    wrong = chunk.is_sound & (chunk.id != chunk.digest)
    return Hits.where(wrong, lambda row: f"the content has the id {chunk.digest[row]}")


@check("E004")
def other_command(chunk: Chunk) -> Hits:
    """The recorded pattern, verb or manner is not that of the command."""
    wrong = np.zeros(len(chunk), bool)
    for name in ("pattern", "verb", "manner"):
        wrong |= ~_said(chunk, name)
    return Hits.where(wrong & chunk.is_read, lambda row: _which_differ(chunk, row))


def _said(chunk: Chunk, name: str) -> np.ndarray:
    """bool [row]: the column agrees with the command."""
    said = pa.array([str(getattr(command, name)) if command.is_read else "" for command in chunk.commands], pa.string())
    return pc.equal(chunk.table[name].combine_chunks(), said.take(pa.array(chunk.which))).to_numpy(zero_copy_only=False)


def _which_differ(chunk: Chunk, row: int) -> str:
    command = chunk.command(row)
    pairs = [(n, chunk.table[n][row].as_py(), str(getattr(command, n))) for n in ("pattern", "verb", "manner")]
    return "; ".join(f"{name} {found!r} should be {said!r}" for name, found, said in pairs if found != said)


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a column can hold what the schema wants: the same sort of thing, whatever its width."""
    if pa.types.is_dictionary(found):
        found = found.value_type
    if pa.types.is_list(wanted):
        return _is_list(found) and _fits(found.value_type, wanted.value_type)
    if pa.types.is_integer(wanted):
        return bool(pa.types.is_integer(found))
    if pa.types.is_string(wanted):
        return bool(pa.types.is_string(found) or pa.types.is_large_string(found))
    return bool(found == wanted)


def _is_list(found: pa.DataType) -> bool:
    return bool(pa.types.is_list(found) or pa.types.is_large_list(found) or pa.types.is_fixed_size_list(found))


def _cast(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    return column if column.type == wanted else column.cast(wanted)


def _has_inner_nulls(column: pa.ChunkedArray) -> bool:
    return pa.types.is_list(column.type) and any(chunk.flatten().null_count for chunk in column.chunks)


def _missing(column: pa.ChunkedArray) -> np.ndarray:
    """bool [row]: there is no value, or one is missing inside a list."""
    missing = column.is_null().to_numpy().copy()
    if _has_inner_nulls(column):
        for row, value in enumerate(column.to_pylist()):
            missing[row] |= value is not None and None in value
    return missing
