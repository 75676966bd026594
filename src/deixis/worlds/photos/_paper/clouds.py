"""Word clouds as files: the same outlines as PNG on white, and as SVG that follows the reader's light or dark theme.

The frequent words stand large and in the middle, none on top of another. They are placed one after the other, the most
frequent first, each at the free place that is nearest to the middle. A word takes up the band of its small letters from
end to end, and what rises above it or hangs below it; so others may stand between a high *l* and a deep *g*, but not in
the gap between two words of one phrase. Nothing is random.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import islice
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.report._markup import element, number, text
from deixis.report._palette import INK, SOFT
from deixis.report.chart_matplotlib import DOTS_PER_INCH, load_matplotlib


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.report.chart_matplotlib import Format


FONT, WEIGHT = "DejaVu Sans", "bold"  # comes with matplotlib, so it is everywhere the same
GROWTH = 0.5  # sizes grow with this power of the frequency at most, or else the rarest words would be too small:
SMALLEST = 0.26  # of the size of the most frequent one is what they have at least
MOST = 100  # words that surely find room
LONGEST = 28  # letters that are kept of a word
ACROSS = 420  # cells of the grid that words are placed on, from left to right
BESIDE, ABOVE = 0.18, 0.08  # of its size stays free beside a word, and above and below it
FILLED = 0.9  # how much of the room the boxes of all words would fill at first
LESS = 0.96  # how much smaller all words become when they do not fit
LARGEST = 0.25  # of the room's height that the most frequent word is tall at most
MOVE = 1  # matplotlib's code for the beginning of a stroke
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
    INK[0]: INK[1],
    SOFT[0]: SOFT[1],
    PAPER: "#14171E",
    **dict(zip(TONES[0], ("#D3EBFF", "#A6D3F8", "#7CBCF0", "#65AEE8"), strict=True)),
    **dict(zip(TONES[1], ("#C6F5E3", "#8FE6C6", "#5BD3A9", "#3FC497"), strict=True)),
    **dict(zip(TONES[2], ("#FBDCEF", "#F2B8DC", "#E697C8", "#DC84BB"), strict=True)),
}


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """Words with their counts, of which `most` are shown under a title."""

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
    """Draw the figure as PNG and SVG files, with equal bytes for equal counts.

    Raises:
        DeixisError: when matplotlib is not installed.
    """
    matplotlib = load_matplotlib()
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
    """Yield the words of one cloud, its title in the middle above them."""
    middle, top = left + WIDTH / 2, bottom + WIDTH * ASPECT
    placed = lay_out(cloud.counts, most=cloud.most, aspect=ASPECT)
    yield _center_words(title, TITLE, middle, top + HEAD - 1.6 * TITLE, INK[0])
    if not placed:
        yield _center_words("none", TITLE, middle, bottom + WIDTH * ASPECT / 2, SOFT[0])
    for word in placed:
        tone = tones[min(int((1 - word.weight) * 1.4 * len(tones)), len(tones) - 1)]
        told = f"{word.word}: {number(word.count)}"
        yield _Shape(word.points * WIDTH + (left, bottom), outline_of(word.word)[1], tone, told)


def _center_words(words: str, size: float, middle: float, y: float, color: str) -> _Shape:
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


# -------------------------------------------------------------------------------- where the words stand


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word in its place.

    Attributes:
        word: as it is written.
        count: how often it is said.
        weight: its size, 1 being that of the most frequent word.
        x, y: where it begins, from the left and from below, in shares of the room's width.
        size: of its letters (an em), in shares of the room's width.
    """

    word: str
    count: int
    weight: float
    x: float
    y: float
    size: float

    @property
    def points(self) -> np.ndarray:
        """Its outline where it stands, in shares of the room's width: float64 [point, 2]."""
        return outline_of(self.word)[0] * self.size + (self.x, self.y)


def lay_out(counts: Mapping[str, int], *, most: int, aspect: float) -> list[PlacedWord]:
    """Return the most frequent words, each in a place of its own.

    Args:
        counts: how often each word is said.
        most: how many words are shown, 100 at most; those without a visible sign are left out.
        aspect: the height of the room over its width.
    """
    chosen = sorted((-count, word) for word, count in counts.items() if count > 0)
    printed = ((_make_printable(word), -count) for count, word in chosen)
    words = list(islice((one for one in printed if len(outline_of(one[0])[1])), min(most, MOST)))
    if not words:
        return []
    first, last = words[0][1], words[-1][1]
    growth = min(GROWTH, log(SMALLEST) / log(last / first)) if last < first else GROWTH
    weights = [(count / first) ** growth for _, count in words]
    boxes = [_boxes(word) * weight for (word, _), weight in zip(words, weights, strict=True)]
    room = (round(ACROSS * aspect), ACROSS)
    area = sum(float(np.ptp(box[:, ::2]) * np.ptp(box[:, 1::2])) for box in boxes)
    size = min((FILLED * room[0] * room[1] / area) ** 0.5, LARGEST * room[0])
    while (places := _fit(boxes, weights, size, room)) is None:
        size *= LESS
    return [
        PlacedWord(word, count, weight, x / ACROSS, y / ACROSS, size * weight / ACROSS)
        for (word, count), weight, (x, y) in zip(words, weights, places, strict=True)
    ]


@lru_cache(maxsize=1024)
def outline_of(word: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the outline of a word that begins at (0, 0), in ems: points [point, 2] and matplotlib's codes [point]."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a box stands for a sign that the font lacks
        points, codes = text_to_path.get_text_path(FontProperties(family=FONT, weight=WEIGHT), word)
    return np.reshape(np.asarray(points, np.float64), (-1, 2)) / text_to_path.FONT_SCALE, np.asarray(codes, np.uint8)


def _make_printable(word: str) -> str:
    """Return a word on one line, without signs that cannot be printed and not too long."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in word).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _boxes(word: str) -> np.ndarray:
    """Return the band of the small letters, then every stroke: left, bottom, right and top [box, 4] in ems."""
    points, codes = outline_of(word)
    strokes = np.split(points, np.flatnonzero(codes == MOVE)[1:])
    corners = [(*stroke[:-1].min(axis=0), *stroke[:-1].max(axis=0)) for stroke in strokes]  # the last closes it
    top = outline_of("x")[0][:, 1].max()
    return np.array([(points[:, 0].min(), 0, points[:, 0].max(), top), *corners])


def _fit(
    boxes: Sequence[np.ndarray], weights: Sequence[float], size: float, room: tuple[int, int]
) -> list[tuple[int, int]] | None:
    """Return a place for every word, in cells, or None where one finds no room."""
    taken = np.zeros(room, bool)
    places = []
    for some, weight in zip(boxes, weights, strict=True):
        cells = np.concatenate([np.floor(some[:, :2] * size), np.ceil(some[:, 2:] * size)], axis=1).astype(np.int64)
        left, bottom = cells[:, :2].min(axis=0).tolist()
        cells -= [left, bottom, left, bottom]
        place = _nearest(taken, cells)
        if place is None:
            return None
        x, y = place
        beside, above = round(BESIDE * weight * size) + 1, round(ABOVE * weight * size) + 1
        for x0, y0, x1, y1 in cells.tolist():
            taken[max(y + y0 - above, 0) : y + y1 + above, max(x + x0 - beside, 0) : x + x1 + beside] = True
        places.append((x - left, y - bottom))
    return places


def _nearest(taken: np.ndarray, cells: np.ndarray) -> tuple[int, int] | None:
    """Return the free place for some boxes whose middle is nearest to that of the room: its left and its bottom."""
    width, height = cells[:, 2:].max(axis=0).tolist()
    down, across = taken.shape[0] - height + 1, taken.shape[1] - width + 1
    if down < 1 or across < 1:
        return None
    before = np.pad(taken.cumsum(0, np.int32).cumsum(1), ((1, 0), (1, 0)))  # cells taken below and left of each
    free = np.ones((down, across), bool)
    for x0, y0, x1, y1 in cells.tolist():
        upper = before[y1 : y1 + down, x1 : x1 + across] - before[y1 : y1 + down, x0 : x0 + across]
        lower = before[y0 : y0 + down, x1 : x1 + across] - before[y0 : y0 + down, x0 : x0 + across]
        free &= upper == lower
    if not free.any():
        return None
    y, x = np.ogrid[:down, :across]
    off = ((2 * x + width) / taken.shape[1] - 1) ** 2 + ((2 * y + height) / taken.shape[0] - 1) ** 2
    best = int(np.where(free, off, np.inf).argmin())
    return best % across, best // across
