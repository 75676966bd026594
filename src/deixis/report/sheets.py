"""Figures of several panels as files for a paper: vector or raster, the same bytes every time."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.report.figures import (
    DARKER,
    INK,
    PATTERN_COLORS,
    SERIES,
    STYLE,
    dataset_colors,
    matplotlib_here,
    paint_chart,
    pattern_words,
    settle,
)
from deixis.report.markup import element, text


if TYPE_CHECKING:
    from deixis.report.figures import Chart


__all__ = ["FORMATS", "NARROW", "WIDE", "Format", "Sheet", "draw_dark_sheet", "draw_sheet"]

Format: TypeAlias = Literal["png", "svg"]
FORMATS: tuple[Format, ...] = ("png", "svg")
DOTS_PER_INCH = 300
WIDE, NARROW = 7.0, 3.4  # inches: the width of a page and of a column
ROW, LEGEND_LINE = 1.42, 0.19  # inches
SINGLE_ROW, EMPTY_ROW = 2.0, 0.6  # a row that stands alone, one in which there is nothing
LETTERS_PER_INCH = 19  # of a legend; a title has fewer
EMPTY_SHARE = 0.45  # how wide an empty panel is, beside one that is not
PRINT = STYLE | {
    "axes.labelsize": 7,
    "axes.titlesize": 7.5,
    "axes.titleweight": "bold",
    "axes.titlepad": 5,
    "font.size": 7,
    "grid.linewidth": 0.5,
    "axes.linewidth": 0.6,
    "legend.fontsize": 7,
    "savefig.dpi": DOTS_PER_INCH,
    "svg.fonttype": "path",  # looks the same wherever it is opened
    "xtick.labelsize": 6.6,
    "xtick.major.pad": 2,
    "ytick.labelsize": 6.6,
    "ytick.major.pad": 1.5,
}


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A figure of several panels.

    Attributes:
        name: that of its file.
        title: what it shows.
        description: the same numbers in words, for those who cannot see it.
        rows: the panels from top to bottom and left to right.
        width: in inches.
        patterns: those that have a colour in it.
        datasets: the names of the datasets, where it shows several.
        is_compared: whether published numbers are outlined in it.
    """

    name: str
    title: str
    description: str
    rows: tuple[tuple[Chart, ...], ...]
    width: float
    patterns: tuple[str, ...]
    datasets: tuple[str, ...] = ()
    is_compared: bool = False


def draw_sheet(sheet: Sheet, form: Format) -> bytes:
    """The figure as a PNG or SVG file, on white.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    matplotlib = matplotlib_here()
    with matplotlib.rc_context({**PRINT, "svg.hashsalt": sheet.name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the name of a dataset may have signs that no font has
        figure = _figure(sheet, matplotlib)
        stream = BytesIO()
        nothing = {"png": ("Software",), "svg": ("Date", "Creator", "Format", "Type")}[form]
        figure.savefig(stream, format=form, metadata=dict.fromkeys(nothing))
    return stream.getvalue() if form == "png" else _spoken(stream.getvalue().decode(), sheet).encode()


def draw_dark_sheet(sheet: Sheet) -> bytes:
    """The same figure as SVG for a dark page: the colours of the dark theme, on nothing."""
    svg = draw_sheet(sheet, "svg").decode()
    dark = {light.lower(): other for light, other in DARKER.items()} | {"#ffffff": "none"}
    return re.sub("|".join(dark), lambda found: dark[found[0].lower()], svg, flags=re.IGNORECASE).encode()


def _figure(sheet: Sheet, matplotlib: Any) -> Any:
    entries = _entries(sheet, matplotlib)
    lines = _lines(entries, sheet.width)
    usual = ROW if len(sheet.rows) > 1 else SINGLE_ROW
    empty = [all(chart.is_empty for chart in charts) for charts in sheet.rows]
    heights = [LEGEND_LINE * len(lines) + 0.06, *(EMPTY_ROW if nothing else usual for nothing in empty)]
    figure = matplotlib.figure.Figure(figsize=(sheet.width, sum(heights)), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.025, w_pad=0.03, hspace=0, wspace=0.01)
    top, *strips = figure.subfigures(len(heights), 1, height_ratios=heights)
    for number, line in enumerate(lines):
        labels = [entry.get_label() for entry in line]
        place = {"loc": "upper left", "bbox_to_anchor": (0.01, 1 - number / len(lines)), "borderpad": 0.3}
        gaps = {"handlelength": 1.1, "handleheight": 0.75, "handletextpad": 0.5, "columnspacing": 1.3}
        top.add_artist(matplotlib.legend.Legend(top, line, labels, ncols=len(line), **place, **gaps))
    for strip, charts in zip(strips, sheet.rows, strict=True):
        _strip(strip, charts, sheet.width)
    settle(figure)
    return figure


def _strip(strip: Any, charts: tuple[Chart, ...], inches: float) -> None:
    """A row of panels, each as wide as its labels and its title need."""
    alike = len({chart.name for chart in charts}) == 1
    widths = [_width(chart, is_alike=alike) for chart in charts]
    all_axes = strip.subplots(1, len(charts), width_ratios=widths, sharey=alike, squeeze=False)[0]
    for axes, chart, width in zip(all_axes, charts, widths, strict=True):
        letters = int(0.75 * LETTERS_PER_INCH * inches * width / sum(widths))
        axes.set_title(_shortened(chart.title, letters), loc="left")
        paint_chart(chart, axes)
        axes.locator_params(axis="y", nbins=5)
        if alike and axes is not all_axes[0]:
            axes.set_ylabel("")


def _width(chart: Chart, *, is_alike: bool) -> float:
    if is_alike:
        return EMPTY_SHARE if chart.is_empty else 1
    return max(8 + len(chart.labels) * max(3, *map(len, chart.labels)), 1.5 * len(chart.title))


def _shortened(name: str, letters: int) -> str:
    """A text of at most so many letters, cut in the middle: the ends of names tell them apart."""
    if len(name) <= letters:
        return name
    half = max(letters - 1, 2) // 2
    return f"{name[:half]}…{name[-half:]}"


def _entries(sheet: Sheet, matplotlib: Any) -> list[Any]:
    """What the colours and outlines mean."""
    patch = matplotlib.patches.Patch
    entries = [patch(color=PATTERN_COLORS.get(name, SERIES[-1]), label=pattern_words(name)) for name in sheet.patterns]
    colors = dataset_colors(sheet.datasets)
    entries += [
        patch(color=color, label=_shortened(name, 40)) for color, name in zip(colors, sheet.datasets, strict=True)
    ]
    if sheet.is_compared:
        entries.append(patch(fill=False, edgecolor=INK, linewidth=0.8, label="as published"))
    return entries


def _lines(entries: list[Any], width: float) -> list[list[Any]]:
    """The legend broken into lines that fit."""
    lines: list[list[Any]] = []
    used = 0.0
    for entry in entries:
        long = len(entry.get_label()) + 5
        if not lines or used + long > width * LETTERS_PER_INCH:
            lines.append([])
            used = 0.0
        lines[-1].append(entry)
        used += long
    return lines


def _spoken(svg: str, sheet: Sheet) -> str:
    """The drawing with its title and description for screen readers, and without a prolog that names other hosts."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    names = element("title", text(sheet.title)) + element("desc", text(sheet.description))
    return re.sub(r"^<svg ([^>]*)>", lambda found: f'<svg role="img" {found[1]}>\n{names}', svg, count=1)
