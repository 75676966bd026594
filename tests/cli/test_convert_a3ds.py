"""Captions from and to the files of the A3DS release, on the command line."""

from __future__ import annotations

import json
import shutil

import pytest

from deixis._cli import main
from deixis.worlds.rooms.data import make as making
from deixis.worlds.rooms.formats import _convert as convert
from deixis.worlds.rooms.formats import a3ds


@pytest.fixture(autouse=True)
def few_images(monkeypatch):
    """Captions of two hundred images."""
    for module in (making, convert):
        monkeypatch.setattr(module, "IMAGES", 200)
    monkeypatch.setattr(making, "SHARD", 50)


@pytest.fixture
def made(tmp_path):
    """A dataset with captions of two grammars, as Parquet and in the layout of the release."""
    words = ["--captions", "exhaustive,short", "--layout", "both", "--workers", "1", "--seed", "5"]
    assert main(["make", "a3ds", "--out", str(tmp_path / "made"), *words]) == 0
    return tmp_path / "made"


def convert_to(form, source, out, *more):
    return main(["convert", str(source), str(out), "--to", form, *map(str, more)])


def test_a_dataset_is_written_as_a_release(made, tmp_path, capsys):
    """Files of captions are byte for byte those that making writes; vocabulary and lists go along."""
    assert convert_to("release", made, tmp_path / "release") == 0

    assert "exhaustive" in capsys.readouterr().out
    for name in ("3dshapes_captions_long.json", "3dshapes_captions_short.json", "vocabulary.json", "ids/test.txt"):
        assert (tmp_path / "release" / name).read_bytes() == (made / name).read_bytes()


@pytest.mark.slow
def test_a_release_becomes_a_dataset_and_comes_back(made, tmp_path, capsys):
    """What a release says is what the dataset says; checking it finds nothing, and writing it again changes nothing."""
    convert_to("release", made, tmp_path / "release")
    lists = tmp_path / "release" / "ids"
    for path in lists.iterdir():  # of the images that there are
        path.write_text("".join(f"{n}\n" for n in a3ds.read_image_list(path) if n < 200), encoding="ascii")
    capsys.readouterr()

    assert convert_to("parquet", tmp_path / "release", tmp_path / "back", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert main(["check", str(tmp_path / "back"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["reports"][0]
    assert convert_to("release", tmp_path / "back", tmp_path / "again") == 0

    assert told["captions"] == {"exhaustive": 200 * 20, "short": 200 * 27}
    assert told["captions of another grammar"] == {"exhaustive": 0, "short": 0}
    assert report["counts"] == {}
    manifest = json.loads((tmp_path / "back" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["world"], manifest["dataset"], "recipe" in manifest) == ("rooms", "imported", False)
    for name in ("3dshapes_captions_long.json", "3dshapes_captions_short.json", "vocabulary.json"):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()
    assert main(["card", str(tmp_path / "back")]) == 0


def test_a_caption_of_nobody_is_kept_and_told(made, tmp_path, capsys):
    """A caption that no grammar has stays as it is; converting says how many there are, checking which."""
    file = tmp_path / "3dshapes_captions_short.json"
    captions = json.loads((made / file.name).read_text(encoding="utf-8"))
    captions["7"][3] = "a room like no other"
    file.write_text(json.dumps(captions), encoding="utf-8")

    assert convert_to("parquet", file, tmp_path / "odd") == 0

    assert "1 captions are not those of the grammar short" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "odd"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["reports"][0]["counts"] == {"E701": 1}


@pytest.mark.parametrize(
    ("form", "more", "complaint"),
    [
        ("compact", [], "is of rooms, which is not written as 'compact'; known: parquet, release"),
        ("release", ["--split", "night"], "there is no split 'night'"),
        ("release", ["--as", "x"], "is converted at a time"),
        ("release", ["--scenes", "x.json"], "--scenes is an option of photos"),
    ],
)
def test_what_makes_no_sense_is_one_line(form, more, complaint, made, tmp_path, capsys):
    """Forms of other worlds, splits that are not there and options of other worlds are refused."""
    capsys.readouterr()
    assert convert_to(form, made, tmp_path / "out", *more) == 2

    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_images_out_of_order_are_refused(made, tmp_path, capsys):
    """A file whose images do not come in the order of their numbers is refused, and nothing is left behind."""
    shutil.copy(made / "3dshapes_captions_short.json", tmp_path)
    file = tmp_path / "3dshapes_captions_short.json"
    captions = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(dict(reversed(captions.items()))), encoding="utf-8")

    assert convert_to("parquet", file, tmp_path / "out") == 2

    assert "order of their numbers" in capsys.readouterr().err
    assert not (tmp_path / "out" / "manifest.json").exists()
