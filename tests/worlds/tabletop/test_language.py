"""Expressions about solids in words: said as a person would, read back with the same meaning and spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import DeixisError, ParseError, SchemaError
from deixis.expression import AnyOf, Description, Is, Not, Nth, Related
from deixis.expression.parts import parts
from deixis.seeds import Stream
from deixis.worlds.tabletop._language.part import LANGUAGE
from deixis.worlds.tabletop._language.say import choose_determiners, say
from deixis.worlds.tabletop._making.forms import Phrases
from deixis.worlds.tabletop._making.recipe import FORMS
from deixis.worlds.tabletop._scene import SolidScene
from deixis.worlds.tabletop._solids import Solid, Tabletop


CUBE, SPHERE, RED, SHINY = Is("shape", "cube"), Is("shape", "sphere"), Is("color", "red"), Is("material", "shiny")
SAID = {
    "the small shiny red cube left of the large sphere": Description(
        (CUBE, RED, SHINY, Is("size", "small"), Related("left of", Description((SPHERE, Is("size", "large")))))
    ),
    "the second cube from the left": Description((CUBE, Nth(2, "left"))),
    "the frontmost red object": Description((RED, Nth(1, "bottom"))),
    "the cube that is the same color as a ring": Description(
        (CUBE, Related("same color", Description((Is("shape", "torus"),))))
    ),
    "the cube that is near a sphere and not red": Description(
        (CUBE, Related("near", Description((SPHERE,))), Not(RED))
    ),
    "the cube that is neither red nor made of the same material as any sphere": Description(
        (CUBE, Not(AnyOf((RED, Related("same material", Description((SPHERE,)))))))
    ),
    "the object that is either a cube or behind the leftmost sphere": Description(
        (AnyOf((CUBE, Related("behind", Description((SPHERE, Nth(1, "left")))))),)
    ),
    "the cube left of a sphere that is behind an object": Description(
        (CUBE, Related("left of", Description((SPHERE, Related("behind", Description())))))
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_english_is_read_and_said(text):
    """Every form has its words, and reading is the inverse of saying."""
    read = LANGUAGE.read(text)

    assert read.expression == SAID[text]
    again = say(SAID[text], ["a" if one == "an" else one for one in read.determiners])
    assert (again.text, again.spans) == (text, read.spans)


@given(st.integers(0, 2**40), st.sampled_from(FORMS), st.booleans())
def test_whatever_is_drawn_can_be_said_and_read(seed, form, is_every_word):
    """Expressions of all forms come back with their meaning, and every part has its words."""
    expression = Phrases(Stream(seed), relations=3, is_every_word=is_every_word).expression(form)
    said = LANGUAGE.realise(expression)
    read = LANGUAGE.read(said.text)

    assert read.expression == expression
    assert read.spans == said.spans
    assert all(said.words_of(part.address) for part in parts(expression))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The block to the left of the big ball.", "the cube left of the large sphere"),
        ("a thing next to the donut", "a object near the ring"),
        ("the cube which is not either red or tiny", "the cube that is neither red nor small"),
    ],
)
def test_other_words_for_the_same_are_read(text, plain):
    """Capitals, a full stop and usual synonyms do not matter."""
    assert LANGUAGE.read(text).expression == LANGUAGE.read(plain).expression


@pytest.mark.parametrize(
    ("text", "position", "word", "suggestion"),
    [
        ("the red cub", 3, "cub", "the red cube"),
        ("the cube left the sphere", 4, "the", "the cube left of the sphere"),
        ("the cube that is beside a sphere", 5, "beside", "the cube that is near a sphere"),
        ("cube", 1, "cube", "the cube"),
        ("the second cube", 4, "", ""),
    ],
)
def test_what_cannot_be_read_is_named_with_its_position(text, position, word, suggestion):
    """With a suggestion where there is one."""
    with pytest.raises(ParseError) as caught:
        LANGUAGE.read(text)

    assert (caught.value.position, caught.value.word) == (position, word)
    assert caught.value.suggestion == suggestion


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_in_one_line(text):
    """Never with another error."""
    told = ""
    try:
        LANGUAGE.read(text)
    except DeixisError as error:
        told = str(error)
    assert "\n" not in told


@pytest.mark.parametrize(
    "expression",
    [
        Description((Nth(2, "left"), CUBE)),
        Description((Related("near", Description((CUBE,))), RED)),
        Description((Not(Not(CUBE)),)),
        Description((CUBE, SPHERE)),
        Description((Related("near", Description((CUBE, Not(RED)))), Related("behind", Description((SPHERE,))))),
        Description((Nth(11, "left"),)),
    ],
)
def test_what_cannot_be_said_is_refused(expression):
    """Rather than said in words that mean something else."""
    with pytest.raises(SchemaError):
        LANGUAGE.realise(expression)


def test_determiners_follow_the_scene():
    """What is there once is 'the', what could be the first thing itself is 'another', what is denied is 'any'."""
    solids = (solid("cube", 0), solid("cube", 900), solid("sphere", 1_800), solid("cone", 2_700))
    scene = SolidScene(Tabletop(solids=solids))

    def said(text):
        expression = LANGUAGE.read(text).expression
        return say(expression, choose_determiners(expression, scene)).text

    assert said("the cube near a sphere") == "the cube near the sphere"
    assert said("the cube near a cube") == "the cube near another cube"
    assert said("the cone right of a cube") == "the cone right of a cube"
    assert said("the cone that is not near a cube") == "the cone that is not near any cube"


def solid(shape, x):
    """A small red solid."""
    return Solid(shape=shape, color="red", material="matte", size="small", x=x, y=x // 3)
