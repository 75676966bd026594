from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from deixis.errors import BrokenDataset
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging._predictions import read_predictions, released_columns, write_rows


GOOD = {"prediction": "a red ball", "target_id": 163_233, "distractor_id": 167_073}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_json_lines_are_read_by_set(tmp_path):
    """Captions keep their order within their set; those without one are together."""
    path = write(
        tmp_path / "p.jsonl",
        GOOD,
        {"caption": "b", "target_id": "7", "distractor_ids": [1, 2], "set": "two"},
        {**GOOD, "prediction": None},
    )
    found = read_predictions(path)

    assert list(found) == ["all", "two"]
    assert found["all"].captions == ("a red ball", "")
    assert found["two"].distractors.tolist() == [[1, 2]]
    assert found["all"].rows.tolist() == [1, 3]


def test_tables_of_the_released_script_are_read(tmp_path):
    """Numbers may be written as decimals, and a missing caption is an empty one."""
    path = tmp_path / "p.csv"
    path.write_text('prediction,target_id,distractor_id\n"a red, ball",163233.0,5\nnan,1,2\n', encoding="utf-8")
    found = read_predictions(path)["all"]

    assert found.captions == ("a red, ball", "")
    assert found.targets.tolist() == [163_233, 1]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({**GOOD, "target_id": 480_000}, "row 2: target_id is a number of an image from 0 to 479999, got 480000"),
        ({**GOOD, "distractor_id": -1}, "row 2: distractor_id is a number"),
        ({**GOOD, "target_id": 1.5}, "row 2: target_id is a number"),
        ({**GOOD, "target_id": True}, "row 2: target_id is a number"),
        ({**GOOD, "prediction": 12}, "row 2: a caption is a text, got 12"),
        ({**GOOD, "prediction": ["a"]}, "row 2: a caption is a text"),
        ({**GOOD, "set": 3}, "row 2: the name of a set is a text"),
        ({**GOOD, "distractor_ids": []}, "row 2: distractor_ids is a list"),
        ({**GOOD, "distractor_ids": [1, 2]}, "row 2: the captions of a set have equally many distractors"),
        ({"prediction": "a", "target_id": 1}, "row 2: there is no distractor_id"),
        ({"target_id": 1, "distractor_id": 2}, "row 2: there is no caption"),
        ([1, 2], "row 2: a JSON object is needed"),
    ],
)
def test_what_does_not_fit_is_an_error_that_names_the_row(tmp_path, record, message):
    """One line says what is wrong and where."""
    with pytest.raises(BrokenDataset, match=message):
        read_predictions(write(tmp_path / "p.jsonl", GOOD, record))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.jsonl", b"{", "row 1: not a line of JSON"),
        ("p.jsonl", b"", "holds no captions"),
        ("p.jsonl", b"\xff\xfe\x00", "not a text file in UTF-8"),
        ("p.csv", b"text,id\na,1\n", "needs the columns prediction, target_id and distractor_id"),
        ("p.csv", b"", "needs the columns"),
        ("p.jsonl", b"[" * 100_000, "row 1: not a line of JSON"),
    ],
)
def test_files_that_are_something_else_are_an_error(tmp_path, name, content, message):
    """Broken files end in one line, whatever is in them."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BrokenDataset, match=message):
        read_predictions(tmp_path / name)


def test_rows_are_written_with_the_columns_of_the_released_script(tmp_path):
    """One row per caption; undefined efficiency is empty, or 0 as the script has it."""
    found = read_predictions(write(tmp_path / "p.jsonl", GOOD, {**GOOD, "prediction": "a ball"}))["all"]
    scores = score_captions(found.captions, found.targets, found.distractors)
    write_rows(tmp_path / "rows.csv", released_columns(found, scores))
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert [row["binary_contrastiveness"] for row in rows] == ["1", "0"]
    assert [row["contrastive_efficiency"] for row in rows] == ["1", ""]
    assert rows[0]["is_object_hue_disc"] == "1"
    assert rows[0]["num_nondiscriminative"] == "1"
    assert len(rows[0]) == 6 + 12 + 5
    zeros = released_columns(found, scores, undefined=0.0)["contrastive_efficiency"]
    assert np.asarray(zeros).tolist() == [1.0, 0.0]


def test_a_row_longer_than_the_header_is_an_error_that_names_it(tmp_path):
    """A comma outside quotation marks would otherwise shift or lose cells in silence."""
    path = tmp_path / "p.csv"
    path.write_text("prediction,target_id,distractor_id\na ball,1,2\na ball, red,1,2\n", encoding="utf-8")

    with pytest.raises(BrokenDataset, match="row 2: it has more cells than the 3 columns"):
        read_predictions(path)


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_the_columns_of_our_own_pairs_are_understood(tmp_path, suffix):
    """`target` and `distractor`, as pairs.parquet calls them, do as well as target_id and distractor_id."""
    path = tmp_path / f"p.{suffix}"
    rows = {
        "jsonl": '{"prediction": "a ball", "target": 1, "distractor": 2}\n',
        "csv": "prediction,target,distractor\na ball,1,2\n",
    }
    path.write_text(rows[suffix], encoding="utf-8")
    found = read_predictions(path)["all"]

    assert (found.targets.tolist(), found.distractors.tolist()) == ([1], [[2]])
