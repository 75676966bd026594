from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import DeixisError
from deixis.worlds.rooms.mentions import false_of, false_of_rows, judge, judge_rows, read_rows
from deixis.worlds.rooms.scene import FACTORS, RoomScene
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


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("a ball that is not red", "false"),
        ("a ball that isn't red", "false"),
        ("a ball that isn’t red", "false"),
        ("a non-red ball", "false"),
        ("the ball is neither red nor pink", "false"),
        ("a ball without red", "absent"),
        ("a ball that is not purple", "ambiguous"),
        ("a red or purple ball", "ambiguous"),
        ("a ball that is either red or purple", "ambiguous"),
        ("a pink or purple ball", "false"),
        ("a red, pink or purple ball", "ambiguous"),
        ("red balls", "true"),
        ("not only a red ball", "true"),
        ("a ball that is not big but red", "true"),
        ("this is not a tiny red ball", "absent"),
        ("a red or tiny ball", "ambiguous"),
        ("the ball wasn't red", "false"),
        ("the ball is n't red", "false"),
        ("a ball that ain't red", "false"),
        ("a ball that won't be red", "absent"),
        ("a ball that is hardly red", "false"),
        ("a ball that is barely red", "false"),
        ("an un-red ball", "false"),
        ("a ball that is far from red", "false"),
        ("a ball of any colour but red", "absent"),
        ("a ball that lacks red", "absent"),
        ("no red ball", "absent"),
        ("nothing red", "absent"),
        ("it is wrong that the ball is red", "absent"),
        ("red is not the colour of the ball", "absent"),
        ("a red ball? no", "absent"),
        ("red the ball is not", "absent"),
        ("either a red ball or a purple block", "ambiguous"),
        ("a red ball or a block", "ambiguous"),
        ("a ball that is not not red", "true"),
        ("a red ball, isn't it", "true"),
        ("a red ball and nothing else", "true"),
        ("a red ball with no wall", "true"),
    ],
)
def test_a_negated_or_alternative_colour_never_counts_as_its_opposite(text, verdict):
    """What is denied of a red ball is false of it, what is left open is ambiguous, and neither is true."""
    assert judge(text, GREEN_ROOM).verdicts["object_hue"] == verdict


def test_a_denied_noun_phrase_is_not_understood():
    """'Not a tiny red ball' does not say which of the three fails, so its words are counted as not understood."""
    judgement = judge("not a tiny red ball", GREEN_ROOM)

    assert set(judgement.verdicts.values()) == {"absent"}
    assert len(judgement.unknown) == 3


def test_no_before_a_noun_denies_the_noun_with_its_modifiers():
    """'No red ball' holds of a red block, so that it says nothing false of its colour."""
    red_block = RoomScene.of(3, 4, 0, 0, 0, 3)

    assert judge("no red ball", red_block).verdicts["object_hue"] == "absent"
    assert judge("no ball", GREEN_ROOM).verdicts["shape"] == "false"
    assert judge("a ball with no green floor", GREEN_ROOM).verdicts["floor_hue"] == "false"


def test_of_two_nouns_with_modifiers_neither_is_said_for_certain():
    """'A red ball or a purple block' holds of a purple block, too."""
    purple_block = RoomScene.of(3, 4, 8, 0, 0, 3)

    for scene in (GREEN_ROOM, purple_block):
        verdicts = judge("a red ball or a purple block", scene).verdicts
        assert (verdicts["object_hue"], verdicts["shape"]) == ("ambiguous", "ambiguous")


def test_a_negated_place_or_wall_is_false_where_it_holds():
    """Negation reaches places, walls and nouns as it reaches colours."""
    assert judge("a ball not in front of a light green wall", GREEN_ROOM).verdicts["wall_hue"] == "false"
    assert judge("not a ball", GREEN_ROOM).verdicts["shape"] == "false"
    assert judge("a ball not near the right corner", GREEN_ROOM).verdicts["orientation"] == "false"
    assert judge("a ball not far from the right corner", GREEN_ROOM).verdicts["orientation"] == "true"


def test_a_caption_that_is_no_text_is_refused():
    """None or a number in place of a caption is an error of one line."""
    with pytest.raises(DeixisError, match="a caption is a text, got NoneType"):
        judge(None, GREEN_ROOM)


def test_a_target_that_is_no_room_is_refused():
    """None or the number of an image in place of a room is an error of one line."""
    for wrong in (None, 163_233):
        with pytest.raises(DeixisError, match="captions are held against a RoomScene, got"):
            judge("a red ball", wrong)
