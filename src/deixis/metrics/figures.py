"""Scores as pictures: the paper's Figure 2, and the main metrics side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.scene.factors import FACTORS


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from deixis.metrics.summary import Summary
    from deixis.metrics.uncertainty import Estimate


__all__ = ["draw_metrics", "draw_redundancy", "write_figures"]

COLORS = ("#3b6ea8", "#d97b29", "#4b9460", "#8d5aa6", "#b8434e", "#6b6f76")
LABELS = ("floor\ncolour", "wall\ncolour", "object\ncolour", "scale", "shape", "orientation")
SHARES = {
    "discriminativity": "discriminativity",
    "contrastive_efficiency": "contrastive\nefficiency",
    "relevance": "relevance",
    "optimal_discriminativity": "optimal\ndiscriminativity",
}
FEW = 4  # sets drawn where there are no categories
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "deixis", "font.family": "DejaVu Sans"}  # the same bytes every time


def draw_redundancy(summaries: Mapping[str, Summary]) -> Figure:
    """How often each feature is spoken of where it tells nothing apart, of captions with relevance below 1 (Figure 2).

    A panel for each category, or for each set where there are none; a colour for each file.
    """
    names = [f"when_redundant/{factor}" for factor in FACTORS]
    return _bars(summaries, names, LABELS, "share that says it when redundant")


def draw_metrics(summaries: Mapping[str, Summary], denominator: str) -> Figure:
    """The four shares of the paper's Table 1."""
    labels = [text.replace("efficiency", f"efficiency ({denominator})") for text in SHARES.values()]
    return _bars(summaries, list(SHARES), labels, "mean over captions")


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


def _bars(summaries: Mapping[str, Summary], metrics: Sequence[str], labels: Sequence[str], axis: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    panels = _panels(summaries)
    figure = Figure(figsize=(1.2 + 4.4 * len(panels), 3.9), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08))
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for place, (ax, panel) in enumerate(zip(axes, panels, strict=True)):
        _panel(ax, panels[panel], metrics, labels)
        ax.set_title(panel, loc="left", fontsize=11, fontweight="bold")
        if place == 0:
            ax.set_ylabel(axis, fontsize=9.5)
    if len(summaries) > 1:
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=min(6, len(names)), frameon=False, fontsize=9.5)
    return figure


def _panels(summaries: Mapping[str, Summary]) -> dict[str, dict[str, Mapping[str, Estimate]]]:
    """Panel -> file -> estimates."""
    by_category = all(summary.categories for summary in summaries.values())
    tables = {name: s.categories if by_category else s.sets for name, s in summaries.items()}
    panels = list(dict.fromkeys(panel for table in tables.values() for panel in table))[:FEW]
    return {panel: {name: table[panel] for name, table in tables.items() if panel in table} for panel in panels}


def _panel(
    ax: Axes, files: Mapping[str, Mapping[str, Estimate]], metrics: Sequence[str], labels: Sequence[str]
) -> None:
    width = 0.8 / max(len(files), 1)
    at = np.arange(len(metrics))
    for place, (name, table) in enumerate(files.items()):
        found = [table[metric] for metric in metrics]
        means = np.nan_to_num([one.mean for one in found])
        below = np.nan_to_num([max(one.mean - one.low, 0.0) for one in found])
        above = np.nan_to_num([max(one.high - one.mean, 0.0) for one in found])
        here = at + (place - (len(files) - 1) / 2) * width
        color = COLORS[place % len(COLORS)]
        ax.bar(here, means, width * 0.92, color=color, label=name, zorder=2)
        ax.errorbar(here, means, (below, above), fmt="none", ecolor="#22252a", elinewidth=1.1, capsize=2.2, zorder=3)
        for x, one in zip(here, found, strict=True):
            if one.rows == 0:
                ax.text(x, 0.015, "none", ha="center", va="bottom", fontsize=7, rotation=90, color="#6b6f76")
    ax.set_xticks(at, labels, fontsize=8.5)
    ax.set_ylim(0, 1.04)
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.tick_params(axis="both", length=0)
    ax.grid(axis="y", color="#e3e5e8", linewidth=0.8, zorder=0)
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
