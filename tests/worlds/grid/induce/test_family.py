"""The table of expressions agrees with the definitions of the language and of resolution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.expression.patterns import P1, P2, P3
from deixis.resolution import denotation
from deixis.testing import grid_scenes
from deixis.worlds.grid.commands import commands, count_commands
from deixis.worlds.grid.induce._family import Sight, family
from deixis.worlds.grid.induce.rule import length_of


def test_the_family_has_every_command_without_and_with_one_clause():
    """Nothing is missing, nothing is listed twice, nothing else is there."""
    short = [e for e in map(family().expression, range(len(family()))) if len(e.clauses) < 2]

    assert len(short) == len(set(short)) == count_commands(P1) + count_commands(P2)
    assert set(short) == {*commands(P1), *commands(P2)}


def test_of_two_orders_of_clauses_the_family_has_one():
    """It has half of the commands with two clauses."""
    assert len(family()) == count_commands(P1) + count_commands(P2) + count_commands(P3) // 2


@pytest.mark.slow
def test_the_family_has_every_command_with_two_clauses():
    """Up to the order of clauses."""
    mine = {e.canonical() for e in map(family().expression, range(len(family()))) if len(e.clauses) == 2}

    assert mine == {e.canonical() for e in commands(P3)}


@given(st.integers(0, 156_368))
def test_the_length_is_that_of_the_expression(row):
    """Rows say how many parts their expression has, and the shortest come first."""
    assert family().length[row] == length_of(family().expression(row))
    assert (np.diff(family().length) >= 0).all()


READINGS = st.sampled_from(("comparative", "superlative"))
ROWS = st.lists(st.integers(0, 156_368), min_size=1, max_size=30)


@given(grid_scenes(size=4, min_objects=1, max_objects=8), ROWS, READINGS)
def test_the_table_resolves_as_the_definition_does(scene, rows, reading):
    """The only referent of every expression is the one that plain resolution finds, in either reading of sizes."""
    found = family().referents(np.array(rows), Sight.of(scene, reading))

    for row, index in zip(rows, found, strict=True):
        plain = denotation(family().expression(row), scene, reading=reading)
        assert index == (next(iter(plain)) if len(plain) == 1 else -1)


@pytest.mark.parametrize("reading", ["comparative", "superlative"])
def test_expressions_that_hold_in_full_boards_are_resolved_too(full_boards, reading):
    """On boards where clauses compete for partners the table and the definition agree for what picks something out."""
    for scene in full_boards[:20]:
        sight = Sight.of(scene, reading)
        found = family().referents(np.arange(len(family())), sight)
        for row in np.flatnonzero(found >= 0)[:: max(len(found) // 400, 1)].tolist():
            assert denotation(family().expression(row), scene, reading=reading) == {found[row]}


@given(grid_scenes(size=4, min_objects=2, max_objects=7), st.data())
def test_keeping_is_asking_for_one_of_the_targets(scene, data):
    """`keep` leaves exactly the rows whose only referent is a target."""
    targets = data.draw(st.frozensets(st.integers(0, len(scene) - 1), min_size=1, max_size=2))
    sight, rows = Sight.of(scene), np.arange(0, len(family()), 7)

    kept = family().keep(rows, sight, targets)

    found = family().referents(rows, sight)
    assert kept.tolist() == [row for row, index in zip(rows.tolist(), found.tolist(), strict=True) if index in targets]


def test_rows_can_be_asked_for_by_length():
    """Both ends are included."""
    rows = family().rows(shortest=2, longest=3)

    assert set(family().length[rows].tolist()) == {2, 3}
    assert len(family().rows(longest=99)) == len(family())
