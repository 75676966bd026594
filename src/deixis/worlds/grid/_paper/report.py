"""Part `paper` of the grid: Tables 2 and 3 of the ReaSCAN paper for runs of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deixis.data._kept_results import EVALUATION, folders_with_results
from deixis.errors import RecipeError
from deixis.report._cells import NOTHING, span
from deixis.report._curves import training_curves
from deixis.report._json_facts import Facts
from deixis.report._markup import Themes, element, percent
from deixis.report._palette import color_pair
from deixis.report._results.cells import Cell, measure
from deixis.report._results.document import (
    Custom,
    Differences,
    Listing,
    Paragraph,
    Report,
    Section,
    Terms,
    write_report,
)
from deixis.report._results.groups import say_seeds
from deixis.report._results.tables import (
    Head,
    Table,
    differences_in,
    entries_of,
    explain_marks,
    list_unexplained,
    table_as_text,
)
from deixis.report._runs import RUN, facts_in
from deixis.report.chart import Axis, Chart, make_series
from deixis.report.chart_html import chart_markup
from deixis.report.output import Output, TextTable
from deixis.worlds.grid._paper.models import UNIT, known_results, plain_name, read_reasons
from deixis.worlds.grid._paper.runs import columns_of, is_pointing, is_untrained, place_of, read_run, score_of
from deixis.worlds.grid.judging.navigation import KIND


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.report._results.groups import Group
    from deixis.report._runs import Run
    from deixis.report.chart import Figure
    from deixis.worlds.grid._paper.models import Reasons, TableRow, Which


PARTS: dict[Which, tuple[str, ...]] = {"table3": ("test",), "table2": ("dev", "test")}
MEASURES = {
    "exact": "exact match",
    "exact_cut_30": "exact match of the first 30 actions",
    "got_there": "reached goal state",
    "right_target": "correct target",
}
MAX_DIGEST = 12  # digits of a digest that are shown


def recognises(folder: Path) -> bool:
    """Return whether a folder holds judged plans, or the training of a model that says them."""
    if any(facts_in(one, EVALUATION).get("kind") == KIND for one in _with_plans(folder)):
        return True
    recipe = facts_in(folder, RUN).get("recipe")
    return isinstance(recipe, dict) and "quirks" in recipe


def report(runs: Sequence[Path], *, out: Path | None, notes: Path | None, progress: Any) -> Output:
    """Compare models with the published results on ReaSCAN, with results on further datasets beside."""
    del progress
    reasons = read_reasons(notes) if notes is not None else {}
    found = [read_run(folder) for folder in _with_further(runs)]
    if out is None and not any(map(place_of, found)):
        return Output(values=_unplaced_values(found), blocks=list(_list_unplaced(found)))
    compared = compare_runs(found, reasons=reasons)
    made = report_of(compared)
    files = write_report(made, out) if out is not None else []
    return Output(values=made.to_dict(), blocks=list(_blocks(compared)), files=files)


def _with_plans(folder: Path) -> list[Path]:
    """The folders of a run whose results are not of pointing."""
    return [one for one in folders_with_results(folder) if not is_pointing(Facts(dict(facts_in(one, EVALUATION)), ""))]


def _with_further(runs: Sequence[Path]) -> list[Path]:
    """The folders, and those in them with results on further datasets."""
    found: list[Path] = []
    for folder in runs:
        places = _with_plans(folder)
        found += places if (folder / EVALUATION).exists() or len(places) == 1 else places[1:]
    return found


# -------------------------------------------------------------------------------- tables


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Runs beside what is published: Tables 3 and 2, their columns with runs, and the runs of neither table."""

    tables: tuple[Table, ...]
    groups: tuple[Group[Run], ...]
    left_out: tuple[Run, ...]


def compare_runs(runs: Sequence[Run], *, reasons: Reasons | None = None) -> Comparison:
    """Put runs into Tables 3 and 2 beside what is published.

    Runs of one model that differ only in their seeds are one column; published quirks and settings that differ make a
    column of their own.

    Raises:
        RecipeError: when no run has a place in a table, when a run is given twice, or when a reason is given for a
            model that there is not.
    """
    placed = [run for run in runs if place_of(run) is not None]
    if not placed:
        raise RecipeError(
            "no run belongs into Table 2 or 3; a run belongs there when it was trained on commands of p1, p2, p3 or "
            "all three, and run.json says so under training, patterns, or when it was judged on test sets of Table 3"
        )
    columns = columns_of(placed)
    known = known_results()
    names = {name for model in known.models for name in model.names} | {plain_name(one.label) for one in columns}
    for _, name, _ in reasons or {}:
        if plain_name(name) not in names:
            labels = ", ".join(one.label for one in columns)
            raise RecipeError(f"a reason is given for {name!r}, but there is no such model; there are: {labels}")
    return Comparison(
        tables=tuple(_table(which, columns, reasons or {}) for which in PARTS),
        groups=tuple(columns),
        left_out=tuple(run for run in runs if place_of(run) is None),
    )


def _table(which: Which, columns: Sequence[Group[Run]], reasons: Reasons) -> Table:
    known, parts = known_results(), PARTS[which]
    heads: list[Head] = []
    cells, names = {}, {}
    for place, (label, key, runs) in enumerate(_columns(columns)):
        model = known.model(key)
        for part in parts:
            column = f"{label} {part}"
            for row in known.rows[which]:
                trained_on = row.key if which == "table2" else "all"
                judged = [run for run in runs if getattr(place_of(run), "key", "") == trained_on]
                cells[row.key, column] = Cell(
                    model=label,
                    part=row.key if which == "table3" else f"{row.key} {part}",
                    metric="exact",
                    measured=measure([score_of(run, row, part) for run in judged], scale=100),
                    published=known.scores_to_compare(which, model, row.key, part),
                    reason=_reason(reasons, which, label, key, row),
                    unit=UNIT,
                )
                where = which.replace("table", "Table ")
                names[row.key, column] = f"{label}, {where}, {row.title}", part if len(parts) > 1 else ""
            own = [cells[row.key, column] for row in known.rows[which]]
            if not all(cell.is_empty for cell in own):
                heads.append(_head(label, key, part if len(parts) > 1 else "", place if runs else None, own))
    return Table(
        key=which,
        title=known.titles[which],
        caption="Exact match in percent",
        rows=tuple(
            Head(row.key, f"{row.title} †" if row.is_leaking else row.title, about=row.about, is_apart=row.key == "a1")
            for row in known.rows[which]
        ),
        columns=tuple(heads),
        cells=cells,
        names=names,
    )


def _columns(columns: Sequence[Group[Run]]) -> list[tuple[str, str, tuple[Run, ...]]]:
    """Label, model and runs of each column; published models without a run come last."""
    known = known_results()
    own = {one.key for one in columns}
    unrun = [model for model in known.models if model.key not in own and model.key in {key[1] for key in known.figures}]
    return [(one.label, one.key, one.runs) for one in columns] + [(one.published, one.key, ()) for one in unrun]


def _head(label: str, key: str, part: str, tone: int | None, cells: Sequence[Cell]) -> Head:
    model = known_results().model(key)
    named = tone is not None and model is not None and model.published != model.title
    title = f"{label} (published: {model.published})" if named and model else label
    seeds = {cell.measured.seeds for cell in cells if cell.measured}
    note = f"{(one := seeds.pop())} seed{'s' if one != 1 else ''}" if len(seeds) == 1 else ""
    column = f"{label} {part or 'test'}"
    return Head(column, part, group=title, note=note, tone=tone) if part else Head(column, title, note=note, tone=tone)


def _reason(reasons: Reasons, which: Which, label: str, key: str, row: TableRow) -> str:
    """The reason for a cell: given for its label, or for any name of its model where nothing sets it apart."""
    model = known_results().model(key)
    names = model.names if model and label == model.title else {plain_name(label)}
    said = (
        sentence
        for (table, name, place), sentence in reasons.items()
        if (table, place) == (which, row.key) and plain_name(name) in names
    )
    return next(said, "")


# -------------------------------------------------------------------------------- the report


def report_of(found: Comparison) -> Report:
    """Everything that is reported of some runs."""
    tables, columns, left_out = found.tables, found.groups, found.left_out
    far = differences_in(tables)
    themes = Themes()
    entries = list(entries_of(tables))
    left = f"In neither table: {', '.join(run.folder for run in left_out)}."
    known = known_results()
    count = sum(len(one.runs) for one in columns)
    return Report(
        title="Models on ReaSCAN",
        about=[f"{', '.join(one.label for one in columns)} · {count} run{'s' if count != 1 else ''}"],
        tiles={
            "cells measured": sum(entry["mean"] is not None for entry in entries),
            f"differ by over {UNIT.far:g} points": sum(entry["is far"] for entry in entries),
            "of these without a reason": sum(entry["is far"] and not entry["reason"] for entry in entries),
        },
        sections=[
            *(Section(one.key, one.title, [one]) for one in tables if one.is_measured),
            Section("marks", "Marks", [Terms(explain_marks(tables, known.marks))]),
            Section("beside", "Measured and published", [Custom(_bars(tables[0], columns, themes))]),
            Section("differences", "Differences", [Differences(far)]),
            Section("measures", "Other measures", list(_measures(columns))),
            Section("curves", "Training", curves_of(columns)),
            Section(
                "protocol",
                "Protocol",
                [
                    Terms([(one.label, said) for one in columns for said in protocol_of(one)]),
                    *([Paragraph(left)] if left_out else []),
                ],
            ),
        ],
        source=known.source,
        entries=entries,
        values={"leak": known.marks["†"], "runs": list(_run_entries(columns)), **_unplaced_values(left_out)},
        themes=themes,
    )


def _blocks(found: Comparison) -> Iterator[str | TextTable]:
    """The same for a terminal."""
    for table in found.tables:
        if table.is_measured:
            yield f"{table.title}; exact match in percent"
            yield table_as_text(table.measured_only())
    for mark, meaning in explain_marks(found.tables, known_results().marks)[1:]:
        yield f"{mark}  {meaning}"
    yield from list_unexplained(found.tables, f"Differ by more than {UNIT.far:g} points")
    yield ""
    for column in found.groups:
        yield from (f"{column.label}: {said}" for said in protocol_of(column))
    yield from _list_unplaced(found.left_out)


def _list_unplaced(runs: Sequence[Run]) -> Iterator[str | TextTable]:
    for run in runs:
        data = run.results.data or "an unnamed dataset"
        yield f"In neither table: {run.folder}, judged on {data}; exact match in percent"
        scores = {split: found["exact"] for split, found in run.results.scores.items()}
        rows = [(split, f"{score.rows:,}", f"{100 * score.mean:.2f}") for split, score in scores.items()]
        yield TextTable(("split", "examples", "exact"), rows, (1, 2))


def _unplaced_values(runs: Sequence[Run]) -> dict[str, Any]:
    scores = {run.folder: {part: 100 * one["exact"].mean for part, one in run.results.scores.items()} for run in runs}
    return {"left out": [run.folder for run in runs], "left out, exact match": scores}


def _run_entries(columns: Sequence[Group[Run]]) -> Iterator[dict[str, Any]]:
    for column in columns:
        for run in column.runs:
            yield {
                "folder": run.folder,
                "model": column.label,
                "trained on": getattr(place_of(run), "key", None),
                "seed": run.seed,
                "steps": run.steps,
                "batch_size": run.batch_size,
                "parameters": run.size or None,
                "seconds": run.seconds,
                "examples per second": run.examples_per_second,
                "device": run.device,
                "quirks": sorted(run.trained.texts("quirks")),
                "decode limit": run.judged.find_count("decode_limit"),
                "data": run.results.data,
                "digest": run.results.digest,
            }


def curves_of(columns: Sequence[Group[Run]]) -> list[Figure]:
    """Return the training curves, those of one training set together, without sets that have no log."""
    found = []
    for row in reversed(known_results().rows["table2"]):
        runs: dict[str, Sequence[Run]] = {
            column.label: some
            for column in columns
            if (some := [run for run in column.runs if place_of(run) == row and (run.losses or run.evaluations)])
        }
        if runs:
            order = tuple(column.label for column in columns)
            found.append(training_curves(runs, name=f"curves-{row.key}", title=f"Trained on {row.title}", order=order))
    return found


def _bars(table: Table, columns: Sequence[Group[Run]], themes: Themes) -> str:
    """A figure for each trained model: the measured and the published, row by row of Table 3."""
    drawn = []
    trained = {one.label for one in columns if any(run.training for run in one.runs)}
    for head in table.columns:
        cells = [table.cells.get((row.key, head.key)) for row in table.rows]
        if not any(cell and cell.measured and cell.model in trained for cell in cells) or head.tone is None:
            continue
        series = {"ours": tuple(one.measured.mean / 100 if one and one.measured else None for one in cells)}
        if any(one and one.published for one in cells):
            series["published"] = tuple(one.published[0].mean / 100 if one and one.published else None for one in cells)
        compared = [one for one in cells if one and one.difference is not None]
        near = sum(not one.is_far for one in compared)
        figure = chart_markup(
            Chart(
                name=f"beside-{head.tone}",
                title=head.title,
                caption=f"{near} of {len(compared)} splits are within {UNIT.far:g} points of the published figure."
                if compared
                else "Nothing is published to compare it with.",
                marks="bars",
                labels=tuple(row.title for row in table.rows),
                series=make_series(series, published=("published",)),
                axis=Axis(label="exact match; where there is an update, it is what is shown as published"),
            )
        )
        drawn.append(element("div", figure, class_="tinted", style=f"--own:{themes.name(*color_pair(head.tone))}"))
    return element("div", "\n".join(drawn), class_="figures") if drawn else ""


def _measures(columns: Sequence[Group[Run]]) -> Iterator[Paragraph | Listing]:
    """Further measures of the plans of each model trained on all patterns: means over its runs."""
    found = []
    for column in columns:
        runs = [run for run in column.runs if getattr(place_of(run), "key", "") == "all"]
        rows = []
        for row in known_results().rows["table3"]:
            each = {name: [score_of(run, row, "test", name) for run in runs] for name in MEASURES}
            means = {name: measure(some) if all(some) else None for name, some in each.items()}
            if any(means[name] for name in MEASURES if name != "exact") and means["exact"]:
                said = (NOTHING if one is None else percent(one.mean) for one in means.values())
                rows.append([row.title, f"{means['exact'].examples:,}", *said])
        if rows:
            heads = ["", "examples", *MEASURES.values()]
            found.append(Listing("Shares of plans", heads, rows, range(1, len(heads)), fold=column.label))
    if found:
        yield Paragraph(
            "A plan that differs from the reference plan may still reach the goal state. Some published figures "
            "compare the first 30 actions only."
        )
    yield from found


# -------------------------------------------------------------------------------- protocol


def protocol_of(column: Group[Run]) -> list[str]:
    """Return how the runs of a column were trained, selected and judged, a paragraph for each training set."""
    groups: dict[str, list[Run]] = {}
    for run in column.runs:
        groups.setdefault(getattr(place_of(run), "title", ""), []).append(run)
    return [" ".join(_sentences(title, runs)) for title, runs in groups.items()]


def _sentences(title: str, runs: Sequence[Run]) -> Iterator[str]:
    first = runs[0]
    judged = f"judged on {first.results.data or 'an unnamed dataset'}{_digest(first.results.digest)}"
    data = first.training
    if data is None:
        yield f"{'Not trained' if is_untrained(first) else 'How it was trained is not recorded'}; {judged}."
        return
    if first.results.digest and data.digest == first.results.digest:
        judged = "judged on the same dataset"
    trained = f"{data.examples:,} examples of {data.name or 'an unnamed dataset'}{_digest(data.digest)}"
    batch = f" of {first.batch_size:,} examples" if first.batch_size else ""
    steps = f", {first.steps:,} steps{batch}" if first.steps else ""
    begun = ", starting from the weights of another training" if data.begins_with else ""
    recipe = first.trained.inner("recipe").values
    points = ", also taught to point at the target" if recipe.get("pointing") else ""
    seeds = say_seeds(run.seed for run in runs if run.seed is not None)
    yield f"Trained on {title}: {trained}, split {data.split}{steps}{begun}{points}{seeds and f', {seeds}'}."
    for said in dict.fromkeys(run.trained.text("supervision", "") for run in runs):
        if said:
            yield f"Supervision: {said}."
    yield from dict.fromkeys(map(_selection, runs))
    limit = first.judged.find_count("decode_limit")
    yield f"Decoded greedily{f' up to {limit:,} actions' if limit else ''}, {judged}."
    yield from _cost(runs)


def _selection(run: Run) -> str:
    chosen = run.trained.values.get("selection")
    if isinstance(chosen, str):
        return f"Checkpoint selected by {chosen}."
    found = run.trained.inner("selection")
    if not found.values:
        return "No checkpoint was selected: the last one is judged."
    evaluations = found.find_count("evaluations")
    best = f", best of {evaluations:,} evaluations" if evaluations else ""
    examples = found.find_count("examples")
    at = f" on {examples:,} examples" if examples else ""
    split = found.text("on")
    where = "in-distribution dev only" if split == "dev" else f"{split}, NOT on in-distribution dev"
    return f"The checkpoint was selected by {found.text('metric', 'exact match')} on {where}{best}{at}."


def _cost(runs: Sequence[Run]) -> Iterator[str]:
    first = runs[0]
    told = [f"{first.size:,} parameters"] if first.size else []
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
    return f" ({digest[:MAX_DIGEST]})" if digest else ""
