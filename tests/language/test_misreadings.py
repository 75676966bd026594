"""Misreadings in words, for languages of any schema."""

from __future__ import annotations

from deixis.distractors.misreadings import misreadings
from deixis.expression import Is
from deixis.language import Lexicon
from deixis.language._misreadings import say_misreading
from deixis.schema import Attribute, Relation, Schema
from deixis.worlds.toolkit import PhraseLanguage


FRUIT = Schema(
    name="fruit",
    attributes=(
        Attribute(name="shape", values=("round", "long")),
        Attribute(name="kind", values=("apple", "pear"), is_head=True),
    ),
    relations=(Relation(name="near"), Relation(name="above")),
)
WORDS = Lexicon(
    name="fruit",
    determiners=("the", "a"),
    relative="that is",
    conjunction="and",
    top="thing",
    slots=("shape", "kind"),
    words={
        "shape": {value: Is("shape", value) for value in ("round", "long")},
        "kind": {value: Is("kind", value) for value in ("apple", "pear")},
    },
    relations={"near": "near", "above": "above"},
    verbs={},
    manners={},
)


def test_nouns_are_what_the_language_says_last():
    """Whichever attribute that is; a shape that is said by an adjective is no noun."""
    utterance = PhraseLanguage(WORDS).read("the apple that is near a round pear and above a long apple")
    said = {say_misreading(one, utterance, words=WORDS) for one in misreadings(utterance.expression, FRUIT)}

    assert "swapped the nouns of ‘a round pear’ and ‘a long apple’" in said
    assert "swapped the shapes of ‘a round pear’ and ‘a long apple’" in said
