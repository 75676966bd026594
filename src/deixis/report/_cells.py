"""Tables as files: CSV that no spreadsheet takes for formulas, Markdown whose cells stay cells."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

from deixis.data.store import replacing_file


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


NOTHING = "–"  # an empty cell for people
NO_REASON = "No reason is given."


def as_csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with plain numbers as CSV, with an empty cell for None."""
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_in_csv(head) for head in heads])
    writer.writerows([_in_csv(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return stream.getvalue()


def _in_csv(value: str) -> str:
    """Text as CSV holds it: no formula, and without the carriage returns that end a line and are not quoted."""
    return no_formula(value).replace("\r", " ")


def as_markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table for a page or a paper: labels in the first column, numbers in the others."""
    kept = [[in_one_cell(cell) for cell in row] for row in rows]
    return "".join(f"{line}\n" for line in markdown_lines([in_one_cell(head) for head in heads], kept))


def markdown_lines(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table of cells that are Markdown already, as lines."""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(line)} |" for line in (heads, rule, *rows)]


def in_one_cell(value: str) -> str:
    """Text that cannot end its cell or its line."""
    return " ".join(value.split()).replace("\\", "\\\\").replace("|", "\\|")


def no_formula(value: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def plain_words(text: str) -> str:
    """Text that cannot end its cell or its line, and that no renderer takes for markup."""
    kept = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")
    return kept.replace("&", "&amp;").replace("<", "&lt;").replace("[", "\\[").replace("`", "\\`")


def span(seconds: float | None) -> str:
    """Return a time in the unit that fits it, or an empty cell for None."""
    if seconds is None:
        return NOTHING
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = seconds / 60
    return f"{minutes:.1f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def write_files(files: Mapping[str, str | bytes], out: Path) -> list[Path]:
    """Write files into a folder, by their names in it.

    Each is replaced only when it is complete.

    Returns:
        Where they are, in the same order.
    """
    for name, content in files.items():
        with replacing_file(out / name) as draft:
            draft.write_bytes(content.encode() if isinstance(content, str) else content)
    return [out / name for name in files]
