from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.worlds.rooms.captions import GRAMMARS, caption, frames, words_of
from deixis.worlds.rooms.mentions import read_mentions, read_rows
from deixis.worlds.rooms.mentions._phrases import EXPRESSIONS, items_in
from deixis.worlds.rooms.mentions._reading import LOOSE, ORDER, PARTLY, UNKNOWN
from deixis.worlds.rooms.scene import FACTORS, IMAGES
from tests.language.mentions.strategies import captions


def said(text: str) -> dict[str | None, list[str]]:
    """What is said of each feature, in the words of the text."""
    found: dict[str | None, list[str]] = {}
    for mention in read_mentions(text).mentions:
        found.setdefault(mention.feature, []).append(text[mention.span.start : mention.span.end])
    return found


def test_the_longest_phrase_wins():
    """A word that is part of a longer phrase is not read by itself."""
    assert said("light green floor nearly in the middle") == {
        "floor_hue": ["light green"],
        "orientation": ["nearly in the middle"],
    }
    assert said("a medium medium blue ball") == {"scale": ["medium"], "object_hue": ["medium blue"], "shape": ["ball"]}


def test_spans_point_at_the_words_as_they_were_written():
    """Capitals, hyphens and punctuation stay outside of what is compared, and inside of what is pointed at."""
    assert said("A Medium-Sized, RED ball!")["scale"] == ["Medium-Sized"]
    assert said("A Medium-Sized, RED ball!")["object_hue"] == ["RED"]


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("the ball in front of a green wall is red", "object_hue"),
        ("the wall behind a ball is red", "wall_hue"),
        ("the floor is red", "floor_hue"),
        ("a ball on green floor in front of a red", "wall_hue"),
        ("a red tiny ball", "object_hue"),
        ("a red unk floor", "floor_hue"),
        ("there is a ball red", None),
        ("ball red", None),
        ("is red", None),
        ("near the floor red of", None),
    ],
)
def test_a_colour_belongs_to_its_noun_or_to_the_subject_or_to_nothing(text, feature):
    """A colour goes to the noun after it, to the subject after 'is', to the wall it is in front of, or to nothing."""
    assert "red" in said(text)[feature]


def test_everything_after_the_end_is_ignored():
    """Decoders go on after the end of a caption; nobody should read that."""
    assert said("a red ball END on green floor") == said("a red ball <pad> <end> tiny") == said("a red ball")


def test_words_that_nobody_knows_are_pointed_out():
    """Other languages and inventions are reported, not guessed at."""
    text = "a zorgle ball"
    reading = read_mentions(text)

    assert [text[start:end] for start, end in reading.unknown] == ["zorgle"]


@pytest.mark.parametrize(
    ("text", "usual"),
    [("a tiny red ball", True), ("a red tiny ball", False), ("a red ball", None), ("the tiny ball is red", None)],
)
def test_size_before_colour_is_the_usual_order(text, usual):
    """The order of modifiers is judged where both stand before the noun of the object."""
    assert read_mentions(text).modifiers is usual


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_captions_of_every_grammar_say_what_they_were_made_of(grammar):
    """Reading finds each feature that a frame names, with the value of the image, and nothing else."""
    for number, frame in enumerate(frames(grammar)):
        image = (163_233 + 7_919 * number) % IMAGES
        words = words_of(image)
        reading = read_mentions(caption(image, number, grammar))

        assert {m.feature: m.expressions for m in reading.mentions} == {f: (words[f],) for f in frame.features}
        assert reading.unknown == ()


@given(st.text(max_size=60))
def test_any_text_can_be_read(text):
    """No text makes the reader fail, and spans lie inside of it."""
    reading = read_mentions(text)

    assert all(0 <= m.span.start < m.span.end <= len(text) for m in reading.mentions)
    assert read_rows([text]).shape == (1, 23)


@given(captions())
def test_rows_hold_what_readings_say(text):
    """The fast reader finds the same expressions as the one with spans."""
    row, reading = read_rows([text])[0], read_mentions(text)
    for column, feature in enumerate((*FACTORS, None)):
        known = EXPRESSIONS[min(column, 5)] if column < LOOSE else EXPRESSIONS[0]
        for is_exact, at in ((True, column), (False, column + PARTLY)):
            bits = {known.index(e) for m in reading.of(feature) if m.is_exact == is_exact for e in m.expressions}
            assert row[at] == sum(1 << bit for bit in bits)
    assert row[UNKNOWN] == len(reading.unknown)
    assert row[ORDER] == {None: 0, True: 1, False: 2}[reading.modifiers]


@given(captions())
def test_phrases_cover_every_word(text):
    """Cutting a caption into phrases loses no word."""
    cut = text.partition("END")[0].replace("-", " ").replace("n't", " not").split()

    assert sum(map(len, items_in(text))) == sum(word != "pad" for word in cut)


@pytest.mark.slow
def test_very_long_captions_are_read_in_reasonable_time():
    """A caption of many thousand words takes no longer than as many words of short ones."""
    text = "red tiny " * 50_000

    assert len(read_mentions(text).mentions) == 100_000
