"""Tables of cells: the published figure stands below the measured one, in pages, in Markdown and in a terminal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from deixis.report._cells import NO_REASON, NOTHING, as_csv, markdown_lines, plain_words
from deixis.report._markup import anchor, element, number, text
from deixis.report._palette import color_pair
from deixis.report._results.cells import say_measured, say_published, say_spread
from deixis.report.output import TextTable


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis.report._markup import Themes
    from deixis.report._results.cells import Cell


Spread: TypeAlias = Literal["all", "deviation", "none"]


class Head(NamedTuple):
    """The head of a row or a column.

    Attributes:
        key: finds the cells.
        title: what it is called.
        about: what it stands for, in a few words.
        group: the head above it; columns of one group stand together.
        note: stands below it in small letters.
        tone: the number of its colour.
        is_apart: whether a line separates it from the row before.
    """

    key: str
    title: str
    about: str = ""
    group: str = ""
    note: str = ""
    tone: int | None = None
    is_apart: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of a paper, with what was measured here.

    Attributes:
        key: of its section in a page.
        title: above it.
        caption: what its numbers are.
        rows, columns: its heads.
        cells: by the keys of row and column; what is not there is empty.
        names: how differences in a cell are listed: their name, and the part of it that the cell is.
    """

    key: str
    title: str
    caption: str
    rows: tuple[Head, ...]
    columns: tuple[Head, ...]
    cells: Mapping[tuple[str, str], Cell]
    names: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def row(self, row: Head) -> list[Cell | None]:
        """The cells of a row, in the order of columns."""
        return [self.cells.get((row.key, column.key)) for column in self.columns]

    @property
    def is_measured(self) -> bool:
        """True if anything was measured in it."""
        return any(cell.measured for cell in self.cells.values())

    def measured_only(self) -> Table:
        """The same with the rows and columns only in which something was measured."""
        known = [place for place, cell in self.cells.items() if cell.measured]
        rows = tuple(head for head in self.rows if any(row == head.key for row, _ in known))
        columns = tuple(head for head in self.columns if any(column == head.key for _, column in known))
        return Table(
            key=self.key,
            title=self.title,
            caption=self.caption,
            rows=rows,
            columns=columns,
            cells=self.cells,
            names=self.names,
        )


class Difference(NamedTuple):
    """Cells that are far from what is published or have a note, listed together.

    Attributes:
        name: what differs.
        gaps: by how much, with units, by the part of it.
        reason: why, in a sentence.
    """

    name: str
    gaps: Mapping[str, str]
    reason: str

    @property
    def anchor(self) -> str:
        """Anchor of its entry in a page."""
        return f"far-{anchor(self.name)}"

    @property
    def shift(self) -> str:
        """The gaps in words."""
        return ", ".join(f"{part} {gap}".strip() for part, gap in self.gaps.items())


def differences_in(tables: Iterable[Table]) -> list[Difference]:
    """The cells that ask for a reason or have one."""
    found: dict[str, Difference] = {}
    for table in tables:
        for place, cell in table.cells.items():
            if cell.is_far or (cell.reason and cell.measured):
                name, part = table.names.get(place, (f"{cell.model}, {cell.part}", ""))
                known = found.get(name, Difference(name, {}, cell.reason))
                gap = "" if cell.difference is None else cell.unit.write_gap(cell.difference)
                found[name] = known._replace(gaps={**known.gaps, part: gap})
    return list(found.values())


def list_unexplained(tables: Iterable[Table], opening: str) -> Iterator[str]:
    """Yield lines for a terminal: the differences for which --notes has no reason, below an opening."""
    unexplained = [one for one in differences_in(tables) if not one.reason]
    if unexplained:
        yield f"\n{opening}, with no reason in --notes"
    yield from (f"{one.name}: {one.shift}" for one in unexplained)


def explain_marks(tables: Sequence[Table], further: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the marks that occur in tables with their meanings.

    `further` are those of the paper.
    """
    cells = [cell for table in tables for cell in table.cells.values()]
    measured = [cell.measured for cell in cells if cell.measured]
    found = [("italics", "published figure")] if any(cell.published for cell in cells) else []
    if any(one.interval for one in measured):
        found.append(("[ ]", "one seed; 95 % interval over its examples, which does not cover variation between seeds"))
    if any(one.deviation is not None for one in measured):
        found.append(("±", "sample standard deviation over seeds"))
    limits = dict.fromkeys(f"{one.unit.far:g} {one.unit.name}".strip() for one in cells if one.is_far)
    if limits:
        found.append(("▲ ▼", f"more than {' or '.join(limits)} above or below the published figure"))
    heads = "".join(head.title for table in tables for head in (*table.rows, *table.columns))
    signs = heads + "".join(one.marks for cell in cells for one in cell.published)
    return found + [(mark, meaning) for mark, meaning in further.items() if mark in signs]


# -------------------------------------------------------------------------------- pages


def table_as_html(table: Table, themes: Themes) -> str:
    """Return the table for a page, with links from numbers far from the published ones to their reasons."""
    lines = [
        element(
            "tr",
            element(
                "th", text(row.title) + _small(row.note), scope="row", title=row.about or None, style=_tone(row, themes)
            )
            + "".join(_cell(table, row, column) for column in table.columns),
            class_="apart" if row.is_apart else None,
        )
        for row in table.rows
    ]
    inner = element("caption", text(table.caption)) + element("thead", _heads(table, themes))
    whole = element("table", inner + element("tbody", "\n".join(lines)), class_="results")
    about = " · ".join(f"{element('b', text(row.title))} {text(row.about)}" for row in table.rows if row.about)
    framed = element("div", whole, class_="wide breakout", tabindex="0", role="region", aria_label=table.title)
    return framed + (element("p", about, class_="note") if about else "")


def _heads(table: Table, themes: Themes) -> str:
    """One line of heads, or two where columns come in groups."""
    columns = "".join(
        element("th", text(one.title) + _small(one.note), scope="col", class_="model", style=_tone(one, themes))
        for one in table.columns
    )
    groups = list(dict.fromkeys(one.group for one in table.columns))
    if groups in ([], [""]):
        return element("tr", element("th", "") + columns)
    above = "".join(
        element(
            "th",
            text(group),
            scope="colgroup",
            colspan=str(sum(one.group == group for one in table.columns)),
            class_="model",
        )
        for group in groups
    )
    return element("tr", element("th", "", rowspan="2") + above) + element("tr", columns)


def _tone(head: Head, themes: Themes) -> str | None:
    return None if head.tone is None else f"--tone:{themes.name(*color_pair(head.tone))}"


def _small(note: str, class_: str | None = None) -> str:
    return element("small", text(note), class_=class_) if note else ""


def _cell(table: Table, row: Head, column: Head) -> str:
    cell = table.cells.get((row.key, column.key))
    if cell is None or cell.is_empty:
        return element("td", NOTHING, class_="ours")
    theirs = "".join(_small(one, "theirs") for one in say_published(cell))
    ours = cell.measured
    if ours is None:
        return element("td", NOTHING + theirs, class_="ours")
    about = f"{ours.seeds} seed{'s' if ours.seeds != 1 else ''}, {number(ours.examples)} examples"
    about += " each" if ours.seeds > 1 else ""
    if cell.difference is not None:
        about += f"; {cell.unit.write_gap(cell.difference)} from the published figure"
    mark = ""
    if cell.is_far or cell.reason:
        name, _ = table.names.get((row.key, column.key), (f"{cell.model}, {cell.part}", ""))
        mark = " " + element("a", cell.arrow or "*", href=f"#{Difference(name, {}, '').anchor}", aria_label="reason")
    inner = element("b", cell.unit.write(ours.mean)) + mark + _small(say_spread(ours, cell.unit)) + theirs
    return element("td", inner, class_="ours far" if cell.is_far else "ours", title=about)


def differences_as_html(found: Sequence[Difference]) -> str:
    """The reasons as a list that tables link to."""
    items = []
    for one in found:
        reason = element("span", text(one.reason or NO_REASON), class_=None if one.reason else "none")
        shift = f" ({text(one.shift)})" if one.shift else ""
        items.append(element("li", f"{element('b', text(one.name))}{shift}: {reason}", id=one.anchor))
    return element("ol", "\n".join(items), class_="reasons") if items else ""


# -------------------------------------------------------------------------------- text


def table_as_markdown(table: Table) -> list[str]:
    """The table as lines of Markdown."""
    heads = ["", *(plain_words(": ".join(filter(None, (one.group, one.title)))) for one in table.columns)]
    rows = []
    for row in table.rows:
        cells = []
        for cell in table.row(row):
            ours = NOTHING if cell is None else f"{say_measured(cell.measured, cell.unit)} {cell.arrow}".rstrip()
            theirs = "" if cell is None else "".join(f"<br>*{plain_words(one)}*" for one in say_published(cell))
            cells.append(ours + theirs)
        rows.append([plain_words(row.title), *cells])
    return markdown_lines(heads, rows)


def table_as_text(table: Table, *, spread: Spread = "all") -> TextTable:
    """The table for a terminal: what was measured, and the published figures in the line below.

    Args:
        table: what to show.
        spread: `all` for deviations over seeds and intervals, `deviation` for the former only, `none` for means only.
    """
    heads = ["", *(", ".join(filter(None, (one.group, one.title, one.note))) for one in table.columns)]
    lines = []

    def write(cell: Cell | None) -> str:
        if cell is None or cell.measured is None:
            return NOTHING
        is_brief = spread == "none" or (spread == "deviation" and cell.measured.deviation is None)
        ours = cell.unit.write(cell.measured.mean) if is_brief else say_measured(cell.measured, cell.unit)
        return f"{ours} {cell.arrow}".rstrip()

    for row in table.rows:
        cells = table.row(row)
        is_measured = any(cell and cell.measured for cell in cells)
        if is_measured:
            lines.append([row.title, *map(write, cells)])
        if any(cell and cell.published for cell in cells):
            theirs = [", ".join(say_published(cell)) if cell else "" for cell in cells]
            name = "  published" if is_measured else f"{row.title}, published"
            lines.append([name, *(one or NOTHING for one in theirs)])
    return TextTable(heads, lines, range(1, len(heads)))


def entries_of(tables: Iterable[Table]) -> Iterator[dict[str, Any]]:
    """Every cell as plain values."""
    for table in tables:
        yield from (cell.entry(table.key) for cell in table.cells.values() if not cell.is_empty)


def cells_as_csv(entries: Sequence[Mapping[str, Any]]) -> str:
    """Cells as lines of plain numbers."""
    return as_csv(list(entries[0]), (list(entry.values()) for entry in entries)) if entries else ""
