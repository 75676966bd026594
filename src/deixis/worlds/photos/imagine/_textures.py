"""Materials and patterns: the strength with which a second colour covers each pixel of a shape.

Patterns are computed for the shape at hand; grain and speckle are cut from sheets that are made once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np

from deixis.worlds.photos.imagine._chance import Chance


Color: TypeAlias = tuple[int, int, int]

COLORS: dict[str, Color] = {
    "white": (246, 246, 242),
    "black": (42, 42, 46),
    "gray": (148, 151, 156),
    "silver": (203, 208, 214),
    "brown": (134, 88, 52),
    "dark brown": (82, 52, 32),
    "light brown": (178, 130, 86),
    "tan": (212, 180, 134),
    "beige": (236, 224, 198),
    "red": (207, 48, 44),
    "maroon": (118, 28, 44),
    "orange": (240, 138, 40),
    "yellow": (248, 212, 60),
    "gold": (206, 164, 62),
    "green": (76, 152, 72),
    "teal": (30, 140, 140),
    "blue": (52, 104, 196),
    "light blue": (142, 190, 232),
    "dark blue": (34, 50, 110),
    "purple": (128, 76, 164),
    "pink": (242, 152, 184),
}
IMPLIED = {  # who says the first may as well say the second
    "dark blue": "blue",
    "light blue": "blue",
    "dark brown": "brown",
    "light brown": "brown",
}


@lru_cache(maxsize=4096)
def blend(one: Color, other: Color, share: float) -> Color:
    """Return a mixture of two colours, with the given share of the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def darker(color: Color, by: float = 0.3) -> Color:
    """Return the colour in shade."""
    return blend(color, (12, 12, 24), by)


def lighter(color: Color, by: float = 0.3) -> Color:
    """Return the colour in the light."""
    return blend(color, (255, 255, 255), by)


def edge(color: Color) -> Color:
    """Return the colour for the rim of something: darker, or lighter where darker could not be seen."""
    return darker(color, 0.42) if sum(color) > 170 else lighter(color, 0.26)


SHEET = 512


def cover(kind: str, width: int, height: int, period: float) -> np.ndarray:
    """Return the coverage by the second colour, uint8 [row, column], 255 for nothing else.

    Raises:
        KeyError: for a texture that does not exist.
    """
    return _KINDS[kind](width, height, max(2.0, period))


def _stripes(width: int, height: int, period: float) -> np.ndarray:
    column = (np.arange(width) % period < period / 2) * np.uint8(255)
    return np.ascontiguousarray(np.broadcast_to(column, (height, width)))


def _bands(width: int, height: int, period: float) -> np.ndarray:
    row = (np.arange(height) % period < period / 2) * np.uint8(255)
    return np.ascontiguousarray(np.broadcast_to(row[:, None], (height, width)))


def _checks(width: int, height: int, period: float) -> np.ndarray:
    across, down = np.arange(width) % period < period / 2, np.arange(height) % period < period / 2
    return (across[None, :] ^ down[:, None]) * np.uint8(255)


def _dots(width: int, height: int, period: float) -> np.ndarray:
    x, y = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)
    row = np.floor(y / period)
    across = (x[None, :] + (row % 2)[:, None] * period / 2) % period - period / 2
    down = (y % period - period / 2)[:, None]
    return (across**2 + down**2 < (0.27 * period) ** 2) * np.uint8(255)


def _brick(width: int, height: int, period: float) -> np.ndarray:
    mortar = max(1.0, period * 0.13)
    row = np.floor(np.arange(height) / period)
    across = (np.arange(width)[None, :] + (row % 2)[:, None] * period) % (2.0 * period) < mortar
    down = np.arange(height) % period < mortar
    return (across | down[:, None]) * np.uint8(235)


def _tiles(width: int, height: int, period: float) -> np.ndarray:
    line = max(1.0, period * 0.06)
    across, down = np.arange(width) % period < line, np.arange(height) % period < line
    return (across[None, :] | down[:, None]) * np.uint8(120)


def _planks(width: int, height: int, period: float) -> np.ndarray:
    """Boards side by side, each with the joints in other places, and grain."""
    sheet = _wood(width, height, period) // 2
    for board in range(int(height / period) + 1):
        top, bottom = int(board * period), int((board + 1) * period)
        sheet[top : top + 2] = 110
        for joint in range(1 + int(board * 97 % 13 * period) % int(9 * period), width, int(9 * period)):
            sheet[top:bottom, joint : joint + 2] = 110
    return sheet


def _metal(width: int, height: int, period: float) -> np.ndarray:
    del period
    place = (np.arange(width) + 0.5) / width
    shine = 210 * np.exp(-(((place - 0.3) / 0.1) ** 2)) + 110 * np.exp(-(((place - 0.78) / 0.07) ** 2))
    return np.ascontiguousarray(np.broadcast_to(shine.astype(np.uint8), (height, width)))


def _fade(width: int, height: int, period: float) -> np.ndarray:
    del period
    rise = (np.arange(height) + 0.5) / height * 255
    return np.ascontiguousarray(np.broadcast_to(rise.astype(np.uint8)[:, None], (height, width)))


def _wood(width: int, height: int, period: float) -> np.ndarray:
    del period
    return _cut(_grain_sheet(), width, height)


def _concrete(width: int, height: int, period: float) -> np.ndarray:
    del period
    return _cut(_speckle_sheet(3), width, height)


def _grassy(width: int, height: int, period: float) -> np.ndarray:
    del period
    return _cut(_blade_sheet(), width, height)


def _leather(width: int, height: int, period: float) -> np.ndarray:
    """Buttoned upholstery: seams crossing in lozenges."""
    x, y = np.arange(width)[None, :], np.arange(height)[:, None]
    wide = 2.4 * period
    return (np.minimum((x + y) % wide, (x - y) % wide) < 2.2) * np.uint8(220)


def _wicker(width: int, height: int, period: float) -> np.ndarray:
    step = max(3.0, period * 0.42)
    x, y = np.arange(width)[None, :] / step, np.arange(height)[:, None] / step
    is_over = (np.floor(x) + np.floor(y)) % 2 == 0
    along = np.where(is_over, x % 1, y % 1)
    return (np.abs(along - 0.5) * 2 * 170).astype(np.uint8)


def _wavy(width: int, height: int, period: float) -> np.ndarray:
    """Return a thin line for every wave."""
    sheet = np.zeros((height, width), np.uint8)
    x = np.arange(width)
    for wave in range(int(height / period) + 2):
        crest = (period * wave - 0.22 * period * np.sin(x / period * 1.7 + 2.1 * wave)).astype(np.int64)
        for row in range(max(1, round(0.14 * period))):
            is_inside = (crest + row >= 0) & (crest + row < height)
            sheet[crest[is_inside] + row, x[is_inside]] = 150
    return sheet


_KINDS = {
    "striped": _stripes,
    "banded": _bands,
    "checkered": _checks,
    "dotted": _dots,
    "brick": _brick,
    "tiled": _tiles,
    "planks": _planks,
    "metal": _metal,
    "fade": _fade,
    "wood": _wood,
    "concrete": _concrete,
    "stone": _concrete,
    "grassy": _grassy,
    "leather": _leather,
    "wicker": _wicker,
    "wavy": _wavy,
}


def _cut(sheet: np.ndarray, width: int, height: int) -> np.ndarray:
    times = (-(-height // SHEET), -(-width // SHEET))
    return np.ascontiguousarray(np.tile(sheet, times)[:height, :width] if max(times) > 1 else sheet[:height, :width])


@lru_cache(maxsize=1)
def _grain_sheet() -> np.ndarray:
    x, y = np.arange(SHEET)[None, :] / SHEET, np.arange(SHEET)[:, None] / SHEET
    turn = 2 * np.pi
    bend = 0.012 * np.sin(turn * (2 * x + 3 * y)) + 0.006 * np.sin(turn * (5 * x - 2 * y))
    lines = np.sin(turn * 34 * (y + bend)) + 0.6 * np.sin(turn * 79 * (y + bend))
    return (np.clip(lines, 0, 1.2) * 88).astype(np.uint8)


@lru_cache(maxsize=4)
def _speckle_sheet(size: int) -> np.ndarray:
    chance = Chance(size)
    sheet = np.zeros((SHEET, SHEET), np.uint8)
    for _ in range(2600):
        row, column, strength = chance.below(SHEET), chance.below(SHEET), chance.count(30, 110)
        sheet[row : row + size, column : column + chance.count(2, 2 * size)] = strength
    return sheet


@lru_cache(maxsize=1)
def _blade_sheet() -> np.ndarray:
    chance = Chance(17)
    sheet = np.zeros((SHEET, SHEET), np.uint8)
    for _ in range(2200):
        row, column, strength = chance.below(SHEET), chance.below(SHEET), chance.count(24, 80)
        sheet[row : row + chance.count(4, 11), column : column + 2] = strength
    return sheet
