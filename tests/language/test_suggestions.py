from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import deixis as dx
from deixis.expression.parts import adding
from deixis.expression.steps import Extreme, Is
from deixis.language.suggestions import suggest_edits
from deixis.resolution.reference import denotation
from deixis.schema import Which
from deixis.testing import PLAIN_KINDS, expressions, grid_scenes
from deixis.worlds.grid.language import LANGUAGE, WORDS, read


BOARD = """
    r○1 .   b□1 .
    .   r○2 .   g□3
    b○1 .   g□1 .
    >   .   .   .
"""
DETERMINERS = Counter(WORDS.determiners)


def suggested(text, picture=BOARD):
    """What is suggested for a text on a board: the words, and the text."""
    scene = dx.grid(picture)
    return [(one.words, one.text) for one in suggest_edits(read(text), scene, language=LANGUAGE)]


def in_words(expression):
    """An expression as a text of the grid, or nothing where its language has no words for it."""
    try:
        return dx.realise(expression).text
    except dx.DeixisError:
        return ""


@given(scene=grid_scenes(), expression=expressions(kinds=PLAIN_KINDS, in_spoken_order=True, max_mentions=3))
def test_a_suggestion_picks_out_what_it_says(scene, expression):
    """The suggested text is read again, means what is told, and picks out that object and no other."""
    text = in_words(expression)
    assume(text)
    said = read(text)

    for one in suggest_edits(said, scene, language=LANGUAGE):
        assert read(one.text).expression == one.expression
        assert denotation(one.expression, scene) == {one.target.object}


@given(scene=grid_scenes(), expression=expressions(kinds=PLAIN_KINDS, in_spoken_order=True, max_mentions=3))
def test_the_words_of_a_suggestion_are_the_change(scene, expression):
    """The words that go and come are those by which the suggested text differs, and both are quoted."""
    text = in_words(expression)
    assume(text)

    for one in suggest_edits(read(text), scene, language=LANGUAGE):
        gone, come = Counter[str](), Counter[str]()
        for change in one.changes:
            gone.update(change.before.split())
            come.update(change.after.split())
            assert all(f"‘{words}’" in change.told for words in (change.before, change.after) if words)
        assert Counter(text.split()) - gone + come == Counter(one.text.split())


@given(scene=grid_scenes(), expression=expressions(kinds=PLAIN_KINDS, in_spoken_order=True, max_mentions=3))
def test_suggestions_are_made_where_they_are_needed(scene, expression):
    """A text that picks out one object needs none; of several objects each suggestion picks out one by adding alone."""
    text = in_words(expression)
    assume(text)
    fits = denotation(read(text).expression, scene)

    made = suggest_edits(read(text), scene, language=LANGUAGE)

    assert not made or len(fits) != 1
    if fits:
        assert {one.target.object for one in made} <= fits
        taken_back = (change.before for one in made for change in one.changes)
        assert all(words in ("", WORDS.top) for words in taken_back)


@given(scene=grid_scenes(), noun=st.sampled_from((*WORDS.words["shape"], WORDS.top)))
def test_a_word_that_suffices_is_found(scene, noun):
    """Where one word more of the whole vocabulary singles out an object, one word is suggested."""
    said = read(f"the {noun}")
    fits = denotation(said.expression, scene)
    steps = [Is("color", word) for word in WORDS.words["color"]] + [Extreme("size", which) for which in Which]
    steps += [Is("shape", word) for word in WORDS.words["shape"] if noun == WORDS.top]
    after = [denotation(adding(said.expression, (), step), scene) for step in steps]
    alone = {index for found in after for index in found if len(found) == 1}

    cost = {one.target.object: one.cost for one in suggest_edits(said, scene, language=LANGUAGE)}

    if len(fits) > 1:
        assert {index for index in cost if cost[index] == 1} == alone & fits


@pytest.mark.parametrize(
    ("text", "words", "edited"),
    [
        ("the red circle", "add ‘big’", "the big red circle"),
        ("push a red circle cautiously", "add ‘small’", "push a small red circle cautiously"),
        ("the blue object", "say ‘circle’ instead of ‘object’", "the blue circle"),
        ("the yellow square", "say ‘blue’ instead of ‘yellow’", "the blue square"),
        ("the small blue square", "leave out ‘small’", "the blue square"),
        (
            "the circle that is in the same row as the square",
            "add ‘blue’ before ‘square’",
            "the circle that is in the same row as the blue square",
        ),
        (
            "the circle that is in the same column as a circle",
            "add ‘red’ before the first ‘circle’",
            "the red circle that is in the same column as a circle",
        ),
    ],
)
def test_suggestions_are_plain_english(text, words, edited):
    """Verb, manner and determiners stay as they were said; of several equal words it is told which one is meant."""
    assert (words, edited) in suggested(text)


def test_a_clause_is_suggested_where_no_words_suffice():
    """Two equal circles are told apart by where they stand."""
    board = """
        r○1 .   .   b□1
        .   .   .   .
        .   .   .   .
        r○1 .   g□1 .
    """

    assert (
        "add ‘that is in the same row as a blue square’",
        "the circle that is in the same row as a blue square",
    ) in (suggested("the circle", board))


def test_nothing_is_suggested_about_an_empty_board():
    """There is no object to mean, and none to take for it."""
    assert suggested("the circle", ". .\n. .") == []


def test_twins_cannot_be_told_apart():
    """Of two objects that share a cell and everything else, no words pick out one, and nothing is invented."""
    scene = dx.GridScene(tuple(dx.grid("r○1 .\n. .").objects) * 2, size=2)

    assert suggest_edits(read("the circle"), scene, language=LANGUAGE) == ()


def test_objects_of_several_scenes_are_told_apart():
    """Of two scenes that are shown together, the suggestion picks out an object of one of them."""
    one, other = dx.grid("r○1 .\n. ."), dx.grid("b○1 .\n. .")
    context = dx.Context((one, other), (0, 0))

    made = suggest_edits(read("the circle"), context, language=LANGUAGE)

    assert [(suggestion.words, tuple(suggestion.target)) for suggestion in made] == [
        ("add ‘red’", (0, 0)),
        ("add ‘blue’", (1, 0)),
    ]
