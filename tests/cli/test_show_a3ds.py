"""Rooms and pairs of rooms on the command line."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from deixis.cli.app import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small folder of A3DS with the thirteen test sets."""
    out = tmp_path_factory.mktemp("a3ds") / "made"
    assert main(["make", "a3ds", "--captions", "none", "--test-sets", "--out", str(out), "--workers", "1"]) == 0
    return out


def test_a_room_is_told_with_its_captions(folder, capsys):
    """The image of a number is named, with some of its captions."""
    assert main(["show", str(folder), "163233"]) == 0

    said = capsys.readouterr().out
    assert "image 163233, tiny red ball near the right corner" in said
    assert "the ball is red" in said or "there is a tiny ball" in said


def test_a_pair_says_what_tells_its_rooms_apart(folder, capsys):
    """A pair of a set has a target, a distractor and the features in which they differ, never the shared one."""
    assert main(["show", str(folder), "3", "--split", "object_hue", "--json"]) == 0

    said = json.loads(capsys.readouterr().out)
    one, other = (room["factors"] for room in said["rooms"])
    assert one["object_hue"] == other["object_hue"]
    assert said["contrast"] == [name for name in one if one[name] != other[name]]


def test_rooms_are_drawn_side_by_side(folder, tmp_path, capsys):
    """A file gets both rooms of a pair."""
    out = tmp_path / "pair.png"

    assert main(["show", str(folder), "0", "--split", "shape", "--out", str(out)]) == 0

    assert "Wrote image" in capsys.readouterr().out
    with Image.open(out) as picture:
        assert picture.width > 2 * picture.height


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["480000"], "there is no image 480000"),
        (["9999", "--split", "shape"], "there is no pair 9999 in shape"),
        (["0", "--split", "weight"], "there is no set of pairs 'weight'"),
        (["0", "--out", "room.svg"], "the picture of a room is a .png"),
    ],
)
def test_what_is_not_there_is_one_line(folder, words, message, capsys):
    """Numbers, sets and file names that make no sense end in one line."""
    assert main(["show", str(folder), *words]) == 2

    said = capsys.readouterr().err
    assert message in said
    assert len(said.strip().splitlines()) == 1
