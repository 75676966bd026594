from __future__ import annotations

import pytest

from deixis.errors import ParseError, SchemaError, UnknownName
from deixis.expression.description import Description
from deixis.expression.steps import Is, Not
from deixis.language._frames import Frame, FrameGrammar, article, synonyms


FRUIT = FrameGrammar(
    name="fruit",
    frames=(Frame.of("{a} {color} {kind}"), Frame.of("the {kind} is {color}"), Frame.of("{a} {kind}")),
    phrases={
        "color": {"orange": ("orange",), "dark": ("dark green", "deep-green"), "green": ("green",)},
        "kind": {"apple": ("apple",), "pear": ("pear",)},
    },
)


def said(**values: str) -> Description:
    return Description(tuple(Is(attribute, value) for attribute, value in values.items()))


def test_the_article_agrees_with_the_next_word():
    """'an' stands before a vowel, 'a' before any other letter."""
    assert FRUIT.realise(said(kind="pear", color="orange")).text == "an orange pear"
    assert FRUIT.realise(said(kind="apple", color="green")).text == "a green apple"
    assert (article("azure"), article("huge")) == ("an", "a")


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("choice", [0, 1])
def test_what_is_said_is_read_back(number, choice):
    """Reading gives the meaning, the frame and the words of every part, whichever phrase was chosen."""
    caption = FRUIT.realise(said(kind="apple", color="dark"), number, choices={"color": choice})

    again = FRUIT.parse(caption.text)

    assert again == caption
    assert again.expression == said(color="dark", kind="apple")
    assert again.words_of((0,)) == ("dark green", "deep-green")[choice]
    assert again.words_of((1,)) == "apple"


def test_a_hyphen_counts_as_a_space():
    """'deep green' and 'deep-green' say the same, and so do capitals and a full stop."""
    assert FRUIT.parse("The pear is deep green.").expression == FRUIT.parse("the pear is deep-green").expression


def test_the_first_frame_with_these_attributes_is_taken():
    """An expression chooses its frame by the attributes that it names."""
    assert FRUIT.realise(said(kind="apple")).number == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "the text ends at word 1"),
        ("a dark apple", "unexpected word 'apple' at word 3 of 'a dark apple'; expected 'green'"),
        ("the pear is", "the text ends at word 4 of 'the pear is'; expected"),
        ("a green pear now", "unexpected word 'now' at word 4 of 'a green pear now'; expected the end"),
        ("an green pear", "unexpected word 'an' at word 1 of 'an green pear'; expected 'a'"),
        ("a - pear", "unexpected word '-' at word 2"),
        ("la pomme", "unexpected word 'la' at word 1"),
        ("a " * 500, "expected at most 400 words"),
        ("a " + "x" * 500, "unexpected word 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_could_follow(text, complaint):
    """The error names the first word that no frame can go on with, and what could have stood there."""
    with pytest.raises(ParseError) as caught:
        FRUIT.parse(text)

    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "number", "complaint"),
    [
        (said(kind="apple"), 0, "caption 0 of fruit names color, kind, but the expression says kind"),
        (said(color="green"), None, "no caption of fruit says just color"),
        (Description(), None, "says just nothing"),
        (said(kind="apple", size="big"), 0, "cannot say [size=big]"),
        (Description((Not(Is("kind", "apple")),)), 0, "cannot say [not kind=apple]"),
        (Description((Is("kind", "apple"), Is("kind", "pear"))), 0, "says kind once"),
        (said(kind="plum"), 2, "no words for the kind 'plum'"),
        (said(kind="apple"), 3, "numbered from 0 to 2, got 3"),
        (said(kind="apple"), True, "numbered from 0 to 2, got True"),
    ],
)
def test_what_cannot_be_said_is_refused(expression, number, complaint):
    """An expression that does not fit the frame is an error that says why."""
    with pytest.raises((SchemaError, UnknownName), match=r".") as caught:
        FRUIT.realise(expression, number)

    assert complaint in str(caught.value)


def test_synonyms_come_from_a_lexicon_by_name():
    """Only lexicons that exist have synonyms; one that lists none has none."""
    assert synonyms("deixis.worlds.rooms")["shape"]["ball"] == ("sphere",)
    assert synonyms("deixis.worlds.grid") == {}
    with pytest.raises(UnknownName):
        synonyms("klingon")
