"""The studio's pages of every world can be written as files that need no server."""

from __future__ import annotations

import shutil

import pytest

from tests.studio.exported import asked_in, faults_of


pytest.importorskip("starlette", reason="needs deixis[studio]")

from deixis._studio.export import export_studio
from deixis._studio.library import Library


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def exported(made, tmp_path_factory):
    """An export of a few examples of a world, and what it is said to hold."""
    out = tmp_path_factory.mktemp("exports") / "pages"
    return out, export_studio([made.path], out, examples=5)


def test_every_link_of_an_export_leads_to_one_of_its_files(exported):
    """No address is absolute, leaves the folder or leads nowhere, and no form is left over."""
    out, summary = exported
    pages = sorted(out.rglob("*.html"))

    assert list(faults_of(out)) == []
    assert summary.pages == len(pages)
    assert summary.examples in range(1, 6)
    assert (out / "d" / "data" / "audit.html").is_file()
    for page in pages:
        asked = asked_in(page)
        assert "form" not in asked.tags
        assert not {"data-served", "data-copied", "data-needed", "data-answer"} & asked.attributes


def test_every_example_that_an_export_counts_is_reached_from_its_first_page(exported):
    """Following links from index.html finds every page."""
    out, summary = exported
    waiting, reached = [out / "index.html"], {(out / "index.html").resolve()}
    while waiting:
        page = waiting.pop()
        for tag, address in asked_in(page).addresses:
            target = (page.parent / address.partition("#")[0]).resolve()
            is_page = tag == "a" and address[0] != "#" and target.suffix == ".html"  # others are files to save
            if is_page and target not in reached:
                reached.add(target)
                waiting.append(target)

    assert len(reached) == summary.pages


def test_the_same_data_give_the_same_export(made, exported, tmp_path, monkeypatch):
    """Where the data lie, when they are exported and what the studio has read beforehand leave no trace."""
    first, _ = exported
    shutil.copytree(made.path, tmp_path / "elsewhere" / "data")
    (entry,) = Library((tmp_path / "elsewhere",))
    monkeypatch.setattr(type(entry.pages), "prepare", lambda *_: None)

    export_studio([tmp_path / "elsewhere" / "data"], tmp_path / "again", examples=5)

    files = {path.relative_to(first): path.read_bytes() for path in first.rglob("*") if path.is_file()}
    again = {
        path.relative_to(tmp_path / "again"): path.read_bytes()
        for path in (tmp_path / "again").rglob("*")
        if path.is_file()
    }
    assert sorted(files) == sorted(again)
    assert [name for name in files if files[name] != again[name]] == []
