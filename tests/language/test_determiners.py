"""'the' or 'a', decided by the scene."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis.testing import the
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import grounded_determiners, read, realise
from deixis.worlds.grid.scene import GridObject, GridScene


SAMPLE = Path(__file__).parents[2] / "../shared/data/reascan/official_2rel_test_sample.json"


@pytest.fixture(scope="module")
def released():
    if not SAMPLE.exists():
        pytest.skip("the ReaSCAN sample is not beside the checkout")
    return json.loads(SAMPLE.read_text())["examples"]["test"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the circle that is in the same row as a red square", ("the", "a")),
        ("the circle that is in the same row as a blue square", ("the", "the")),
        ("the circle that is in the same row as a small red square", ("the", "the")),
        ("the circle that is in the same row as a small square", ("the", "a")),
        ("the red square", ("the",)),
        ("the circle that is in the same row as a yellow cylinder", ("the", "the")),
        (
            "the circle that is in the same row as a red square and in the same size as a blue square",
            ("the", "a", "the"),
        ),
    ],
)
def test_a_mention_is_definite_when_at_most_one_object_fits(text, expected):
    """All but the target are definite when at most one object fits the words of the phrase; the target always is."""
    scene = grid("""
        r□1 r□2 b□4
        r○1 .   .
        .   .   .
    """)

    assert grounded_determiners(read(text).expression, scene) == expected


def test_the_clauses_of_a_mention_do_not_count():
    """A phrase that two objects fit is indefinite even if its own clause leaves one."""
    scene = grid("""
        r□1 .   b○1
        .   r□2 .
        .   .   .
    """)
    text = "the circle that is in the same row as a red square that is in the same size as a blue circle"

    assert grounded_determiners(read(text).expression, scene) == ("the", "a", "the")


def test_an_empty_scene_makes_everything_definite():
    """Nothing fits, so no phrase fits two objects."""
    assert grounded_determiners(the("circle"), GridScene(())) == ("the",)


def test_the_texts_of_the_real_sample_are_said_again(released):
    """Every released command, read and realised with its determiners, comes out word for word."""
    texts = [example["command"] for example in released]

    again = [_said_again(read(text)) for text in texts]

    assert len(texts) == 302
    assert again == [text.replace(",", " ") for text in texts]


def test_the_determiners_of_the_real_sample_are_derived_from_the_worlds(released):
    """Every determiner of the released commands follows from the released worlds."""
    utterances = [read(example["command"]) for example in released]

    derived = [
        grounded_determiners(u.expression, _scene(example["situation"]))
        for u, example in zip(utterances, released, strict=True)
    ]

    assert derived == [utterance.determiners for utterance in utterances]


def _said_again(utterance):
    return realise(utterance.instruction, determiners=utterance.determiners).text


def _scene(situation):
    things = []
    for placed in situation["placed_objects"].values():
        kind, cell = placed["object"], placed["position"]
        thing = GridObject(kind["shape"], kind["color"], int(kind["size"]), int(cell["row"]), int(cell["column"]))
        things.append(thing)
    return GridScene(tuple(things), size=situation["grid_size"])
