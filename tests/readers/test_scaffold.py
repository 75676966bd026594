"""`deixis new reader`: a package to start from."""

from __future__ import annotations

import json
from runpy import run_path

import pytest

from deixis._cli import main
from deixis.errors import RecipeError
from deixis.readers._scaffold import write_package
from deixis.readers.registry import reader_names


def test_a_package_has_the_name_of_its_reader(tmp_path):
    """Folder, distribution, entry point, reader and sample file are called so."""
    written = write_package("pantry_items", tmp_path / "own")

    texts = {path.relative_to(tmp_path / "own").as_posix(): path.read_text(encoding="utf-8") for path in written}
    assert 'pantry_items = "deixis_pantry_items:READER"' in texts["pyproject.toml"]
    assert 'name="pantry_items"' in texts["src/deixis_pantry_items/__init__.py"]
    assert "tests/pantry_items.csv" in texts
    assert not any("deixis_shelf" in text or '"shelf"' in text for text in texts.values())
    assert sum(text.count("\n") for text in texts.values()) < 250


@pytest.mark.parametrize("name", ["Shelf", "two words", "", "../up", "grid", "rooms"])
def test_a_name_that_will_not_do_is_refused(tmp_path, name):
    """Nothing is written."""
    with pytest.raises(RecipeError):
        write_package(name, tmp_path / "own")

    assert list(tmp_path.iterdir()) == []


def test_the_verb_says_what_to_do_next(tmp_path, capsys):
    """And as JSON, which files there are."""
    assert main(["new", "reader", "pantry", "--out", str(tmp_path / "a")]) == 0
    assert "deixis check" in capsys.readouterr().out
    assert main(["new", "reader", "pantry", "--out", str(tmp_path / "b"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["files"]) == 5


def test_the_package_passes_its_own_tests_without_installation(tmp_path, monkeypatch):
    """Its reader is tried with every verb before anything is installed."""
    write_package("larder", tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "src")
    test = run_path(str(tmp_path / "tests" / "test_reader.py"))

    test["test_the_reader_drops_nothing"]()
    assert "larder" not in reader_names()
