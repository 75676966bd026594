from __future__ import annotations

import json

import pytest

from deixis._cli import main
from deixis.worlds.rooms.data import make as making


@pytest.fixture(autouse=True)
def few_images(monkeypatch):
    """Captions of a hundred images."""
    monkeypatch.setattr(making, "IMAGES", 100)
    monkeypatch.setattr(making, "SHARD", 50)


def make(out, *words):
    return main(["make", "a3ds", "--out", str(out), *words])


def test_captions_are_made_and_summed_up(tmp_path, capsys):
    """The summary names every part, and a second run has nothing to do."""
    words = ["--captions", "short, natural", "--layout", "both", "--workers", "1"]
    assert make(tmp_path / "set", *words) == 0
    said = capsys.readouterr().out

    assert make(tmp_path / "set", *words) == 0
    again = capsys.readouterr().out

    assert "short captions, JSON" in said
    assert "Captions: 7,500." in said
    assert "train 30,000" in said
    assert "already complete" in again


def test_the_outcome_is_printed_as_json(tmp_path, capsys):
    """Counts, splits and sizes come as one document."""
    make(tmp_path / "set", "--captions", "none", "--test-sets", "--json")

    run = json.loads(capsys.readouterr().out)

    assert run["captions"] == {}
    assert run["parts"]["pairs"]["rows"] == 13 * 7500
    assert run["splits"]["test"] == 400_000
    assert run["world"] == "rooms"


def test_a_recipe_comes_from_a_file(tmp_path, capsys):
    """What a file says is made, with another seed where one is given; other options are refused beside it."""
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('captions = ["short"]\nseed = 3\n', encoding="utf-8")

    assert make(tmp_path / "one", "--captions", "short", "--seed", "3") == 0
    assert make(tmp_path / "two", "--recipe", str(recipe)) == 0
    assert make(tmp_path / "three", "--recipe", str(recipe), "--pairs") == 2

    assert "--pairs cannot be combined with --recipe" in capsys.readouterr().err
    one, two = ((tmp_path / name / "manifest.json").read_bytes() for name in ("one", "two"))
    assert one == two


def test_an_unknown_grammar_is_named(tmp_path, capsys):
    """The error lists those that there are."""
    assert make(tmp_path / "set", "--captions", "long") == 2

    assert "'long'; known: exhaustive" in capsys.readouterr().err
