from __future__ import annotations

import pytest
from hypothesis import given

from deixis.distractors import planned_misreadings
from deixis.distractors.planned_misreadings import KINDS
from deixis.expression import AnyOf, Description, Extreme, Is, Not, Nth, Related, describe, parts
from deixis.schema import Attribute, Relation, Schema, Which
from deixis.testing import expressions, the
from deixis.worlds.grid.scene import GRID


RED = Is("color", "red")
TWO = the("circle", Related("same row", the("square", color="red")), Related("inside", the("box", size="big")))


def said(expression: Description, *kinds: str) -> list[str]:
    return [describe(misreading.expression) for misreading in planned_misreadings(expression, GRID, kinds=kinds)]


def test_a_word_is_dropped_or_misread():
    """A careless reader skips a word for a value, or takes it for each other value of the same attribute."""
    assert said(Description((RED,)), "attribute") == ["[]", "[color=blue]", "[color=green]", "[color=yellow]"]


def test_a_size_word_is_dropped_or_turned_round():
    """'small' is skipped or taken for 'big'."""
    assert said(the("circle", size="small"), "selector") == ["[shape=circle]", "[shape=circle, size=most]"]


@pytest.mark.parametrize(
    ("side", "turned"), [("left", "right"), ("right", "left"), ("top", "bottom"), ("bottom", "top")]
)
def test_a_rank_is_dropped_or_counted_from_the_other_side(side, turned):
    """'second from the left' is skipped or counted from the right, and so for every side."""
    assert said(Description((RED, Nth(2, side))), "selector") == ["[color=red]", f"[color=red, #2 from {turned}]"]


def test_a_middle_is_dropped_or_taken_for_either_end():
    """'in the middle' is skipped, or taken for the leftmost or the rightmost."""
    expected = ["[color=red]", "[color=red, #1 from left]", "[color=red, #1 from right]"]
    assert said(Description((RED, Nth(1, "middle"))), "selector") == expected


def test_each_clause_is_dropped_in_turn():
    """Every clause can be missed, an inner one as well as an outer one."""
    chain = the("circle", Related("same row", the("square", Related("inside", the("box")))))

    assert said(chain, "relation") == ["[shape=circle]", "[shape=circle, same row: [shape=square]]"]


def test_words_change_places_between_the_other_phrases():
    """Colours, or size and noun together, are exchanged between two phrases that are not the target's."""
    found = planned_misreadings(TWO, GRID, kinds=("isomorphism",))

    assert [describe(misreading.expression) for misreading in found] == [
        "[shape=circle, same row: [shape=square], inside: [color=red, shape=box, size=most]]",
        "[shape=circle, same row: [shape=box, color=red, size=most], inside: [shape=square]]",
    ]
    assert [[part.step for part in misreading.parts] for misreading in found] == [
        [RED],
        [Is("shape", "square"), Is("shape", "box"), Extreme("size", Which.MOST)],
    ]


def test_words_change_places_along_a_chain():
    """The phrases of nested clauses can be confused too."""
    chain = the("circle", Related("same row", the("square", Related("same column", the("cylinder")), color="red")))

    assert said(chain, "isomorphism") == [
        "[shape=circle, same row: [shape=square, same column: [color=red, shape=cylinder]]]",
        "[shape=circle, same row: [shape=cylinder, color=red, same column: [shape=square]]]",
    ]


def test_phrases_with_the_same_words_cannot_be_confused():
    """Exchanging equal words is no misreading, whatever their order."""
    one, two = Description((RED, Is("shape", "square"))), Description((Is("shape", "square"), RED))
    expression = Description((Related("same row", one), Related("same column", two)))

    assert said(expression, "isomorphism") == []


def test_phrases_under_negations_and_alternatives_are_not_exchanged():
    """Only phrases that must be there change words; a negated or alternative one is read on its own."""
    square, box = Related("same row", the("square")), Related("inside", the("box"))
    hidden = Related("same column", the("cylinder", Not(box)))

    assert said(Description((square, Not(box), AnyOf((box, RED)))), "isomorphism") == []
    assert len(said(Description((square, hidden)), "isomorphism")) == 1


def test_everything_after_the_first_phrase_is_missed():
    """A reader who stops at the first phrase drops all clauses at once; without clauses there is nothing to miss."""
    assert said(TWO, "phrase") == ["[shape=circle]"]
    assert said(the("circle"), "phrase") == []


def test_a_misreading_reached_twice_is_listed_once():
    """Dropping the only clause and stopping after the first phrase are one misreading, under the kind asked first."""
    expression = the("circle", Related("same row", the("square")))

    both = planned_misreadings(expression, GRID, kinds=("relation", "phrase"))
    turned = planned_misreadings(expression, GRID, kinds=("phrase", "relation"))

    assert [misreading.kind for misreading in both] == ["relation"]
    assert [misreading.kind for misreading in turned] == ["phrase"]


@given(expressions())
def test_every_misreading_is_a_new_expression_about_known_parts(expression):
    """Misreadings differ from what was said and from each other, and name parts of what was said."""
    found = planned_misreadings(expression, GRID)
    said_parts = set(parts(expression))

    assert len({misreading.expression for misreading in found}) == len(found)
    for misreading in found:
        assert misreading.expression != expression
        assert misreading.kind in KINDS
        assert misreading.parts
        assert set(misreading.parts) <= said_parts


@given(expressions(in_spoken_order=True))
def test_kinds_can_be_asked_for_one_by_one(expression):
    """The misreadings of all kinds together are those of each kind."""
    one_by_one = {r.expression for kind in KINDS for r in planned_misreadings(expression, GRID, kinds=(kind,))}

    assert {r.expression for r in planned_misreadings(expression, GRID)} == one_by_one


def test_what_is_exchanged_is_said_by_the_schema():
    """A material that a schema lets readers exchange is exchanged; without a word about it, every attribute is."""
    kinds = (
        Attribute(name="material", values=("wood", "glass")),
        Attribute(name="weight", values=("1", "2"), is_ordered=True),
        Attribute(name="name", values=("cup", "table"), is_head=True),
    )
    near = Relation(name="near")
    cup = Description((Is("name", "cup"), Is("material", "wood")))
    table = Description((Is("name", "table"), Is("material", "glass")))
    said = Description((Related("near", cup), Related("near", table)))

    def exchanged(**options):
        schema = Schema(name="things", attributes=kinds, relations=(near,), **options)
        return [one.expression.canonical() for one in planned_misreadings(said, schema, kinds=("isomorphism",))]

    def pair(one, its, other, material):
        first, second = (
            Description((Is("name", name), Is("material", what))) for name, what in ((one, its), (other, material))
        )
        return Description((Related("near", first), Related("near", second))).canonical()

    materials, nouns = pair("cup", "glass", "table", "wood"), pair("table", "wood", "cup", "glass")
    assert exchanged() == [materials, nouns]
    assert exchanged(exchanges=(("material",),)) == [materials]
    assert exchanged(exchanges=()) == []
    assert Schema(name="things", attributes=kinds).exchanged == (("material",), ("weight", "name"))
