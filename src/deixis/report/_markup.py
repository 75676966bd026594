"""Markup from text: everything that goes into a page passes through here, escaped."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


HEX = re.compile(r"#[0-9A-Fa-f]{6}\b")


def text(value: object) -> str:
    """Return a value as text for any place in a page, attributes included.

    Characters that HTML forbids are replaced.
    """
    return escape(printable_text(str(value)))


def printable_text(value: str) -> str:
    """A text in which characters that HTML forbids are replaced."""
    return "".join(sign if _is_allowed(sign) else "\N{REPLACEMENT CHARACTER}" for sign in value)


def element(name: str, content: str, /, **attributes: str | None) -> str:
    """Return an element around markup.

    Attribute values are escaped, and underscores in names become hyphens.

    Attributes whose value is None are left out; `class_` is the class.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{content}</{name}>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str, numeric: Iterable[int] = ()) -> str:
    """Return a table of cells that are markup already, with the first cell of a row as its header."""
    right = set(numeric)
    kinds = ["number" if k in right else None for k in range(len(head))]
    top = "".join(element("th", cell, scope="col", class_=kind) for cell, kind in zip(head, kinds, strict=True))
    body = []
    for first, *rest in rows:
        cells = "".join(element("td", cell, class_=kind) for cell, kind in zip(rest, kinds[1:], strict=True))
        body.append(element("tr", element("th", first, scope="row") + cells))
    inner = element("caption", text(caption)) + element("thead", element("tr", top)) + element("tbody", "\n".join(body))
    return element("div", element("table", inner), class_="wide", tabindex="0", role="region", aria_label=caption)


def details(summary: str, content: str, **attributes: str | None) -> str:
    """Something that opens when asked for."""
    return element("details", element("summary", summary) + content, **attributes)


def anchor(name: str) -> str:
    """A name as something that links can point at."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"


def number(count: int) -> str:
    """A count with thousands separated."""
    return f"{count:,}"


def percent(share: float, *, digits: int = 1) -> str:
    """Return a share, or a difference of two, in percent.

    100 and 0 are said only of exactly all or nothing.
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    shown = f"{100 * share:.{digits}f}"
    nearly = {
        f"{100:.{digits}f}": f"over {100 - 10**-digits:.{digits}f}",
        f"{0:.{digits}f}": f"under {10**-digits:.{digits}f}",
        f"{-0.0:.{digits}f}": f"under {10**-digits:.{digits}f}",
    }
    return f"{nearly.get(shown, shown)} %"


class Themes:
    """Colours that differ between the light and the dark page, each pair under one name."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}

    def merge(self, light: str, dark: str) -> str:
        """Two drawings that differ in their colours only, as one that follows the theme of the page."""
        others = iter(HEX.findall(dark))
        return HEX.sub(lambda found: self.name(found.group(), next(others)), light)

    def paint(self, drawing: str, darker: Mapping[str, str]) -> str:
        """Return a drawing in light colours as one that follows the theme of the page.

        Keys are in capitals.
        """
        return HEX.sub(
            lambda found: self.name(found.group(), darker.get(found.group().upper(), found.group())), drawing
        )

    def name(self, light: str, dark: str) -> str:
        """The CSS variable of a colour that is `light` or `dark`."""
        known = self._names.setdefault((light.upper(), dark.upper()), f"--c{len(self._names)}")
        return f"var({known})"

    def rules(self) -> str:
        """The style rules that give the names their colours."""
        light = "".join(f"{name}:{pair[0]};" for pair, name in self._names.items())
        dark = "".join(f"{name}:{pair[1]};" for pair, name in self._names.items())
        return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


def _is_allowed(sign: str) -> bool:
    code = ord(sign)
    return sign in "\t\n" or 0x20 <= code < 0x7F or 0xA0 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code >= 0x10000
