"""Examples as columns: the one table that makers write, checks read and formats convert.

| column | type | meaning |
|---|---|---|
| id | int64 | a number of at most 53 bits for the words and the world, whatever the order of its objects |
| command | string | the words, separated by spaces |
| expression | string | what the command means: JSON, see `expression.plain`; empty where it is not stored |
| pattern, verb, manner | string | p1, p2, …; walk, push, pull; e.g. `while spinning`, or empty |
| grid_size | uint8 | cells along one side |
| shape | list of uint8 | of every object: circle 0, cylinder 1, square 2, box 3 |
| color | list of uint8 | of every object: red 0, blue 1, green 2, yellow 3 |
| size, row, column | list of uint8 | of every object: sizes 1 to 4; cells from 0 |
| role | list of uint8 | why each object is there, see `worlds.grid.roles`; empty where unknown |
| misreading | list of uint16 | the misreading that each distractor set punishes |
| target | uint8 | the number of the object that is meant |
| agent_row, agent_column, agent_facing | uint8 | the agent; east 0, south 1, west 2, north 3; 255 if there is none |
| plan | string | one letter per action: L, R turn, W walk, P push, Q pull, S stay |
| necessary | list of bool | is each part of the expression, in the order of `parts`, needed; empty where unknown |
| command_number, world_number | int32 | which command of the recipe, which of its worlds; -1 where unknown |
| split | string | train, dev, test, a held-out set, several joined by +, or aside |
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._ragged import Ragged
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.expression.plain import expression_from_json, expression_to_json
from deixis.language.utterance import Instruction
from deixis.worlds.grid.actions import Manner, Verb, plan_from_letters, plan_to_letters
from deixis.worlds.grid.language import read
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.roles import decode_role, encode_role
from deixis.worlds.grid.scene import (
    COLORS,
    MAX_OBJECTS,
    SHAPES,
    SIZES,
    Agent,
    Facing,
    GridBatch,
    GridObject,
    GridScene,
)


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


__all__ = [
    "DEMANDED",
    "OPTIONAL",
    "SCHEMA",
    "STATISTICS",
    "Table",
    "example_at",
    "examples_of",
    "fill_expressions",
    "grid_batch",
    "in_schema",
    "rows_of",
    "stored_instruction",
    "table_of",
    "with_optional_columns",
]

Table: TypeAlias = pa.Table  # rows of examples, for those who hand them on
OBJECT_COLUMNS = ("shape", "color", "size", "row", "column")
STATISTICS = ("command", "pattern", "verb", "manner", "split", "grid_size", "command_number")  # of every row group
NOWHERE = (255, 255, 255)  # the agent of a world without one

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("command", pa.string()),
        ("expression", pa.string()),
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
OPTIONAL = ("expression",)  # columns that datasets of earlier versions do not have
DEMANDED = tuple(name for name in SCHEMA.names if name not in OPTIONAL)
MAX_KNOWN = 1 << 14  # expressions that are kept decoded


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
    agent = example.scene.agent
    row, column, facing = (agent.row, agent.column, int(agent.facing)) if agent else NOWHERE
    codes = [thing.codes() for thing in example.scene.objects]
    return {
        "id": example.id,
        "command": example.text,
        "expression": expression_to_json(example.expression),
        "pattern": example.pattern,
        "verb": str(example.verb),
        "manner": str(example.manner),
        "grid_size": example.scene.size,
        **{name: [thing[k] for thing in codes] for k, name in enumerate(OBJECT_COLUMNS)},
        "role": [encode_role(role) for role in example.roles],
        "misreading": list(example.misreadings),
        "target": example.target,
        "agent_row": row,
        "agent_column": column,
        "agent_facing": facing,
        "plan": plan_to_letters(example.plan),
        "necessary": list(example.necessity().values()) if with_necessity else [],
        "command_number": example.command_number,
        "world_number": example.world_number,
        "split": example.split,
    }


def rows_of(table: pa.Table) -> Iterator[dict[str, Any]]:
    """The rows as plain dictionaries."""
    for batch in table.to_batches(max_chunksize=4096):
        yield from batch.to_pylist()


def examples_of(table: pa.Table) -> Iterator[Example]:
    """The examples of a table, in order."""
    for row in rows_of(table):
        yield _example_from(row)


def example_at(table: pa.Table, number: int) -> Example:
    """One example of a table."""
    if not 0 <= number < table.num_rows:
        raise UnknownName(f"there is no example {number}; the table has {table.num_rows}, counted from 0")
    return _example_from(table.slice(number, 1).to_pylist()[0])


def _example_from(row: dict[str, Any]) -> Example:
    try:
        return Example(
            text=_text(row, "command"),
            stored=_stored_instruction_of(row),
            scene=_scene_from(row),
            target=int(row["target"]),
            plan=plan_from_letters(_text(row, "plan")),
            roles=tuple(decode_role(code) for code in row["role"]),
            misreadings=tuple(int(code) for code in row["misreading"]),
            split=_text(row, "split"),
            command_number=int(row["command_number"]),
            world_number=int(row["world_number"]),
        )
    except (DeixisError, ValueError, TypeError, IndexError) as error:
        raise BrokenDataset(f"row {row.get('id')} cannot be read as an example: {error}") from error
    except KeyError as error:
        raise BrokenDataset(f"row {row.get('id')} has no column {error}") from error


def _stored_instruction_of(row: dict[str, Any]) -> Instruction | None:
    """What a row stores as the meaning of its command; None where the text has to be read."""
    said = row.get("expression")
    return stored_instruction(said, _text(row, "verb"), _text(row, "manner")) if said else None


def _scene_from(row: dict[str, Any]) -> GridScene:
    things = zip(*(row[name] for name in OBJECT_COLUMNS), strict=True)
    place = (row["agent_row"], row["agent_column"], row["agent_facing"])
    agent = None if place == NOWHERE else Agent(int(place[0]), int(place[1]), Facing(place[2]))
    return GridScene(tuple(GridObject.from_codes(*codes) for codes in things), size=int(row["grid_size"]), agent=agent)


def _text(row: dict[str, Any], name: str) -> str:
    if not isinstance(row[name], str):
        raise TypeError(f"its {name} is no text")
    return row[name]


def in_schema(table: pa.Table, where: object = "the table") -> pa.Table:
    """Return the table with its columns in the types of the schema and without gaps.

    Further columns are kept as they are.

    Optional columns that it does not have are added, empty.

    Args:
        table: with any of the columns.
        where: what complaints call it.

    Raises:
        BrokenDataset: when a column cannot be read as its type, or has gaps.
    """
    table = with_optional_columns(table)
    for place, name in enumerate(table.column_names):
        if name not in SCHEMA.names:
            continue
        kind, column = SCHEMA.field(name).type, table.column(place)
        if column.type != kind:
            try:
                column = column.cast(kind)
            except pa.ArrowException as error:
                raise BrokenDataset(f"{where}: the column {name!r} holds {column.type} instead of {kind}") from error
            table = table.set_column(place, SCHEMA.field(name), column)
        if column.null_count or (pa.types.is_list(kind) and any(part.values.null_count for part in column.chunks)):
            raise BrokenDataset(f"{where}: the column {name!r} has gaps; every row needs a value there")
    return table


def with_optional_columns(table: pa.Table) -> pa.Table:
    """Return a table of commands with empty columns for the optional ones that it lacks."""
    for name in OPTIONAL:
        if "command" in table.column_names and name not in table.column_names:
            empty = pa.repeat(pa.scalar("", SCHEMA.field(name).type), table.num_rows)
            table = table.add_column(table.column_names.index("command") + 1, SCHEMA.field(name), empty)
    return table


def stored_instruction(expression: str, verb: str, manner: str) -> Instruction:
    """The meaning of a command as a row stores it.

    Raises:
        SchemaError: when it is no expression.
        ValueError: when there is no such verb or manner.
    """
    return Instruction(str(Verb(verb)), _decode(expression), str(Manner(manner)))


_decode = lru_cache(MAX_KNOWN)(expression_from_json)


def fill_expressions(table: pa.Table) -> pa.Table:
    """Return the table with missing expressions read from the commands, empty where one cannot be read."""
    table = in_schema(table)
    place = table.column_names.index("expression")
    stored = table.column(place)
    missing = pc.equal(stored, "")
    if not pc.any(missing).as_py():
        return table
    commands = table["command"].combine_chunks().dictionary_encode()
    if isinstance(commands, pa.ChunkedArray):
        commands = commands.unify_dictionaries().combine_chunks()
    meanings = pa.array([_read_expression(text) for text in commands.dictionary.to_pylist()], pa.string())
    return table.set_column(place, SCHEMA.field(place), pc.if_else(missing, meanings.take(commands.indices), stored))


def _read_expression(text: str) -> str:
    try:
        return expression_to_json(read(text, any_order=True).expression)
    except DeixisError:
        return ""


def grid_batch(table: pa.Table) -> GridBatch:
    """Return the worlds of a table, all of one grid size, as arrays for the compiled resolver."""
    size = _common_size(table)
    shapes = Ragged.of_column(_column(table, "shape"))
    count, row, place = shapes.length, shapes.row, shapes.place
    places = int(count.max(initial=1))
    if places > MAX_OBJECTS:
        raise BrokenDataset(f"a world has {places} objects; {MAX_OBJECTS} at most can be read")
    objects = np.zeros((len(count), places, 5), np.uint8)
    limits = (range(len(SHAPES)), range(len(COLORS)), range(1, len(SIZES) + 1), range(size), range(size))
    for k, (name, limit) in enumerate(zip(OBJECT_COLUMNS, limits, strict=True)):
        column = Ragged.of_column(_column(table, name))
        codes = column.values
        if not np.array_equal(column.length, count):
            raise BrokenDataset(f"the columns shape and {name} do not describe the same objects")
        if len(codes) and (codes.min() < limit.start or codes.max() >= limit.stop):
            raise BrokenDataset(f"the column {name} must hold values from {limit.start} to {limit.stop - 1}")
        objects[row, place, k] = codes
    return GridBatch(objects=objects, count=count.astype(np.uint8), size=size)


def _common_size(table: pa.Table) -> int:
    sizes = _column(table, "grid_size").unique().to_pylist()
    if len(sizes) > 1:
        raise BrokenDataset(f"the table mixes grids of sizes {sizes}; read them one size at a time")
    return int(sizes[0]) if sizes else 6


def _column(table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column of the type that the schema gives it."""
    if name not in table.column_names:
        raise BrokenDataset(f"the table has no column {name!r}")
    if table[name].type != SCHEMA.field(name).type:
        raise BrokenDataset(f"the column {name!r} holds {table[name].type} instead of {SCHEMA.field(name).type}")
    if table[name].null_count:
        raise BrokenDataset(f"the column {name!r} has gaps")
    return table[name]
