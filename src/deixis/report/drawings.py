"""Figures of several panels, for a page and as files: SVG that follows the theme of the reader, PNG on white."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from deixis.report.figures import DARKER, SERIES, STYLE, matplotlib_here, settle
from deixis.report.markup import Themes, element, text


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.report.sheets import Format


__all__ = ["DASHES", "Drawing", "color_of", "draw_file", "drawing_markup", "legend_columns"]

ROOM = 120  # letters of a line of the legend
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
class Drawing:
    """What is to be drawn.

    Attributes:
        name: of the files, and of the ids in a page.
        title: above it.
        caption: what is to be seen.
        size: its width and height in inches.
        paint: draws into a figure of matplotlib, which is handed over with it, and with a title that is empty where the
            page says it.
    """

    name: str
    title: str
    caption: str
    size: tuple[float, float]
    paint: Callable[[Any, Any, str], None]


def draw_file(drawing: Drawing, form: Format) -> bytes:
    """The drawing as a file: PNG on white, or SVG that is light or dark as the screen of the reader.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    if form == "png":
        return _drawn(drawing, "png", drawing.title)
    themes = Themes()
    drawn = themes.paint(_svg(drawing, drawing.title), DARKER)
    back = f'<rect width="100%" height="100%" style="fill:{themes.name("#FFFFFF", "#161A23")}"/>'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {_box(drawn)}'
    names = element("title", text(drawing.title)) + element("desc", text(drawing.caption))
    inner = drawn[drawn.index(">") + 1 :]
    return f'{opening} role="img">\n{names}\n{element("style", themes.rules())}\n{back}\n{inner}\n'.encode()


def drawing_markup(drawing: Drawing, themes: Themes) -> str:
    """The drawing as a figure of a page, in the colours of its theme.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    drawn = themes.paint(_svg(drawing, ""), DARKER)
    drawn = re.sub(r'\bid="', f'id="{drawing.name}-', drawn).replace("xlink:href", "href")
    drawn = drawn.replace('href="#', f'href="#{drawing.name}-').replace("url(#", f"url(#{drawing.name}-")
    label = text(f"{drawing.title}. {drawing.caption}")
    opening = f'<svg class="chart" {_box(drawn)} role="img" aria-label="{label}">'
    figure = opening + drawn[drawn.index(">") + 1 :]
    caption = element("figcaption", text(drawing.caption))
    return element("figure", element("h3", text(drawing.title)) + figure + caption, class_="curves")


def color_of(number: int) -> tuple[str, str]:
    """The colour of the series with this number, on a light and on a dark page."""
    color = SERIES[number % len(SERIES)]
    return color, DARKER[color]


def legend_columns(labels: list[str]) -> int:
    """How many entries of a legend there is room for side by side."""
    return max(1, min(len(labels), ROOM // max(len(label) + 6 for label in labels)))


def _svg(drawing: Drawing, title: str) -> str:
    """An SVG element without prolog and metadata."""
    svg = _drawn(drawing, "svg", title).decode()
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL).strip()


def _box(drawn: str) -> str:
    found = re.search(r'viewBox="[^"]*"', drawn)
    return found.group() if found else ""


def _drawn(drawing: Drawing, form: Format, title: str) -> bytes:
    matplotlib = matplotlib_here()
    options = {**STANDING, "svg.hashsalt": drawing.name, "svg.fonttype": "path"}
    with matplotlib.rc_context(options), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the name of a run may have signs that no font has
        figure = matplotlib.figure.Figure(figsize=drawing.size, layout="constrained")
        figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08, hspace=0.06, wspace=0.03)
        figure.patch.set_alpha(1 if form == "png" else 0)
        drawing.paint(figure, matplotlib, title)
        settle(figure)
        stream = BytesIO()
        nothing = {"png": ("Software",), "svg": ("Date", "Creator", "Format", "Type")}[form]
        figure.savefig(stream, format=form, metadata=dict.fromkeys(nothing))
    return stream.getvalue()
