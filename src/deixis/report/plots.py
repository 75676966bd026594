"""Figures made of markup alone: bars, stacks, lines and heat maps that follow the page in size, theme and print.

They need no drawing library, and what stands in them can be selected, enlarged and read aloud; behind each lies a
table of its numbers. A series that was published elsewhere is hatched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.report.markup import details, element, number, percent, table, text


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


__all__ = ["Bars", "Heat", "Lines", "Plot", "Stack", "Unit", "draw_plot", "key_of", "written"]

Unit: TypeAlias = Literal["share", "bits", "number", "times", "count"]
Values: TypeAlias = "tuple[float | None, ...]"
NOTHING = "–"
WIDE = 0.07  # the least share of a stack that has room for its number
WIDTH, HEIGHT = 460, 250  # of a drawing with lines
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 12, 44  # its margins


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Horizontal bars, for each label one of every series; None is what nobody measured or what does not apply."""

    name: str
    title: str
    caption: str
    axis: str
    labels: tuple[str, ...]
    series: Mapping[str, Values]
    unit: Unit = "share"
    published: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, kw_only=True)
class Stack:
    """Bars of one whole each, divided into segments; the rows come in groups of one row per dataset."""

    name: str
    title: str
    caption: str
    axis: str
    segments: tuple[str, ...]
    groups: Mapping[str, Mapping[str, tuple[float, ...]]]
    is_ordered: bool = True  # from few to many, so that colours go from light to dark


@dataclass(frozen=True, kw_only=True)
class Lines:
    """A line for each series over whole numbers."""

    name: str
    title: str
    caption: str
    axis: str
    below: str
    at: tuple[int, ...]
    series: Mapping[str, Values]
    unit: Unit = "share"
    published: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, kw_only=True)
class Heat:
    """Boards whose cells show how full they are, 1 being the average; each has a name."""

    name: str
    title: str
    caption: str
    axis: str
    boards: Mapping[str, tuple[tuple[float, ...], ...]]


Plot: TypeAlias = Bars | Stack | Lines | Heat


def draw_plot(plot: Plot) -> str:
    """The plot as a figure with title, drawing, caption and the numbers behind it."""
    match plot:
        case Bars():
            drawing, numbers = _bars(plot), _numbers(plot, plot.labels, "")
        case Stack():
            drawing, numbers = _stack(plot), _stack_numbers(plot)
        case Lines():
            drawing, numbers = _lines(plot), _numbers(plot, tuple(map(str, plot.at)), plot.below)
        case _:
            drawing, numbers = _heat(plot), ""
    behind = details("Numbers", numbers) if numbers else ""
    caption = element("figcaption", text(plot.caption).replace(" %", "&nbsp;%"))
    return element("figure", element("h3", text(plot.title)) + drawing + caption + behind, id=plot.name, class_="plot")


def written(value: float | None, unit: Unit) -> str:
    """A number in its unit, with a dash for nothing."""
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


def key_of(names: Sequence[str], published: Iterable[str] = ()) -> str:
    """What the colours of the datasets mean; nothing where there is only one."""
    if len(names) < 2:
        return ""
    items = "".join(
        element("li", element("i", "", class_=f"tone {tone}") + text(name)) for name, tone in _tones(names, published)
    )
    return element("ul", items, class_="key", aria_label="Colours")


def _tones(names: Iterable[str], published: Iterable[str]) -> list[tuple[str, str]]:
    """The class that gives each series its colour."""
    apart, found, place = set(published), [], 0
    for name in names:
        found.append((name, "published" if name in apart else f"d{place % 6}"))
        place += name not in apart
    return found


def _numbers(plot: Bars | Lines, labels: Sequence[str], first: str) -> str:
    rows = [
        [text(label), *(written(values[place], plot.unit) for values in plot.series.values())]
        for place, label in enumerate(labels)
    ]
    head = [text(first), *map(text, plot.series)]
    return table(head, rows, caption=f"{plot.title}: {plot.axis}", numeric=range(1, len(head)))


def _bars(plot: Bars) -> str:
    longest = max((value or 0 for values in plot.series.values() for value in values), default=0)
    most = 1.0 if plot.unit == "share" and longest > 0.4 else longest or 1.0
    tones = dict(_tones(plot.series, plot.published))
    groups = []
    for place, label in enumerate(plot.labels):
        bars = "".join(_bar(values[place], most, tones[name], plot.unit, name) for name, values in plot.series.items())
        groups.append(element("span", text(label), class_="of") + element("span", bars, class_="bars"))
    drawn = element("div", "".join(groups), class_="groups", role="img", aria_label=f"{plot.title}. {plot.caption}")
    return key_of(tuple(plot.series), plot.published) + drawn + element("p", text(plot.axis), class_="axis")


def _bar(value: float | None, most: float, tone: str, unit: Unit, name: str) -> str:
    if value is None:
        return element("span", element("b", NOTHING), class_="bar none", title=f"{name}: not known or not applicable")
    line = element("i", "", class_=f"tone {tone}", style=f"--w:{value / most:.4f}")
    said = written(value, unit)
    return element("span", line + element("b", said.removesuffix(" bits")), class_="bar", title=f"{name}: {said}")


def _stack(plot: Stack) -> str:
    order = "step" if plot.is_ordered else "kind"
    key = "".join(
        element("li", element("i", "", class_=f"tone {order}{place}") + text(name))
        for place, name in enumerate(plot.segments)
    )
    groups = []
    for group, rows in plot.groups.items():
        groups += [element("p", text(group), class_="group")] if group else []
        for name, shares in rows.items():
            pieces = "".join(
                element(
                    "i",
                    f"{100 * share:.0f}" if share >= WIDE else "",
                    class_=f"tone {order}{place}",
                    style=f"width:{100 * share:.2f}%",
                    title=f"{name}, {plot.segments[place]}: {percent(share)}",
                )
                for place, share in enumerate(shares)
                if share
            )
            groups.append(element("span", text(name), class_="of") + element("span", pieces, class_="whole"))
    drawn = element("div", "".join(groups), class_="groups", role="img", aria_label=f"{plot.title}. {plot.caption}")
    return element("ul", key, class_="key", aria_label="Colours") + drawn + element("p", text(plot.axis), class_="axis")


def _stack_numbers(plot: Stack) -> str:
    rows = [
        [text(f"{group}, {name}" if group else name), *map(percent, shares)]
        for group, entries in plot.groups.items()
        for name, shares in entries.items()
    ]
    head = ["", *map(text, plot.segments)]
    return table(head, rows, caption=f"{plot.title}: {plot.axis}", numeric=range(1, len(head)))


def _lines(plot: Lines) -> str:
    first, last = min(plot.at), max(plot.at)
    most = max((value or 0 for values in plot.series.values() for value in values), default=0) or 1.0
    step = _round_step(most)
    top = step * -(-most // step)
    right = _scale(first, last, LEFT, WIDTH - RIGHT)
    up = _scale(0, top, HEIGHT - BOTTOM, TOP)
    pieces = []
    for k in range(round(top / step) + 1):
        y = up(k * step)
        pieces.append(f'<path class="rule" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        pieces.append(f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{_tick(k * step, plot.unit)}</text>')
    every = max(1, -(-(last - first) // 12))
    pieces += [
        f'<text x="{right(value):.1f}" y="{HEIGHT - BOTTOM + 19}" text-anchor="middle">{value}</text>'
        for value in range(first, last + 1, every)
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    pieces.append(f'<text x="{middle:.0f}" y="{HEIGHT - 5}" text-anchor="middle">{text(plot.below)}</text>')
    for (name, values), (_, tone) in zip(plot.series.items(), _tones(plot.series, plot.published), strict=True):
        points = [(right(at), up(value)) for at, value in zip(plot.at, values, strict=True) if value is not None]
        way = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4"/>' for x, y in points)
        line = f'<path d="M{way}" fill="none"/>' if points else ""
        pieces.append(element("g", element("title", text(name)) + line + dots, class_=f"line {tone}"))
    drawn = element(
        "svg",
        "".join(pieces),
        class_="lines",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=f"{plot.title}. {plot.caption}",
    )
    return key_of(tuple(plot.series), plot.published) + drawn + element("p", text(plot.axis), class_="axis")


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    width = (high - low) or 1
    return lambda value: start + (value - low) / width * (end - start)


def _round_step(most: float) -> float:
    """A round number of which three to six make up the axis."""
    for unit in (0.001, 0.01, 0.1, 1.0, 10.0, 100.0):
        for factor in (1, 2, 5):
            if most / (unit * factor) <= 6:
                return unit * factor
    return most


def _tick(value: float, unit: Unit) -> str:
    return f"{round(100 * value, 3):g} %" if unit == "share" else f"{round(value, 3):g}"


def _heat(plot: Heat) -> str:
    boards = "".join(_board(name, rows) for name, rows in plot.boards.items())
    return element("div", boards, class_="boards") + element("p", text(plot.axis), class_="axis")


def _board(name: str, rows: Sequence[Sequence[float]]) -> str:
    head = element("td", "") + "".join(element("th", str(place), scope="col") for place in range(len(rows[0])))
    body = [
        element("th", str(place), scope="row") + "".join(_warm(value) for value in values)
        for place, values in enumerate(rows)
    ]
    inner = element("thead", element("tr", head)) + element("tbody", "".join(element("tr", row) for row in body))
    return element("table", element("caption", text(name)) + inner, class_="heat")


def _warm(value: float) -> str:
    """A cell, the more coloured the further it is from the average."""
    side = "above" if value >= 1 else "below"
    return element("td", f"{value:.1f}", class_=side, style=f"--v:{min(abs(value - 1), 1):.3f}")
