from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deixis as dx
from deixis.errors import ParseError
from deixis.language.tolerant import known_words, nearest_word, read_tolerantly, slips
from deixis.testing import PLAIN_KINDS, expressions
from deixis.worlds.grid.language import LANGUAGE, WORDS
from deixis.worlds.registry import known_worlds


WORD = st.text("abcde", max_size=6)
KNOWN = sorted(word for word in known_words(WORDS) if len(word) > 3)


def tolerantly(text):
    """What a text of the grid is read as."""
    return read_tolerantly(text, LANGUAGE.read, words=WORDS)


@given(expression=expressions(kinds=PLAIN_KINDS, in_spoken_order=True))
def test_what_can_be_read_is_read_as_it_is(expression):
    """A text without slips means what the strict reader says, and nothing is said to be changed."""
    try:
        text = dx.realise(expression).text
    except dx.DeixisError:
        return

    found = tolerantly(text)

    assert found.utterance == LANGUAGE.read(text)
    assert (found.changes, found.told) == ((), "")


@given(
    expression=expressions(kinds=PLAIN_KINDS, in_spoken_order=True, max_depth=1), rng=st.randoms(use_true_random=False)
)
def test_a_mended_text_is_told_word_by_word(expression, rng):
    """A letter that is left out of a word is either mended, and the word is told, or the text is refused."""
    try:
        words = dx.realise(expression).text.split(" ")
    except dx.DeixisError:
        return
    place = rng.randrange(len(words))
    letter = rng.randrange(len(words[place]))
    slipped = words[place][:letter] + words[place][letter + 1 :]
    text = " ".join(filter(None, [*words[:place], slipped, *words[place + 1 :]]))

    try:
        found = tolerantly(text)
    except ParseError:
        return

    read = found.utterance.text.split(" ")
    assert found.utterance == LANGUAGE.read(found.utterance.text)
    assert sorted(" ".join(change.read for change in found.changes).split()) == sorted(_more(read, text.split()))
    assert sorted(" ".join(change.said for change in found.changes).split()) == sorted(_more(text.split(), read))


def _more(some, others):
    """The words that one text has beyond another, as often as it has them more often."""
    left = list(others)
    return [word for word in some if not (word in left and left.remove(word) is None)]


@pytest.mark.parametrize(
    ("text", "read", "changes"),
    [
        ("Walk To The RED circle!", "walk to the red circle", 0),
        ('push "the" (blue) square', "push the blue square", 2),
        ("red circel", "the red circle", 2),
        ("large circle inside the box", "the big circle that is inside of the box", 4),
        ("the circle in the same colour as a square", "the circle that is in the same color as a square", 2),
        ("teh yelow sqare that's insde a box", "the yellow square that is inside of a box", 5),
        ("walk to the the circle", "walk to the circle", 1),
        ("pull box cautiosly", "pull the box cautiously", 2),
        ("red circle in same row as blue square", "the red circle that is in the same row as a blue square", 4),
    ],
)
def test_what_was_meant_is_read(text, read, changes):
    """Capitals, punctuation, spelling, wording, slips and little words that were left out do not matter."""
    found = tolerantly(text)

    assert (found.utterance.text, len(found.changes)) == (read, changes)
    assert bool(found.told) == bool(changes)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("the bix", "bix"),  # big, box
        ("walk to teh foo circle", "foo"),
        ("the red circle please", "please"),
        ("the bed and the circle", "and"),
        ("the red", ""),
        ("", ""),
    ],
)
def test_what_is_not_understood_is_pointed_at(text, word):
    """Where more than one word or none may be meant, nothing is guessed, and the word is named."""
    with pytest.raises(ParseError) as caught:
        tolerantly(text)

    assert caught.value.word == word


def test_changes_are_told_in_words():
    """One line has the text that was read and every change."""
    told = tolerantly("go to circel").told

    assert told == (
        "‘walk to the circle’ (‘go to’ was read as ‘walk to’, ‘the’ was added, ‘circel’ was read as ‘circle’)"
    )
    assert "‘the’ was left out" in tolerantly("the the circle").told


@given(one=WORD, other=WORD, third=WORD)
def test_slips_are_a_distance(one, other, third):
    """No slip leads from a word to itself, as many lead back as forth, and one slip more is at most one further."""
    assert (slips(one, other) == 0) == (one == other)
    assert slips(one, other) == slips(other, one)
    assert abs(slips(one, other) - slips(f"{one}x", other)) <= 1
    assert slips(one, other) <= max(len(one), len(other))
    assert slips(f"{one}{third}", f"{other}{third}") <= slips(one, other)


@given(word=st.sampled_from(KNOWN), at=st.integers(0, 20), letter=st.sampled_from("éñ"))
def test_a_slip_leads_to_the_one_nearest_word(word, at, letter):
    """A wrong letter in a long word is mended, unless another known word is as near."""
    place = at % len(word)
    slipped = word[:place] + letter + word[place + 1 :]
    near = [other for other in known_words(WORDS) if slips(slipped, other) == 1]

    assert nearest_word(slipped, known_words(WORDS)) == (word if near == [word] else "")


@pytest.mark.parametrize("word", ["x", "xy", "12345", "circle's-", "c" * 40])
def test_what_is_no_word_is_not_mended(word):
    """Very short and very long words and those with signs are left alone."""
    assert nearest_word(word, known_words(WORDS)) == ""


def test_hostile_texts_end_in_an_error():
    """Many slips, endless words and signs are given up with an error of ours."""
    for text in ("teh " * 300, "x" * 5000, "\x00", "!" * 2000, "the circle " * 200):
        with pytest.raises(ParseError):
            tolerantly(text)


def test_datasets_are_read_strictly():
    """No reader of a world mends anything: its own language refuses slips."""
    for world in known_worlds().values():
        if world.has("language"):
            with pytest.raises(ParseError):
                world.part("language").read("teh qqx circel")
