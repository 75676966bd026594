"""Training curves: the loss and a metric on dev, against steps and against examples seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.report._palette import MAX_DATASETS, role_of
from deixis.report.chart import MAX_POINTS, WIDE, Axis, Chart, Figure, Series, thin_points


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.report._runs import Evaluation, Loss, Run


ROW_HEIGHT = 1.9  # inches


def training_curves(
    runs: Mapping[str, Sequence[Run]],
    *,
    name: str,
    title: str,
    metric: str = "exact",
    called: str = "exact match",
    order: Iterable[str] = (),
) -> Figure:
    """The curves of runs in one figure.

    Args:
        runs: by their label; those of one label have one colour.
        name: of the files, and the anchor in a page.
        title: what the runs have in common.
        metric: what was measured on dev, by its name in logs.
        called: the same in words.
        order: all labels, so that one has the same colour in several figures.
    """
    places = {label: place for place, label in enumerate(dict.fromkeys((*order, *runs)))}
    longest = max((len(run.losses) for some in runs.values() for run in some), default=0)
    averaged = (
        f" Each point of a loss is the mean of {-(-longest // MAX_POINTS)} logged." if longest > MAX_POINTS else ""
    )
    every = [(label, name_seeds(label, some), run) for label, some in runs.items() for run in some]
    losses = [(label, shown, run, loss_points(run.losses)) for label, shown, run in every]
    metrics = [(label, shown, run, metric_points(run.evaluations, metric)) for label, shown, run in every]
    rows = []
    for row, (lines, axis) in enumerate(
        (
            (losses, Axis(label="loss", unit="value", is_log=True)),
            (metrics, Axis(label=f"{called} on dev", low=0, high=1)),
        )
    ):
        by_steps = [
            line_of(shown, places[label], points, ring=run.best_step if row else None)
            for label, shown, run, points in lines
        ]
        by_examples = [
            line_of(
                shown,
                places[label],
                [(at * (run.batch_size or 1), value) for at, value in points],
                ring=run.best_step * (run.batch_size or 1) if row and run.best_step is not None else None,
            )
            for label, shown, run, points in lines
        ]
        below = Axis(label="steps", unit="count", low=0), Axis(label="examples seen", unit="count", is_log=True)
        rows.append(
            tuple(
                Chart(name=f"{name}-{row}", title="", marks="lines", series=tuple(series), axis=axis, below=along)
                for series, along in zip((by_steps, by_examples), below, strict=True)
            )
        )
    return Figure(
        name=name,
        title=title,
        caption="Left against steps, right against examples seen. Above the loss on a logarithmic scale, "
        f"below the {called} on in-distribution dev; a ring is the checkpoint that was chosen.{averaged}",
        rows=tuple(rows),
        width=WIDE,
        row_height=ROW_HEIGHT,
        is_titled=True,
    )


def line_of(label: str, place: int, points: Sequence[tuple[float, float]], *, ring: float | None = None) -> Series:
    """A line in the colour and dash pattern of the label at this place."""
    return Series(
        label=label,
        values=tuple(value for _, value in points),
        places=tuple(at for at, _ in points),
        color=role_of(place),
        dash=place // MAX_DATASETS,
        ring=ring,
    )


def name_seeds(label: str, runs: Sequence[object]) -> str:
    """A label with the number of its runs, where there are several."""
    return f"{label} ({len(runs)} seeds)" if len(runs) > 1 else label


def loss_points(losses: Iterable[Loss]) -> list[tuple[float, float]]:
    """The loss by step, above 0 and thinned, for a logarithmic axis."""
    return thin_points([(one.step, one.loss) for one in losses if one.loss > 0])


def metric_points(evaluations: Iterable[Evaluation], metric: str) -> list[tuple[float, float]]:
    """A metric by step, where it was measured."""
    return [(one.step, one.values[metric]) for one in evaluations if metric in one.values]
