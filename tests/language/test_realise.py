"""Meaning to words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.expression import AnyOf, Description, Extreme, Is, Not, Nth, Related, parts
from deixis.language import Instruction
from deixis.schema import Which
from deixis.testing import PLAIN_KINDS, expressions, the
from deixis.worlds.grid.language import WORDS, parse, phrase_words, realise


SMALL = Extreme("size", Which.LEAST)
CHAIN = "the big red circle that is in the same row as a small square that is inside of a blue box"


def test_a_command_is_said_with_verb_and_manner():
    """Verb, noun phrase, clauses and manner follow each other."""
    expression = the("object", Related("inside", the("box", color="red")), color="green", size="big")

    said = realise(Instruction("push", expression, "while spinning"))

    assert said.text == "push the big green object that is inside of a red box while spinning"


@pytest.mark.parametrize(("verb", "surface"), [("walk", "walk to"), ("push", "push"), ("pull", "pull")])
def test_walk_is_said_with_to(verb, surface):
    """The verb walk has two words, the others one."""
    assert realise(Instruction(verb, the("circle"))).text == f"{surface} the circle"


def test_clauses_are_joined_by_that_is_and_and():
    """The first clause of a head follows 'that is', further ones 'and', and a clause may have clauses of its own."""
    inner = the("square", Related("same column", the("cylinder", color="red")), size="small")
    expression = the("circle", Related("same row", the("box", color="blue")), Related("same size", inner))

    text = realise(expression).text

    assert text == (
        "the circle that is in the same row as a blue box and in the same size as a small square "
        "that is in the same column as a red cylinder"
    )


def test_determiners_can_be_chosen():
    """Each mention gets the determiner asked for, in the order of the words."""
    said = realise(parse(CHAIN), determiners=("a", "the", "a"))

    assert said.text == ("a big red circle that is in the same row as the small square that is inside of a blue box")
    assert said.determiners == ("a", "the", "a")


def test_the_words_of_every_part_are_known():
    """Each part, and each whole noun phrase, has the span of the words that say it."""
    said = realise(Instruction("walk", parse(CHAIN), "cautiously"))

    by_address = {address: said.words_of(address) for address in said.spans}

    assert by_address == {
        (-1,): "the big red circle",
        (0,): "circle",
        (1,): "red",
        (2,): "big",
        (3,): "in the same row as a small square that is inside of a blue box",
        (3, -1): "a small square",
        (3, 0): "square",
        (3, 1): "small",
        (3, 2): "inside of a blue box",
        (3, 2, -1): "a blue box",
        (3, 2, 0): "box",
        (3, 2, 1): "blue",
    }


@given(expressions(kinds=PLAIN_KINDS, in_spoken_order=True))
def test_every_part_that_is_said_has_a_span(expression):
    """Whatever can be said has a span for each of its parts, and for nothing that is not there."""
    try:
        said = realise(expression)
    except DeixisError:
        return

    assert {address for address in said.spans if address[-1] >= 0} == {part.address for part in parts(expression)}


@given(expressions(max_steps=3))
def test_what_is_said_means_the_same(expression):
    """An expression is either refused or said in words that mean the same, the order of filters aside."""
    try:
        text = realise(expression).text
    except DeixisError:
        return

    assert parse(text).canonical() == expression.canonical()


def test_the_words_of_a_noun_phrase_stand_alone():
    """`phrase_words` leaves out determiner and clauses."""
    expression = parse(CHAIN)

    assert phrase_words(expression) == "big red circle"
    assert [phrase_words(mention) for mention in expression.mentions()] == [
        "big red circle",
        "small square",
        "blue box",
    ]
    assert phrase_words(Description()) == "object"


def test_a_language_with_one_determiner_uses_it_throughout():
    """Where there is no indefinite determiner, every mention is definite."""
    words = replace(WORDS, determiners=("the",))

    text = realise(parse("the circle that is inside of a red box"), words=words).text

    assert text == "the circle that is inside of the red box"


@pytest.mark.parametrize(
    ("expression", "error", "message"),
    [
        (the("circle", Nth(2, "left")), SchemaError, r"cannot say \[#2 from left\]"),
        (the("circle", Not(Is("color", "red"))), SchemaError, r"cannot say \[not color=red\]"),
        (Description((AnyOf((Is("color", "red"), Is("color", "blue"))),)), SchemaError, "cannot say"),
        (Description((Is("color", "red"), Is("color", "blue"))), SchemaError, "says color once, not twice"),
        (Description((SMALL, Extreme("size", Which.MOST))), SchemaError, "says size once, not twice"),
        (Description((Is("material", "metal"),)), SchemaError, "no place for material in a noun phrase"),
        (Description((Is("color", "pink"),)), UnknownName, r"no word for \[color=pink\]"),
        (Description((Is("size", "3"),)), UnknownName, r"no word for \[size=3\]"),
        (Description((Extreme("color", Which.MOST),)), UnknownName, r"no word for \[color=most\]"),
        (the("circle", Related("on", the("box"))), UnknownName, "no relation 'on'"),
        (Description((SMALL, Is("color", "red"))), SchemaError, "put it after the values and before the clauses"),
        (the("circle", Related("same row", the("box")), SMALL), SchemaError, "put it after the values"),
        (
            the("circle", Related("same row", parse("a box that is inside of a box")), Related("inside", the("box"))),
            SchemaError,
            "only the last of several clauses",
        ),
    ],
)
def test_what_cannot_be_said_is_refused(expression, error, message):
    """An expression beyond the language is refused with a reason, never said in words that mean something else."""
    with pytest.raises(error, match=message):
        realise(expression)


@pytest.mark.parametrize(
    ("instruction", "determiners", "message"),
    [
        (Instruction("eat", the("circle")), None, "no verb 'eat'"),
        (Instruction("push", the("circle"), "gladly"), None, "no manner 'gladly'"),
        (Instruction("push", the("circle")), (), "has 1 mentions, but 0 determiners"),
        (Instruction("push", the("circle")), ("the", "a"), "has 1 mentions, but 2 determiners"),
        (Instruction("push", the("circle")), ("an",), "'an' is no determiner; known: the, a"),
    ],
)
def test_unknown_verbs_manners_and_determiners_are_refused(instruction, determiners, message):
    """A verb, manner or determiner that the language lacks is named, and so is a wrong number of determiners."""
    with pytest.raises(DeixisError, match=message):
        realise(instruction, determiners=determiners)
