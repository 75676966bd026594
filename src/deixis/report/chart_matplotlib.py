"""Figures of charts as files by matplotlib: raster or vector, the same bytes every time.

SVG is for a light page, for a dark one, or follows the screen of the reader.
"""

from __future__ import annotations

import re
import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.errors import DeixisError
from deixis.report.chart import NARROW, Figure, LegendEntry, format_tick, format_value
from deixis.report.markup import Themes, element, text
from deixis.report.palette import DARK_OF, INK, LINE, PAPER, ROLES, SOFT


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.report.chart import Axis, Chart, Series


__all__ = [
    "DOTS_PER_INCH",
    "FORMATS",
    "Format",
    "Theme",
    "draw_chart",
    "draw_figure",
    "load_matplotlib",
]

Format: TypeAlias = Literal["png", "svg", "pdf"]
Theme: TypeAlias = Literal["light", "dark", "reader"]
FORMATS: tuple[Format, ...] = ("png", "svg")
DOTS_PER_INCH = 300
ROW, LEGEND_LINE = 1.42, 0.19  # inches
SINGLE_ROW, EMPTY_ROW = 2.0, 0.6  # a row that stands alone, one in which there is nothing
LETTERS_PER_INCH = 19  # of a legend; a title has fewer
EMPTY_SHARE = 0.45  # how wide an empty panel is, beside one that is not
MAX_LEGEND_LETTERS = 50
MAX_SIGNS = 30  # of a line; longer ones have none
CROWDED = 500  # a logarithmic axis that spans more has room for powers of ten only
MARKERS = {"d0": "o", "d1": "s", "d2": "D", "d3": "^", "d4": "v", "d5": "P"}
DASHES = ("-", "--", ":", "-.")
STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": LINE[0],
    "axes.labelcolor": SOFT[0],
    "axes.labelsize": 7,
    "axes.linewidth": 0.6,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlepad": 5,
    "axes.titlesize": 7.5,
    "axes.titleweight": "bold",
    "font.family": "DejaVu Sans",
    "font.size": 7,
    "grid.color": LINE[0],
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "savefig.dpi": DOTS_PER_INCH,
    "svg.fonttype": "path",  # looks the same wherever it is opened
    "text.color": INK[0],
    "text.parse_math": False,
    "xtick.color": SOFT[0],
    "xtick.labelcolor": INK[0],
    "xtick.labelsize": 6.6,
    "xtick.major.pad": 2,
    "ytick.color": SOFT[0],
    "ytick.labelcolor": INK[0],
    "ytick.labelsize": 6.6,
    "ytick.major.pad": 1.5,
}
NO_METADATA = {
    "pdf": ("CreationDate", "Creator", "Producer"),
    "png": ("Software",),
    "svg": ("Date", "Creator", "Format", "Type"),
}


def draw_figure(figure: Figure, form: Format, *, theme: Theme = "light") -> bytes:
    """A figure as a file.

    Args:
        figure: what to draw.
        form: PNG and PDF are drawn on white.
        theme: of SVG: light on white, dark on nothing, or as the screen of the reader.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    matplotlib = load_matplotlib()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": figure.name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a label may have characters that no font has
        canvas = _lay_out(figure, matplotlib)
        if form == "svg" and theme != "light":
            canvas.patch.set_alpha(0)
        stream = BytesIO()
        canvas.savefig(stream, format=form, metadata=dict.fromkeys(NO_METADATA[form]))
    return _finish_svg(stream.getvalue().decode(), figure, theme).encode() if form == "svg" else stream.getvalue()


def draw_chart(chart: Chart, form: Format, *, theme: Theme = "light", width: float = NARROW) -> bytes:
    """A single chart as a file.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    many = len(chart.labels) * max(len(chart.series), 1) if chart.marks == "bars" else len(chart.labels)
    height = 0.6 + 0.14 * many if chart.marks in ("bars", "stacks", "dots") else SINGLE_ROW
    figure = Figure(
        name=chart.name,
        title=chart.title,
        caption=chart.caption,
        rows=((chart,),),
        width=width,
        row_height=max(height, SINGLE_ROW),
    )
    return draw_figure(figure, form, theme=theme)


def load_matplotlib() -> Any:
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


# ------------------------------------------------------------------------------------------------------------- layout


def _lay_out(figure: Figure, matplotlib: Any) -> Any:
    """The panels in rows below the legend, at places in round numbers."""
    lines = _legend_lines(figure, matplotlib)
    usual = figure.row_height or (ROW if len(figure.rows) > 1 else SINGLE_ROW)
    empty = [all(chart.is_empty for chart in charts) for charts in figure.rows]
    head = LEGEND_LINE * (len(lines) + figure.is_titled) + 0.06
    heights = [head, *(EMPTY_ROW if nothing else usual for nothing in empty)]
    canvas = matplotlib.figure.Figure(figsize=(figure.width, sum(heights)), layout="constrained")
    canvas.get_layout_engine().set(h_pad=0.025, w_pad=0.03, hspace=0, wspace=0.01)
    top, *strips = canvas.subfigures(len(heights), 1, height_ratios=heights)
    if figure.is_titled:
        top.text(0.01, 1 - 0.02 / head, figure.title, va="top", fontsize=8.5, fontweight="bold")
    for number, line in enumerate(lines, start=figure.is_titled):
        labels = [entry.get_label() for entry in line]
        place = {"loc": "upper left", "bbox_to_anchor": (0.01, 1 - number * LEGEND_LINE / head), "borderpad": 0.3}
        gaps = {"handlelength": 1.6, "handleheight": 0.75, "handletextpad": 0.5, "columnspacing": 1.3}
        top.add_artist(matplotlib.legend.Legend(top, line, labels, ncols=len(line), **place, **gaps))
    for strip, charts in zip(strips, figure.rows, strict=True):
        _lay_out_row(strip, charts, figure, matplotlib)
    _settle(canvas)
    return canvas


def _lay_out_row(strip: Any, charts: tuple[Chart, ...], figure: Figure, matplotlib: Any) -> None:
    """A row of panels, each as wide as its labels and its title need."""
    alike = len({chart.name for chart in charts}) == 1
    widths = [_width(chart, is_alike=alike) for chart in charts]
    all_axes = strip.subplots(1, len(charts), width_ratios=widths, sharey=alike, squeeze=False)[0]
    for axes, chart, width in zip(all_axes, charts, widths, strict=True):
        letters = int(0.75 * LETTERS_PER_INCH * figure.width * width / sum(widths))
        if len(figure.panels) > 1:
            axes.set_title(_shorten(chart.title, letters), loc="left")
        axes.patch.set_alpha(0)
        _paint(chart, axes, matplotlib)
        if alike and axes is not all_axes[0]:
            axes.set_ylabel("")
    if alike and charts[0].marks in ("bars", "stacks", "dots"):
        all_axes[0].set_ylim(sorted(all_axes[0].get_ylim(), reverse=True))


def _width(chart: Chart, *, is_alike: bool) -> float:
    if is_alike:
        return EMPTY_SHARE if chart.is_empty else 1
    if not chart.labels:
        return 1
    return max(8 + len(chart.labels) * max(3, *map(len, chart.labels)), 1.5 * len(chart.title))


def _shorten(name: str, letters: int) -> str:
    """A text of at most so many letters, cut in the middle: the ends of names tell them apart."""
    if len(name) <= letters:
        return name
    half = max(letters - 1, 2) // 2
    return f"{name[:half]}…{name[-half:]}"


def _legend_lines(figure: Figure, matplotlib: Any) -> list[list[Any]]:
    """What colours and outlines mean, broken into lines that fit."""
    is_line = all(chart.marks in ("lines", "dots") for chart in figure.panels)
    entries = [_entry(one, matplotlib, is_line=is_line) for one in figure.entries]
    if figure.is_compared:
        entries.append(matplotlib.patches.Patch(fill=False, edgecolor=INK[0], linewidth=0.8, label="as published"))
    lines: list[list[Any]] = []
    used = 0.0
    for entry in entries:
        long = len(entry.get_label()) + 6
        if not lines or used + long > figure.width * LETTERS_PER_INCH:
            lines.append([])
            used = 0.0
        lines[-1].append(entry)
        used += long
    return lines


def _entry(one: LegendEntry, matplotlib: Any, *, is_line: bool) -> Any:
    label, color = _shorten(one.label, MAX_LEGEND_LETTERS), ROLES[one.color][0]
    if is_line:
        dash = {"linestyle": _dash(one), "marker": MARKERS.get(one.color, "o"), "markersize": 3.2}
        return matplotlib.lines.Line2D([], [], color=color, linewidth=1.3, label=label, **dash)
    return matplotlib.patches.Patch(label=label, **_fill(one.color))


def _dash(one: LegendEntry | Series) -> str:
    return DASHES[max(one.dash, one.color == "published") % len(DASHES)]


def _fill(role: str) -> dict[str, Any]:
    """How an area of this role is filled; what was published elsewhere is hatched."""
    color = ROLES[role][0]
    if role == "published":
        return {"facecolor": "none", "edgecolor": color, "hatch": "//////", "linewidth": 0.6}
    return {"facecolor": color, "linewidth": 0}


def _settle(canvas: Any) -> None:
    """Fix where things stand, in round numbers: the last digits of the layout differ from run to run."""
    canvas.draw_without_rendering()
    canvas.set_layout_engine("none")
    for strip in canvas.subfigs:
        box = strip.bbox_relative
        box.p0, box.p1 = ([round(float(edge), 4) for edge in corner] for corner in (box.p0, box.p1))
    for axes in canvas.get_axes():
        axes.set_position([round(float(edge), 4) for edge in axes.get_position().bounds])


def _finish_svg(svg: str, figure: Figure, theme: Theme) -> str:
    """The drawing in its theme, with title and description, and without a prolog that names other hosts."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    inside = element("title", text(figure.title)) + element("desc", text(figure.caption))
    if theme == "dark":
        dark = {light.lower(): other for light, other in DARK_OF.items()}
        svg = re.sub("|".join(dark), lambda found: dark[found[0].lower()], svg, flags=re.IGNORECASE)
    elif theme == "reader":
        themes = Themes()
        svg = themes.paint(svg, DARK_OF)
        back = f'<rect width="100%" height="100%" style="fill:{themes.name(*PAPER)}"/>'
        inside += f"\n{element('style', themes.rules())}\n{back}"
    return re.sub(r"^<svg ([^>]*)>", lambda found: f'<svg role="img" {found[1]}>\n{inside}', svg, count=1)


# -------------------------------------------------------------------------------------------------------------- marks


def _paint(chart: Chart, axes: Any, matplotlib: Any) -> None:
    """Draw a chart into axes."""
    if chart.is_empty:
        axes.text(0.5, 0.5, chart.empty, ha="center", va="center", color=SOFT[0], transform=axes.transAxes)
        axes.set_axis_off()
        return
    axes.tick_params(which="both", length=0)
    _MARKS[chart.marks](chart, axes, matplotlib)


def _bands(chart: Chart, filled: float = 0.82) -> list[tuple[Series, list[float], float]]:
    """Every series with the places of its marks side by side in each category, and their width."""
    width = filled / max(len(chart.series), 1)
    return [
        (one, [place - filled / 2 + width * (number + 0.5) for place in range(len(one.values))], width)
        for number, one in enumerate(chart.series)
    ]


def _known(values: Sequence[float | None]) -> list[float]:
    return [0.0 if value is None else value for value in values]


def _reach(series: Series) -> tuple[list[float], list[float]] | None:
    """How far intervals reach below and above the values."""
    if not any(series.intervals):
        return None
    pairs = [
        (value, value) if pair is None or value is None else pair
        for pair, value in zip(series.intervals, series.values, strict=True)
    ]
    low = [max((value or 0) - (pair[0] or 0), 0.0) for pair, value in zip(pairs, series.values, strict=True)]
    high = [max((pair[1] or 0) - (value or 0), 0.0) for pair, value in zip(pairs, series.values, strict=True)]
    return low, high


def _columns(chart: Chart, axes: Any, matplotlib: Any) -> None:
    for one, at, width in _bands(chart):
        filled = 0.66 if any(one.published) else 0.92  # so that an outline has room around a column
        axes.bar(at, _known(one.values), width * filled, **_fill(one.color))
        _outline(one.published, at, width * 0.92, axes, matplotlib)
        reach = _reach(one)
        if reach:
            axes.errorbar(at, _known(one.values), reach, fmt="none", ecolor=INK[0], elinewidth=0.7, capsize=1.2)
        for place, value in zip(at, one.values, strict=True):
            if value is None:
                axes.text(place, 0, "–", ha="center", va="bottom", color=SOFT[0])
    _outline(chart.published, range(len(chart.labels)), 0.92, axes, matplotlib)
    every = 1 if len(chart.labels) <= 12 else 2
    axes.set_xticks(range(0, len(chart.labels), every), chart.labels[::every])
    _furnish(chart, axes, matplotlib, bottom=0)


def _outline(values: Sequence[float | None], at: Sequence[float], width: float, axes: Any, matplotlib: Any) -> None:
    """Empty columns for what is compared with, legible over any colour."""
    import matplotlib.patheffects as effects

    del matplotlib
    both = [effects.Stroke(linewidth=1.3, foreground="white"), effects.Normal()]
    for place, value in zip(at, values, strict=False):
        if value:
            axes.bar(place, value, width, fill=False, edgecolor=INK[0], linewidth=0.6, path_effects=both, zorder=3)


def _lines(chart: Chart, axes: Any, matplotlib: Any) -> None:
    known = [(one, [p for p in one.points if p[1] > 0 or not chart.axis.is_log]) for one in chart.series]
    apart = 0.09 if any(any(one.intervals) for one in chart.series) else 0.0
    for number, (one, points) in enumerate(known):
        color, shift = ROLES[one.color][0], apart * (number - (len(known) - 1) / 2)
        at, values = [place + shift for place, _ in points], [value for _, value in points]
        few = len(points) <= MAX_SIGNS
        look = {"marker": MARKERS.get(one.color, "o"), "markersize": 3.2} if few else {}
        axes.plot(at, values, color=color, linestyle=_dash(one), linewidth=1.2, **look)
        reach = _reach(one)
        if reach:
            sides = [[side[place] for place, value in enumerate(one.values) if value is not None] for side in reach]
            axes.errorbar(at, values, sides, fmt="none", ecolor=color, elinewidth=0.8, capsize=1.5)
        ring = [point for point in points if point[0] == one.ring]
        if ring:
            around = {"marker": "o", "markersize": 5.5, "markerfacecolor": "none", "markeredgewidth": 1.2}
            axes.plot(*zip(*ring, strict=True), color=color, linestyle="", clip_on=False, **around)
    if chart.labels:
        every = 1 if len(chart.labels) <= 20 else 5
        axes.set_xticks(range(0, len(chart.labels), every), chart.labels[::every])
        axes.set_xlim(-0.5, len(chart.labels) - 0.5)
    else:
        _scale(axes.xaxis, chart.below, [at for _, points in known for at, _ in points], matplotlib)
    _scale(axes.yaxis, chart.axis, [value for _, points in known for _, value in points], matplotlib)
    _furnish(chart, axes, matplotlib, bottom=None if any(v < 0 for _, points in known for _, v in points) else 0)


def _scale(axis: Any, record: Axis, values: Sequence[float], matplotlib: Any) -> None:
    """Give an axis its scale, ends and units; one on which nothing is above 0 cannot be logarithmic."""
    above = [value for value in values if value > 0]
    if record.is_log and above:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})
        between = (1, 2, 5) if max(above) < CROWDED * min(above) else (1,)
        axis.set_major_locator(matplotlib.ticker.LogLocator(subs=between))
        axis.set_minor_locator(matplotlib.ticker.NullLocator())
    ends = {("left", "right") if axis.axis_name == "x" else ("bottom", "top"): (record.low, record.high)}
    for names, (low, high) in ends.items():
        given = {name: end for name, end in zip(names, (low, high), strict=True) if end is not None}
        if given:
            getattr(axis.axes, f"set_{axis.axis_name}lim")(**given)
    axis.set_major_formatter(lambda value, _: format_tick(value, record.unit))


def _furnish(chart: Chart, axes: Any, matplotlib: Any, *, bottom: float | None) -> None:
    """The axes of columns and lines."""
    if chart.axis.low is None and bottom is not None and not chart.axis.is_log:
        axes.set_ylim(bottom=bottom)
    if chart.marks == "columns":
        _scale(axes.yaxis, chart.axis, (), matplotlib)
    if not chart.axis.is_log:
        axes.locator_params(axis="y", nbins=5)
    axes.grid(axis="y")
    axes.set_ylabel(chart.axis.label)
    axes.set_xlabel(chart.below.label)


def _bars(chart: Chart, axes: Any, _: Any) -> None:
    most = max((value for one in chart.series for value in _known(one.values)), default=0.0) or 1.0
    for one, at, width in _bands(chart, 0.74):
        axes.barh(at, _known(one.values), width * 0.92, **_fill(one.color))
        reach = _reach(one)
        if reach:
            axes.errorbar(_known(one.values), at, xerr=reach, fmt="none", ecolor=INK[0], elinewidth=0.7)
        intervals = one.intervals or (None,) * len(at)
        for place, value, ends in zip(at, one.values, intervals, strict=True):
            said = format_value(value, chart.axis.unit).removesuffix(" bits")
            end = max(value or 0, ends[1] if ends else 0)
            axes.text(end + 0.012 * most, place, said, va="center", ha="left", fontsize=6)
    _lie(chart, axes, most)


def _stacks(chart: Chart, axes: Any, _: Any) -> None:
    places = range(len(chart.labels))
    left = [0.0] * len(chart.labels)
    for one in chart.series:
        values = _known(one.values)
        axes.barh(places, values, 0.72, left=left, **_fill(one.color))
        left = [before + here for before, here in zip(left, values, strict=True)]
    most = max(left, default=0.0) or 1.0
    if chart.axis.unit != "share":
        for place, value in zip(places, left, strict=True):
            said = format_value(value, chart.axis.unit)
            axes.text(value + 0.012 * most, place, said, va="center", ha="left", fontsize=6)
    _lie(chart, axes, most)


def _dots(chart: Chart, axes: Any, _: Any) -> None:
    for one, at, _ in _bands(chart, 0.7):
        rows = [(place, value) for place, value in zip(at, one.values, strict=True) if value is not None]
        look = {"fmt": MARKERS.get(one.color, "o"), "color": ROLES[one.color][0], "markersize": 3.2, "elinewidth": 0.8}
        reach = _reach(one)
        sides = reach and [[side[k] for k, value in enumerate(one.values) if value is not None] for side in reach]
        axes.errorbar([value for _, value in rows], [place for place, _ in rows], xerr=sides, zorder=3, **look)
    for row in range(1, len(chart.labels)):
        axes.axhline(row - 0.5, color=LINE[0], linewidth=0.4, zorder=0)
    _lie(chart, axes, 1.0)
    low, high = chart.axis.low, chart.axis.high
    if low is not None and high is not None:
        axes.set_xlim(low - 0.03 * (high - low), high + 0.03 * (high - low))
    axes.set_ylim(len(chart.labels) - 0.4, -0.6)


def _lie(chart: Chart, axes: Any, longest: float) -> None:
    """The axes of horizontal marks, the first on top, with room for the number after the longest."""
    labels = [
        f"{chart.groups[place]}: {label}" if chart.groups and chart.groups[place] else label
        for place, label in enumerate(chart.labels)
    ]
    axes.set_yticks(range(len(labels)), labels)
    if not axes.yaxis_inverted():
        axes.invert_yaxis()
    axes.set_xlim(0, longest * 1.16)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(lambda value, _: format_tick(value, chart.axis.unit))
    axes.grid(axis="x")
    axes.set_xlabel(chart.axis.label)


def _tiles(chart: Chart, axes: Any, matplotlib: Any) -> None:
    most = max((value for one in chart.series for value in _known(one.values)), default=0.0) or 1.0
    down = -(-max(len(one.values) for one in chart.series) // chart.across)
    for board, one in enumerate(chart.series):
        for place, value in enumerate(one.values):
            x, y = place % chart.across + board * (chart.across + 0.6), place // chart.across
            is_multiple = chart.axis.unit == "times"
            strength = min(abs((value or 0) - 1), 1) if is_multiple else 0.5 * (value or 0) / most
            color = ROLES["d1" if is_multiple and (value or 0) < 1 else "d0"][0]
            tile = {"facecolor": color, "alpha": 0.05 + 0.6 * strength, "linewidth": 0}
            axes.add_patch(matplotlib.patches.Rectangle((x - 0.47, y - 0.46), 0.94, 0.92, **tile))
            said = f"{value:.1f}" if is_multiple and value is not None else format_value(value, chart.axis.unit)
            named = chart.labels[place] if chart.labels else ""
            axes.text(x, y, f"{said}\n{named}" if named else said, ha="center", va="center", fontsize=6)
        if len(chart.series) > 1:
            axes.text(board * (chart.across + 0.6) - 0.47, -0.6, one.label, va="bottom", fontsize=6)
    axes.set_xlim(-0.5, len(chart.series) * (chart.across + 0.6) - 1.1)
    axes.set_ylim(down - 0.5, -1.1 if len(chart.series) > 1 else -0.5)
    axes.set_axis_off()


_MARKS = {"bars": _bars, "columns": _columns, "stacks": _stacks, "lines": _lines, "dots": _dots, "tiles": _tiles}
