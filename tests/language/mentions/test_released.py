from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from deixis.errors import UnknownName
from deixis.worlds.rooms.mentions import Faults, look_up
from deixis.worlds.rooms.mentions._released import needles
from deixis.worlds.rooms.scene import FACTORS, RoomScene
from tests.language.mentions.strategies import captions, rooms


GREEN = RoomScene(163_233)  # green floor, light green wall, a tiny red ball near the right corner
PURPLE = RoomScene.of(3, 4, 8, 0, 2, 3)
MIDDLING = RoomScene.of(5, 6, 7, 3, 0, 5)  # middle-sized block nearly in the middle
TWICE = RoomScene.of(0, 1, 0, 0, 2, 3)  # red floor and red ball


def looked(text: str, target: RoomScene = GREEN, distractor: RoomScene = PURPLE, mended: str = ""):
    return look_up([text], np.array([target.id]), np.array([distractor.id]), Faults.without(mended.split()))


def found(text: str, target: RoomScene = GREEN, mended: str = "") -> set[str]:
    return {name for name, hit in zip(FACTORS, looked(text, target, mended=mended).found[0], strict=True) if hit}


def test_a_hue_needs_its_noun_only_where_the_target_has_it_twice():
    """The script looks for the bare colour where it is unique, and for colour and noun where it is not."""
    assert needles(GREEN, Faults())[:3] == ("green", "light green", "red")
    assert needles(TWICE, Faults())[:3] == ("red floor", "orange", "red ball")


def test_places_are_looked_for_without_their_first_words():
    """'in the' and 'on the' are cut out, except for zero degrees in a room that is red once."""
    assert needles(RoomScene.of(5, 6, 7, 3, 0, 1), Faults())[5] == "right"
    assert needles(RoomScene.of(5, 6, 7, 3, 0, 7), Faults())[5] == "middle"
    assert needles(RoomScene.of(0, 6, 7, 3, 0, 7), Faults())[5] == "in the middle"


@pytest.mark.parametrize(
    ("fault", "text", "target", "feature", "kept"),
    [
        ("hyphens", "a middle sized block", MIDDLING, "scale", False),
        ("nearly", "nearly in the middle", MIDDLING, "orientation", False),
        ("substrings", "in front of a light green wall", GREEN, "floor_hue", True),
        ("predicates", "the ball is red", TWICE, "object_hue", False),
        ("capitals", "Red", GREEN, "object_hue", False),
    ],
)
def test_each_fault_of_the_search_can_be_mended(fault, text, target, feature, kept):
    """A fault finds what is not said or misses what is; mended by itself, it no longer does."""
    assert (feature in found(text, target)) is kept
    assert (feature in found(text, target, mended=fault)) is not kept


def test_a_colour_found_once_stays_found():
    """The flag for the colour of the object is never reset, unless this is mended."""
    texts, target, other = ["red ball", "a thing"], np.array([GREEN.id] * 2), np.array([PURPLE.id] * 2)

    assert look_up(texts, target, other).shown[:, 2].tolist() == [True, True]
    assert look_up(texts, target, other, Faults.without(["sticky_color"])).shown[:, 2].tolist() == [True, False]


def test_a_lost_wall_can_be_mended():
    """'in front of a light green' shows the wall's colour only where this is mended."""
    assert not looked("in front of a light green").shown[0, 1]
    assert looked("in front of a light green", mended="lost_walls").shown[0, 1]


def test_false_words_are_counted_one_by_one():
    """Each occurrence of a wrong noun or adjective counts; mended, a wrong feature counts once."""
    text = "a purple purple dark blue ball"

    assert looked(text).false[0] == 4
    assert looked(text).false_of_distractor[0] == 2
    assert looked(text, mended="false_words").false[0] == 2
    assert looked(text, mended="false_words").false_of_distractor[0] == 1


def test_surface_signs_do_not_ask_for_truth():
    """A feature counts as shown by its words alone, except for the shape, which must be the target's."""
    assert looked("a huge pink block in the left corner on cyan floor").shown[0].tolist() == [
        True,
        False,
        False,
        True,
        False,
        True,
    ]


def test_an_unknown_fault_is_an_error():
    """A misspelt fault is not ignored."""
    with pytest.raises(UnknownName, match="no fault called 'hyphen'"):
        Faults.without(["hyphen"])


@given(captions(), rooms(), rooms())
def test_any_caption_can_be_looked_up(text, target, distractor):
    """Empty and broken captions get a result with all faults and with none."""
    names = "sticky_color hyphens nearly substrings predicates lost_walls capitals false_words"
    for mended in ("", names):
        result = looked(text, target, distractor, mended)
        assert result.found.shape == result.shown.shape == (1, 6)
        assert result.false_of_distractor[0] <= result.false[0]
