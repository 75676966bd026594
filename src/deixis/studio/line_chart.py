"""Small line charts as SVG in the colours of the page; lines differ by dashes and marks, too."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


__all__ = ["STYLES", "Line", "draw_lines", "swatch"]

WIDTH, HEIGHT = 560, 250
LEFT, RIGHT, TOP, BOTTOM = 62, 18, 12, 30
MOST_POINTS = 240  # of a line; more are averaged
MOST_TICKS = 6
STYLES = 6  # that are told apart
SIGNS = ("circle", "square", "diamond", "up", "down", "cross")


class Line(NamedTuple):
    """One line: what it is called, which of the styles it has, its points, and the place of a ring."""

    name: str
    style: int
    points: Sequence[tuple[float, float]]
    ring: float | None = None


@dataclass(frozen=True)
class _Axis:
    """How values become places."""

    low: float
    high: float
    start: float
    stop: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        low, high, at = (math.log(one) if self.is_log else one for one in (self.low, self.high, value))
        return round(self.start + (at - low) / ((high - low) or 1) * (self.stop - self.start), 2)


def draw_lines(lines: Sequence[Line], *, title: str, is_log: bool = False, is_share: bool = False) -> Markup:
    """The lines in one frame.

    Args:
        lines: at least one with a point.
        title: what is to be seen, for those who do not see it, too.
        is_log: whether heights are on a logarithmic scale; only points above 0 are drawn then.
        is_share: whether heights are shares, to be read in per cent.
    """
    drawn = [line._replace(points=_thinned([p for p in line.points if p[1] > 0 or not is_log])) for line in lines]
    heights = [y for line in drawn for _, y in line.points]
    if not heights:
        return Markup("")
    right = max(x for line in drawn for x, _ in line.points)
    low, high = (min(heights), max(heights)) if is_log else (0.0, max(heights) or 1.0)
    if is_log:  # some air above and below
        low, high = (low / 2, high * 2) if low == high else (low / 1.1, high * 1.1)
    x_ticks, y_ticks = _ticks(0, right or 1), _log_ticks(low, high) if is_log else _ticks(0, high, beyond=True)
    x_axis = _Axis(0, right or 1, LEFT, WIDTH - RIGHT)
    y_axis = _Axis(min(low, *y_ticks), max(high, *y_ticks), HEIGHT - BOTTOM, TOP, is_log)
    inside = [*_grid(x_axis, x_ticks, y_axis, y_ticks, is_share=is_share)]
    for line in drawn:
        inside += _line(line, x_axis, y_axis)
    said = _spoken(title, drawn, is_share=is_share)
    numbers = json.dumps([{"name": line.name, "style": line.style % STYLES, "points": line.points} for line in drawn])
    frame = json.dumps([x_axis.low, x_axis.high, x_axis.start, x_axis.stop, TOP, HEIGHT - BOTTOM])
    return Markup(
        '<svg class="lines" viewBox="0 0 {w} {h}" role="img" tabindex="0" aria-label="{said}" data-lines="{numbers}" '
        'data-frame="{frame}" data-share="{share}">{inside}</svg>'
    ).format(
        w=WIDTH,
        h=HEIGHT,
        said=said,
        numbers=numbers,
        frame=frame,
        share="yes" if is_share else "",
        inside=Markup("").join(inside),
    )


def swatch(style: int) -> Markup:
    """How a line looks, for a legend."""
    sign = _sign(style, 16, 7)
    return Markup(
        '<svg class="swatch" viewBox="0 0 32 14" width="32" height="14" aria-hidden="true">'
        '<path class="line s{style}" d="M1 7H31"/>{sign}</svg>'
    ).format(style=style % STYLES, sign=sign)


def _line(line: Line, x_axis: _Axis, y_axis: _Axis) -> Iterator[Markup]:
    if not line.points:
        return
    places = [(x_axis(x), y_axis(y)) for x, y in line.points]
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in places)
    yield Markup('<path class="line s{}" d="{}"><title>{}</title></path>').format(line.style % STYLES, path, line.name)
    yield _sign(line.style, *places[-1])
    ringed = next((place for place, (x, _) in zip(places, line.points, strict=True) if x == line.ring), None)
    if ringed:
        yield Markup('<circle class="ring s{}" cx="{}" cy="{}" r="7"/>').format(line.style % STYLES, *ringed)


def _sign(style: int, x: float, y: float) -> Markup:
    """The mark of a style."""
    number = style % STYLES
    r = 3.4
    corners: tuple[tuple[float, float], ...]
    match SIGNS[number]:
        case "circle":
            return Markup('<circle class="sign s{}" cx="{}" cy="{}" r="{}"/>').format(number, x, y, r)
        case "square":
            corners = ((-r, -r), (r, -r), (r, r), (-r, r))
        case "diamond":
            corners = ((0, -r * 1.3), (r * 1.3, 0), (0, r * 1.3), (-r * 1.3, 0))
        case "up":
            corners = ((0, -r * 1.2), (r * 1.2, r), (-r * 1.2, r))
        case "down":
            corners = ((0, r * 1.2), (r * 1.2, -r), (-r * 1.2, -r))
        case _:
            corners = ((-r, -r), (r, r), (0, 0), (r, -r), (-r, r), (0, 0))
    path = "M" + "L".join(f"{x + dx:g} {y + dy:g}" for dx, dy in corners) + "Z"
    return Markup('<path class="sign s{}" d="{}"/>').format(number, path)


def _grid(
    x_axis: _Axis, x_ticks: Sequence[float], y_axis: _Axis, y_ticks: Sequence[float], *, is_share: bool
) -> Iterator[Markup]:
    for value in y_ticks:
        y = y_axis(value)
        yield Markup('<path class="rule" d="M{} {}H{}"/>').format(LEFT, y, WIDTH - RIGHT)
        yield _text(LEFT - 8, y + 4, f"{100 * value:g} %" if is_share else f"{value:g}", "end")
    for value in x_ticks:
        yield _text(x_axis(value), HEIGHT - BOTTOM + 20, _short(value), "middle")


def _text(x: float, y: float, said: str, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, round(y, 2), anchor, said)


def _short(value: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _ticks(low: float, high: float, *, beyond: bool = False) -> list[float]:
    """Round numbers from `low` on, at most so many; `beyond` adds the first above `high`."""
    rough = (high - low) / (MOST_TICKS - 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough * 0.999)
    count = math.ceil((high - low) / step - 1e-9) if beyond else math.floor((high - low) / step + 1e-9)
    return [round(low + step * number, 12) for number in range(count + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1, 2, 5) if high / low < 100 else (1,)
    every = [factor * 10.0**power for power in powers for factor in factors]
    some = [round(value, 12) for value in every if low * 0.999 <= value <= high * 1.001]
    return some[:: max(1, math.ceil(len(some) / MOST_TICKS))] or [low, high]


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most so many points: each the mean of its neighbours, at the last of them."""
    size = math.ceil(len(points) / MOST_POINTS) or 1
    groups = [points[start : start + size] for start in range(0, len(points), size)]
    return [(group[-1][0], round(sum(y for _, y in group) / len(group), 6)) for group in groups]


def _spoken(title: str, lines: Sequence[Line], *, is_share: bool) -> str:
    """The chart in words: where each line begins and ends."""
    drawn = [line for line in lines if line.points]
    ends = [(line.name, *(_read(line.points[at][1], is_share=is_share) for at in (0, -1))) for line in drawn]
    said = "; ".join(f"{name}: from {first} to {last}" for name, first, last in ends)
    return f"{title}. {said}."


def _read(value: float, *, is_share: bool) -> str:
    return f"{100 * value:.1f} %" if is_share else f"{value:.3g}"
