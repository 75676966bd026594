"""Words: the vocabulary, and looking words up in both directions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis.errors import UnknownName
from deixis.expression import Extreme, Is
from deixis.language.lexicon import lexicon
from deixis.schema import Which
from deixis.worlds.grid.language import WORDS


RELEASED = Path(__file__).parents[2] / "../shared/data/reascan/input_vocabulary.txt"
VOCABULARY = (
    "a and as big blue box cautiously circle color column cylinder green hesitantly in inside is object of pull push "
    "red row same shape size small spinning square that the to walk while yellow zigzagging"
)


def test_the_language_has_the_35_words_of_reascan():
    """The vocabulary is ReaSCAN's, word for word."""
    words = WORDS.vocabulary()

    assert words == tuple(VOCABULARY.split())
    assert len(words) == 35


@pytest.mark.skipif(not RELEASED.exists(), reason="the released vocabulary is not beside the checkout")
def test_the_vocabulary_is_that_of_the_released_file():
    """The released vocabulary file lists our words and three marks, nothing else."""
    listed = json.loads(RELEASED.read_text())["idx_to_word"]

    assert sorted(set(listed) - {"<PAD>", "<SOS>", "<EOS>"}) == list(WORDS.vocabulary())


def test_every_word_is_found_from_its_meaning():
    """Looking up the meaning of a word and then the word for that meaning leads back."""
    words = WORDS

    pairs = [(word, step) for table in words.words.values() for word, step in table.items()]

    assert len(pairs) == 10
    assert all(words.word_for(step) == word for word, step in pairs)


def test_every_phrase_is_found_from_its_name():
    """Relations, verbs and manners have one phrase each, found from the name."""
    words = WORDS

    assert {words.phrase_for(name): name for name in words.relations.values()} == words.relations
    assert {words.verb_phrase(name): name for name in words.verbs.values()} == words.verbs
    assert {words.manner_phrase(name): name for name in words.manners.values()} == words.manners


def test_big_and_small_point_to_the_ends_of_size():
    """'big' means towards the most, 'small' towards the least."""
    assert WORDS.words["size"] == {"big": Extreme("size", Which.MOST), "small": Extreme("size", Which.LEAST)}


@pytest.mark.parametrize(
    ("look_up", "message"),
    [
        (lambda words: words.word_for(Is("color", "pink")), r"no word for \[color=pink\]"),
        (lambda words: words.word_for(Is("size", "3")), r"no word for \[size=3\]"),
        (lambda words: words.phrase_for("on"), "no relation 'on'; known: same row, same column"),
        (lambda words: words.verb_phrase("eat"), "no verb 'eat'; known: walk, push, pull"),
        (lambda words: words.manner_phrase("gladly"), "no manner 'gladly'; known: while zigzagging"),
        (lambda _: lexicon("klingon"), "there is no lexicon 'klingon'"),
    ],
)
def test_what_cannot_be_said_is_named(look_up, message):
    """An unknown meaning, name or language is an error that says what is unknown."""
    with pytest.raises(UnknownName, match=message):
        look_up(WORDS)
