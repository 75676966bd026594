"""What datasets about photographs, and of captions, hold, on the command line."""

from __future__ import annotations

import json

import pytest

from deixis._cli import main
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small dataset of imagined scenes, one distractor image of each kind."""
    out = tmp_path_factory.mktemp("copsref") / "made"
    make_copsref(CopsRefRecipe(seed=3, images=60, val=0.0, test=0.7, each=1, guarded=False), out)
    return out


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """A folder of A3DS with the thirteen test sets."""
    out = tmp_path_factory.mktemp("a3ds") / "rooms"
    assert main(["make", "a3ds", "--captions", "none", "--test-sets", "--out", str(out), "--workers", "1"]) == 0
    return out


def printed(capsys, *words):
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_tables_fit_a_terminal(made, capsys, monkeypatch):
    """Everything is printed within 80 columns, our figures beside the paper's."""
    monkeypatch.setenv("COLUMNS", "80")
    out = printed(capsys, "stats", made, "--paper")

    for title in ("Table 2", "Splits", "Length", "Form", "What there is to choose from", "Said most often (Figure 2)"):
        assert title in out
    assert "148,712" in out
    assert "WithoutDist" in out
    (head,) = (line for line in out.splitlines() if "CLEVR-Ref+" in line)
    assert head.split() == ["made", "Cops-Ref", "CLEVR-Ref+", "refCOCOg", "refCOCO"]
    assert all(len(line) <= 80 for line in out.splitlines() if "fit nothing" not in line)


def test_json_counts_the_examples(made, capsys):
    """The counts of splits and forms are those of the examples, within a split on request."""
    examples = list(open_copsref(made).examples())

    (found,) = json.loads(printed(capsys, "stats", made, "--json"))["datasets"]
    (tested,) = json.loads(printed(capsys, "stats", made, "--split", "test", "--json"))["datasets"]

    assert found["expressions"] == sum(example.is_there for example in examples) < len(examples)
    for form, count in found["forms"].items():
        assert count == sum(example.form == form for example in examples if example.is_there)
    assert tested["splits"] == {"test": found["splits"]["test"]}
    assert sum(tested["changes"].values()) == sum(e.split == "test" and not e.is_there for e in examples)


@pytest.mark.slow
def test_figures_and_tables_go_into_a_folder(made, tmp_path, capsys):
    """Two datasets stand side by side under the names they are given, in the formats that are asked for."""
    words = ("--out", tmp_path / "figures", "--format", "svg", "--names", "ours,again")
    other = made.with_name("made")  # the same folder is told from itself by its name
    out = printed(capsys, "stats", made, other, *words)

    written = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert written == ["distributions.svg", "figure2.svg", "stats.json", "table2.csv", "table2.md", "words.csv"]
    assert "figure2.svg" in out
    svg = (tmp_path / "figures" / "figure2.svg").read_text(encoding="utf-8")
    assert "again: object names" in svg


def test_captions_are_counted(rooms, capsys):
    """The sizes of the splits and of the test sets of A3DS are told."""
    out = printed(capsys, "stats", rooms)
    (found,) = json.loads(printed(capsys, "stats", rooms, "--json"))["datasets"]

    assert "480,000 images" in out
    assert "random three" in out
    assert found["splits"]["test"] == 400_000
    assert len(found["pairs"]) == 13
    assert set(found["pairs"].values()) == {7_500}
    assert {factor: sum(values.values()) for factor, values in found["features"].items()} == dict.fromkeys(
        ("floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation"), 480_000
    )


def test_one_split_of_captions_is_counted(rooms, capsys):
    """Images, features and pairs are those of the split."""
    found = {
        split: json.loads(printed(capsys, "stats", rooms, "--split", split, "--json"))["datasets"][0]
        for split in ("train", "tune", "validation", "test")
    }

    assert {split: one["images"] for split, one in found.items()} == {
        "train": 30_000,
        "tune": 30_000,
        "validation": 20_000,
        "test": 400_000,
    }
    assert sum(one["features"]["shape"]["ball"] for one in found.values()) == 120_000
    assert (len(found["test"]["pairs"]), len(found["train"]["pairs"])) == (13, 0)


def test_figures_of_captions_go_into_a_folder(rooms, tmp_path, capsys):
    """The same bytes every time, and the numbers are those that are printed."""
    for name in ("a", "b"):
        printed(capsys, "stats", rooms, "--out", tmp_path / name, "--format", "svg")

    written = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert sorted(written) == ["distributions.svg", "stats.json", "table2.csv", "table2.md", "words.csv"]
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert json.loads(written["stats.json"])["datasets"][0]["splits"]["tune"] == 30_000


@pytest.mark.parametrize(
    ("kinds", "words", "complaint"),
    [
        (("made",), ("--split", "nowhere"), "there is no split 'nowhere' in made; it has"),
        (("made",), ("--names", "a,b"), "give 1 --names"),
        (("made", "rooms"), (), "these are of photos, rooms"),
        (("rooms",), ("--split", "nowhere"), "there is no split 'nowhere' in rooms; it has"),
    ],
)
def test_mistakes_end_in_one_line(kinds, words, complaint, made, rooms, tmp_path, capsys):
    """What cannot be done is said in one line, and nothing is written."""
    folders = [str({"made": made, "rooms": rooms}[kind]) for kind in kinds]
    assert main(["stats", *folders, "--out", str(tmp_path / "out"), *words]) == 2

    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_broken_manifest_of_captions_is_one_line(rooms, tmp_path, capsys):
    """A manifest that does not count its captions is refused."""
    manifest = json.loads((rooms / "manifest.json").read_text(encoding="utf-8"))
    for broken in ({"captions": {"short": "many"}}, {"captions": None}, {"images": 0}):
        (tmp_path / "manifest.json").write_text(json.dumps(manifest | broken), encoding="utf-8")

        assert main(["stats", str(tmp_path)]) == 2

        assert "does not say how many" in capsys.readouterr().err
