"""Backdrops: sky, ground, walls, water."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._pen import Paint
from deixis.worlds.photos.imagine._sprites.table import sprite
from deixis.worlds.photos.imagine._textures import Color, blend, darker, lighter


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import Pen


@sprite("sky")
def sky(pen: Pen) -> None:
    """Draw a sky that is paler towards the horizon."""
    _plain(pen, Paint(blend(pen.color, (150, 204, 250), 0.5), None, "fade", lighter(pen.color, 0.8)))


@sprite("wall")
def wall(pen: Pen) -> None:
    """Draw a wall of paint, paper, tiles or bricks, with a skirting board."""
    look = pen.look
    if look.texture == "brick":
        _plain(pen, Paint(pen.color, None, "brick", lighter(pen.color, 0.4), 11.0))
    elif look.texture == "tiled":
        _plain(pen, Paint(pen.color, None, "tiled", darker(pen.color, 0.3), 22.0))
    elif look.pattern:
        _plain(pen, Paint(pen.color, None, look.pattern, blend(pen.color, look.second, 0.35), 26.0))
    else:
        _plain(pen, Paint(pen.color, None, "fade", darker(pen.color, 0.1)))
    pen.box(0.0, 0.965, 1.0, 1.0, Paint(lighter(pen.color, 0.7)))


@sprite("floor")
def floor(pen: Pen) -> None:
    """Draw a floor of boards, tiles or plain."""
    texture = {"wood": "planks", "tiled": "tiled"}.get(pen.look.texture, "fade")
    strength = 0.45 if texture != "fade" else 0.15
    _plain(pen, Paint(pen.color, None, texture, darker(pen.color, strength), 15.0 if texture == "planks" else 24.0))


@sprite("grass", "field")
def grass(pen: Pen) -> None:
    """Draw grass with blades."""
    _plain(pen, Paint(pen.color, None, "grassy", darker(pen.color, 0.55)))


@sprite("sand", "dirt", "ground")
def sand(pen: Pen) -> None:
    """Draw speckled sand."""
    _plain(pen, Paint(pen.color, None, "concrete", darker(pen.color, 0.4)))


@sprite("water", "ocean")
def water(pen: Pen) -> None:
    """Draw rows of small waves."""
    _plain(pen, Paint(blend(pen.color, (110, 180, 230), 0.4), None, "wavy", lighter(pen.color, 0.7), 15.0))


@sprite("street", "road")
def street(pen: Pen) -> None:
    """Draw asphalt with a broken line."""
    _plain(pen, Paint(pen.color, None, "concrete", darker(pen.color, 0.35)))
    if pen.look.variant % 2 == 0:
        for i in range(6):
            x = 0.02 + 0.18 * i
            pen.box(x, 0.5, x + 0.1, 0.545, Paint((246, 240, 214)))


@sprite("sidewalk")
def sidewalk(pen: Pen) -> None:
    """Draw slabs with a kerb."""
    _plain(pen, Paint(pen.color, None, "tiled", darker(pen.color, 0.35), 24.0))
    pen.box(0.0, 0.9, 1.0, 1.0, Paint(darker(pen.color, 0.22)))


@sprite("platform")
def platform(pen: Pen) -> None:
    """Draw concrete with a yellow line at its edge."""
    _plain(pen, Paint(pen.color, None, "concrete", darker(pen.color, 0.4)))
    pen.box(0.0, 0.05, 1.0, 0.11, Paint((246, 206, 60)))


@sprite("train tracks")
def train_tracks(pen: Pen) -> None:
    """Draw two rails on sleepers in gravel."""
    _plain(pen, Paint((150, 144, 138), None, "concrete", (84, 80, 78)))
    for i in range(16):
        x = (i + 0.2) / 16
        pen.box(x, 0.15, x + 0.03, 0.9, Paint((104, 76, 54)))
    for y in (0.26, 0.72):
        pen.box(0.0, y, 1.0, y + 0.1, Paint((96, 100, 108)))


@sprite("path")
def path(pen: Pen) -> None:
    """Draw a way that winds from the front to the horizon."""
    pen.blob(
        (
            (0.42, 0.0),
            (0.5, 0.0),
            (0.46, 0.2),
            (0.62, 0.45),
            (0.7, 0.72),
            (1.0, 1.0),
            (0.0, 1.0),
            (0.22, 0.7),
            (0.36, 0.42),
            (0.36, 0.2),
        ),
        Paint(pen.color, darker(pen.color, 0.2), "concrete", darker(pen.color, 0.35)),
    )


@sprite("dock")
def dock(pen: Pen) -> None:
    """Draw planks on posts."""
    for i in range(5):
        x = 0.06 + 0.21 * i
        pen.box(x, 0.1, x + 0.035, 1.0, darker(pen.color, 0.45))
    pen.poly(
        ((0.0, 0.0), (1.0, 0.0), (1.0, 0.72), (0.0, 0.72)),
        Paint(pen.color, None, "striped", darker(pen.color, 0.14), 24.0),
    )
    pen.box(0.0, 0.66, 1.0, 0.78, darker(pen.color, 0.3))


@sprite("tabletop")
def tabletop(pen: Pen) -> None:
    """Draw a table that fills the picture."""
    look = pen.look
    color: Color = pen.color
    if look.pattern:
        paint = Paint(color, None, look.pattern, blend(look.second, color, 0.35), 34.0)
    elif look.texture == "wood":
        paint = Paint(color, None, "planks", darker(color, 0.5), 42.0)
    else:
        paint = Paint(color, None, "fade", darker(color, 0.08))
    _plain(pen, paint)
    pen.box(0.0, 0.0, 1.0, 0.012, Paint(darker(color, 0.4)))


@sprite("home plate")
def home_plate(pen: Pen) -> None:
    """Draw a white slab with a point."""
    pen.poly(((0.1, 0.0), (0.9, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)))


def _plain(pen: Pen, paint: Paint) -> None:
    pen.box(0.0, 0.0, 1.0, 1.0, paint)
