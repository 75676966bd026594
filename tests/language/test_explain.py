from __future__ import annotations

import json

import pytest
from hypothesis import given

from deixis.distractors.misreadings import RANKS, misreadings
from deixis.errors import DeixisError
from deixis.language._misreadings import join_misreadings
from deixis.language.explain import name_object
from deixis.resolution import resolve, trace
from deixis.testing import PLAIN_KINDS, expressions, grid_scenes
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import explain, read, realise, say_misreading, say_misreadings_to
from deixis.worlds.grid.scene import GRID


SCENE = grid("""
    r○2  .  b□3  .
    r○1  .  g□1  .
    .    .  y▣2  .
    r○3  .  .    b□1
""")


def explained(text: str):
    return explain(read(text), SCENE)


@pytest.mark.parametrize(
    "text",
    [
        "the circle",
        "the small red circle that is in the same row as a blue square",
        "the object that is in the same column as a box and in the same color as a square",
        "the circle that is in the same row as a square that is in the same column as a box",
    ],
)
def test_every_step_of_the_trace_is_told_once(text):
    """The explanation has the steps of the trace, grouped by mention, and its referents."""
    explanation = explained(text)

    traced = trace(read(text).expression, SCENE)
    told = {step.address: set(step.after) for mention in explanation.mentions for step in mention.steps}
    assert told == {step.part.address: step.after for step in traced.walk()}
    assert set(explanation.referents) == traced.referents


def test_inner_mentions_come_before_what_needs_them():
    """The innermost description is explained first, the whole expression last."""
    explanation = explained("the circle that is in the same row as a square that is in the same column as a box")

    assert [mention.words for mention in explanation.mentions] == [
        "a box",
        "a square that is in the same column as a box",
        "the circle that is in the same row as a square that is in the same column as a box",
    ]


def test_what_is_needed_is_told_for_every_part():
    """A part is needed exactly when the target cannot be found without it."""
    explanation = explained("the small red circle that is in the same row as a blue square")

    needed = {part.words: part.is_necessary for part in explanation.parts}
    assert needed["'in the same row as a blue square'"] is True
    assert needed["'red'"] is False
    assert needed["'blue' in 'a blue square'"] is True


def test_misreadings_name_the_objects_they_lead_to():
    """Every listed misreading leads to the listed wrong objects and to no others."""
    explanation = explained("the small red circle that is in the same row as a blue square")

    for misreading in explanation.misreadings:
        found = resolve(read(misreading.understood).expression, SCENE).indices
        assert found - set(explanation.referents) == set(misreading.wrong) != set()
    assert "ignored ‘in the same row as a blue square’" in {m.words for m in explanation.misreadings}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("the box", "exactly one object: yellow box of size 2 (4)"),
        ("the circle", "3 objects and is ambiguous: red circle of size 2 (0), red circle of size 1 (2)"),
        ("the green circle", "no object: nothing is left after 'green'"),
        ("the circle that is in the same row as a yellow square", "nothing is left after 'yellow'"),
        ("the box that is in the same shape as a box", "no object: nothing is left after 'in the same shape as a box'"),
    ],
)
def test_the_verdict_says_what_fits(text, verdict):
    """One line says how many objects fit and which, or where none was left."""
    assert verdict in explained(text).verdict


def test_nothing_more_is_said_of_an_ambiguous_expression():
    """Necessity and misreadings are defined only where there is one target."""
    explanation = explained("the circle")

    assert (explanation.parts, explanation.misreadings, explanation.target) == ((), (), None)
    assert "Could a word be left out?" not in list(explanation.lines())


def test_different_mentions_are_different_objects():
    """An object that fits only by taking what another mention needs is told to be lost."""
    scene = grid("""
        r○1 b□1 .
        .   .   .
        .   .   .
    """)
    text = "the object that is in the same row as a square and in the same row as a circle"

    explanation = explain(read(text), scene)

    assert explanation.referents == ()
    assert "none left" in "\n".join(explanation.lines())


def test_every_misreading_can_be_said():
    """All kinds of misreadings have words, each different."""
    utterance = read(
        "the big circle that is in the same row as a blue square that is in the same color as a small object "
        "and inside of a red box"
    )
    found = misreadings(utterance.expression, GRID)

    said = [say_misreading(one, utterance) for one in found]

    assert {one.slip for one in found} == set(RANKS)
    assert len(set(said)) == len(said)
    for words in (
        "compared ‘big’ in ‘the big circle’ with all objects",
        "took ‘in the same color as a small object’ to be about the target",
        "ignored ‘big’ in ‘the big circle’",
        "read ‘big’ as ‘small’ in ‘the big circle’",
        "read ‘blue’ as ‘green’ in ‘a blue square’",
        "ignored ‘inside of a red box’",
        "swapped the colours of ‘a blue square’ and ‘a red box’",
        "swapped the nouns of ‘a blue square’ and ‘a red box’",
        "swapped the sizes and nouns of ‘a blue square’ and ‘a small object’",
        "swapped ‘in the same row as’ and ‘inside of’",
        "ignored all but ‘the big circle’",
        "ignored all but ‘circle’",
    ):
        assert words in said


@given(expression=expressions(kinds=PLAIN_KINDS), scene=grid_scenes(min_objects=2, max_objects=6))
def test_an_explanation_names_the_slightest_misreadings(expression, scene):
    """What it tells of an object is what the definition finds for that object alone."""
    try:
        utterance = read(realise(expression).text, any_order=True)
    except DeixisError:
        return
    explanation = explain(utterance, scene)

    for index in range(len(scene)):
        told = say_misreadings_to(utterance, scene, index)
        assert explanation.target in (None, index) or explanation.slightest_to(index) == told


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([], ""),
        (["ignored a"], "ignored a"),
        (["ignored a", "ignored b"], "ignored a or ignored b"),
        (["ignored a", "ignored b", "ignored c", "ignored d"], "ignored a, ignored b, ignored c or ignored d"),
        (["ignored a"] * 9, "ignored a, ignored a, ignored a or misread it in one of 6 other ways"),
    ],
)
def test_misreadings_are_joined(told, words):
    """Several that explain a choice equally well are one text; not more than a few are told one by one."""
    assert join_misreadings(told) == words


def test_objects_are_named_by_all_their_values():
    """Colour, shape and size, in the order in which people say them."""
    assert name_object(SCENE, 1) == "blue square of size 3"


def test_an_explanation_is_plain_data():
    """It can be written as JSON and read back."""
    values = explained("the small red circle that is in the same row as a blue square").as_dict()

    assert json.loads(json.dumps(values)) == values
