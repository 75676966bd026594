"""Figures of charts as files by matplotlib: raster or vector, the same bytes every time.

SVG is for a light page, for a dark one, or follows the screen of the reader.
"""

from __future__ import annotations

import re
import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.errors import DeixisError
from deixis.report._chart_marks import MARKERS, choose_dash, fill_style, paint_chart
from deixis.report._markup import Themes, element, text
from deixis.report._palette import DARK_OF, INK, LINE, PAPER, ROLES, SOFT


if TYPE_CHECKING:
    from deixis.report.chart import Chart, Figure, LegendEntry


__all__ = [
    "DOTS_PER_INCH",
    "FORMATS",
    "Format",
    "Theme",
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
        paint_chart(chart, axes, matplotlib)
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
    """The entries of the legend, broken into lines that fit."""
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
        dash = {"linestyle": choose_dash(one), "marker": MARKERS.get(one.color, "o"), "markersize": 3.2}
        return matplotlib.lines.Line2D([], [], color=color, linewidth=1.3, label=label, **dash)
    return matplotlib.patches.Patch(label=label, **fill_style(one.color))


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
