from __future__ import annotations

import json

import pytest

from deixis.distractors import relaxations
from deixis.language.explain import explain, name_object, say_misreading
from deixis.language.parse import read
from deixis.resolution import resolve, trace
from deixis.scene import GRID, grid


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
    assert "without 'in the same row as a blue square'" in {m.words for m in explanation.misreadings}


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
    utterance = read("the big circle that is in the same row as a blue square and in the same column as a red box")
    found = relaxations(utterance.expression, GRID)

    said = [say_misreading(relaxation, utterance) for relaxation in found]

    assert {relaxation.kind for relaxation in found} == {"attribute", "selector", "relation", "isomorphism", "phrase"}
    assert len(set(said)) == len(said)
    assert "'big' read as 'small'" in said
    assert "'blue' in 'a blue square' read as 'green'" in said
    assert "only 'the big circle' understood" in said


def test_objects_are_named_by_all_their_values():
    """Colour, shape and size, in the order in which people say them."""
    assert name_object(SCENE, 1) == "blue square of size 3"


def test_an_explanation_is_plain_data():
    """It can be written as JSON and read back."""
    values = explained("the small red circle that is in the same row as a blue square").as_dict()

    assert json.loads(json.dumps(values)) == values
