"""Charts, and figures of them as SVG that follows the theme of the page; the same numbers give the same bytes."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.errors import DeixisError
from deixis.report.markup import percent, text


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deixis.report.markup import Themes


__all__ = [
    "DARKER",
    "DATASETS",
    "INK",
    "PATTERN_COLORS",
    "STYLE",
    "Chart",
    "dataset_colors",
    "draw_chart",
    "matplotlib_here",
    "paint_chart",
    "pattern_words",
    "settle",
]

Form: TypeAlias = Literal["columns", "lines", "bars", "stacked", "compass"]
WIDTH, HEIGHT = 6.0, 3.2  # inches of 72 pixels: 432 pixels wide, about a telephone's page
INK, SOFT, LINE = "#1F2430", "#59627A", "#D5DAE3"
# Told apart with any colour vision: Okabe and Ito's blue, orange, green, purple, vermilion and sky, darker on white and
# lighter on black.
SERIES = ("#0067A6", "#C77700", "#00805C", "#A8467F", "#B84700", "#3387B8")
DARKER = {
    INK: "#E8EBF2",
    SOFT: "#AEB7C9",
    LINE: "#363D4C",
    SERIES[0]: "#56A8E8",
    SERIES[1]: "#F2AE3D",
    SERIES[2]: "#36C99B",
    SERIES[3]: "#E08CC0",
    SERIES[4]: "#FF8A4F",
    SERIES[5]: "#8FD0F5",
}
DATASETS = SERIES  # of datasets that are compared, in their order
MODES = {"released": "#8A93A6", "compatible": SERIES[0], "corrected": SERIES[1], "every-word": SERIES[2]}  # as on pages
DARKER |= {MODES["released"]: "#9AA4B8"}
MARKERS = "osD^vP"
PATTERN_COLORS = {"p1": SERIES[0], "p2": SERIES[1], "p3": SERIES[2], "p4": SERIES[3], "chain": SERIES[4]}
STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": LINE,
    "axes.labelcolor": SOFT,
    "axes.labelsize": 10,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "grid.color": LINE,
    "grid.linewidth": 0.8,
    "hatch.linewidth": 0.8,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "text.parse_math": False,
    "text.color": INK,
    "xtick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.color": SOFT,
    "ytick.labelcolor": INK,
}
WORDS = {
    "p1": "no clause",
    "p2": "one clause",
    "p3": "two clauses",
    "p4": "three clauses",
    "chain": "clause in a clause",
}


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One figure.

    Attributes:
        name: its anchor.
        title: what it shows.
        caption: what to see in it, in one sentence; empty for a panel of a larger figure.
        form: columns side by side, lines, horizontal bars, stacked horizontal bars, or the nine fields of a compass.
        axis: what the numbers are.
        labels: the categories.
        series: for each name one number per category.
        is_share: whether the numbers are shares of a whole, shown in percent.
        colored: what the colours of the series mean: the patterns, whose colours are the same in all figures, the
            datasets that are compared, or nothing beyond this figure.
        outlines: numbers to compare with, drawn as outlines around the columns of a series, or, under the empty name,
            around all columns of a category; None where there is none.
        empty: what to say where there is nothing to show.
        below: what the categories are.
    """

    name: str
    title: str
    caption: str = ""
    form: Form
    axis: str
    labels: tuple[str, ...]
    series: Mapping[str, tuple[float, ...]]
    is_share: bool = True
    colored: Literal["patterns", "series", "datasets"] = "series"
    outlines: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    empty: str = ""
    below: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show, and something to say instead."""
        return bool(self.empty) and not any(any(values) for values in self.series.values())


def pattern_words(name: str) -> str:
    """A pattern in words, where it has some."""
    return f"{name}: {WORDS[name]}" if name in WORDS else name


def draw_chart(chart: Chart, themes: Themes) -> str:
    """The chart as an SVG element for a page, with its title and caption for screen readers.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    matplotlib = matplotlib_here()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": chart.name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the browser may have what matplotlib's font lacks
        height = max(HEIGHT, 1.1 + 0.27 * len(chart.labels)) if chart.form in ("bars", "stacked") else HEIGHT
        figure = matplotlib.figure.Figure(figsize=(WIDTH, height), layout="constrained")
        figure.patch.set_alpha(0)
        axes = figure.add_subplot()
        axes.patch.set_alpha(0)
        paint_chart(chart, axes)
        _legend(chart, axes)
        settle(figure)
        stream = StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(stream, format="svg", metadata=nothing)
    return themes.paint(_for_page(stream.getvalue(), chart), DARKER)


def paint_chart(chart: Chart, axes: Any) -> None:
    """Draw a chart into the axes of a figure, without a legend."""
    if chart.is_empty:
        axes.text(0.5, 0.5, chart.empty, ha="center", va="center", color=SOFT, transform=axes.transAxes)
        axes.set_axis_off()
        return
    _FORMS[chart.form](chart, axes)


def settle(figure: Any) -> None:
    """Fix where things stand, in round numbers: the last digits of the layout differ from run to run."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for strip in figure.subfigs:
        box = strip.bbox_relative
        box.p0, box.p1 = ([round(float(edge), 4) for edge in corner] for corner in (box.p0, box.p1))
    for axes in figure.get_axes():
        axes.set_position([round(float(edge), 4) for edge in axes.get_position().bounds])


def matplotlib_here() -> Any:
    """The module matplotlib with its figures.

    Raises:
        DeixisError: when it is not installed.
    """
    try:
        import matplotlib as mpl
        import matplotlib.figure
    except ImportError as error:
        raise DeixisError("figures need matplotlib; install it with: pip install 'deixis[report]'") from error
    return mpl


def _for_page(svg: str, chart: Chart) -> str:
    """Only the drawing: no prolog, no metadata, ids of its own, and the fonts of the page."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\sxmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{chart.name}-', svg)
    svg = svg.replace('href="#', f'href="#{chart.name}-').replace("url(#", f"url(#{chart.name}-")
    svg = re.sub(r"font: (bold|\d+) ([\d.]+)px [^;\"]*", r"font-weight: \1; font-size: \2px", svg)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    svg = re.sub(r"font-family: [^;\"]*(?:; )?", "", svg)
    svg = re.sub(r'^<svg [^>]*?viewBox="([^"]*)"[^>]*>', rf'<svg class="chart" viewBox="\1" {_label(chart)}>', svg)
    return svg.strip()


def _label(chart: Chart) -> str:
    return f'role="img" aria-label="{text(f"{chart.title}. {chart.caption}")}"'


def _color(chart: Chart, number: int, name: str) -> str:
    if chart.colored == "patterns" and name in PATTERN_COLORS:
        return PATTERN_COLORS[name]
    if chart.colored == "datasets":
        return dataset_colors(tuple(chart.series))[number]
    return SERIES[-1] if chart.colored == "patterns" else SERIES[number % len(SERIES)]


def dataset_colors(names: Sequence[str]) -> list[str]:
    """A colour for each dataset: modes of making have the same in all figures, others in the order of the names."""
    if any(name in MODES for name in names):
        free = [color for color in DATASETS if color not in {MODES.get(name) for name in names}]
        return [MODES[name] if name in MODES else free.pop(0) for name in names]
    return [DATASETS[place % len(DATASETS)] for place in range(len(names))]


def _columns(chart: Chart, axes: Any) -> None:
    width = 0.82 / max(len(chart.series), 1)
    for number, (name, values) in enumerate(chart.series.items()):
        at = [place - 0.41 + width * (number + 0.5) for place in range(len(values))]
        rim = {"edgecolor": INK, "linewidth": 0.4} if chart.colored == "datasets" else {}
        filled = 0.66 if chart.outlines.get(name) else 0.92  # so that an outline has room around a column
        axes.bar(at, values, width * filled, color=_color(chart, number, name), label=name, **rim)
        _outline(chart.outlines.get(name, ()), at, width * 0.92, axes)
    _outline(chart.outlines.get("", ()), range(len(chart.labels)), 0.92, axes)
    every = 1 if len(chart.labels) <= 12 else 2
    axes.set_xticks(range(0, len(chart.labels), every), chart.labels[::every])
    axes.tick_params(length=0)
    axes.grid(axis="y")
    _in_units(chart, axes.yaxis)
    axes.set_ylabel(chart.axis)
    axes.set_xlabel(chart.below)


def _outline(values: Iterable[float | None], at: Iterable[float], width: float, axes: Any) -> None:
    """Empty columns for what is compared with, legible over any colour."""
    from matplotlib.patheffects import Normal, Stroke

    effects = [Stroke(linewidth=1.3, foreground="white"), Normal()]
    for place, value in zip(at, values, strict=False):
        if value:
            axes.bar(place, value, width, fill=False, edgecolor=INK, linewidth=0.6, path_effects=effects, zorder=3)


def _lines(chart: Chart, axes: Any) -> None:
    for number, (name, values) in enumerate(chart.series.items()):
        color, mark = _color(chart, number, name), MARKERS[number % len(MARKERS)]
        axes.plot(range(len(values)), values, color=color, label=name, linewidth=1.8, marker=mark, markersize=5)
    every = 1 if len(chart.labels) <= 20 else 5
    axes.set_xticks(range(0, len(chart.labels), every), chart.labels[::every])
    axes.set_ylim(bottom=0)
    axes.tick_params(length=0)
    axes.grid(axis="y")
    _in_units(chart, axes.yaxis)
    axes.set_ylabel(chart.axis)


def _bars(chart: Chart, axes: Any) -> None:
    (values,) = chart.series.values()
    places, most = range(len(values)), max(values, default=1)
    axes.barh(places, values, 0.68, color=SERIES[0])
    for place, value in zip(places, values, strict=True):
        axes.text(value + 0.012 * most, place, percent(value), va="center", ha="left", color=INK)
    _lying(chart, axes, most)
    axes.locator_params(axis="x", nbins=6)
    _in_units(chart, axes.xaxis)


def _stacked(chart: Chart, axes: Any) -> None:
    places = range(len(chart.labels))
    left = [0.0] * len(chart.labels)
    for number, (name, values) in enumerate(chart.series.items()):
        axes.barh(places, values, 0.72, left=left, color=_color(chart, number, name), label=name)
        left = [before + here for before, here in zip(left, values, strict=True)]
    most = max(left, default=1)
    for place, value in zip(places, left, strict=True):
        axes.text(value + 0.012 * most, place, f"{value:,.0f}", va="center", ha="left", color=INK)
    _lying(chart, axes, most)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.locator_params(axis="x", nbins=5)


def _lying(chart: Chart, axes: Any, longest: float) -> None:
    """The axes of horizontal bars, the first on top, with room for the number after the longest."""
    axes.set_yticks(range(len(chart.labels)), chart.labels)
    axes.invert_yaxis()
    axes.set_xlim(0, longest * 1.16 or 1)
    axes.tick_params(length=0)
    axes.grid(axis="x")
    axes.set_xlabel(chart.axis)


def _compass(chart: Chart, axes: Any) -> None:
    (values,) = chart.series.values()
    places = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, 0))
    most = max(values, default=0) or 1
    for (right, down), label, value in zip(places, chart.labels, values, strict=True):
        corner = (right - 0.47, down - 0.46)
        axes.add_patch(_tile(corner, color=SERIES[0], alpha=0.08 + 0.3 * value / most))
        axes.text(right, down - 0.1, percent(value), ha="center", va="center", fontsize=12, fontweight="bold")
        axes.text(right, down + 0.22, "agent" if label == "here" else label, ha="center", va="center")
    axes.set_xlim(-1.5, 1.5)
    axes.set_ylim(1.5, -1.5)
    axes.set_axis_off()


def _tile(corner: tuple[float, float], *, color: str, alpha: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 0.94, 0.92, facecolor=color, alpha=alpha, linewidth=0)


def _in_units(chart: Chart, axis: Any) -> None:
    if chart.is_share:
        axis.set_major_formatter(lambda value, _: f"{round(100 * value, 3):g} %")
    else:
        axis.set_major_formatter(lambda value, _: _briefly(value))


def _briefly(value: float) -> str:
    """A round number in few letters: 20k, 1.5M."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def _legend(chart: Chart, axes: Any) -> None:
    if len(chart.series) > 1:
        figure = axes.get_figure()
        figure.legend(loc="outside upper left", ncols=len(chart.series), handlelength=1, columnspacing=1.2)


_FORMS = {"columns": _columns, "lines": _lines, "bars": _bars, "stacked": _stacked, "compass": _compass}
