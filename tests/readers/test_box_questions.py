"""Questions for boxes: the space is stated, answers in many forms are read, and right ones are judged to be right."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset, MissingPart
from deixis.judge.boxes import Box, overlap
from deixis.prompts._box_gold import BoxGold, write_box
from deixis.prompts.answers import Unparsable, parse_boxes
from deixis.prompts.recipe import PromptRecipe
from deixis.readers import registry
from deixis.readers.reader import Region
from tests.readers.box_examples import EXAMPLES, GREEN_APPLE, PEAR, reader_of, world_of_boxes


ONE = ((None, (1.0, 2.0, 3.0, 4.0)),)
TWO = (*ONE, (None, (5.0, 6.0, 7.5, 8.0)))


@pytest.fixture
def find(tmp_path, monkeypatch):
    """A function that makes the questions to some examples."""

    def asked(*examples, **settings):
        reader = reader_of(*(examples or EXAMPLES))
        monkeypatch.setattr(registry, "known_readers", lambda: {"fruit": reader})
        registry.world_of_reader.cache_clear()
        recipe = PromptRecipe(task="fruit", **settings)
        questions = world_of_boxes(*(examples or EXAMPLES)).part("questions")
        fresh = {"fresh": None, "folder": tmp_path, "workers": 1, "progress": None}
        return questions.find(recipe, tmp_path / "fruit", **fresh)

    yield asked
    registry.world_of_reader.cache_clear()


@pytest.mark.parametrize(
    ("text", "boxes"),
    [
        ("Answer: [1, 2, 3, 4]", ONE),
        ("I looked at [9, 9, 10, 10] first.\nAnswer: (1, 2, 3, 4).", ONE),
        ("<box>(1,2),(3,4)</box>", ONE),
        ("<box>1 2 3 4</box>", ONE),
        ("It is <|box_start|>(1,2),(3,4)<|box_end|>.", ONE),
        ("<1><2><3><4>", ONE),
        ('```json\n[{"bbox_2d": [1, 2, 3, 4], "label": "a cat"}]\n```', ONE),
        ('{"x1": 1, "y1": 2, "x2": 3, "y2": 4}', ONE),
        ('{"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4}', ONE),
        ("left: 1, top: 2, right: 3, bottom: 4", ONE),
        ("<bbox>1, 2, 3, 4</bbox>", ONE),
        ("[[1, 2], [3, 4]]", ONE),
        ('{"bbox_2d": null}', ()),
        ("1, 2, 3, 4", ONE),
        ("Answer: 1 2 3 4", ONE),
        ("Answer: **[1, 2, 3, 4]**", ONE),
        ("Answer: [1, 2, 3, 4]; [5, 6, 7.5, 8]", TWO),
        ("Answer: [5, 6, 7.5, 8]; [1, 2, 3, 4]", TWO),
        ("[[1, 2, 3, 4], [5, 6, 7.5, 8]]", TWO),
        ("Answer: image 2: [1, 2, 3, 4]", ((2, ONE[0][1]),)),
        ("Answer: [1, 2, 3, 4] in the second image", ((2, ONE[0][1]),)),
        ('{"image": 2, "box": [1, 2, 3, 4]}', ((2, ONE[0][1]),)),
        ("Answer: image 1: [1, 2, 3, 4]; image 3: [1, 2, 3, 4]", ((1, ONE[0][1]), (3, ONE[0][1]))),
        ("Answer: not there", ()),
        ("There is no such thing in the image.\nAnswer: none", ()),
        ("[]", ()),
        ('{"boxes": []}', ()),
    ],
)
def test_boxes_are_read_in_many_forms(text, boxes):
    """Brackets, tags, names of edges, lists, images in words."""
    assert parse_boxes(text) == boxes


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "nothing said"),
        ("Somewhere on the left.", "no answer in it"),
        ("It is [1, 2, 3, 4] or rather [2, 2, 3, 4].", "several answers"),
        ("Answer: [1, 2, 3, 4]\nAnswer: [2, 2, 3, 4]", "several answers"),
        ("Answer: not there, or [1, 2, 3, 4]", "several answers"),
        ("Answer: [3, 2, 1, 4]", "a box without an area"),
        ("Answer: [1, 2, 1e999, 4]", "a box without an area"),
        ("Answer: [1, 2, 3]", "no answer in it"),
        ('[{"box_2d": [2, 1, 4, 3]}]', "begins with its top"),
        ("I'm sorry, I cannot see any image.", "a refusal"),
    ],
)
def test_answers_that_are_not_clear_are_not_understood(text, fault):
    """Nothing is guessed."""
    with pytest.raises(Unparsable, match=fault):
        parse_boxes(text)


@given(st.text(alphabet="[](){}<>box0123456789.,;:eE-+ image\nAnswer", max_size=80))
def test_any_text_is_boxes_or_not_understood(text):
    """No other error; every box has an area."""
    try:
        found = parse_boxes(text)
    except Unparsable:
        return
    assert all(left < right and top < bottom for _, (left, top, right, bottom) in found)


@pytest.mark.parametrize("answer", ["box", "share", "0..1000"])
def test_right_answers_are_judged_to_be_right(find, answer):
    """In every space, of one box, several, none, and several images; gold survives JSON."""
    found = find(*EXAMPLES[:5], answer=answer)

    assert len(found.posed) == 5
    for _, gold, _ in found.posed:
        again = BoxGold.from_plain(json.loads(json.dumps(gold.to_plain())))
        assert again == gold
        judged = gold.judge(f"Answer: {gold.right}")
        assert judged.outcome == "right"
        assert judged.measures["right"] == 1
        assert gold.judge(None).outcome == "unanswered"
    assert len({tuple(gold.groups) for _, gold, _ in found.posed}) == 1


def test_the_space_is_stated_in_the_prompt(find):
    """And the images are named with their sizes, candidates with values and boxes."""
    found = find(EXAMPLES[0], answer="0..1000")
    text = found.posed[0].message.text

    assert "in thousandths of the width and height of the image, from 0 to 1000" in found.instructions.text
    assert "in pixels" not in found.instructions.text
    assert "Image: a.jpg, 200 x 200 pixels" in text
    assert "- apple green [500, 0, 700, 200]" in text
    assert text.endswith("Expression: the red apple")
    (image_one,) = find(EXAMPLES[4]).posed
    assert "Image 2: b.jpg, 400 x 100 pixels" in image_one.message.text
    assert image_one.gold.right == "image 2: [100, 0, 200, 50]"


def test_sizes_that_are_needed_and_not_known_are_an_error(find):
    """With the way out: another space."""
    assert find(EXAMPLES[5]).posed[0].gold.space == "share"
    with pytest.raises(BrokenDataset, match="ask for another space with --answer"):
        find(replace(EXAMPLES[5], boxes=(Region(0, Box(0, 0, 1, 1)),)), answer="pixels")
    with pytest.raises(BrokenDataset, match="the boxes of the examples are in several spaces"):
        find()


def test_wrong_answers_are_wrong_for_a_reason(find):
    """By misreading, by space, by image, or by saying that nothing fits."""
    gold = find(EXAMPLES[0]).posed[0].gold
    several = find(EXAMPLES[4]).posed[0].gold

    green = gold.judge(f"Answer: {list(GREEN_APPLE)}")
    assert (green.outcome, green.misreadings, green.measures["IoU"]) == ("wrong", ("ignored",), 0)
    assert gold.judge(f"Answer: {list(PEAR)}").misreadings == ("ignored",)
    assert gold.judge("Answer: not there").misreadings == ("said not there",)
    assert gold.judge("Answer: [0, 0, 0.2, 0.2]").fault == "a box in another space than was asked for"
    assert several.judge("Answer: [100, 0, 200, 50]").fault == "a box without the number of its image"
    assert several.judge("Answer: image 3: [100, 0, 200, 50]").fault == "an image that was not shown"
    assert several.judge("Answer: image 1: [100, 0, 200, 50]").outcome == "wrong"


def test_nothing_fits_is_right_where_nothing_fits(find):
    """A box is wrong there, and overlaps are not defined."""
    gold = find(EXAMPLES[2]).posed[0].gold

    assert gold.right == "not there"
    judged = gold.judge("Answer: [1, 2, 30, 40]")
    assert (judged.outcome, judged.measures["right"]) == ("wrong", 0)
    assert math.isnan(judged.measures["IoU"])


def test_files_of_others_have_no_fresh_questions(tmp_path):
    """There is no recipe to make them by."""
    questions = world_of_boxes().part("questions")
    with pytest.raises(MissingPart, match="fruit is read from files of others"):
        questions.find(None, None, fresh=1, folder=tmp_path, workers=1, progress=None)


def test_damaged_gold_is_refused_in_one_line(find):
    """Whatever is in it."""
    plain = find(EXAMPLES[0]).posed[0].gold.to_plain()
    for field, value in (("space", "miles"), ("images", 0), ("boxes", [[7, 0, 0, 1, 1]]), ("boxes", 3), ("facts", [])):
        with pytest.raises(BrokenDataset) as caught:
            BoxGold.from_plain({**plain, field: value})
        assert "\n" not in str(caught.value)


@example(Box(0, 256.6875, 1, 256.6885), "share")  # more digits than six in all
@given(
    st.builds(
        lambda x, y, w, h: Box(x, y, x + w, y + h),
        *[st.floats(0, 900, allow_nan=False)] * 2,
        *[st.floats(0.001, 900, allow_nan=False)] * 2,
    ),
    st.sampled_from(["pixels", "share", "0..1000"]),
)
def test_written_boxes_are_found_again(box, space):
    """Small ones, too: with an overlap of .95 at least."""
    ((_, edges),) = parse_boxes(f"Answer: {write_box(box, space)}")

    assert overlap(Box(*edges), box) >= 0.94
