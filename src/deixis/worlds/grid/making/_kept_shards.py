"""Shards on disk: written where they are made, and read where their rows are proven and written to the dataset.

Of a shard that is kept, only what decides the places of its rows is in memory, and that is mapped from its file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from deixis.data._crew import pack_table, unpack_table
from deixis.data._resumable import entry_of
from deixis.data.store import replacing_file
from deixis.distractors.necessity import count_words
from deixis.worlds.grid.making._shards import Shard, make_shard
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.data._resumable import Entry, SharedFolder
    from deixis.language.utterance import Instruction
    from deixis.worlds.grid.making.recipe import Pool, Recipe


OUTCOMES, WORDS = b"outcomes", b"words"  # of a kept shard, by command: how the tries ended, content words; as JSON
IN_MEMORY = ("id", "digest", "held", "kept", "command_number")


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Some rows of a shard on disk.

    Attributes:
        name: the path of its file in the folder of the dataset.
        batch: the commands of the shard.
        numbers: int32 [row], which rows of the file they are.
        ids, digests, held, kept: [row], as in the columns of a shard.
        commands: int32 [row], the number of its command in the batch.
    """

    name: str
    batch: tuple[Instruction, ...]
    numbers: np.ndarray
    ids: np.ndarray
    digests: np.ndarray
    held: np.ndarray
    kept: np.ndarray
    commands: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    def only(self, chosen: np.ndarray | slice) -> KeptRows:
        """The rows that a mask or a slice chooses."""
        columns = (self.numbers, self.ids, self.digests, self.held, self.kept, self.commands)
        return KeptRows(self.name, self.batch, *(column[chosen] for column in columns))


class KeptShard(NamedTuple):
    """A shard on disk, with what is known of its commands.

    Attributes:
        rows: all its rows.
        outcomes: int64 [command, outcome], how the tries ended.
        words: for every command the number of its content words.
    """

    rows: KeptRows
    outcomes: np.ndarray
    words: list[int]


class PackedShard(NamedTuple):
    """A shard on its way between machines: its table as an Arrow stream, and its outcomes."""

    table: bytes
    outcomes: list[list[int]]


def make_where_seen(
    shared: SharedFolder | None,
    name: str,
    recipe: Recipe,
    pool: Pool,
    batch: tuple[Instruction, ...],
    first: int,
) -> Entry | PackedShard:
    """Make a shard on a worker: kept at once where the worker sees the folder, else ready to be sent."""
    shard = make_shard(recipe, pool, batch, first)
    out = None if shared is None else shared.find()
    if out is None:
        return PackedShard(pack_table(shard.table), shard.outcomes.tolist())
    return keep_shard(out, name, shard, batch)


def unpack_shard(packed: PackedShard) -> Shard:
    """The shard that was sent."""
    return Shard(unpack_table(packed.table), np.array(packed.outcomes, np.int64))


def keep_shard(out: Path, name: str, shard: Shard, batch: Sequence[Instruction]) -> Entry:
    """Write a shard to a file, and return the entry of the file."""
    words = [count_words(instruction.expression, GRID) for instruction in batch]
    about = {OUTCOMES: json.dumps(shard.outcomes.tolist()), WORDS: json.dumps(words)}
    table = shard.table.replace_schema_metadata(about)
    with (
        replacing_file(out / name) as draft,
        pa.OSFile(str(draft), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    return entry_of(out, name, split="", rows=table.num_rows)


def read_kept(out: Path, name: str, batch: tuple[Instruction, ...], first: int) -> KeptShard | None:
    """Return a shard that is kept, or None where it is none."""
    try:
        table = _map(out, name, IN_MEMORY)
        about = table.schema.metadata
        outcomes = np.array(json.loads(about[OUTCOMES]), np.int64)
        words = [int(count) for count in json.loads(about[WORDS])]
        ids, digests, held, kept, commands = (table[column].to_numpy() for column in IN_MEMORY)
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
        return None
    if len(words) != len(batch) or outcomes.shape[:1] != (len(batch),) or outcomes[:, 0].sum() != len(ids):
        return None
    numbers = np.arange(len(ids), dtype=np.int32)
    return KeptShard(KeptRows(name, batch, numbers, ids, digests, held, kept, commands - first), outcomes, words)


def read_rows(out: Path, name: str, numbers: np.ndarray, columns: Sequence[str] | None = None) -> pa.Table:
    """Return some rows of a kept shard as a table."""
    table = _map(out, name, columns)
    is_whole = len(numbers) == table.num_rows  # numbers are different and rise
    return table.replace_schema_metadata(None) if is_whole else table.replace_schema_metadata(None).take(numbers)


def _map(out: Path, name: str, columns: Sequence[str] | None) -> pa.Table:
    with pa.memory_map(str(out / name)) as source:
        file = pa.ipc.open_file(source)
        if columns is not None:
            source.seek(0)
            chosen = [file.schema.get_field_index(column) for column in columns]
            file = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=sorted(chosen)))
        return file.read_all()
