"""NLVR: a statement about three boxes, with its label and the votes on it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from deixis.errors import BrokenDataset
from deixis.readers._builtin.nlvr import READER
from deixis.readers._examples import ReadFile
from deixis.readers._pictures import ReadPictures
from tests.readers.hostile import check_hostile_bytes


REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "others" / "nlvr" / "dev-150.jsonl"

THINGS = [
    {"y_loc": 80, "type": "triangle", "color": "#0099ff", "x_loc": 80, "size": 20},
    {"y_loc": 47, "type": "circle", "color": "Yellow", "x_loc": 90, "size": 10},
    {"y_loc": 1, "type": "square", "color": "Black", "x_loc": 70, "size": 30},
]


def statement(**changes):
    """One statement on which four of five agree."""
    votes = {f"r{number}": "false" if number == 3 else "true" for number in range(5)}
    fields = {"sentence": "One box is empty.", "label": "true", "identifier": "12-0", "directory": "3", "evals": votes}
    return {**fields, "structured_rep": [THINGS, THINGS[:1], []], **changes}


def write(path, *records, as_list=False):
    """Lines, or a list."""
    text = json.dumps(list(records)) if as_list else "".join(json.dumps(one) + "\n" for one in records)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_boxes_are_scenes(tmp_path):
    """Colours by name or number are the same values, and objects keep their places."""
    (example,) = ReadFile(READER, write(tmp_path / "dev.json", statement()))

    assert [len(scene) for scene in example.scenes] == [3, 1, 0]
    first = example.scenes[0]
    assert [sorted(first.objects[k]) for k in range(2)] == [
        [("color", "blue"), ("shape", "triangle"), ("size", "medium")],
        [("color", "yellow"), ("shape", "circle"), ("size", "small")],
    ]
    assert first.position(1) == (47, 90)
    assert (example.split, example.id, example.choices, example.answer) == ("dev", "12-0", ("true", "false"), 0)


def test_votes_that_are_split_are_kept_with_their_agreement(tmp_path):
    """Nothing is left out because people differ."""
    votes = {"r0": "true", "r1": "false", "r2": "false"}
    one, other = ReadFile(READER, write(tmp_path / "x.jsonl", statement(), statement(label="false", evals=votes)))

    assert one.facts == {"votes": 5, "agreement": 0.8, "directory": "3"}
    assert other.facts["agreement"] == 2 / 3
    assert other.right == 1


def test_lists_and_gathered_scenes_are_read(tmp_path):
    """A JSON list; and one sentence with several scenes and labels."""
    assert len(ReadFile(READER, write(tmp_path / "list.json", statement(), statement(), as_list=True))) == 2
    gathered = {
        "identifier": "5",
        "sentence": "There is a box.",
        "worlds": [[THINGS], [[]]],
        "labels": ["true", "false"],
    }
    examples = list(ReadFile(READER, write(tmp_path / "train.jsonl", gathered)))

    assert [(example.id, example.right, example.record) for example in examples] == [("5-0", 0, 0), ("5-1", 1, 0)]


def test_a_folder_gives_its_splits(tmp_path):
    """In the order of training, development and test."""
    for name in ("test", "train", "dev"):
        write(tmp_path / name / f"{name}.json", statement(identifier=name))

    assert READER.sniff(tmp_path)
    assert list(ReadFile(READER, tmp_path).splits) == ["train", "dev", "test"]
    assert list(ReadFile(READER, tmp_path / "dev").splits) == ["dev"]


def test_a_folder_gives_files_of_other_names_and_the_hidden_test(tmp_path):
    """All files whose names begin with the split, unless one is called as it; of the hidden test the final one."""
    (tmp_path / "hidden").mkdir()
    write(tmp_path / "dev-1.jsonl", statement(identifier="1-0"))
    write(tmp_path / "dev-2.jsonl", statement(identifier="2-0"))
    write(tmp_path / "hidden" / "hidden2.json", statement(identifier="3-0"))
    write(tmp_path / "hidden" / "hidden_final.json", statement(identifier="3-0"))
    (tmp_path / "test_predictions.json").write_text('{"1-0": "true"}')

    assert READER.sniff(tmp_path)
    assert [(one.split, one.id) for one in ReadFile(READER, tmp_path)] == [
        ("dev", "1-0"),
        ("dev", "2-0"),
        ("hidden", "3-0"),
    ]


def test_a_sentence_behind_its_scenes_is_found(tmp_path):
    """In one file of the hidden test the scenes stand twice before it."""
    record = statement()
    sentence = record.pop("sentence")
    path = write(tmp_path / "hidden2.json", {"image": "x" * 6000, **record, "sentence": sentence})
    assert READER.sniff(path)
    assert [one.text for one in ReadFile(READER, path)] == [sentence]


def test_blocks_of_a_tower_touch_in_the_picture(tmp_path):
    """Shapes are drawn where and as large as they are, since statements are about what touches what."""
    tower = [{"type": "square", "color": "Yellow", "size": 20, "x_loc": 40, "y_loc": row} for row in (80, 59)]
    (example,) = ReadFile(READER, write(tmp_path / "dev.json", statement(structured_rep=[tower, [], []])))
    drawn = ReadPictures("verify").draw(example).decode()
    blocks = re.findall(r'<rect x="[0-9.]+" y="([0-9.]+)" width="([0-9.]+)" height="([0-9.]+)" fill="#f0c83c"', drawn)
    (low, side, _), (high, *_) = [[float(one) for one in block] for block in blocks]

    assert low + side == pytest.approx(5 * side, abs=0.2)  # the lower edge of the box
    assert low - high == pytest.approx(side * 21 / 20, abs=0.2)


def test_records_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each."""
    odd = [{**THINGS[0], "color": "mauve"}]
    bad = {
        "no-text": statement(sentence=" "),
        "no-label": statement(label="maybe"),
        "odd-object": statement(structured_rep=[odd, [], []]),
        "unreadable": {"sentence": "x"},
    }
    more = [
        7,
        statement(structured_rep=[[{**THINGS[0], "size": []}]]),
        statement(structured_rep=None),
        statement(label=[]),
    ]
    read = ReadFile(READER, write(tmp_path / "dev.json", statement(), *bad.values(), *more))

    assert (read.records, len(read)) == (9, 1)
    assert [refusal.code for refusal in read.refusals][:4] == list(bad)
    path = write(tmp_path / "cut.json", statement())
    path.write_bytes(path.read_bytes()[:400])
    with pytest.raises(BrokenDataset, match="line 1: it is no JSON"):
        ReadFile(READER, path)


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    path = write(tmp_path / "dev.json", statement(), statement(label="false"))
    check_hostile_bytes(READER, path, path)


@pytest.mark.skipif(not REAL.is_file(), reason="the sample of NLVR does not lie beside the checkout")
def test_the_sample_is_read_whole():
    """150 statements, none refused; on some people differ."""
    read = ReadFile(READER, REAL)

    assert READER.sniff(REAL)
    assert (read.records, len(read), dict(read.refused)) == (150, 150, {})
    assert all(example.facts["votes"] == 5 for example in read)
    assert sum(example.facts["agreement"] < 1 for example in read) > 10
    assert {example.right for example in read} == {0, 1}
