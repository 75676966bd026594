"""The layout of charts in pages: lengths, places and paths, computed from the record for the templates."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from deixis.report._scales import Scale, Tick, log_ticks, nice_ticks
from deixis.report.chart import NOTHING, Axis, format_tick, format_value


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.report.chart import Chart, Series


WIDTH, HEIGHT = 520, 260
LEFT, RIGHT, TOP, BOTTOM = 54, 14, 12, 44  # margins
LETTER = 6.7  # the width of a letter beside an axis
SLANT = 0.57  # sine of the angle of slanted labels
MAX_SIGNS = 30  # of a line; longer ones have one at their end
MIN_LABELLED = 0.07  # the least share of a bar that has room for its number
MIN_BAR_SCALE = 0.4  # bars of shares are drawn out of the whole where one is longer than this
SIGN_CORNERS: tuple[tuple[tuple[float, float], ...], ...] = (  # one for every colour; the first is a circle
    (),
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((0, -1.2), (1.2, 1), (-1.2, 1)),
    ((0, 1.2), (1.2, -1), (-1.2, -1)),
    ((-1, -1), (1, 1), (0, 0), (1, -1), (-1, 1), (0, 0)),
    ((-1.2, 0), (1, -1.2), (1, 1.2)),
    ((1.2, 0), (-1, -1.2), (-1, 1.2)),
)


def lay_out(chart: Chart) -> dict[str, Any]:
    """The values that the template of the chart's marks uses."""
    return _LAYOUTS[chart.marks](chart)


def _all(chart: Chart) -> range:
    return range(len(chart.labels))


def label_text(chart: Chart, place: int) -> str:
    """A category with its heading."""
    label = _flat(chart.labels[place])
    return f"{chart.groups[place]}, {label}" if chart.groups and chart.groups[place] else label


def _flat(label: str) -> str:
    """A label without the line breaks that are meant for files."""
    return label.replace("-\n", "").replace("\n", " ")


def cell_text(chart: Chart, series: Series, place: int) -> str:
    """A value of a series in words, with its interval."""
    interval = series.intervals[place] if series.intervals else None
    said = format_value(series.values[place], chart.axis.unit)
    if interval is None:
        return said
    low, high = (format_value(end, chart.axis.unit) for end in interval)
    return f"{said} ({low} to {high})"


# ---------------------------------------------------------------------------------------------------- bars and stacks


def _rows(chart: Chart) -> Iterator[dict[str, Any]]:
    """The categories with their headings, where a new one begins."""
    before = ""
    for place, label in enumerate(chart.labels):
        group = chart.groups[place] if chart.groups else ""
        link = chart.links[place] if chart.links else ""
        yield {"place": place, "label": _flat(label), "group": group if group != before else "", "link": link}
        before = group


def _longest(chart: Chart) -> float:
    ends = [end for one in chart.series for pair in one.intervals if pair for end in pair]
    values = [value for one in chart.series for value in (*one.values, *one.published) if value is not None]
    return max((*values, *ends), default=0.0)


def _bars(chart: Chart) -> dict[str, Any]:
    longest = chart.axis.high or _longest(chart)
    most = 1.0 if chart.axis.unit == "share" and longest > MIN_BAR_SCALE else longest or 1.0
    rows = []
    for row in _rows(chart):
        bars = []
        for one in chart.series:
            value = one.values[row["place"]]
            interval = one.intervals[row["place"]] if one.intervals else None
            said = cell_text(chart, one, row["place"])
            bars.append(
                {
                    "color": one.color,
                    "said": format_value(value, chart.axis.unit).removesuffix(" bits"),
                    "title": f"{one.label}: {said if value is not None else 'not known or not applicable'}",
                    "length": None if value is None else f"{max(value, 0) / most:.4f}",
                    "ends": None if interval is None else [f"{max(end, 0) / most:.4f}" for end in interval],
                }
            )
        rows.append(row | {"bars": bars})
    return {"rows": rows}


def _stacks(chart: Chart) -> dict[str, Any]:
    totals = [sum(one.values[place] or 0 for one in chart.series) for place in _all(chart)]
    is_share = chart.axis.unit == "share"
    most = 1.0 if is_share else max(totals, default=0) or 1.0
    rows = []
    for row in _rows(chart):
        pieces = [
            {
                "color": one.color,
                "said": f"{100 * value:.0f}" if is_share and value >= MIN_LABELLED else "",
                "width": f"{100 * value / most:.2f}",
                "title": f"{row['label']}, {one.label}: {format_value(value, chart.axis.unit)}",
            }
            for one in chart.series
            if (value := one.values[row["place"]])
        ]
        total = None if is_share else format_value(totals[row["place"]], chart.axis.unit)
        rows.append(row | {"pieces": pieces, "total": total})
    return {"rows": rows}


def _dots(chart: Chart) -> dict[str, Any]:
    low, high = chart.axis.low or 0.0, chart.axis.high or (1.0 if chart.axis.unit == "share" else _longest(chart) or 1)
    share = Scale(low, high, 0, 100)
    rows = []
    for row in _rows(chart):
        dots = []
        for number, one in enumerate(chart.series):
            value = one.values[row["place"]]
            if value is None:
                continue
            interval = one.intervals[row["place"]] if one.intervals else None
            ends = (value, value) if interval is None else interval
            dots.append(
                {
                    "color": one.color,
                    "down": f"{100 * (number + 1) / (len(chart.series) + 1):.1f}",
                    "at": f"{share(value):.2f}",
                    "from": f"{share(ends[0]):.2f}",
                    "wide": f"{share(ends[1]) - share(ends[0]):.2f}",
                    "title": f"{one.label}: {cell_text(chart, one, row['place'])}",
                }
            )
        rows.append(row | {"dots": dots})
    ticks = [(f"{share(tick):.2f}", format_tick(tick, chart.axis.unit)) for tick in nice_ticks(low, high)]
    return {"rows": rows, "ticks": [tick for tick in ticks if 0 <= float(tick[0]) <= 100]}


# ------------------------------------------------------------------------------------------------- columns and lines


def _upward(axis: Axis, values: Sequence[float]) -> tuple[Scale, list[Tick]]:
    """The scale of the values, with its ticks."""
    if axis.is_log:
        low, high = min(values), max(values)
        low, high = (low / 2, high * 2) if low == high else (low / 1.1, high * 1.1)
        ticks = log_ticks(low, high)
        low, high = min(low, *ticks), max(high, *ticks)
    else:
        low = axis.low if axis.low is not None else min(0.0, *values)
        high = axis.high if axis.high is not None else max(values)
        ticks = nice_ticks(low, high if high > low else low + 1)
        low, high = ticks[0], max(ticks[-1], high)
    scale = Scale(low, high, HEIGHT - BOTTOM, TOP, axis.is_log)
    return scale, [Tick(scale(tick), format_tick(tick, axis.unit)) for tick in ticks]


def _axes(chart: Chart, rules: list[Tick], ticks: list[Tick], deeper: float = 0) -> dict[str, Any]:
    """The frame of a drawing; slanted labels make it so much deeper."""
    bottom = HEIGHT - BOTTOM
    height = round(HEIGHT + deeper - (0 if chart.below.label else 16))
    return {
        "box": f"0 0 {WIDTH} {height}",
        "rules": rules,
        "ticks": ticks,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "middle": (LEFT + WIDTH - RIGHT) // 2,
        "bottom": bottom,
        "height": height,
        "slants": deeper > 0,
        "below": chart.below.label,
    }


def _category_ticks(chart: Chart, step: float) -> tuple[list[Tick], float]:
    """The labels of categories, and how much deeper a drawing gets where they are so long that they are slanted."""
    labels = [_flat(label) for label in chart.labels]
    every = max(1, math.ceil(len(labels) * 3.2 * LETTER / (WIDTH - LEFT - RIGHT)))
    widest = LETTER * max((len(label) for label in labels[::every]), default=0)
    slants = widest > step * every
    ticks = [Tick(round(LEFT + step * (k + 0.5), 2), labels[k]) for k in range(0, len(labels), every)]
    return ticks, max(widest * SLANT - 6, 1) if slants else 0.0


def _columns(chart: Chart) -> dict[str, Any]:
    step = (WIDTH - LEFT - RIGHT) / max(len(chart.labels), 1)
    ticks, deeper = _category_ticks(chart, step)
    up, rules = _upward(chart.axis, _numbers(chart))
    width = 0.82 * step / max(len(chart.series), 1)
    columns = []
    for number, one in enumerate(chart.series):
        is_outlined = any(one.published)
        for place, value in enumerate(one.values):
            left = LEFT + step * (place + 0.09) + width * number
            beside = one.published[place] if one.published else None
            interval = one.intervals[place] if one.intervals else None
            title = f"{label_text(chart, place)}, {one.label}: {cell_text(chart, one, place)}"
            title += f"; published: {format_value(beside, chart.axis.unit)}" if beside is not None else ""
            inner = 0.66 if is_outlined else 0.92
            columns.append(
                {
                    "color": one.color,
                    "title": title,
                    "box": None if value is None else _box(left, width, inner, up(value), up(max(up.low, 0))),
                    "outline": None if beside is None else _box(left, width, 0.92, up(beside), up(max(up.low, 0))),
                    "middle": round(left + width / 2, 2),
                    "ends": None if interval is None else [up(end) for end in interval],
                }
            )
    base = up(max(up.low, 0))
    columns += [
        {
            "color": "published",
            "title": f"{label_text(chart, place)}, published: {format_value(value, chart.axis.unit)}",
            "box": None,
            "outline": _box(LEFT + step * place, step, 0.92, up(value), base),
            "ends": None,
        }
        for place, value in enumerate(chart.published)
        if value is not None
    ]
    return {"columns": columns, **_axes(chart, rules, ticks, deeper)}


def _box(left: float, width: float, filled: float, top: float, base: float) -> tuple[float, float, float, float]:
    """A column as x, y, width and height."""
    y, end = min(top, base), max(top, base)
    return round(left + width * (1 - filled) / 2, 2), y, round(width * filled, 2), round(end - y, 2)


def _numbers(chart: Chart) -> list[float]:
    everything = (*chart.published, *(value for one in chart.series for value in (*one.values, *one.published)))
    values = [value for value in everything if value is not None]
    ends = [end for one in chart.series for pair in one.intervals if pair for end in pair]
    found = [value for value in (*values, *ends) if value > 0 or not chart.axis.is_log]
    return found or [1.0]


def _lines(chart: Chart) -> dict[str, Any]:
    series = [(one, _drawable(chart, one)) for one in chart.series]
    up, rules = _upward(chart.axis, _numbers(chart))
    deeper = 0.0
    if chart.labels:
        step = (WIDTH - LEFT - RIGHT) / len(chart.labels)
        across = Scale(-0.5, len(chart.labels) - 0.5, LEFT, WIDTH - RIGHT)
        ticks, deeper = _category_ticks(chart, step)
    else:
        across, ticks = _across(chart.below, [at for _, points in series for at, _ in points])
    lines = []
    for one, points in series:
        if not points:
            continue
        places = [(across(at), up(value)) for at, value in points]
        few = len(points) <= MAX_SIGNS
        ring = next((place for place, (at, _) in zip(places, points, strict=True) if at == one.ring), None)
        intervals = dict(enumerate(one.intervals))
        lines.append(
            {
                "label": one.label,
                "color": one.color,
                "dash": one.dash,
                "path": "M" + "L".join(f"{x:g} {y:g}" for x, y in places),
                "signs": [sign_path(one.color, *place) for place in (places if few else places[-1:])],
                "titles": [f"{one.label}: {format_value(value, chart.axis.unit)}" for _, value in points]
                if few
                else [],
                "ends": [
                    (across(at), up(ends[0]), up(ends[1]))
                    for at, ends in ((at, intervals[at]) for at in intervals)
                    if ends is not None and not one.places
                ],
                "ring": ring,
            }
        )
    data = [
        {"name": one.label, "points": [(at, float(f"{value:.6g}")) for at, value in points]}
        for one, points in series
        if points
    ]
    frame = [across.low, across.high, across.start, across.stop, TOP, HEIGHT - BOTTOM, across.is_log]
    return {
        "lines": lines,
        "data": json.dumps(data, ensure_ascii=False),
        "frame": json.dumps(frame),
        "unit": chart.axis.unit,
        "labels": json.dumps([_flat(label) for label in chart.labels], ensure_ascii=False),
        **_axes(chart, rules, ticks, deeper),
    }


def _drawable(chart: Chart, one: Series) -> list[tuple[float, float]]:
    """The points of a line that its axes can show: logarithmic ones only what is above 0."""
    is_log = chart.below.is_log and not chart.labels
    return [p for p in one.points if (p[1] > 0 or not chart.axis.is_log) and (p[0] > 0 or not is_log)]


def _across(axis: Axis, places: Sequence[float]) -> tuple[Scale, list[Tick]]:
    """The scale of places that are numbers, with its ticks."""
    known = [at for at in places if at > 0] if axis.is_log else list(places)
    low, high = min(known, default=1.0), max(known, default=1.0)
    if axis.is_log:
        ticks = log_ticks(low, high if high > low else low * 10)
    else:
        low = axis.low if axis.low is not None else low
        high = axis.high if axis.high is not None else high
        ticks = [tick for tick in nice_ticks(low, high if high > low else low + 1, 9) if low <= tick <= high]
    scale = Scale(low, high if high > low else low + 1, LEFT, WIDTH - RIGHT, axis.is_log)
    return scale, [Tick(scale(tick), format_tick(tick, axis.unit)) for tick in ticks]


def sign_path(color: str, x: float, y: float) -> str:
    """The outline of the sign of a colour role, so that colour alone tells nothing apart."""
    r = 3.4
    corners = SIGN_CORNERS[int(color[1:])] if color[:1] == "d" and color[1:].isdigit() else ()
    if not corners:
        return f"M{x - r:g} {y:g}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0Z"
    return "M" + "L".join(f"{x + r * dx:g} {y + r * dy:g}" for dx, dy in corners) + "Z"


# -------------------------------------------------------------------------------------------------------------- tiles


def _tiles(chart: Chart) -> dict[str, Any]:
    most = max((value for one in chart.series for value in one.values if value is not None), default=0.0) or 1.0
    boards = []
    for one in chart.series:
        tiles = [_tile(chart, place, value, most) for place, value in enumerate(one.values)]
        rows = [tiles[start : start + chart.across] for start in range(0, len(tiles), chart.across)]
        boards.append({"label": one.label, "rows": rows})
    return {"boards": boards, "is_named": bool(chart.labels)}


def _tile(chart: Chart, place: int, value: float | None, most: float) -> dict[str, Any]:
    """A tile: coloured by its distance from 1 where numbers are multiples, else by its size."""
    said = format_value(value, chart.axis.unit)
    tile = {
        "label": chart.labels[place] if chart.labels else "",
        "said": NOTHING if value is None else f"{value:.1f}" if chart.axis.unit == "times" else said,
        "title": f"{chart.labels[place]}: {said}" if chart.labels else said,
        "side": "above",
        "strength": "0.000",
    }
    if value is None:
        return tile
    if chart.axis.unit == "times":
        strength = f"{min(abs(value - 1), 1):.3f}"
        return tile | {"side": "above" if value >= 1 else "below", "strength": strength}
    return tile | {"strength": f"{0.5 * value / most:.3f}"}


_LAYOUTS = {"bars": _bars, "columns": _columns, "stacks": _stacks, "lines": _lines, "dots": _dots, "tiles": _tiles}
