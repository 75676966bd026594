"""File and column checks (E001–E005, W503)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._ids import ids_of_digests, with_current_ids
from deixis.data._seal import find_unlisted
from deixis.data.checks import ALWAYS, Hits
from deixis.data.store import file_digest
from deixis.errors import DeixisError
from deixis.expression.plain import expression_to_json
from deixis.worlds.grid.checks._registry import CHECKS, check
from deixis.worlds.grid.data._commands import number_texts
from deixis.worlds.grid.data.table import OBJECT_COLUMNS, OPTIONAL, SCHEMA, stored_instruction, with_optional_columns
from deixis.worlds.grid.formats._examined import FAULT, RECORDED


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.data.store import Dataset
    from deixis.worlds.grid.checks._chunk import Chunk
    from deixis.worlds.grid.data._commands import Command


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
    for every selection, since unreadable rows cannot be checked.
    """
    for field in SCHEMA:
        if field.name not in table.column_names:
            if field.name in OPTIONAL:
                continue
            return f"the column {field.name} is missing"
        found = table.schema.field(field.name).type
        if not _fits(found, field.type):
            return f"the column {field.name} holds {found}, not {field.type}"
    return ""


def readable(table: pa.Table) -> tuple[pa.Table, np.ndarray, dict[int, str]]:
    """Return the rows that can be read, in the types of the schema: (rows, their numbers, why others are left out)."""
    beside = [(name, table[name]) for name in RECORDED if _is_text(table, name)]
    table = with_optional_columns(with_current_ids(table))
    table = pa.table([_cast(table[field.name], field.type) for field in SCHEMA], schema=SCHEMA)
    for name, column in beside:
        table = table.append_column(name, column)
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


@check("W006", scope="folder")
def not_in_manifest(dataset: Dataset) -> list[str]:
    """A file lies in the folder that the manifest does not list.

    It is not part of the dataset, but may have been meant to be. Hidden files are skipped.
    """
    return find_unlisted(dataset.path, dataset.manifest)


@check("E003")
def other_content(chunk: Chunk) -> Hits:
    """The id is not that of the content.

    Ids are digests of the words and the world, independent of the order of its objects.
    """
    right = ids_of_digests(chunk.digest)
    wrong = chunk.is_sound & (chunk.id != right)
    return Hits.where(wrong, lambda row: f"the content has the id {right[row]}")


@check("E004")
def other_command(chunk: Chunk) -> Hits:
    """The recorded facts about the command do not match its text.

    This compares pattern, verb and manner; for a released file also the command's other fields: its meaning and
    derivation, the phrases with their patterns, and the relations.
    """
    wrong = chunk.recorded_faults("recorded_of_command") != ""
    for name in ("pattern", "verb", "manner"):
        wrong |= ~_agrees_with_command(chunk, name)
    return Hits.where(wrong & chunk.is_read, lambda row: _which_differ(chunk, row))


@check("E005")
def other_facts(chunk: Chunk) -> Hits:
    """The recorded facts about the world do not match the world.

    For a released file this compares the numbers of objects, distance and direction to the target, the object that the
    agent carries, the vectors, and the size of the grid in the head of the file.
    """
    return _recorded_hits(chunk, "recorded_of_world")


@check("E008")
def other_meaning(chunk: Chunk) -> Hits:
    """The stored expression is not what the command means.

    The text is parsed again and compared with the column `expression`. Rows without one, as in datasets of earlier
    versions, are skipped.
    """
    stored, expressions = number_texts(chunk.table["expression"])
    pairs, which = np.unique(chunk.which * len(expressions) + stored, return_inverse=True)
    told = [_meanings_differ(chunk.commands[p // len(expressions)], expressions[p % len(expressions)]) for p in pairs]
    return Hits.where(np.array([bool(one) for one in told], bool)[which], lambda row: told[which[row]])


def _meanings_differ(command: Command, stored: str) -> str:
    """How a stored expression differs from what a command means; empty where it does not, or cannot be compared."""
    if not (command.is_read and stored) or stored == expression_to_json(command.expression):
        return ""
    try:
        found = stored_instruction(stored, command.verb, command.manner)
    except DeixisError as error:
        return f"what is stored with {command.text!r} cannot be read: {error}"
    if found.expression == command.expression:
        return ""
    return f"{command.text!r} means {command.expression}, but {found.expression} is stored"


@check("W503")
def other_distractors(chunk: Chunk) -> Hits:
    """The recorded distractors do not match the objects.

    For a released file this compares the flags, the number of random objects, and the metadata of every kind of
    distractor. Examples with distractors that the released layout cannot express, such as those of the mode every-word,
    are reported too.
    """
    return _recorded_hits(chunk, "recorded_of_distractors")


def _recorded_hits(chunk: Chunk, name: str) -> Hits:
    told = chunk.recorded_faults(name)
    return Hits.where(told != "", lambda row: str(told[row]))


def _agrees_with_command(chunk: Chunk, name: str) -> np.ndarray:
    """Return bool [row]: the column agrees with the command."""
    said = pa.array([str(getattr(command, name)) if command.is_read else "" for command in chunk.commands], pa.string())
    return pc.equal(chunk.table[name].combine_chunks(), said.take(pa.array(chunk.which))).to_numpy(zero_copy_only=False)


def _which_differ(chunk: Chunk, row: int) -> str:
    command = chunk.command(row)
    pairs = [(n, chunk.table[n][row].as_py(), str(getattr(command, n))) for n in ("pattern", "verb", "manner")]
    told = [f"{name} {found!r} should be {said!r}" for name, found, said in pairs if found != said]
    return "; ".join(text for text in (*told, chunk.recorded_faults("recorded_of_command")[row]) if text)


def faults(table: pa.Table) -> dict[int, tuple[str, str]]:
    """Return the rows of a released file that could not be understood, each with a code and the reason."""
    if not _is_text(table, FAULT):
        return {}
    told = table[FAULT].to_numpy()
    return {int(row): _code_and_reason(told[row]) for row in np.flatnonzero(told != "")}


def _code_and_reason(text: str) -> tuple[str, str]:
    code, _, reason = text.partition(" ")
    return (code, reason) if code in CHECKS else (ALWAYS, text)


def _is_text(table: pa.Table, name: str) -> bool:
    """Return whether there is a column of this name that has a text in every row."""
    if name not in table.column_names:
        return False
    return bool(pa.types.is_string(table[name].type)) and not table[name].null_count


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
    """Return bool [row]: there is no value, or one is missing inside a list."""
    missing = column.is_null().to_numpy().copy()
    if _has_inner_nulls(column):
        for row, value in enumerate(column.to_pylist()):
            missing[row] |= value is not None and None in value
    return missing
