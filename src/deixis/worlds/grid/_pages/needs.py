"""Needed words, misreadings and clauses as facets of the gallery, for a million examples.

What is needed is recorded in the column `necessary`. Misreadings are resolved in compiled loops, many rows at once; the
plain twin is `deixis._studio.meanings`. Every command is parsed once, whatever number of examples say it. As in audits,
a noun that its relation implies, as `box` after `inside of`, counts neither as needed nor as not needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from deixis._studio.filters import Facet
from deixis._studio.meanings import SLIPS, Meaning, MeaningCodes
from deixis.data._ragged import Ragged
from deixis.distractors.misreadings import misreadings
from deixis.distractors.necessity import is_implied
from deixis.errors import BrokenDataset, DeixisError
from deixis.expression.parts import parts
from deixis.expression.program import compile_expression
from deixis.worlds.grid.checks._chunk import Chunk
from deixis.worlds.grid.checks._content import readable
from deixis.worlds.grid.checks._judge import CompiledJudge
from deixis.worlds.grid.data._commands import Commands
from deixis.worlds.grid.data._commands import Meaning as Runnable
from deixis.worlds.grid.data.statistics import PART_KINDS, part_kind
from deixis.worlds.grid.data.table import SCHEMA
from deixis.worlds.grid.language import read
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.data._row_groups import RowGroups
    from deixis.expression.description import Expression
    from deixis.worlds.grid.data._commands import Command
    from deixis.worlds.grid.data._example_codes import ExampleCodes


KINDS = PART_KINDS[: PART_KINDS.index("other")]  # noun, colour word, size word, clause
EVERY, SOME = "every", "some"
ALL_BITS = 1 << 2 * len(KINDS)
NEEDS: WeakKeyDictionary[ExampleCodes, tuple[Facet, ...]] = WeakKeyDictionary()
LABELS = {
    "needs": {EVERY: "every word needed", **{kind: f"{kind} needed" for kind in KINDS}},
    "idle": {SOME: "some word not needed", **{kind: f"{kind} not needed" for kind in KINDS}},
}
TITLES = {"needs": "needed", "idle": "not needed"}


def are_counted(codes: ExampleCodes) -> bool:
    """Return whether the facets of needed words are at hand."""
    return codes in NEEDS


def read_grid_meanings(codes: ExampleCodes, rows: RowGroups) -> tuple[Facet, ...]:
    """Return the facets of what is needed, where that is recorded, of misreadings and of clauses."""
    return (*need_facets(codes, rows), *read_misreadings(rows).facets[2:])


def read_misreadings(rows: RowGroups) -> MeaningCodes:
    """Resolve all misreadings of all commands in the worlds where they are said."""
    commands, judge, slips = Commands(), CompiledJudge(), tuple(SLIPS)
    misread: dict[Expression, tuple[tuple[int, Runnable], ...]] = {}

    def misreadings_of(command: Command) -> tuple[tuple[int, Runnable], ...]:
        if command.expression not in misread:
            found = misreadings(command.expression, GRID)
            misread[command.expression] = tuple((slips.index(one.slip), _runnable(one.expression)) for one in found)
        return misread[command.expression]

    bits = np.zeros(len(rows), np.int64)
    clauses = np.full(len(rows), -1, np.int64)
    for group in rows.groups():
        table, numbers, _ = readable(rows.read(group, SCHEMA.names))
        chunk = Chunk(table, numbers, judge=judge, commands=commands)
        judged = np.flatnonzero(chunk.points)
        said = [len(one.relations) if one.is_read else 0 for one in chunk.commands]
        clauses[group.start + numbers[judged]] = chunk.of_command(said, np.int64)[judged]
        readings = [misreadings_of(one) if one.is_read else () for one in chunk.commands]
        for place in range(max(map(len, readings), default=0)):
            some, found = chunk.resolve([one[place][1] if len(one) > place else None for one in readings], judged)
            slip = chunk.of_command([one[place][0] if len(one) > place else 0 for one in readings], np.int64)[some]
            astray = found & ~chunk.target_bit[some] != 0
            bits[group.start + numbers[some[astray]]] |= 1 << slip[astray]
    different, places = np.unique(np.stack([bits, clauses]), axis=1, return_inverse=True)
    meanings = tuple(
        Meaning(frozenset(), frozenset(), frozenset(one for n, one in enumerate(slips) if held >> n & 1), count)
        if count >= 0
        else None
        for held, count in different.T.tolist()
    )
    return MeaningCodes(places.ravel().astype(np.int32), meanings)


def _runnable(expression: Expression) -> Runnable:
    return Runnable(expression, compile_expression(expression, GRID))


def need_facets(codes: ExampleCodes, rows: RowGroups) -> tuple[Facet, ...]:
    """Return the facets of what is needed and what is not, or none where the dataset does not say."""
    if codes not in NEEDS:
        bits = _bits(codes, rows)
        NEEDS[codes] = () if bits is None else _facets(bits)
    return NEEDS[codes]


def _facets(bits: np.ndarray) -> tuple[Facet, ...]:
    every = np.arange(ALL_BITS)
    needed = {kind: (every >> place & 1).astype(bool) for place, kind in enumerate(KINDS)}
    idle = {kind: (every >> len(KINDS) + place & 1).astype(bool) for place, kind in enumerate(KINDS)}
    is_idle, is_needed = every >> len(KINDS) > 0, (every & (1 << len(KINDS)) - 1) > 0
    tables = {"needs": {EVERY: is_needed & ~is_idle, **needed}, "idle": {SOME: is_idle, **idle}}
    return tuple(Facet(name, TITLES[name], bits, tables[name], LABELS[name]) for name in tables)


def _bits(codes: ExampleCodes, rows: RowGroups) -> np.ndarray | None:
    """A bit for every kind of part that is needed in an example, and for every kind that is not; None if unknown."""
    commands = codes.texts["command"]
    kinds = [_kinds_in(text) for text in commands.names]
    width = max((len(one) for one in kinds), default=0)
    table = np.full((len(kinds), width + 1), -1, np.int64)
    for number, one in enumerate(kinds):
        table[number, : len(one)] = one
    lengths = np.array([len(one) for one in kinds], np.int64)
    found = np.zeros(len(codes), np.uint16)
    for group in rows.groups():
        try:
            necessary = Ragged.of_column(rows.read(group, ["necessary"])["necessary"])
        except (BrokenDataset, KeyError, ValueError):
            return None
        which = commands.codes[group.start : group.stop].astype(np.int64)
        fits = (necessary.length > 0) & (necessary.length == lengths[which])
        keep = fits[necessary.row]
        row, place = necessary.row[keep], necessary.place[keep]
        kind = table[which[row], place]
        shift = np.where(necessary.values[keep].astype(bool), kind, kind + len(KINDS))
        known = kind >= 0
        np.bitwise_or.at(found[group.start : group.stop], row[known], (1 << shift[known]).astype(np.uint16))
    return found if found.any() else None


def _kinds_in(text: str) -> Sequence[int]:
    """The kind of every part of a command, -1 for those that do not count; nothing for what cannot be read."""
    try:
        expression = read(text, any_order=True).expression
    except DeixisError:
        return ()
    said = ("" if is_implied(part, expression, GRID) else part_kind(part) for part in parts(expression))
    return [KINDS.index(kind) if kind in KINDS else -1 for kind in said]
