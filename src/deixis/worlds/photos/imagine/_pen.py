"""Shapes, and the pen that puts them down in the coordinates of one thing.

A sprite is a function that is handed a pen and draws one kind of thing. It says where in fractions of the thing's own
box, x to the right and y downwards; people and what they wear are drawn from the skeleton instead, in shares of their
height, y upwards from their feet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from deixis.worlds.photos.imagine._textures import Color, darker, edge, lighter


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deixis.worlds.photos.imagine._skeleton import Skeleton


XY: TypeAlias = tuple[float, float]
POLYGON, OVAL, LIMB = range(3)
OUTLINE_PX = 1.1  # how wide the darker edge of a shape is


class Paint(NamedTuple):
    """The fill of a shape.

    Attributes:
        line: the colour of its edge, or None for no edge.
        texture: a texture laid over the colour, see `textures`; empty for none.
        over: the colour of that texture.
        period: how large the texture is, in pixels.
        opacity: below 1, what lies behind shines through.
    """

    color: Color
    line: Color | None = None
    texture: str = ""
    over: Color = (0, 0, 0)
    period: float = 12.0
    opacity: float = 1.0


class Shape(NamedTuple):
    """A polygon, the oval between two corners, or a limb: a thick line with round ends. In pixels."""

    kind: int
    points: tuple[XY, ...]
    paint: Paint
    width: float = 0.0


class Frame(NamedTuple):
    """The frame of a thing's own coordinates in the picture: the pixel of (0, 0), and the pixels of one unit."""

    x: float
    y: float
    across: float  # negative for a thing that faces left
    down: float  # negative where y counts upwards

    def at(self, x: float, y: float) -> XY:
        """Return a point of the thing, in pixels."""
        return self.x + self.across * x, self.y + self.down * y


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The visible traits of a thing beside its kind.

    Attributes:
        texture: how its material looks; empty for plain.
        state: what it is doing or how it is: 'lying', 'open', 'lit'; empty where it is nothing of note.
        variant: a number that sprites may vary with, in ways that no word describes.
        body: the skeleton, for people and for what they wear.
    """

    color: Color
    second: Color = (255, 255, 255)
    texture: str = ""
    pattern: str = ""
    shape: str = ""
    state: str = ""
    variant: int = 0
    body: Skeleton | None = None


class Pen:
    """A pen that collects the shapes of one thing."""

    def __init__(self, frame: Frame, look: Look) -> None:
        self.frame, self.look = frame, look
        self.shapes: list[Shape] = []
        self.unit = min(abs(frame.across), abs(frame.down))  # widths are shares of the shorter side
        self._main = self._main_paint()

    @property
    def color(self) -> Color:
        """The main colour of the thing."""
        return self.look.color

    @property
    def dark(self) -> Color:
        """The main colour in shade."""
        return darker(self.look.color)

    @property
    def light(self) -> Color:
        """The main colour in the light."""
        return lighter(self.look.color)

    def poly(self, points: Sequence[XY], fill: Color | Paint | None = None) -> None:
        """Draw a polygon, without a fill in the thing's own colour and texture."""
        self.shapes.append(Shape(POLYGON, tuple(self.frame.at(x, y) for x, y in points), self._paint(fill)))

    def blob(self, points: tuple[XY, ...], fill: Color | Paint | None = None) -> None:
        """Draw a smooth closed curve through the points."""
        self.poly(smooth(points), fill)

    def oval(self, left: float, top: float, right: float, bottom: float, fill: Color | Paint | None = None) -> None:
        """Draw the upright oval that fills a rectangle."""
        (a, b), (c, d) = self.frame.at(left, top), self.frame.at(right, bottom)
        corners = ((min(a, c), min(b, d)), (max(a, c), max(b, d)))
        self.shapes.append(Shape(OVAL, corners, self._paint(fill)))

    def disc(self, x: float, y: float, radius: float, fill: Color | Paint | None = None) -> None:
        """Draw a circle, its radius a share of the thing's shorter side."""
        a, b = self.frame.at(x, y)
        r = radius * self.unit
        self.shapes.append(Shape(OVAL, ((a - r, b - r), (a + r, b + r)), self._paint(fill)))

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        fill: Color | Paint | None = None,
        *,
        bend: float = 0.0,
    ) -> None:
        """Draw an upright rectangle, its corners rounded by a share of the thing's shorter side."""
        if bend <= 0:
            self.poly(((left, top), (right, top), (right, bottom), (left, bottom)), fill)
            return
        dx = min(bend * self.unit / abs(self.frame.across), (right - left) / 2)
        dy = min(bend * self.unit / abs(self.frame.down), (bottom - top) / 2)
        corners = ((right - dx, top + dy, 0), (right - dx, bottom - dy, 1), (left + dx, bottom - dy, 2))
        points = []
        for x, y, quarter in (*corners, (left + dx, top + dy, 3)):
            points += [(x + dx * a, y + dy * b) for a, b in _QUARTERS[quarter]]
        self.poly(points, fill)

    def limb(self, points: Sequence[XY], width: float, fill: Color | Paint | None = None) -> None:
        """Draw a thick line with round ends, its width a share of the thing's shorter side."""
        placed = tuple(self.frame.at(x, y) for x, y in points)
        self.shapes.append(Shape(LIMB, placed, self._paint(fill), width * self.unit))

    def line(self, points: Sequence[XY], width: float, color: Color) -> None:
        """Draw a thick line without an edge of its own."""
        self.limb(points, width, Paint(color))

    def glass(self, points: Sequence[XY], tint: Color = (206, 228, 240), opacity: float = 0.45) -> None:
        """Draw a pane of glass.

        Draw its edge too, for the edge is what is seen of it.
        """
        self.poly(points, Paint(tint, opacity=opacity))

    def _paint(self, fill: Color | Paint | None) -> Paint:
        if fill is None:
            return self._main
        if isinstance(fill, Paint):
            return fill
        return Paint(fill, line=edge(fill))

    def _main_paint(self) -> Paint:
        look = self.look
        rim = edge(look.color)
        size = max(abs(self.frame.across), abs(self.frame.down))
        if look.pattern:
            return Paint(look.color, rim, look.pattern, look.second, max(5.0, min(0.16 * size, 16.0)))
        if look.texture in TEXTURE_INKS:
            over = TEXTURE_INKS[look.texture](look.color)
            most = 7.0 if look.texture == "brick" else 18.0
            return Paint(look.color, rim, look.texture, over, max(4.0, min(0.2 * size, most)))
        return Paint(look.color, rim)


TEXTURE_INKS: dict[
    str, Callable[[Color], Color]
] = {  # materials with a look of their own, and the colour of their grain, seams or shine
    "brick": lambda color: lighter(color, 0.55),
    "concrete": darker,
    "leather": lambda color: darker(color, 0.25),
    "metal": lambda color: lighter(color, 0.75),
    "stone": darker,
    "wicker": darker,
    "wood": lambda color: darker(color, 0.16 if sum(color) > 600 else 0.3),
}
_STEPS = 4
_QUARTERS = [
    [(cos(pi / 2 * (quarter - 1 + i / _STEPS)), sin(pi / 2 * (quarter - 1 + i / _STEPS))) for i in range(_STEPS + 1)]
    for quarter in range(4)
]


@lru_cache(maxsize=2048)
def smooth(points: tuple[XY, ...], steps: int = 5) -> tuple[XY, ...]:
    """Return a closed curve through the points (Catmull and Rom), as a polygon."""
    curve = []
    count = len(points)
    for i in range(count):
        (a, b), (c, d), (e, f), (g, h) = (points[(i + j) % count] for j in (-1, 0, 1, 2))
        for step in range(steps):
            t = step / steps
            curve.append((_cubic(a, c, e, g, t), _cubic(b, d, f, h, t)))
    return tuple(curve)


@lru_cache(maxsize=2048)
def arc(x: float, y: float, across: float, down: float, start: float, end: float) -> tuple[XY, ...]:
    """Return points on an oval around (x, y), from one angle to another in full turns, clockwise from the right."""
    steps = max(4, round(abs(end - start) * 28))
    angles = [2 * pi * (start + (end - start) * i / steps) for i in range(steps + 1)]
    return tuple((x + across * cos(angle), y + down * sin(angle)) for angle in angles)


def _cubic(a: float, b: float, c: float, d: float, t: float) -> float:
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
