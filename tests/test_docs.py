"""The documentation keeps its word."""

from __future__ import annotations

from pathlib import Path

from deixis.worlds.photos import _checks as copsref_check
from deixis.worlds.photos.clean import codes_table
from deixis.worlds.rooms import _checks as a3ds_check


ROOT = Path(__file__).parents[1]


def test_the_page_on_checks_lists_the_codes_of_scene_graphs():
    """The table of what can be wrong with scene graphs is that of the code."""
    assert codes_table() in (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_navigation():
    """A reader can reach every page from the menu."""
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]

    assert [page.name for page in (ROOT / "docs").rglob("*.md") if page.name not in navigation] == []


def test_the_page_on_checks_lists_the_codes_of_captions_and_photographs():
    """What can be wrong with A3DS and Cops-Ref folders stands on the page as the code says it."""
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    for code, message in {**a3ds_check.codes, **copsref_check.codes}.items():
        assert f"| {code} |" in page
        assert f"| {code} | {message} |" in page or code < "E7"
