from __future__ import annotations

import pytest
from hypothesis import given

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.parts import parts
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.testing import expressions
from deixis.worlds.photos._misreadings import (
    DISTRACTOR_KINDS,
    decode_misreading,
    encode_misreading,
    misreading_of,
    misreadings,
    noun_alone,
    noun_of,
    noun_with_attributes,
    nouns_as_related,
)
from tests.scene.graphs import SCHEMA


CUP = Description((Is("name", "cup"), Is("color", "red")))
MAN = Description(
    (Is("name", "man"), Nth(2, "left"), Is("other", "wet"), Related("holding", CUP), Related("near", CUP))
)


def test_what_is_left_of_an_expression_when_parts_go_unheard():
    """The noun is one reading, the noun with its attributes another; ranks and clauses belong to neither."""
    assert noun_alone(MAN) == Description((Is("name", "man"),))
    assert noun_with_attributes(MAN) == Description((Is("name", "man"), Is("other", "wet")))


def test_the_relations_that_an_expression_claims():
    """Clauses and alternatives are claimed, denied clauses are not; attributes do not matter."""
    cup = noun_alone(CUP)
    either = Description((Is("name", "man"), AnyOf((Related("holding", CUP), Related("near", CUP)))))
    neither = Description((Is("name", "man"), Not(Related("near", CUP))))

    expected = Description((Is("name", "man"), AnyOf((Related("holding", cup), Related("near", cup)))))
    assert nouns_as_related(MAN) == nouns_as_related(either) == expected
    assert nouns_as_related(neither) is None


def test_an_expression_without_a_noun_has_no_category():
    """Where no noun is said there is nothing to look for, and the error says so."""
    with pytest.raises(SchemaError, match="called"):
        noun_of(Description((Is("color", "red"),)))


def test_kinds_of_images_punish_different_readers():
    """From Cat to Cat&attr more is heard; DiffCat is passed by everybody who hears the noun."""
    found = {kind: misreading_of(kind, MAN) for kind in DISTRACTOR_KINDS}

    assert found["DiffCat"] is None
    assert [found[kind].kind for kind in DISTRACTOR_KINDS[1:]] == ["attribute", "phrase", "relation"]
    assert found["Cat"].expression == noun_alone(MAN)
    assert found["Cat&attr"].expression == noun_with_attributes(MAN)
    assert len(found["Cat"].parts) == len(found["Cat&attr"].parts) + 1


@given(expression=expressions(SCHEMA, min_steps=1))
def test_every_misreading_comes_back_from_its_code(expression):
    """A misreading is told by its kind and the places of the parts that go unheard."""
    for misreading in misreadings(expression):
        assert decode_misreading(encode_misreading(misreading), expression) == misreading


@given(expression=expressions(SCHEMA, min_steps=1))
def test_every_part_is_left_out_once(expression):
    """The single misreadings cover all parts but those whose absence says the same as that of another."""
    single = [one for one in misreadings(expression) if len(one.parts) == 1]

    assert len({one.expression for one in single}) == len(single) <= len(list(parts(expression)))
    assert all(one.expression != expression for one in single)


@pytest.mark.parametrize("code", ["nonsense 1", "relation x", "relation 9", "relation 1.1.1", "relation -1"])
def test_codes_of_other_expressions_are_refused(code):
    """A code that does not fit the expression is refused, not guessed at."""
    with pytest.raises(SchemaError):
        decode_misreading(code, MAN)
