"""Part `paper` of the grid: Tables 2 and 3 of the ReaSCAN paper for models of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.data.kept_results import EVALUATION, folders_with_results
from deixis.report.output import Output, TextTable
from deixis.report.runs import RUN, find_facts
from deixis.worlds.grid.judging import POINTING
from deixis.worlds.grid.paper.models import read_reasons
from deixis.worlds.grid.paper.page import write_results
from deixis.worlds.grid.paper.results import FAR
from deixis.worlds.grid.paper.runs import KINDS, read_run
from deixis.worlds.grid.paper.tables import compare_runs, place_of
from deixis.worlds.grid.paper.words import legend, protocol, results_as_dict, scores_of, table_as_text


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from deixis.worlds.grid.paper.results import Results, ResultTable
    from deixis.worlds.grid.paper.runs import Run


__all__ = ["recognises", "report"]


def recognises(folder: Path) -> bool:
    """Whether plans were judged in a folder, or a model was trained there that says them."""
    judged = (one for one in folders_with_results(folder) if not _is_pointed(one))
    if any(find_facts(one, EVALUATION).get("kind") == KINDS[EVALUATION] for one in judged):
        return True
    recipe = find_facts(folder, RUN).get("recipe")
    return isinstance(recipe, dict) and "quirks" in recipe


def _is_pointed(folder: Path) -> bool:
    """Whether the results are of somebody who only points, and so has no plans that a table could compare."""
    about = find_facts(folder, EVALUATION).get("predictions")
    return isinstance(about, dict) and about.get("task") == POINTING


def report(runs: Sequence[Path], *, out: Path | None, notes: Path | None, progress: Any) -> Output:
    """Compare trained models with what is published of ReaSCAN; results on further datasets stand beside."""
    del progress
    reasons = read_reasons(notes) if notes is not None else {}
    found = [read_run(folder) for folder in _with_further(runs)]
    if out is None and not any(map(place_of, found)):
        told = {"left out": [run.folder for run in found]}
        exact = {run.folder: scores_of(run) for run in found}
        return Output(values=told | {"left out, exact match": exact}, blocks=list(_left_out(found)))
    results = compare_runs(found, reasons=reasons)
    files = write_results(results, out) if out is not None else []
    return Output(values=results_as_dict(results), blocks=list(_blocks(results)), files=files)


def _with_further(runs: Sequence[Path]) -> list[Path]:
    """The folders, and those in them with results on further datasets."""
    found: list[Path] = []
    for folder in runs:
        places = [place for place in folders_with_results(folder) if not _is_pointed(place)]
        found += places if (folder / EVALUATION).exists() or len(places) == 1 else places[1:]
    return found


def _blocks(results: Results) -> Iterator[str | TextTable]:
    for table in results.tables:
        if table.own:
            yield f"{table.title}; exact match in percent"
            yield _table(table)
    for mark, meaning in legend(results):
        yield f"{mark}  {meaning}"
    unsaid: dict[str, list[str]] = {}
    for one in results.differences:
        if not one.cell.reason:
            unsaid.setdefault(one.column.label, []).append(one.where)
    if unsaid:
        yield f"\nDiffer by more than {FAR:g} points, with no reason in --notes"
    for label, places in unsaid.items():
        yield f"{label}: {'; '.join(places)}"
    yield ""
    for column in results.columns:
        yield from (f"{column.label}: {said}" for said in protocol(column))
    yield from _left_out(results.left_out)


def _table(table: ResultTable) -> TextTable:
    """The columns and rows with results."""
    rows = [row for row in table.rows if any(table.is_measured(row, column) for column in table.own)]
    heads, lines = table_as_text(table, table.own, rows=rows)
    return TextTable(heads, lines, range(1, len(heads)))


def _left_out(runs: Sequence[Run]) -> Iterator[str | TextTable]:
    for run in runs:
        yield f"In neither table: {run.folder}, judged on {run.data or 'an unnamed dataset'}; exact match in percent"
        rows = [(split, f"{score.examples:,}", f"{100 * score.exact:.2f}") for split, score in run.scores.items()]
        yield TextTable(("split", "examples", "exact"), rows, (1, 2))
