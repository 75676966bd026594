"""Part `paper` of photographs: Tables 3 and 4 of the Cops-Ref paper for models of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.report.output import Output, TextTable
from deixis.worlds.photos.paper.claims import CLAIMS, figures_of, find_shape
from deixis.worlds.photos.paper.models import read_notes
from deixis.worlds.photos.paper.page import write_results
from deixis.worlds.photos.paper.runs import is_grounding_run as recognises
from deixis.worlds.photos.paper.runs import read_trial
from deixis.worlds.photos.paper.tables import compare_trials
from deixis.worlds.photos.paper.words import absence_heads, absence_rows, results_as_dict, say_verdict


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from deixis.worlds.photos.paper.tables import Measure, Results, Table


__all__ = ["recognises", "report"]

SIGNS = {"holds": "yes", "does not hold": "NO", "not measured": "?"}


def report(runs: Sequence[Path], *, out: Path | None, notes: Path | None, progress: Any) -> Output:
    """Compare trained models with what is published of Cops-Ref."""
    del progress
    reasons = read_notes(notes, [claim.key for claim in CLAIMS]) if notes is not None else {}
    results = compare_trials([read_trial(folder) for folder in runs], reasons=reasons)
    files = write_results(results, out) if out is not None else []
    return Output(values=results_as_dict(results), blocks=list(_blocks(results)), files=files)


def _blocks(results: Results) -> Iterator[str | TextTable]:
    for table in results.tables:
        yield f"{table.title}; accuracy in percent, with the deviation over seeds"
        yield _table(table)
    absent = absence_rows(results)
    if absent:
        yield "Is it there at all? Percent"
        yield TextTable(
            ("", *absence_heads()), [[cell.replace(" ± ", "±") for cell in row] for row in absent], range(1, 5)
        )
    yield "The paper's shape:"
    for claim, finding in find_shape(figures_of(results)):
        yield f"{SIGNS[finding.verdict]:>4}  {claim.says} {say_verdict(finding).capitalize()}: {finding.numbers}."


def _table(table: Table) -> TextTable:
    rows = []
    for row in table.rows:
        if row.cells:
            rows.append((row.title, *(_cell(row.cells.get(name)) for name in table.settings)))
        if row.published:
            theirs = (row.published.get(name) for name in table.settings)
            said = ("–" if one is None else f"{one:.1f}" for one in theirs)
            rows.append((f"{'  ' if row.cells else row.title + ', '}published", *said))
    return TextTable(("", *table.settings), rows, range(1, 1 + len(table.settings)))


def _cell(found: Measure | None) -> str:
    """A cell as short as it can be: six of them have to fit into a terminal."""
    if found is None:
        return "–"
    return f"{found.mean:.1f}" + ("" if found.deviation is None else f"±{found.deviation:.1f}")
