from __future__ import annotations

import pytest

from deixis.worlds.photos.language import words_of_photographs


WORDS = words_of_photographs()


@pytest.mark.parametrize(
    "relation", ["on", "to the left of", "wearing", "sitting on top of", "parked next to", "taller than"]
)
def test_relations_that_follow_that_is(relation):
    """Prepositions, activities with an object and participles can follow 'that is'."""
    assert WORDS.can_follow_that_is(relation)


@pytest.mark.parametrize("relation", ["sitting", "of", "has", "and", "a", "white", "see papers corner", "between", ""])
def test_relations_that_do_not_follow_that_is(relation):
    """Activities without an object, verbs, fragments and noise cannot."""
    assert not WORDS.can_follow_that_is(relation)


def test_relations_with_a_wording_of_their_own_can_be_chosen():
    """'of', 'with' and finite verbs are said, though not after 'that is'."""
    assert all(WORDS.can_be_chosen(relation) for relation in ("of", "with", "has", "contain"))


def test_adjectives_modifiers_and_phrases_stand_in_different_places():
    """'red' stands on both sides, 'tennis' before the noun, 'upside down' after it, 'here' nowhere."""
    places = {
        word: (WORDS.can_stand_before(word), WORDS.can_stand_after(word))
        for word in ("red", "tennis", "upside down", "here")
    }

    assert places == {
        "red": (True, True),
        "tennis": (True, False),
        "upside down": (False, True),
        "here": (False, False),
    }


def test_a_thing_is_no_phrase():
    """'paper towel' and 'orange' are things; 'black sign', 'white' and 'area' are not."""
    assert [
        name for name in ("paper towel", "orange", "black sign", "white", "area", "no. 9") if WORDS.is_a_thing(name)
    ] == [
        "paper towel",
        "orange",
    ]


def test_stuff_is_not_counted():
    """There is a second cup, but no second grass and no second people."""
    assert [name for name in ("cup", "grass", "people") if WORDS.can_be_counted(name)] == ["cup"]


def test_no_word_is_its_own_synonym():
    """A synonym is another word."""
    for table in (WORDS.name_synonyms, WORDS.attribute_synonyms, {k: (v,) for k, v in WORDS.said_names.items()}):
        assert all(word not in others for word, others in table.items())
