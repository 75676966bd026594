from __future__ import annotations

import json

import pytest

from deixis.cli.make_a3ds import a3ds
from deixis.datasets import a3ds as making
from deixis.errors import RecipeError


@pytest.fixture(autouse=True)
def few_images(monkeypatch):
    """Captions of a hundred images."""
    monkeypatch.setattr(making, "IMAGES", 100)
    monkeypatch.setattr(making, "SHARD", 50)


def test_captions_are_made_and_summed_up(tmp_path, capsys):
    """The summary names every part, and a second run has nothing to do."""
    assert a3ds(out=tmp_path / "set", captions="short, natural", layout="both", workers=1) == 0
    said = capsys.readouterr().out

    assert a3ds(out=tmp_path / "set", captions="short,natural", layout="both", workers=1) == 0
    again = capsys.readouterr().out

    assert "short captions, JSON" in said
    assert "Made 7,500 captions" in said
    assert "train 30,000" in said
    assert "already complete: 7,500 captions" in again


def test_the_outcome_is_printed_as_json(tmp_path, capsys):
    """Counts, splits and sizes come as one document."""
    a3ds(out=tmp_path / "set", captions="none", test_sets=True, as_json=True)

    run = json.loads(capsys.readouterr().out)

    assert run["captions"] == {}
    assert run["parts"]["pairs"]["rows"] == 13 * 7500
    assert run["splits"]["test"] == 400_000


def test_an_unknown_grammar_is_named(tmp_path):
    """The error lists those that there are."""
    with pytest.raises(RecipeError, match="'long'; known: exhaustive"):
        a3ds(out=tmp_path / "set", captions="long")
