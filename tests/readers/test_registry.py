"""Readers are found by name and by file, those of other packages too, and are worlds for every verb."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis._cli import main
from deixis.errors import BrokenDataset, MissingPart, UnknownName
from deixis.readers.registry import BUILT_IN, ReaderWarning, find_reader, known_readers, reader_of, sniff_reader
from deixis.worlds.registry import find_world, world_of
from tests.shelf import SHELF, installed_shelf, registered_readers


BROKEN = "no reader at all"


@pytest.fixture
def shelf():
    """The reader that `deixis new reader` writes."""
    with installed_shelf():
        yield find_reader("shelf")


def test_a_file_finds_its_reader(shelf):
    """By the reader's own look at it, and as a world of the same name."""
    assert reader_of(SHELF) is shelf
    assert world_of(SHELF).name == find_world("shelf").name == "shelf"
    assert world_of(SHELF).task == "refer"


def test_a_file_that_nobody_knows_is_refused_in_one_line(tmp_path):
    """The message lists who was asked."""
    (tmp_path / "notes.txt").write_text("nothing of the kind", encoding="utf-8")

    assert sniff_reader(tmp_path / "notes.txt") is None
    with pytest.raises(BrokenDataset, match="no reader knows the layout"):
        reader_of(tmp_path / "notes.txt")
    with pytest.raises(UnknownName, match="there is no reader 'nobody'"):
        find_reader("nobody")


def test_what_a_reader_cannot_do_is_said(shelf):
    """Files of others are read, not made."""
    with pytest.raises(MissingPart, match="shelf is read from files of others, so it has no recipes"):
        world_of(SHELF).part("recipes")


@pytest.mark.parametrize(
    ("name", "home", "complaint"),
    [
        ("away", "no_such_module:READER", "ModuleNotFoundError"),
        ("broken", f"{__name__}:BROKEN", "is no deixis Reader"),
        ("other", "deixis_shelf:READER", "it calls itself 'shelf'"),
    ],
)
def test_a_package_that_fails_is_left_out_with_a_warning(name, home, complaint):
    """The other readers work."""
    with registered_readers(**{name: home}), pytest.warns(ReaderWarning, match=complaint):
        assert list(known_readers()) == list(BUILT_IN)


def test_readers_have_a_licence_and_a_citation():
    """And names of their own, which no world has."""
    for reader in known_readers().values():
        assert len(reader.license) > 2, reader.name
        assert len(reader.citation) > 20, reader.name
        assert reader.package == "deixis"


def test_verbs_take_the_file(shelf, capsys, tmp_path):
    """As they take a dataset folder."""
    assert main(["stats", str(SHELF), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["datasets"][0]["splits"].keys() == {"train", "test"}
    assert main(["show", str(SHELF), "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == "the small red cup"
    assert main(["check", str(SHELF), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)["reports"][0]
    assert report["world"] == "shelf"
    assert report["counts"]["E010"] == 1
    assert main(["evaluate", "oracle", "--data", str(SHELF), "--split", "train", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["overall"]["accuracy"]["mean"] == 1.0
    assert main(["prompts", str(SHELF), "--split", "test", "--limit", "2", "--out", str(tmp_path / "asked.jsonl")]) == 0
    assert (tmp_path / "asked.jsonl").read_text(encoding="utf-8").count("\n") >= 2


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"images": [], "annotations": [{"category_id": 1, "iscrowd": 0}]}, "objects of COCO without expressions"),
        ({"info": {}, "scenes": [{"relationships": {}}]}, "scenes of CLEVR without expressions"),
    ],
)
def test_files_that_belong_to_others_are_told_by_name(tmp_path, values, told):
    """Objects and scenes have no expressions; the message says which file to give."""
    path = tmp_path / "instances.json"
    path.write_text(json.dumps(values), encoding="utf-8")

    with pytest.raises(BrokenDataset, match=told):
        world_of(path)


def test_a_file_of_programs_is_known_by_one_reader_alone(tmp_path):
    """CLEVR-Ref+ and Google Refexp both name their list refexps."""
    path = tmp_path / "clevr_ref+_val_refexps.json"
    path.write_text(json.dumps({"refexps": [{"program": [{"inputs": []}], "refexp": "x"}]}), encoding="utf-8")

    assert [name for name, reader in known_readers().items() if reader.sniff(path)] == ["clevr_ref"]


FILES = {
    "page.json": (b"<!DOCTYPE html>\n<html></html>", "it is a web page, perhaps of an error; fetch the file again"),
    "pointer.json": (b"version https://git-lfs.github.com/spec/v1\noid", "fetch the file itself with git lfs pull"),
    "packed.json": (b"\x1f\x8b\x08\x00", "it is a gzip archive, unpack it first"),
    "wide.json": ("{}".encode("utf-16"), "it is UTF-16 text, save it as UTF-8"),
    "empty.json": (b"", "the file is empty"),
    "game.json": (
        b'{"experiments": [{"name": "high"}]}',
        "only 'experiments'; this is another format; nor does a reader",
    ),
    "pictures.json": (
        b'{"sentence": "Two men.", "left_url": "a", "label": "True"}',
        "nor does a reader know its layout",
    ),
    "lines.json": (
        b'{"sentence": "Two men.", "left_url": "a"}\n{"sentence": "A man.", "left_url": "b"}\n',
        "only 'sentence', 'left_url'; this is another format; nor does a reader",
    ),
    "nothing.json": (b"{}", "there is no 'examples' in it; this is another format; nor does a reader know its layout"),
}
"""Files that are no dataset, with what is said of them."""


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_file_is_told_by_what_it_is(tmp_path, name):
    """In one line, with what to do about it; readers are named where one could have been meant."""
    content, told = FILES[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BrokenDataset) as caught:
        world_of(tmp_path / name)

    message = str(caught.value)
    assert told in message
    assert "\n" not in message
    assert ("sugarcrepe" in message) == ("nor does a reader" in told)


SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.mark.skipif(not SHARED.is_dir(), reason="no samples lie beside the checkout")
def test_no_sample_is_claimed_by_two_readers():
    """Nor is one of another kind: readmes, pictures, lists of words."""
    claims = {
        path: [name for name, reader in known_readers().items() if reader.sniff(path)] for path in SHARED.rglob("*")
    }
    assert {path: names for path, names in claims.items() if len(names) > 1} == {}
    texts = {path: names for path, names in claims.items() if path.is_file() and path.suffix in ("", ".txt", ".md")}
    assert not any(texts.values())
