"""Examples as columns: the one table that makers write, checks read and formats convert.

| column                                   | type          | meaning |
|------------------------------------------|---------------|---------|
| id                                       | uint64        | digest of the words and the world, whatever the order of its objects |
| command                                  | string        | the words, separated by spaces |
| pattern, verb, manner                    | string        | p1, p2, …; walk, push, pull; e.g. `while spinning`, or empty |
| grid_size                                | uint8         | cells along one side |
| shape, color, size, row, column          | list of uint8 | the objects: circle 0, cylinder 1, square 2, box 3; red 0, blue 1, green 2, yellow 3; sizes 1 to 4; cells from 0 |
| role                                     | list of uint8 | why each object is there, see `worlds.grid.roles`; empty where unknown |
| misreading                               | list of uint16| the misreading that each distractor set punishes |
| target                                   | uint8         | the number of the object that is meant |
| agent_row, agent_column, agent_facing    | uint8         | the agent; east 0, south 1, west 2, north 3 |
| plan                                     | string        | one letter per action: L, R turn, W walk, P push, Q pull, S stay |
| necessary                                | list of bool  | for every part of the expression, in the order of `parts`: is it needed; empty where unknown |
| command_number, world_number             | int32         | provenance: which command of the recipe, which of its worlds; -1 where unknown |
| split                                    | string        | train, dev, test, a held-out set, several joined by +, or aside |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from deixis.errors import BrokenDataset, DeixisError
from deixis.expression.parts import parts
from deixis.scene.grid import Agent, Facing, GridBatch, GridObject, GridScene
from deixis.tasks.navigate import Example
from deixis.worlds.grid.actions import plan_from_letters, plan_to_letters
from deixis.worlds.grid.roles import decode_role, encode_role


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


__all__ = ["SCHEMA", "example_at", "examples_of", "grid_batch", "ragged", "rows_of", "table_of"]

OBJECT_COLUMNS = ("shape", "color", "size", "row", "column")

SCHEMA = pa.schema(
    [
        ("id", pa.uint64()),
        ("command", pa.string()),
        ("pattern", pa.string()),
        ("verb", pa.string()),
        ("manner", pa.string()),
        ("grid_size", pa.uint8()),
        *[(name, pa.list_(pa.uint8())) for name in OBJECT_COLUMNS],
        ("role", pa.list_(pa.uint8())),
        ("misreading", pa.list_(pa.uint16())),
        ("target", pa.uint8()),
        ("agent_row", pa.uint8()),
        ("agent_column", pa.uint8()),
        ("agent_facing", pa.uint8()),
        ("plan", pa.string()),
        ("necessary", pa.list_(pa.bool_())),
        ("command_number", pa.int32()),
        ("world_number", pa.int32()),
        ("split", pa.string()),
    ]
)


def table_of(examples: Iterable[Example], *, with_necessity: bool = False) -> pa.Table:
    """The examples as a table.

    Args:
        examples: examples whose commands can be read.
        with_necessity: also work out which parts are needed, by the plain definition (slow).
    """
    columns: dict[str, list[object]] = {name: [] for name in SCHEMA.names}
    for example in examples:
        for name, value in _row_of(example, with_necessity=with_necessity).items():
            columns[name].append(value)
    return pa.table(columns, schema=SCHEMA)


def _row_of(example: Example, *, with_necessity: bool) -> dict[str, object]:
    agent = example.scene.agent or Agent(0, 0)
    codes = [thing.codes() for thing in example.scene.objects]
    return {
        "id": example.id,
        "command": example.text,
        "pattern": example.pattern,
        "verb": str(example.verb),
        "manner": str(example.manner),
        "grid_size": example.scene.size,
        **{name: [row[k] for row in codes] for k, name in enumerate(OBJECT_COLUMNS)},
        "role": [encode_role(role) for role in example.roles],
        "misreading": list(example.misreadings),
        "target": example.target,
        "agent_row": agent.row,
        "agent_column": agent.column,
        "agent_facing": int(agent.facing),
        "plan": plan_to_letters(example.plan),
        "necessary": list(example.necessity().values()) if with_necessity else [],
        "command_number": example.command_number,
        "world_number": example.world_number,
        "split": example.split,
    }


def rows_of(table: pa.Table) -> Iterator[dict[str, object]]:
    """The rows as plain dictionaries."""
    for batch in table.to_batches(max_chunksize=4096):
        yield from batch.to_pylist()


def examples_of(table: pa.Table) -> Iterator[Example]:
    """The examples of a table, in order."""
    for row in rows_of(table):
        yield _example_from(row)


def example_at(table: pa.Table, number: int) -> Example:
    """One example of a table."""
    return _example_from(table.slice(number, 1).to_pylist()[0])


def _example_from(row: dict[str, object]) -> Example:
    try:
        things = zip(*(row[name] for name in OBJECT_COLUMNS), strict=True)  # type: ignore[misc]
        scene = GridScene(
            tuple(GridObject.from_codes(*codes) for codes in things),
            size=int(row["grid_size"]),  # type: ignore[call-overload]
            agent=Agent(row["agent_row"], row["agent_column"], Facing(row["agent_facing"])),  # type: ignore[arg-type]
        )
        return Example(
            text=str(row["command"]),
            scene=scene,
            target=int(row["target"]),  # type: ignore[call-overload]
            plan=plan_from_letters(str(row["plan"])),
            roles=tuple(decode_role(code) for code in row["role"]),  # type: ignore[attr-defined]
            misreadings=tuple(row["misreading"]),  # type: ignore[arg-type]
            split=str(row["split"]),
            command_number=int(row["command_number"]),  # type: ignore[call-overload]
            world_number=int(row["world_number"]),  # type: ignore[call-overload]
        )
    except DeixisError:
        raise
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise BrokenDataset(f"row {row.get('id')} cannot be read as an example: {error}") from error


def part_count(example: Example) -> int:
    """How many parts the expression of an example has."""
    return sum(1 for _ in parts(example.expression))


def ragged(column: pa.ChunkedArray | pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """A list column as (values, start of every row); start has one entry more than there are rows."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    offsets = array.offsets.to_numpy()
    values = array.values.to_numpy(zero_copy_only=False)
    return values, offsets


def grid_batch(table: pa.Table) -> GridBatch:
    """The worlds of a table as arrays for the compiled resolver; all must have one grid size."""
    sizes = set(table["grid_size"].unique().to_pylist())
    if len(sizes) > 1:
        raise BrokenDataset(f"the table mixes grids of sizes {sorted(sizes)}; read them one size at a time")
    first, start = ragged(table["shape"])
    count = np.diff(start)
    places = int(count.max(initial=1))
    objects = np.zeros((len(count), places, 5), np.uint8)
    row = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(row)) - np.repeat(start[:-1] - start[0], count)
    for k, name in enumerate(OBJECT_COLUMNS):
        values, begins = (first, start) if k == 0 else ragged(table[name])
        objects[row, place, k] = values[begins[0] : begins[-1]]
    return GridBatch(objects=objects, count=count.astype(np.uint8), size=sizes.pop() if sizes else 6)
