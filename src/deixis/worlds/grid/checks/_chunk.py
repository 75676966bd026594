"""Some thousand rows as arrays, with what several checks ask about them worked out once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from deixis.data._ragged import Ragged
from deixis.worlds.grid.actions import LETTERS
from deixis.worlds.grid.data._commands import number_texts
from deixis.worlds.grid.data.table import OBJECT_COLUMNS
from deixis.worlds.grid.scene import COLORS, MAX_GRID, MAX_OBJECTS, SHAPES, SIZES, Agent, Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.schema import Reading
    from deixis.worlds.grid.checks._judge import Judge
    from deixis.worlds.grid.checks._splits import HoldOut
    from deixis.worlds.grid.data._commands import Command, Commands, Meaning


NO_ACTION = 255  # a letter that stands for none; it is never the planner's, and does nothing when carried out


class Chunk:
    """Rows whose columns can be read, as arrays.

    Whatever needs a sound world or a readable command is worked out only for the rows that have them.

    Shapes:
        number: int64 [row], the number of each row in the table it was cut from.
        objects: uint8 [row, place, 5]; count, size, target: int64 [row]; agent: uint8 [row, 3].
        which: int64 [row], numbers of `commands`.
    """

    def __init__(
        self,
        table: pa.Table,
        number: np.ndarray,
        *,
        judge: Judge,
        commands: Commands,
        rules: Sequence[HoldOut] = (),
        promises_every_word: bool = False,
    ) -> None:
        self.table = table
        self.number = number
        self.judge = judge
        self.rules = rules
        self.promises_every_word = promises_every_word
        self.which, self.commands = commands.of_table(table)
        self.split, self.split_names = number_texts(table["split"])

    def __len__(self) -> int:
        return len(self.number)

    # ---------------------------------------------------------------------------- columns

    @cached_property
    def id(self) -> np.ndarray:
        """int64 [row]: the recorded ids."""
        return self.table["id"].to_numpy()

    @cached_property
    def codes(self) -> Ragged:
        """The objects of all rows: uint8 [object, 5]."""
        columns = [Ragged.of_column(self.table[name]) for name in OBJECT_COLUMNS]
        return Ragged(np.stack([column.values for column in columns], axis=1), columns[0].start)

    @cached_property
    def objects(self) -> np.ndarray:
        """The objects, up to the number that a set can hold."""
        width = min(max(int(self.count.max(initial=1)), 1), MAX_OBJECTS)
        return self.codes.pad(width)

    @property
    def count(self) -> np.ndarray:
        """Number of objects."""
        return self.codes.length

    @cached_property
    def size(self) -> np.ndarray:
        """The sizes of the grids."""
        return self.table["grid_size"].to_numpy().astype(np.int64)

    @cached_property
    def target(self) -> np.ndarray:
        """The recorded targets."""
        return self.table["target"].to_numpy().astype(np.int64)

    @cached_property
    def agent(self) -> np.ndarray:
        """Row, column and facing of the agents."""
        names = ("agent_row", "agent_column", "agent_facing")
        return np.stack([self.table[name].to_numpy() for name in names], axis=1)

    @cached_property
    def plan(self) -> Ragged:
        """The recorded plans as codes of actions."""
        codes = np.full(256, NO_ACTION, np.uint8)
        codes[np.frombuffer(LETTERS.encode(), np.uint8)] = np.arange(len(LETTERS))
        letters = Ragged.of_column(_bytes_as_lists(self.table["plan"]))
        return Ragged(codes[letters.values], letters.start)

    @cached_property
    def role(self) -> Ragged:
        """The recorded roles."""
        return Ragged.of_column(self.table["role"])

    @cached_property
    def misreading(self) -> Ragged:
        """The recorded misreadings."""
        return Ragged.of_column(self.table["misreading"])

    @cached_property
    def necessary(self) -> Ragged:
        """The recorded necessity of every part."""
        return Ragged.of_column(self.table["necessary"])

    def recorded_faults(self, name: str) -> np.ndarray:
        """Return the faults of the fields of a released example as text, empty elsewhere: object [row]."""
        if name not in self.table.column_names:
            return np.full(len(self), "", object)
        return self.table[name].to_numpy()

    # ---------------------------------------------------------------------------- which rows can be judged

    @cached_property
    def is_sound(self) -> np.ndarray:
        """bool [row]: every code is known and lies on the grid, so that the world can be taken as one."""
        codes, size = self.codes.values, self.size[self.codes.row]
        fine = (
            (codes[:, 0] < len(SHAPES)) & (codes[:, 1] < len(COLORS)) & (codes[:, 2] >= 1) & (codes[:, 2] <= len(SIZES))
        )
        fine &= (codes[:, 3] < size) & (codes[:, 4] < size)
        strange = np.bincount(self.codes.row[~fine], minlength=len(self)) > 0
        agent = (self.agent[:, :2] < self.size[:, None]).all(axis=1) & (self.agent[:, 2] < len(Facing))
        return ~strange & agent & (self.size >= 2) & (self.size <= MAX_GRID) & (self.count <= MAX_OBJECTS)

    @cached_property
    def is_read(self) -> np.ndarray:
        """bool [row]: the command has a meaning."""
        return self.of_command([command.is_read for command in self.commands], bool)

    @cached_property
    def is_judged(self) -> np.ndarray:
        """bool [row]: the command can be resolved in the world."""
        return self.is_sound & self.is_read

    @cached_property
    def has_target(self) -> np.ndarray:
        """bool [row]: the recorded target is one of the objects."""
        return self.target < self.count

    @cached_property
    def points(self) -> np.ndarray:
        """bool [row]: the command picks out the recorded target and nothing else."""
        return self.is_judged & self.has_target & (self.referents == self.target_bit)

    # ---------------------------------------------------------------------------- what is worked out

    @cached_property
    def digest(self) -> np.ndarray:
        """Digest of the content of the row, 0 where the world is not sound: uint64 [row]."""
        out = np.zeros(len(self), np.uint64)
        rows = np.flatnonzero(self.is_sound)
        out[rows] = self.judge.digests(self, rows)
        return out

    @cached_property
    def referents(self) -> np.ndarray:
        """Referents of the command, no object where it cannot be judged: uint64 [row]."""
        return self._referents(None)

    @cached_property
    def superlative_referents(self) -> np.ndarray:
        """uint64 [row]: what it picks out when size words mean the smallest and the biggest."""
        return self._referents("superlative")

    @cached_property
    def target_bit(self) -> np.ndarray:
        """uint64 [row]: the set that holds the recorded target alone."""
        return np.uint64(1) << np.minimum(self.target, MAX_OBJECTS - 1).astype(np.uint64)

    @cached_property
    def needed(self) -> np.ndarray:
        """int8 [row, part]: 1 where the target cannot be found without the part, 0 where it can.

        It is -1 where the row has no such part, or where the command does not point at the target anyway.
        """
        most = max((len(command.parts) for command in self.commands if command.is_read), default=0)
        out = np.full((len(self), most), -1, np.int8)
        rows = np.flatnonzero(self.points)
        for place in range(most):
            shorter = [c.shorter[place] if c.is_read and len(c.parts) > place else None for c in self.commands]
            some, found = self.resolve(shorter, rows)
            out[some, place] = found != self.target_bit[some]
        return out

    @cached_property
    def is_planned(self) -> np.ndarray:
        """bool [row]: it makes sense to ask for the plan."""
        return self.is_judged & self.has_target

    def tally_parts(self) -> dict[str, tuple[int, int]]:
        """Count for each kind of part how often it is needed and how often it occurs, without implied words."""
        names = tuple(dict.fromkeys(kind for command in self.commands for kind in command.kinds if kind))
        numbers = {"": -1, **{name: number for number, name in enumerate(names)}}
        kinds = np.full((len(self.commands), self.needed.shape[1]), -1, np.int64)
        for row, command in zip(kinds, self.commands, strict=True):
            row[: len(command.kinds)] = [numbers[kind] for kind in command.kinds]
        spread = kinds[self.which]
        needed = np.bincount(spread[(self.needed == 1) & (spread >= 0)], minlength=len(names)).tolist()
        total = np.bincount(spread[(self.needed >= 0) & (spread >= 0)], minlength=len(names)).tolist()
        return dict(zip(names, zip(needed, total, strict=True), strict=True))

    def resolve(
        self, meanings: Sequence[Meaning | None], rows: np.ndarray, *, reading: Reading | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Resolve one meaning per command: (the rows whose command has one, their referents).

        Shapes:
            meanings: [command]; rows: int64 [row]. Returns int64 [some], uint64 [some].
        """
        has = np.array([meaning is not None for meaning in meanings], bool)
        some = rows[has[self.which[rows]]]
        numbers = np.cumsum(has) - 1
        asked = [meaning for meaning in meanings if meaning is not None]
        return some, self.judge.resolve(self, some, asked, numbers[self.which[some]], reading=reading)

    def of_command(self, values: Sequence[object], dtype: type) -> np.ndarray:
        """Return one value per command, spread over the rows."""
        return np.array(values, dtype)[self.which]

    def command(self, row: int) -> Command:
        """Return the command of a row."""
        return self.commands[self.which[row]]

    def split_of(self, row: int) -> str:
        """Return the split of a row."""
        return self.split_names[self.split[row]]

    def scene(self, row: int) -> GridScene:
        """Return the world of a row, which must be sound, as a scene."""
        things = tuple(GridObject.from_codes(*(int(code) for code in codes)) for codes in self.codes[row])
        where, column, facing = (int(code) for code in self.agent[row])
        return GridScene(things, size=int(self.size[row]), agent=Agent(where, column, Facing(facing)))

    def _referents(self, reading: Reading | None) -> np.ndarray:
        out = np.zeros(len(self), np.uint64)
        whole = [command.meaning if command.is_read else None for command in self.commands]
        some, found = self.resolve(whole, np.flatnonzero(self.is_judged), reading=reading)
        out[some] = found
        return out


def _bytes_as_lists(column: pa.ChunkedArray) -> pa.Array:
    """Return a column of strings as lists of bytes, without copying."""
    array = column.combine_chunks()
    _, offsets, letters = array.buffers()
    start = (
        np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
        if offsets
        else np.zeros(1, np.int32)
    )
    values = np.frombuffer(letters, np.uint8) if letters else np.zeros(0, np.uint8)
    return pa.ListArray.from_arrays(pa.array(start), pa.array(values))
