from __future__ import annotations

import json

import pytest

from deixis.errors import BrokenDataset
from deixis.worlds.photos.data._coco import coco_image_numbers, write_coco
from deixis.worlds.photos.data._predictions import AnswerReport, read_answers
from deixis.worlds.photos.scene.graph import Box
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.datasets.copsref.posed import posed
from tests.scene.graphs import STREET, image, thing


@pytest.fixture(scope="module")
def scenes():
    return GraphTable.of([STREET, image(thing(0, "cow"), image_id="field")])


def answers(tmp_path, scenes, *lines, **options):
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return list(read_answers(path, scenes, **options))


def test_the_ways_to_answer(tmp_path, scenes):
    """An object, a box in a declared space, scores, or that it is not there."""
    found = answers(
        tmp_path,
        scenes,
        {"id": 1, "image": "street", "object": "0"},
        {"id": 2, "image": "street", "box": [10, 20, 60, 100], "space": "xyxy"},
        {"id": 3, "image": "street", "box": [0.1, 0.1, 0.2, 0.2], "space": "xywh-normalised", "setting": "Cat"},
        {"id": 4, "not there": True},
        {"id": 5, "scores": {"street": {"0": 0.5, "1": 1}, "field": {"0": -3}}},
    )

    assert [answer.fault for answer in found] == [""] * 5
    assert (found[0].image_id, found[0].object_id, found[0].setting) == ("street", "0", "Full")
    assert found[1].box == Box(10, 20, 50, 80)
    assert found[2].box == pytest.approx(Box(50, 40, 100, 80))
    assert found[2].setting == "Cat"
    assert found[3].is_absent
    assert found[4].scores == {("street", "0"): 0.5, ("street", "1"): 1.0, ("field", "0"): -3.0}
    assert found[4].setting is None


def test_a_space_may_be_declared_once(tmp_path, scenes):
    """The first line, or an option, says the space and the setting of all boxes that do not say theirs."""
    line = {"id": 2, "image": "street", "box": [10, 20, 60, 100]}

    by_line = answers(tmp_path, scenes, {"boxes": "xyxy", "setting": "Cat&cat"}, line)
    by_option = answers(tmp_path, scenes, line, space="xywh")

    assert (by_line[0].box, by_line[0].setting) == (Box(10, 20, 50, 80), "Cat&cat")
    assert by_option[0].box == Box(10, 20, 60, 100)


def test_a_space_is_never_guessed(tmp_path, scenes):
    """A box without a declared space is not understood, however plain it looks."""
    (found,) = answers(tmp_path, scenes, {"id": 2, "image": "street", "box": [10, 20, 60, 100]})

    assert found.box is None
    assert "not guessed" in found.fault


@pytest.mark.parametrize(
    "values",
    [
        {"image": "street"},
        {"object": "0"},
        {"image": "street", "object": None},
        {"image": "street", "box": [1, 2, 3], "space": "xywh"},
        {"image": "street", "box": "[1, 2, 3, 4]", "space": "xywh"},
        {"image": "street", "box": [9, 9, 1, 1], "space": "xyxy"},
        {"image": "street", "box": [9, 9, 1, 1], "space": "pixels"},
        {"image": "nowhere", "box": [1, 2, 3, 4], "space": "xywh"},
        {"image": "street", "box": [1, 2, 3, True], "space": "xywh"},
        {"scores": {"street": 7}},
        {"scores": {"street": {"0": "high"}}},
        {"image": "street", "object": "0", "setting": "Everything"},
        {"answer": "I think it is the red car"},
        {"not there": "yes"},
    ],
)
def test_answers_that_cannot_be_understood_say_why(values, tmp_path, scenes):
    """An answer that makes no sense is kept with its fault, and counted; the next one is read."""
    report = AnswerReport()
    found = answers(tmp_path, scenes, {"id": 1, **values}, {"id": 2, "image": "street", "object": "1"}, report=report)

    assert found[0].fault
    assert not found[1].fault
    assert sum(report.faults.values()) == 1
    assert "id 1" in report.lines[0]


def test_lines_that_are_no_answers_are_counted(tmp_path, scenes):
    """Broken JSON, other values, answers without a number and bytes that are no text: all told, none fatal."""
    report = AnswerReport()
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'{"id": 1, "image": "street"\n7\n{"id": "x"}\n\xff\xfe\n\n{"id": 1, "not there": true}\n')

    (found,) = read_answers(path, scenes, report=report)

    assert found.is_absent
    assert report.faults == {"a line is no JSON object": 3, "a line has no 'id' that is a whole number": 1}


def test_a_file_without_answers_is_refused(tmp_path, scenes):
    """Nothing to judge is an error in one line; so is a header that declares an unknown space."""
    with pytest.raises(BrokenDataset, match="holds no answers"):
        answers(tmp_path, scenes, "not json")
    with pytest.raises(BrokenDataset, match="unknown coordinate space"):
        answers(tmp_path, scenes, {"boxes": "cxcywh"}, {"id": 1, "not there": True})
    with pytest.raises(BrokenDataset, match="cannot be read"):
        list(read_answers(tmp_path / "none.jsonl", scenes))


def test_detections_in_the_manner_of_coco(tmp_path):
    """Of several boxes for a reference the best counts; images and annotations go by their exported numbers."""
    scenes = posed().scenes
    example = posed().there[0]
    number = coco_image_numbers(scenes)[scenes.find(example.image_id)]
    found = answers(
        tmp_path,
        scenes,
        json.dumps(
            [
                {"ref_id": 1, "image_id": number, "bbox": [1, 2, 3, 4], "score": 0.2},
                {"ref_id": 1, "image_id": number, "bbox": [5, 6, 7, 8], "score": 0.9},
                {"ref_id": 2, "ann_id": 3},
                {"ref_id": 3, "not there": True},
                {"image_id": number},
                {"ref_id": 4, "image_id": -5, "bbox": [1, 2, 3, 4]},
            ]
        ),
    )

    assert found[0].box == Box(5, 6, 7, 8)
    assert found[0].image_id == example.image_id
    assert found[1].object_id == scenes.object_ids[3]
    assert found[2].is_absent
    assert "image" in found[3].fault


def test_the_export_reads_as_coco(tmp_path):
    """Every annotation lies in an image that is listed, and every reference names one of the annotations."""
    examples, scenes = posed().examples, posed().scenes

    assert write_coco(tmp_path, examples, scenes, file_name="{id}.png") == len(examples)

    refs = json.loads((tmp_path / "refs.json").read_text())
    instances = json.loads((tmp_path / "instances.json").read_text())
    images = {one["id"]: one for one in instances["images"]}
    annotations = {one["id"]: one for one in instances["annotations"]}
    assert all(one["image_id"] in images for one in annotations.values())
    for ref, example in zip(refs, examples, strict=True):
        assert images[ref["image_id"]]["file_name"] == f"{example.image_id}.png"
        assert {kind: len(ids) for kind, ids in ref["distractor_image_ids"].items()}.keys() == {
            one.kind for one in example.distractors
        }
        assert ref["is_there"] == ("ann_id" in ref) == example.is_there
        if example.is_there:
            annotation = annotations[ref["ann_id"]]
            assert annotation["original_id"] == example.object_id
            assert annotation["image_id"] == ref["image_id"]
            assert annotation["category_id"] == ref["category_id"]


def test_numbers_of_images():
    """Ids that are numbers stay as they are; others are counted."""
    assert coco_image_numbers(GraphTable.of([image(thing(0, "a"), image_id="17")])) == [17]
    assert coco_image_numbers(GraphTable.of([image(thing(0, "a"), image_id="n1")])) == [1]
    assert coco_image_numbers(GraphTable.of([image(thing(0, "a"), image_id="017")])) == [1]
