from __future__ import annotations

import pytest

from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.schema import Attribute, Relation, Schema, Which


NAME = Attribute(
    name="name",
    values=("man", "woman", "person", "dog", "animal", "chicken", "egg"),
    is_head=True,
    broader=(("man", "person"), ("person", "animal"), ("dog", "animal"), ("chicken", "egg"), ("egg", "chicken")),
)
SCHEMA = Schema(
    name="photo",
    attributes=(NAME, Attribute(name="height", values=("low", "high"), is_ordered=True)),
    relations=(Relation(name="on"), Relation(name="near", is_symmetric=True)),
)


def test_the_other_end_of_the_other_end_is_the_first():
    """Turning an end round twice gives it back, and once does not."""
    assert Which.LEAST.other is Which.MOST
    assert all(which.other.other is which for which in Which)


@pytest.mark.parametrize(
    ("called", "recorded", "holds"),
    [
        ("man", "man", True),
        ("person", "man", True),
        ("animal", "man", True),
        ("man", "person", False),
        ("person", "dog", False),
        ("dog", "chicken", False),
    ],
)
def test_a_value_covers_itself_and_what_falls_under_it(called, recorded, holds):
    """A man may be called a person and an animal, but a person not a man; a circular taxonomy still has an end."""
    assert NAME.covers(called, recorded) is holds


def test_codes_count_the_values_in_order():
    """The number of a value is its place in the attribute, and numbers of attributes and relations likewise."""
    assert [NAME.code(value) for value in NAME.values] == list(range(7))
    assert SCHEMA.attribute_code("height") == 1
    assert SCHEMA.relation_code("near") == 1


def test_a_value_listed_twice_is_refused():
    """An attribute cannot list a value twice, since a value has one number."""
    with pytest.raises(SchemaError, match="'color' lists a value twice"):
        Attribute(name="color", values=("red", "red"))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: SCHEMA.attribute("hight"), "unknown attribute 'hight'; did you mean 'height'?"),
        (lambda: SCHEMA.relation("behind"), "unknown relation 'behind'; known: on, near"),
        (lambda: NAME.code("persn"), "unknown name value 'persn'; did you mean 'person'?"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_or_with_all(ask, message):
    """Asking for a name the schema lacks says what was asked, and suggests what could have been meant."""
    with pytest.raises(UnknownName) as caught:
        ask()

    assert str(caught.value) == message
    assert isinstance(caught.value, DeixisError)


def test_only_an_ordered_attribute_has_ends():
    """Words such as 'small' need values that run from least to most."""
    SCHEMA.attribute("height").demand_order()

    with pytest.raises(SchemaError, match="'name' have no order"):
        NAME.demand_order()


def test_the_head_is_the_attribute_said_by_nouns():
    """A schema knows which attribute nouns name, where it says so."""
    assert SCHEMA.head is NAME
    assert Schema(name="bare", attributes=()).head is None
