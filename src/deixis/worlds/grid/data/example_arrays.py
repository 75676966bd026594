"""The examples of a dataset as the arrays that plans are judged with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.data._ragged import Ragged
from deixis.errors import BrokenDataset
from deixis.worlds.grid.checks._chunk import Chunk
from deixis.worlds.grid.checks._content import readable
from deixis.worlds.grid.checks._judge import CompiledJudge
from deixis.worlds.grid.checks._registry import CHECKS
from deixis.worlds.grid.data._commands import StoredCommands
from deixis.worlds.grid.judging.verdicts import NO_ROLE, ExampleArrays


if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from deixis.worlds.grid.data._commands import Commands
    from deixis.worlds.grid.data.sources import Source


__all__ = ["data_digest", "example_arrays", "example_arrays_by_split"]

HINT = "`deixis check` tells more"


def example_arrays_by_split(source: Source, splits: Iterable[str]) -> dict[str, ExampleArrays]:
    """The examples of some splits of a dataset, each in its order.

    Raises:
        BrokenDataset: when an example cannot be read, or has no agent or no target.
    """
    commands = StoredCommands()
    return {split: example_arrays(source.tables(split), commands=commands, name=split) for split in splits}


def example_arrays(
    tables: Iterable[pa.Table], *, commands: Commands | None = None, name: str = "the table"
) -> ExampleArrays:
    """The examples of some tables in the columns of `worlds.grid.data.table`, one after the other.

    Args:
        tables: at least one of them must hold an example.
        commands: texts that were read before, so that none is read twice.
        name: what complaints call the tables.
    """
    known = commands or StoredCommands()
    chunks = [_chunk(table, known, name) for table in tables if table.num_rows]
    if not chunks:
        raise BrokenDataset(f"{name} holds no examples to judge plans by")
    texts = list(dict.fromkeys(command.text for chunk in chunks for command in chunk.commands))
    number = {text: place for place, text in enumerate(texts)}
    width = max(chunk.objects.shape[1] for chunk in chunks)
    return ExampleArrays(
        ids=np.concatenate([chunk.id for chunk in chunks]),
        objects=np.concatenate([_widen(chunk.objects, width, 0) for chunk in chunks]),
        count=np.concatenate([chunk.count for chunk in chunks]),
        size=np.concatenate([chunk.size for chunk in chunks]),
        target=np.concatenate([chunk.target for chunk in chunks]),
        agent=np.concatenate([chunk.agent for chunk in chunks]),
        plans=Ragged.of_pieces([chunk.plan for chunk in chunks]),
        roles=np.concatenate([_widen(_roles(chunk), width, NO_ROLE) for chunk in chunks]),
        which=np.concatenate(
            [chunk.of_command([number[command.text] for command in chunk.commands], np.int64) for chunk in chunks]
        ),
        commands=tuple(known[text] for text in texts),
    )


def data_digest(source: Source) -> str:
    """Return the digest of the content of a dataset from its manifest, or an empty text without a manifest."""
    return "" if source.dataset is None else source.dataset.digest


def _chunk(table: pa.Table, commands: Commands, name: str) -> Chunk:
    if problem := CHECKS["E001"].find(table):
        raise BrokenDataset(problem)
    try:
        rows, numbers, reasons = readable(table)
    except (ValueError, NotImplementedError) as error:  # what pyarrow raises on columns of another kind
        reason = str(error).partition("\n")[0]
        raise BrokenDataset(f"a column of {name} holds something else than it should: {reason}") from error
    if reasons:
        raise BrokenDataset(f"an example of {name} cannot be read: {next(iter(reasons.values()))}; {HINT}")
    chunk = Chunk(rows, numbers, judge=CompiledJudge(), commands=commands)
    unfit = np.flatnonzero(~(chunk.is_sound & chunk.has_target))
    if len(unfit):
        raise BrokenDataset(
            f"example {chunk.id[unfit[0]]} of {name} has an impossible world, no agent or no target; {HINT}"
        )
    return chunk


def _roles(chunk: Chunk) -> np.ndarray:
    """uint8 [row, place]: the recorded roles; `NO_ROLE` in rows that do not have one for every object."""
    fits = chunk.role.length == chunk.count
    padded = chunk.role.pad(chunk.objects.shape[1])
    return np.where(fits[:, None], padded, np.uint8(NO_ROLE)).astype(np.uint8)


def _widen(values: np.ndarray, width: int, filler: int) -> np.ndarray:
    """Room for more places."""
    missing = ((0, 0), (0, width - values.shape[1]), *((0, 0),) * (values.ndim - 2))
    return np.pad(values, missing, constant_values=filler)
