from __future__ import annotations

import pytest

from deixis.errors import SchemaError, UnknownName
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.schema import Which
from deixis.worlds.photos.language import Style, realise_reference
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
        (d(n("man"), Related("has", d(n("orange")))), "The man who has an orange"),
        (d(n("man"), Related("with", d(n("hair"), w("white")))), "The man with white hair"),
        (d(n("people"), Related("on", d(n("table")))), "The people who are on the table"),
        (d(n("people"), Related("has", d(n("table")))), "The people who have a table"),
        (d(n("cup"), Not(Related("has", d(n("light"))))), "The cup that does not have a light"),
        (d(n("man"), Related("near", d(n("pant"), w("white")))), "The man who is near the white pair of pants"),
        (d(n("man"), w("taking a photo"), ON_TABLE), "The man who is taking a photo and on the wooden table"),
        (d(n("cup"), Nth(1, "left"), w("glass")), "The first cup from the left that is made of glass"),
        (d(n("cup"), Not(w("orange")), ON_TABLE), "The cup that is not orange and is on the wooden table"),
        (
            d(n("cup"), ON_TABLE, AnyOf((Related("near", d(n("man"))), Related("has", d(n("light")))))),
            "The cup that is on the wooden table and either is near the man or has a light",
        ),
        (d(w("white")), "The white object"),
        (d(n("cup"), Nth(22, "right")), "The 22nd cup from the right"),
    ],
)
def test_what_cannot_follow_that_is_is_said_as_english_says_it(expression, text):
    """Verbs, stuff, plurals, phrases and materials have a wording of their own."""
    assert realise_reference(expression).text == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (d(n("cup"), Related("near", d(n("cup")))), "The cup that is near another cup"),
        (
            d(n("cup"), w("white"), Related("near", d(n("cup"), w("white")))),
            "The white cup that is near another white cup",
        ),
        (d(n("cup"), w("white"), Related("near", d(n("cup"), w("clear")))), "The white cup that is near the clear cup"),
        (
            d(n("cup"), Related("near", d(n("cup"), Nth(2, "left")))),
            "The cup that is near the second cup from the left",
        ),
        (d(n("people"), Related("near", d(n("people")))), "The people who are near other people"),
        (d(n("cup"), Related("has", d(n("cup")))), "The cup that has another cup"),
        (
            d(n("cup"), Related("on", d(n("table"), Related("near", d(n("table")))))),
            "The cup that is on the table that is near another table",
        ),
    ],
)
def test_a_noun_that_is_said_twice_is_another(expression, text):
    """What the words would fit as well as something said before is another one; other adjectives tell it apart."""
    assert realise_reference(expression).text == text


def test_the_release_says_the_same_noun_twice():
    """The wording of the released files has no 'another', no 'who', no capitals and no activity behind its noun."""
    expression = d(n("man"), w("sitting"), Related("near", d(n("man"), w("american"))))

    assert realise_reference(expression, "release").text == "The sitting man that is near the american man"
    assert realise_reference(expression).text == "The man sitting near the American man"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (d(n("man"), w("riding")), "The man riding"),
        (d(n("cup"), Related("near", d(n("man"), w("sitting")))), "The cup that is near the man sitting"),
        (d(n("man"), w("sitting"), ON_TABLE), "The man sitting on the wooden table"),
        (
            d(n("man"), w("sitting"), Related("near", d(n("cup"))), Related("on", d(n("table")))),
            "The man sitting near the cup and on the table",
        ),
        (d(n("man"), w("sitting"), Related("has", d(n("cup")))), "The man who is sitting and has a cup"),
        (d(n("man"), w("sitting"), Related("with", d(n("cup")))), "The man who is sitting and with a cup"),
        (d(n("man"), w("sitting"), Not(ON_TABLE)), "The man who is sitting and not on the wooden table"),
        (d(n("man"), w("sitting"), Related("touching", d(n("cup")))), "The man who is sitting and touching the cup"),
        (d(n("man"), Nth(2, "left"), w("sitting")), "The second man from the left who is sitting"),
    ],
)
def test_an_activity_is_said_behind_its_noun(expression, text):
    """Nobody says 'the riding man'."""
    assert realise_reference(expression).text == text


def test_an_activity_can_be_said_apart_from_the_clause():
    """Where 'sitting on' is a relation of the corpus, sitting and being on the table are said one by one."""
    expression = d(n("man"), w("sitting"), ON_TABLE)

    said = realise_reference(expression, Style(joins_activities=False)).text

    assert said == "The man who is sitting and on the wooden table"


def test_alternatives_of_two_kinds_have_a_verb_each():
    """'either near the man or has a light' is no English."""
    near, has = Related("near", d(n("man"))), Related("has", d(n("light")))

    assert realise_reference(d(n("cup"), ON_TABLE, AnyOf((has, near)))).text.endswith(
        "either has a light or is near the man"
    )
    assert realise_reference(d(n("cup"), AnyOf((near, has)))).text == "The cup that is near the man or has a light"


def test_an_activity_before_a_verb_keeps_its_pronoun():
    """'the man touching the cup and has a light' is no English either."""
    expression = d(n("man"), Related("touching", d(n("cup"))), Related("has", d(n("light"))))

    said = realise_reference(expression, Style(drops_before_doing=True)).text

    assert said == "The man who is touching the cup and has a light"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (d(n("tv")), "The TV"),
        (d(n("man"), Related("has", d(n("suv")))), "The man who has an SUV"),
        (d(n("cup"), Related("has", d(n("flag"), w("american")))), "The cup that has an American flag"),
        (d(n("man"), Related("near", d(n("t-shirt"), w("white")))), "The man who is near the white T-shirt"),
        (d(n("man"), Related("has", d(n("cpu")))), "The man who has a CPU"),
        (
            d(n("police officer"), Related("near", d(n("crowd"), Related("near", d(n("cup")))))),
            "The police officer who is near the crowd that is near the cup",
        ),
    ],
)
def test_words_are_spelt_as_english_spells_them(expression, text):
    """Proper adjectives and abbreviations have capitals, and people are 'who'."""
    assert realise_reference(expression).text == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (d(n("man"), Related("wearing", d(n("glass")))), "The man who is wearing glasses"),
        (d(n("man"), Related("wearing", d(n("shirt"), w("orange")))), "The man who is wearing an orange shirt"),
        (d(n("man"), Related("wearing", d(n("pant"), w("white")))), "The man who is wearing white pants"),
        (d(n("man"), Not(Related("wearing", d(n("shoe"))))), "The man who is not wearing shoes"),
        (
            d(n("man"), Related("wearing", d(n("short"), Related("has", d(n("logo")))))),
            "The man who is wearing shorts that have a logo",
        ),
        (
            d(n("man"), Related("wearing", d(n("shirt"))), Related("near", d(n("shirt")))),
            "The man who is wearing a shirt and near another shirt",
        ),
    ],
)
def test_what_is_worn_is_said_as_people_say_it(expression, text):
    """Nobody wears 'the shoe' or 'the black pair of pants'."""
    assert realise_reference(expression).text == text


def test_what_is_worn_keeps_its_plural_beside_synonyms():
    """A synonym is a word for one of them."""
    said = realise_reference(d(n("man"), Related("wearing", d(n("sneaker")))), synonyms={"sneaker": "trainer"})

    assert said.text == "The man who is wearing sneakers"


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
