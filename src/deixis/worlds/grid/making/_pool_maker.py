"""Making the examples of a pool: shard after shard, several at a time, until it has the commands it asks for."""

from __future__ import annotations

import json
from collections import deque
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from deixis.data.store import PARTIAL, replacing_file
from deixis.distractors.necessity import count_words
from deixis.errors import UnsatisfiablePattern
from deixis.worlds.grid.making._shards import OUTCOME_NAMES, Shard, make_packed_shard, make_shard, unpack_shard
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from deixis.data._crew import Crew, Progress, Promise
    from deixis.data._resumable import ResumableFolder
    from deixis.language.utterance import Instruction
    from deixis.worlds.grid.making._shards import PackedShard
    from deixis.worlds.grid.making.pool import Pool
    from deixis.worlds.grid.making.recipe import Recipe


ROWS_PER_SHARD, COMMANDS_PER_SHARD = 4_500, 100  # a fraction of a second of work, also where hardly a try succeeds
OUTCOMES = b"outcomes"  # of a kept shard: how the tries for its commands ended, as JSON
PATIENCE = 6  # a pool is given up after so many times as many commands as it asks for


@dataclass
class MadePool:
    """A pool and the examples made for it so far.

    Attributes:
        pool: what was asked for.
        tables: the examples, up to the last command that was asked for.
        outcomes: int64 [outcome], how the tries ended.
        commands, tried, fruitless, short: how many commands have worlds, were tried, have none, have too few.
        repeated: how many examples were left out because there is an equal one.
        by_length: by the number of content words, how many commands were tried, have too few worlds, have none.
    """

    pool: Pool
    tables: list[pa.Table] = field(default_factory=list)
    outcomes: np.ndarray = field(default_factory=lambda: np.zeros(len(OUTCOME_NAMES), np.int64))
    commands: int = 0
    tried: int = 0
    fruitless: int = 0
    short: int = 0
    repeated: int = 0
    by_length: dict[int, list[int]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of examples."""
        return sum(table.num_rows for table in self.tables)

    def take(self, shard: Shard, batch: Sequence[Instruction]) -> None:
        """Add the shard of some commands, up to the last one that the pool asks for."""
        found = shard.outcomes[:, 0]
        fruitful = np.cumsum(found > 0)
        room = self.pool.commands - self.commands
        used = int(np.searchsorted(fruitful, room)) + 1 if fruitful[-1] >= room else len(found)
        found = found[:used]
        self.tables.append(shard.table.slice(0, int(found.sum())))
        self.outcomes += shard.outcomes[:used].sum(axis=0)
        self.commands += int((found > 0).sum())
        self.tried += used
        self.fruitless += int((found == 0).sum())
        self.short += int(((found > 0) & (found < self.pool.worlds)).sum())
        for instruction, worlds in zip(batch, found.tolist(), strict=False):
            counts = self.by_length.setdefault(count_words(instruction.expression, GRID), [0, 0, 0])
            counts[0] += 1
            counts[1] += 0 < worlds < self.pool.worlds
            counts[2] += worlds == 0

    def leave_out(self, known: np.ndarray) -> np.ndarray:
        """Leave out examples that are known or repeated, and return all ids known afterwards, sorted.

        Equal examples come from equal commands: of two pools, or of C2 as it was released.
        """
        ids = np.concatenate([known, *(table["id"].to_numpy() for table in self.tables)])
        unique, first = np.unique(ids, return_index=True)
        if len(unique) < len(ids):
            is_first = np.zeros(len(ids), bool)
            is_first[first] = True
            ends = len(known) + np.cumsum([table.num_rows for table in self.tables])
            masks = np.split(is_first, [len(known), *ends[:-1]])[1:]
            self.tables = [table.filter(mask) for table, mask in zip(self.tables, masks, strict=True)]
            self.repeated = len(ids) - len(unique)
        return unique

    def summary(self) -> dict[str, object]:
        """Summarise the making for the manifest."""
        return {
            "examples": self.rows,
            "commands": self.commands,
            "commands tried": self.tried,
            "commands without any world": self.fruitless,
            "commands with fewer worlds than asked": self.short,
            "by content words": {
                str(words): dict(zip(("tried", "too few worlds", "no world"), counts, strict=True))
                for words, counts in sorted(self.by_length.items())
            },
            "worlds missing": self.pool.commands * self.pool.worlds - self.rows,
            "repeated examples left out": self.repeated,
            "tries": {name: int(n) for name, n in zip(OUTCOME_NAMES, self.outcomes, strict=True) if n},
        }


class _UnderWay(NamedTuple):
    """A shard that is being made: its commands, who takes it in here, and what a crew has promised."""

    batch: tuple[Instruction, ...]
    taken: Future[Shard]
    promise: Promise[PackedShard] | None = None

    def cancel(self) -> None:
        """Nobody needs it any more; whoever waits for the crew need not."""
        self.taken.cancel()
        if self.promise is not None:
            self.promise.cancel()


@dataclass(frozen=True)
class PoolMaker:
    """Maker of pools with several threads, or with a crew elsewhere, whose result does not depend on their number.

    A crew is handed twice as many shards as it can make at a time. What it has made stays with it until one of the
    threads is free to take it in, in the order of the shards, so that memory here does not grow with the crew.
    """

    recipe: Recipe
    folder: ResumableFolder
    threads: Executor
    workers: int
    progress: Progress
    crew: Crew | None = None

    def make(self, pool: Pool, instructions: Iterator[Instruction]) -> MadePool:
        """Make worlds for the first so many commands that have any."""
        made = MadePool(pool)
        total = pool.commands * pool.worlds
        with closing(self._shards(pool, instructions)) as shards:
            for shard, batch in shards:
                made.take(shard, batch)
                self.progress(pool.name, min(made.rows, total), total)
                if made.commands >= pool.commands:
                    break
        if not made.rows:
            raise UnsatisfiablePattern(
                f"no world was found for any of {made.tried} commands of pool {pool.name!r}; "
                "allow more objects (cap), a larger grid, more retries or more training commands"
            )
        self.progress(pool.name, total, total)
        return made

    def _shards(
        self, pool: Pool, instructions: Iterator[Instruction]
    ) -> Generator[tuple[Shard, tuple[Instruction, ...]], None, None]:
        """Shards with their commands in the order of their numbers, several being made at a time."""
        size = max(1, min(ROWS_PER_SHARD // pool.worlds, COMMANDS_PER_SHARD, pool.commands))
        taken = islice(instructions, PATIENCE * pool.commands + 100)
        waiting: deque[_UnderWay] = deque()
        first = 0
        try:
            while True:
                while len(waiting) < self._ahead and (batch := tuple(islice(taken, size))):
                    waiting.append(self._begin(pool, batch, first))
                    first += len(batch)
                if not waiting:
                    return
                made = waiting[0].taken.result()  # not taken away before it is there: all that waits can be cancelled
                yield made, waiting.popleft().batch
        finally:
            for shard in waiting:
                shard.cancel()

    @property
    def _ahead(self) -> int:
        """How many shards are under way."""
        return 2 * (self.workers if self.crew is None else self.crew.size + self.workers)

    def _begin(self, pool: Pool, batch: tuple[Instruction, ...], first: int) -> _UnderWay:
        """The shard of some commands, to be kept under a name that says which; or as it was kept before."""
        name = f"{PARTIAL}/{pool.name}-{first:06d}-{first + len(batch) - 1:06d}.arrow"
        if self.crew is None or name in self.folder.finished:
            return _UnderWay(batch, self.threads.submit(self._make_here, name, pool, batch, first))
        promise = self.crew.submit(make_packed_shard, self.recipe, pool, batch, first)
        return _UnderWay(batch, self.threads.submit(self._take_in, name, promise), promise)

    def _make_here(self, name: str, pool: Pool, batch: tuple[Instruction, ...], first: int) -> Shard:
        kept = self._read_kept(name) if self.folder.find(name) is not None else None
        return kept if kept is not None else self._keep(name, make_shard(self.recipe, pool, batch, first))

    def _take_in(self, name: str, promise: Promise[PackedShard]) -> Shard:
        return self._keep(name, unpack_shard(promise.result()))

    def _read_kept(self, name: str) -> Shard | None:
        """Return a shard that is finished, or None where it is none."""
        try:
            with pa.memory_map(str(self.folder.out / name)) as source:
                table = pa.ipc.open_file(source).read_all()
            outcomes = np.array(json.loads(table.schema.metadata[OUTCOMES]), np.int64)
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
            return None
        return Shard(table.replace_schema_metadata(None), outcomes)

    def _keep(self, name: str, shard: Shard) -> Shard:
        """Keep a shard; returned as read back from disk, so that it need not stay in memory."""
        table = shard.table.replace_schema_metadata({OUTCOMES: json.dumps(shard.outcomes.tolist())})
        with (
            replacing_file(self.folder.out / name) as draft,
            pa.OSFile(str(draft), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)
        self.folder.keep(name, split="", rows=table.num_rows)
        kept = self._read_kept(name)
        return kept if kept is not None else shard
