from __future__ import annotations

import pytest
from hypothesis import given

from deixis.expression import AnyOf, Description, Extreme, Is, Not, Nth, Related, describe
from deixis.schema import Which
from deixis.testing import expressions, the


RED, CIRCLE = Is("color", "red"), Is("shape", "circle")
SMALL = Extreme("size", Which.LEAST)
CHAIN = the("circle", Related("same row", the("square", Related("inside", the("box")))), Related("same color", the()))


def test_the_phrase_and_the_clauses_make_up_a_description():
    """A description is a noun phrase, said of the object alone, and the clauses that relate it to others."""
    assert CHAIN.phrase == the("circle")
    assert [clause.relation for clause in CHAIN.clauses] == ["same row", "same color"]


@pytest.mark.parametrize(
    ("expression", "depth"),
    [
        (the("circle"), 0),
        (the("circle", Not(RED)), 0),
        (CHAIN, 2),
        (the("circle", Not(Related("same row", the("square")))), 1),
        (the("circle", AnyOf((RED, Related("same row", CHAIN)))), 3),
    ],
)
def test_depth_counts_nested_clauses(expression, depth):
    """Depth is the longest way down through clauses, negated and alternative ones included."""
    assert expression.depth == depth


def test_the_value_said_of_the_object_itself():
    """Only words said directly of the described object count, not those of its clauses."""
    expression = the("circle", Related("same row", the("square", color="blue")))

    assert expression.value("shape") == "circle"
    assert expression.value("color") is None


def test_mentions_and_relations_come_in_the_order_of_the_words():
    """Every described object and every relation is listed in speaking order, inside negations and alternatives too."""
    expression = the(
        "circle",
        Related("same row", the("square", Related("inside", the("box")))),
        Not(Related("same size", the("cylinder"))),
        AnyOf((Related("same color", the(color="red")), Related("same shape", the(color="blue")), RED)),
    )

    mentions = [describe(mention) for mention in expression.mentions()]

    assert mentions[1:] == [
        "[shape=square, inside: [shape=box]]",
        "[shape=box]",
        "[shape=cylinder]",
        "[color=red]",
        "[color=blue]",
    ]
    assert mentions[0] == str(expression)
    assert expression.relations() == ("same row", "inside", "same size", "same color", "same shape")


def test_the_notation_shows_every_kind_of_step():
    """The compact notation is unambiguous about values, ends, ranks, negations, alternatives and clauses."""
    expression = Description(
        (CIRCLE, SMALL, Nth(2, "left"), Not(RED), AnyOf((RED, CIRCLE)), Related("inside", the("box", size="big")))
    )

    assert str(expression) == (
        "[shape=circle, size=least, #2 from left, not color=red, (color=red or shape=circle), "
        "inside: [shape=box, size=most]]"
    )


def test_canonical_ignores_the_order_of_filters_only():
    """Two orders of the same filters are one canonical expression; moving a filter across a size word makes another."""
    assert Description((RED, CIRCLE)).canonical() == Description((CIRCLE, RED)).canonical()
    assert Description((RED, SMALL)).canonical() != Description((SMALL, RED)).canonical()
    assert Description((Not(SMALL), RED)).canonical() != Description((RED, Not(SMALL))).canonical()
    assert Description((SMALL, Nth(1, "left"))).canonical() != Description((Nth(1, "left"), SMALL)).canonical()


def test_canonical_reaches_into_clauses_negations_and_alternatives():
    """The order of filters is ignored at every depth, and so is the order of alternatives."""
    one = Description((Related("same row", Description((RED, CIRCLE))), Not(AnyOf((RED, CIRCLE)))))
    two = Description((Not(AnyOf((CIRCLE, RED))), Related("same row", Description((CIRCLE, RED)))))

    assert one.canonical() == two.canonical()


@given(expressions())
def test_canonical_settles_at_once(expression):
    """The canonical form of a canonical form is itself, and it says as many things as before."""
    canonical = expression.canonical()

    assert canonical.canonical() == canonical
    assert len(canonical.steps) == len(expression.steps)
    assert sorted(canonical.relations()) == sorted(expression.relations())
