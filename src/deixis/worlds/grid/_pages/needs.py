"""Needed words as facets of the gallery, from the column `necessary` and the meaning of commands.

Every command is parsed once, whatever number of examples say it. The codes are made when somebody asks for them. As in
audits, a noun that its relation implies, as `box` after `inside of`, counts neither as needed nor as not needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from deixis._studio.filters import Facet
from deixis.data._ragged import Ragged
from deixis.distractors.necessity import is_implied
from deixis.errors import BrokenDataset, DeixisError
from deixis.expression.parts import parts
from deixis.worlds.grid.data.statistics import PART_KINDS, part_kind
from deixis.worlds.grid.language import read
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.data._row_groups import RowGroups
    from deixis.worlds.grid.data._example_codes import ExampleCodes


KINDS = PART_KINDS[: PART_KINDS.index("other")]  # noun, colour word, size word, clause
NEEDED = ("needs", "idle")  # in addresses
EVERY, SOME = "every", "some"
ALL_BITS = 1 << 2 * len(KINDS)
NEEDS: WeakKeyDictionary[ExampleCodes, tuple[Facet, ...]] = WeakKeyDictionary()
LABELS = {
    "needs": {EVERY: "every word needed", **{kind: f"{kind} needed" for kind in KINDS}},
    "idle": {SOME: "some word not needed", **{kind: f"{kind} not needed" for kind in KINDS}},
}
TITLES = {"needs": "needed", "idle": "not needed"}


def are_counted(codes: ExampleCodes) -> bool:
    """Return whether the facets are at hand."""
    return codes in NEEDS


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
