"""Two backends for the checks: compiled loops for many rows at once, and the plain definitions one row at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from deixis.resolution.reference import denotation
from deixis.worlds.grid.actions import Action, plan_to_codes
from deixis.worlds.grid.navigate import content_digest
from deixis.worlds.grid.plan import plan
from deixis.worlds.grid.resolution import resolve_pairs
from deixis.worlds.grid.scene import GridBatch
from deixis.worlds.grid.simulate import reaches


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.schema import Reading
    from deixis.worlds.grid.checks._chunk import Chunk
    from deixis.worlds.grid.data._commands import Meaning


class Judge(Protocol):
    """The questions that checks ask of rows with sound worlds, and with a target where plans are judged."""

    def resolve(
        self,
        chunk: Chunk,
        rows: np.ndarray,
        meanings: Sequence[Meaning],
        which: np.ndarray,
        *,
        reading: Reading | None = None,
    ) -> np.ndarray:
        """Return uint64 [row]: what each row's meaning, `meanings[which]`, picks out."""

    def digests(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Return uint64 [row]: the content of each row."""

    def agreements(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Return bool [row]: the recorded plan is the planner's."""

    def arrivals(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Return bool [row]: the recorded plan, carried out, reaches the target."""


class CompiledJudge:
    """The fast backend of compiled loops.

    Args:
        reading: how size words are read where a check does not say, if not as the grid schema says.
    """

    def __init__(self, reading: Reading | None = None) -> None:
        self.reading = reading

    def resolve(
        self,
        chunk: Chunk,
        rows: np.ndarray,
        meanings: Sequence[Meaning],
        which: np.ndarray,
        *,
        reading: Reading | None = None,
    ) -> np.ndarray:
        """Resolve by `worlds.grid.resolution`."""
        out = np.zeros(len(rows), np.uint64)
        programs = [meaning.program for meaning in meanings]
        for size, some in _by_size(chunk, rows):
            objects = chunk.objects[rows[some]]
            batch = GridBatch(objects=objects, count=chunk.count[rows[some]].astype(np.uint8), size=size)
            out[some] = resolve_pairs(programs, batch, which[some], reading=reading or self.reading)[:, 0]
        return out

    def digests(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Compute digests by `worlds.grid._kernels.digest`."""
        from deixis.worlds.grid._kernels.digest import digest_examples

        out = np.empty(len(rows), np.uint64)
        things = chunk.codes.take(rows)
        texts = chunk.of_command([command.digest for command in chunk.commands], np.uint64)[rows]
        digest_examples(things.values, things.start, chunk.size[rows], chunk.agent[rows], texts, out)
        return out

    def agreements(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Compare plans by `worlds.grid._kernels.checks`."""
        from deixis.worlds.grid._kernels.checks import plans_agree

        out = np.zeros(len(rows), bool)
        codes = np.array([c.codes if c.is_read else (0, 0) for c in chunk.commands], np.int64)[chunk.which]
        for size, some in _by_size(chunk, rows):
            plans, these, found = chunk.plan.take(rows[some]), rows[some], np.empty(len(some), bool)
            verbs, manners = np.ascontiguousarray(codes[these, 0]), np.ascontiguousarray(codes[these, 1])
            world = chunk.objects[these], chunk.count[these], size, chunk.agent[these], chunk.target[these]
            plans_agree(*world, verbs, manners, plans.values, plans.start, found)
            out[some] = found
        return out

    def arrivals(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Compare end states by `worlds.grid._kernels.checks`."""
        from deixis.worlds.grid._kernels.checks import plans_reach

        out = np.zeros(len(rows), bool)
        for size, some in _by_size(chunk, rows):
            plans, these, found = chunk.plan.take(rows[some]), rows[some], np.empty(len(some), bool)
            world = chunk.objects[these], chunk.count[these], size, chunk.agent[these], chunk.target[these]
            plans_reach(*world, plans.values, plans.start, found)
            out[some] = found
        return out


class PlainJudge:
    """The definitions themselves, one row at a time, with the arguments of `CompiledJudge`."""

    def __init__(self, reading: Reading | None = None) -> None:
        self.reading = reading

    def resolve(
        self,
        chunk: Chunk,
        rows: np.ndarray,
        meanings: Sequence[Meaning],
        which: np.ndarray,
        *,
        reading: Reading | None = None,
    ) -> np.ndarray:
        """Resolve by `resolution.reference`."""
        told = reading or self.reading
        found = (
            sum(1 << index for index in denotation(meanings[number].expression, chunk.scene(int(row)), reading=told))
            for row, number in zip(rows, which, strict=True)
        )
        return np.fromiter(found, np.uint64, len(rows))

    def digests(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Compute digests by `worlds.grid.navigate.content_digest`."""
        found = (content_digest(chunk.command(row).text, chunk.scene(row)) for row in rows.tolist())
        return np.fromiter(found, np.uint64, len(rows))

    def agreements(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Compare plans by `worlds.grid.plan`."""
        return np.fromiter((self._agrees(chunk, row) for row in rows.tolist()), bool, len(rows))

    def arrivals(self, chunk: Chunk, rows: np.ndarray) -> np.ndarray:
        """Compare end states by `worlds.grid.simulate`."""
        return np.fromiter((self._arrives(chunk, row) for row in rows.tolist()), bool, len(rows))

    def _agrees(self, chunk: Chunk, row: int) -> bool:
        command = chunk.command(row)
        made = plan(chunk.scene(row), int(chunk.target[row]), command.verb, command.manner)
        return np.array_equal(plan_to_codes(made), chunk.plan[row])

    def _arrives(self, chunk: Chunk, row: int) -> bool:
        known = tuple(Action(code) for code in chunk.plan[row].tolist() if code < len(Action))
        return reaches(chunk.scene(row), known, target=int(chunk.target[row]))


def _by_size(chunk: Chunk, rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the places among the rows that share a size of grid."""
    sizes = chunk.size[rows]
    for size in np.unique(sizes):
        yield int(size), np.flatnonzero(sizes == size)
