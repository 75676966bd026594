"""COLA and Winoground: two images and two captions."""

from __future__ import annotations

import json

import pytest

from deixis.readers._builtin import cola, winoground
from deixis.readers._choice_answers import choices_of
from deixis.readers._examples import ReadFile
from deixis.readers.registry import sniff_reader
from deixis.testing import check_reader
from tests.readers.hostile import check_hostile_bytes
from tests.readers.pairs import OTHERS, cola_record, write


REAL = OTHERS / "cola" / "COLA_multiobjects_matching_benchmark.json"
WINO = {
    "id": 12,
    "image_0": "ex_12_img_0",
    "image_1": "ex_12_img_1",
    "caption_0": "a cup in a box",
    "caption_1": "a box in a cup",
    "tag": "Noun",
    "secondary_tag": "",
    "num_main_preds": 1,
    "collapsed_tag": "Object",
}


def test_caption_k_fits_image_k(tmp_path):
    """Addresses are names, and four questions can be asked."""
    path = write(tmp_path / "cola.json", [cola_record()])
    (example,) = ReadFile(cola.READER, path)

    assert sniff_reader(path) is cola.READER
    assert [image.name for image in example.images] == ["0.jpg", "0b.jpg"]
    assert example.choices == ("red cup 0", "cup 0 red")
    asked = choices_of(example, "match")
    assert [(one.asked, one.right) for one in asked] == [
        ("image 0", 0),
        ("image 1", 1),
        ("sentence 0", 0),
        ("sentence 1", 1),
    ]
    assert asked[2].texts == ("0.jpg", "0b.jpg")


def test_objects_and_tables_of_four_are_read(tmp_path):
    """As lines, or with a head."""
    fields = dict(zip(("image1", "caption1", "image2", "caption2"), cola_record(), strict=True))
    lines = write(tmp_path / "a.jsonl", [fields], as_lines=True)
    (tmp_path / "b.csv").write_text(",".join(fields) + "\n" + ",".join(fields.values()) + "\n")

    for path in (lines, tmp_path / "b.csv"):
        assert sniff_reader(path) is cola.READER
        assert ReadFile(cola.READER, path)[0].choices == ("red cup 0", "cup 0 red")


def test_winoground_has_ids_and_tags(tmp_path):
    """As lines, as a list and as a table."""
    table = ",".join(WINO) + "\n" + ",".join(map(str, WINO.values())) + "\n"
    (tmp_path / "c.csv").write_text(table)
    places = (
        write(tmp_path / "a.jsonl", [WINO], as_lines=True),
        write(tmp_path / "b.json", [WINO]),
        tmp_path / "c.csv",
    )
    for path in places:
        assert sniff_reader(path) is winoground.READER
        (example,) = ReadFile(winoground.READER, path)
        assert (example.id, example.text) == ("12", "a cup in a box")
        assert (example.facts["tag"], example.facts["swapped"]) == ("Noun", "Object")


def test_records_that_are_no_matchings_are_refused_by_code(tmp_path):
    """One of each."""
    one = cola_record()
    bad = {
        "no-record": [one[:3], None],
        "same-image": [[one[0], one[1], one[0], one[3]]],
        "same-text": [[one[0], one[1], one[2], one[1]]],
        "no-text": [[one[0], "", one[2], one[3]]],
        "no-image": [["", *one[1:]], [None, *one[1:]]],
    }
    path = write(tmp_path / "cola.json", [one, *(record for some in bad.values() for record in some)])
    read = ReadFile(cola.READER, path)

    assert dict(read.refused) == {code: len(some) for code, some in bad.items()}
    assert ReadFile(winoground.READER, write(tmp_path / "w.json", [WINO, {**WINO, "image_1": ""}])).refused


def test_other_lists_of_lists_are_not_known(tmp_path):
    """Five words, numbers, or a list that is cut off."""
    for number, text in enumerate((json.dumps([["a"] * 5]), "[[1, 2, 3, 4]]", '[["a", "b"', "[", "[[[[")):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        assert sniff_reader(path) is None


def test_every_verb_takes_the_file(tmp_path):
    """The checker of readers finds nothing."""
    facts = check_reader(cola.READER, write(tmp_path / "cola.json", [cola_record(number) for number in range(8)]))

    assert (facts.records, facts.examples) == (8, 8)


@pytest.mark.parametrize("reader", [cola.READER, winoground.READER], ids=["cola", "winoground"])
def test_hostile_bytes_never_crash(tmp_path, reader):
    """Changed bytes give examples, refusals or one line."""
    records = [cola_record(number) for number in range(4)] if reader is cola.READER else [WINO] * 3
    path = write(tmp_path / "x.json", records)
    check_hostile_bytes(reader, path, path)


@pytest.mark.skipif(not REAL.is_file(), reason="the sample of COLA does not lie beside the checkout")
def test_the_sample_is_read_whole():
    """All 210 matchings."""
    read = ReadFile(cola.READER, REAL)

    assert sniff_reader(REAL) is cola.READER
    assert (read.records, len(read), dict(read.refused)) == (210, 210, {})
    assert all("/" not in image.name for one in read for image in one.images)
