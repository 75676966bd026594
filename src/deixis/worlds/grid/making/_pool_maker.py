"""Making the examples of pools: shard after shard, several at a time, until each has the commands it asks for."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.data._ids import repeated_ids
from deixis.data.store import PARTIAL
from deixis.errors import BrokenDataset, UnsatisfiablePattern
from deixis.worlds.grid.making._kept_shards import (
    KeptRows,
    KeptShard,
    PackedShard,
    keep_shard,
    make_where_seen,
    read_kept,
    unpack_shard,
)
from deixis.worlds.grid.making._shards import OUTCOME_NAMES, make_shard


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor, Future

    from deixis.data._crew import Crew, Progress, Promise
    from deixis.data._resumable import Entry, ResumableFolder, SharedFolder
    from deixis.language.utterance import Instruction
    from deixis.worlds.grid.making._shards import Shard
    from deixis.worlds.grid.making.pool import Pool
    from deixis.worlds.grid.making.recipe import Recipe


ROWS_PER_SHARD, COMMANDS_PER_SHARD = 4_500, 100  # a fraction of a second of work, also where hardly a try succeeds
PATIENCE = 6  # a pool is given up after so many times as many commands as it asks for


@dataclass
class MadePool:
    """A pool and the examples made for it so far.

    Attributes:
        pool: what was asked for.
        rows: the examples, shard by shard, up to the last command that was asked for.
        outcomes: int64 [outcome], how the tries ended.
        commands, tried, fruitless, short: how many commands have worlds, were tried, have none, have too few.
        repeated: how many examples were left out because there is an equal one.
        by_length: by the number of content words, how many commands were tried, have too few worlds, have none.
    """

    pool: Pool
    rows: list[KeptRows] = field(default_factory=list)
    outcomes: np.ndarray = field(default_factory=lambda: np.zeros(len(OUTCOME_NAMES), np.int64))
    commands: int = 0
    tried: int = 0
    fruitless: int = 0
    short: int = 0
    repeated: int = 0
    by_length: dict[int, list[int]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Number of examples."""
        return sum(map(len, self.rows))

    def take(self, shard: KeptShard) -> int:
        """Add a shard, up to the last command that the pool asks for, and return how many examples that are."""
        found = shard.outcomes[:, 0]
        fruitful = np.cumsum(found > 0)
        room = self.pool.commands - self.commands
        used = int(np.searchsorted(fruitful, room)) + 1 if fruitful[-1] >= room else len(found)
        found = found[:used]
        self.rows.append(shard.rows.only(slice(0, int(found.sum()))))
        self.outcomes += shard.outcomes[:used].sum(axis=0)
        self.commands += int((found > 0).sum())
        self.tried += used
        self.fruitless += int((found == 0).sum())
        self.short += int(((found > 0) & (found < self.pool.worlds)).sum())
        for words, worlds in zip(shard.words, found.tolist(), strict=False):
            counts = self.by_length.setdefault(words, [0, 0, 0])
            counts[0] += 1
            counts[1] += 0 < worlds < self.pool.worlds
            counts[2] += worlds == 0
        return len(self.rows[-1])

    def leave_out(self, known: Sequence[KeptRows]) -> None:
        """Leave out examples that are known or repeated.

        Equal examples come from equal commands: of two pools, or of C2 as it was released.
        """
        repeated = repeated_ids([rows.ids for rows in (*known, *self.rows)])
        if not len(repeated):
            return
        seen = {number for rows in known for number in rows.ids[np.isin(rows.ids, repeated)].tolist()}
        for place, rows in enumerate(self.rows):
            is_new = np.ones(len(rows), bool)
            for row in np.flatnonzero(np.isin(rows.ids, repeated)).tolist():
                is_new[row] = (number := int(rows.ids[row])) not in seen
                seen.add(number)
            if not is_new.all():
                self.rows[place] = rows.only(is_new)
                self.repeated += int((~is_new).sum())

    def summary(self) -> dict[str, object]:
        """Summarise the making for the manifest."""
        return {
            "examples": self.count,
            "commands": self.commands,
            "commands tried": self.tried,
            "commands without any world": self.fruitless,
            "commands with fewer worlds than asked": self.short,
            "by content words": {
                str(words): dict(zip(("tried", "too few worlds", "no world"), counts, strict=True))
                for words, counts in sorted(self.by_length.items())
            },
            "worlds missing": self.pool.commands * self.pool.worlds - self.count,
            "repeated examples left out": self.repeated,
            "tries": {name: int(n) for name, n in zip(OUTCOME_NAMES, self.outcomes, strict=True) if n},
        }


class _UnderWay(NamedTuple):
    """A shard that is being made: its commands, who takes it in here, and what a crew has promised."""

    commands: int
    taken: Future[KeptShard]
    promise: Promise[Entry | PackedShard] | None = None

    def cancel(self) -> None:
        """Nobody needs it any more; whoever waits for the crew need not."""
        self.taken.cancel()
        if self.promise is not None:
            self.promise.cancel()


class _Making:
    """A pool on the way: what is made of it, what is under way, and the commands that come next."""

    def __init__(self, pool: Pool, instructions: Iterator[Instruction]) -> None:
        self.made = MadePool(pool)
        self.size = max(1, min(ROWS_PER_SHARD // pool.worlds, COMMANDS_PER_SHARD, pool.commands))
        self.waiting: deque[_UnderWay] = deque()
        self.first = 0
        self._commands = islice(instructions, PATIENCE * pool.commands + 100)

    @property
    def is_enough(self) -> bool:
        """Whether what is made and, at the rate so far, what is under way will do, with a shard to spare."""
        rate = (self.made.commands + 1) / (self.made.tried + 1)
        expected = rate * (sum(shard.commands for shard in self.waiting) - self.size)
        return bool(self.waiting) and self.made.commands + expected >= self.made.pool.commands

    def next_batch(self) -> tuple[Instruction, ...]:
        """The commands of the next shard, none where there are no more."""
        return tuple(islice(self._commands, self.size))

    def cancel(self) -> None:
        """Nobody needs what is still under way."""
        for shard in self.waiting:
            shard.cancel()


@dataclass(frozen=True)
class PoolMaker:
    """Maker of pools with several threads, or with a crew elsewhere, whose result does not depend on their number.

    Twice as many shards are under way as can be made at a time: of one pool, and where those will do for it, of the
    next. A worker that sees the folder keeps what it has made there and returns the entry of the file; what others
    have made stays with them until one of the threads here is free to keep it, in the order of the shards.
    """

    recipe: Recipe
    folder: ResumableFolder
    threads: Executor
    workers: int
    progress: Progress
    crew: Crew | None = None
    shared: SharedFolder | None = None

    def make(self, pools: Sequence[tuple[Pool, Iterator[Instruction]]]) -> list[MadePool]:
        """Make worlds for the first so many commands of each pool that have any."""
        makings = [_Making(pool, instructions) for pool, instructions in pools]
        try:
            for number, making in enumerate(makings):
                self._make_one(making, makings[number:])
        finally:
            for making in makings:
                making.cancel()
        return [making.made for making in makings]

    def _make_one(self, making: _Making, rest: Sequence[_Making]) -> None:
        """Make a pool, and begin those that come after it."""
        made, pool = making.made, making.made.pool
        count, total = 0, pool.commands * pool.worlds
        while made.commands < pool.commands:
            self._hand_out(rest)
            if not making.waiting:
                break
            shard = making.waiting[0].taken.result()  # not taken away before it is there: all that waits is cancelled
            making.waiting.popleft()
            count += made.take(shard)
            self.progress(pool.name, min(count, total), total)
        making.cancel()
        making.waiting.clear()
        if not count:
            raise UnsatisfiablePattern(
                f"no world was found for any of {made.tried} commands of pool {pool.name!r}; "
                "allow more objects (cap), a larger grid, more retries or more training commands"
            )
        self.progress(pool.name, total, total)

    def _hand_out(self, makings: Sequence[_Making]) -> None:
        """Begin as many shards as may be under way."""
        room = self._ahead - sum(len(making.waiting) for making in makings)
        for making in makings:
            while room > 0 and not making.is_enough and (batch := making.next_batch()):
                making.waiting.append(self._begin(making.made.pool, batch, making.first))
                making.first += len(batch)
                room -= 1

    @property
    def _ahead(self) -> int:
        """How many shards are under way."""
        return 2 * (self.workers if self.crew is None else self.crew.size + self.workers)

    def _begin(self, pool: Pool, batch: tuple[Instruction, ...], first: int) -> _UnderWay:
        """The shard of some commands, to be kept under a name that says which; or as it was kept before."""
        name = f"{PARTIAL}/{pool.name}-{first:06d}-{first + len(batch) - 1:06d}.arrow"
        if self.crew is None or name in self.folder.finished:
            return _UnderWay(len(batch), self.threads.submit(self._make_here, name, pool, batch, first))
        promise = self.crew.submit(make_where_seen, self.shared, name, self.recipe, pool, batch, first)
        return _UnderWay(len(batch), self.threads.submit(self._take_in, promise, name, pool, batch, first), promise)

    def _make_here(self, name: str, pool: Pool, batch: tuple[Instruction, ...], first: int) -> KeptShard:
        kept = read_kept(self.folder.out, name, batch, first) if self.folder.find(name) is not None else None
        return kept if kept is not None else self._keep(name, make_shard(self.recipe, pool, batch, first), batch, first)

    def _take_in(
        self,
        promise: Promise[Entry | PackedShard],
        name: str,
        pool: Pool,
        batch: tuple[Instruction, ...],
        first: int,
    ) -> KeptShard:
        made = promise.result()
        if isinstance(made, PackedShard):
            return self._keep(name, unpack_shard(made), batch, first)
        kept = read_kept(self.folder.out, name, batch, first)
        if kept is None:  # a network file system shows some files late
            return self._make_here(name, pool, batch, first)
        self.folder.note(made)
        return kept

    def _keep(self, name: str, shard: Shard, batch: tuple[Instruction, ...], first: int) -> KeptShard:
        """Keep a shard, and return it as read back from disk, so that it need not stay in memory."""
        self.folder.note(keep_shard(self.folder.out, name, shard, batch))
        kept = read_kept(self.folder.out, name, batch, first)
        if kept is None:
            raise BrokenDataset(f"{self.folder.out / name} cannot be read back; is the disk full or damaged?")
        return kept
