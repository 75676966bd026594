"""ARO: captions in which relations, attributes or words have changed their places."""

from __future__ import annotations

import pytest

from deixis.errors import BrokenDataset
from deixis.readers._builtin.aro import READER
from deixis.readers._examples import ReadFile
from deixis.readers.registry import sniff_reader
from deixis.testing import check_reader
from tests.readers.hostile import check_hostile_bytes
from tests.readers.pairs import write


def relation(**changes):
    """A record of VG-Relation."""
    fields = {
        "image_id": "2390970",
        "image_path": "2390970.jpg",
        "bbox_x": 10,
        "bbox_y": 20,
        "bbox_w": 100.5,
        "bbox_h": 50,
        "relation_name": "on",
        "true_caption": "the cup is on the box",
        "false_caption": "the box is on the cup",
    }
    return {**fields, **changes}


def attribution():
    """A record of VG-Attribution."""
    more = {"attributes": ["red", "blue"], "obj1_name": "cup", "obj2_name": "box"}
    captions = {"true_caption": "the red cup and the blue box", "false_caption": "the blue cup and the red box"}
    return {**{name: value for name, value in relation().items() if name != "relation_name"}, **more, **captions}


def ordered():
    """A record of COCO-Order with its four negatives."""
    hard = {f"hard_text_{number}": f"cup a {number} red" for number in range(1, 5)}
    return {"images": "7.jpg", "correct_caption": "a red cup", **hard}


def test_relations_and_attributes_come_with_their_boxes(tmp_path):
    """The box is what is shown of the image, as it is published."""
    (one,) = ReadFile(READER, write(tmp_path / "visual_genome_relation.json", [relation()]))
    (other,) = ReadFile(READER, write(tmp_path / "visual_genome_attribution.json", [attribution()]))

    assert one.choices == ("the cup is on the box", "the box is on the cup")
    assert one.facts == {"relation": "on", "box": [10, 20, 100.5, 50]}
    assert (one.split, one.images[0].name) == ("visual_genome_relation", "2390970.jpg")
    assert other.facts["attributes"] == ["red", "blue"]
    assert (other.facts["first_object"], other.facts["object"]) == ("cup", "box")


def test_captions_with_four_negatives_are_five_choices(tmp_path):
    """Both layouts in which order tests are handed on."""
    options = {"image_path": "coco/7.jpg", "caption_options": ["a red cup", "cup red a", "red a cup"]}
    (one,) = ReadFile(READER, write(tmp_path / "coco_order.json", [ordered()]))
    (other,) = ReadFile(READER, write(tmp_path / "flickr30k_order.json", [options]))

    assert len(one.choices) == 5
    assert (one.text, one.right, one.images[0].name) == ("a red cup", 0, "7.jpg")
    assert other.choices == ("a red cup", "cup red a", "red a cup")


def test_lines_and_tables_are_read(tmp_path):
    """JSON Lines, and CSV and TSV with a head."""
    lines = write(tmp_path / "a.jsonl", [relation(), attribution()], as_lines=True)
    rows = "image_path,true_caption,false_caption\n1.jpg,a cup on a box,a box on a cup\n"
    (tmp_path / "b.csv").write_text(rows)
    (tmp_path / "c.tsv").write_text(rows.replace(",", "\t"))
    options = 'image_path\tcaption_options\n1.jpg\t"[""a b"", ""b a""]"\n'
    (tmp_path / "d.tsv").write_text(options)

    assert len(ReadFile(READER, lines)) == 2
    for name in ("b.csv", "c.tsv"):
        assert sniff_reader(tmp_path / name) is READER
        assert ReadFile(READER, tmp_path / name)[0].choices == ("a cup on a box", "a box on a cup")
    assert ReadFile(READER, tmp_path / "d.tsv")[0].choices == ("a b", "b a")


def test_files_with_captions_alone_are_not_known(tmp_path):
    """Their negatives are shuffled by whoever runs the test, so there is nothing to read."""
    path = write(tmp_path / "coco_karpathy_test.json", [{"image": "val2014/1.jpg", "caption": ["a cup", "one cup"]}])

    assert sniff_reader(path) is None


def test_a_folder_gives_its_files(tmp_path):
    """Relations first."""
    write(tmp_path / "visual_genome_attribution.json", [attribution()])
    write(tmp_path / "visual_genome_relation.json", [relation()])

    assert READER.sniff(tmp_path)
    assert list(ReadFile(READER, tmp_path).splits) == ["visual_genome_relation", "visual_genome_attribution"]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BrokenDataset, match="no file of ARO"):
        ReadFile(READER, empty)


def test_records_that_are_no_pairs_are_refused_by_code(tmp_path):
    """One of each."""
    bad = {
        "no-text": [relation(false_caption=""), {"caption_options": [], "image_path": "1.jpg"}, {"caption": "x"}],
        "no-image": [relation(image_path=None, image_id=None), relation(image_path="")],
        "same-text": [relation(false_caption="the cup is on the box"), {"correct_caption": "a", "image": "1"}],
        "odd-box": [relation(bbox_x="wide"), relation(bbox_w=None), relation(bbox_h=True), relation(bbox_y=1e400)],
        "no-record": [None],
    }
    records = [relation(), *(one for some in bad.values() for one in some)]
    path = tmp_path / "x.json"
    write(path, records)
    path.write_text(path.read_text().replace("Infinity", "1e999"))
    read = ReadFile(READER, path)

    assert dict(read.refused) == {code: len(some) for code, some in bad.items()}


def test_every_verb_takes_the_file(tmp_path):
    """The checker of readers finds nothing."""
    facts = check_reader(
        READER,
        write(tmp_path / "coco_order.json", [ordered() | {"correct_caption": f"a red cup {k}"} for k in range(8)]),
    )

    assert (facts.records, facts.examples) == (8, 8)


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    path = write(tmp_path / "a.json", [relation(), attribution(), ordered()])
    check_hostile_bytes(READER, path, path)
