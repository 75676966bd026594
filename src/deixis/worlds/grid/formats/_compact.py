"""The compact form that models were trained on: a JSON object per line with words, actions and the grid as numbers.

    {"input": ["push", "the", ...], "target": ["turn left", ...], "situation": [[[0, 0, ...], ...], ...]}

The grid has the channels of `batches.encode_grids`. It cannot be read back into objects: things in one cell are added.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from deixis.data._split_names import splits_of
from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.grid._batches import encode_grids
from deixis.worlds.grid.actions import plan_from_letters
from deixis.worlds.grid.data.table import grid_batch
from deixis.worlds.grid.formats.vocabulary import command_tokens


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


LONGEST_LINE = 16 << 20
ROWS = 1000  # grids encoded at a time


class CompactExample(NamedTuple):
    """One line of a compact file."""

    input: list[str]
    target: list[str]
    situation: np.ndarray  # uint8 [row, column, channel]


def write_compact(
    tables: Iterable[pa.Table] | pa.Table, path: Path | str, *, split: str | None = None, channels: int = 17
) -> int:
    """Write the examples, or those of one split, one per line, and return their number."""
    from deixis.data.store import replacing_file

    written = 0
    try:
        with replacing_file(Path(path)) as draft, draft.open("w", encoding="utf-8", newline="\n") as file:
            for table in [tables] if isinstance(tables, pa.Table) else tables:
                for line in _lines(table, split, channels):
                    file.write(line + "\n")
                    written += 1
    except OSError as error:
        raise DeixisError(f"{path} cannot be written: {error.strerror or error}") from error
    return written


def read_compact(path: Path | str) -> Iterator[CompactExample]:
    """Yield the lines of a compact file.

    Raises:
        BrokenDataset: naming the line that is none.
    """
    try:
        with Path(path).open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                if line.strip():
                    yield _read_line(line, f"{path}, line {number}")
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error


def agents_of(table: pa.Table) -> np.ndarray:
    """Return the agents of a table as uint8 [row, 3]: row, column, facing."""
    names = ("agent_row", "agent_column", "agent_facing")
    return np.stack([table[name].to_numpy() for name in names], axis=1).astype(np.uint8)


def _lines(table: pa.Table, split: str | None, channels: int) -> Iterator[str]:
    wanted = [split is None or split in splits_of(name) for name in table["split"].to_pylist()]
    chosen = table.filter(pa.array(wanted, pa.bool_()))
    for start in range(0, len(chosen), ROWS):
        some = chosen.slice(start, ROWS)
        try:
            grids = encode_grids(grid_batch(some), agents_of(some), channels=channels)
        except ValueError as error:
            raise BrokenDataset(f"a world cannot be written as numbers: {error}") from error
        columns = (some[name].to_pylist() for name in ("command", "plan"))
        for command, plan, grid in zip(*columns, grids, strict=True):
            actions = [action.words for action in plan_from_letters(plan)]
            fields = {"input": command_tokens(command), "target": actions, "situation": grid.tolist()}
            yield json.dumps(fields)


def _read_line(line: bytes, where: str) -> CompactExample:
    if len(line) >= LONGEST_LINE:
        raise BrokenDataset(f"{where}: a line of more than {LONGEST_LINE:,} bytes is no example")
    try:
        fields: Any = json.loads(line)
        words, actions = fields["input"], fields["target"]
        values = np.array(fields["situation"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BrokenDataset(f"{where} is no example: {str(error).splitlines()[0]}") from error
    is_text = all(isinstance(part, list) and all(isinstance(token, str) for token in part) for part in (words, actions))
    is_grid = values.ndim == 3 and values.dtype.kind == "i" and values.size and values.min() >= 0 and values.max() < 256
    if not (is_text and is_grid):
        raise BrokenDataset(
            f"{where} is no example: input and target are lists of words, situation is a grid of channels"
        )
    return CompactExample(words, actions, values.astype(np.uint8))
