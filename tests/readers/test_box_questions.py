"""Questions for boxes: the space is stated, answers in many forms are read, and right ones are judged to be right."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from deixis.errors import BrokenDataset, MissingPart, RecipeError
from deixis.judge.boxes import Box, overlap
from deixis.prompts._box_forms import FORMS, write_box
from deixis.prompts._box_gold import BoxGold
from deixis.prompts.answers import Unparsable, parse_boxes
from deixis.prompts.recipe import PromptRecipe
from deixis.readers import registry
from deixis.readers._box_answers import BoxAnswer, GivenBox
from deixis.readers._box_posing import BoxPoser
from deixis.readers._box_verdicts import judge_boxes
from deixis.readers.reader import Region
from deixis.worlds.toolkit.questions import ObjectGold
from tests.readers.box_examples import APPLE, EXAMPLES, GREEN_APPLE, PEAR, reader_of, world_of_boxes


ONE = ((None, (1.0, 2.0, 3.0, 4.0)),)
SOME = (APPLE, GREEN_APPLE, PEAR, Box(50, 50, 90, 90), Box(100, 0, 200, 50), Box(5, 5, 38, 45))
SIDES = st.integers(1, 150).map(float)
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


@given(st.data())
def test_prompts_and_evaluate_give_the_same_verdicts(data):
    """On any box in pixels: right for one is right for the other, and the same misreadings are named."""
    number = data.draw(st.sampled_from([0, 1, 3, 4]))
    box = data.draw(st.sampled_from(SOME) | st.builds(lambda x, y, w, h: Box(x, y, x + w, y + h), *[SIDES] * 4))
    image = data.draw(st.integers(0, len(EXAMPLES[number].images) - 1))
    world, poser = world_of_boxes(), BoxPoser(form=FORMS["pixels"], seed=0, has_pictures=False, folder=None)
    gold = poser(EXAMPLES[number], {}).gold
    shown = image if gold.images > 1 else None
    said = gold.judge(f"Answer: {write_box(box, 'pixels', shown)}")
    verdict = judge_boxes(world, EXAMPLES[number], BoxAnswer("x", (GivenBox(image, box, "pixels"),)))

    assert (said.outcome == "right") == verdict.is_right
    assert said.measures["IoU"] == pytest.approx(verdict.overlap)
    if verdict.misreading:
        assert said.misreadings == verdict.misreading


def test_images_are_shown_below_their_folder_only(find, tmp_path):
    """As PNG with the size that is stated; boxes follow images that are smaller than the dataset says."""
    pictures = tmp_path / "pictures"
    (pictures / "images").mkdir(parents=True)
    Image.new("RGB", (100, 100), "red").save(pictures / "a.jpg")
    Image.new("L", (400, 100)).save(pictures / "images" / "b.jpg")
    Image.new("RGB", (9, 9)).save(tmp_path / "c.jpg")
    options = {"options": {"pictures": str(pictures)}, "style": "image"}

    first, several = find(EXAMPLES[0], **options).posed[0], find(EXAMPLES[4], **options).posed[0]
    assert first.gold.right == "[0, 0, 20, 20]"
    assert "Image (100 x 100 pixels):" in first.message.text
    assert "a.jpg" not in first.message.text
    assert [picture.png[:4] for picture in several.message.pictures] == [b"\x89PNG"] * 2
    assert several.gold.right == "image 2: [100, 0, 200, 50]"
    with pytest.raises(BrokenDataset, match=r"there is no picture 'c.jpg' below .*; name its folder with --pictures"):
        find(EXAMPLES[5], **options)
    (pictures / "c.jpg").symlink_to(tmp_path / "c.jpg")
    with pytest.raises(BrokenDataset, match=r"there is no picture 'c\.jpg'"):
        find(EXAMPLES[5], **options)
    (pictures / "c.jpg").unlink()
    (pictures / "c.jpg").write_bytes(b"\x89PNG\r\n\x1a\n and nothing")
    with pytest.raises(BrokenDataset, match=r"the picture 'c\.jpg' cannot be read"):
        find(EXAMPLES[5], **options)
    with pytest.raises(RecipeError, match="which is no folder"):
        find(EXAMPLES[0], style="image", options={"pictures": tmp_path / "nowhere"})


def test_the_folder_of_pictures_is_no_setting_of_a_questionnaire(tmp_path):
    """Where files lie changes neither the record nor the digest."""
    options = {"options": {"pictures": tmp_path}, "style": "image"}

    assert str(tmp_path) not in json.dumps(PromptRecipe(task="refcoco", **options).to_dict())
    assert PromptRecipe(task="refcoco", **options).to_dict() == PromptRecipe(task="refcoco", style="image").to_dict()


def test_candidates_can_be_framed_and_numbered(find, tmp_path):
    """Their numbers tell nothing; the misreading behind a wrong number is named."""
    Image.new("RGB", (200, 200), "white").save(tmp_path / "a.jpg")
    absent = replace(EXAMPLES[0], id=9, text="the blue apple", targets=(), boxes=(), meaning=None)
    found = find(EXAMPLES[0], EXAMPLES[1], absent, answer="object", options={"pictures": tmp_path})

    assert len(found.posed) == 2
    assert "objects are framed and numbered" in found.instructions.text
    for _, gold, _ in found.posed:
        assert gold.judge(f"Answer: {gold.right}").outcome == "right"
        assert ObjectGold.from_plain(json.loads(json.dumps(gold.to_plain()))) == gold
    gold = next(one.gold for one in found.posed if one.gold.target is not None)
    wrong = {gold.judge(number).misreadings for number in gold.choices if number not in (gold.right, "not there")}
    assert wrong == {("ignored",)}
    assert gold.judge("not there").misreadings == ("said not there",)
    (picture,) = found.posed[0].message.pictures
    seen = np.array(Image.open(BytesIO(picture.png)).convert("RGB"))
    assert seen.shape == (400, 400, 3)  # small pictures are drawn twice as large
    assert (seen[2 * 120, 2 * 20] == 255).all()  # the middle of a frame is left as it is
    assert (seen[2 * 100, 2 * 25] != 255).any()
    with pytest.raises(BrokenDataset, match="does not know the objects of its images"):
        find(EXAMPLES[1], answer="object", options={"pictures": tmp_path})


def test_files_of_others_have_no_fresh_questions(tmp_path):
    """There is no recipe to make them by."""
    questions = world_of_boxes().part("questions")
    with pytest.raises(MissingPart, match="fruit is read from files of others"):
        questions.find(None, None, fresh=1, folder=tmp_path, workers=1, progress=None)


def test_damaged_gold_is_refused_in_one_line(find):
    """Whatever is in it."""
    plain = find(EXAMPLES[0]).posed[0].gold.to_plain()
    odd = [("space", "miles"), ("images", 0), ("boxes", [[7, 0, 0, 1, 1]]), ("boxes", 3), ("facts", [])]
    odd += [("writing", []), ("writing", "runes"), ("sizes", [[1, 2], [3, 4]]), ("sizes", [[0, 5]]), ("sizes", 7)]
    for field, value in odd:
        with pytest.raises(BrokenDataset) as caught:
            BoxGold.from_plain({**plain, field: value})
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "writing", "boxes"),
    [
        ('```json\n[{"box_2d": [2, 1, 4, 3], "label": "cat"}]\n```', "box_2d", ONE),
        ("Answer: [2, 1, 4, 3]", "box_2d", ONE),
        ('{"x1": 1, "y1": 2, "x2": 3, "y2": 4}', "box_2d", ONE),
        ("<loc0512><loc0256><loc1023><loc0512> cat", "loc", ((None, (0.25, 0.5, 0.5, 1023 / 1024)),)),
        ("Answer: image 2: <loc0512> <loc0256> <loc0768> <loc0512>", "loc", ((2, (0.25, 0.5, 0.5, 0.75)),)),
        ("Answer: not there", "loc", ()),
        ("[[012,345,678,910]]", "corners", ((None, (12.0, 345.0, 678.0, 910.0)),)),
    ],
)
def test_boxes_are_read_in_the_order_that_is_asked_for(text, writing, boxes):
    """With the top first, or as tokens, as the makers of models write them."""
    assert parse_boxes(text, writing=writing) == boxes


@pytest.mark.parametrize(
    ("text", "writing", "fault"),
    [
        ("<loc0512><loc0256><loc1023><loc0512>", "corners", "location tokens, which are not asked for"),
        ("<loc_1><loc_2><loc_3><loc_4>", "box_2d", "location tokens, which are not asked for"),
        ("Answer: [1, 2, 3, 4]", "loc", "without location tokens"),
        ("<loc0512><loc0256><loc0100><loc0512>", "loc", "without an area"),
        ("<loc0512><loc0256>", "loc", "no answer in it"),
    ],
)
def test_boxes_in_another_order_are_not_understood(text, writing, fault):
    """They are never taken for wrong boxes."""
    with pytest.raises(Unparsable, match=fault):
        parse_boxes(text, writing=writing)


@given(st.text(alphabet="[](){}<>loc0123456789.,;: box_2d\nAnswer", max_size=80), st.sampled_from(["box_2d", "loc"]))
def test_any_text_is_boxes_in_an_order_or_not_understood(text, writing):
    """No other error; every box has an area."""
    try:
        found = parse_boxes(text, writing=writing)
    except Unparsable:
        return
    assert all(left < right and top < bottom for _, (left, top, right, bottom) in found)


@given(*[st.floats(0, 0.9)] * 2, *[st.floats(0.02, 1)] * 2)
def test_tokens_are_found_again(x, y, width, height):
    """As exactly as tokens can say it."""
    box = Box(x, y, min(x + width, 1), min(y + height, 1))
    ((_, edges),) = parse_boxes(write_box(box, "share", writing="loc"), writing="loc")

    assert max(abs(one - other) for one, other in zip(box, edges, strict=True)) <= 1 / 1024 + 1e-9
    assert overlap(Box(*edges), box) > 0.8


@example(Box(0, 256.6875, 1, 256.6885), "share", "corners")  # more digits than six in all
@given(
    st.builds(
        lambda x, y, w, h: Box(x, y, x + w, y + h),
        *[st.floats(0, 900, allow_nan=False)] * 2,
        *[st.floats(0.001, 900, allow_nan=False)] * 2,
    ),
    st.sampled_from(["pixels", "share", "0..1000"]),
    st.sampled_from(["corners", "box_2d"]),
)
def test_written_boxes_are_found_again(box, space, writing):
    """Small ones, too: with an overlap of .95 at least."""
    ((_, edges),) = parse_boxes(f"Answer: {write_box(box, space, writing=writing)}", writing=writing)

    assert overlap(Box(*edges), box) >= 0.94
