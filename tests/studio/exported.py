"""What the files of an export ask for, and where that is."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class LinkReader(HTMLParser):
    """Every address in a page, with the name of its element, the names of its elements, and its ids."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str]] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element asks for."""
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src", "xlink:href", "action", "poster", "srcset", "data-needed", "data-answer"):
                self.addresses.append((tag, value or ""))
            if name == "id":
                self.ids.add(value or "")


def asked_in(page: Path) -> LinkReader:
    """Return what a page asks for."""
    found = LinkReader()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def faults_of(folder: Path) -> Iterator[str]:
    """Yield every address of an export that is absolute, leads out of it, or to no file or place in a file."""
    root = folder.resolve()
    pages = {path.resolve(): asked_in(path) for path in sorted(folder.rglob("*.html"))}
    for page, asked in pages.items():
        for tag, address in asked.addresses:
            told = f"{page.relative_to(root)}: <{tag}> {address}"
            place = urlsplit(address)
            if place.scheme == "data":
                continue
            if place.scheme or place.netloc or place.path.startswith("/") or place.query:
                yield f"{told} is not relative"
                continue
            target = (page.parent / unquote(place.path)).resolve() if place.path else page
            if not target.is_relative_to(root) or not target.is_file():
                yield f"{told} leads nowhere"
            elif place.fragment and target in pages and unquote(place.fragment) not in pages[target].ids:
                yield f"{told} leads to no place of that page"
