"""The proof that nothing leaks: what is clean is proved, and every planted leak is found."""

from __future__ import annotations

import numpy as np
import pytest

from deixis.errors import LeakySplit
from deixis.expression.plain import expression_to_json
from deixis.worlds.grid.language import parse_instruction
from deixis.worlds.grid.splits.partition import Examples, LeakageProof
from deixis.worlds.grid.splits.rules import REASCAN, REASCAN_ASIDE


# One object per letter: (shape, color) of the mentioned objects come first. Red square is (2, 0).
BLUE_CIRCLE, RED_SQUARE, GREEN_CYLINDER = (0, 1), (2, 0), (1, 2)
PLAIN = "push the blue circle that is in the same row as a green cylinder"
HELD = {
    "a1": "push the yellow square",
    "a2": "push the red square",
    "a3": "push the small cylinder",
    "b2": "push the circle that is inside of a red box and in the same size as a blue square",
    "c1": "push the circle that is inside of a red box and in the same row as a blue square and in the same column as "
    "a small square",
    "c2": "push the circle that is inside of a red box that is in the same row as a blue square",
}


def examples(*rows):
    """Examples of (id, text, objects)."""
    ids, texts, worlds = zip(*rows, strict=True)
    different = list(dict.fromkeys(texts))
    starts = np.cumsum([0, *(len(world) for world in worlds)])[:-1]
    shapes, colors = np.array([thing for world in worlds for thing in world], np.uint8).T
    which = np.array([different.index(text) for text in texts])
    expressions = [expression_to_json(parse_instruction(text).expression) for text in different]
    return Examples(np.array(ids, np.int64), different, which, expressions, which, shapes, colors, starts)


WORLD = (BLUE_CIRCLE, GREEN_CYLINDER, BLUE_CIRCLE, GREEN_CYLINDER, RED_SQUARE)


def clean(number=1, text=PLAIN, world=WORLD):
    return number, text, world


@pytest.fixture
def proof():
    """A proof about the splits of the paper that has seen a clean training set."""
    proof = LeakageProof(REASCAN)
    proof.add("train", examples(clean(1), clean(2)))
    return proof


def test_a_stored_expression_that_the_text_does_not_mean_is_refused(proof):
    """The proof reads the text itself; an expression that says something else is never written."""
    some = examples(clean(3), clean(4, HELD["a1"]))
    planted = some._replace(stored=some.stored[::-1])

    with pytest.raises(LeakySplit, match="another expression is stored"):
        proof.add("aside", planted)


def test_what_is_clean_is_proved(proof):
    """A clean partition is proved, and what was shown names every rule."""
    for number, (name, text) in enumerate(HELD.items()):
        proof.add(name, examples(clean(10 + number, text)))
    proof.add("dev", examples(clean(3)))
    proof.add("aside", examples(clean(4, HELD["a1"])))

    shown = proof.conclude()

    assert shown["examples"] == 10
    assert all(any(rule.id in line for line in shown["shown"]) for rule in REASCAN)


def test_nothing_is_proved_of_nothing():
    """Without examples there is nothing to leak."""
    assert LeakageProof(REASCAN).conclude()["examples"] == 0


@pytest.mark.parametrize("place", ["train", "dev", "test"])
@pytest.mark.parametrize("name", HELD)
def test_a_held_out_command_on_the_training_side_is_found(proof, place, name):
    """Wherever a held-out command turns up among train, dev and test, it is found."""
    with pytest.raises(LeakySplit, match=f"-v1 is held out, but {place} has the command"):
        proof.add(place, examples(clean(5), clean(6, HELD[name])))


@pytest.mark.parametrize(
    "text",
    [
        "push the object that is inside of a red box and in the same shape as a blue object",
        "push the circle that is inside of a small yellow box",
    ],
)
def test_what_is_only_set_aside_is_proved_too(text):
    """A rule without a test set is as strict on train, dev and test, and claims no test set."""
    proof = LeakageProof(REASCAN_ASIDE)
    proof.add("train", examples(clean(1)))
    proof.add("aside", examples(clean(2, text)))

    shown = proof.conclude()["shown"]

    assert [line for line in shown if "-v1" in line] == [
        f"no example of train, dev or test is held out by {rule.id}" for rule in REASCAN_ASIDE
    ]
    with pytest.raises(LeakySplit, match="-v1 is held out, but test has the command"):
        proof.add("test", examples(clean(3, text)))


@pytest.mark.parametrize("number", [0, 1])
def test_a_held_out_thing_on_the_training_side_is_found(proof, number):
    """A mentioned red square is found though no word says so; one that nobody mentions is no leak."""
    world = list(WORLD)
    world[number], world[-1] = world[-1], world[number]

    with pytest.raises(LeakySplit, match="example 77 of dev mentions a red square"):
        proof.add("dev", examples(clean(5), (77, PLAIN, tuple(world)), clean(6)))


def test_an_example_of_two_splits_is_found(proof):
    """The same example in train and test is a leak."""
    proof.add("test", examples(clean(3), clean(2)))

    with pytest.raises(LeakySplit, match="1 examples occur more than once; the first, 2, is in both test and train"):
        proof.conclude()


def test_an_example_twice_in_one_split_is_found(proof):
    """Repeating an example within a split is not allowed either, even across chunks."""
    proof.add("train", examples(clean(2)))

    with pytest.raises(LeakySplit, match="twice in train"):
        proof.conclude()


@pytest.mark.parametrize("place", ["a1", "a2", "a3", "b2", "c1", "c2", "a1+a2"])
def test_a_wrong_example_in_a_test_set_is_found(proof, place):
    """A test set may hold only what its rule holds out, a joint one only what all of its rules do."""
    with pytest.raises(LeakySplit, match=f"of {place.replace('+', '.')} is not held out by reascan/"):
        proof.add(place, examples(clean(9)))


def test_a_joint_set_needs_all_its_rules(proof):
    """An example that only one of two rules holds out does not belong to their joint set."""
    world = (RED_SQUARE, GREEN_CYLINDER)
    with pytest.raises(LeakySplit, match="not held out by reascan/A1-v1"):
        proof.add("a1+a2", examples((9, "push the red square", world)))
    proof.add("a1+a2", examples((9, "push the yellow square that is in the same row as a red square", world)))


def test_things_belong_to_their_test_set(proof):
    """An example of A2 may show a red square without saying so."""
    proof.add(
        "a2", examples((9, "push the object that is in the same row as a green cylinder", (RED_SQUARE, GREEN_CYLINDER)))
    )

    assert proof.conclude()["examples"] == 3


def test_known_combinations_of_phrases_are_found(proof):
    """B1 promises combinations of phrases that training never has, in whatever order they are said."""
    proof.add("b1", examples(clean(9, "walk to the green cylinder that is in the same column as a blue circle")))

    with pytest.raises(LeakySplit, match="B1-v1 promises new combinations"):
        proof.conclude()


def test_new_combinations_of_phrases_are_allowed(proof):
    """A combination that training does not have is no leak."""
    proof.add("b1", examples(clean(9, "walk to the green cylinder that is in the same column as a red circle")))

    assert "b1" in " ".join(proof.conclude()["shown"])
