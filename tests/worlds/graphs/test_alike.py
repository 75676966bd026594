from __future__ import annotations

import pytest
from hypothesis import given

from deixis.expression.description import Description
from deixis.expression.steps import Is, Not, Related
from deixis.resolution.reference import denotation
from deixis.testing import expressions
from deixis.worlds.photos._alike import (
    alike_names,
    alike_words,
    canonical_relation,
    may_both_hold,
    merge_alike_relations,
    with_alternatives,
)
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import SCHEMA, image, tables, thing


@pytest.mark.parametrize(
    ("said", "canonical"),
    [
        ("are sitting on a", "on"),
        ("on top of", "on"),
        ("parked next to", "near"),
        ("is beside the", "near"),
        ("standing behind", "behind"),
        ("to the left of", "to the left of"),
        ("juggling", "juggling"),
        ("a", "a"),
    ],
)
def test_spellings_of_a_relation(said, canonical):
    """Postures, articles and near synonyms lead to one relation; what is unknown stands for itself."""
    assert canonical_relation(said) == canonical


def test_names_are_alike_without_being_the_same():
    """A man may be called a person and so may a woman, but neither may be called the other."""
    assert "person" in alike_names("man")
    assert "person" in alike_names("woman")
    assert "woman" not in alike_names("man")
    assert alike_names("zeppelin") == ("zeppelin",)


def test_other_words_for_the_same_thing_are_found():
    """'The person that is on the couch' may well be the man that is sitting on the sofa."""
    scene = image(
        thing(0, "man", "", "sitting on 1"), thing(1, "sofa"), thing(2, "person", "", "on 3"), thing(3, "couch")
    )
    table = GraphTable.of([scene])
    said = Description((Is("name", "person"), Related("on", Description((Is("name", "couch"),)))))

    assert denotation(said, table.scene(0)) == {2}
    assert denotation(with_alternatives(said, table.vocabulary), merge_alike_relations(table).scene(0)) == {0, 2}


def test_attributes_are_alike_too():
    """What is large may be called big, and a dark one black; neither is small."""
    assert "big" in alike_words("large")
    assert "dark" in alike_words("black")
    assert "small" not in alike_words("large")
    table = GraphTable.of([image(thing(0, "cup", "large"), thing(1, "cup", "small"), thing(2, "dog", "big"))])
    said = Description((Is("name", "cup"), Is("size", "big")))

    assert denotation(said, table.scene(0)) == set()
    assert denotation(with_alternatives(said, table.vocabulary), table.scene(0)) == {0}


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("on", "of", True),
        ("wearing", "in", True),
        ("holding", "near", True),
        ("sitting on", "on top of", True),
        ("to the left of", "to the right of", False),
        ("on", "under", False),
        ("behind", "in front of", False),
    ],
)
def test_some_relations_hold_along_with_others(one, other, both):
    """Saying one for the other changes little, either way round."""
    assert may_both_hold(one, other) is may_both_hold(other, one) is both


def test_a_denied_noun_is_not_widened():
    """What is denied stays as it is said, so that the result fits no less than the expression."""
    table = GraphTable.of([image(thing(0, "man"), thing(1, "person"))])
    denied = Not(Is("name", "person"))

    assert with_alternatives(Description((denied,)), table.vocabulary).steps == (denied,)


@given(table=tables(), expression=expressions(SCHEMA, kinds=frozenset(("is", "related", "any_of"))))
def test_wider_words_fit_whatever_the_words_fit(table, expression):
    """Without ranks and negations, what an expression picks out is also picked out in other words."""
    wide, loose = with_alternatives(expression, table.vocabulary), merge_alike_relations(table)

    for number in range(len(table)):
        assert denotation(expression, table.scene(number)) <= denotation(wide, loose.scene(number))
