"""Rows of the table of examples, gathered from a file and handed on some thousand at a time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from deixis.data._ids import ids_of_digests
from deixis.errors import BrokenDataset, DeixisError
from deixis.seeds import GOLDEN_WORD, mix_words
from deixis.worlds.grid.actions import plan_from_words, plan_to_letters
from deixis.worlds.grid.data.table import OBJECT_COLUMNS, SCHEMA


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from deixis.worlds.grid.formats._situation import Situation
    from deixis.worlds.grid.formats._wording import Wording


ROWS = 5000  # rows of one table


class Row(NamedTuple):
    """One example of a file, understood."""

    wording: Wording
    situation: Situation
    plan: str  # words, as in the files
    roles: list[int]
    misreadings: list[int]


def tables_of(
    examples: Iterable[tuple[str, dict[str, Any]]],
    understand: Callable[[dict[str, Any]], Row],
    path: Path,
    *,
    rows: int = ROWS,
    first: int = 0,
) -> Iterator[pa.Table]:
    """Yield the examples of a file as tables of at most `rows` rows.

    Args:
        examples: with the names of their splits.
        understand: reads one.
        path: the file, for errors.
        rows: of a table.
        first: the number that the first example of every split has in the file, for errors.
    """
    columns = no_rows()
    counts: dict[str, int] = {}
    for split, example in examples:
        number = counts[split] = counts.get(split, first - 1) + 1
        with in_example(path, split, number):
            append_row(columns, understand(example), split)
        if len(columns["split"]) >= rows:
            yield table_of_columns(columns)
            columns = no_rows()
    if columns["split"]:
        yield table_of_columns(columns)


@contextmanager
def in_example(path: Path, split: str, number: int) -> Iterator[None]:
    """Say in which example of a file something was found."""
    try:
        yield
    except (DeixisError, ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise BrokenDataset(f"{path}, example {number} of split {split!r}: {error}") from error


def text_field(example: dict[str, Any], name: str) -> str:
    """Return a field that has to hold text."""
    value = example.get(name)
    if not isinstance(value, str):
        raise BrokenDataset(f"it has no text {name!r}")
    return value


def content_digests(columns: dict[str, list[Any]], digests: Iterable[int]) -> np.ndarray:
    """Return the digest of every row as uint64 [row], plainly defined by `worlds.grid.navigate.content_digest`.

    Args:
        columns: the columns of the table, from `grid_size` to the agent.
        digests: the digest of the words of every row.
    """
    starts = np.cumsum([0, *map(len, columns["shape"])])
    packed = np.zeros(starts[-1], np.uint64)
    for name in OBJECT_COLUMNS:
        flat = np.fromiter((code for row in columns[name] for code in row), np.uint64, count=starts[-1])
        packed = packed << np.uint64(8) | flat
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mix_words(packed + GOLDEN_WORD), dtype=np.uint64)])
    world = mix_words(sums[starts[1:]] - sums[starts[:-1]] + GOLDEN_WORD)
    for name in ("grid_size", "agent_row", "agent_column", "agent_facing"):
        world = mix_words((world + GOLDEN_WORD) ^ np.array(columns[name], np.uint64))
    return mix_words((np.array(list(digests), np.uint64) + GOLDEN_WORD) ^ world)


def no_rows() -> dict[str, list[Any]]:
    """Return the columns of a table that is to be filled."""
    return {name: [] for name in (*SCHEMA.names, "digest")}


def append_row(columns: dict[str, list[Any]], row: Row, split: str) -> None:
    """Put one more example behind those in the columns."""
    wording, situation = row.wording, row.situation
    agent_row, agent_column, facing = situation.agent
    values = {
        "digest": wording.digest,
        "command": wording.text,
        "expression": wording.expression,
        "pattern": wording.pattern.name,
        "verb": wording.verb,
        "manner": wording.manner,
        "grid_size": situation.size,
        **{name: [codes[k] for codes in situation.objects] for k, name in enumerate(OBJECT_COLUMNS)},
        "role": row.roles,
        "misreading": row.misreadings,
        "target": situation.target,
        "agent_row": agent_row,
        "agent_column": agent_column,
        "agent_facing": facing,
        "plan": plan_to_letters(plan_from_words(row.plan)),
        "necessary": [],
        "command_number": -1,
        "world_number": -1,
        "split": split,
    }
    for name, value in values.items():
        columns[name].append(value)


def table_of_columns(columns: dict[str, list[Any]]) -> pa.Table:
    """Return the table of the examples that the columns hold."""
    ids = pa.array(ids_of_digests(content_digests(columns, columns["digest"])))
    return pa.table({**{name: columns[name] for name in SCHEMA.names}, "id": ids}, schema=SCHEMA)
