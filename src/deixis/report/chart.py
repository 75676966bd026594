"""Charts as records: what is shown, independent of how it is drawn.

`deixis.report.chart_html` renders a chart for pages, `deixis.report.chart_matplotlib` for files. A record holds finite
numbers only: a value that is not finite becomes None, which both renderers show as missing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.report._markup import number, percent
from deixis.report._palette import dataset_roles, pattern_role, role_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


__all__ = [
    "MAX_POINTS",
    "NARROW",
    "WIDE",
    "Axis",
    "Chart",
    "Figure",
    "LegendEntry",
    "Marks",
    "Series",
    "Unit",
    "Values",
    "format_tick",
    "format_value",
    "legend_of",
    "make_series",
    "thin_points",
]

Marks: TypeAlias = Literal["bars", "columns", "stacks", "lines", "dots", "tiles"]
Unit: TypeAlias = Literal["share", "bits", "number", "times", "count", "value"]
ColorScheme: TypeAlias = Literal["places", "datasets", "patterns", "steps", "kinds"]
Values: TypeAlias = "tuple[float | None, ...]"
Interval: TypeAlias = "tuple[float, float] | None"
NOTHING = "–"
WIDE, NARROW = 7.0, 3.4  # inches: the width of a page and of a column
MAX_POINTS = 400  # of a line; neighbours are averaged beyond that


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One axis of a chart.

    Attributes:
        label: what is measured along it.
        unit: the unit of its numbers.
        is_log: whether it is logarithmic.
        low, high: fixed ends; None for ends that follow from the numbers.
    """

    label: str = ""
    unit: Unit = "share"
    is_log: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Series:
    """One series of numbers.

    Attributes:
        label: its name in the legend; series with the same label share one entry.
        values: one for each category, or one for each place; None is missing.
        color: its colour role, see `palette.ROLES`.
        places: where the points of a line lie; empty where they stand at the categories.
        intervals: the ends of each value's interval, or empty.
        published: numbers to compare with, drawn as outlines around columns, or empty.
        dash: the number of its dash pattern; 0 is solid.
        ring: the place of the point with a ring around it.
    """

    label: str
    values: Values
    color: str
    places: tuple[float, ...] = ()
    intervals: tuple[Interval, ...] = ()
    published: Values = ()
    dash: int = 0
    ring: float | None = None

    def __post_init__(self) -> None:
        """Replace what is not finite by None, and refuse lists of different lengths."""
        for name in ("values", "published"):
            object.__setattr__(self, name, tuple(map(_finite, getattr(self, name))))
        ends = (None if one is None or None in map(_finite, one) else one for one in self.intervals)
        object.__setattr__(self, "intervals", tuple(ends))
        for other in (self.places, self.intervals, self.published):
            if other and len(other) != len(self.values):
                raise ValueError(f"the series {self.label!r} has {len(self.values)} values and {len(other)} of another")

    @property
    def points(self) -> list[tuple[float, float]]:
        """The known points: place and value."""
        places = self.places or range(len(self.values))
        return [(at, value) for at, value in zip(places, self.values, strict=True) if value is not None]


class LegendEntry(NamedTuple):
    """One entry of a legend."""

    label: str
    color: str
    dash: int = 0


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One chart.

    Attributes:
        name: its anchor in a page.
        title: what it shows.
        caption: what to see in it, in a sentence or two.
        marks: horizontal bars, columns, stacked horizontal bars, lines, dots in rows, or boards of tiles.
        labels: the categories; empty for lines over numbers.
        series: the numbers.
        axis: of the values.
        below: of the categories or places.
        groups: for each category the heading it stands under, or empty.
        across: how many tiles stand in a row of a board.
        published: for each category a number to compare all its columns with, or empty.
        empty: what to say where there is nothing to show.
        links: for each category the address of what it stands for, or empty; bars, stacks and dots in pages have them.
    """

    name: str
    title: str
    caption: str = ""
    marks: Marks
    labels: tuple[str, ...] = ()
    series: tuple[Series, ...]
    axis: Axis = field(default_factory=Axis)
    below: Axis = field(default_factory=Axis)
    groups: tuple[str, ...] = ()
    across: int = 0
    published: Values = ()
    empty: str = ""
    links: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Replace what is not finite by None, and refuse another number of links."""
        object.__setattr__(self, "published", tuple(map(_finite, self.published)))
        if self.links and len(self.links) != len(self.labels):
            raise ValueError(f"the chart {self.name!r} has {len(self.labels)} categories and {len(self.links)} links")

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to show, and something to say instead."""
        return bool(self.empty) and not any(any(one.values) for one in self.series)

    def values_of(self, label: str) -> Values:
        """The numbers of the first series with this label."""
        return next(one.values for one in self.series if one.label == label)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of several panels.

    Attributes:
        name: that of its files, and its anchor in a page.
        title: what it shows.
        caption: what to see in it, or its numbers in words.
        rows: the panels from top to bottom and left to right.
        width: in inches.
        row_height: in inches; None for the usual height.
        is_titled: whether the title is part of the drawing in files.
        legend: the entries of its legend; None for those of its series.
    """

    name: str
    title: str
    caption: str
    rows: tuple[tuple[Chart, ...], ...]
    width: float
    row_height: float | None = None
    is_titled: bool = False
    legend: tuple[LegendEntry, ...] | None = None

    @property
    def panels(self) -> list[Chart]:
        """All charts, row by row."""
        return [chart for row in self.rows for chart in row]

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        """The entries of the legend, none for a single series without an entry of its own."""
        if self.legend is not None:
            return self.legend
        return legend_of([one for chart in self.panels for one in chart.series])

    @property
    def is_compared(self) -> bool:
        """True if published numbers are outlined in a panel."""
        lists = [
            values for chart in self.panels for values in (chart.published, *(one.published for one in chart.series))
        ]
        return any(any(values) for values in lists)


def make_series(
    values: Mapping[str, Sequence[float | None]],
    *,
    colors: ColorScheme = "places",
    published: Iterable[str] = (),
    outlines: Mapping[str, Sequence[float | None]] | None = None,
) -> tuple[Series, ...]:
    """Series over categories from their numbers by label.

    Args:
        values: the numbers of each series, one for each category.
        colors: what colours mean: the place of a series, datasets, patterns, steps from few to many, or kinds.
        published: the labels of series that were published elsewhere; they take no colour from the others.
        outlines: published numbers to outline, by label.
    """
    apart = set(published)
    own = [name for name in values if name not in apart]
    match colors:
        case "datasets":
            roles = dataset_roles(own)
        case "patterns":
            roles = [pattern_role(name) for name in own]
        case "steps" | "kinds":
            roles = [f"{colors[:-1]}{place}" for place in range(len(own))]
        case _:
            roles = [role_of(place) for place in range(len(own))]
    color = dict(zip(own, roles, strict=True))
    beside = outlines or {}
    return tuple(
        Series(
            label=name,
            values=tuple(some),
            color=color.get(name, "published"),
            published=tuple(beside.get(name, ())),
        )
        for name, some in values.items()
    )


def legend_of(series: Iterable[Series]) -> tuple[LegendEntry, ...]:
    """Return an entry for every label, or none if there is only one."""
    found = {one.label: LegendEntry(one.label, one.color, one.dash) for one in reversed(list(series))}
    return tuple(reversed(found.values())) if len(found) > 1 else ()


def thin_points(points: Sequence[tuple[float, float]], most: int = MAX_POINTS) -> list[tuple[float, float]]:
    """At most `most` points, each the mean of as many neighbours, at the place of the last of them."""
    size = math.ceil(len(points) / most) or 1
    groups = [points[start : start + size] for start in range(0, len(points), size)]
    return [(group[-1][0], sum(value for _, value in group) / len(group)) for group in groups]


def format_value(value: float | None, unit: Unit) -> str:
    """A number in its unit, or a dash for None."""
    if value is None:
        return NOTHING
    match unit:
        case "share":
            return percent(value)
        case "bits":
            return f"{value:.3f} bits"
        case "count":
            return number(round(value))
        case "times":
            return f"× {value:.2f}"
        case "number":
            return f"{value:.1f}"
        case "value":
            return f"{value:.3g}"


def format_tick(value: float, unit: Unit) -> str:
    """A round number beside an axis, in few letters: 25 %, 20k, 1.5M."""
    if unit == "share":
        return f"{round(100 * value, 3):g} %"
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{round(value, 6):g}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
