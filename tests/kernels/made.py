"""Worlds made for tests, readable."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.expression.patterns import PATTERNS
from deixis.seeds import Stream, derive
from deixis.worlds.grid._blueprint import blueprint
from deixis.worlds.grid._kernels.board import BOARD, MAX_SETS
from deixis.worlds.grid._kernels.plan import longest_plan
from deixis.worlds.grid._kernels.worlds import OUTCOMES, Demands, Worlds, make_worlds
from deixis.worlds.grid.actions import MANNERS, VERBS, Manner, Verb
from deixis.worlds.grid.commands import sample_commands
from deixis.worlds.grid.roles import Role, decode_role
from deixis.worlds.grid.scene import Agent, Facing, GridBatch, GridScene


if TYPE_CHECKING:
    from deixis.expression.description import Expression


ALL_KINDS = 15
FILL, CAP = 13, 24


class World(NamedTuple):
    """One made world, readable."""

    expression: Expression
    verb: Verb
    manner: Manner
    scene: GridScene
    roles: tuple[Role, ...]
    codes: tuple[int, ...]  # of the misreadings
    row: int
    command: int


def commands_of(name, count):
    """The first commands of a pattern in a random order."""
    return list(islice(sample_commands(PATTERNS[name], rng=Stream(8)), count))


def run(
    expressions,
    mode,
    *,
    wanted=3,
    size=6,
    fill=FILL,
    kinds=ALL_KINDS,
    retries=300,
    cap=CAP,
    numbers=None,
    verb=None,
    **asked,
):
    """Make worlds; the arrays, how many rows are filled, and how the tries ended. Further options: `Demands`."""
    count, rows = len(expressions), len(expressions) * wanted
    numbers = range(count) if numbers is None else numbers
    tables = [blueprint(expression) for expression in expressions]
    blueprints = np.full((count, max(map(len, tables)), 5), -1, np.int8)
    for number, table in enumerate(tables):
        blueprints[number, : len(table)] = table
    worlds = Worlds(
        objects=np.zeros((rows, cap, 5), np.uint8),
        roles=np.zeros((rows, cap), np.uint8),
        count=np.zeros(rows, np.uint8),
        agent=np.zeros((rows, 3), np.uint8),
        codes=np.zeros((rows, MAX_SETS), np.uint16),
        sets=np.zeros(rows, np.uint8),
        plan=np.zeros((rows, longest_plan(size)), np.uint8),
        length=np.zeros(rows, np.uint16),
        definite=np.zeros(rows, np.uint16),
        necessary=np.zeros(rows, np.uint32),
        digest=np.zeros(rows, np.uint64),
        tries=np.zeros(rows, np.uint32),
        command=np.zeros(rows, np.int32),
    )
    outcomes = np.zeros((count, OUTCOMES), np.int64)
    made = make_worlds(
        blueprints,
        np.array([len(table) for table in tables]),
        np.array([n % 3 if verb is None else verb.code for n in numbers]),
        np.array([n % 5 for n in numbers]),
        np.array([derive(1, n) for n in numbers], np.uint64),
        Demands(wanted=wanted, retries=retries, size=size, cap=cap, fill=fill, kinds=kinds, mode=mode, **asked),
        np.zeros(1, BOARD),
        worlds,
        outcomes,
    )
    return worlds, made, outcomes


def read_world(arrays, row, expressions, size=6):
    """One row of the arrays."""
    scene = GridBatch(objects=arrays.objects, count=arrays.count, size=size).scene(row)
    at_row, column, facing = arrays.agent[row].tolist()
    command = int(arrays.command[row])
    return World(
        expressions[command],
        VERBS[command % 3],
        MANNERS[command % 5],
        GridScene(scene.objects, size=size, agent=Agent(at_row, column, Facing(facing))),
        tuple(decode_role(code) for code in arrays.roles[row, : len(scene)].tolist()),
        tuple(arrays.codes[row, : arrays.sets[row]].tolist()),
        row,
        command,
    )


@cache
def made_worlds(mode, name, kinds=ALL_KINDS):
    """A few worlds of a few commands, with the arrays they stand in."""
    expressions = commands_of(name, 10)
    arrays, made, _ = run(expressions, mode, kinds=kinds)
    return arrays, tuple(read_world(arrays, row, expressions) for row in range(made))
