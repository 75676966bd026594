"""Pages of the studio for a place without a server: links become relative, and what needs a server goes.

Templates say what differs between the two with two attributes. An element with `data-served` is of use only while a
studio answers, and is left out of a copy, as all forms are. An element with `data-copied` is hidden in the studio and
shown in a copy. Links to pages that a copy does not hold lose their address, and buttons that would lead there go.

Browsers load no modules from a file share, so scripts become plain ones, which find what they import in one object.
"""

from __future__ import annotations

import json
import re
from html import escape, unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urljoin, urlsplit

from deixis.errors import DeixisError


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src", "image": "href"}
TRAILS = ("crumbs", "trail")  # lists of links of which each is read even where it leads nowhere
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class) (\w+))", re.MULTILINE)
MODULE = re.compile(r"^(?:import|export)\b", re.MULTILINE)
MODULES = "globalThis.deixisModules"

Attributes = list[tuple[str, str | None]]


class CopyLinks(Protocol):
    """The addresses in a copy of what its pages ask for."""

    def page(self, address: str) -> str | None:
        """Return the relative address of a page, or None where the copy does not hold it."""

    def asset(self, address: str) -> str | None:
        """Return the relative address of a picture, a script or a style sheet, or None where there is none."""

    def imports(self, address: str) -> list[str]:
        """Return the addresses of the scripts that a script imports, each after those that it needs itself."""

    def facts(self, address: str) -> Mapping[str, object]:
        """Return what the studio answers as JSON."""


class CopiedPage(HTMLParser):
    """Rewrite one page.

    Args:
        address: where the studio has it.
        links: where the copy has what it asks for.
        cards: how many cards of a gallery are kept; all by default.
    """

    def __init__(self, address: str, links: CopyLinks, cards: int | None = None) -> None:
        super().__init__(convert_charrefs=False)
        self.address, self.links, self.cards = address, links, cards
        self.kept_cards = 0
        self.pieces: list[str] = []
        self._skipped: list[str] = []  # the open elements with the name of the one that is left out
        self._navs: list[str] = []  # the classes of the open navigations
        self._is_gallery = False
        self._scripts: set[str] = set()

    @property
    def text(self) -> str:
        """The page as it is written."""
        return "".join(self.pieces)

    # ---------------------------------------------------------------------------- what is kept

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Keep, change or leave out an element."""
        if self._skipped:
            if tag == self._skipped[0]:
                self._skipped.append(tag)
            return
        values = {name: value or "" for name, value in attrs}
        classes = values.get("class", "").split()
        if tag == "ul" and "gallery" in classes:
            self._is_gallery = True
        if self._is_left_out(tag, values, classes):
            if tag not in VOID:
                self._skipped.append(tag)
            return
        if tag == "nav":
            self._navs.append(values.get("class", ""))
        started = self.get_starttag_text() or ""
        if "data-copied" in values:
            started = _drop_attribute(_drop_attribute(started, "hidden"), "data-copied")
        if "data-shown" in values:
            started += f"{self.cards or 0:,}"
        self.pieces.append(self._with_addresses(tag, started, values))

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        """Keep, change or leave out an element without contents."""
        if self._skipped:
            return
        self.handle_starttag(tag, attrs)
        if self._skipped:  # there is nothing to wait for
            self._skipped.clear()

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        if self._skipped:
            if tag == self._skipped[0]:
                self._skipped.pop()
            return
        if tag == "nav" and self._navs:
            self._navs.pop()
        self.pieces.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Keep text."""
        self._keep(data)

    def handle_entityref(self, name: str) -> None:
        """Keep a character with a name."""
        self._keep(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Keep a character with a number."""
        self._keep(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        """Keep the declaration of the document."""
        self._keep(f"<!{decl}>")

    def _keep(self, text: str) -> None:
        if not self._skipped:
            self.pieces.append(text)

    # ---------------------------------------------------------------------------- decisions

    def _is_left_out(self, tag: str, values: Mapping[str, str], classes: list[str]) -> bool:
        if "data-served" in values or tag == "form":
            return True
        if tag == "li" and "card" in classes and self._is_gallery:
            self.kept_cards += 1
            return self.cards is not None and self.kept_cards > self.cards
        if tag == "a" and "data-needed" not in values and not self._finds(_kind(tag, values), values.get("href", "#")):
            in_list = bool(self._navs) and self._navs[-1] not in TRAILS
            return "button" in classes or in_list
        if tag in ("img", "script", "link", "iframe", "image"):
            asked = values.get(ADDRESSES[tag], "")
            return bool(asked) and not self._finds(tag, asked)
        return False

    def _finds(self, tag: str, said: str) -> str | None:
        """Return where a link leads in the copy; None where it leads nowhere."""
        if said.startswith(("#", "data:")):
            return said
        place = urlsplit(urljoin(f"http://studio{self.address}", said))
        if place.netloc != "studio":
            return None
        address = place.path + (f"?{place.query}" if place.query else "")
        found = self.links.page(address) if tag in ("a", "iframe") else self.links.asset(address)
        return found if found is None or not place.fragment else f"{found}#{place.fragment}"

    def _with_addresses(self, tag: str, started: str, values: Mapping[str, str]) -> str:
        if "data-needed" in values:
            return self._with_facts(started, values)
        name = ADDRESSES.get(tag, "")
        if name not in values:
            return started
        found = self._finds(_kind(tag, values), values[name])
        started = _drop_attribute(started, name) if found is None else _replace_value(started, name, found)
        return self._as_plain_script(started, values) if tag == "script" else started

    def _as_plain_script(self, started: str, values: Mapping[str, str]) -> str:
        """Return the start of a script that is no module, after those that it imports."""
        own = urlsplit(urljoin(f"http://studio{self.address}", values["src"])).path
        before = [one for one in self.links.imports(own) if one not in self._scripts]
        self._scripts |= {own, *before}
        tags = [f'<script defer src="{escape(self.links.asset(one) or "")}"></script>' for one in before]
        started = re.sub(r'\stype="module"', " defer", started)
        return "\n".join([*tags, started])

    def _with_facts(self, started: str, values: Mapping[str, str]) -> str:
        """Return a link with the share of needed words, which the studio asks for once a page is there."""
        facts = self.links.facts(values["data-needed"])
        found = self._finds("a", values.get("href", "#"))
        started = _drop_attribute(started, "data-needed")
        started = _drop_attribute(started, "href") if found is None else _replace_value(started, "href", found)
        if not facts.get("words"):
            return started
        return _drop_attribute(started, "hidden") + escape(f"{facts['words']} of words needed")


def _kind(tag: str, values: Mapping[str, str]) -> str:
    """Return what a link leads to: that of a page has the name of its tag, and one to a file is a download."""
    return "download" if tag == "a" and "download" in values else tag


def copy_page(text: str, address: str, links: CopyLinks, cards: int | None = None) -> str:
    """Return a page as a copy has it, with the arguments of `CopiedPage`."""
    page = CopiedPage(address, links, cards)
    page.feed(text)
    page.close()
    return page.text


class _Cards(HTMLParser):
    """The addresses of the cards of a gallery."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._place = ""

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        """Note the link of a heading within the gallery."""
        values = dict(attrs)
        if tag == "ul" and "gallery" in (values.get("class") or "").split():
            self._place = "gallery"
        elif tag == "h3" and self._place:
            self._place = "heading"
        elif tag == "a" and self._place == "heading":
            self._place = "gallery"
            self.found.append(values.get("href") or "")


def cards_in(text: str) -> list[str]:
    """Return the addresses of the cards of a page of a gallery, in their order."""
    cards = _Cards()
    cards.feed(text)
    return cards.found


def links_in(text: str) -> Iterator[str]:
    """Yield the addresses of the links of a page, as they are written."""
    for start in re.finditer(r'<a\b[^>]*?\shref="([^"]*)"', text):
        yield unescape(start[1])


# -------------------------------------------------------------------------------- scripts


def imports_of(text: str, address: str) -> list[str]:
    """Return the addresses of the scripts that a script imports itself."""
    return [urlsplit(urljoin(f"http://studio{address}", found[2])).path for found in IMPORT.finditer(text)]


def plain_script(text: str, address: str) -> str:
    """Return a module as a script that any page can load, also from a file share.

    Raises:
        DeixisError: when it imports or exports in a form that this does not know.
    """

    def bound(found: re.Match[str]) -> str:
        (source,) = imports_of(found[0], address)
        return f"const {{{found[1]}}} = {MODULES}[{json.dumps(source)}];"

    names = EXPORT.findall(text)
    body = EXPORT.sub("", IMPORT.sub(bound, text))
    if MODULE.search(body):
        raise DeixisError(f"the script {address} imports or exports in a form that cannot be exported")
    told = f"({MODULES} ??= {{}})[{json.dumps(address)}] = {{ {', '.join(names)} }};"
    return f'(async () => {{\n"use strict";\n{body}\n{told}\n}})();\n'


# -------------------------------------------------------------------------------- tags


def _replace_value(started: str, name: str, value: str) -> str:
    """Return the start of an element with another value of an attribute."""
    return re.sub(
        rf"""(\s{name}\s*=\s*)("[^"]*"|'[^']*')""", lambda found: f'{found[1]}"{escape(value)}"', started, count=1
    )


def _drop_attribute(started: str, name: str) -> str:
    """Return the start of an element without an attribute."""
    return re.sub(rf"""\s{name}(?:\s*=\s*(?:"[^"]*"|'[^']*'))?(?=[\s/>])""", "", started, count=1)
