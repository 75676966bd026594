"""What stays of work that an error ends."""

from __future__ import annotations

from contextlib import suppress

import pytest

from deixis.data._leftovers import whole_or_nothing
from deixis.data._resumable import ResumableFolder, is_begun
from deixis.errors import RecipeError


def fail_after_writing(out, error):
    with suppress(type(error)), whole_or_nothing(out):
        (out / "deep").mkdir(parents=True, exist_ok=True)
        (out / "deep" / "new.json").write_text("{}", encoding="utf-8")
        raise error


@pytest.mark.parametrize("error", [RecipeError("refused"), KeyboardInterrupt(), OSError("full")])
def test_nothing_stays_where_nothing_was(tmp_path, error):
    """Files, their folders and the folders above that were made for them are gone."""
    fail_after_writing(tmp_path / "above" / "out", error)

    assert not list(tmp_path.iterdir())


def test_what_was_there_before_stays(tmp_path):
    """Only what is new goes, and a folder with something older in it stays."""
    (tmp_path / "out" / "deep").mkdir(parents=True)
    (tmp_path / "out" / "deep" / "old.json").write_text("old", encoding="utf-8")

    fail_after_writing(tmp_path / "out", RecipeError("refused"))

    assert [path.name for path in (tmp_path / "out").rglob("*")] == ["deep", "old.json"]


def test_what_is_finished_stays(tmp_path):
    """Where no error comes nothing is removed."""
    with whole_or_nothing(tmp_path / "out.json"):
        (tmp_path / "out.json").write_text("{}", encoding="utf-8")

    assert (tmp_path / "out.json").exists()


@pytest.mark.parametrize(("error", "stays"), [(KeyboardInterrupt(), True), (RecipeError("refused"), False)])
def test_a_beginning_stays_if_it_can_be_gone_on_with(tmp_path, error, stays):
    """What was interrupted can be resumed; what was refused would be refused again."""
    out = tmp_path / "out"
    with suppress(type(error)), whole_or_nothing(out), ResumableFolder(out, "digest") as folder:
        (out / "one.bin").write_bytes(b"1")
        folder.keep("one.bin", split="train", rows=1)
        raise error

    assert is_begun(out) is stays
    assert out.exists() is stays
