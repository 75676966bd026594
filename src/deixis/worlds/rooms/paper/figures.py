"""Figure 2 of the A3DS paper for speakers of ours, and how they came to speak so: training curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.report.drawings import DASHES, Drawing, color_of, legend_columns
from deixis.report.figures import INK, SERIES, SOFT
from deixis.worlds.rooms.pairs import CATEGORIES
from deixis.worlds.rooms.paper.runs import REDUNDANT


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.worlds.rooms.paper.tables import SpeakerResults, Variant


__all__ = ["drawings_of"]

LABELS = ("floor\ncolour", "wall\ncolour", "object\ncolour", "scale", "shape", "orient-\nation")
PANELS = {  # what is looked at while speakers learn
    "caption": "cost of captions, nats a word",
    "listener": "listener accuracy",
    "discriminativity": "discriminativity",
    "efficiency": "contrastive efficiency",
    "relevance": "relevance",
    "mentioned": "mentioned features",
    "false": "false features",
    "structural": "log p(said): structural drift",
    "semantic": "log p(said | target): semantic drift",
    "overlap": "words of the target’s captions, net",
}
SHARES = ("listener", "discriminativity", "efficiency", "relevance")
ACROSS = 3
ROW, TOP = 2.15, 0.9  # inches


def drawings_of(results: SpeakerResults) -> list[Drawing]:
    """Every figure that there is something to show in."""
    order = {one.label: place for place, one in enumerate(one for one in results.variants if not one.is_restyled)}
    found = [_redundancy(results.main)]
    captioners = [one for one in results.variants if one.letter == "B" and not one.is_restyled]
    games = [one for one in results.main if one.letter != "B"]
    found += _curves("curves-captions", "Learning captions", captioners, order)
    found += _curves("curves-games", "Playing the reference game", games, order)
    for letter in ("RP", "SP"):
        some = [one for one in results.variants if one.letter == letter and not one.is_restyled]
        if len(some) > 1:
            found += _curves(f"curves-{letter.lower()}-variants", f"{letter} and its variants", some, order)
    return found


def _head(title: str) -> dict[str, Any]:
    """How a legend stands above the panels, below the title."""
    above = {"loc": "outside upper left", "borderaxespad": 0.2, "alignment": "left"}
    return above | ({"title": title, "title_fontproperties": {"weight": "bold", "size": 10.5}} if title else {})


# ----------------------------------------------------------------------------------------------------------- Figure 2


def _redundancy(variants: Sequence[Variant]) -> Drawing:
    def paint(figure: Any, _: Any, title: str) -> None:
        panels = figure.subplots(1, len(CATEGORIES), sharey=True)
        for axes, part in zip(panels, CATEGORIES, strict=True):
            _bars(axes, variants, part)
        panels[0].set_ylabel("share of captions that say it")
        entries, names = panels[0].get_legend_handles_labels()
        figure.legend(entries, names, ncols=legend_columns(names), **_head(title))

    several = any(len(one.runs) > 1 for one in variants)
    bars = "Thin lines show the standard deviation over seeds" if several else "Thin lines show 95 % intervals"
    mixed = several and any(len(one.runs) == 1 for one in variants)
    return Drawing(
        name="redundancy",
        title="Figure 2: what is said although it tells nothing apart",
        caption=(
            "How often each feature is spoken of where target and distractor share it, of captions with relevance "
            f"below 1. {bars}{', of one seed the 95 % interval' if mixed else ''}."
        ),
        size=(9.6, 3.3),
        paint=paint,
    )


def _bars(axes: Any, variants: Sequence[Variant], part: str) -> None:
    at = np.arange(len(REDUNDANT))
    width = 0.8 / len(variants)
    for place, one in enumerate(variants):
        found = [one.measured(part, metric) for metric in REDUNDANT]
        means = [0.0 if value is None else value.mean for value in found]
        below = [0.0 if value is None else max(value.mean - value.low, 0.0) for value in found]
        above = [0.0 if value is None else max(min(value.high, 1.0) - value.mean, 0.0) for value in found]
        here = at + (place - (len(variants) - 1) / 2) * width
        seeds = f" ({len(one.runs)} seeds)" if len(one.runs) > 1 else ""
        axes.bar(here, means, width * 0.9, color=color_of(place)[0], label=one.label + seeds)
        axes.errorbar(here, means, (below, above), fmt="none", ecolor=INK, elinewidth=1.0, capsize=1.6)
        for x, value in zip(here, found, strict=True):
            if value is None:
                axes.text(x, 0.015, "–", ha="center", va="bottom", color=SOFT)
    axes.set_title(part, loc="left")
    axes.set_xticks(at, LABELS, fontsize=7.6)
    axes.set_ylim(0, 1.04)
    axes.set_yticks(np.linspace(0, 1, 6))
    axes.patch.set_alpha(0)
    axes.tick_params(length=0)
    axes.grid(axis="y")


# ------------------------------------------------------------------------------------------------------------- curves


def _curves(name: str, title: str, variants: Sequence[Variant], order: Mapping[str, int]) -> list[Drawing]:
    """The curves of some variants, each in the colour of its place; none where nothing was logged."""
    seen = {metric for one in variants for run in one.runs for look in run.looks for metric in look.values}
    metrics = [metric for metric in PANELS if metric in seen]
    if not metrics:
        return []
    rows = -(-len(metrics) // ACROSS)

    def paint(figure: Any, matplotlib: Any, title: str) -> None:
        panels = figure.subplots(rows, ACROSS, sharex=True, squeeze=False)
        entries = []
        for one in variants:
            number = order[one.label]
            look = {"color": color_of(number)[0], "linestyle": DASHES[number // len(SERIES) % len(DASHES)]}
            for axes, metric in zip(panels.flat, metrics, strict=False):
                _lines(axes, one, metric, look)
            seeds = f" ({len(one.runs)} seeds)" if len(one.runs) > 1 else ""
            entries.append(matplotlib.lines.Line2D([], [], linewidth=2, label=one.label + seeds, **look))
        _furnish(panels, metrics, matplotlib)
        columns = legend_columns([entry.get_label() for entry in entries])
        figure.legend(handles=entries, ncols=columns, handlelength=1.8, **_head(title))

    drifts = " The further a language drifts, the lower the last three." if "structural" in metrics else ""
    return [
        Drawing(
            name=name,
            title=title,
            caption=f"On validation images, against steps; a line for every seed.{drifts}",
            size=(9.6, TOP + ROW * rows),
            paint=paint,
        )
    ]


def _lines(axes: Any, one: Variant, metric: str, look: Mapping[str, str]) -> None:
    for run in one.runs:
        points = [(at.update, at.values[metric]) for at in run.looks if metric in at.values]
        marker = "o" if len(points) == 1 else ""
        axes.plot(
            *zip(*points, strict=True) if points else ([], []), linewidth=1.4, marker=marker, markersize=3.5, **look
        )


def _furnish(panels: Any, metrics: Sequence[str], matplotlib: Any) -> None:
    for axes, metric in zip(panels.flat, metrics, strict=False):
        axes.set_title(PANELS[metric], loc="left", fontsize=9.5)
        axes.patch.set_alpha(0)
        axes.tick_params(which="both", length=0)
        axes.grid(axis="y")
        axes.margins(y=0.08)
        axes.xaxis.set_major_formatter(matplotlib.ticker.EngFormatter(sep=""))
        if metric in SHARES:
            axes.set_ylim(0, 1.02)
        elif metric in ("mentioned", "false", "caption"):
            axes.set_ylim(bottom=0)
    for axes in list(panels.flat)[len(metrics) :]:
        axes.set_axis_off()
    panels[0, 0].set_xlim(left=0)
    for column in range(panels.shape[1]):
        last = [row for row in range(panels.shape[0]) if row * panels.shape[1] + column < len(metrics)]
        if last:
            panels[last[-1], column].set_xlabel("steps")
            panels[last[-1], column].tick_params(labelbottom=True)
