"""The cells of Tables 2 and 3 in a few letters for people, and as plain values in CSV and JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.reports.cells import as_csv
from deixis.reports.reascan_models import known_results
from deixis.reports.reascan_tables import place_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deixis.reports.reascan_models import Figure, Part, TableRow
    from deixis.reports.reascan_results import Cell, Column, Measured, Results, ResultTable


__all__ = ["results_as_csv", "results_as_dict", "say_figure", "say_measured", "say_published", "table_as_text"]

NOTHING = "–"


def say_measured(measured: Measured | None, *, with_seeds: bool = True) -> str:
    """Ours in a few letters: the mean with the deviation over seeds, or with its interval where there is one seed."""
    if measured is None:
        return NOTHING
    if measured.interval is not None:
        return f"{measured.mean:.2f} [{measured.interval[0]:.2f}–{measured.interval[1]:.2f}]"
    seeds = f", n={len(measured.seeds)}" if with_seeds else ""
    return f"{measured.mean:.2f} ({measured.deviation:.2f}{seeds})"


def say_published(cell: Cell) -> list[str]:
    """What is published, each figure with its marks: † leaks, ‡ quoted second hand."""
    return [say_figure(figure) for figure in (cell.published, cell.superseded) if figure is not None] or [NOTHING]


def say_figure(figure: Figure) -> str:
    """A published figure with as many digits as are printed, and its marks."""
    marks = ("†" if figure.is_leaking else "") + ("‡" if figure.is_second_hand else "")
    digits = 1 if figure.is_second_hand else 2
    return f"{figure.mean:.{digits}f} ({figure.deviation:.{digits if figure.deviation < 10 else 1}f}){marks}"


def table_as_text(
    table: ResultTable, columns: Iterable[Column], *, rows: Iterable[TableRow] | None = None
) -> tuple[list[str], list[list[str]]]:
    """The heads and the cells of some columns; ▲ and ▼ mark what is far above or below the published figure.

    Args:
        table: of which.
        columns: which ones; what was nowhere measured or published is left out.
        rows: only these; by default all.
    """
    shown = table.rows if rows is None else list(rows)
    found = [["", *(f"{row.title} †" if row.is_leaking else row.title for row in shown)]]
    for column in columns:
        seeds = table.seeds(column)
        for part in table.parts:
            cells = [table.cells[row.key, column.label, part] for row in shown]
            head = f"{column.label} {part}" if len(table.parts) > 1 else column.label
            if column in table.own:
                said = [say_measured(cell.measured, with_seeds=seeds is None) + _mark(cell) for cell in cells]
                found.append([f"{head}, n={seeds}" if seeds else head, *said])
            if any(cell.published for cell in cells):
                said = [", ".join(say_published(cell)) for cell in cells]
                found.append(["published" if column in table.own else f"{head} published", *said])
    heads, *lines = map(list, zip(*found, strict=True))
    return heads, lines


def results_as_csv(results: Results) -> str:
    """Every cell as a line of plain numbers, in percent."""
    entries = list(_entries(results))
    return as_csv(list(entries[0]), (list(entry.values()) for entry in entries))


def results_as_dict(results: Results) -> dict[str, Any]:
    """Every cell as plain values, in percent, and the runs behind them."""
    known = known_results()
    return {
        "source": known.source,
        "leak": known.leak,
        "cells": list(_entries(results)),
        "runs": [
            {
                "folder": run.folder,
                "column": column.label,
                "trained on": getattr(place_of(run), "key", None),
                "seed": run.seed,
                "updates": run.updates,
                "batch": run.batch,
                "parameters": run.parameters,
                "seconds": run.seconds,
                "examples per second": run.examples_per_second,
                "device": run.device,
                "quirks": list(run.quirks),
                "decode limit": run.decode_limit,
                "data": run.data,
                "digest": run.digest,
            }
            for column in results.columns
            for run in column.runs
        ],
        "left out": [run.folder for run in results.left_out],
    }


def _entries(results: Results) -> Iterator[dict[str, Any]]:
    for table in results.tables:
        for row in table.rows:
            for column in table.columns:
                for part in table.parts:
                    cell = table.cells[row.key, column.label, part]
                    if cell.measured or cell.published:
                        yield _entry(table, row, column, part, cell)


def _entry(table: ResultTable, row: TableRow, column: Column, part: Part, cell: Cell) -> dict[str, Any]:
    ours, published, superseded = cell.measured, cell.published, cell.superseded
    low, high = ours.interval if ours and ours.interval else (None, None)
    return {
        "table": table.which,
        "row": row.key,
        "column": column.label,
        "split": row.split or part,
        "pattern": row.pattern or None,
        "exact": ours and round(ours.mean, 4),
        "deviation": ours and _rounded(ours.deviation),
        "low": _rounded(low),
        "high": _rounded(high),
        "seeds": len(ours.seeds) if ours else 0,
        "examples": ours and ours.examples,
        "published": published and published.mean,
        "published deviation": published and published.deviation,
        "published leaks": published and published.is_leaking,
        "second hand": published and published.is_second_hand,
        "superseded": superseded and superseded.mean,
        "superseded deviation": superseded and superseded.deviation,
        "difference": _rounded(cell.difference),
        "is far": cell.is_far,
        "reason": cell.reason or None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _mark(cell: Cell) -> str:
    if not cell.is_far or cell.difference is None:
        return ""
    return " ▲" if cell.difference > 0 else " ▼"
