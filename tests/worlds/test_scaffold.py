"""`deixis new world`: a package to start from."""

from __future__ import annotations

import json

import pytest

from deixis._cli import main
from deixis.errors import RecipeError
from deixis.worlds.toolkit._scaffold import write_package


def test_a_package_has_the_name_of_its_world(tmp_path):
    """Folder, distribution, entry point, world and recipe are called so, and nothing is called beads any more."""
    written = write_package("lego_bricks", tmp_path / "own")

    texts = {path.relative_to(tmp_path / "own").as_posix(): path.read_text(encoding="utf-8") for path in written}
    assert 'lego_bricks = "deixis_lego_bricks:WORLD"' in texts["pyproject.toml"]
    assert 'name="lego_bricks"' in texts["src/deixis_lego_bricks/__init__.py"]
    assert "class LegoBricksRecipe(Recipe)" in texts["src/deixis_lego_bricks/scenes.py"]
    assert not any("deixis_beads" in text or '"beads"' in text for text in texts.values())


def test_a_package_is_small(tmp_path):
    """At most 400 lines, so that one can read it in an afternoon and change it."""
    written = write_package("beads", tmp_path / "own")

    assert sum(path.read_text(encoding="utf-8").count("\n") for path in written) <= 400


@pytest.mark.parametrize("name", ["Beads", "two words", "", "../up", "grid", "reascan", "b" * 50 + "!", "import-x"])
def test_a_name_that_will_not_do_is_refused(tmp_path, name):
    """Nothing is written."""
    with pytest.raises(RecipeError):
        write_package(name, tmp_path / "own")

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    """Whatever lies there stays as it is."""
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")

    with pytest.raises(RecipeError, match="not empty"):
        write_package("beads", tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_the_verb_says_what_to_do_next(tmp_path, capsys):
    """And as JSON, which files there are."""
    assert main(["new", "world", "pearls", "--out", str(tmp_path / "a")]) == 0
    assert "pip install -e" in capsys.readouterr().out
    assert main(["new", "world", "pearls", "--out", str(tmp_path / "b"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["files"]) == 6
