"""Colours that a person can tell apart by name."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias


__all__ = ["COLORS", "IMPLIED", "Color", "blend", "darker", "edge", "lighter"]

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
    """A mixture of two colours; the share is that of the second."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def darker(color: Color, by: float = 0.3) -> Color:
    """The colour in shade."""
    return blend(color, (12, 12, 24), by)


def lighter(color: Color, by: float = 0.3) -> Color:
    """The colour in the light."""
    return blend(color, (255, 255, 255), by)


def edge(color: Color) -> Color:
    """The colour for the rim of something: darker, or lighter where darker could not be seen."""
    return darker(color, 0.42) if sum(color) > 170 else lighter(color, 0.26)
