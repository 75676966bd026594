"""Where the words of a cloud stand: the frequent ones large and in the middle, none on top of another.

Words are placed one after the other, the most frequent first, each at the free place that is nearest to the middle.
A word takes up the band of its small letters from end to end, and what rises above it or hangs below it; so others may
stand between a high *l* and a deep *g*, but not in the gap between two words of one phrase. Nothing is random.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import log
from typing import TYPE_CHECKING

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["Placed", "lay_out", "outline_of"]

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


@dataclass(frozen=True, slots=True)
class Placed:
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


def lay_out(counts: Mapping[str, int], *, most: int, aspect: float) -> list[Placed]:
    """The most frequent words, each in a place of its own.

    Args:
        counts: how often each word is said.
        most: how many words are shown, 100 at most; those without a visible sign are left out.
        aspect: the height of the room over its width.
    """
    chosen = sorted((-count, word) for word, count in counts.items() if count > 0)
    printed = ((_printed(word), -count) for count, word in chosen)
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
        Placed(word, count, weight, x / ACROSS, y / ACROSS, size * weight / ACROSS)
        for (word, count), weight, (x, y) in zip(words, weights, places, strict=True)
    ]


@lru_cache(maxsize=1024)
def outline_of(word: str) -> tuple[np.ndarray, np.ndarray]:
    """The outline of a word that begins at (0, 0), in ems: points [point, 2] and matplotlib's codes [point]."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a box stands for a sign that the font lacks
        points, codes = text_to_path.get_text_path(FontProperties(family=FONT, weight=WEIGHT), word)
    return np.reshape(np.asarray(points, np.float64), (-1, 2)) / text_to_path.FONT_SCALE, np.asarray(codes, np.uint8)


def _printed(word: str) -> str:
    """A word on one line, without signs that cannot be printed and not too long."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in word).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _boxes(word: str) -> np.ndarray:
    """The band of the small letters, then every stroke: left, bottom, right and top [box, 4] in ems."""
    points, codes = outline_of(word)
    strokes = np.split(points, np.flatnonzero(codes == MOVE)[1:])
    corners = [(*stroke[:-1].min(axis=0), *stroke[:-1].max(axis=0)) for stroke in strokes]  # the last closes it
    top = outline_of("x")[0][:, 1].max()
    return np.array([(points[:, 0].min(), 0, points[:, 0].max(), top), *corners])


def _fit(
    boxes: Sequence[np.ndarray], weights: Sequence[float], size: float, room: tuple[int, int]
) -> list[tuple[int, int]] | None:
    """A place for every word, in cells; None where one finds no room."""
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
    """The free place for some boxes whose middle is nearest to that of the room: its left and its bottom."""
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
