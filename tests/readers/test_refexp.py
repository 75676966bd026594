"""Google Refexp: expressions with annotations, images and region candidates, and results of the comprehension task."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from deixis._losses import Losses
from deixis.errors import BrokenDataset
from deixis.judge.boxes import Box
from deixis.readers._box_answers import AnswerFile
from deixis.readers._builtin.refexp import READER
from deixis.readers._examples import ReadFile
from tests.readers.hostile import check_hostile_bytes


REAL = Path(__file__).resolve().parents[3] / "shared/data/others/refcocog/google_comprehension-300.json"


def dataset():
    """Two expressions for one annotation, one for another."""
    candidates = [{"bounding_box": [10, 20, 30, 40], "predicted_object_name": "dog"}, {"bounding_box": [1, 2, 9, 9]}]
    return {
        "annotations": {
            "5": {"annotation_id": 5, "image_id": 7, "bbox": [10, 20, 30, 40], "category_id": 18, "refexp_ids": [1, 2]},
            "6": {"annotation_id": 6, "image_id": 7, "bbox": [1, 2, 9, 9], "refexp_ids": [3]},
        },
        "refexps": {str(n): {"refexp_id": n, "raw": f"dog number {n}", "tokens": ["dog"]} for n in (1, 2, 3)},
        "images": {
            "7": {"image_id": 7, "file_name": "7.jpg", "width": 64, "height": 80, "region_candidates": candidates}
        },
    }


def write(path, values):
    """A JSON file."""
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def test_expressions_have_their_boxes_and_candidates(tmp_path):
    """Whatever the order of the tables; the split is that of the name of the file."""
    path = write(tmp_path / "google_refexp_val_201511.json", dataset())
    read = ReadFile(READER, path)
    first, _, third = read

    assert READER.sniff(path)
    assert (read.splits, dict(read.refused)) == ({"val": 3}, {})
    assert (first.id, first.text, first.images) == (1, "dog number 1", (("7.jpg", 64, 80),))
    assert first.boxes == ((0, Box(10, 20, 40, 60)),)
    assert third.boxes == ((0, Box(1, 2, 10, 11)),)
    assert first.regions == ((Box(10, 20, 40, 60), Box(1, 2, 10, 11)),)
    assert first.facts == {"annotation": 5, "candidates": 2, "category_id": 18}


def test_expressions_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each; a file that was not aligned has no boxes."""
    values = dataset()
    values["refexps"] |= {"8": {"refexp_id": 8, "raw": "x"}, "9": {"refexp_id": 3, "raw": " "}, "10": 7}
    del values["annotations"]["5"]["bbox"]
    values["annotations"]["6"]["bbox"] = [1, 2, 0, 9]
    values["refexps"]["11"] = {"refexp_id": 4, "raw": "fine"}
    values["annotations"]["12"] = {"annotation_id": 12, "image_id": 7, "bbox": [1, 1, 2, 2], "refexp_ids": [4]}
    read = ReadFile(READER, write(tmp_path / "x.json", values))

    codes = ["no-box", "no-box", "odd-box", "no-object", "no-text", "unreadable"]
    assert [refusal.code for refusal in read.refusals] == codes
    assert [example.id for example in read] == [4]


def test_results_are_answers_and_no_dataset(tmp_path):
    """The error says how they are judged; as answers they give their first box, in pixels."""
    boxes = [[10, 20, 30, 40], [1, 2, 9, 9]]
    results = [{"refexp_id": 1, "annotation_id": 5, "predicted_bounding_boxes": boxes}]
    path = write(tmp_path / "results.json", [*results, {"annotation_id": 6, "predicted_bounding_boxes": boxes}])
    losses, contradictions = Losses("answers"), Counter()
    (answer,) = AnswerFile(path, space=None, losses=losses, contradictions=contradictions)

    assert READER.sniff(path)
    with pytest.raises(BrokenDataset, match="holds results of the comprehension task"):
        ReadFile(READER, path)
    assert (answer.id, answer.boxes) == ("1", ((None, Box(10, 20, 40, 60), "pixels"),))
    assert losses.counts["left out"] == {"a line has no 'id'": 1}


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    path = write(tmp_path / "x.json", dataset())
    check_hostile_bytes(READER, path, path)


@pytest.mark.skipif(not REAL.is_file(), reason="the sample of Google Refexp does not lie beside the checkout")
def test_the_sample_of_results_is_read_whole():
    """300 results, two of them without a box, which cannot be understood."""
    losses, contradictions = Losses("answers"), Counter()
    answers = list(AnswerFile(REAL, space=None, losses=losses, contradictions=contradictions))

    assert READER.sniff(REAL)
    assert (len(answers), losses.total("left out"), contradictions) == (300, 0, {})
    assert sum(answer.boxes is None for answer in answers) == 2
