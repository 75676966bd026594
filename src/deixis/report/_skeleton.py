"""The frame of a page, which loads nothing: head, skip link, header with its links, sections, footer."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from deixis.report._templates import render
from deixis.report.chart_html import chart_rules, chart_script


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    return render(
        "page.html",
        title=title,
        header=header,
        sections={name: section for name, section in sections.items() if section[1]},
        footer=footer,
        rules="".join(map(resource, styles)) + chart_rules() + rules,
        script=resource("report.js") + chart_script(),
    )


def resource(name: str, *, package: str = "deixis.report") -> str:
    """The text of a file of a package, by default of this one."""
    return (files(package) / name).read_text(encoding="utf-8")
