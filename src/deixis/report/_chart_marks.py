"""The marks of charts, painted into axes of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.report._palette import INK, LINE, ROLES, SOFT
from deixis.report.chart import format_tick, format_value


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.report.chart import Axis, Chart, LegendEntry, Series


MAX_SIGNS = 30  # of a line; longer ones have none
CROWDED = 500  # a logarithmic axis that spans more has room for powers of ten only
MARKERS = {"d0": "o", "d1": "s", "d2": "D", "d3": "^", "d4": "v", "d5": "P", "d6": "<", "d7": ">"}
DASHES = ("-", "--", ":", "-.")


def choose_dash(one: LegendEntry | Series) -> str:
    """Return the line style of a series, never solid for published numbers."""
    return DASHES[max(one.dash, one.color == "published") % len(DASHES)]


def fill_style(role: str) -> dict[str, Any]:
    """Return the fill of an area of this role, hatched for published numbers."""
    color = ROLES[role][0]
    if role == "published":
        return {"facecolor": "none", "edgecolor": color, "hatch": "//////", "linewidth": 0.6}
    return {"facecolor": color, "linewidth": 0}


def paint_chart(chart: Chart, axes: Any, matplotlib: Any) -> None:
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


def _fill_missing(values: Sequence[float | None]) -> list[float]:
    return [0.0 if value is None else value for value in values]


def _reach(series: Series) -> tuple[list[float], list[float]] | None:
    """The distances from the values down and up to the ends of their intervals."""
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
        axes.bar(at, _fill_missing(one.values), width * filled, **fill_style(one.color))
        _outline(one.published, at, width * 0.92, axes, matplotlib)
        reach = _reach(one)
        if reach:
            axes.errorbar(at, _fill_missing(one.values), reach, fmt="none", ecolor=INK[0], elinewidth=0.7, capsize=1.2)
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
        axes.plot(at, values, color=color, linestyle=choose_dash(one), linewidth=1.2, **look)
        reach = _reach(one)
        if reach:
            kept = [
                k for k, value in enumerate(one.values) if value is not None and (value > 0 or not chart.axis.is_log)
            ]
            sides = [[side[k] for k in kept] for side in reach]
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
    most = max((value for one in chart.series for value in _fill_missing(one.values)), default=0.0) or 1.0
    for one, at, width in _bands(chart, 0.74):
        axes.barh(at, _fill_missing(one.values), width * 0.92, **fill_style(one.color))
        reach = _reach(one)
        if reach:
            axes.errorbar(_fill_missing(one.values), at, xerr=reach, fmt="none", ecolor=INK[0], elinewidth=0.7)
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
        values = _fill_missing(one.values)
        axes.barh(places, values, 0.72, left=left, **fill_style(one.color))
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
    most = max((value for one in chart.series for value in _fill_missing(one.values)), default=0.0) or 1.0
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
