"""Expressions as small tables."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from deixis.errors import DeixisError
from deixis.expression import AnyOf, Description, Extreme, Is, Not, Nth, Related
from deixis.expression.patterns import P2, pattern
from deixis.schema import Which
from deixis.seeds import Stream
from deixis.testing import the
from deixis.worlds.grid._blueprint import blueprint, from_blueprint
from deixis.worlds.grid.commands import commands, sample_commands
from deixis.worlds.grid.language import parse


RED, SMALL = Is("color", "red"), Extreme("size", Which.LEAST)


def test_a_blueprint_has_a_row_for_every_mention():
    """Each row says shape, colour, size word, parent and relation; -1 where nothing is said."""
    text = "the small red circle that is inside of a big box and in the same row as a yellow object"

    table = blueprint(parse(text))

    assert table.dtype == np.int8
    assert table.tolist() == [[0, 0, 0, -1, -1], [3, -1, 1, 0, 2], [-1, 3, -1, 0, 0]]


def test_every_short_command_comes_back_from_its_blueprint():
    """Writing and reading a blueprint gives the expression back, for every command with one clause."""
    assert all(from_blueprint(blueprint(expression)) == expression for expression in commands(P2))


@pytest.mark.parametrize("name", ["p1", "p3", "p4", "chain", "^ & ^", "^ ^ &", "^ ^ ^"])
def test_longer_commands_come_back_from_their_blueprints(name):
    """Writing and reading a blueprint gives the expression back, and its parents are those of the pattern."""
    wanted = pattern(name)

    for expression in islice(sample_commands(wanted, rng=Stream(2)), 300):
        table = blueprint(expression)
        assert from_blueprint(table) == expression
        assert tuple(table[:, 3].tolist()) == wanted.parents


def test_the_order_of_filters_does_not_matter():
    """Shape and colour may be said in any order; the blueprint is the same."""
    assert (blueprint(the("circle", color="red")) == blueprint(parse("the red circle"))).all()


@pytest.mark.parametrize(
    "steps",
    [
        (Nth(1, "left"),),
        (Not(RED),),
        (AnyOf((RED, Is("color", "blue"))),),
        (RED, Is("color", "blue")),
        (SMALL, SMALL),
        (Is("size", "3"),),
        (Is("material", "metal"),),
        (Is("color", "pink"),),
        (Extreme("color", Which.MOST),),
        (SMALL, RED),
        (Related("same row", the("box")), SMALL),
        (Related("on", the("box")),),
        (Related("same row", Description((SMALL, RED))),),
    ],
)
def test_what_a_blueprint_cannot_hold_is_refused(steps):
    """Ranks, negation, alternatives, repeated words, unknown names and misplaced size words are refused."""
    with pytest.raises(DeixisError):
        blueprint(Description(steps))
