"""The pages of a studio as somebody finds them who follows every kind of link."""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urljoin, urlsplit


if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.testclient import TestClient


MOST = 200  # pages
VARIANTS = 2  # of one page, by what is asked of it: galleries have a filter for everything that is known of examples


@dataclass
class Found(HTMLParser):
    """What a page leads to, and what can be asked on it."""

    links: list[str] = field(default_factory=list)
    fields: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links, pictures and the names of fields."""
        values = dict(attrs)
        if tag in ("input", "select", "textarea", "button") and values.get("name"):
            self.fields.add(str(values["name"]))
        link = values.get({"a": "href", "img": "src", "iframe": "src"}.get(tag, ""))
        if link:
            self.links.append(link)


@dataclass(frozen=True)
class Visited:
    """A page: its address, its kind (numbers left out), what was answered, and the names of fields on it."""

    address: str
    kind: str
    status: int
    type: str
    text: str
    fields: frozenset[str]


def crawl(client: TestClient) -> Iterator[Visited]:
    """One page of every kind that can be reached from the first, by links alone; moving pictures take too long."""
    waiting, seen, variants = deque(["/"]), {"/"}, Counter[str]()
    while waiting and len(seen) < MOST:
        address = waiting.popleft()
        answer = client.get(address, headers={"accept": "text/html"})
        kind = answer.headers.get("content-type", "").partition(";")[0]
        found = Found()
        if kind == "text/html":
            found.feed(answer.text)
        yield Visited(address, kind_of(address), answer.status_code, kind, answer.text, frozenset(found.fields))
        for link in found.links:
            place = urlsplit(urljoin(f"http://127.0.0.1{address}", link))
            there = place.path + (f"?{place.query}" if place.query else "")
            kind = kind_of(there)
            is_new = kind not in seen and variants[kind.partition("?")[0]] < VARIANTS
            if place.netloc == "127.0.0.1" and not place.path.endswith(".gif") and is_new:
                seen.add(kind)
                variants[kind.partition("?")[0]] += 1
                waiting.append(there)


def kind_of(address: str) -> str:
    """An address without its numbers and without the values of what is asked."""
    place = urlsplit(address)
    names = sorted({name for name, _ in parse_qsl(place.query, keep_blank_values=True)})
    path = re.sub(r"[0-9a-f]{8,}|(?<=[/_.-])\d+(?=[/_.-]|$)", "N", place.path)
    return path + ("?" + "&".join(names) if names else "")


def pages_of(client: TestClient) -> list[str]:
    """The address of one page of every kind, whatever is asked of it."""
    pages: dict[str, str] = {}
    for visited in crawl(client):
        if visited.type == "text/html" and visited.status == 200:
            pages.setdefault(visited.kind.partition("?")[0], visited.address)
    return list(pages.values())
