"""Figures of scores: the paper's Figure 2, and the main metrics side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.report._palette import MAX_DATASETS, role_of
from deixis.report.chart import Axis, Chart, Figure, Series
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.worlds.rooms.judging._marked import NAMES
from deixis.worlds.rooms.scene import FACTORS


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.judge.uncertainty import Estimate
    from deixis.worlds.rooms.judging._summary import Summary


SHARES = {
    "discriminativity": "discriminativity",
    "contrastive_efficiency": "contrastive efficiency",
    "relevance": "relevance",
    "optimal_discriminativity": "optimal discriminativity",
}
MAX_NAME_LETTERS = 30  # of a file's name in a figure


def redundancy_figure(summaries: Mapping[str, Summary]) -> Figure:
    """Draw how often captions with relevance below 1 mention each non-contrastive feature (Figure 2).

    A panel for each feature, a row for each file, a dot for each category.
    """
    panels = {f"when_redundant/{factor}": NAMES[factor] for factor in FACTORS}
    return _dots(summaries, panels, name="redundancy", title="Features mentioned when redundant", axis="share")


def metrics_figure(summaries: Mapping[str, Summary], denominator: str) -> Figure:
    """The four shares of the paper's Table 1: a panel for each, a row for each file, a dot for each category."""
    panels = {key: label.replace("efficiency", f"efficiency ({denominator})") for key, label in SHARES.items()}
    return _dots(summaries, panels, name="metrics", title="Metrics of captions", axis="mean over captions")


def write_figures(summaries: Mapping[str, Summary], folder: Path, *, denominator: str) -> list[Path]:
    """Write all figures as PNG and SVG, and return their paths."""
    written = []
    for figure in (redundancy_figure(summaries), metrics_figure(summaries, denominator)):
        for form in FORMATS:
            path = folder / f"{figure.name}.{form}"
            path.write_bytes(draw_figure(figure, form))
            written.append(path)
    return written


def group_estimates(summaries: Mapping[str, Summary]) -> dict[str, dict[str, Mapping[str, Estimate]]]:
    """Return the estimates of each file: category or set -> file -> estimates.

    Categories where all files have them, sets where there are as few as can be told apart, and else the mean of all.
    """
    by_category = all(summary.categories for summary in summaries.values())
    tables = {name: s.categories if by_category else s.sets for name, s in summaries.items()}
    groups = list(dict.fromkeys(group for table in tables.values() for group in table))
    if len(groups) > MAX_DATASETS:
        return {f"mean of {len(groups)} sets": {name: s.overall for name, s in summaries.items()}}
    return {group: {name: table[group] for name, table in tables.items() if group in table} for group in groups}


def _dots(summaries: Mapping[str, Summary], panels: Mapping[str, str], *, name: str, title: str, axis: str) -> Figure:
    """Rows rather than colours tell files apart, so that any number of them can be read."""
    groups = group_estimates(summaries)
    charts = []
    for metric, label in panels.items():
        series = []
        for place, (group, tables) in enumerate(groups.items()):
            found = [tables[file][metric] if file in tables else None for file in summaries]
            known = [one if one is not None and one.rows else None for one in found]
            series.append(
                Series(
                    label=group,
                    values=tuple(None if one is None else one.mean for one in known),
                    intervals=tuple(None if one is None else (one.low, one.high) for one in known),
                    color=role_of(place),
                )
            )
        charts.append(
            Chart(
                name=name,
                title=label,
                marks="dots",
                labels=tuple(_shorten(file) for file in summaries),
                series=tuple(series),
                axis=Axis(label=axis, low=0, high=1),
            )
        )
    return Figure(
        name=name,
        title=title,
        caption="A row for each file, a dot for each category; lines are 95 % intervals.",
        rows=(tuple(charts),),
        width=1.7 + 1.7 * len(charts),
        row_height=0.7 + 0.08 * (2 + len(groups)) * len(summaries),
    )


def _shorten(name: str) -> str:
    return name if len(name) <= MAX_NAME_LETTERS else f"{name[: MAX_NAME_LETTERS - 1]}…"
