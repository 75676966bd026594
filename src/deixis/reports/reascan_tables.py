"""Tables 2 and 3 of the ReaSCAN paper for models of ours: every cell with its published figure beside it."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import RecipeError
from deixis.metrics.uncertainty import wilson
from deixis.reports.cells import no_formula
from deixis.reports.reascan_models import known_results, plain_name


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis.reports.reascan_models import Figure, KnownModel, Part, TableRow, Which
    from deixis.reports.reascan_notes import Reasons
    from deixis.reports.runs import Run, Score


__all__ = [
    "FAR",
    "Cell",
    "Column",
    "Difference",
    "Measured",
    "ResultTable",
    "Results",
    "compare_runs",
    "place_of",
    "results_as_csv",
    "results_as_dict",
    "say_figure",
    "say_measured",
    "say_published",
    "score_of",
    "table_as_text",
]

FAR = 5.0  # points by which a cell may differ from the published figure without a reason
NOTHING = "–"
TITLES: dict[Which, str] = {
    "table2": "Table 2: one model for each set, random split",
    "table3": "Table 3: one model trained on All",
}
PARTS: dict[Which, tuple[Part, ...]] = {"table2": ("dev", "test"), "table3": ("test",)}
# Settings that say where or as what a run was made, not how: runs that differ in these only are of one column.
APART = {"seed", "name", "out", "folder", "path", "device", "workers", "data"}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The exact match of one or several seeds, in percent.

    Attributes:
        mean: over the seeds.
        deviation: the sample standard deviation over the seeds, None where there is one.
        interval: the 95 % interval after Wilson where there is one seed: how sure its examples make it.
        seeds: of the runs.
        examples: how many each run was judged on.
    """

    mean: float
    deviation: float | None
    interval: tuple[float, float] | None
    seeds: tuple[int | None, ...]
    examples: int


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What we measured beside what is published.

    Attributes:
        measured: ours, None where there is none.
        published: what it is compared with.
        superseded: the figure of the paper, where its authors gave another one later.
        reason: why ours differs, in a sentence.
    """

    measured: Measured | None = None
    published: Figure | None = None
    superseded: Figure | None = None
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the published, in points."""
        if self.measured is None or self.published is None:
            return None
        return self.measured.mean - self.published.mean

    @property
    def is_far(self) -> bool:
        """Whether ours differs so much that it asks for a reason."""
        return self.difference is not None and abs(self.difference) > FAR


@dataclass(frozen=True, kw_only=True)
class Column:
    """A model with all its runs, or a published model that nobody has run here.

    Attributes:
        label: its name, with what sets it apart from other columns of the same model.
        model: the published model it is compared with.
        runs: of all training sets and seeds.
    """

    label: str
    model: KnownModel | None
    runs: tuple[Run, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ResultTable:
    """One of the two tables; cells are found by row, label of the column, and `dev` or `test`."""

    which: Which
    title: str
    rows: tuple[TableRow, ...]
    columns: tuple[Column, ...]
    parts: tuple[Part, ...]
    cells: Mapping[tuple[str, str, Part], Cell]

    def of(self, column: Column) -> list[Cell]:
        """The cells of a column."""
        return [self.cells[row.key, column.label, part] for row in self.rows for part in self.parts]

    def measured(self, column: Column) -> list[Measured]:
        """What was measured in a column."""
        return [cell.measured for cell in self.of(column) if cell.measured is not None]

    def is_measured(self, row: TableRow, column: Column) -> bool:
        """Whether there is a result of ours in a row of a column."""
        return any(self.cells[row.key, column.label, part].measured for part in self.parts)

    @property
    def own(self) -> tuple[Column, ...]:
        """The columns in which something was measured here."""
        return tuple(column for column in self.columns if self.measured(column))

    def seeds(self, column: Column) -> int | None:
        """How many seeds each cell of a column was measured with, None where cells differ in it."""
        found = {len(measured.seeds) for measured in self.measured(column)}
        return found.pop() if len(found) == 1 else None


class Difference(NamedTuple):
    """A cell that is far from what is published."""

    table: ResultTable
    row: TableRow
    column: Column
    part: Part
    cell: Cell

    @property
    def where(self) -> str:
        """Its place in words."""
        place = f"{self.table.which.replace('table', 'Table ')}, {self.row.title}"
        return f"{place} {self.part}" if len(self.table.parts) > 1 else place


@dataclass(frozen=True, kw_only=True)
class Results:
    """Both tables, and the runs that have no place in either."""

    tables: tuple[ResultTable, ...]
    columns: tuple[Column, ...]
    left_out: tuple[Run, ...]

    @property
    def differences(self) -> list[Difference]:
        """The cells that ask for a reason, column by column."""
        return [
            Difference(table, row, column, part, cell)
            for table in self.tables
            for column in table.columns
            for row in table.rows
            for part in table.parts
            if (cell := table.cells[row.key, column.label, part]).is_far
        ]


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
            "all three, and run.json says so under training, patterns"
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

    A model that is not trained belongs where the examples that it was judged on belong, unless these leave it open.
    """
    if run.training is not None:
        patterns, random_only = run.training.patterns, run.training.random_only
    else:
        test = run.scores.get("test")
        patterns, random_only = tuple(sorted(test.patterns)) if test else (), False
        if patterns == ("p3",):  # with random distractors only or not: nobody says
            return None
    rows = known_results().rows["table2"]
    return next((row for row in rows if row.patterns == patterns and row.random_only == random_only), None)


def score_of(run: Run, row: TableRow, part: Part) -> Score | None:
    """How a run does in a row of a table, None where it was not judged there."""
    score = run.scores.get(row.split or part)
    return score.patterns.get(row.pattern) if score and row.pattern else score


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
    stream = StringIO()
    entries = list(_entries(results))
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(entries[0])
    for entry in entries:
        writer.writerow([no_formula(value) if isinstance(value, str) else value for value in entry.values()])
    return stream.getvalue()


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
    found = {name: value for name, value in run.settings.items() if name.rpartition(".")[2] not in APART}
    found |= {"updates": f"{run.updates:,}", "batch": f"{run.batch:,}"}
    found |= {"judged up to": f"{run.decode_limit} actions", "judged on data": run.digest[:8]}
    return found | ({"trained on data": run.training.digest[:8]} if run.training else {})


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


# ------------------------------------------------------------------------------------------------------------ in words


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
