"""Charts and figures as HTML and SVG for pages: they follow the page in size, theme and print.

What stands in them can be selected, enlarged and read aloud, and behind each lies a table of its numbers. A series that
was published elsewhere is hatched or dashed. Pages need the rules of `chart_rules`; `chart_script` lets readers point
at lines.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deixis.report._chart_layout import cell_text, label_text, lay_out, sign_path
from deixis.report._palette import palette_rules
from deixis.report._templates import render
from deixis.report.chart import format_tick, format_value, legend_of


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.report.chart import Chart, Figure, LegendEntry


__all__ = ["chart_markup", "chart_rules", "chart_script", "figure_markup"]

MAX_TABLE_ROWS = 60  # of numbers of lines; more are in the data of the drawing only


def chart_rules() -> str:
    """The style rules of charts."""
    return palette_rules() + (files("deixis.report") / "chart.css").read_text(encoding="utf-8")


def chart_script() -> str:
    """The script that shows the values of lines at the pointer, or at the arrow keys."""
    return (files("deixis.report") / "chart.js").read_text(encoding="utf-8")


def chart_markup(chart: Chart, *, is_broad: bool = False) -> str:
    """A chart with title, legend, caption and the numbers behind it, as a figure element.

    Args:
        chart: what to draw.
        is_broad: whether it has the whole width of the page.
    """
    return render("chart.html", figures=[_figure_of(chart)], is_broad=is_broad)


def figure_markup(figure: Figure) -> str:
    """A figure of several panels with one legend, as a figure element."""
    panels = [_panel(chart) for chart in figure.panels]
    shown = {
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "key": _key(figure.entries, is_line=all(chart.marks == "lines" for chart in figure.panels)),
        "panels": panels,
        "across": max(len(row) for row in figure.rows),
    }
    return render("chart.html", figures=[shown], is_broad=True)


def _figure_of(chart: Chart) -> dict[str, Any]:
    key = _key(legend_of(chart.series), is_line=chart.marks == "lines") if chart.marks != "tiles" else []
    panel = _panel(chart) | {"title": ""}
    return {
        "name": chart.name,
        "title": chart.title,
        "caption": chart.caption,
        "key": key,
        "panels": [panel],
        "across": 1,
    }


def _key(entries: Sequence[LegendEntry], *, is_line: bool) -> list[dict[str, Any]]:
    return [
        {
            "label": one.label,
            "color": one.color,
            "dash": one.dash,
            "sign": sign_path(one.color, 16, 7) if is_line else None,
        }
        for one in entries
    ]


def _panel(chart: Chart) -> dict[str, Any]:
    """The values that the template uses for a chart."""
    drawn = {} if chart.is_empty else lay_out(chart)
    return {
        "marks": "nothing" if chart.is_empty else chart.marks,
        "title": chart.title,
        "label": f"{chart.title}. {chart.caption}{_say_ends(chart)}".strip(),
        "axis": chart.axis.label,
        "empty": chart.empty,
        "table": _table(chart),
        **drawn,
    }


def _say_ends(chart: Chart) -> str:
    """Where each line over numbers begins and ends, in words."""
    lines = [one for one in chart.series if one.places and one.points]
    ends = [(one.label, *(format_value(one.points[at][1], chart.axis.unit) for at in (0, -1))) for one in lines]
    return "".join(f" {name}: from {first} to {last}." for name, first, last in ends)


# ------------------------------------------------------------------------------------------------------------ numbers


def _table(chart: Chart) -> dict[str, Any] | None:
    """The numbers of a chart; None where the drawing says them all, or where there are too many."""
    if chart.marks == "tiles" or chart.is_empty:
        return None
    is_numbered = any(one.places for one in chart.series)
    places = sorted({at for one in chart.series for at, _ in one.points}) if is_numbered else []
    if len(places) > MAX_TABLE_ROWS:
        return None
    unit = chart.axis.unit
    columns: list[tuple[str, list[str]]] = []
    for one in chart.series:
        if is_numbered:
            known = dict(one.points)
            columns.append((one.label, [format_value(known.get(at), unit) for at in places]))
            continue
        columns.append((one.label, [cell_text(chart, one, place) for place in range(len(chart.labels))]))
        if any(one.published):
            columns.append((f"{one.label}, published", [format_value(value, unit) for value in one.published]))
    if any(chart.published):
        columns.append(("published", [format_value(value, unit) for value in chart.published]))
    rows = (
        [format_tick(at, "value") for at in places]
        if is_numbered
        else [label_text(chart, k) for k in range(len(chart.labels))]
    )
    return {
        "caption": ": ".join(part for part in (chart.title, chart.axis.label) if part),
        "first": chart.below.label,
        "heads": [head for head, _ in columns],
        "rows": [(row, [cells[place] for _, cells in columns]) for place, row in enumerate(rows)],
    }
