"""`deixis evaluate SPEAKER --pictures`: speakers that come with Deixis see pictures from files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from deixis._cli import main
from deixis.worlds.rooms.draw import draw_png, draw_rooms
from deixis.worlds.rooms.scene import factors_of


torch = pytest.importorskip("torch")
torch.set_num_threads(1)
IDS = np.array([163_233, 5, 400_123, 251_001])


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """Four rooms in an archive, with their factors, and two pairs of them."""
    folder = tmp_path_factory.mktemp("rooms")
    np.savez(folder / "rooms.npz", rooms=draw_rooms(IDS), rooms_factors=factors_of(IDS).astype(np.int64))
    (folder / "pairs.csv").write_text("target,distractor\n0,1\n3,2\n", encoding="utf-8")
    return folder


def test_pictures_of_an_archive_are_captioned_and_scored(rooms, capsys):
    """Each by itself: how many have all six features right, and which features are wrong."""
    assert main(["evaluate", "speaker-b", "--pictures", str(rooms / "rooms.npz"), "--device", "cpu", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert [line["target_id"] for line in found["said"]] == IDS.tolist()
    assert found["all six right"] == 4
    assert found["features"]["shape"] == {"true": 4, "false": 0}
    assert "scores" not in found


def test_pairs_of_pictures_are_scored_as_elsewhere(rooms, tmp_path, capsys):
    """What is written can be read by `deixis evaluate`, which finds the same."""
    words = ["evaluate", "speaker-rp", "--pictures", str(rooms / "rooms.npz"), "--pairs", str(rooms / "pairs.csv")]

    assert main([*words, "--device", "cpu", "--out", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert main(["evaluate", str(tmp_path / "captions.jsonl"), "--json"]) == 0
    scored = json.loads(capsys.readouterr().out)

    assert [line["distractor_id"] for line in found["said"]] == [5, 400_123]
    assert all(isinstance(line["understood"], bool) for line in found["said"])
    assert found["scores"]["discriminativity"]["mean"] in (0.0, 0.5, 1.0)
    assert json.dumps(found["scores"]["discriminativity"]["mean"]) in json.dumps(scored)
    assert json.loads((tmp_path / "evaluation.json").read_text())["captions"] == 2


def test_estimates_that_the_pictures_contradict_do_not_count_as_errors_alone(tmp_path, capsys):
    """A size that was estimated one too large: the caption is wrong by the estimate and right by the fitted drawing."""
    estimated = factors_of(IDS[:2]).astype(np.int64)
    estimated[0, 3] += 1
    np.savez(tmp_path / "rooms.npz", rooms=draw_rooms(IDS[:2]), rooms_factors_est=estimated)

    assert main(["evaluate", "speaker-b", "--pictures", str(tmp_path / "rooms.npz"), "--device", "cpu", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["all six right"] == 1
    assert found["fitted"] == {"all six right": 2, "without a false feature": 2, "pictures estimated otherwise": 1}


def test_pictures_without_factors_are_captioned_only(tmp_path, capsys):
    """A folder of PNG files, some of which are left out, which is told."""
    for room in IDS.tolist():
        (tmp_path / f"{room:06}.png").write_bytes(draw_png(room, size=64))

    assert main(["evaluate", "speaker-b", "--pictures", str(tmp_path), "--count", "3", "--device", "cpu"]) == 0

    printed = capsys.readouterr().out
    assert "000005.png" in printed
    assert "nothing is scored" in printed
    assert "1 of the 4 pictures of the source were not looked at." in printed


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--pictures", "none.npz"], "there is no file or folder none.npz"),
        (["--pairs", "pairs.csv"], "for --pictures only"),
        (["--pictures", "ROOMS", "--encoder", "factors"], "the encoder 'factors' sees no pictures"),
        (["--pictures", "ROOMS", "--pairs", "ODD"], "odd.csv, row 1: there is no picture 9"),
    ],
)
def test_what_cannot_be_seen_is_told_in_a_line(rooms, tmp_path, capsys, words, complaint):
    """No file, no pictures, an encoder that sees none, pictures that are not there."""
    (tmp_path / "odd.csv").write_text("target,distractor\n9,1\n", encoding="utf-8")
    places = {"ROOMS": str(rooms / "rooms.npz"), "ODD": str(tmp_path / "odd.csv")}

    assert main(["evaluate", "speaker-b", *(places.get(word, word) for word in words), "--device", "cpu"]) != 0

    assert complaint in " ".join(capsys.readouterr().err.split())


def test_each_set_has_a_row_where_they_make_no_category(capsys):
    """The speaker that contrasts says one feature of each, which is too little beside several distractors."""
    sets = ["every-word-one", "every-word-two"]

    assert main(["evaluate", "speaker-contrast", "--split", ",".join(sets), "--count", "4", "--device", "cpu"]) == 0

    printed = capsys.readouterr().out
    assert all(name in printed for name in sets)
    assert "speaker-contrast" in printed
