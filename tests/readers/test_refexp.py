"""Results of the comprehension task of Google Refexp: answers to its expressions, boxes in the order of confidence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from deixis._losses import Losses
from deixis.errors import BrokenDataset
from deixis.judge.boxes import Box
from deixis.judge.request import Request
from deixis.readers._box_answers import AnswerFile
from deixis.readers.registry import reader_of, world_of_reader


REAL = Path(__file__).resolve().parents[3] / "shared/data/others/refcocog/google_comprehension-300.json"
GOOD, OTHER = [10, 20, 30, 40], [1, 2, 9, 9]


@pytest.fixture
def data(tmp_path):
    """A small file of the dataset: two expressions for one object, one for another."""
    values = {
        "annotations": {
            "5": {"annotation_id": 5, "image_id": 7, "bbox": GOOD, "category_id": 18, "refexp_ids": [1, 2]},
            "6": {"annotation_id": 6, "image_id": 7, "bbox": OTHER, "category_id": 18, "refexp_ids": [3]},
        },
        "refexps": {str(n): {"refexp_id": n, "raw": f"dog number {n}", "tokens": ["dog"]} for n in (1, 2, 3)},
        "images": {"7": {"image_id": 7, "file_name": "7.jpg", "width": 64, "height": 80}},
    }
    path = tmp_path / "google_refexp_val_201511_coco_aligned.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def write(folder, *results):
    """A file of results: the expression, the object, and the boxes."""
    path = folder / "results.json"
    keys = ("refexp_id", "annotation_id", "predicted_bounding_boxes", "refexp")
    path.write_text(json.dumps([dict(zip(keys, one, strict=False)) for one in results]), encoding="utf-8")
    return path


def judge(answers, data):
    """The evaluation of a file of results."""
    return world_of_reader(reader_of(data).name).part("judging").evaluate(Request(answers=(answers,), data=data)).values


def test_the_first_box_counts(tmp_path, data):
    """Precision at one: in pixels, as corner and size; no space is to be declared."""
    results = write(tmp_path, (1, 5, [GOOD, OTHER]), (2, 5, [OTHER, GOOD]), (3, 6, []))
    values = judge(results, data)

    assert values["overall"]["outcomes"] == {"right": 1, "wrong box": 1, "unreadable": 1}
    assert "contradictions" not in values


def test_results_on_another_expression_are_left_out(tmp_path, data):
    """The expression that a result repeats must be that of its id."""
    with pytest.raises(BrokenDataset, match="its expression is not that of the example of its id"):
        judge(write(tmp_path, (1, 5, [GOOD], "dog number 1"), (2, 5, [GOOD], "the cat")), data)


def test_results_without_an_expression_have_no_id(tmp_path):
    """They are counted."""
    path = tmp_path / "results.json"
    path.write_text(json.dumps([{"annotation_id": 6, "predicted_bounding_boxes": [GOOD]}]), encoding="utf-8")
    losses = Losses("answers")

    assert list(AnswerFile(path, space=None, losses=losses, contradictions=Counter())) == []
    assert losses.counts["left out"] == {"a line has no 'id'": 1}


@pytest.mark.skipif(not REAL.is_file(), reason="the sample of Google Refexp does not lie beside the checkout")
def test_the_sample_of_results_is_read_whole():
    """300 results, two of them without a box, which cannot be understood."""
    losses, contradictions = Losses("answers"), Counter()
    answers = list(AnswerFile(REAL, space=None, losses=losses, contradictions=contradictions))

    assert (len(answers), losses.total("left out"), contradictions) == (300, 0, {})
    assert sum(answer.boxes is None for answer in answers) == 2
    assert answers[0].id == "298801-2"
    assert answers[0].boxes == ((None, Box(357, 134, 610, 480), "pixels"),)
