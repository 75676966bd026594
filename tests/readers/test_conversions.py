"""Conversions between refer, COCO, TSV and Parquet: what was written is read back, and every change is counted."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deixis._cli import main
from deixis.judge.boxes import Box
from deixis.readers._formats.proof import ConversionProof, differences, prove
from deixis.readers.reader import Image, ReadExample, Region
from deixis.readers.registry import reader_of
from tests.readers.samples import write_sample


pytest.importorskip("pyarrow")


def convert(capsys, source, out, to, *words):
    code = main(["convert", str(source), str(out), "--to", to, "--json", *words])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    return json.loads(shown.out)


def complaint(capsys, source, out, to):
    assert main(["convert", str(source), str(out), "--to", to]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.fixture
def refer(tmp_path):
    """References with all objects of their images."""
    return write_sample("refcoco", tmp_path / "source", 24)[0]


def test_a_round_trip_through_four_layouts_loses_nothing(refer, capsys, tmp_path):
    """Refer, COCO, Parquet and refer again: ids, splits, texts, boxes and candidates come back."""
    steps = [("coco", "a.json"), ("parquet", "rows"), ("coco", "b.json"), ("parquet", "more"), ("refer", "refcoco")]
    source = refer
    for to, name in steps:
        found = convert(capsys, source, tmp_path / "out" / name, to)
        assert (found["examples"], found["identical"]) == (24, 24), (to, found["changed"])
        source = tmp_path / "out" / name
    first, last = (list(reader_of(path).examples(path)) for path in (refer, source))
    assert [one.id for one in first] == [one.id for one in last]
    assert not any(differences(one, other) for one, other in zip(first, last, strict=True))
    assert (tmp_path / "out" / "a.json").read_bytes() == (tmp_path / "out" / "b.json").read_bytes()


def test_what_a_table_cannot_say_is_counted_and_shown(refer, capsys, tmp_path):
    """Texts, boxes, images and splits stay; candidates and ids are lost, and the report says so."""
    found = convert(capsys, refer, tmp_path / "rows.tsv", "tsv")

    assert found["examples"] == 24
    assert set(found["changed"]) == {"targets", "candidates", "facts"}
    assert found["first changes"]["targets"][0] == {"id": "0-0", "before": [[0, 0]], "after": []}
    assert json.loads((tmp_path / "rows.conversion.json").read_text())["changed"] == found["changed"]
    again = convert(capsys, tmp_path / "rows.tsv", tmp_path / "c.json", "coco")
    assert set(again["changed"]) <= {"id", "facts", "candidates"}


def test_no_pickle_is_written(refer, capsys, tmp_path):
    """References are JSON, beside the file of their objects."""
    convert(capsys, refer, tmp_path / "refcoco", "refer")
    assert {path.suffix for path in (tmp_path / "refcoco").rglob("*") if path.is_file()} == {".json"}
    assert not list((tmp_path / "refcoco").rglob("*.p"))


@pytest.mark.parametrize(
    ("name", "to", "lacks"),
    [
        ("sugarcrepe", "tsv", "it is answered by a choice, not by a box (6 examples)"),
        ("mig_bench", "refer", "it is about several images (6 examples)"),
        ("stars2", "coco", "the boxes of its objects are not known (6 examples)"),
        ("expressions", "refer", "it names no image (6 examples)"),
        ("nlvr", "absent-jsonl", "its meaning is not known (6 examples)"),
    ],
)
def test_examples_that_lack_what_a_layout_needs_are_named(capsys, tmp_path, name, to, lacks):
    """In one line, and nothing is written."""
    path, _ = write_sample(name, tmp_path / "sample")
    assert lacks in complaint(capsys, path, tmp_path / "out", to)
    assert {one.name for one in tmp_path.iterdir()} == {"sample"}


def test_splits_can_be_chosen_and_renamed(refer, capsys, tmp_path):
    """By `--split` and `--as`."""
    found = convert(capsys, refer, tmp_path / "a.json", "coco", "--split", "testA", "--as", "testA=test")
    assert found["splits"] == {"test": 8}
    assert {one.split for one in reader_of(tmp_path / "a.json").examples(tmp_path / "a.json")} == {"test"}


def test_nothing_is_replaced_unasked(refer, capsys, tmp_path):
    """A file is with --force, a folder never."""
    convert(capsys, refer, tmp_path / "a.tsv", "tsv")
    assert "already exists" in complaint(capsys, refer, tmp_path / "a.tsv", "tsv")
    convert(capsys, refer, tmp_path / "a.tsv", "tsv", "--force")
    (tmp_path / "full").mkdir()
    assert "already exists" in complaint(capsys, refer, tmp_path / "full", "refer")


@pytest.mark.parametrize("form", ["refer", "coco", "tsv"])
def test_absent_things_are_read_back(refer, capsys, tmp_path, form):
    """Half of the rows fit nothing, in the split of the one that they were made of."""
    names = {"refer": "absent", "coco": "a.json", "tsv": "a.tsv"}
    found = convert(capsys, refer, tmp_path / names[form], f"absent-{form}", "--seed", "3")
    path = tmp_path / names[form]
    examples = list(reader_of(path).examples(path))

    nothing = [one for one in examples if not one.boxes]
    assert len(nothing) * 2 == len(examples) == 2 * found["pairs"] > 0
    assert found["missing"] == found["extra"] == 0
    assert all(one.facts["absent"]["word"] in one.text for one in nothing)
    assert all(one.facts["absent"]["instead_of"] in one.facts["absent"]["original"] for one in nothing)


# -------------------------------------------------------------------------------- the proof

EXAMPLE = ReadExample(
    id="a", text="cup", split="val", images=(Image("a.jpg", 9, 9),), boxes=(Region(0, Box(1, 2, 3, 4)),), facts={"n": 1}
)


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, set()),
        ({"id": "b"}, {"id"}),
        ({"split": "test"}, {"split"}),
        ({"text": "cups"}, {"text"}),
        ({"images": (Image("a.jpg", 9, 8),)}, {"images"}),
        ({"boxes": (Region(0, Box(1, 2, 3, 4.001)),)}, {"rounding"}),
        ({"boxes": (Region(0, Box(1, 2, 3, 4.5)),)}, {"boxes"}),
        ({"boxes": ()}, {"boxes"}),
        ({"space": "share"}, {"boxes"}),
        ({"regions": ((Box(1, 2, 3, 4),),)}, {"candidates"}),
        ({"choices": ("a", "b")}, {"choices"}),
        ({"facts": {}}, {"facts"}),
    ],
)
def test_every_field_is_compared(changes, names):
    """A difference by rounding is told apart from a change."""
    assert set(differences(EXAMPLE, replace(EXAMPLE, **changes))) == names


def test_examples_that_vanish_or_come_are_counted():
    """Whatever the order."""
    some = [replace(EXAMPLE, id=str(k), text=f"cup {k}") for k in range(6)]
    proof = prove(some, [*reversed(some[1:4]), replace(EXAMPLE, text="new"), some[5]], ConversionProof())

    assert (proof.examples, proof.identical, proof.missing, proof.extra) == (4, 4, 2, 1)
    assert not proof.is_whole


def test_the_report_shows_the_first_changes():
    """With the id, before and after."""
    proof = prove([EXAMPLE], [replace(EXAMPLE, split="test", facts={})], ConversionProof())
    plain = proof.to_dict()
    assert plain["changed"] == {"split": 1, "facts": 1}
    assert plain["first changes"]["split"] == [{"id": "a", "before": "val", "after": "test"}]
    assert plain["facts lost or changed"] == {"n": 1}
    assert any("split of a: val became test" in str(line) for line in proof.blocks())


@pytest.mark.parametrize("name", ["a.json-coco", "coco", "a.coco"])
def test_the_name_of_a_coco_file_is_free(refer, capsys, tmp_path, name):
    """It is read back whatever it is called."""
    found = convert(capsys, refer, tmp_path / name, "coco")

    assert found["identical"] == 24


def test_the_same_words_twice_are_paired_in_their_order():
    """Of two examples that say the same, the first belongs to the first that comes back, whatever comes between."""
    one, other = (
        ReadExample(
            id=f"{number}-absent", text="the cow", images=(Image("a.jpg", 9, 9),), facts={"absent": {"of": number}}
        )
        for number in range(2)
    )
    original = ReadExample(id="0", text="the cup", images=(Image("a.jpg", 9, 9),))
    before = [original, one, replace(original, id="1"), other]
    after = [replace(one, id="7"), replace(other, id="8"), original, replace(original, id="1")]

    proof = prove(before, after, ConversionProof())

    assert (proof.examples, dict(proof.changed)) == (4, {"id": 2})
