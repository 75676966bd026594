"""Ref-Adv: the annotators' file, the rows of the release, and files of predictions."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.errors import BrokenDataset
from deixis.judge.boxes import Box
from deixis.readers._builtin.ref_adv import READER
from deixis.readers._examples import ReadFile
from deixis.readers.registry import reader_of
from tests.readers.hostile import check_hostile_bytes


FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "others" / "ref-adv"
REAL, PREDICTED = FOLDER / "refcocos_test.json", FOLDER / "qwen3a8b_direct_predictions-6.jsonl"


def annotated(**changes):
    """One expression in the layout of the annotators."""
    categories = {"empty_case": False, "hops": "2", "type": ["exclude", "verb"], "occluded": True, "distractors": "4"}
    fields = {"normal_caption": "the cup that is not red", "image": "val2017/7.jpg", "width": 400, "height": 200}
    box = {"solution": [40.0, 20.0, 80.0, 100.0], "normalized_solution": [100, 100, 200, 500]}
    return {**fields, **box, "categories": categories, **changes}


def released(**changes):
    """One row of the release."""
    fields = {"file_name": "9.jpg", "normal_caption": "the left dog", "solution": [1, 2, 30, 40], "width": 64}
    more = {"height": 64, "image_source": "coco", "human_authored": True, "use_negation": False}
    return {**fields, **more, "distractors": '["dog", "cat", "fox"]', **changes}


def write(path, records, *, as_lines=False):
    """A list, or lines."""
    lines = "".join(json.dumps(one) + "\n" for one in records)
    path.write_text(lines if as_lines else json.dumps(records), encoding="utf-8")
    return path


def test_annotated_expressions_are_boxes_with_facts(tmp_path):
    """Boxes stay in pixels; numbers that are written as texts are numbers."""
    (example,) = ReadFile(READER, write(tmp_path / "cups_test.json", [annotated()]))

    assert READER.sniff(tmp_path / "cups_test.json")
    assert (example.id, example.split, example.text) == (0, "test", "the cup that is not red")
    assert example.boxes == ((0, Box(40, 20, 80, 100)),)
    assert example.images == (("val2017/7.jpg", 400, 200),)
    assert example.facts == {"hops": 2, "distractors": 4, "type": ["exclude", "verb"], "occluded": True}


def test_an_expression_that_fits_nothing_has_no_box(tmp_path):
    """It must be said; a missing box alone is refused, and so is a box where nothing fits."""
    empty = {"empty_case": True, "hops": "2", "distractors": "3"}
    records = [
        annotated(solution=None, normalized_solution=None, categories=empty),
        annotated(solution=None),
        annotated(categories=empty),
    ]
    read = ReadFile(READER, write(tmp_path / "x.json", records))

    assert [example.answer for example in read] == [[]]
    assert [refusal.code for refusal in read.refusals] == ["no-box", "contradiction"]


def test_a_box_that_differs_from_its_copy_is_told(tmp_path):
    """By how many thousandths; rounding is no difference."""
    copies = [[100, 100, 200, 500], [101, 99, 200, 500], [100, 100, 400, 500], None]
    read = ReadFile(READER, write(tmp_path / "x.json", [annotated(normalized_solution=copy) for copy in copies]))

    assert [example.facts.get("spaces_differ") for example in read] == [None, None, 200, None]


def test_rows_of_the_release_are_read_in_every_layout(tmp_path):
    """JSON Lines, a list, a page of a dataset server with numbers of its own, and a table."""
    lines = write(tmp_path / "a.jsonl", [released(), released(image={"bytes": None, "path": "b/7.jpg"})], as_lines=True)
    page = {"features": [], "rows": [{"row_idx": 40, "row": released()}, {"row_idx": 41, "row": released()}]}
    served = tmp_path / "b.json"
    served.write_text(json.dumps(page), encoding="utf-8")
    table = tmp_path / "c.tsv"
    row = released()
    cells = [str(value) if isinstance(value, bool) else value for value in row.values()]
    told = ["[1, 2, 30, 40]" if isinstance(cell, list) else str(cell).replace('"', "'") for cell in cells]
    table.write_text("\t".join(row) + "\n" + "\t".join(told) + "\n", encoding="utf-8")

    first, second = ReadFile(READER, lines)
    assert (first.images[0].name, second.images[0].name) == ("9.jpg", "b/7.jpg")
    assert first.facts == {"distractors": 3, "human_authored": True, "use_negation": False, "image_source": "coco"}
    assert [example.id for example in ReadFile(READER, served)] == [40, 41]
    assert READER.sniff(served)
    assert READER.sniff(table)
    (cut,) = ReadFile(READER, table)
    assert cut.boxes == first.boxes
    assert cut.facts == first.facts


@pytest.mark.parametrize(
    ("given", "count"), [("4", 4), (4, 4), ('["a", "b"]', 2), ("[]", 0), (["a"], 1), ("many", None), ("[a", None)]
)
def test_distractors_are_counted_however_they_are_written(tmp_path, given, count):
    """A number, a text with one, a list, or a text with a list; anything else is no number."""
    (example,) = ReadFile(READER, write(tmp_path / "x.json", [released(distractors=given)]))

    assert example.facts.get("distractors") == count


def test_parquet_is_read_without_its_pictures(tmp_path):
    """Rows have their numbers; a damaged file is one line."""
    rows = [{**released(), "image": {"bytes": b"picture", "path": None}}, {**released(solution=None)}]
    path = tmp_path / "train-00000-of-00001.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    read = ReadFile(READER, path)

    assert READER.sniff(path)
    assert [(example.id, example.split, example.images[0].name) for example in read] == [(0, "train", "9.jpg")]
    assert dict(read.refused) == {"no-box": 1}
    path.write_bytes(path.read_bytes()[:-20])
    assert not READER.sniff(path)
    with pytest.raises(BrokenDataset, match="cannot be read"):
        ReadFile(READER, path)


def test_predictions_are_examples_with_their_row_numbers(tmp_path):
    """They repeat what was asked and the right box; the size of the image is not known."""
    record = {
        "row_idx": 17,
        "file_name": "3.jpg",
        "normal_caption": "a hat",
        "distractor_count": 5,
        "gt_bbox_xyxy": [1.0, 2.0, 3.0, 4.0],
        "pred_box_xyxy_first": [1.0, 2.0, 3.0, 4.0],
    }
    (example,) = ReadFile(READER, write(tmp_path / "p.jsonl", [record], as_lines=True))

    assert (example.id, example.images, example.facts) == (17, (("3.jpg", 0, 0),), {"distractors": 5})


def test_a_folder_is_read_without_the_predictions_beside(tmp_path):
    """Rows of several files are numbered through, but keep the numbers that a dataset server gave them."""
    places = tmp_path / "files", tmp_path / "pages"
    for place in places:
        place.mkdir()
    for number in range(2):
        write(places[0] / f"test-{number}.jsonl", [released()] * 3, as_lines=True)
        page = [{"row_idx": 3 * number + k, "row": released()} for k in range(3)]
        write(places[1] / f"page-{number}.json", {"features": [], "rows": page})
    prediction = {"row_idx": 1, "normal_caption": "a hat", "gt_bbox_xyxy": [1, 2, 3, 4], "file_name": "3.jpg"}
    write(places[0] / "predictions.jsonl", [prediction], as_lines=True)

    for place in places:
        assert [one.id for one in ReadFile(reader_of(place), place)] == list(range(6))


def test_records_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each, and values of other types."""
    bad = {
        "no-text": annotated(normal_caption=" "),
        "no-image": annotated(image=None),
        "odd-box": annotated(solution=[40, 20, 30, 100]),
        "unreadable": 7,
    }
    more = [annotated(width="wide"), annotated(solution=[1, 2, 3]), annotated(solution=[1, 2, float("1e400"), 3])]
    path = tmp_path / "x.jsonl"
    write(path, [annotated(), *bad.values(), *more[:2]], as_lines=True)
    read = ReadFile(READER, path)

    assert (read.records, len(read)) == (7, 1)
    assert [refusal.code for refusal in read.refusals][:4] == list(bad)
    path.write_text("17", encoding="utf-8")
    with pytest.raises(BrokenDataset, match="neither a JSON list nor JSON Lines"):
        ReadFile(READER, path)


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    for name, as_lines in (("x.json", False), ("x.jsonl", True)):
        path = write(tmp_path / name, [annotated(), released()], as_lines=as_lines)
        check_hostile_bytes(READER, path, path, rounds=40)


@pytest.mark.skipif(not REAL.is_file(), reason="the sample of Ref-Adv does not lie beside the checkout")
def test_the_sample_is_read_whole():
    """173 expressions, of which 16 fit nothing; pixels and thousandths agree."""
    read = ReadFile(READER, REAL)

    assert READER.sniff(REAL)
    assert (read.records, len(read), dict(read.refused), read.splits) == (173, 173, {}, {"test": 173})
    assert sum(not example.boxes for example in read) == 16
    assert not any("spaces_differ" in example.facts for example in read)
    assert {example.facts["hops"] for example in read} == {2, 3, 4, 5}


@pytest.mark.skipif(not PREDICTED.is_file(), reason="the sample of Ref-Adv does not lie beside the checkout")
def test_the_sample_of_predictions_is_read_whole():
    """Six of them."""
    read = ReadFile(READER, PREDICTED)

    assert READER.sniff(PREDICTED)
    assert ([example.id for example in read], dict(read.refused)) == ([0, 1, 4, 10, 19, 25], {})
