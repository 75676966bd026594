"""Results of models on ReaSCAN in words, beside tables and as plain values for programs.

How models were trained, chosen and judged, and what the marks mean, stands beside the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.report.cells import NO_REASON, NOTHING, as_csv, plain_words, span
from deixis.worlds.grid.paper.models import known_results
from deixis.worlds.grid.paper.results import FAR
from deixis.worlds.grid.paper.runs import UNTRAINED
from deixis.worlds.grid.paper.tables import place_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deixis.worlds.grid.paper.models import Figure, Part, TableRow
    from deixis.worlds.grid.paper.results import Cell, Column, Measured, Results, ResultTable
    from deixis.worlds.grid.paper.runs import Run, Selection


__all__ = [
    "legend",
    "protocol",
    "results_as_csv",
    "results_as_dict",
    "results_as_markdown",
    "say_difference",
    "say_figure",
    "say_measured",
    "say_published",
    "scores_of",
    "table_as_text",
]

DIGITS = 12  # of a digest
IN_DISTRIBUTION = "dev"


# -------------------------------------------------------------------------------- cells


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
        "left out, exact match": {run.folder: scores_of(run) for run in results.left_out},
    }


def scores_of(run: Run) -> dict[str, float]:
    """The exact match of a run on each split, in percent."""
    return {split: 100 * score.exact for split, score in run.scores.items()}


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


# -------------------------------------------------------------------------------- beside the tables


def legend(results: Results) -> list[tuple[str, str]]:
    """The marks of the tables and what each means, those that occur."""
    known = known_results()
    figures = [
        figure
        for table in results.tables
        for cell in table.cells.values()
        for figure in (cell.published, cell.superseded)
        if figure is not None
    ]
    measured = [cell.measured for table in results.tables for cell in table.cells.values() if cell.measured]
    found = []
    if any(one.interval for one in measured):
        found.append(("[ ]", "one seed; the 95 % interval after Wilson, which says how sure its examples make it"))
    if any(one.deviation is not None for one in measured):
        found.append(("( )", "standard deviation over seeds; of ours the sample one, over n seeds"))
    if any(run.quirks for column in results.columns for run in column.runs):
        found.append(("+", "a fault of the published code that was switched on, by its name"))
    found.append(("▲ ▼", f"ours is more than {FAR:g} points above or below what is published"))
    if any(figure.is_leaking for figure in figures):
        found.append(("†", known.leak))
    if any(figure.is_second_hand for figure in figures):
        found.append(("‡", known.second_hand))
    return found


def protocol(column: Column) -> list[str]:
    """How the runs of a column were trained, chosen and judged: a paragraph for each set they were trained on."""
    groups: dict[str, list[Run]] = {}
    for run in column.runs:
        groups.setdefault(getattr(place_of(run), "title", ""), []).append(run)
    return [" ".join(_sentences(title, runs)) for title, runs in groups.items()]


def say_difference(cell: Cell) -> str:
    """By how many points ours is above or below the published."""
    points = cell.difference or 0.0
    return f"{abs(points):.1f} points {'above' if points > 0 else 'below'}"


def results_as_markdown(results: Results) -> str:
    """Both tables with everything that belongs to them, for a page or a paper."""
    lines = ["Exact match in percent; ours first, then what is published.", ""]
    for table in results.tables:
        if table.own:
            lines += [f"### {table.title}", "", *_markdown_table(table), ""]
    lines += [f"{plain_words(mark)}: {plain_words(meaning)}  " for mark, meaning in legend(results)]
    if results.differences:
        lines += ["", "### Where ours differ", ""]
    for label, where, cell in ((one.column.label, one.where, one.cell) for one in results.differences):
        reason = plain_words(cell.reason or NO_REASON)
        lines.append(f"* **{plain_words(label)}, {plain_words(where)}** ({say_difference(cell)}): {reason}")
    lines += ["", "### Protocol", ""]
    for column in results.columns:
        lines += [f"* **{plain_words(column.label)}** {plain_words(said)}" for said in protocol(column)]
    lines += ["", f"Published: {plain_words(known_results().source)}."]
    return "\n".join(lines) + "\n"


def _markdown_table(table: ResultTable) -> list[str]:
    heads, rows = table_as_text(table, table.columns)
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(map(plain_words, line))} |" for line in (heads, rule, *rows)]


def _sentences(title: str, runs: Sequence[Run]) -> Iterator[str]:
    first = runs[0]
    judged = f"judged on {first.data or 'an unnamed dataset'}{_digest(first.digest)}"
    if first.training is not None and first.digest and first.training.digest == first.digest:
        judged = "judged on the same dataset"
    if first.training is None:
        is_known = first.model.lower() in UNTRAINED
        yield f"{'Not trained' if is_known else 'How it was trained is not recorded'}; {judged}."
        return
    trained = f"{first.training.examples:,} examples of {first.training.data or 'an unnamed dataset'}"
    said = f"Trained on {title}: {trained}{_digest(first.training.digest)}, split {first.training.split}"
    batch = f" of {first.batch:,} examples" if first.batch else ""
    updates = f", {first.updates:,} steps{batch}" if first.updates else ""
    begun = ", begun with the weights of another training" if first.training.goes_on else ""
    points = "" if first.settings.get("pointing", "0") in ("0", "0.0") else ", taught to point at the target as well"
    yield f"{said}{updates}{begun}{points}{_seeds([run.seed for run in runs if run.seed is not None])}."
    yield from dict.fromkeys(f"Chosen by {run.chosen}." if run.chosen else _chosen(run.selection) for run in runs)
    limit = f" up to {first.decode_limit:,} actions" if first.decode_limit else ""
    yield f"Decoded greedily{limit}, {judged}."
    yield from _cost(runs)


def _seeds(seeds: Sequence[int]) -> str:
    if not seeds:
        return ""
    return f", seed {seeds[0]}" if len(seeds) == 1 else f", {len(seeds)} seeds: {', '.join(map(str, seeds))}"


def _chosen(selection: Selection | None) -> str:
    if selection is None:
        return "No checkpoint was chosen: the last is judged."
    looks = f", best of {selection.looks:,} evaluations" if selection.looks else ""
    at = f" on {selection.examples:,} examples" if selection.examples else ""
    if selection.on != IN_DISTRIBUTION:
        return (
            f"The checkpoint was chosen by {selection.metric} on {selection.on}, NOT on in-distribution dev{looks}{at}."
        )
    return f"The checkpoint was chosen by {selection.metric} on in-distribution dev only{looks}{at}."


def _cost(runs: Sequence[Run]) -> Iterator[str]:
    first = runs[0]
    told = [f"{first.parameters:,} parameters"] if first.parameters else []
    times = [run.seconds for run in runs if run.seconds is not None]
    if times:
        each = " each" if len(times) > 1 else ""
        told.append(f"{span(sum(times) / len(times))}{each}{' on ' + first.device if first.device else ''}")
    speeds = [run.examples_per_second for run in runs if run.examples_per_second is not None]
    if speeds:
        told.append(f"{sum(speeds) / len(speeds):,.0f} examples/s")
    if told:
        yield f"{', '.join(told)}."


def _digest(digest: str) -> str:
    return f" ({digest[:DIGITS]})" if digest else ""
