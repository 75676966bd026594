"""A split of a grid dataset as the arrays that models learn from: no example is touched by Python.

Grids are kept as the channels that are lit, a third of what they are spelled out. The arrays are written once beside
the dataset and mapped into memory afterwards, so a set of any size is open at once.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from deixis.data._ragged import Ragged
from deixis.errors import BrokenDataset, UnknownName
from deixis.scene._array_folder import read_arrays, write_arrays
from deixis.worlds.grid._batches import AGENT, channels_of
from deixis.worlds.grid.actions import Action
from deixis.worlds.grid.data.table import grid_batch, in_schema
from deixis.worlds.grid.language import WORDS
from deixis.worlds.grid.roles import KINDS, SHIFT


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.data.store import Dataset
    from deixis.worlds.grid.scene import GridBatch


KIND = "commands, grids and plans"
FOLDER = ".arrays"
COLUMNS = ["id", "command", "grid_size", "shape", "color", "size", "row", "column"]
COLUMNS += ["role", "agent_row", "agent_column", "agent_facing", "target", "plan"]
_CODES = np.full(256, 255, np.uint8)
_CODES[[ord(action.letter) for action in Action]] = list(Action)


@dataclass(frozen=True, kw_only=True)
class PlanArrays:
    """Commands, grids and plans of some examples.

    Attributes:
        ids: int64 [example].
        words: uint16 [example, word], numbers from 1; 0 after the end.
        word_count: uint16 [example].
        lit: int32 [example, light], which channel of which cell is lit, as cell x channels + channel; one that is named
            twice counts twice, and `cells x channels` stands for none.
        target: uint16 [example], the cell of what is meant, counted row by row.
        mentions: int16 [example, mention, 2], by noun phrase in the order of the words, the target's first: the place
            of its last word, the noun, and the cell of the object that it mentions; -1 for both where there is no such
            phrase, or where the dataset does not say which object was put there for it.
        plans: uint8 [action] for every example, the codes of its plan.
        cells, channels: of a grid, see `deixis.worlds.grid._batches`.
    """

    ids: np.ndarray
    words: np.ndarray
    word_count: np.ndarray
    lit: np.ndarray
    target: np.ndarray
    mentions: np.ndarray
    plans: Ragged
    cells: int
    channels: int

    def __len__(self) -> int:
        return len(self.ids)

    def grids(self) -> np.ndarray:
        """Return the grids spelled out, uint8 [example, cell, channel], for looking and for tests."""
        width = self.cells * self.channels
        spelled = np.zeros((len(self), width + 1), np.uint8)
        np.add.at(spelled, (np.arange(len(self))[:, None], self.lit), 1)
        return spelled[:, :width].reshape(len(self), self.cells, self.channels)

    def first(self, count: int) -> PlanArrays:
        """The first examples alone."""
        return self.taking(np.arange(min(count, len(self))))

    def taking(self, rows: np.ndarray) -> PlanArrays:
        """Some examples alone, in the order of their numbers."""
        return PlanArrays(
            ids=self.ids[rows],
            words=self.words[rows],
            word_count=self.word_count[rows],
            lit=self.lit[rows],
            target=self.target[rows],
            mentions=self.mentions[rows],
            plans=self.plans.take(rows),
            cells=self.cells,
            channels=self.channels,
        )


def words_of(dataset: Dataset, split: str) -> tuple[str, ...]:
    """All words of the commands of a split, in alphabetical order."""
    commands: set[str] = set()
    for table in (in_schema(one) for one in dataset.tables(split, columns=["command"], rows=1 << 20)):
        commands.update(table.column("command").unique().to_pylist())
    return tuple(sorted({word for command in commands for word in command.split()}))


def load_plan_arrays(dataset: Dataset, split: str, words: tuple[str, ...], *, channels: int = 17) -> PlanArrays:
    """Return the arrays of a split, mapped from the dataset's folder, and make them first if they are not there.

    Where the folder cannot be written, they are made in memory.
    """
    facts = {"content": dataset.manifest.get("content"), "split": split, "channels": channels, "words": list(words)}
    key = sha256(repr(sorted(facts.items())).encode()).hexdigest()[:16]
    folder = dataset.path / FOLDER / f"{split}-{channels}-{key}"
    with suppress(BrokenDataset):
        return _map_arrays(folder, facts)
    made = plan_arrays(dataset, split, words, channels=channels)
    with suppress(BrokenDataset, OSError):  # a read-only or full disk: memory will do
        folder.parent.mkdir(exist_ok=True)
        arrays = {name: attrgetter(field)(made) for name, field in _FIELDS.items()}
        write_arrays(folder, KIND, arrays, {**facts, "cells": made.cells})
        return _map_arrays(folder, facts)
    return made


_DTYPES = {
    "ids": ("<i8", 1),
    "words": ("<u2", 2),
    "word_count": ("<u2", 1),
    "lit": ("<i4", 2),
    "target": ("<u2", 1),
    "mentions": ("<i2", 3),
    "actions": ("|u1", 1),
    "start": ("<i8", 1),
}
_FIELDS = {name: name for name in _DTYPES} | {"actions": "plans.values", "start": "plans.start"}


def _map_arrays(folder: Path, facts: dict[str, Any]) -> PlanArrays:
    arrays, found = read_arrays(folder, KIND, _DTYPES)
    if {name: found.get(name) for name in facts} != facts:
        raise BrokenDataset(f"{folder} was made from other data")
    plans = Ragged(arrays.pop("actions"), arrays.pop("start"))
    return PlanArrays(**arrays, plans=plans, cells=int(found["cells"]), channels=int(found["channels"]))


def plan_arrays(dataset: Dataset, split: str, words: tuple[str, ...], *, channels: int = 17) -> PlanArrays:
    """The arrays of a split, made from its Parquet files.

    Raises:
        UnknownName: when a command has a word that is not among the given ones.
        BrokenDataset: when a plan or a world is not what the columns promise.
    """
    pieces = [
        _piece(in_schema(table), words, channels) for table in dataset.tables(split, rows=1 << 17, columns=COLUMNS)
    ]
    if not pieces:
        raise BrokenDataset(f"the split {split!r} of {dataset.path.name} has no examples")
    cells = {piece.cells for piece in pieces}
    if len(cells) > 1:
        raise BrokenDataset(f"the split {split!r} mixes grids of {sorted(cells)} cells; a model learns one size")
    return join_arrays(pieces)


def join_arrays(parts: Sequence[PlanArrays]) -> PlanArrays:
    """Join the examples of several arrays, which have the same cells and channels, one after another."""
    cells, channels = parts[0].cells, parts[0].channels
    return PlanArrays(
        ids=np.concatenate([part.ids for part in parts]),
        words=_join([part.words for part in parts], 0),
        word_count=np.concatenate([part.word_count for part in parts]),
        lit=_join([part.lit for part in parts], cells * channels),
        target=np.concatenate([part.target for part in parts]),
        mentions=_join([part.mentions for part in parts], -1),
        plans=Ragged.of_pieces([part.plans for part in parts]),
        cells=cells,
        channels=channels,
    )


def _join(parts: list[np.ndarray], nothing: int) -> np.ndarray:
    """Matrices of different widths below each other."""
    width = max(part.shape[1] for part in parts)
    missing = [((0, 0), (0, width - part.shape[1]), *((0, 0),) * (part.ndim - 2)) for part in parts]
    padded = (np.pad(part, room, constant_values=nothing) for part, room in zip(parts, missing, strict=True))
    return np.concatenate(list(padded))


def _piece(table: pa.Table, words: tuple[str, ...], channels: int) -> PlanArrays:
    numbers, counts = _number_words(table.column("command"), words)
    batch = grid_batch(table)
    agents = np.stack([table.column(f"agent_{name}").to_numpy() for name in ("row", "column", "facing")], axis=1)
    target = _target(table.column("target").to_numpy(), batch.objects, batch.count, batch.size)
    return PlanArrays(
        ids=table.column("id").to_numpy(),
        words=numbers,
        word_count=counts,
        lit=_lit(batch.objects, batch.count, agents, batch.size, channels),
        target=target,
        mentions=_mentions(_nouns(numbers, words), target, table, batch),
        plans=_plans(table),
        cells=batch.size**2,
        channels=channels,
    )


def _number_words(column: pa.ChunkedArray, words: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The words of every command as numbers; each different command is looked at once."""
    encoded = column.combine_chunks().dictionary_encode()
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    known = {word: number for number, word in enumerate(words, start=1)}
    commands = [command.split() for command in encoded.dictionary.to_pylist()]
    table = np.zeros((len(commands), max(map(len, commands), default=0)), np.uint16)
    for row, command in enumerate(commands):
        try:
            table[row, : len(command)] = [known[word] for word in command]
        except KeyError as error:
            raise UnknownName(
                f"the word {error.args[0]!r} of the command {' '.join(command)!r} is not among the {len(words)} words "
                "that the model knows; evaluate it on data with the vocabulary it was trained on"
            ) from None
    which = encoded.indices.to_numpy()
    counts = np.array([len(command) for command in commands], np.uint16)
    return table[which], counts[which]


def _lit(objects: np.ndarray, count: np.ndarray, agents: np.ndarray, size: int, channels: int) -> np.ndarray:
    """The channels of `worlds.grid._batches` that are lit, three for an object and two for the agent."""
    examples, places = objects.shape[:2]
    nowhere = size * size * channels
    shape, color, big, row, column = np.moveaxis(objects.astype(np.int32), 2, 0)
    base = (row * size + column) * channels
    lit = np.stack([base + channel for channel in channels_of(shape, color, big, channels=channels)], axis=2)
    is_there = np.arange(places) < count[:, None]
    lit = np.where(is_there[:, :, None], lit, nowhere).reshape(examples, 3 * places)
    if agents.min(initial=0) < 0 or (agents[:, :2].max(initial=0) >= size) or agents[:, 2].max(initial=0) > 3:
        raise BrokenDataset("a world has no agent on its grid; plans cannot be learnt from it")
    here = (agents[:, 0].astype(np.int32) * size + agents[:, 1]) * channels + channels + AGENT
    return np.concatenate((lit, here[:, None], here[:, None] + 1 + agents[:, 2:3]), axis=1).astype(np.int32)


def _target(target: np.ndarray, objects: np.ndarray, count: np.ndarray, size: int) -> np.ndarray:
    """The cells of the objects that are meant."""
    if (target >= count).any():
        raise BrokenDataset("an example means an object that its world does not have")
    row, column = objects[np.arange(len(objects)), target, 3:5].astype(np.uint16).T
    return row * np.uint16(size) + column


def _nouns(numbers: np.ndarray, words: tuple[str, ...]) -> np.ndarray:
    """Where the nouns stand in every command, int16 [example, noun], -1 after the last; each ends a noun phrase."""
    nouns = {WORDS.top, *WORDS.words[WORDS.slots[-1]]}
    is_noun = np.array([False, *(word in nouns for word in words)])[numbers]
    most = int(is_noun.sum(axis=1).max(initial=0))
    first = np.argsort(~is_noun, axis=1, kind="stable")[:, :most]
    return np.where(np.take_along_axis(is_noun, first, axis=1), first, -1).astype(np.int16)


def _mentions(nouns: np.ndarray, target: np.ndarray, table: pa.Table, batch: GridBatch) -> np.ndarray:
    """The noun of each noun phrase with the cell of what it mentions, from the roles of objects."""
    cells = np.full(nouns.shape, -1, np.int16)
    cells[:, :1] = target[:, None]
    roles = Ragged.of_column(table.column("role"))
    row, place, role = roles.row, roles.place, roles.values
    number = role & (1 << SHIFT) - 1
    is_mention = (role >> SHIFT == KINDS.index("mentioned")) & (number < nouns.shape[1])
    is_mention &= (roles.length == batch.count)[row]  # or else roles are of other objects
    row, place, number = row[is_mention], place[is_mention], number[is_mention]
    cells[row, number] = batch.objects[row, place, 3].astype(np.int16) * batch.size + batch.objects[row, place, 4]
    is_known = (nouns >= 0) & (cells >= 0)
    return np.where(is_known[:, :, None], np.stack((nouns, cells), axis=2), np.int16(-1))


def _plans(table: pa.Table) -> Ragged:
    """The plans as codes."""
    column = table.column("plan").combine_chunks()
    column = column.cast(pa.large_string()) if not pa.types.is_large_string(column.type) else column
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    _, offsets, letters = column.buffers()
    bounds = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    codes = _CODES[np.frombuffer(letters or b"", np.uint8)[bounds[0] : bounds[-1]]]
    if len(codes) and codes.max() == 255:
        raise BrokenDataset("a plan has a letter that is no action; known: L R W P Q S")
    return Ragged(codes, bounds - bounds[0])
