"""`deixis report` for models that find what expressions point at: Tables 3 and 4 of the Cops-Ref paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.cli.printing import print_json, print_table, print_written


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.reports.copsref_tables import Measure, Results


__all__ = ["are_grounders", "report_copsref"]

SIGNS = {"holds": "yes", "does not hold": "NO", "not measured": "?"}


def are_grounders(runs: Sequence[Path]) -> bool:
    """Whether any of these folders is of a model that grounds expressions; the others then have to be, too."""
    from deixis.reports.copsref_runs import is_grounding_run

    return any(is_grounding_run(folder) for folder in runs)


def report_copsref(runs: Sequence[Path], *, out: Path | None, notes: Path | None, as_json: bool) -> int:
    """Compare trained models with what is published of Cops-Ref; the options are those of `deixis report`."""
    from deixis.reports.copsref_claims import CLAIMS
    from deixis.reports.copsref_notes import read_notes
    from deixis.reports.copsref_page import write_results
    from deixis.reports.copsref_runs import read_trial
    from deixis.reports.copsref_tables import compare_trials
    from deixis.reports.copsref_words import results_as_dict

    reasons = read_notes(notes, [claim.key for claim in CLAIMS]) if notes is not None else {}
    results = compare_trials([read_trial(folder) for folder in runs], reasons=reasons)
    files = write_results(results, out) if out is not None else []
    if as_json:
        print_json(results_as_dict(results) | {"files": [str(path) for path in files]})
        return 0
    _print(results)
    print_written(files, out)
    return 0


def _cell(found: Measure | None) -> str:
    """A cell as short as it can be: six of them have to fit into a terminal."""
    if found is None:
        return "–"
    return f"{found.mean:.1f}" + ("" if found.deviation is None else f"±{found.deviation:.1f}")


def _print(results: Results) -> None:
    from deixis.reports.copsref_claims import figures_of, find_shape
    from deixis.reports.copsref_words import absence_heads, absence_rows, say_verdict

    for table in results.tables:
        rows = []
        for row in table.rows:
            if row.cells:
                rows.append((row.title, *(_cell(row.cells.get(name)) for name in table.settings)))
            if row.published:
                theirs = (row.published.get(name) for name in table.settings)
                said = ("–" if one is None else f"{one:.1f}" for one in theirs)
                rows.append((f"{'  ' if row.cells else row.title + ', '}published", *said))
        print(f"{table.title}; accuracy in percent, with the deviation over seeds")
        print_table(("", *table.settings), rows, numbers=range(1, 1 + len(table.settings)))
    absent = absence_rows(results)
    if absent:
        print("Is it there at all? Percent")
        print_table(
            ("", *absence_heads()), [[cell.replace(" ± ", "±") for cell in row] for row in absent], numbers=range(1, 5)
        )
    print("The paper's shape:")
    for claim, finding in find_shape(figures_of(results)):
        print(f"{SIGNS[finding.verdict]:>4}  {claim.says} {say_verdict(finding).capitalize()}: {finding.numbers}.")
