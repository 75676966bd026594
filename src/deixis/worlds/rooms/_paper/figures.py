"""Figure 2 of the A3DS paper for our own speakers, and their training curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.report._curves import line_of, metric_points, name_seeds
from deixis.report._palette import role_of
from deixis.report.chart import WIDE, Axis, Chart, Figure, Series
from deixis.worlds.rooms._paper.runs import REDUNDANT, measure_group
from deixis.worlds.rooms.pairs import CATEGORIES


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.report._results.groups import Group
    from deixis.worlds.rooms._paper.report import Comparison
    from deixis.worlds.rooms._paper.runs import Speaker


LABELS = ("floor\ncolour", "wall\ncolour", "object\ncolour", "scale", "shape", "orient-\nation")
PANELS: Mapping[str, tuple[str, Axis]] = {  # what is measured while speakers learn
    "caption": ("cost of captions, nats a word", Axis(unit="value", low=0)),
    "listener": ("listener accuracy", Axis(low=0, high=1)),
    "discriminativity": ("discriminativity", Axis(low=0, high=1)),
    "efficiency": ("contrastive efficiency", Axis(low=0, high=1)),
    "relevance": ("relevance", Axis(low=0, high=1)),
    "mentioned": ("mentioned features", Axis(unit="value", low=0)),
    "false": ("false features", Axis(unit="value", low=0)),
    "structural": ("log p(said): structural drift", Axis(unit="value")),
    "semantic": ("log p(said | target): semantic drift", Axis(unit="value")),
    "overlap": ("words of the target’s captions, net", Axis(unit="value")),
}
PANELS_PER_ROW = 3


def speaker_figures(results: Comparison) -> list[Figure]:
    """Return every figure that there is something to show in."""
    order = {one.label: place for place, one in enumerate(results.groups)}
    found = [_redundancy(results.main)]
    captioners = [one for one in results.trained if one.key in ("B", "C")]
    games = [one for one in results.main if one.key not in ("B", "C")]
    found += _curves("curves-captions", "Learning captions", captioners, order)
    found += _curves("curves-games", "Playing the reference game", games, order)
    for letter in ("RP", "SP", "CP"):
        some = [one for one in results.trained if one.key == letter]
        if len(some) > 1:
            found += _curves(f"curves-{letter.lower()}-variants", f"{letter} and its variants", some, order)
    return found


def _redundancy(variants: Sequence[Group[Speaker]]) -> Figure:
    """Return how often each feature is mentioned where it tells nothing apart."""
    several = any(len(one.runs) > 1 for one in variants)
    bars = "Thin lines show the standard deviation over seeds" if several else "Thin lines show 95 % intervals"
    mixed = several and any(len(one.runs) == 1 for one in variants)
    return Figure(
        name="redundancy",
        title="Figure 2: what is said although it tells nothing apart",
        caption=(
            "How often each feature is spoken of where target and distractor share it, of captions with relevance "
            f"below 1. {bars}{', of one seed the 95 % interval' if mixed else ''}."
        ),
        rows=(tuple(_category(variants, part) for part in CATEGORIES),),
        width=WIDE,
        is_titled=True,
    )


def _category(variants: Sequence[Group[Speaker]], part: str) -> Chart:
    series = []
    for place, one in enumerate(variants):
        found = [measure_group(one, part, metric) for metric in REDUNDANT]
        series.append(
            Series(
                label=name_seeds(one.label, one.runs),
                values=tuple(None if value is None else value.mean for value in found),
                intervals=tuple(None if value is None else (value.ends[0], min(value.ends[1], 1.0)) for value in found),
                color=role_of(place),
            )
        )
    axis = Axis(label="share of captions that say it", low=0, high=1)
    return Chart(name="redundancy-part", title=part, marks="columns", labels=LABELS, series=tuple(series), axis=axis)


def _curves(name: str, title: str, variants: Sequence[Group[Speaker]], order: Mapping[str, int]) -> list[Figure]:
    """The curves of some variants, each in the colour of its place; none where nothing was logged."""
    seen = {
        metric for one in variants for speaker in one.runs for at in speaker.run.evaluations for metric in at.values
    }
    charts = [_panel(name, metric, variants, order) for metric in PANELS if metric in seen]
    if not charts:
        return []
    drifts = " The further a language drifts, the lower the last three." if "structural" in seen else ""
    figure = Figure(
        name=name,
        title=title,
        caption=f"On validation images, against steps; a line for every seed.{drifts}",
        rows=tuple(tuple(charts[k : k + PANELS_PER_ROW]) for k in range(0, len(charts), PANELS_PER_ROW)),
        width=WIDE,
        row_height=1.6,
        is_titled=True,
    )
    return [figure]


def _panel(name: str, metric: str, variants: Sequence[Group[Speaker]], order: Mapping[str, int]) -> Chart:
    title, axis = PANELS[metric]
    lines = [
        line_of(name_seeds(one.label, one.runs), order[one.label], metric_points(speaker.run.evaluations, metric))
        for one in variants
        for speaker in one.runs
    ]
    below = Axis(label="steps", unit="count", low=0)
    return Chart(name=f"{name}-{metric}", title=title, marks="lines", series=tuple(lines), axis=axis, below=below)
