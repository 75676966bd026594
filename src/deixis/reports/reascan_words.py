"""What stands beside tables of results, in words: how models were trained, chosen and judged, what the marks mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.reports.cells import plain_words, span
from deixis.reports.reascan_cells import table_as_text
from deixis.reports.reascan_models import known_results
from deixis.reports.reascan_results import FAR
from deixis.reports.reascan_tables import place_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.reports.reascan_results import Cell, Column, Results, ResultTable
    from deixis.reports.runs import Run, Selection


__all__ = ["NO_REASON", "legend", "protocol", "results_as_markdown", "say_difference"]

DIGITS = 12  # of a digest
IN_DISTRIBUTION = "dev"
NO_REASON = "No reason is given."


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
        found.append(("( )", "the standard deviation over seeds; of ours that of a sample, over n seeds"))
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
        yield f"Not trained; {judged}."
        return
    trained = f"{first.training.examples:,} examples of {first.training.data or 'an unnamed dataset'}"
    said = f"Trained on {title}: {trained}{_digest(first.training.digest)}, split {first.training.split}"
    updates = f", {first.updates:,} updates of {first.batch:,} examples" if first.updates else ""
    begun = ", begun with the weights of another training" if first.training.goes_on else ""
    points = "" if first.settings.get("pointing", "0") in ("0", "0.0") else ", taught to point at the target as well"
    yield f"{said}{updates}{begun}{points}{_seeds([run.seed for run in runs if run.seed is not None])}."
    yield from dict.fromkeys(_chosen(run.selection) for run in runs)
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
    looks = f", best of {selection.looks:,} looks" if selection.looks else ""
    at = f" at {selection.examples:,} examples" if selection.examples else ""
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
