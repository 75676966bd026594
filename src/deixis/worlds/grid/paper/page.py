"""The results of models on ReaSCAN as files: a page that needs nothing else, tables, and training curves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.report.cells import NO_REASON, write_files
from deixis.report.chart import Axis, Chart, make_series
from deixis.report.chart_html import chart_markup, figure_markup
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.report.curves import training_curves
from deixis.report.markup import Themes, details, element, number, percent, table, text
from deixis.report.palette import color_pair
from deixis.report.skeleton import frame_page
from deixis.worlds.grid.paper.models import known_results
from deixis.worlds.grid.paper.results import FAR
from deixis.worlds.grid.paper.tables import place_of, score_of
from deixis.worlds.grid.paper.words import (
    legend,
    protocol,
    results_as_csv,
    results_as_dict,
    results_as_markdown,
    say_difference,
    say_published,
)


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.report.chart import Figure
    from deixis.report.skeleton import Section
    from deixis.worlds.grid.paper.models import Part, Which
    from deixis.worlds.grid.paper.results import Cell, Column, Results, ResultTable
    from deixis.worlds.grid.paper.runs import Run


__all__ = ["curves_of", "results_page", "write_results"]

MEASURES = {
    "exact": "exact match",
    "exact_cut_30": "exact match of the first 30 actions",
    "got_there": "got there",
    "right_target": "right target",
}


def write_results(results: Results, out: Path) -> list[Path]:
    """Write results into a folder; equal runs give equal bytes.

    Args:
        results: what to show.
        out: the folder, made where there is none; each file is replaced only when it is whole.

    Returns:
        The files: report.html, tables.md, tables.csv, report.json, and the curves of every training set as PNG and SVG.

    Raises:
        DeixisError: when matplotlib is not installed and there are curves to draw.
    """
    files: dict[str, str | bytes] = {
        "report.html": results_page(results),
        "tables.md": results_as_markdown(results),
        "tables.csv": results_as_csv(results),
        "report.json": json.dumps(results_as_dict(results), indent=2, ensure_ascii=False) + "\n",
    }
    files |= {
        f"{one.name}.{form}": draw_figure(one, form, theme="reader") for one in curves_of(results) for form in FORMATS
    }
    return write_files(files, out)


def curves_of(results: Results) -> list[Figure]:
    """The training curves, those of one training set together; sets without a log are left out."""
    found = []
    for row in reversed(known_results().rows["table2"]):
        runs: dict[str, Sequence[Run]] = {
            column.label: some
            for column in results.columns
            if (some := [run for run in column.runs if place_of(run) == row and (run.steps or run.looks)])
        }
        if runs:
            order = tuple(column.label for column in results.columns)
            found.append(training_curves(runs, name=f"curves-{row.key}", title=f"Trained on {row.title}", order=order))
    return found


def results_page(results: Results) -> str:
    """The results as one HTML page; equal runs give equal text.

    Raises:
        DeixisError: when matplotlib is not installed and there are curves to draw.
    """
    themes = Themes()
    reasons = {
        (one.table.which, one.row.key, one.column.label, one.part): place
        for place, one in enumerate(results.differences, start=1)
    }
    sections: dict[str, Section] = {
        shown.which: (text(shown.title), _table(shown, reasons, themes) + _about(shown))
        for shown in reversed(results.tables)
        if shown.own
    }
    curves = "\n".join(figure_markup(one) for one in curves_of(results))
    sections |= {
        "marks": ("Marks", _legend(results)),
        "beside": ("Beside the published", _bars(results, themes)),
        "differences": ("Where ours differ", _reasons(results)),
        "measures": ("Other measures", _measures(results.columns)),
        "curves": ("Training", curves),
        "protocol": ("Protocol", _protocol(results)),
    }
    return frame_page(
        title="Models on ReaSCAN",
        header=_header(results),
        sections=sections,
        footer=element("p", f"Made by deixis {text(__version__)}. This page needs no connection."),
        rules=themes.rules(),
        styles=("report.css", "audit.css", "results.css"),
    )


def _header(results: Results) -> str:
    runs = [run for column in results.columns for run in column.runs]
    names = ", ".join(text(column.label) for column in results.columns)
    about = f"{names} · {number(len(runs))} run{'s' if len(runs) != 1 else ''}"
    far = results.differences
    unsaid = sum(not one.cell.reason for one in far)
    measured = sum(cell.measured is not None for one in results.tables for cell in one.cells.values())
    counts = {
        "cells measured": measured,
        f"differ by over {FAR:g} points": len(far),
        "of these without a reason": unsaid,
    }
    tiles = "".join(element("li", element("b", number(n)) + element("span", what)) for what, n in counts.items())
    return (
        element("p", "Deixis · models", class_="kicker")
        + element("h1", "Models on ReaSCAN, beside what is published")
        + element("p", about, class_="about")
        + element("ul", tiles, class_="tiles")
    )


# -------------------------------------------------------------------------------------------------------------- tables


def _table(shown: ResultTable, reasons: Mapping[tuple[Which, str, str, Part], int], themes: Themes) -> str:
    """Two lines of heads: the model, and ours or published of each part."""
    sides = {column.label: _sides(shown, column) for column in shown.columns}
    models = "".join(
        element(
            "th",
            text(_head(column)) + _seeds(shown, column),
            scope="colgroup",
            colspan=str(len(sides[column.label]) * len(shown.parts)),
            class_="model",
            style=f"--tone:{themes.name(*color_pair(place))}" if column.runs else None,
        )
        for place, column in enumerate(shown.columns)
    )
    parts = "".join(
        element("th", f"{side} {part}" if len(shown.parts) > 1 else side, scope="col", class_=side)
        for column in shown.columns
        for part in shown.parts
        for side in sides[column.label]
    )
    lines = []
    for place, row in enumerate(shown.rows):
        mark = element("a", "†", href="#marks", class_="dagger") if row.is_leaking else ""
        cells = element("th", text(row.title) + mark, scope="row", title=row.about or None)
        for column in shown.columns:
            for part in shown.parts:
                cell = shown.cells[row.key, column.label, part]
                footnote = reasons.get((shown.which, row.key, column.label, part))
                drawn = {
                    "ours": _ours(cell, footnote, is_seeded=shown.seeds(column) is None),
                    "published": _theirs(cell),
                }
                cells += "".join(drawn[side] for side in sides[column.label])
        starts = place > 0 and shown.rows[place - 1].is_leaking and not row.is_leaking
        lines.append(element("tr", cells, class_="apart" if starts else None))
    heads = element("thead", element("tr", element("th", "", rowspan="2") + models) + element("tr", parts))
    inner = element("caption", "Exact match in percent") + heads + element("tbody", "\n".join(lines))
    whole = element("table", inner, class_="results")
    return element("div", whole, class_="wide breakout", tabindex="0", role="region", aria_label=shown.title)


def _sides(shown: ResultTable, column: Column) -> list[str]:
    """What there is to show of a column."""
    cells = shown.of(column)
    found = {"ours": any(cell.measured for cell in cells), "published": any(cell.published for cell in cells)}
    return [side for side, is_there in found.items() if is_there]


def _head(column: Column) -> str:
    named = column.model is not None and column.runs and column.model.published != column.model.title
    return f"{column.label} (published: {column.model.published})" if named and column.model else column.label


def _seeds(shown: ResultTable, column: Column) -> str:
    seeds = shown.seeds(column)
    return element("small", f"{seeds} seed{'s' if seeds != 1 else ''}") if seeds else ""


def _about(shown: ResultTable) -> str:
    said = " · ".join(f"{element('b', text(row.title))} {text(row.about)}" for row in shown.rows if row.about)
    return element("p", said, class_="note") if said else ""


def _theirs(cell: Cell) -> str:
    first, *others = map(text, say_published(cell))
    return element("td", first + "".join(element("small", other) for other in others), class_="published")


def _ours(cell: Cell, footnote: int | None, *, is_seeded: bool) -> str:
    ours = cell.measured
    if ours is None:
        return element("td", "–", class_="ours")
    spread = f" ({ours.deviation:.2f})" if ours.deviation is not None else ""
    seeds = f"{len(ours.seeds)} seed{'s' if len(ours.seeds) != 1 else ''}"
    how = f"{seeds}, {number(ours.examples)} examples" + (" each" if len(ours.seeds) > 1 else "")
    mark = ""
    if cell.difference is not None and footnote is not None:
        sign = "▲" if cell.difference > 0 else "▼"
        mark = " " + element("a", f"{sign}{element('sup', str(footnote))}", href=f"#reason-{footnote}")
        how += f"; {say_difference(cell)} the published"
    below = ["[{:.2f}–{:.2f}]".format(*ours.interval)] if ours.interval else []
    below += [seeds] if is_seeded else []
    small = element("small", ", ".join(below)) if below else ""
    content = element("b", f"{ours.mean:.2f}") + spread + mark + small
    return element("td", content, class_="ours far" if cell.is_far else "ours", title=how)


def _legend(results: Results) -> str:
    terms = "".join(element("dt", text(mark)) + element("dd", text(said)) for mark, said in legend(results))
    return element("dl", terms, class_="marked")


# --------------------------------------------------------------------------------------------------- beside the tables


def _bars(results: Results, themes: Themes) -> str:
    """A figure for each trained model: ours and the published, row by row of Table 3."""
    (shown,) = (one for one in results.tables if one.which == "table3")
    drawn = []
    for place, column in enumerate(shown.columns):
        if column in shown.own and any(run.training for run in column.runs):
            figure = chart_markup(_plot(shown, column, place))
            drawn.append(element("div", figure, class_="tinted", style=f"--own:{themes.name(*color_pair(place))}"))
    return element("div", "\n".join(drawn), class_="figures") if drawn else ""


def _plot(shown: ResultTable, column: Column, place: int) -> Chart:
    cells = shown.of(column)
    series = {"ours": tuple(cell.measured.mean / 100 if cell.measured else None for cell in cells)}
    if any(cell.published for cell in cells):
        series["published"] = tuple(cell.published.mean / 100 if cell.published else None for cell in cells)
    return Chart(
        name=f"beside-{place}",
        title=_head(column),
        caption=_said(cells),
        marks="bars",
        labels=tuple(row.title for row in shown.rows),
        series=make_series(series, published=("published",)),
        axis=Axis(label="exact match; where there is an update, it is what is shown as published"),
    )


def _said(cells: Sequence[Cell]) -> str:
    compared = [cell for cell in cells if cell.difference is not None]
    if not compared:
        return "Nothing is published to compare it with."
    most = max(compared, key=lambda cell: abs(cell.difference or 0))
    near = sum(not cell.is_far for cell in compared)
    return (
        f"{near} of {len(compared)} splits within {FAR:g} points; the farthest is {say_difference(most)} the published."
    )


def _reasons(results: Results) -> str:
    items = []
    for place, one in enumerate(results.differences, start=1):
        reason = one.cell.reason
        said = element("span", text(reason or NO_REASON), class_=None if reason else "none")
        name = element("b", text(f"{one.column.label}, {one.where}"))
        what = f"{name}, {say_difference(one.cell)} the published: "
        items.append(element("li", what + said, id=f"reason-{place}"))
    return element("ol", "\n".join(items), class_="reasons") if items else ""


def _measures(columns: Sequence[Column]) -> str:
    """How else the plans can be judged, for each model trained on all patterns: means over its runs."""
    found = []
    for column in columns:
        runs = [run for run in column.runs if getattr(place_of(run), "key", "") == "all"]
        rows = []
        for row in known_results().rows["table3"]:
            scores = [score for run in runs if (score := score_of(run, row, "test")) is not None]
            shares = [_mean([getattr(score, name) for score in scores]) for name in MEASURES]
            if any(share is not None for share in shares[1:]):
                said = ("–" if share is None else percent(share) for share in shares)
                rows.append([text(row.title), number(min(score.examples for score in scores)), *said])
        if rows:
            heads = ["", "examples", *MEASURES.values()]
            inner = table(heads, rows, caption="Shares of plans", numeric=range(1, len(heads)))
            found.append(details(text(column.label), inner))
    about = (
        "A plan that is not the dataset’s own may still get there. Some published figures compare the first 30 actions "
        "only; ours, so counted, stand beside."
    )
    return element("p", about) + "\n".join(found) if found else ""


def _mean(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known and len(known) == len(shares) else None


def _protocol(results: Results) -> str:
    terms = "".join(
        element("dt", text(column.label)) + "".join(element("dd", text(said)) for said in protocol(column))
        for column in results.columns
    )
    left = ", ".join(run.folder for run in results.left_out)
    note = element("p", text(f"In neither table: {left}."), class_="note") if left else ""
    source = element("p", text(f"Published: {known_results().source}."), class_="note")
    return element("dl", terms, class_="protocol") + note + source
