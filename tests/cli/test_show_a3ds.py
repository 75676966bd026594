"""Rooms and pairs of rooms on the command line."""

from __future__ import annotations

import json

import pytest
from PIL import Image

import deixis as dx
from deixis._cli.app import main
from deixis.worlds.rooms._pictures import GAP, HEAD, LARGE, MARGIN


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small folder of A3DS with the thirteen test sets."""
    out = tmp_path_factory.mktemp("a3ds") / "made"
    assert main(["make", "a3ds", "--captions", "none", "--test-sets", "--out", str(out), "--workers", "1"]) == 0
    return out


def test_a_room_is_told_with_its_captions(folder, capsys):
    """The image of a number is named, with some of its captions."""
    assert main(["show", str(folder), "163233", "--split", "images"]) == 0

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


def test_a_number_is_that_of_an_example_as_everywhere(folder, capsys):
    """Counted over all sets: what `dx.load` gives for it."""
    assert main(["show", str(folder), "7501", "--json"]) == 0

    said = json.loads(capsys.readouterr().out)
    example = dx.load(folder)[7501]
    assert (said["id"], said["split"]) == (example.id, example.split)
    assert [room["image"] for room in said["rooms"]] == list(example.images)


def test_rooms_are_drawn_side_by_side(folder, tmp_path, capsys):
    """A file gets both rooms of a pair, the target in a frame, and what they share apart from what tells them apart."""
    out = tmp_path / "pair.png"

    assert main(["show", str(folder), "0", "--split", "shape", "--out", str(out)]) == 0

    assert "Wrote example 0" in capsys.readouterr().out
    with Image.open(out) as picture:
        colors = dict.fromkeys(color for _, color in picture.convert("RGB").getcolors(1 << 20))
        frame = picture.convert("RGB").getpixel((MARGIN - 1, HEAD + LARGE // 2))
        beyond = picture.convert("RGB").getpixel((MARGIN + LARGE + GAP + MARGIN - 1, HEAD + LARGE // 2))
    assert frame == (0xB3, 0x41, 0x0A)
    assert beyond != frame
    assert (0x59, 0x62, 0x7A) in colors  # the shape, which both share


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["480000", "--split", "images"], "there is no image 480000"),
        (["97500"], "there is no example 97500 here; there are 97,500, counted from 0"),
        (["9999", "--split", "shape"], "there is no pair 9999 in shape"),
        (["0", "--split", "weight"], "there is no split 'weight' in made"),
        (["0", "--out", "room.svg"], "the name of a picture ends in .png"),
    ],
)
def test_what_is_not_there_is_one_line(folder, words, message, capsys):
    """Numbers, sets and file names that make no sense end in one line."""
    assert main(["show", str(folder), *words]) == 2

    said = capsys.readouterr().err
    assert message in said
    assert len(said.strip().splitlines()) == 1
