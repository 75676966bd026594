"""Expressions that fit nothing, said with the word of the original exchanged in place."""

from __future__ import annotations

import pytest

from deixis.expression.description import Description
from deixis.expression.steps import Is, Related
from deixis.readers._builtin.stars2 import SCHEMA
from deixis.readers._formats.absent import AbsenceMaker
from deixis.readers.reader import ReadExample
from deixis.readers.registry import world_of_reader
from deixis.scene.scene import PlainScene, Where


SCENE = PlainScene(
    schema=SCHEMA,
    objects=(frozenset({("type", "ball")}), frozenset({("type", "cube")}), frozenset({("type", "cone")})),
    links=frozenset({("right", 1, 0), ("left", 0, 1)}),
)
MEANING = Description((Is("type", "cube"), Related("right", Description((Is("type", "ball"),)))))


@pytest.mark.parametrize(
    ("text", "is_turned"),
    [
        ("the cube on the right side of the ball", True),
        ("the cube in the ball-cube row, from left to right", False),
        ("left to the right, the ball and the cube", False),
    ],
)
def test_the_order_of_reading_is_no_place(text, is_turned):
    """'From left to right' says in which order things are named; exchanging one of its words would say nothing."""
    example = ReadExample(id=1, text=text, scenes=(SCENE,), targets=(Where(0, 1),), meaning=MEANING)
    pairs = [AbsenceMaker(world_of_reader("stars2"), seed).pair(example, 0) for seed in range(30)]
    said = {pair[1].text for pair in pairs if pair is not None}

    assert said
    assert any(one.count("left") != text.count("left") for one in said) == is_turned
