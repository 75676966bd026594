from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deixis.language.mentions import false_of, false_of_rows, judge, judge_rows, read_rows
from deixis.scene.factors import FACTORS, RoomScene
from tests.language.mentions.strategies import captions, rooms


GREEN_ROOM = RoomScene(163_233)  # green floor, light green wall, a tiny red ball near the right corner


def test_a_loose_colour_that_the_target_has_once_is_about_that_feature():
    """The caption of the paper's Figure 1 names the colour of the floor without its noun in reach."""
    text = "A tiny red ball green near the floor in green of"
    judgement = judge(text, GREEN_ROOM)

    assert judgement.true == ("floor_hue", "object_hue", "scale", "shape")
    assert [text[start:end] for start, end in judgement.spans["floor_hue"]] == ["green", "green"]


def test_what_is_false_of_the_target_may_hold_of_a_distractor():
    """A false colour that the distractor has is counted apart, also when it belongs to nothing."""
    purple = RoomScene.of(3, 4, 8, 0, 2, 3)

    assert false_of("a purple ball", GREEN_ROOM, (purple,)) == 1
    assert false_of("a ball purple", GREEN_ROOM, (purple,)) == 1
    assert false_of("a pink ball", GREEN_ROOM, (purple,)) == 0


@given(captions(), rooms(), st.lists(rooms(), min_size=1, max_size=3))
def test_rows_are_judged_as_readings_are(text, target, distractors):
    """The fast judge comes to the same verdicts as the definition."""
    factors = np.array([target.factors])
    rows = read_rows([text])
    slow, fast = judge(text, target), judge_rows(rows, factors)

    names = {"true": fast.true[0], "false": fast.false[0], "ambiguous": fast.ambiguous[0]}
    found = [next((name for name, flags in names.items() if flags[f]), "absent") for f in range(len(FACTORS))]
    assert found == list(slow.verdicts.values())
    assert int(fast.false[0].sum() + fast.stray[0]) == slow.false
    others = np.array([[scene.factors for scene in distractors]])
    assert false_of_rows(rows, fast, factors, others)[0] == false_of(text, target, distractors)


@given(captions(), rooms())
def test_verdicts_exclude_each_other(text, scene):
    """A feature has one verdict, and it is spoken of wherever it is not absent."""
    judgement = judge(text, scene)

    assert all(bool(judgement.spans[f]) == (verdict != "absent") for f, verdict in judgement.verdicts.items())
