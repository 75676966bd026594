"""Training curves: the loss and what is measured on dev, against updates and against examples seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deixis.report.drawings import DASHES, Drawing, color_of, draw_file, drawing_markup, legend_columns
from deixis.report.figures import SERIES
from deixis.report.runs import Step


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.report.markup import Themes
    from deixis.report.runs import Logged
    from deixis.report.sheets import Format


__all__ = ["Curves", "curves_markup", "draw_curves", "thinned"]

SIZE = (9.0, 5.6)  # inches
MOST_POINTS = 400  # of a line; more are averaged, so that a long run is no thicket
CROWDED = 500  # a logarithmic axis that spans more has room for powers of ten only


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Runs to be drawn together.

    Attributes:
        name: of the files, and of the ids in a page.
        title: what the runs have in common.
        runs: by the label of their column; those of one label are of one colour.
        metric, called: what was measured on dev, by its name in logs and in words.
        order: all labels, so that one has the same colour in several figures.
    """

    name: str
    title: str
    runs: Mapping[str, Sequence[Logged]]
    metric: str = "exact"
    called: str = "exact match"
    order: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was logged by any run."""
        return not any(run.steps or run.looks for runs in self.runs.values() for run in runs)

    @property
    def caption(self) -> str:
        """What is to be seen."""
        return (
            "Left against steps, right against examples seen. Above the loss on a logarithmic scale, below the "
            f"{self.called} on in-distribution dev; a ring is the checkpoint that was chosen.{self._averaged()}"
        )

    def _averaged(self) -> str:
        long = max((len(run.steps) for runs in self.runs.values() for run in runs), default=0)
        return f" Each point of a loss is the mean of {-(-long // MOST_POINTS)} logged." if long > MOST_POINTS else ""


def draw_curves(curves: Curves, form: Format) -> bytes:
    """The curves as a file: PNG on white, or SVG that is light or dark as the screen of the reader.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    return draw_file(_drawing(curves), form)


def curves_markup(curves: Curves, themes: Themes) -> str:
    """The curves as a figure of a page, in the colours of its theme.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    return drawing_markup(_drawing(curves), themes)


def _drawing(curves: Curves) -> Drawing:
    def paint(figure: Any, matplotlib: Any, title: str) -> None:
        _paint(curves, figure, matplotlib)
        if title:
            figure.axes[0].set_title(title, loc="left")

    return Drawing(name=curves.name, title=curves.title, caption=curves.caption, size=SIZE, paint=paint)


def _paint(curves: Curves, figure: Any, matplotlib: Any) -> None:
    panels = figure.subplots(2, 2, sharex="col", sharey="row")
    entries = []
    order = list(dict.fromkeys((*curves.order, *curves.runs)))
    for label, runs in curves.runs.items():
        number = order.index(label)
        look = {"color": color_of(number)[0], "linestyle": DASHES[number // len(SERIES) % len(DASHES)]}
        for run in runs:
            for column, scale in enumerate((1, run.batch or 1)):
                _lines(panels[:, column], run, scale, look, curves.metric)
        seeds = f" ({len(runs)} seeds)" if len(runs) > 1 else ""
        entries.append(matplotlib.lines.Line2D([], [], linewidth=2, label=label + seeds, **look))
    _furnish(panels, matplotlib, f"{curves.called} on dev")
    columns = legend_columns([entry.get_label() for entry in entries])
    figure.legend(handles=entries, loc="outside upper left", ncols=columns, handlelength=1.6, borderaxespad=0.2)


def _lines(panels: Any, run: Logged, scale: int, look: dict[str, str], metric: str) -> None:
    """The loss above and the metric below; a run that logged neither leaves both as they are."""
    steps = thinned([step for step in run.steps if step.loss > 0])  # the scale is logarithmic
    panels[0].plot([step.update * scale for step in steps], [step.loss for step in steps], linewidth=1.0, **look)
    seen = [(at.update, at.values[metric]) for at in run.looks if metric in at.values]
    panels[1].plot([update * scale for update, _ in seen], [value for _, value in seen], linewidth=1.5, **look)
    for update, value in seen:
        if update == run.best_update:
            ring = {"marker": "o", "markersize": 7, "markerfacecolor": "none", "markeredgewidth": 1.6}
            panels[1].plot(update * scale, value, color=look["color"], clip_on=False, **ring)


def _furnish(panels: Any, matplotlib: Any, below: str) -> None:
    for row, name in enumerate(("loss", below)):
        panels[row, 0].set_ylabel(name)
    for column, name in enumerate(("steps", "examples seen, on a logarithmic scale")):
        panels[1, column].set_xlabel(name)
    panels[1, 0].set_xlim(left=0)
    panels[1, 0].set_ylim(0, 1)
    _logarithmic(panels[0, 0].yaxis, [value for line in panels[0, 0].lines for value in line.get_ydata()], matplotlib)
    seen = [value for axes in panels[:, 1] for line in axes.lines for value in line.get_xdata()]
    _logarithmic(panels[1, 1].xaxis, seen, matplotlib)
    panels[0, 0].yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    panels[1, 0].yaxis.set_major_formatter(lambda value, _: f"{round(100 * value, 3):g} %")
    for axes in panels[1]:
        axes.xaxis.set_major_formatter(matplotlib.ticker.EngFormatter(sep=""))
    for axes in panels.flat:
        axes.patch.set_alpha(0)
        axes.tick_params(which="both", length=0)
        axes.grid(axis="y")


def _logarithmic(axis: Any, values: Sequence[float], matplotlib: Any) -> None:
    """Make an axis logarithmic, with as many ticks as there is room for; where nothing is above 0 it stays as it is."""
    above = [value for value in values if value > 0]
    if above:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        between = (1, 2, 5) if max(above) < CROWDED * min(above) else (1,)
        axis.set_major_locator(matplotlib.ticker.LogLocator(subs=between))
        axis.set_minor_locator(matplotlib.ticker.NullLocator())


def thinned(steps: Sequence[Step]) -> list[Step]:
    """At most so many points: each the mean of as many neighbours, at the last of them."""
    size = -(-len(steps) // MOST_POINTS) or 1
    groups = [steps[start : start + size] for start in range(0, len(steps), size)]
    return [Step(group[-1].update, sum(step.loss for step in group) / len(group)) for group in groups]
