"""Figures 3 and 4 of the Cops-Ref paper, accuracy by logic form and by length, and training curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.report.chart import WIDE, Axis, Chart, Figure, Series
from deixis.report.curves import line_of, loss_points, metric_points
from deixis.report.palette import MAX_DATASETS, role_of
from deixis.worlds.photos.localise import FORMS, LENGTHS
from deixis.worlds.photos.paper.tables import parts_of


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.worlds.photos.paper.runs import Trial
    from deixis.worlds.photos.paper.tables import Group, Measure, Results


__all__ = ["results_figures"]

SHOWN = ("grounder", "mattnet", "cm-att-erase", "mattnet-mine", "tree")  # by part; all others are in the files
RETRIEVER = "SCAN"


def results_figures(results: Results) -> list[Figure]:
    """The figures that there is something to show in."""
    order = [*(group.label for group in results.groups), RETRIEVER]
    shown = [group for group in results.groups if group.key in SHOWN and not group.varies] or list(results.groups)
    forms = _parts(shown, "forms", FORMS)
    lengths = _parts(shown, "lengths", LENGTHS)
    runs: dict[str, Sequence[Trial]] = {group.label: group.trials for group in results.groups}
    runs[RETRIEVER] = results.retrievers
    logged = {label: some for label, trials in runs.items() if (some := [t for t in trials if t.steps or t.looks])}
    found = []
    if forms:
        found.append(_by_part("forms", "Figure 3: accuracy in Full by logic form", "logic form", forms, order))
    if lengths:
        title = "Figure 4: accuracy in Full by length"
        found.append(_by_part("lengths", title, "length of the expression", lengths, order))
    if logged:
        found.append(_curves(logged, order))
    return found


def _parts(groups: Sequence[Group], by: str, known: Sequence[str]) -> dict[str, dict[str, Measure]]:
    found = {group.label: parts_of(group, by) for group in groups}
    kept = {label: {name: parts[name] for name in known if name in parts} for label, parts in found.items()}
    return {label: parts for label, parts in kept.items() if parts}


def _by_part(
    name: str, title: str, below: str, parts: Mapping[str, Mapping[str, Measure]], order: Sequence[str]
) -> Figure:
    known = FORMS if name == "forms" else LENGTHS
    labels = tuple(part for part in known if any(part in one for one in parts.values()))
    series = []
    for label, found in parts.items():
        place = order.index(label)
        measures = [found.get(part) for part in labels]
        series.append(
            Series(
                label=label,
                values=tuple(None if one is None else one.mean / 100 for one in measures),
                intervals=tuple(None if one is None else _interval(one) for one in measures),
                color=role_of(place),
                dash=place // MAX_DATASETS,
            )
        )
    chart = Chart(
        name=f"{name}-chart",
        title=title,
        marks="lines",
        labels=labels,
        series=tuple(series),
        axis=Axis(label="accuracy"),
        below=Axis(label=below),
    )
    caption = (
        f"Accuracy among all distractors by {below}. Bars are the standard deviation over seeds, or the 95 % interval "
        "where there is one seed. The lines only guide the eye."
    )
    return Figure(name=name, title=title, caption=caption, rows=((chart,),), width=WIDE, row_height=2.6, is_titled=True)


def _interval(found: Measure) -> tuple[float, float]:
    """The ends of the bar of a measure: its deviation over seeds, or its interval."""
    reach = found.deviation
    low, high = (found.low, found.high) if reach is None else (found.mean - reach, found.mean + reach)
    return low / 100, high / 100


def _curves(runs: Mapping[str, Sequence[Trial]], order: Sequence[str]) -> Figure:
    every = [(label, order.index(label), trial) for label, trials in runs.items() for trial in trials]
    losses = [line_of(label, place, loss_points(trial.steps)) for label, place, trial in every]
    looks = [
        line_of(label, place, metric_points(trial.looks, "Full"), ring=trial.best_update)
        for label, place, trial in every
    ]
    below = Axis(label="steps", unit="count", low=0)
    panels = (
        ("Loss", losses, Axis(label="loss", unit="value", is_log=True)),
        ("Accuracy on val in Full", looks, Axis()),
    )
    caption = (
        "Left the loss, which is not comparable between models; right the share of right choices on val among all "
        "distractors, for SCAN that of right images. A ring marks the selected checkpoint."
    )
    charts = tuple(
        Chart(name=f"curves-{k}", title=title, marks="lines", series=tuple(lines), axis=axis, below=below)
        for k, (title, lines, axis) in enumerate(panels)
    )
    title = "Loss, and accuracy on val"
    return Figure(
        name="curves", title=title, caption=caption, rows=(charts,), width=WIDE, row_height=2.6, is_titled=True
    )
