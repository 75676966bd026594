"""Tables 2 and 3 of the ReaSCAN paper put together from runs of ours: which run counts in which column and cell."""

from __future__ import annotations

from statistics import fmean, stdev
from typing import TYPE_CHECKING

from deixis.errors import RecipeError
from deixis.judge.uncertainty import wilson
from deixis.worlds.grid.paper.models import known_results, plain_name
from deixis.worlds.grid.paper.results import Cell, Column, Measured, Results, ResultTable


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid.paper.models import KnownModel, Part, Reasons, TableRow, Which
    from deixis.worlds.grid.paper.runs import Run, Score


__all__ = ["compare_runs", "place_of", "score_of"]

TITLES: dict[Which, str] = {
    "table2": "Table 2: one model for each set, random split",
    "table3": "Table 3: one model trained on All",
}
PARTS: dict[Which, tuple[Part, ...]] = {"table2": ("dev", "test"), "table3": ("test",)}
# Settings that say where or as what a run was made, not how: runs that differ in these only are of one column.
APART = {"seed", "name", "out", "folder", "path", "device", "workers", "data"}
APART |= {"eval_every", "log_every", "save_every", "dev_examples", "decode_limit", "compile", "half", "tensorboard"}
# What runs from before there was such a setting did.
EARLIER = {"rare_first": "0", "rare_share": "0.2", "weight_decay": "0.0", "pointing": "0.0"}


def compare_runs(runs: Sequence[Run], *, reasons: Reasons | None = None) -> Results:
    """Put runs into Tables 2 and 3 beside what is published.

    Runs of one model that differ only in their seeds are one column; published quirks and settings that differ make a
    column of their own.

    Args:
        runs: in any order.
        reasons: why cells differ from what is published.

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
    columns = _columns(placed)
    given = reasons or {}
    _check_reasons(given, columns)
    known = known_results()
    unrun = [
        Column(label=model.published, model=model)
        for model in known.models
        if not any(column.model == model for column in columns) and any(model.key == key[1] for key in known.figures)
    ]
    tables = tuple(_table(which, (*columns, *unrun), given) for which in TITLES)
    return Results(tables=tables, columns=columns, left_out=tuple(run for run in runs if place_of(run) is None))


def place_of(run: Run) -> TableRow | None:
    """The row of Table 2 that a run was trained for, None where there is no such row.

    A model that is not trained, or of whose training nothing is known, belongs where the examples that it was judged on
    belong, unless these leave it open. Whoever was judged on a test set of Table 3 belongs there.
    """
    rows = known_results().rows["table2"]
    if run.training is not None and run.training.patterns:
        key = run.training.patterns, run.training.random_only
        return next((row for row in rows if (row.patterns, row.random_only) == key), None)
    judged = next((run.scores[name] for name in ("test", "dev") if name in run.scores), None)
    patterns = tuple(sorted(judged.patterns)) if judged else ()
    found = next((row for row in rows if row.patterns == patterns and not row.random_only), None)
    if found is not None and patterns != ("p3",):  # with random distractors only or not: nobody says
        return found
    held_out = {row.split for row in known_results().rows["table3"]} - {"test"}
    return next((row for row in rows if row.key == "all"), None) if held_out & run.scores.keys() else None


def score_of(run: Run, row: TableRow, part: Part) -> Score | None:
    """How a run does in a row of a table, None where it was not judged there."""
    score = run.scores.get(row.split or part)
    return score.patterns.get(row.pattern) if score and row.pattern else score


# ------------------------------------------------------------------------------------------------------------ columns


def _columns(runs: Sequence[Run]) -> tuple[Column, ...]:
    known = known_results()
    families: dict[tuple[int, str, tuple[str, ...]], list[Run]] = {}
    for run in runs:
        model = known.model(run.model)
        order = known.models.index(model) if model else len(known.models)
        families.setdefault((order, model.title if model else run.model, run.quirks), []).append(run)
    found: dict[tuple[KnownModel | None, str], list[Run]] = {}
    for (_, title, quirks), family in sorted(families.items(), key=lambda entry: entry[0]):
        apart = _differing(family)
        for run in sorted(family, key=lambda run: (run.seed if run.seed is not None else -1, run.folder)):
            traits = _traits(run)
            said = [f"{name} {traits[name]}" for name in apart if name in traits]
            label = ", ".join((" + ".join((title, *(quirk.replace("_", " ") for quirk in quirks))), *said))
            found.setdefault((known.model(run.model), label), []).append(run)
    columns = tuple(Column(label=label, model=model, runs=tuple(some)) for (model, label), some in found.items())
    for column in columns:
        _check_seeds(column)
    return columns


def _differing(runs: Sequence[Run]) -> list[str]:
    """The settings in which runs differ that were trained on the same set."""
    values: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        place = getattr(place_of(run), "key", "")
        for name, value in _traits(run).items():
            values.setdefault((name, place), set()).add(value)
    return list(dict.fromkeys(name for (name, _), known in values.items() if len(known) > 1))


def _traits(run: Run) -> dict[str, str]:
    """How a run was made and judged."""
    known = {**(EARLIER if run.settings else {}), **run.settings}
    found = {name: value for name, value in known.items() if name.rpartition(".")[2] not in APART}
    found |= {name: f"{count:,}" for name, count in (("steps", run.updates), ("batch size", run.batch)) if count}
    found |= {"judged up to": f"{run.decode_limit} actions", "judged on data": run.digest[:8] or run.data}
    if run.training is None:
        return found
    begun = "a checkpoint" if run.training.goes_on else "fresh weights"
    return found | {"trained on data": run.training.digest[:8], "begins with": begun}


def _check_seeds(column: Column) -> None:
    seen: dict[tuple[str, int | None], Run] = {}
    for run in column.runs:
        key = (getattr(place_of(run), "title", ""), run.seed)
        if key in seen:
            raise RecipeError(
                f"{seen[key].folder} and {run.folder} are both {column.label} on {key[0]} with seed {run.seed}; "
                "give each run once"
            )
        seen[key] = run


def _check_reasons(reasons: Reasons, columns: Sequence[Column]) -> None:
    known = {name for model in known_results().models for name in model.names}
    known |= {plain_name(column.label) for column in columns}
    for _, name, _ in reasons:
        if plain_name(name) not in known:
            labels = ", ".join(column.label for column in columns)
            raise RecipeError(f"a reason is given for {name!r}, but there is no such model; there are: {labels}")


# -------------------------------------------------------------------------------------------------------------- cells


def _table(which: Which, columns: tuple[Column, ...], reasons: Reasons) -> ResultTable:
    rows, parts = known_results().rows[which], PARTS[which]
    shown = [column for column in columns if column.runs or _is_published(which, column)]
    cells = {
        (row.key, column.label, part): _cell(which, row, column, part, reasons)
        for row in rows
        for column in shown
        for part in parts
    }
    return ResultTable(which=which, title=TITLES[which], rows=rows, columns=tuple(shown), parts=parts, cells=cells)


def _is_published(which: Which, column: Column) -> bool:
    figures = known_results().figures
    return column.model is not None and any(key[:2] == (which, column.model.key) for key in figures)


def _cell(which: Which, row: TableRow, column: Column, part: Part, reasons: Reasons) -> Cell:
    trained_on = row.key if which == "table2" else "all"
    runs = [run for run in column.runs if getattr(place_of(run), "key", "") == trained_on]
    judged = [(run, score) for run in runs if (score := score_of(run, row, part)) is not None]
    published, superseded, *_ = *known_results().compared(which, column.model, row.key, part), None, None
    said = (
        text
        for (table, name, place), text in reasons.items()
        if (table, place) == (which, row.key) and _is_named(column, name)
    )
    return Cell(measured=_measured(judged), published=published, superseded=superseded, reason=next(said, ""))


def _is_named(column: Column, name: str) -> bool:
    """Whether this is a name of the column: its label, or any name of its model where nothing sets it apart."""
    is_plain = column.model is not None and column.label == column.model.title
    names = column.model.names if column.model and is_plain else {plain_name(column.label)}
    return plain_name(name) in names


def _measured(judged: Sequence[tuple[Run, Score]]) -> Measured | None:
    if not judged:
        return None
    shares = [score.exact for _, score in judged]
    examples = min(score.examples for _, score in judged)
    sure = wilson(round(shares[0] * examples), examples) if len(shares) == 1 else None
    return Measured(
        mean=100 * fmean(shares),
        deviation=100 * stdev(shares) if len(shares) > 1 else None,
        interval=(100 * sure.low, 100 * sure.high) if sure else None,
        seeds=tuple(run.seed for run, _ in judged),
        examples=examples,
    )
