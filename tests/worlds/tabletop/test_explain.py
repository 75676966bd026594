"""Explanations of what is said of solids, denials and alternatives among them."""

from __future__ import annotations

import pytest

from deixis._cli import main
from deixis.language.explain import explain
from deixis.scene.scene import Context
from deixis.worlds.tabletop._language.part import LANGUAGE
from deixis.worlds.tabletop._scene import SolidScene
from deixis.worlds.tabletop._solids import Solid, Tabletop


def scene(*kinds):
    """A table with solids in a row."""
    solids = (
        Solid(shape=shape, color=color, material="matte", size="small", x=900 * place, y=300 * place)
        for place, (color, shape) in enumerate(kinds)
    )
    return SolidScene(Tabletop(solids=tuple(solids)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("the cube that is not red", "ignored ‘red’ in ‘the cube’"),
        ("the cube that is neither red nor large", "ignored ‘red’ in ‘the cube’"),
        ("the blue cube", "ignored ‘blue’ in ‘the blue cube’"),
    ],
)
def test_a_word_is_told_with_the_phrase_that_it_is_said_of(text, told):
    """Also of a word that stands behind its noun."""
    utterance = LANGUAGE.read(text)
    table = scene(("blue", "cube"), ("red", "cube"), ("red", "sphere"))
    explanation = explain(utterance, Context.of(table, 0), words=LANGUAGE.words, say=LANGUAGE.realise)

    assert told in "\n".join(explanation.lines())


def test_every_example_can_be_explained(tables, capsys):
    """By the verb, whatever its form; of what fits nothing it is said in one line."""
    for number in range(0, 100, 7):
        code = main(["explain", "--scene", f"{tables}#{number}"])
        shown = capsys.readouterr()
        assert code == 0 or (code == 2 and "so there is no target" in shown.err and shown.err.count("\n") == 1)
