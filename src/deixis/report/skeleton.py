"""The frame of a page: head, skip link, header with its links, sections, footer; nothing is loaded from anywhere."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from deixis.report.chart_html import chart_rules, chart_script
from deixis.report.markup import element, text


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["Section", "frame_page", "resource"]

Section = tuple[str, str]  # title and body, both markup


def frame_page(
    *, title: str, header: str, sections: Mapping[str, Section], footer: str, rules: str = "", styles: Sequence[str]
) -> str:
    """A whole page.

    Args:
        title: plain text, for the window.
        header: the markup above the links to the sections.
        sections: by anchor; empty ones are left out.
        footer: the markup at the end.
        rules: further style rules, such as those of the themes.
        styles: the style sheets of this package to include; those of others go to `rules`, see `resource`.
    """
    kept = {name: section for name, section in sections.items() if section[1]}
    main = "\n".join(
        element(
            "section",
            element("h2", heading, id=f"{name}-title") + "\n" + body,
            id=name,
            aria_labelledby=f"{name}-title",
        )
        for name, (heading, body) in kept.items()
    )
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"{element('title', text(title))}\n{element('style', ''.join(map(resource, styles)) + chart_rules() + rules)}"
    )
    links = "".join(element("a", heading, href=f"#{name}") for name, (heading, _) in kept.items())
    first = next(iter(kept), "")
    body = "\n".join(
        (
            element("a", "Skip to the content", href=f"#{first}", class_="skip"),
            element("header", header + element("nav", links, aria_label="Sections")),
            element("main", main),
            element("footer", footer),
            element("script", resource("report.js") + chart_script()),
        )
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def resource(name: str, *, package: str = "deixis.report") -> str:
    """The text of a file of a package, by default of this one."""
    return (files(package) / name).read_text(encoding="utf-8")
