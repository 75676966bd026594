"""Reports of results: sections of blocks, written as one page that needs nothing else and as Markdown."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from deixis._version import __version__
from deixis.report._cells import NO_REASON, markdown_lines, plain_words, write_files
from deixis.report._markup import Themes, details, element, number, text
from deixis.report._markup import table as plain_table
from deixis.report._results.tables import (
    Difference,
    Table,
    cells_as_csv,
    differences_as_html,
    table_as_html,
    table_as_markdown,
)
from deixis.report._skeleton import frame_page
from deixis.report.chart import Chart, Figure
from deixis.report.chart_html import chart_markup, figure_markup
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.report.output import TextTable


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


SIGNS = {"holds": "✓", "does not hold": "✗", "not measured": "?"}
CLASSES = {"holds": "holds", "does not hold": "fails", "not measured": "open"}


class Paragraph(NamedTuple):
    """A paragraph of plain text."""

    text: str


class Terms(NamedTuple):
    """Terms with what is said of each."""

    items: Sequence[tuple[str, str]]


class Differences(NamedTuple):
    """Differences between measured and published figures, with reasons."""

    items: Sequence[Difference]


class Listing(NamedTuple):
    """A table of plain text, whose first column names the row.

    Attributes:
        caption: what it shows.
        heads, rows: its text.
        numeric: the columns of numbers.
        fold: the words behind which a page hides it; empty to show it.
        kinds: the class of each row, for the style sheet.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Sequence[int] = ()
    fold: str = ""

    def as_text(self) -> TextTable:
        """The same for a terminal."""
        return TextTable(self.heads, self.rows, self.numeric)


class Claim(NamedTuple):
    """A statement of a paper: whether it holds here, by which numbers, and why."""

    says: str
    verdict: str
    numbers: str
    is_unsure: bool = False
    why: str = ""

    @property
    def verdict_words(self) -> str:
        """The verdict, with a word about the noise."""
        return f"{self.verdict}, within the noise" if self.is_unsure else self.verdict


class Claims(NamedTuple):
    """Statements of a paper."""

    items: Sequence[Claim]


class Code(NamedTuple):
    """Lines to be copied, with `fold` as in `Listing`."""

    lines: Sequence[str]
    fold: str = ""


class Custom(NamedTuple):
    """Markup of a page that a world makes itself, and the same as Markdown."""

    html: str
    markdown: Sequence[str] = ()


Block: TypeAlias = Paragraph | Terms | Differences | Listing | Claims | Code | Custom | Table | Figure | Chart


class Section(NamedTuple):
    """A section, which is left out without a block."""

    key: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything that is reported of some runs.

    Attributes:
        title: of the page.
        about: lines below the title.
        tiles: counts for a first impression, by what is counted.
        sections: in order.
        source: what to cite for the published figures.
        entries: every cell as plain values.
        values: further plain values for report.json.
        themes: the colours that custom blocks use.
        rules: further style rules.
        files: further files by name.
    """

    title: str
    about: Sequence[str]
    tiles: Mapping[str, int]
    sections: Sequence[Section]
    source: str
    entries: Sequence[Mapping[str, Any]]
    values: Mapping[str, Any] = field(default_factory=dict)
    themes: Themes = field(default_factory=Themes)
    rules: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values: the content of report.json."""
        return {"deixis": __version__, "source": self.source, "cells": list(self.entries), **self.values}


def write_report(report: Report, out: Path) -> list[Path]:
    """Write a report into a folder.

    Equal runs give equal bytes.

    Returns:
        The files: report.html, report.md, report.json, tables.csv, further ones, and every figure as PNG and SVG.

    Raises:
        DeixisError: when matplotlib is not installed and there are figures to draw.
    """
    figures = [block for section in report.sections for block in section.blocks if isinstance(block, Figure)]
    files: dict[str, str | bytes] = {
        "report.html": report_as_html(report),
        "report.md": report_as_markdown(report),
        "report.json": json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n",
        "tables.csv": cells_as_csv(report.entries),
        **report.files,
    }
    files |= {f"{one.name}.{form}": draw_figure(one, form, theme="reader") for one in figures for form in FORMATS}
    return write_files(files, out)


# -------------------------------------------------------------------------------- pages


def report_as_html(report: Report) -> str:
    """The report as one HTML page.

    Raises:
        DeixisError: when matplotlib is not installed and there are figures to draw.
    """
    tiles = "".join(
        element("li", element("b", number(n)) + element("span", text(what))) for what, n in report.tiles.items()
    )
    header = (
        element("p", "Deixis · models", class_="kicker")
        + element("h1", text(f"{report.title} beside published results"))
        + "".join(element("p", text(line), class_="about") for line in report.about)
        + element("ul", tiles, class_="tiles")
    )
    sections = {
        one.key: (text(one.title), "\n".join(_block_as_html(block, report.themes) for block in one.blocks))
        for one in report.sections
    }
    return frame_page(
        title=report.title,
        header=header,
        sections=sections,
        footer=element("p", text(f"Published: {report.source}."))
        + element("p", f"Made by deixis {text(__version__)}. This page needs no connection."),
        rules=report.rules + report.themes.rules(),
        styles=("report.css", "audit.css", "results.css"),
    )


def _block_as_html(block: Block, themes: Themes) -> str:
    match block:
        case Table():
            return table_as_html(block, themes)
        case Figure():
            return figure_markup(block)
        case Chart():
            return chart_markup(block)
        case Custom():
            return block.html
        case Paragraph():
            return element("p", text(block.text))
        case Differences():
            return differences_as_html(block.items)
        case Terms():
            terms = "".join(element("dt", text(term)) + element("dd", text(said)) for term, said in block.items)
            return element("dl", terms, class_="marked") if terms else ""
        case Code():
            inner = element("pre", element("code", text("\n".join(block.lines))), class_="commands", tabindex="0")
            return details(text(block.fold), inner) if block.fold else inner
        case Claims():
            return element("ul", "\n".join(map(_claim_as_html, block.items)), class_="shape")
        case Listing():
            rows = [[text(cell) for cell in row] for row in block.rows]
            inner = plain_table(
                [text(head) for head in block.heads], rows, caption=block.caption, numeric=block.numeric
            )
            return details(text(block.fold), inner) if block.fold else inner


def _claim_as_html(claim: Claim) -> str:
    noise = element("small", "within the noise") if claim.is_unsure else ""
    said = element("p", text(claim.says)) + element("p", text(claim.numbers), class_="numbers")
    said += element("p", text(claim.why), class_="why") if claim.why else ""
    verdict = element("b", text(claim.verdict) + noise)
    return element("li", verdict + element("div", said), class_=CLASSES[claim.verdict])


# -------------------------------------------------------------------------------- Markdown


def report_as_markdown(report: Report) -> str:
    """Return the report as a page of Markdown, with figures as files beside it."""
    lines = [f"# {report.title} beside published results", "", *(f"{plain_words(line)}  " for line in report.about)]
    for section in report.sections:
        inner = [line for block in section.blocks for line in ("", *_block_as_markdown(block))]
        if any(inner):
            lines += ["", f"## {plain_words(section.title)}", *inner]
    return "\n".join([*lines, "", f"Published: {plain_words(report.source)}."]) + "\n"


def _block_as_markdown(block: Block) -> list[str]:
    match block:
        case Table():
            about = [f"{plain_words(one.title)}: {plain_words(one.about)}  " for one in block.rows if one.about]
            return [f"{plain_words(block.caption)}.", "", *table_as_markdown(block), "", *about]
        case Figure():
            return [f"![{plain_words(block.title)}]({block.name}.svg)", "", plain_words(block.caption)]
        case Custom():
            return list(block.markdown)
        case Chart():
            return []  # a page has them beside a table with the same numbers
        case Paragraph():
            return [plain_words(block.text)]
        case Differences():
            return [
                f"* **{plain_words(one.name)}** ({plain_words(one.shift)}): {plain_words(one.reason or NO_REASON)}"
                for one in block.items
            ]
        case Terms():
            return [f"* **{plain_words(term)}**: {plain_words(said)}" for term, said in block.items]
        case Code():
            return [*([f"{plain_words(block.fold)}:", ""] if block.fold else []), "```sh", *block.lines, "```"]
        case Claims():
            return [_claim_as_markdown(one) for one in block.items]
        case Listing():
            if not block.rows:
                return []
            rows = [[plain_words(cell) for cell in row] for row in block.rows]
            return [
                f"{plain_words(block.caption)}.",
                "",
                *markdown_lines([plain_words(one) for one in block.heads], rows),
            ]


def _claim_as_markdown(claim: Claim) -> str:
    said = plain_words(f"{claim.says} {_sentence(claim.numbers)}".strip())
    why = f" *{plain_words(claim.why)}*" if claim.why else ""
    return f"* {SIGNS[claim.verdict]} **{claim.verdict_words}**: {said}{why}"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""
