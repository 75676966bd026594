"""Training curves: the loss and the exact match on dev, against updates and against examples seen."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from deixis.reports.figures import DARKER, SERIES, STYLE, matplotlib_here, settle
from deixis.reports.markup import Themes, element, text
from deixis.reports.runs import Step


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.reports.runs import Run
    from deixis.reports.sheets import Format


__all__ = ["Curves", "color_of", "curves_markup", "draw_curves"]

WIDTH, HEIGHT = 9.0, 5.6  # inches
MOST_POINTS = 400  # of a line; more are averaged, so that a long run is no thicket
ROOM = 120  # letters of a line of the legend
CROWDED = 500  # a logarithmic axis that spans more has room for powers of ten only
DASHES = ("-", "--", ":", "-.")
STANDING = STYLE | {
    "axes.labelsize": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlepad": 8,
    "font.size": 9.5,
    "legend.fontsize": 9.5,
    "savefig.dpi": 200,
}


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Runs to be drawn together.

    Attributes:
        name: of the files, and of the ids in a page.
        title: what the runs have in common.
        runs: by the label of their column; those of one label are of one colour.
        order: all labels, so that one has the same colour in several figures.
    """

    name: str
    title: str
    runs: Mapping[str, Sequence[Run]]
    order: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was logged by any run."""
        return not any(run.steps or run.looks for runs in self.runs.values() for run in runs)

    @property
    def caption(self) -> str:
        """What is to be seen."""
        return (
            "Left against updates, right against examples seen. Above the loss on a logarithmic scale, below the exact "
            f"match on in-distribution dev; a ring is the checkpoint that was chosen.{self._averaged()}"
        )

    def _averaged(self) -> str:
        long = max((len(run.steps) for runs in self.runs.values() for run in runs), default=0)
        return f" Each point of a loss is the mean of {-(-long // MOST_POINTS)} logged." if long > MOST_POINTS else ""


def draw_curves(curves: Curves, form: Format) -> bytes:
    """The curves as a file: PNG on white, or SVG that is light or dark as the screen of the reader.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    if form == "png":
        return _drawn(curves, "png")
    themes = Themes()
    drawing = themes.paint(_drawing(curves, is_titled=True), DARKER)
    back = f'<rect width="100%" height="100%" style="fill:{themes.name("#FFFFFF", "#161A23")}"/>'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {_box(drawing)}'
    names = element("title", text(curves.title)) + element("desc", text(curves.caption))
    inner = drawing[drawing.index(">") + 1 :]
    return f'{opening} role="img">\n{names}\n{element("style", themes.rules())}\n{back}\n{inner}\n'.encode()


def curves_markup(curves: Curves, themes: Themes) -> str:
    """The curves as a figure of a page, in the colours of its theme.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    drawing = themes.paint(_drawing(curves, is_titled=False), DARKER)
    drawing = re.sub(r'\bid="', f'id="{curves.name}-', drawing).replace("xlink:href", "href")
    drawing = drawing.replace('href="#', f'href="#{curves.name}-').replace("url(#", f"url(#{curves.name}-")
    label = text(f"{curves.title}. {curves.caption}")
    opening = f'<svg class="chart" {_box(drawing)} role="img" aria-label="{label}">'
    figure = opening + drawing[drawing.index(">") + 1 :]
    caption = element("figcaption", text(curves.caption))
    return element("figure", element("h3", text(curves.title)) + figure + caption, class_="curves")


def color_of(number: int) -> tuple[str, str]:
    """The colour of the column with this number, on a light and on a dark page."""
    color = SERIES[number % len(SERIES)]
    return color, DARKER[color]


def _drawing(curves: Curves, *, is_titled: bool) -> str:
    """An SVG element without prolog and metadata."""
    svg = _drawn(curves, "svg", is_titled=is_titled).decode()
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL).strip()


def _box(drawing: str) -> str:
    found = re.search(r'viewBox="[^"]*"', drawing)
    return found.group() if found else ""


def _drawn(curves: Curves, form: Format, *, is_titled: bool = True) -> bytes:
    matplotlib = matplotlib_here()
    options = {**STANDING, "svg.hashsalt": curves.name, "svg.fonttype": "path"}
    with matplotlib.rc_context(options), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the name of a run may have signs that no font has
        figure = matplotlib.figure.Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08, hspace=0.06, wspace=0.03)
        figure.patch.set_alpha(1 if form == "png" else 0)
        _paint(curves, figure, matplotlib)
        if is_titled:
            figure.axes[0].set_title(curves.title, loc="left")
        settle(figure)
        stream = BytesIO()
        nothing = {"png": ("Software",), "svg": ("Date", "Creator", "Format", "Type")}[form]
        figure.savefig(stream, format=form, metadata=dict.fromkeys(nothing))
    return stream.getvalue()


def _paint(curves: Curves, figure: Any, matplotlib: Any) -> None:
    panels = figure.subplots(2, 2, sharex="col", sharey="row")
    entries = []
    order = list(dict.fromkeys((*curves.order, *curves.runs)))
    for label, runs in curves.runs.items():
        number = order.index(label)
        look = {"color": color_of(number)[0], "linestyle": DASHES[number // len(SERIES) % len(DASHES)]}
        for run in runs:
            for column, scale in enumerate((1, run.batch or 1)):
                _lines(panels[:, column], run, scale, look)
        seeds = f" ({len(runs)} seeds)" if len(runs) > 1 else ""
        entries.append(matplotlib.lines.Line2D([], [], linewidth=2, label=label + seeds, **look))
    _furnish(panels, matplotlib)
    columns = max(1, min(len(entries), ROOM // max(len(entry.get_label()) + 6 for entry in entries)))
    figure.legend(handles=entries, loc="outside upper left", ncols=columns, handlelength=1.6, borderaxespad=0.2)


def _lines(panels: Any, run: Run, scale: int, look: dict[str, str]) -> None:
    """The loss above and the exact match below; a run that logged neither leaves both as they are."""
    steps = _thinned([step for step in run.steps if step.loss > 0])  # the scale is logarithmic
    panels[0].plot([step.update * scale for step in steps], [step.loss for step in steps], linewidth=1.0, **look)
    panels[1].plot([at.update * scale for at in run.looks], [at.exact for at in run.looks], linewidth=1.5, **look)
    chosen = [at for at in run.looks if run.selection is not None and at.update == run.selection.best_update]
    for at in chosen:
        ring = {"marker": "o", "markersize": 7, "markerfacecolor": "none", "markeredgewidth": 1.6}
        panels[1].plot(at.update * scale, at.exact, color=look["color"], clip_on=False, **ring)


def _furnish(panels: Any, matplotlib: Any) -> None:
    for row, name in enumerate(("loss", "exact match on dev")):
        panels[row, 0].set_ylabel(name)
    for column, name in enumerate(("updates", "examples seen, on a logarithmic scale")):
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


def _thinned(steps: Sequence[Step]) -> list[Step]:
    """At most so many points: each the mean of as many neighbours, at the last of them."""
    size = -(-len(steps) // MOST_POINTS) or 1
    groups = [steps[start : start + size] for start in range(0, len(steps), size)]
    return [Step(group[-1].update, sum(step.loss for step in group) / len(group)) for group in groups]
