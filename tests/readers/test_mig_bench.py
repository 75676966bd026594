"""MIG-Bench: one of several images is named in words, the box in it by shares."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis.judge.boxes import Box
from deixis.readers._builtin.mig_bench import READER
from deixis.readers._examples import ReadFile
from tests.readers.hostile import check_hostile_bytes


REAL = Path(__file__).resolve().parents[3] / "shared/data/others/mig-bench/group_and_refer_grounding-half.json"


def question(**changes):
    """One question about three images."""
    asked = "Find the box of: <|object_ref_start|>a red door<|object_ref_end|>."
    fields = {"task": "group_grounding", "images": ["a.jpg", "b.jpg", "c.jpg"], "question": asked}
    info = "It is in the second image. <|box_start|>(100,200),(300,400)<|box_end|>. "
    return {**fields, "answer": [0.1, 0.2, 0.3, 0.4], "additional_info": info, "need_format": False, **changes}


def write(path, *records):
    """A JSON list."""
    path.write_text(json.dumps(list(records)), encoding="utf-8")
    return path


def test_the_image_is_the_one_that_is_named(tmp_path):
    """The expression is the text; the box is in shares of the second image."""
    (example,) = ReadFile(READER, write(tmp_path / "m.json", question()))

    assert READER.sniff(tmp_path / "m.json")
    assert (example.text, example.space) == ("a red door", "share")
    assert example.boxes == ((1, Box(0.1, 0.2, 0.3, 0.4)),)
    assert [image.name for image in example.images] == ["a.jpg", "b.jpg", "c.jpg"]
    assert (example.facts["task"], example.facts["place"]) == ("group_grounding", 2)


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("Find and locate where does the object in image-1 locate in the image-2.", 1),
        ("Recognize and locate this object in the 3th image. ", 2),
        ("You are given a source image followed by its regions. Locate the 2th region picture in the source image.", 0),
        ("For the object in the first image (<|box_start|>(1,2),(3,4)<|box_end|>), locate it in the 2nd image.", 1),
        ("Where is it in the last image?", 2),
        ("In image-2, find the person who is shown in image-1.", 1),
        ("Find in the third image the object from the first image.", 2),
        ("Where is the man of image-2?", 1),
    ],
)
def test_a_question_names_the_image_last(tmp_path, asked, place):
    """Ordinals in words and digits, numbers, the source image and the last one."""
    (example,) = ReadFile(READER, write(tmp_path / "m.json", question(question=asked, additional_info="")))

    assert example.boxes[0].image == place
    assert example.text == asked.strip()


def test_a_question_that_the_notes_repeat_states_no_image(tmp_path):
    """The notes on some questions are the question again, which names other images; a box there is no copy."""
    asked = "Which item in Image-2 is like Image-1? Locate it in the second image."
    notes = "Which item in Image-2 is like Image-1? <|box_start|>(1,2),(3,4)<|box_end|>"
    (example,) = ReadFile(READER, write(tmp_path / "m.json", question(question=asked, additional_info=notes)))

    assert example.boxes[0].image == 1


def test_images_that_are_only_mentioned_are_no_answer(tmp_path):
    """Where no image is named as the one to search, the record is refused instead of guessed."""
    asked = "Compare the man of image-1 with that of image-2."
    read = ReadFile(READER, write(tmp_path / "m.json", question(), question(question=asked, additional_info="")))

    assert read.refused == {"which-image": 1}


def test_the_only_box_of_a_list_is_read(tmp_path):
    """A list of one box is this box; several are refused, because it is not said in which images they are."""
    one, two = question(answer=[[0.1, 0.2, 0.3, 0.4]]), question(answer=[[0.1, 0.2, 0.3, 0.4]] * 2)
    read = ReadFile(READER, write(tmp_path / "m.json", one, two))

    assert read[0].boxes == ((1, Box(0.1, 0.2, 0.3, 0.4)),)
    assert read.refused == {"odd-box": 1}


def test_records_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each; a box in two spaces must be one box."""
    bad = {
        "no-text": question(question=""),
        "no-image": question(images=[]),
        "which-image": question(additional_info=""),
        "odd-box": question(answer=[0.1, 0.2, 0.05, 0.4]),
        "spaces-differ": question(answer=[0.1, 0.2, 0.3, 0.6]),
        "unreadable": 7,
    }
    more = [question(answer=[100, 200, 300, 400]), question(additional_info="It is in the fifth image.")]
    read = ReadFile(READER, write(tmp_path / "m.json", question(), *bad.values(), *more))

    assert (read.records, len(read)) == (9, 1)
    assert [refusal.code for refusal in read.refusals] == [*bad, "odd-box", "which-image"]


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    path = write(tmp_path / "m.json", question(), question(task="common_object"))
    check_hostile_bytes(READER, path, path)


@pytest.mark.skipif(not REAL.is_file(), reason="the sample of MIG-Bench does not lie beside the checkout")
def test_the_sample_is_read_whole():
    """299 questions, none refused; the right image is the one that is named."""
    read = ReadFile(READER, REAL)

    assert READER.sniff(REAL)
    assert (read.records, len(read), dict(read.refused)) == (299, 299, {})
    places = [example.boxes[0].image for example in read]
    assert [places.count(place) for place in range(5)] == [55, 116, 69, 40, 19]
    assert {len(example.images) for example in read} == {2, 3, 4, 5}
