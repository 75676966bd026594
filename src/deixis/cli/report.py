"""`deixis report`: the tables of papers for models of ours, beside what is published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json, print_table, print_written


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.reports.reascan_results import Column, Results, ResultTable


__all__ = ["report"]

GAP = 3  # between two columns of a table


def report(
    runs: Annotated[list[Path], Parameter(name="RUN", negative=())],
    /,
    *,
    out: Path | None = None,
    notes: Path | None = None,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Compare trained models with what is published of ReaSCAN, A3DS or Cops-Ref, in the tables of each paper.

    Runs that differ only in their seeds are put together: the mean and the standard deviation over seeds, or one seed
    with its interval. Speakers that differ in their settings from those with the most seeds are shown as variants.

    Args:
        runs: Folders of one kind of run. Of ReaSCAN, what training and judging left: run.json, log.jsonl and
            evaluation.json. Of A3DS, what pretrain and play left, with what was said in the folder said of each
            (deixis say RUN --out RUN/said) and in others named said-…. Of Cops-Ref, folders that deixis evaluate
            wrote to with --out, and the run of SCAN.
        out: A folder for report.html, the tables as Markdown and CSV, report.json and all figures as PNG and SVG.
        notes: A TOML file with a sentence for each cell that differs, e.g. a2 = "…" under [table3.m-lstm], or
            relevance = "…" under [table1.RP]; of Cops-Ref also for a statement, why = "…" under [claims.random].
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; there is nothing to divide here.
        as_json: Print JSON instead of text.
    """
    del seed, workers
    from deixis.cli.report_a3ds import are_speakers, report_speakers
    from deixis.cli.report_copsref import are_grounders, report_copsref

    if are_grounders(runs):
        return report_copsref(runs, out=out, notes=notes, as_json=as_json)
    if are_speakers(runs):
        return report_speakers(runs, out=out, notes=notes, as_json=as_json)
    return _report_models(runs, out=out, notes=notes, as_json=as_json)


def _report_models(runs: list[Path], *, out: Path | None, notes: Path | None, as_json: bool) -> int:
    from deixis.reports.reascan_cells import results_as_dict
    from deixis.reports.reascan_notes import read_reasons
    from deixis.reports.reascan_page import write_results
    from deixis.reports.reascan_tables import compare_runs
    from deixis.reports.runs import read_run

    reasons = read_reasons(notes) if notes is not None else {}
    results = compare_runs([read_run(folder) for folder in runs], reasons=reasons)
    files = write_results(results, out) if out is not None else []
    if as_json:
        print_json(results_as_dict(results) | {"files": [str(path) for path in files]})
        return 0
    _print(results)
    print_written(files, out)
    return 0


def _print(results: Results) -> None:
    from deixis.reports.reascan_results import FAR
    from deixis.reports.reascan_words import legend, protocol

    for table in results.tables:
        if table.own:
            print(f"{table.title}; exact match in percent")
            for heads, rows in _fitting(table):
                print_table(heads, rows, numbers=range(1, len(heads)))
    for mark, meaning in legend(results):
        print(f"{mark}  {meaning}")
    unsaid: dict[str, list[str]] = {}
    for one in results.differences:
        if not one.cell.reason:
            unsaid.setdefault(one.column.label, []).append(one.where)
    if unsaid:
        print(f"\nDiffer by more than {FAR:g} points, with no reason in --notes")
    for label, places in unsaid.items():
        print(f"{label}: {'; '.join(places)}")
    print()
    for column in results.columns:
        for said in protocol(column):
            print(f"{column.label}: {said}")
    for run in results.left_out:
        print(f"In neither table: {run.folder}")


def _fitting(table: ResultTable) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The columns and rows with results, as heads and cells of tables that are no wider than the terminal."""
    from rich.console import Console

    from deixis.reports.reascan_cells import table_as_text

    def drawn(columns: list[Column]) -> tuple[list[str], list[list[str]]]:
        rows = [row for row in table.rows if any(table.is_measured(row, column) for column in columns)]
        return table_as_text(table, columns, rows=rows)

    group: list[Column] = []
    for column in table.own:
        heads, lines = drawn([*group, column])
        wide = sum(max(map(len, cells)) + GAP for cells in zip(heads, *lines, strict=True))
        if group and wide > Console().width:
            yield drawn(group)
            group = []
        group.append(column)
    yield drawn(group)
