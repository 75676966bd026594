"""Word clouds as files: the same outlines as PNG on white, and as SVG that follows the reader's light or dark theme."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.reports.cloud_layout import lay_out, outline_of
from deixis.reports.figures import INK, SOFT, matplotlib_here
from deixis.reports.markup import element, number, text
from deixis.reports.sheets import DOTS_PER_INCH


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from deixis.reports.sheets import Format


__all__ = ["Cloud", "Clouds", "draw_clouds"]

WIDTH, ASPECT = 2.24, 0.9  # of one cloud: inches, and its height over its width
GAP, MARGIN, HEAD = 0.14, 0.06, 0.3  # inches: between clouds, around all, for the title of one
TITLE = 8 / 72  # inches that its letters are tall
UNITS = 2400  # of the SVG in an inch
STROKES = {1: ("M", 1), 2: ("l", 1), 3: ("q", 2), 4: ("c", 3), 79: ("z", 1)}  # by matplotlib's codes, with their points
COLORS = 128  # of the PNG
PAPER = "#FFFFFF"
# For each cloud in a row its colours, from the most frequent words to the rarest, and those on black.
TONES = (
    ("#003A61", "#00518A", "#0067A6", "#1F74AD"),
    ("#00452F", "#006044", "#007A58", "#1A7F60"),
    ("#5E1A44", "#7F2C60", "#A8467F", "#AD5188"),
)
DARK = {
    PAPER: "#14171E",
    INK: "#E8EBF2",
    SOFT: "#AEB7C9",
    **dict(zip(TONES[0], ("#D3EBFF", "#A6D3F8", "#7CBCF0", "#65AEE8"), strict=True)),
    **dict(zip(TONES[1], ("#C6F5E3", "#8FE6C6", "#5BD3A9", "#3FC497"), strict=True)),
    **dict(zip(TONES[2], ("#FBDCEF", "#F2B8DC", "#E697C8", "#DC84BB"), strict=True)),
}


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """Words and how often each is said; `most` of them are shown under a title."""

    title: str
    counts: Mapping[str, int]
    most: int = 60


@dataclass(frozen=True, kw_only=True)
class Clouds:
    """A figure of clouds.

    Attributes:
        name: that of its file.
        title: what it shows.
        rows: a name, which may be empty, and up to three clouds for each row.
    """

    name: str
    title: str
    rows: Sequence[tuple[str, Sequence[Cloud]]]

    @property
    def description(self) -> str:
        """The most frequent words, for those who cannot see the figure."""
        return " ".join(
            f"{name + ': ' if name else ''}{cloud.title.lower()}: {', '.join(list(cloud.counts)[:10]) or 'none'}."
            for name, clouds in self.rows
            for cloud in clouds
        )


class _Shape(NamedTuple):
    """A word as it is drawn: points in inches from the lower left, its colour, and what is told on pointing at it."""

    points: np.ndarray
    codes: np.ndarray
    color: str
    told: str


def draw_clouds(clouds: Clouds, formats: Sequence[Format]) -> dict[Format, bytes]:
    """The figure as PNG and SVG files; equal counts give equal bytes.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    matplotlib = matplotlib_here()
    widest = max(len(row) for _, row in clouds.rows)
    row_height = HEAD + WIDTH * ASPECT
    width = 2 * MARGIN + widest * WIDTH + (widest - 1) * GAP
    height = 2 * MARGIN + len(clouds.rows) * row_height + (len(clouds.rows) - 1) * GAP
    shapes: list[_Shape] = []
    for line, (name, row) in enumerate(clouds.rows):
        bottom = height - MARGIN - line * (row_height + GAP) - row_height
        for place, cloud in enumerate(row):
            title = f"{name}: {cloud.title.lower()}" if name else cloud.title
            shapes += _shapes(cloud, title, MARGIN + place * (WIDTH + GAP), bottom, TONES[place % len(TONES)])
    files: dict[Format, bytes] = {}
    for form in formats:
        is_svg = form == "svg"
        files[form] = _svg(shapes, width, height, clouds) if is_svg else _png(shapes, width, height, matplotlib)
    return files


def _shapes(cloud: Cloud, title: str, left: float, bottom: float, tones: Sequence[str]) -> Iterator[_Shape]:
    """The words of one cloud, its title in the middle above them."""
    middle, top = left + WIDTH / 2, bottom + WIDTH * ASPECT
    placed = lay_out(cloud.counts, most=cloud.most, aspect=ASPECT)
    yield _centred(title, TITLE, middle, top + HEAD - 1.6 * TITLE, INK)
    if not placed:
        yield _centred("none", TITLE, middle, bottom + WIDTH * ASPECT / 2, SOFT)
    for word in placed:
        tone = tones[min(int((1 - word.weight) * 1.4 * len(tones)), len(tones) - 1)]
        told = f"{word.word}: {number(word.count)}"
        yield _Shape(word.points * WIDTH + (left, bottom), outline_of(word.word)[1], tone, told)


def _centred(words: str, size: float, middle: float, y: float, color: str) -> _Shape:
    points, codes = outline_of(words)
    wide = min(size, WIDTH / max(points[:, 0].max(), 1e-9))
    return _Shape(points * wide + (middle - wide * points[:, 0].max() / 2, y), codes, color, "")


def _png(shapes: Sequence[_Shape], width: float, height: float, matplotlib: Any) -> bytes:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path
    from PIL import Image

    figure = matplotlib.figure.Figure(figsize=(width, height), facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    for shape in shapes:
        axes.add_patch(PathPatch(Path(shape.points, shape.codes), facecolor=shape.color, linewidth=0))
    drawn, stream = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH)
    few = Image.open(drawn).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)  # a third of the bytes
    few.save(stream, "PNG", optimize=True, dpi=(DOTS_PER_INCH, DOTS_PER_INCH))
    return stream.getvalue()


def _svg(shapes: Sequence[_Shape], width: float, height: float, clouds: Clouds) -> bytes:
    """Programs that know no themes show the light one."""
    used = dict.fromkeys((PAPER, *(shape.color for shape in shapes)))
    themes = "".join(f'[fill="{color}"]{{fill:{DARK[color]}}}' for color in used)
    across, down = round(UNITS * width), round(UNITS * height)
    size = f'width="{width:.3f}in" height="{height:.3f}in" viewBox="0 0 {across} {down}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        element("title", text(clouds.title)) + element("desc", text(clouds.description)),
        f"<style>@media (prefers-color-scheme:dark){{{themes}}}</style>",
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
    ]
    for shape in shapes:
        told = element("title", text(shape.told)) if shape.told else ""
        lines.append(element("path", told, fill=shape.color, d=_way(shape, down)))
    return "\n".join([*lines, "</svg>", ""]).encode()


def _way(shape: _Shape, down: int) -> str:
    """An outline in the letters of SVG: each stroke begins at a place, all else is told from the place before."""
    import numpy as np

    places = (np.round(shape.points * UNITS) * (1, -1) + (0, down)).astype(int).tolist()
    codes = shape.codes.tolist()
    pieces = []
    at, place = (0, 0), 0
    while place < len(codes):
        letter, many = STROKES[codes[place]]
        steps = places[place : place + many]
        fro = (0, 0) if letter == "M" else at
        pieces.append(letter + " ".join(f"{x - fro[0]} {y - fro[1]}" for x, y in steps if letter != "z"))
        at = at if letter == "z" else steps[-1]
        place += many
    return "".join(pieces)
