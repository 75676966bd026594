"""Wrong answers one by one: the words of their misreadings are those of what is counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, reject
from hypothesis import strategies as st

from deixis.data._ragged import Ragged
from deixis.distractors.misreadings import RANKS, leading_to, misreadings, slightest
from deixis.errors import DeixisError
from deixis.language import Instruction
from deixis.resolution import denotation
from deixis.testing import grid_scenes
from deixis.worlds.grid.actions import plan_to_codes
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.judging._misreadings import LABELS, MISREADINGS, NO_REASON, UNCLEAR, category
from deixis.worlds.grid.judging._wrong_plans import wrong_plans
from deixis.worlds.grid.judging.verdicts import ExampleArrays, Plans, judge_all
from deixis.worlds.grid.language import realise, say_misreadings_to
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.plan import plan
from deixis.worlds.grid.scene import GRID
from tests.audits.strategies import grid_commands


SHELF = grid("""
    >   .   .
    r○1 b○2 g○3
    .   .   .
""")


def asked_and_said(example: Example, chosen: int) -> tuple[ExampleArrays, Plans]:
    """An example, and the plan of somebody who means another object."""
    actions = plan_to_codes(plan(example.scene, chosen, example.verb, example.manner))
    ids, starts = np.array([example.id], np.uint64), np.array([0, len(actions)])
    return ExampleArrays.of([example]), Plans(ids=ids, codes=Ragged(actions, starts))


def said_as(expression) -> str:
    """The command that says it; what the language has no words for is passed over."""
    try:
        return realise(Instruction("walk", expression)).text
    except DeixisError:
        reject()


def test_a_wrong_answer_is_told_in_words():
    """Whoever goes to the blue circle instead of the red one ignored the colour."""
    example = Example(text="walk to the red circle", scene=SHELF, target=0, plan=())
    asked, said = asked_and_said(replace(example, plan=example.gold_plan()), 1)

    (found,) = wrong_plans({"test": asked}, {"test": judge_all(asked, said)})["test"]

    assert found.id == str(example.id)
    assert (found.command, found.chosen) == ("walk to the red circle", 1)
    assert found.misreadings == ("colour word",)
    assert found.wordings == ("ignored ‘red’ in ‘the red circle’",)


@given(
    expression=grid_commands(most=3), scene=grid_scenes(min_objects=2, max_objects=6, with_agent=True), data=st.data()
)
def test_the_words_of_a_wrong_answer_are_those_of_what_was_missed(expression, scene, data):
    """The misreadings in words have the very names under which the compiled judge counts the answer."""
    text = said_as(expression)
    target, chosen = (data.draw(st.integers(0, len(scene) - 1)) for _ in range(2))
    example = Example(text=text, scene=scene, target=target, plan=())
    asked, said = asked_and_said(example, chosen)
    verdicts = judge_all(asked, said)

    found = wrong_plans({"test": asked}, {"test": verdicts})["test"]

    assert len(found) == int(verdicts.is_wrong_object[0])
    for one in found:
        assert one.misreadings == verdicts.verdict(0).misreadings
        if one.misreadings == (UNCLEAR,):
            assert one.wordings == (LABELS[UNCLEAR],)
            continue
        meant = leading_to(example.expression, scene, one.chosen)
        assert {category(each) for each in meant} == set(one.misreadings) - {NO_REASON}
        assert one.wordings == (say_misreadings_to(example.utterance, scene, one.chosen) or (LABELS[NO_REASON],))


@given(expression=grid_commands(most=3), scene=grid_scenes(min_objects=2, max_objects=6))
def test_the_slightest_misreadings_have_one_rank(expression, scene):
    """They pick out the object, none that is slighter does, and no part is named twice."""
    every = misreadings(expression, GRID)

    for chosen in range(len(scene)):
        leading = [one for one in every if chosen in denotation(one.expression, scene)]
        found = leading_to(expression, scene, chosen)
        assert found == slightest(leading)
        assert {one.rank for one in found} == {min((one.rank for one in leading), default=None)} - {None}
        assert all(chosen in denotation(one.expression, scene) for one in found)


def test_every_category_has_a_label():
    """Whatever is counted can be told, each in words of its own."""
    assert set(LABELS) == {*MISREADINGS, NO_REASON}
    assert len(set(LABELS.values())) == len(LABELS)
    assert sorted(RANKS.values()) == list(RANKS.values())
