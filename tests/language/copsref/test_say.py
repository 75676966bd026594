from __future__ import annotations

import pytest

from deixis.errors import SchemaError, UnknownName
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.language.copsref import Style, realise_reference
from deixis.schema import Which
from tests.language.copsref.sayings import d, n, w


ON_TABLE = Related("on", d(n("table"), w("wood")))
CLEAR_GLASS = d(n("glass"), Nth(2, "left"), w("clear"), Related("to the left of", d(n("gravy"), w("white"))))

FORMS = {
    "chain": (
        d(n("cup"), w("white"), Related("on", d(n("table"), Related("near", d(n("light")))))),
        "The white cup that is on the table that is near the light",
        "The white cup that is on the table that is near the light",
        "The white cup that is on the table that is near the light",
    ),
    "and": (
        d(n("cup"), w("white"), ON_TABLE, Related("near", d(n("man")))),
        "The white cup that is on the wooden table and near the man",
        "The white cup that is on the wood table and near the man",
        "The white cup on the wooden table and near the man",
    ),
    "or": (
        d(n("cup"), AnyOf((ON_TABLE, Related("near", d(n("man")))))),
        "The cup that is on the wooden table or near the man",
        "The cup that is on the wood table or near the man",
        "The cup on the wooden table or near the man",
    ),
    "order": (
        CLEAR_GLASS,
        "The second glass from the left that is clear and to the left of the white gravy",
        "the second glass from the left that is clear and to the left of white gravy",
        "The second glass from the left that is clear and to the left of the white gravy",
    ),
    "middle": (
        d(n("cup"), Nth(1, "middle"), w("white"), Related("near", d(n("man")))),
        "The cup in the middle that is white and near the man",
        "cup in the middle that is white and near man",
        "The cup in the middle that is white and near the man",
    ),
    "same": (
        d(n("cup"), Related("same color", d(n("light"), w("glass")))),
        "The cup that has the same color as the glass light",
        "The cup that has the same color as the glass light",
        "The cup that has the same color as the glass light",
    ),
    "not": (
        d(n("cup"), Not(w("orange"))),
        "The cup that is not orange",
        "The cup that is not orange",
        "The cup that is not orange",
    ),
    "not related": (
        d(n("cup"), Not(Related("on", d(n("table"))))),
        "The cup that is not on the table",
        "The cup that is not on the table",
        "The cup that is not on the table",
    ),
    "of": (
        d(n("light"), w("white"), Related("of", d(n("cup")))),
        "The white light of the cup",
        "The white light that is of the cup",
        "The white light of the cup",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_its_wording_in_every_style(form):
    """English, release and paper each say a form in their own way."""
    expression, *texts = FORMS[form]

    assert [realise_reference(expression, style).text for style in ("english", "release", "paper")] == texts


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (d(n("cup"), Related("has", d(n("orange"), w("white")))), "The cup that has a white orange"),
        (d(n("man"), Related("has", d(n("orange")))), "The man that has an orange"),
        (d(n("man"), Related("with", d(n("hair"), w("white")))), "The man with white hair"),
        (d(n("people"), Related("on", d(n("table")))), "The people that are on the table"),
        (d(n("people"), Related("has", d(n("table")))), "The people that have a table"),
        (d(n("cup"), Not(Related("has", d(n("light"))))), "The cup that does not have a light"),
        (d(n("man"), Related("near", d(n("pant"), w("white")))), "The man that is near the white pair of pants"),
        (d(n("man"), w("taking a photo"), ON_TABLE), "The man that is taking a photo and on the wooden table"),
        (d(n("cup"), Nth(1, "left"), w("glass")), "The first cup from the left that is made of glass"),
        (d(n("cup"), Not(w("orange")), ON_TABLE), "The cup that is not orange and is on the wooden table"),
        (
            d(n("cup"), ON_TABLE, AnyOf((Related("near", d(n("man"))), Related("has", d(n("light")))))),
            "The cup that is on the wooden table and either near the man or has a light",
        ),
        (d(w("white")), "The white object"),
        (d(n("cup"), Nth(22, "right")), "The 22nd cup from the right"),
    ],
)
def test_what_cannot_follow_that_is_is_said_as_english_says_it(expression, text):
    """Verbs, stuff, plurals, phrases and materials have a wording of their own."""
    assert realise_reference(expression).text == text


def test_a_style_has_variants():
    """Before an activity 'that is' can be dropped, 'which' can stand for 'that', and of two cups one is on the left."""
    touching = d(n("man"), Related("touching", d(n("cup"))))
    outermost = d(n("cup"), Nth(1, "left"), w("white"))

    assert realise_reference(touching, Style(drops_before_doing=True)).text == "The man touching the cup"
    assert realise_reference(touching, Style(relative="which")).text == "The man who is touching the cup"
    assert realise_reference(outermost, Style(side="on")).text == "The cup on the left that is white"


def test_a_word_can_be_said_by_another():
    """Synonyms take the place of names and attributes."""
    said = realise_reference(d(n("cup"), w("white"), ON_TABLE), synonyms={"cup": "beaker", "white": "pale"})

    assert said.text == "The pale beaker that is on the wooden table"


def test_every_part_knows_its_words():
    """Words for a part are found by its address; a rank in two pieces has its second under -2."""
    said = realise_reference(CLEAR_GLASS)

    spoken = {address: said.words_of(address) for address in said.spans}
    assert spoken == {
        (0,): "glass",
        (1,): "second",
        (1, -2): "from the left",
        (2,): "clear",
        (3,): "to the left of the white gravy",
        (3, 0): "gravy",
        (3, 1): "white",
        (-1,): "The second glass from the left",
        (3, -1): "the white gravy",
    }


@pytest.mark.parametrize(
    "expression",
    [
        d(n("cup"), Related("on", d(n("table"), ON_TABLE)), Related("near", d(n("man")))),
        d(n("cup"), AnyOf((Related("on", d(n("table"), ON_TABLE)), Related("near", d(n("man")))))),
        d(n("cup"), Extreme("size", Which.LEAST)),
        d(n("cup"), Not(Not(w("white")))),
        d(n("cup"), Not(Nth(1, "left"))),
        d(n("cup"), AnyOf((w("white"), AnyOf((w("clear"), ON_TABLE))))),
        d(n("cup"), ON_TABLE, Nth(1, "left")),
        d(n("cup"), ON_TABLE, Is("name", "man")),
    ],
)
def test_what_words_cannot_show_is_refused(expression):
    """A meaning that no word order shows is an error, not a wrong text."""
    with pytest.raises(SchemaError):
        realise_reference(expression)


def test_an_unknown_style_is_an_error():
    """A wording that does not exist is named, with those that do."""
    with pytest.raises(UnknownName, match="no wording 'telegraph'; known: english, release, paper"):
        realise_reference(d(n("cup")), "telegraph")
