"""Scores as pictures: the paper's Figure 2, and the main metrics side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.worlds.rooms.judging.marked import NAMES
from deixis.worlds.rooms.scene import FACTORS


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from deixis.judge.uncertainty import Estimate
    from deixis.worlds.rooms.judging.summary import Summary


__all__ = ["SHARES", "draw_metrics", "draw_redundancy", "groups_of", "write_figures"]

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9")  # told apart by the colour-blind, too
MARKERS = ("o", "s", "^", "D", "v", "P")
SHARES = {
    "discriminativity": "discriminativity",
    "contrastive_efficiency": "contrastive efficiency",
    "relevance": "relevance",
    "optimal_discriminativity": "optimal discriminativity",
}
LONGEST_NAME = 30  # letters of a file's name that a figure shows
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "deixis", "font.family": "DejaVu Sans"}  # the same bytes every time


def draw_redundancy(summaries: Mapping[str, Summary]) -> Figure:
    """How often each feature is spoken of where it tells nothing apart, of captions with relevance below 1 (Figure 2).

    A panel for each feature, a row for each file, a dot for each category.
    """
    names = [f"when_redundant/{factor}" for factor in FACTORS]
    return _dots(summaries, names, [NAMES[factor] for factor in FACTORS], "share that says it when redundant")


def draw_metrics(summaries: Mapping[str, Summary], denominator: str) -> Figure:
    """The four shares of the paper's Table 1: a panel for each, a row for each file, a dot for each category."""
    labels = [text.replace("efficiency", f"efficiency ({denominator})") for text in SHARES.values()]
    return _dots(summaries, list(SHARES), labels, "mean over captions")


def write_figures(summaries: Mapping[str, Summary], folder: Path, *, denominator: str) -> list[Path]:
    """Write all figures as PNG and SVG; where they are."""
    import matplotlib as mpl

    written = []
    with mpl.rc_context(SETTINGS):
        drawn = {"redundancy": draw_redundancy(summaries), "metrics": draw_metrics(summaries, denominator)}
        for name, figure in drawn.items():
            for ending, about in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
                path = folder / f"{name}.{ending}"
                figure.savefig(path, dpi=160, metadata=about)
                written.append(path)
    return written


def _dots(summaries: Mapping[str, Summary], metrics: Sequence[str], labels: Sequence[str], axis: str) -> Figure:
    """Rows rather than colours tell files apart, so that any number of them can be read."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    groups = groups_of(summaries)
    height = 1.5 + 0.1 * (2 + len(groups)) * len(summaries)
    figure = Figure(figsize=(2.4 + 2.3 * len(metrics), height), layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08))
    axes = figure.subplots(1, len(metrics), sharey=True, squeeze=False)[0]
    for ax, metric, label in zip(axes, metrics, labels, strict=True):
        _panel(ax, groups, list(summaries), metric)
        ax.set_title(label, loc="left", fontsize=10, fontweight="bold")
    axes[0].set_yticks(range(len(summaries)), [_short(name) for name in summaries], fontsize=9)
    axes[0].invert_yaxis()
    figure.supxlabel(axis, fontsize=9.5)
    handles, names = axes[0].get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(handles, names, loc="outside upper center", ncols=min(6, len(names)), frameon=False, fontsize=9.5)
    return figure


def groups_of(summaries: Mapping[str, Summary]) -> dict[str, dict[str, Mapping[str, Estimate]]]:
    """What is shown of each file: category or set -> file -> estimates.

    Categories where all files have them, sets where there are as few as can be told apart, and else the mean of all.
    """
    by_category = all(summary.categories for summary in summaries.values())
    tables = {name: s.categories if by_category else s.sets for name, s in summaries.items()}
    groups = list(dict.fromkeys(group for table in tables.values() for group in table))
    if len(groups) > len(COLORS):
        return {f"mean of {len(groups)} sets": {name: s.overall for name, s in summaries.items()}}
    return {group: {name: table[group] for name, table in tables.items() if group in table} for group in groups}


def _panel(
    ax: Axes, groups: Mapping[str, Mapping[str, Mapping[str, Estimate]]], files: Sequence[str], metric: str
) -> None:
    step = 0.7 / max(len(groups), 1)
    for place, (group, tables) in enumerate(groups.items()):
        rows = [(row, tables[name][metric]) for row, name in enumerate(files) if name in tables]
        known = [(row, one) for row, one in rows if one.rows and not np.isnan(one.mean)]
        at = np.array([row for row, _ in known]) + (place - (len(groups) - 1) / 2) * step
        means = np.array([one.mean for _, one in known])
        reach = np.array([(max(one.mean - one.low, 0.0), max(one.high - one.mean, 0.0)) for _, one in known])
        ax.errorbar(
            means,
            at,
            xerr=reach.reshape(-1, 2).T,
            fmt=MARKERS[place],
            color=COLORS[place],
            label=group,
            markersize=4.5,
            elinewidth=1.1,
            zorder=3,
        )
    ax.set_xlim(-0.03, 1.03)
    ax.set_xticks(np.linspace(0, 1, 5), ["0", ".25", ".5", ".75", "1"], fontsize=8.5)
    ax.set_ylim(-0.6, len(files) - 0.4)
    ax.tick_params(axis="both", length=0)
    ax.grid(axis="x", color="#e3e5e8", linewidth=0.8, zorder=0)
    for row in range(1, len(files)):
        ax.axhline(row - 0.5, color="#eef0f2", linewidth=0.8, zorder=0)
    for side in ("top", "right", "left", "bottom"):
        ax.spines[side].set_visible(False)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
