"""Plants, buildings and other things outdoors."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._pen import Paint, arc
from deixis.worlds.photos.imagine._sprites.table import sprite
from deixis.worlds.photos.imagine._textures import COLORS, Color, blend, darker, lighter


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import Pen


BARK: Color = (112, 78, 50)
STEM: Color = (70, 132, 62)
STEEL: Color = (120, 124, 132)
PANE: Color = (176, 208, 228)


@sprite("tree")
def tree(pen: Pen) -> None:
    """Draw a trunk and a crown: round, in tiers, or bare."""
    pen.poly(((0.44, 0.5), (0.56, 0.5), (0.6, 0.99), (0.4, 0.99)), Paint(BARK, darker(BARK), "wood", darker(BARK)))
    if pen.look.state == "bare":
        for a, b, c, d in (
            (0.5, 0.6, 0.5, 0.06),
            (0.5, 0.62, 0.2, 0.3),
            (0.5, 0.5, 0.8, 0.2),
            (0.34, 0.44, 0.3, 0.14),
            (0.66, 0.34, 0.92, 0.34),
        ):
            pen.limb(((a, b), (c, d)), 0.07, BARK)
        for a, b, c, d in (
            (0.5, 0.3, 0.36, 0.08),
            (0.5, 0.24, 0.64, 0.06),
            (0.24, 0.34, 0.08, 0.28),
            (0.76, 0.24, 0.88, 0.08),
        ):
            pen.limb(((a, b), (c, d)), 0.035, BARK)
        return
    if pen.look.variant % 3 == 2:
        for top, bottom, half in ((0.42, 0.84, 0.46), (0.22, 0.62, 0.38), (0.0, 0.4, 0.28)):
            pen.poly(((0.5, top), (0.5 + half, bottom), (0.5 - half, bottom)))
        return
    for x, y, r in (
        (0.24, 0.42, 0.22),
        (0.76, 0.42, 0.22),
        (0.5, 0.5, 0.24),
        (0.34, 0.22, 0.22),
        (0.66, 0.22, 0.22),
        (0.5, 0.14, 0.2),
    ):
        pen.oval(max(0, x - r), max(0, y - 0.75 * r), min(1, x + r), y + 0.75 * r)
    pen.oval(0.18, 0.12, 0.82, 0.56, Paint(pen.color))
    for x, y in ((0.3, 0.3), (0.52, 0.2), (0.66, 0.36), (0.42, 0.44)):
        pen.line(arc(x, y, 0.08, 0.05, 0.55, 0.95), 0.022, pen.dark)


@sprite("palm tree")
def palm_tree(pen: Pen) -> None:
    """Draw a ringed bow of a trunk with hanging fronds."""
    pen.limb(((0.56, 0.98), (0.5, 0.7), (0.48, 0.28)), 0.13, COLORS["light brown"])
    for y in (0.86, 0.74, 0.62, 0.5, 0.4):
        pen.line(((0.46, y), (0.58, y - 0.01)), 0.02, BARK)
    for dx, dy in (
        (-0.48, 0.12),
        (-0.42, -0.1),
        (-0.2, -0.22),
        (0.22, -0.22),
        (0.44, -0.1),
        (0.48, 0.14),
        (-0.3, 0.26),
        (0.3, 0.28),
    ):
        x, y = 0.48 + dx, max(0.02, 0.26 + dy)
        pen.blob(((0.48, 0.22), (0.48 + dx * 0.5, 0.16 + dy * 0.6), (x, y), (0.48 + dx * 0.45, 0.25 + dy * 0.7)))
    for x in (0.43, 0.52):
        pen.disc(x, 0.3, 0.06, BARK)


@sprite("bush")
def bush(pen: Pen) -> None:
    """Draw a low heap of leaves."""
    for x, y, r in ((0.2, 0.62, 0.2), (0.8, 0.62, 0.2), (0.36, 0.38, 0.22), (0.64, 0.36, 0.22), (0.5, 0.62, 0.26)):
        pen.oval(x - r, y - 1.5 * r, x + r, min(0.98, y + 1.7 * r))
    pen.box(0.14, 0.5, 0.86, 0.95, Paint(pen.color))
    for x, y in ((0.3, 0.5), (0.52, 0.4), (0.7, 0.56), (0.44, 0.72)):
        pen.line(arc(x, y, 0.06, 0.12, 0.55, 0.95), 0.03, pen.dark)


@sprite("flower")
def flower(pen: Pen) -> None:
    """Draw a stem, two leaves, petals."""
    pen.line(((0.5, 0.3), (0.5, 0.98)), 0.09, STEM)
    pen.blob(((0.5, 0.84), (0.24, 0.66), (0.1, 0.68), (0.26, 0.82)), STEM)
    pen.blob(((0.5, 0.78), (0.76, 0.6), (0.9, 0.62), (0.74, 0.76)), STEM)
    ratio = abs(pen.frame.across / pen.frame.down)
    for i in range(6):
        x, y = 0.5 + 0.28 * cos(pi * i / 3), 0.28 + 0.28 * ratio * sin(pi * i / 3)
        pen.disc(x, y, 0.2)
    pen.disc(0.5, 0.28, 0.17, (250, 206, 64) if pen.color != COLORS["yellow"] else (140, 84, 40))


@sprite("plant")
def plant(pen: Pen) -> None:
    """Draw leaves out of a pot."""
    for dx, top in ((-0.42, 0.2), (0.42, 0.22), (-0.24, 0.04), (0.26, 0.06), (0.0, 0.0), (-0.46, 0.42), (0.46, 0.44)):
        pen.blob(
            (
                (0.5, 0.7),
                (0.5 + 0.35 * dx, 0.4 * top + 0.36),
                (0.5 + dx, top),
                (0.5 + 0.75 * dx + 0.06, 0.5 * top + 0.36),
            )
        )
    pen.poly(((0.26, 0.68), (0.74, 0.68), (0.66, 0.99), (0.34, 0.99)), pen.look.second)
    pen.box(0.22, 0.64, 0.78, 0.73, pen.look.second, bend=0.04)


@sprite("rock")
def rock(pen: Pen) -> None:
    """Draw a lump with a lit and a dark side."""
    pen.poly(((0.02, 0.98), (0.1, 0.5), (0.34, 0.12), (0.62, 0.06), (0.88, 0.4), (0.99, 0.98)))
    pen.poly(((0.62, 0.06), (0.88, 0.4), (0.98, 0.97), (0.66, 0.97), (0.58, 0.5)), Paint(pen.dark))
    pen.poly(((0.14, 0.5), (0.34, 0.16), (0.56, 0.12), (0.4, 0.42)), Paint(pen.light))


@sprite("log")
def log(pen: Pen) -> None:
    """Draw a trunk on its side, with rings at its end."""
    pen.box(0.06, 0.1, 0.94, 0.95, Paint(pen.color, pen.dark, "wood", darker(pen.color, 0.6)), bend=0.3)
    pen.oval(0.78, 0.06, 0.99, 0.97, lighter(pen.color, 0.5))
    pen.oval(0.83, 0.28, 0.94, 0.74, lighter(pen.color, 0.3))


@sprite("fence")
def fence(pen: Pen) -> None:
    """Draw posts and two rails, or pickets with points when the variant says so."""
    count = max(3, round(abs(pen.frame.across / pen.frame.down) * (3 if pen.look.variant % 2 else 1.2)))
    for y in (0.34, 0.68):
        pen.box(0.0, y, 1.0, y + 0.13)
    for i in range(count):
        x = (i + 0.5) / count
        half = min(0.16, 0.28 / count)
        pen.poly(((x - half, 0.12), (x, 0.01), (x + half, 0.12), (x + half, 0.99), (x - half, 0.99)))


@sprite("pole")
def pole(pen: Pen) -> None:
    """Draw a tall thin post."""
    pen.box(0.25, 0.01, 0.75, 0.99, bend=0.2)
    pen.oval(0.1, 0.0, 0.9, 0.03, pen.dark)


@sprite("street light")
def street_light(pen: Pen) -> None:
    """Draw a post that bends over to a lamp."""
    pen.line(arc(0.42, 0.12, 0.26, 0.09, 0.5, 1.0), 0.1, STEEL)
    pen.limb(((0.16, 0.97), (0.16, 0.12)), 0.13)
    if pen.look.state == "lit":
        pen.disc(0.74, 0.17, 0.2, Paint((255, 244, 170), opacity=0.45))
    pen.poly(((0.54, 0.1), (0.9, 0.1), (0.98, 0.15), (0.48, 0.15)))
    pen.oval(0.54, 0.13, 0.92, 0.18, (255, 236, 130) if pen.look.state == "lit" else (226, 230, 234))
    pen.box(0.02, 0.95, 0.32, 0.995, pen.dark)


@sprite("traffic light")
def traffic_light(pen: Pen) -> None:
    """Draw three lamps, one of them lit, in a case on a post."""
    pen.box(0.4, 0.36, 0.6, 0.99, STEEL)
    pen.box(0.12, 0.01, 0.88, 0.4, bend=0.14)
    for i, (color, name) in enumerate((((236, 50, 46), "red"), ((250, 200, 50), "yellow"), ((66, 196, 88), "green"))):
        pen.disc(0.5, 0.075 + 0.125 * i, 0.24, color if pen.look.state == name else darker(color, 0.72))


@sprite("sign")
def sign(pen: Pen) -> None:
    """Draw a board with lines of writing, round or square or three-cornered."""
    ink = darker(pen.color, 0.8) if sum(pen.color) > 420 else (248, 248, 244)
    shape = pen.look.shape
    if shape == "round":
        pen.oval(0.01, 0.01, 0.99, 0.99)
        pen.oval(0.1, 0.1, 0.9, 0.9, Paint(pen.color, ink))
        pen.box(0.2, 0.42, 0.8, 0.58, Paint(ink))
    elif shape == "triangular":
        pen.poly(((0.5, 0.01), (0.99, 0.98), (0.01, 0.98)))
        pen.line(((0.5, 0.4), (0.5, 0.7)), 0.1, ink)
        pen.disc(0.5, 0.86, 0.06, Paint(ink))
    else:
        pen.box(0.01, 0.01, 0.99, 0.99, bend=0.08)
        pen.box(0.05, 0.08, 0.95, 0.92, Paint(pen.color, ink), bend=0.06)
        _writing(pen, ink, 0.14, 0.26, 0.86, 0.76)


@sprite("stop sign")
def stop_sign(pen: Pen) -> None:
    """Draw a red octagon that says stop."""
    eight = tuple((0.5 + 0.5 * cos(pi * (i + 0.5) / 4), 0.5 + 0.5 * sin(pi * (i + 0.5) / 4)) for i in range(8))
    pen.poly(eight, (250, 250, 250))
    pen.poly(tuple((0.5 + (x - 0.5) * 0.88, 0.5 + (y - 0.5) * 0.88) for x, y in eight))
    white = (252, 252, 252)
    for i, stroke in enumerate(
        (
            ((0.9, 0.1), (0.1, 0.1), (0.1, 0.5), (0.9, 0.5), (0.9, 0.9), (0.1, 0.9)),
            ((0.1, 0.1), (0.9, 0.1), (0.5, 0.1), (0.5, 0.95)),
            ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9), (0.1, 0.1)),
            ((0.1, 0.95), (0.1, 0.1), (0.9, 0.1), (0.9, 0.5), (0.1, 0.5)),
        )
    ):
        pen.line(tuple((0.17 + 0.17 * i + 0.13 * x, 0.36 + 0.28 * y) for x, y in stroke), 0.05, white)


@sprite("street sign")
def street_sign(pen: Pen) -> None:
    """Draw a narrow board with a name."""
    pen.box(0.0, 0.02, 1.0, 0.98, bend=0.14)
    _writing(pen, (250, 250, 246), 0.08, 0.3, 0.92, 0.7)


def _writing(pen: Pen, ink: Color, left: float, top: float, right: float, bottom: float) -> None:
    """Draw lines of strokes that look like words from afar."""
    wide = abs(pen.frame.across / pen.frame.down) > 2.4
    rows = 1 if wide else 2
    for row in range(rows):
        y = (top + bottom) / 2 if rows == 1 else top + (bottom - top) * (0.12 + 0.76 * row)
        x, i = left, pen.look.variant + row
        while x < right - 0.05:
            step = 0.1 + 0.07 * (i % 3)
            pen.line(((x, y), (min(x + step, right), y)), 0.13 if wide else 0.1, ink)
            x, i = x + step + 0.09, i + 1


@sprite("bench")
def bench(pen: Pen) -> None:
    """Draw a long seat with a back of slats."""
    for x in (0.1, 0.9):
        pen.box(x - 0.03, 0.1, x + 0.03, 0.98, STEEL)
    for y in (0.06, 0.22, 0.38):
        pen.box(0.02, y, 0.98, y + 0.11)
    pen.poly(((0.04, 0.56), (0.96, 0.56), (1.0, 0.68), (0.0, 0.68)))
    pen.box(0.0, 0.66, 1.0, 0.73, pen.dark)
    for x in (0.06, 0.94):
        pen.box(x - 0.03, 0.73, x + 0.03, 0.98, STEEL)


@sprite("trash can")
def trash_can(pen: Pen) -> None:
    """Draw a bin with a lid and ribs."""
    pen.poly(((0.1, 0.2), (0.9, 0.2), (0.8, 0.98), (0.2, 0.98)))
    for x in (0.32, 0.5, 0.68):
        pen.line(((x, 0.28), (0.5 + (x - 0.5) * 0.85, 0.92)), 0.04, pen.dark)
    pen.box(0.04, 0.1, 0.96, 0.22, pen.dark, bend=0.08)
    pen.box(0.4, 0.02, 0.6, 0.11, pen.dark, bend=0.05)


@sprite("fire hydrant")
def fire_hydrant(pen: Pen) -> None:
    """Draw a squat post with a dome and two nozzles."""
    pen.box(0.02, 0.4, 0.98, 0.56, bend=0.1)
    pen.box(0.22, 0.24, 0.78, 0.94, bend=0.08)
    pen.poly(arc(0.5, 0.26, 0.32, 0.2, 0.5, 1.0))
    pen.box(0.42, 0.0, 0.58, 0.1, pen.dark)
    pen.box(0.12, 0.22, 0.88, 0.3, pen.dark)
    pen.disc(0.5, 0.5, 0.17, pen.light)
    pen.box(0.12, 0.9, 0.88, 0.99, pen.dark)


@sprite("cone")
def cone(pen: Pen) -> None:
    """Draw a traffic cone with a white band."""
    pen.poly(((0.42, 0.02), (0.58, 0.02), (0.84, 0.88), (0.16, 0.88)))
    pen.poly(((0.35, 0.34), (0.65, 0.34), (0.73, 0.58), (0.27, 0.58)), (250, 250, 250))
    pen.box(0.02, 0.86, 0.98, 0.98, pen.dark)


@sprite("building")
def building(pen: Pen) -> None:
    """Draw a block with a cornice.

    Its windows and doors are things of their own.
    """
    pen.box(0.02, 0.04, 0.98, 1.0)
    pen.box(0.0, 0.0, 1.0, 0.05, pen.dark)
    pen.box(0.02, 0.95, 0.98, 1.0, pen.dark)


@sprite("house")
def house(pen: Pen) -> None:
    """Draw walls under a pitched roof, with a chimney."""
    pen.box(0.72, 0.06, 0.82, 0.3, (150, 84, 66))
    pen.box(0.08, 0.36, 0.92, 1.0)
    pen.poly(
        ((0.0, 0.4), (0.24, 0.04), (0.76, 0.04), (1.0, 0.4)),
        Paint(pen.look.second, darker(pen.look.second), "banded", darker(pen.look.second, 0.2), 8),
    )


@sprite("window")
def window(pen: Pen) -> None:
    """Draw a frame around panes, yellow when lit, with a wing swung out when open."""
    state = pen.look.state
    pane = (255, 232, 140) if state == "lit" else PANE
    if pen.look.shape == "round":
        pen.oval(0.0, 0.0, 1.0, 1.0)
        pen.oval(0.12, 0.12, 0.88, 0.88, pane)
        pen.line(((0.5, 0.12), (0.5, 0.88)), 0.07, pen.color)
        pen.line(((0.12, 0.5), (0.88, 0.5)), 0.07, pen.color)
        return
    pen.box(0.0, 0.0, 1.0, 1.0)
    if state == "open":
        pen.box(0.1, 0.08, 0.9, 0.92, (66, 72, 84))
        pen.poly(((0.02, 0.03), (0.34, 0.14), (0.34, 0.96), (0.02, 0.97)), pane)
        pen.poly(((0.98, 0.03), (0.66, 0.14), (0.66, 0.96), (0.98, 0.97)), pane)
        return
    pen.box(0.1, 0.08, 0.9, 0.92, pane)
    if state != "lit":
        pen.poly(((0.16, 0.5), (0.5, 0.1), (0.66, 0.1), (0.16, 0.7)), Paint(lighter(pane, 0.5)))
    pen.line(((0.5, 0.08), (0.5, 0.92)), 0.07, pen.color)
    pen.line(((0.1, 0.5), (0.9, 0.5)), 0.07, pen.color)


@sprite("indoor window")
def indoor_window(pen: Pen) -> None:
    """Draw a window from inside: sky and bushes behind the panes."""
    pen.box(0.0, 0.0, 1.0, 1.0)
    pen.box(0.1, 0.08, 0.9, 0.92, Paint((166, 212, 244)))
    pen.poly((*arc(0.35, 0.92, 0.25, 0.3, 0.5, 1.0),), Paint((110, 170, 96)))
    pen.poly((*arc(0.72, 0.92, 0.18, 0.22, 0.5, 1.0),), Paint((90, 150, 82)))
    if pen.look.state == "open":
        for side in (0.02, 0.98):
            inner = 0.5 + (side - 0.5) * 0.45
            pen.limb(((side, 0.04), (inner, 0.16), (inner, 0.98), (side, 0.96), (side, 0.04)), 0.07)
            pen.poly(
                ((side, 0.04), (inner, 0.16), (inner, 0.98), (side, 0.96)), Paint(lighter(PANE, 0.3), opacity=0.55)
            )
        return
    pen.line(((0.5, 0.08), (0.5, 0.92)), 0.07, pen.color)
    pen.line(((0.1, 0.5), (0.9, 0.5)), 0.07, pen.color)


@sprite("door")
def door(pen: Pen) -> None:
    """Draw a leaf with panels and a knob, aslant beside a dark gap when open."""
    pen.box(0.0, 0.0, 1.0, 1.0, lighter(pen.color, 0.55))
    if pen.look.state == "open":
        pen.box(0.1, 0.05, 0.9, 1.0, (50, 50, 58))
        pen.poly(((0.1, 0.05), (0.46, 0.12), (0.46, 0.99), (0.1, 1.0)))
        pen.disc(0.4, 0.56, 0.06, (240, 206, 90))
        return
    pen.box(0.1, 0.05, 0.9, 1.0)
    for top, bottom in ((0.12, 0.44), (0.54, 0.9)):
        pen.box(0.22, top, 0.46, bottom, Paint(pen.dark))
        pen.box(0.54, top, 0.78, bottom, Paint(pen.dark))
    pen.disc(0.82, 0.5, 0.06, (240, 206, 90))


@sprite("flag")
def flag(pen: Pen) -> None:
    """Draw a cloth on a staff."""
    pen.box(0.0, 0.0, 0.06, 1.0, STEEL)
    pen.blob(
        ((0.07, 0.03), (0.35, 0.08), (0.65, 0.02), (0.97, 0.08), (0.95, 0.46), (0.65, 0.4), (0.35, 0.48), (0.07, 0.43))
    )


@sprite("umbrella")
def umbrella(pen: Pen) -> None:
    """Draw a dome with ribs on a stick."""
    pen.line(((0.5, 0.1), (0.5, 0.97)), 0.045, (110, 84, 60))
    pen.poly(
        (
            *arc(0.5, 0.46, 0.5, 0.44, 0.5, 1.0),
            *arc(0.8333, 0.46, 0.1667, 0.07, 0.0, -0.5)[1:],
            *arc(0.5, 0.46, 0.1667, 0.07, 0.0, -0.5)[1:],
            *arc(0.1667, 0.46, 0.1667, 0.07, 0.0, -0.5)[1:-1],
        )
    )
    for x in (0.3333, 0.6667):
        pen.line(((0.5, 0.03), (0.5 + (x - 0.5) * 0.75, 0.2), (x, 0.45)), 0.012, pen.dark)
    pen.line(((0.5, 0.0), (0.5, 0.06)), 0.04, (110, 84, 60))


@sprite("kite")
def kite(pen: Pen) -> None:
    """Draw a lozenge with a tail of bows."""
    pen.line(((0.46, 0.66), (0.36, 0.8), (0.5, 0.9), (0.42, 0.99)), 0.03, pen.dark)
    for x, y in ((0.38, 0.8), (0.48, 0.9)):
        pen.poly(((x - 0.1, y - 0.03), (x - 0.1, y + 0.03), (x + 0.1, y - 0.03), (x + 0.1, y + 0.03)), pen.look.second)
    pen.poly(((0.5, 0.01), (0.96, 0.28), (0.46, 0.7), (0.06, 0.24)))
    pen.line(((0.5, 0.02), (0.46, 0.69)), 0.025, pen.dark)
    pen.line(((0.07, 0.24), (0.95, 0.28)), 0.025, pen.dark)


@sprite("cloud")
def cloud(pen: Pen) -> None:
    """Draw billows on a flat foot."""
    soft = Paint(pen.color)
    for x, y, r in ((0.2, 0.66, 0.2), (0.42, 0.42, 0.24), (0.66, 0.48, 0.22), (0.82, 0.7, 0.17)):
        pen.oval(x - r, max(0.02, y - 1.6 * r), min(1.0, x + r), min(0.98, y + 1.6 * r), soft)
    pen.box(0.14, 0.6, 0.88, 0.97, soft, bend=0.3)
    pen.box(0.16, 0.86, 0.84, 0.97, Paint(darker(pen.color, 0.1)), bend=0.1)


@sprite("sun")
def sun(pen: Pen) -> None:
    """Draw a disc with rays."""
    for i in range(12):
        x, y = cos(pi * i / 6), sin(pi * i / 6)
        pen.line(((0.5 + 0.36 * x, 0.5 + 0.36 * y), (0.5 + 0.47 * x, 0.5 + 0.47 * y)), 0.05, (255, 206, 60))
    pen.disc(0.5, 0.5, 0.31, (255, 216, 74))


@sprite("mountain")
def mountain(pen: Pen) -> None:
    """Draw a peak with snow on it."""
    pen.poly(((0.0, 1.0), (0.3, 0.34), (0.42, 0.5), (0.6, 0.02), (0.8, 0.42), (1.0, 1.0)))
    pen.poly(((0.6, 0.02), (0.7, 0.22), (0.63, 0.2), (0.58, 0.28), (0.52, 0.23)), (250, 252, 255))
    pen.poly(((0.6, 0.02), (0.8, 0.42), (1.0, 1.0), (0.68, 1.0), (0.66, 0.4)), Paint(darker(pen.color, 0.16)))
    pen.poly(((0.6, 0.02), (0.7, 0.22), (0.63, 0.2), (0.625, 0.24)), Paint((236, 240, 246)))


@sprite("hill")
def hill(pen: Pen) -> None:
    """Draw a soft rise."""
    pen.poly((*arc(0.5, 1.0, 0.5, 0.97, 0.5, 1.0),))


@sprite("tent")
def tent(pen: Pen) -> None:
    """Draw a ridge with an opening."""
    pen.poly(((0.0, 0.98), (0.34, 0.04), (0.68, 0.04), (1.0, 0.98)))
    pen.poly(((0.0, 0.98), (0.34, 0.04), (0.6, 0.98)), pen.light)
    pen.poly(((0.2, 0.98), (0.34, 0.4), (0.44, 0.98)), darker(pen.color, 0.7))


@sprite("statue")
def statue(pen: Pen) -> None:
    """Draw a figure with a raised arm on a plinth."""
    pen.limb(((0.44, 0.5), (0.42, 0.72)), 0.16)
    pen.limb(((0.58, 0.5), (0.6, 0.72)), 0.16)
    pen.limb(((0.56, 0.26), (0.8, 0.2), (0.84, 0.02)), 0.11)
    pen.limb(((0.44, 0.26), (0.28, 0.4), (0.36, 0.5)), 0.11)
    pen.poly(((0.36, 0.22), (0.66, 0.22), (0.6, 0.54), (0.42, 0.54)))
    pen.oval(0.4, 0.05, 0.62, 0.21)
    pen.box(0.2, 0.72, 0.8, 0.8, pen.light)
    pen.box(0.26, 0.8, 0.74, 0.98)
    pen.box(0.16, 0.94, 0.84, 1.0, pen.dark)


@sprite("ladder")
def ladder(pen: Pen) -> None:
    """Draw two rails and rungs."""
    for y in (0.1, 0.24, 0.38, 0.52, 0.66, 0.8, 0.92):
        pen.box(0.16, y, 0.84, y + 0.03)
    for x in (0.12, 0.88):
        pen.box(x - 0.09, 0.01, x + 0.09, 0.99)


@sprite("bucket")
def bucket(pen: Pen) -> None:
    """Draw a pail with a bow handle."""
    pen.line(arc(0.5, 0.4, 0.42, 0.38, 0.5, 1.0), 0.04, STEEL)
    pen.poly(((0.06, 0.38), (0.94, 0.38), (0.8, 0.97), (0.2, 0.97)))
    pen.oval(0.05, 0.28, 0.95, 0.48, blend(pen.dark, (0, 0, 0), 0.3))


@sprite("hay")
def hay(pen: Pen) -> None:
    """Draw a bale bound twice."""
    pen.box(0.02, 0.06, 0.98, 0.97, Paint(pen.color, pen.dark, "wood", darker(pen.color, 0.55)), bend=0.12)
    for x in (0.32, 0.68):
        pen.line(((x, 0.08), (x, 0.95)), 0.05, (150, 60, 50))


@sprite("bridge")
def bridge(pen: Pen) -> None:
    """Draw a deck on arches with a parapet."""
    pen.box(0.0, 0.16, 1.0, 0.98)
    for x in (0.18, 0.5, 0.82):
        pen.poly((*arc(x, 0.86, 0.12, 0.44, 0.5, 1.0), (x + 0.12, 1.0), (x - 0.12, 1.0)), (96, 150, 190))
    pen.box(0.0, 0.02, 1.0, 0.2, pen.light)
