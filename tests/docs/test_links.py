"""Links of the documentation lead somewhere, and to nobody else's host for anything that a page needs."""

from __future__ import annotations

import re
from unicodedata import normalize

import pytest

from tests.docs.pages import DOCS, PAGES, ROOT


FENCED = re.compile(r"^([ ]*)(`{3,}).*?^\1\2[ ]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*(?:\{.*\})?$", re.MULTILINE)
SCHEMES = ("light", "dark")


@pytest.mark.parametrize("page", [*PAGES, "../README.md", "../CONTRIBUTING.md"])
def test_links_within_the_project_lead_to_a_file_and_a_heading(page):
    """Each relative link names a file that is there, and, after #, a heading of it."""
    here = (DOCS / page).resolve()
    broken = []
    for link in LINK.findall(FENCED.sub("", here.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (here.parent / name).resolve() if name else here
        known = target.suffix != ".md" or not anchor or anchor in _anchors(target.read_text(encoding="utf-8"))
        if not target.is_file() or not target.is_relative_to(ROOT) or not known:
            broken.append(link)

    assert broken == []


@pytest.mark.parametrize("page", PAGES)
def test_pictures_are_ours(page):
    """No page shows a picture of another host, and every picture is described."""
    text = FENCED.sub("", (DOCS / page).read_text(encoding="utf-8"))
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)\s]+)", text)

    assert [link for words, link in pictures if "://" in link or not words.strip()] == []


def test_a_picture_for_the_dark_has_one_for_the_light():
    """Pictures that come in two themes come in both."""
    for page in PAGES:
        found = re.findall(r"\]\(([^)\s]+)-(light|dark)\.svg#only-(light|dark)\)", (DOCS / page).read_text("utf-8"))
        assert all(theme == only for _, theme, only in found)
        stems = {theme: {stem for stem, found_theme, _ in found if found_theme == theme} for theme in SCHEMES}
        assert stems["light"] == stems["dark"]


def test_every_picture_is_shown():
    """No file among the pictures is left over."""
    pages = "".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)
    pages += (ROOT / "README.md").read_text(encoding="utf-8")

    assert [path.name for path in (DOCS / "images").rglob("*.*") if path.name not in pages] == []


def _anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as Markdown makes them."""
    return {_slug(words) for words in HEADING.findall(FENCED.sub("", text))}


def _slug(words: str) -> str:
    ascii_only = normalize("NFKD", words).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^\w\s-]", "", ascii_only).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)
