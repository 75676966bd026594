"""What somebody may have meant: slips, left-out words and other wordings."""

from __future__ import annotations

import pytest

from deixis.errors import ParseError
from deixis.worlds.grid.language import WORDS, parse, parse_instruction, read, read_typed


MEANT = {
    "push the red circel": "push the red circle",
    "push the red circel that is": "push the red circle that is",
    "pull the circle hesitently": "pull the circle hesitantly",
    "push the rde circle": "push the red circle",
    "go to the red circle": "walk to the red circle",
    "walk the circle": "walk to the circle",
    "push circle": "push the circle",
    "red circle": "the red circle",
    "push an object": "push a object",
    "push the large circle": "push the big circle",
    "the circle that is inside a box": "the circle that is inside of a box",
    "the circle that is in a box": "the circle that is inside of a box",
    "the circle which is in the same row as a square": "the circle that is in the same row as a square",
    "the circle that is in the same colour as a square": "the circle that is in the same color as a square",
    "the circle that is the same size as a red square": "the circle that is in the same size as a red square",
    "walk to the circle which is inside a big bxo and that is in the same row as a squar": (
        "walk to the circle that is inside of a big box and in the same row as a square"
    ),
}


@pytest.mark.parametrize("text", MEANT)
def test_what_was_meant_is_asked(text):
    """A text with slips, left-out words or other wordings is answered by the one that may have been meant."""
    with pytest.raises(ParseError) as caught:
        read_typed(text, any_order=True)

    assert caught.value.suggestion == MEANT[text]
    assert str(caught.value).endswith(f"; did you mean {MEANT[text]!r}?")


@pytest.mark.parametrize("text", ["push the pink circle", "kick the ball", "push the", "", "push the red red circle"])
def test_nothing_is_guessed_where_nothing_is_near(text):
    """What the language has no word for, and what only ends too early, is told as ever."""
    with pytest.raises(ParseError) as caught:
        read_typed(text)

    assert caught.value.suggestion == ""
    assert "; expected " in str(caught.value)


@pytest.mark.parametrize("end", [".", " .", "!", "...", ".\n", "?"])
def test_a_full_stop_at_the_end_is_no_word(end):
    """People end commands with a full stop and begin them with a capital; datasets do not."""
    text = "Push the red circle that is inside of a box"

    assert read_typed(f"{text}{end}") == read(text)
    assert parse_instruction(f"{text}{end}") == parse_instruction(text)
    assert parse(f"the red circle{end}") == parse("the red circle")
    with pytest.raises(ParseError):
        read(f"{text}{end}")


def test_every_other_wording_leads_to_words_of_the_language():
    """What is proposed is made of words of the vocabulary, and no phrase of the language is replaced."""
    words = WORDS
    known = {*words.vocabulary(), *" ".join(words.bare).split()}

    assert {word for phrase in words.wordings.values() for word in phrase.split()} <= known
    assert not set(words.wordings) & {*words.verbs, *words.relations, *words.manners, words.relative}


def test_a_long_text_of_nonsense_is_refused_soon():
    """However much is wrong, only a few changes are tried."""
    with pytest.raises(ParseError) as caught:
        read_typed(" ".join(["push the circel"] * 100))

    assert caught.value.suggestion.startswith("push the circle push")
