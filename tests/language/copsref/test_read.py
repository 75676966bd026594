from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deixis.errors import DeixisError, ParseError, SchemaError
from deixis.expression.steps import AnyOf, Not, Nth, Related
from deixis.worlds.photos.language import STYLES, Style, parse_reference, read_reference, realise_reference
from deixis.worlds.photos.scene.vocabulary import Vocabulary
from tests.language.copsref.sayings import VOCABULARY, d, n, sayings, w


VARIANTS = (*STYLES.values(), Style(relative="which", side="on"), Style(drops_before_doing=True))


@given(expression=sayings(), style=st.sampled_from(VARIANTS))
def test_what_is_said_is_read_back(expression, style):
    """Reading is the inverse of saying, in every style, and finds the same words for every part."""
    try:
        said = realise_reference(expression, style)
    except SchemaError:
        assume(False)

    read = read_reference(said.text, VOCABULARY)

    assert read.expression == expression
    assert dict(read.spans) == dict(said.spans)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("The clear glass that is on the table.", d(n("glass"), w("clear"), Related("on", d(n("table"))))),
        ("the second glass from right", d(n("glass"), Nth(2, "right"))),
        ("glass on the right that is clear", d(n("glass"), Nth(1, "right"), w("clear"))),
        ("a street light near an orange orange", d(n("street light"), Related("near", d(n("orange"), w("orange"))))),
        ("The cup that has the same colour as the light", d(n("cup"), Related("same color", d(n("light"))))),
        ("the cup that is of the man", d(n("cup"), Related("of", d(n("man"))))),
        ("the cups near the tables", d(n("cup"), Related("near", d(n("table"))))),
        ("the cup between the table", d(n("cup"), Related("between", d(n("table"))))),
        ("the wooden cup", d(n("cup"), w("wood"))),
        ("the man that is standing on the table", d(n("man"), Related("standing on", d(n("table"))))),
        (
            "the cup that is in the street or that is on the table and is not white",
            d(n("cup"), AnyOf((Related("in", d(n("street"))), Related("on", d(n("table"))))), Not(w("white"))),
        ),
        (
            "the light of the cup that is near the table and on the street",
            d(
                n("light"),
                Related("of", d(n("cup"), Related("near", d(n("table"))), Related("on", d(n("street"))))),
            ),
        ),
    ],
)
def test_other_wordings_are_read_too(text, expression):
    """Capitals, stops, plurals, British spelling and missing articles do not matter, and the longest match wins."""
    assert parse_reference(text, VOCABULARY) == expression


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the cup on the tabel", "unexpected word 'tabel' at word 5 .* expected a name"),
        ("the cup that is", "the text ends at word 5 .* expected a relation or an attribute"),
        ("the first cup", "the text ends at word 4 .* expected 'from the left'"),
        ("the cup that is white table", "unexpected word 'table' at word 6"),
        ("the cup that is on the table and", "the text ends at word 9"),
        ("", "the text ends at word 1 .* expected a name"),
        ("the purple cup", "unexpected word 'purple' at word 2"),
    ],
)
def test_an_error_names_the_word_that_cannot_be_read(text, message):
    """The message has the word, its place and what could stand there."""
    with pytest.raises(ParseError, match=message):
        parse_reference(text, VOCABULARY)


def test_careless_singulars_are_read():
    """Leaves, dishes and berries, with their last letter struck off, are still a leaf, a dish and a berry."""
    vocabulary = Vocabulary(names=("leaf", "dish", "berry", "knife", "glasses"))

    for text, name in (
        ("leave", "leaf"),
        ("dishe", "dish"),
        ("berrie", "berry"),
        ("knives", "knife"),
        ("glasse", "glasses"),
    ):
        assert parse_reference(f"the {text}", vocabulary) == d(n(name))


def test_names_that_are_whole_phrases_come_last():
    """Where a corpus calls a thing a 'white cup', 'the white cup' is still a cup that is white."""
    vocabulary = Vocabulary(names=("cup", "white cup", "paper towel", "towel"), words=("white", "paper"))

    assert parse_reference("the white cup", vocabulary) == d(n("cup"), w("white"))
    assert parse_reference("the paper towel", vocabulary) == d(n("paper towel"))


@pytest.mark.parametrize("text", ["the " + "orange " * 150, "the cup " + "that is on the cup " * 39, "cup " * 201])
def test_hostile_texts_are_answered_quickly(text):
    """Ambiguous, deep and endless texts are read or refused, never left hanging."""
    with suppress(DeixisError):
        assert parse_reference(text, VOCABULARY).steps
