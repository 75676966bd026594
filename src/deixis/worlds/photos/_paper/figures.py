"""Figures 3 and 4 of the Cops-Ref paper, accuracy by logic form and by length, and training curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.report._curves import line_of, loss_points, metric_points
from deixis.report._palette import MAX_DATASETS, role_of
from deixis.report.chart import WIDE, Axis, Chart, Figure, Series
from deixis.worlds.photos._paper.runs import measure_parts
from deixis.worlds.photos.localise import FORMS, LENGTHS


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.report._results.cells import Measurement
    from deixis.report._results.groups import Group
    from deixis.report._runs import Run
    from deixis.worlds.photos._paper.report import Comparison


SHOWN = ("grounder", "mattnet", "cm-att-erase", "mattnet-mine", "tree")  # by part; all others are in the files
RETRIEVER = "SCAN"


def results_figures(results: Comparison) -> list[Figure]:
    """Return the figures that there is something to show in."""
    order = [*(group.label for group in results.groups), RETRIEVER]
    shown = [group for group in results.groups if group.key in SHOWN and not group.differs] or list(results.groups)
    forms = _parts(shown, "form", FORMS)
    lengths = _parts(shown, "length", LENGTHS)
    runs: dict[str, Sequence[Run]] = {group.label: group.runs for group in results.groups}
    runs[RETRIEVER] = results.retrievers
    logged = {
        label: some
        for label, group in runs.items()
        if (some := [run for run in group if run.losses or run.evaluations])
    }
    found = []
    if forms:
        found.append(_by_part("forms", "Figure 3: accuracy in Full by logic form", "logic form", forms, order))
    if lengths:
        title = "Figure 4: accuracy in Full by length"
        found.append(_by_part("lengths", title, "length of the expression", lengths, order))
    if logged:
        found.append(_curves(logged, order))
    return found


def _parts(groups: Sequence[Group[Run]], by: str, known: Sequence[str]) -> dict[str, dict[str, Measurement]]:
    found = {group.label: measure_parts(group, by) for group in groups}
    kept = {label: {name: parts[name] for name in known if name in parts} for label, parts in found.items()}
    return {label: parts for label, parts in kept.items() if parts}


def _by_part(
    name: str, title: str, below: str, parts: Mapping[str, Mapping[str, Measurement]], order: Sequence[str]
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
                intervals=tuple(None if one is None else (one.ends[0] / 100, one.ends[1] / 100) for one in measures),
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


def _curves(runs: Mapping[str, Sequence[Run]], order: Sequence[str]) -> Figure:
    every = [(label, order.index(label), run) for label, group in runs.items() for run in group]
    losses = [line_of(label, place, loss_points(run.losses)) for label, place, run in every]
    accuracies = [
        line_of(label, place, metric_points(run.evaluations, "Full"), ring=run.best_step) for label, place, run in every
    ]
    below = Axis(label="steps", unit="count", low=0)
    panels = (
        ("Loss", losses, Axis(label="loss", unit="value", is_log=True)),
        ("Accuracy on val in Full", accuracies, Axis()),
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
