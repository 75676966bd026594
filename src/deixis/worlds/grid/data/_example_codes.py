"""Small codes for every example of a grid dataset, so that a million of them can be searched in milliseconds.

What repeats (commands, patterns, splits) is kept once and named by number; a world is kept in two bytes per object.
For the million examples of the paper that is some fifty megabytes in all.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._ragged import Ragged
from deixis.errors import BrokenDataset
from deixis.worlds.grid.language import WORDS
from deixis.worlds.grid.roles import SHIFT
from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.data._row_groups import Group, RowGroups


TEXTS = ("command", "pattern", "verb", "manner", "split")
OBJECTS = ("shape", "color", "size", "row", "column")
BITS = (2, 2, 2, 4, 4)  # of every object, in this order; sizes count from 0 here
REST = ("target", "grid_size", "agent_row", "agent_column", "agent_facing")
NO_AGENT = 255
WORKERS = 2


class CodedTexts(NamedTuple):
    """A column of texts that repeat: the number of its text for every row, and the texts."""

    codes: np.ndarray
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ExampleCodes:
    """Filter columns of all examples, without the examples themselves.

    Attributes:
        texts: the columns command, pattern, verb, manner and split.
        objects: uint8 [example], how many objects its world has.
        length: uint16 [example], how many actions its plan has.
        kinds: uint8 [example], a bit for every kind of role (`worlds.grid.roles.KINDS`) that occurs in its world.
    """

    texts: Mapping[str, CodedTexts]
    objects: np.ndarray
    length: np.ndarray
    kinds: np.ndarray

    def __len__(self) -> int:
        return len(self.objects)

    def text(self, column: str, number: int) -> str:
        """Return the text of a row in a column of texts."""
        coded = self.texts[column]
        return coded.names[int(coded.codes[number])]

    @cached_property
    def relations(self) -> dict[str, np.ndarray]:
        """For every relation, which commands (by their number) speak of it: bool [command]."""
        said = [f" {command} " for command in self.texts["command"].names]
        return {
            name: np.array([f" {phrase} " in command for command in said], bool)
            for phrase, name in WORDS.relations.items()
        }

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        arrays = (self.objects, self.length, self.kinds, *(coded.codes for coded in self.texts.values()))
        return sum(array.nbytes for array in arrays)


def read_codes(rows: RowGroups, *, workers: int = WORKERS) -> ExampleCodes:
    """Read the codes of all examples from small columns only.

    Raises:
        BrokenDataset: when something cannot be read.
    """
    size = len(rows)
    codes = {name: np.zeros(size, np.uint32) for name in TEXTS}
    known: dict[str, dict[str, int]] = {name: {} for name in TEXTS}
    objects, kinds = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    length = np.zeros(size, np.uint16)
    with ThreadPoolExecutor(workers) as threads:
        for group, piece in threads.map(lambda one: (one, _piece(rows, one)), rows.groups()):
            here = slice(group.start, group.stop)
            objects[here], kinds[here], length[here] = piece.objects, piece.kinds, piece.length
            for name, (local, texts) in piece.texts.items():
                numbers = known[name]
                found = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.uint32)
                codes[name][here] = found[local] if len(found) else 0
    pa.default_memory_pool().release_unused()
    coded = {name: CodedTexts(_narrow(codes[name], len(known[name])), tuple(known[name])) for name in TEXTS}
    return ExampleCodes(coded, objects, length, kinds)


def read_ids(rows: RowGroups) -> np.ndarray:
    """The ids of all examples, int64 [example]."""
    pieces = [rows.read(group, ["id"])["id"].to_numpy() for group in rows.groups()]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int64)


class _Piece(NamedTuple):
    texts: dict[str, tuple[np.ndarray, list[str]]]
    objects: np.ndarray
    kinds: np.ndarray
    length: np.ndarray


def _piece(rows: RowGroups, group: Group) -> _Piece:
    table = rows.read(group, [*TEXTS, "plan", "role"])
    plan, plans = _dictionary(table, "plan")
    roles = Ragged.of_column(table["role"])
    objects = roles.length
    if not objects.all():  # roles are not recorded
        objects = Ragged.of_column(rows.read(group, ["shape"])["shape"]).length
    lengths = np.array([len(letters) for letters in plans], np.int64)
    return _Piece(
        {name: _dictionary(table, name) for name in TEXTS},
        np.minimum(objects, 255).astype(np.uint8),
        _kinds(roles),
        np.minimum(lengths[plan] if len(lengths) else 0, 65535).astype(np.uint16),
    )


def _kinds(roles: Ragged) -> np.ndarray:
    """A bit for every kind of role in a row."""
    bits = np.uint8(1) << (roles.values >> SHIFT).astype(np.uint8)
    found = np.zeros(len(roles), np.uint8)
    filled = np.flatnonzero(roles.length)
    if len(filled):
        found[filled] = np.bitwise_or.reduceat(bits, roles.start[filled])
    return found


def _dictionary(table: pa.Table, name: str) -> tuple[np.ndarray, list[str]]:
    """A column of texts as numbers and the texts that they stand for."""
    column = table[name]
    if column.null_count:
        raise BrokenDataset(f"the column {name!r} has gaps")
    if not pa.types.is_dictionary(column.type):
        raise BrokenDataset(f"the column {name!r} holds {column.type} instead of text")
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    return array.indices.to_numpy(), array.dictionary.to_pylist()


def _narrow(codes: np.ndarray, names: int) -> np.ndarray:
    return codes.astype(np.uint8 if names <= 1 << 8 else np.uint16 if names <= 1 << 16 else np.uint32)


# -------------------------------------------------------------------------------- worlds


@dataclass(frozen=True, eq=False)
class PackedWorlds:
    """The worlds of many examples, two bytes for every object.

    Attributes:
        objects: uint16 [object], those of all worlds one after another.
        start: uint32 [example + 1], where each world begins.
        rest: uint8 [example, 5]: target, grid size, and the row, column and facing of the agent.
    """

    objects: np.ndarray
    start: np.ndarray
    rest: np.ndarray

    def scene(self, number: int) -> GridScene:
        """The world of one example."""
        packed = self.objects[self.start[number] : self.start[number + 1]].tolist()
        _, size, row, column, facing = self.rest[number].tolist()
        agent = None if row == column == facing == NO_AGENT else Agent(row, column, Facing(facing))
        return GridScene(tuple(GridObject.from_codes(*_unpack(code)) for code in packed), size=size, agent=agent)

    def target(self, number: int) -> int:
        """The object that is meant in it."""
        return int(self.rest[number, 0])

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return self.objects.nbytes + self.start.nbytes + self.rest.nbytes


def pack_worlds(rows: RowGroups, *, workers: int = WORKERS) -> PackedWorlds | None:
    """Pack the worlds of all examples, or return None if one has values too large to be packed.

    Raises:
        BrokenDataset: when something cannot be read.
    """
    objects: list[np.ndarray] = []
    counts: list[np.ndarray] = []
    rest = np.zeros((len(rows), len(REST)), np.uint8)
    with ThreadPoolExecutor(workers) as threads:
        for group, packed in threads.map(lambda one: (one, _pack(rows, one)), rows.groups()):
            if packed is None:
                threads.shutdown(cancel_futures=True)
                return None
            objects.append(packed[0])
            counts.append(packed[1])
            rest[group.start : group.stop] = packed[2]
    pa.default_memory_pool().release_unused()
    start = np.zeros(len(rows) + 1, np.uint32)
    if counts:
        np.cumsum(np.concatenate(counts), out=start[1:])
    return PackedWorlds(np.concatenate(objects) if objects else np.zeros(0, np.uint16), start, rest)


def _pack(rows: RowGroups, group: Group) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    table = rows.read(group, [*OBJECTS, *REST])
    packed, counts, shift = np.zeros(0, np.uint16), np.zeros(0, np.int64), 0
    for name, bits in zip(OBJECTS, BITS, strict=True):
        column = Ragged.of_column(table[name])
        values = (
            column.values - np.uint8(1) if name == "size" else column.values
        )  # a size of 0 becomes 255, which is too large
        if len(values) and int(values.max()) >> bits:
            return None
        if shift == 0:
            packed, counts = np.zeros(len(values), np.uint16), column.length
        elif not np.array_equal(counts, column.length):
            raise BrokenDataset(f"the columns shape and {name} of {group.path.name} do not describe the same objects")
        packed |= values.astype(np.uint16) << np.uint16(shift)
        shift += bits
    return packed, counts, np.column_stack([pc.fill_null(table[name], 0).to_numpy() for name in REST])


def _unpack(code: int) -> Iterator[int]:
    for name, bits in zip(OBJECTS, BITS, strict=True):
        yield (code & (1 << bits) - 1) + (name == "size")
        code >>= bits
