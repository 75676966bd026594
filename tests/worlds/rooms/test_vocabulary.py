from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError, UnknownName
from deixis.worlds.rooms.captions import GRAMMARS, caption, captions, frames, segments
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.vocabulary import (
    RELEASED_LENGTH,
    CaptionVocabulary,
    encode_captions,
    tokenise,
    unknown_words,
    vocabulary,
)


def test_tokens_are_small_and_marks_stand_alone():
    """Capitals and hyphens vanish, marks become tokens, quotation marks and colons vanish."""
    assert tokenise("A medium-sized ball, isn't it?") == (
        *("a", "medium", "sized", "ball", ",", "isn", "'", "t", "it", "?"),
    )
    assert tokenise(' "Red": (here); ') == ("red", "(", "here", ")")
    assert tokenise("") == ()


def test_the_released_vocabulary_has_the_published_numbers():
    """Forty-seven entries, of which the first four are no words."""
    words = vocabulary("released")

    assert len(words) == 47
    known = {"START": 0, "END": 1, "UNK": 2, "PAD": 3, "a": 4, "wall": 14, "pill": 30, "sized": 33, "light": 40}
    assert {word: words.numbers[word] for word in known} == known
    assert words.words[-1] == "pink"


def test_each_vocabulary_begins_with_the_one_before():
    """What was trained with fewer words can go on with more."""
    released, complete, natural = (vocabulary(name).words for name in ("released", "complete", "natural"))

    assert complete == (*released, "there")
    assert natural[: len(complete)] == complete
    assert len(natural) == 79


def test_the_released_vocabulary_loses_one_word_of_the_short_captions():
    """'there' is missing: eleven of twenty-seven short captions begin with UNK."""
    assert unknown_words(vocabulary("released"), "short") == {"there": 11 * IMAGES}
    assert unknown_words(vocabulary("released"), "exhaustive") == {}


@pytest.mark.parametrize(("name", "grammars"), [("complete", GRAMMARS[:3]), ("natural", GRAMMARS)])
def test_nothing_gets_lost(name, grammars):
    """Encoding and decoding gives the tokens back for every template with every terminal."""
    words = vocabulary(name)

    for grammar in grammars:
        assert unknown_words(words, grammar) == {}
        for number in range(len(frames(grammar))):
            parts = segments(number, grammar)
            first = [segment.phrases[0] for segment in parts]
            for place, segment in enumerate(parts):
                for phrase in segment.phrases:
                    text = " ".join([*first[:place], phrase, *first[place + 1 :]])
                    assert words.decode(words.encode(text)) == " ".join(tokenise(text))


@given(
    some=st.lists(st.integers(0, IMAGES - 1), max_size=4),
    grammar=st.sampled_from(GRAMMARS),
    length=st.integers(2, 40),
    name=st.sampled_from(["released", "complete", "natural"]),
)
def test_whole_arrays_are_encoded_as_single_captions_are(some, grammar, length, name):
    """The fast way agrees with encoding text by text, with any length and words that are not known."""
    words = vocabulary(name)

    fast = encode_captions(some, grammar, words=words, length=length)

    assert fast.shape == (len(some), len(frames(grammar)), length)
    assert fast.tolist() == [[words.encode(text, length) for text in captions(image, grammar)] for image in some]


def test_the_released_length_cuts_the_longest_captions():
    """Twenty-three words remain of captions with more: 0.27 % of the exhaustive ones."""
    longest = caption(int(np.ravel_multi_index((4, 6, 7, 2, 1, 2), (10, 10, 10, 8, 4, 15))), 4)
    words = vocabulary("released")

    assert len(tokenise(longest)) == 25
    assert words.decode(words.encode(longest, RELEASED_LENGTH)) == " ".join(tokenise(longest)[:23])


def test_decoding_stops_at_the_end():
    """What stands behind END is left out, and so is padding."""
    words = vocabulary("released")

    assert words.decode([0, 4, 3, 29, 1, 7]) == "a ball"
    assert words.encode("a ball", 6) == [0, 4, 29, 1, 3, 3]
    assert words.unknown_in("there is a cat") == ("there", "cat")
    assert words.encode("END of START") == [0, 2, 13, 2, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: CaptionVocabulary(("START", "END", "UNK", "PAD", "a", "a")),
        lambda: CaptionVocabulary(("START", "END", "UNK", "a")),
        lambda: vocabulary("released").decode([47]),
        lambda: vocabulary("released").decode([-1]),
        lambda: vocabulary("released").encode("a", 1),
        lambda: encode_captions([0], length=1),
        lambda: encode_captions([IMAGES]),
    ],
)
def test_wrong_words_and_numbers_are_refused(wrong):
    """Each entry stands once, the special ones are there, and numbers lie within the vocabulary."""
    with pytest.raises(SchemaError):
        wrong()


def test_an_unknown_vocabulary_is_named():
    """The error lists the known names."""
    with pytest.raises(UnknownName, match="complete"):
        vocabulary("enormous")
