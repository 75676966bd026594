"""Things that people have about them: bags, books, devices, toys."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._pen import Paint, arc
from deixis.worlds.photos.imagine._sprites.table import sprite
from deixis.worlds.photos.imagine._textures import Color, blend, darker, lighter


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import Pen


STEEL: Color = (140, 144, 152)
KEYS: Color = (230, 232, 236)
PAPER: Color = (250, 250, 246)


@sprite("pillow")
def pillow(pen: Pen) -> None:
    """Draw a soft square with drawn-out corners."""
    pen.blob(
        ((0.02, 0.04), (0.5, 0.12), (0.98, 0.04), (0.92, 0.5), (0.98, 0.96), (0.5, 0.9), (0.02, 0.96), (0.08, 0.5))
    )


@sprite("blanket")
def blanket(pen: Pen) -> None:
    """Draw a cloth that lies over something, with folds."""
    pen.poly(((0.04, 0.0), (0.98, 0.0), (1.0, 0.94), (0.8, 0.99), (0.6, 0.93), (0.4, 0.99), (0.2, 0.93), (0.0, 0.98)))
    for x in (0.25, 0.5, 0.75):
        pen.line(((x, 0.3), (x - 0.03, 0.88)), 0.03, pen.dark)


@sprite("towel")
def towel(pen: Pen) -> None:
    """Draw a cloth with bands near its ends, spread out when it is wide."""
    if abs(pen.frame.across) > 1.3 * abs(pen.frame.down):
        pen.poly(((0.1, 0.0), (0.9, 0.0), (1.0, 1.0), (0.0, 1.0)))
        return
    pen.box(0.0, 0.0, 1.0, 1.0, bend=0.06)
    for y in (0.76, 0.86):
        pen.box(0.02, y, 0.98, y + 0.04, Paint(lighter(pen.color, 0.5)))
    pen.line(((0.5, 0.06), (0.5, 0.7)), 0.03, pen.dark)


@sprite("toilet paper")
def toilet_paper(pen: Pen) -> None:
    """Draw a roll with a loose end."""
    pen.box(0.52, 0.4, 0.96, 0.99, PAPER)
    pen.oval(0.02, 0.02, 0.96, 0.82, PAPER)
    pen.oval(0.34, 0.28, 0.64, 0.56, (170, 140, 110))


@sprite("vase")
def vase(pen: Pen) -> None:
    """Draw a belly with a narrow neck."""
    outline = (
        (0.34, 0.0),
        (0.66, 0.0),
        (0.62, 0.22),
        (0.98, 0.56),
        (0.7, 0.99),
        (0.3, 0.99),
        (0.02, 0.56),
        (0.38, 0.22),
    )
    pen.blob(outline)
    if pen.look.texture == "glass":
        return
    pen.oval(0.3, 0.0, 0.7, 0.09, pen.dark)
    if not pen.look.pattern:
        pen.line(((0.2, 0.46), (0.16, 0.66)), 0.06, lighter(pen.color, 0.6))


@sprite("book")
def book(pen: Pen) -> None:
    """Draw a block of pages between covers, upright when tall, open when its state says so."""
    if pen.look.state == "open":
        pen.poly(((0.0, 0.2), (0.5, 0.34), (1.0, 0.2), (1.0, 0.96), (0.5, 1.0), (0.0, 0.96)))
        pen.poly(((0.05, 0.06), (0.5, 0.26), (0.5, 0.92), (0.05, 0.84)), PAPER)
        pen.poly(((0.95, 0.06), (0.5, 0.26), (0.5, 0.92), (0.95, 0.84)), PAPER)
        for y in (0.34, 0.5, 0.66):
            pen.line(((0.14, y - 0.06), (0.42, y + 0.04)), 0.03, (170, 170, 170))
            pen.line(((0.58, y + 0.04), (0.86, y - 0.06)), 0.03, (170, 170, 170))
        return
    if abs(pen.frame.across) > abs(pen.frame.down):
        pen.box(0.0, 0.0, 1.0, 0.98, bend=0.1)
        pen.box(0.08, 0.22, 1.0, 0.76, PAPER)
        return
    pen.box(0.0, 0.0, 1.0, 1.0, bend=0.06)
    pen.box(0.14, 0.12, 0.86, 0.34, PAPER)
    pen.line(((0.24, 0.24), (0.76, 0.24)), 0.06, darker(pen.color, 0.6))
    pen.line(((0.06, 0.02), (0.06, 0.98)), 0.05, pen.dark)


@sprite("box")
def carton(pen: Pen) -> None:
    """Draw a carton, with flaps up when it is open."""
    if pen.look.state == "open":
        pen.poly(((0.04, 0.3), (0.2, 0.04), (0.52, 0.12), (0.5, 0.3)), pen.light)
        pen.poly(((0.96, 0.3), (0.84, 0.04), (0.52, 0.12), (0.5, 0.3)), pen.dark)
        pen.box(0.04, 0.28, 0.96, 0.98)
        return
    pen.poly(((0.02, 0.24), (0.2, 0.02), (0.98, 0.02), (0.8, 0.24)), pen.light)
    pen.poly(((0.8, 0.24), (0.98, 0.02), (0.98, 0.76), (0.8, 0.98)), pen.dark)
    pen.box(0.02, 0.24, 0.8, 0.98)
    pen.line(((0.41, 0.25), (0.41, 0.5)), 0.08, lighter(pen.color, 0.5))


@sprite("basket")
def basket(pen: Pen) -> None:
    """Draw a woven tub with a bow."""
    pen.line(arc(0.5, 0.46, 0.38, 0.42, 0.5, 1.0), 0.07, pen.dark)
    pen.poly(((0.02, 0.42), (0.98, 0.42), (0.84, 0.98), (0.16, 0.98)))
    pen.box(0.0, 0.38, 1.0, 0.5, pen.dark, bend=0.05)


@sprite("candle")
def candle(pen: Pen) -> None:
    """Draw a stick of wax, with a flame when lit."""
    pen.box(0.2, 0.3, 0.8, 0.96, bend=0.08)
    pen.oval(0.02, 0.88, 0.98, 1.0, STEEL)
    pen.line(((0.5, 0.3), (0.5, 0.2)), 0.08, (60, 50, 40))
    if pen.look.state == "lit":
        pen.blob(((0.5, 0.0), (0.74, 0.16), (0.5, 0.28), (0.26, 0.16)), (252, 180, 50))


@sprite("clock")
def clock(pen: Pen) -> None:
    """Draw a dial with two hands."""
    if pen.look.shape == "square":
        pen.box(0.0, 0.0, 1.0, 1.0, bend=0.05)
        pen.box(0.12, 0.12, 0.88, 0.88, PAPER)
    else:
        pen.oval(0.0, 0.0, 1.0, 1.0)
        pen.oval(0.12, 0.12, 0.88, 0.88, PAPER)
    for i in range(12):
        x, y = cos(pi * i / 6), sin(pi * i / 6)
        pen.line(((0.5 + 0.29 * x, 0.5 + 0.29 * y), (0.5 + 0.34 * x, 0.5 + 0.34 * y)), 0.03, (60, 60, 60))
    turn = pen.look.variant * 0.7
    pen.line(((0.5, 0.5), (0.5 + 0.17 * cos(turn), 0.5 + 0.17 * sin(turn))), 0.06, (40, 40, 40))
    pen.line(((0.5, 0.5), (0.5 + 0.27 * cos(3 * turn), 0.5 + 0.27 * sin(3 * turn))), 0.04, (40, 40, 40))


@sprite("laptop")
def laptop(pen: Pen) -> None:
    """Draw a screen hinged to a keyboard, or shut flat."""
    if pen.look.state == "closed":
        pen.poly(((0.08, 0.1), (0.92, 0.1), (1.0, 0.8), (0.0, 0.8)))
        pen.box(0.0, 0.8, 1.0, 0.98, pen.dark)
        return
    pen.box(0.12, 0.0, 0.88, 0.64, bend=0.05)
    pen.box(0.17, 0.06, 0.83, 0.58, (96, 160, 214))
    pen.line(((0.24, 0.2), (0.56, 0.2)), 0.05, PAPER)
    pen.line(((0.24, 0.34), (0.7, 0.34)), 0.05, PAPER)
    pen.poly(((0.12, 0.64), (0.88, 0.64), (1.0, 0.92), (0.0, 0.92)), pen.light)
    pen.poly(((0.2, 0.68), (0.8, 0.68), (0.86, 0.82), (0.14, 0.82)), (70, 72, 80))
    pen.box(0.0, 0.92, 1.0, 0.99, pen.dark)


@sprite("monitor")
def monitor(pen: Pen) -> None:
    """Draw a screen on a stalk."""
    pen.box(0.44, 0.74, 0.56, 0.94, STEEL)
    pen.box(0.28, 0.91, 0.72, 0.99, STEEL)
    pen.box(0.0, 0.0, 1.0, 0.78, bend=0.04)
    if pen.look.state == "on":
        pen.box(0.06, 0.06, 0.94, 0.7, (90, 150, 210))
        pen.box(0.12, 0.14, 0.5, 0.5, PAPER)
        for y in (0.22, 0.32, 0.42):
            pen.line(((0.17, y), (0.45, y)), 0.025, (120, 120, 130))
        pen.box(0.58, 0.2, 0.86, 0.6, (240, 190, 90))
    else:
        pen.box(0.06, 0.06, 0.94, 0.7, (36, 40, 50))


@sprite("keyboard")
def keyboard(pen: Pen) -> None:
    """Draw a board of keys."""
    pen.poly(((0.05, 0.02), (0.95, 0.02), (1.0, 0.96), (0.0, 0.96)))
    ink = lighter(pen.color, 0.55) if sum(pen.color) < 380 else darker(pen.color, 0.35)
    for row in range(3):
        for i in range(9):
            x, y = 0.08 + 0.095 * i, 0.16 + 0.27 * row
            pen.box(x, y, x + 0.07, y + 0.18, Paint(ink))


@sprite("computer mouse")
def computer_mouse(pen: Pen) -> None:
    """Draw an egg with two buttons."""
    pen.blob(((0.0, 0.6), (0.2, 0.2), (0.6, 0.06), (0.98, 0.4), (0.96, 0.96), (0.04, 0.96)))
    pen.line(((0.5, 0.14), (0.56, 0.5)), 0.05, pen.dark)
    pen.line(((0.14, 0.5), (0.96, 0.5)), 0.05, pen.dark)


@sprite("phone")
def phone(pen: Pen) -> None:
    """Draw a slab with a screen."""
    pen.box(0.0, 0.0, 1.0, 1.0, bend=0.18)
    pen.box(0.1, 0.09, 0.9, 0.82, (120, 190, 230))
    pen.disc(0.5, 0.91, 0.09, lighter(pen.color, 0.5))


@sprite("remote control")
def remote_control(pen: Pen) -> None:
    """Draw a bar with buttons."""
    pen.box(0.0, 0.0, 1.0, 1.0, bend=0.2)
    along = abs(pen.frame.across) > abs(pen.frame.down)
    for i in range(4):
        for j in (0.34, 0.66):
            x, y = (0.18 + 0.2 * i, j) if along else (j, 0.18 + 0.2 * i)
            pen.disc(x, y, 0.1, (220, 70, 60) if i + j < 0.5 else KEYS)


@sprite("paper")
def paper(pen: Pen) -> None:
    """Draw a sheet with lines of writing."""
    pen.poly(((0.08, 0.0), (1.0, 0.04), (0.92, 1.0), (0.0, 0.94)))
    for y in (0.22, 0.4, 0.58, 0.76):
        pen.line(((0.18, y), (0.82, y + 0.02)), 0.03, (130, 130, 140))


@sprite("pen")
def ballpoint(pen: Pen) -> None:
    """Draw a thin stick with a tip."""
    pen.limb(((0.12, 0.84), (0.9, 0.12)), 0.14)
    pen.line(((0.02, 0.96), (0.12, 0.84)), 0.06, (50, 50, 54))
    pen.limb(((0.7, 0.3), (0.9, 0.12)), 0.14, pen.dark)


@sprite("suitcase")
def suitcase(pen: Pen) -> None:
    """Draw a case on castors with a pulled-out handle."""
    pen.line(((0.36, 0.26), (0.36, 0.03), (0.64, 0.03), (0.64, 0.26)), 0.06, STEEL)
    pen.box(0.04, 0.22, 0.96, 0.94, bend=0.1)
    for x in (0.26, 0.5, 0.74):
        pen.line(((x, 0.3), (x, 0.86)), 0.04, pen.dark)
    for x in (0.16, 0.84):
        pen.disc(x, 0.96, 0.05, (40, 40, 44))


@sprite("backpack")
def backpack(pen: Pen) -> None:
    """Draw a pack with a pocket, a flap and a loop."""
    pen.line(arc(0.5, 0.1, 0.16, 0.1, 0.5, 1.0), 0.06, pen.dark)
    pen.box(0.08, 0.08, 0.92, 0.98, bend=0.3)
    pen.box(0.18, 0.5, 0.82, 0.9, pen.dark, bend=0.1)
    pen.line(((0.2, 0.36), (0.8, 0.36)), 0.04, pen.dark)


@sprite("bag")
def bag(pen: Pen) -> None:
    """Draw a bag with two handles."""
    pen.line(arc(0.5, 0.38, 0.26, 0.34, 0.5, 1.0), 0.07, pen.dark)
    pen.poly(((0.1, 0.34), (0.9, 0.34), (1.0, 0.98), (0.0, 0.98)))
    pen.box(0.4, 0.34, 0.6, 0.5, pen.dark)


@sprite("purse")
def purse(pen: Pen) -> None:
    """Draw a small bag with a flap and a clasp."""
    pen.line(arc(0.5, 0.4, 0.36, 0.38, 0.5, 1.0), 0.05, pen.dark)
    pen.box(0.02, 0.36, 0.98, 0.98, bend=0.16)
    pen.poly(((0.04, 0.38), (0.96, 0.38), (0.8, 0.66), (0.2, 0.66)), pen.dark)
    pen.disc(0.5, 0.66, 0.08, (236, 200, 90))


@sprite("ball")
def ball(pen: Pen) -> None:
    """Draw a ball with a seam."""
    pen.oval(0.0, 0.0, 1.0, 1.0)
    pen.line(
        arc(0.0, 0.5, 0.36, 0.4, -0.22, 0.22), 0.05, lighter(pen.color, 0.6) if sum(pen.color) < 600 else (190, 60, 60)
    )
    pen.line(
        arc(1.0, 0.5, 0.36, 0.4, 0.28, 0.72), 0.05, lighter(pen.color, 0.6) if sum(pen.color) < 600 else (190, 60, 60)
    )


@sprite("frisbee")
def frisbee(pen: Pen) -> None:
    """Draw a flat disc."""
    pen.oval(0.0, 0.0, 1.0, 1.0)
    pen.oval(0.2, 0.14, 0.8, 0.62, pen.light)


@sprite("racket")
def racket(pen: Pen) -> None:
    """Draw a strung hoop on a handle."""
    pen.limb(((0.5, 0.6), (0.5, 0.94)), 0.14, (60, 60, 64))
    pen.oval(0.04, 0.0, 0.96, 0.64)
    pen.oval(0.14, 0.06, 0.86, 0.58, Paint((248, 248, 240), None, "tiled", (110, 110, 110), 3.0))


@sprite("bat")
def bat(pen: Pen) -> None:
    """Draw a club that thickens upwards."""
    pen.poly(((0.3, 0.02), (0.7, 0.02), (0.78, 0.1), (0.62, 0.9), (0.74, 0.98), (0.26, 0.98), (0.38, 0.9), (0.22, 0.1)))


@sprite("net")
def net(pen: Pen) -> None:
    """Draw a band of mesh between two posts."""
    pen.box(0.02, 0.06, 0.98, 0.92, Paint((226, 232, 228), None, "tiled", (70, 74, 78), 7.0))
    pen.box(0.02, 0.02, 0.98, 0.16)
    for x in (0.0, 0.98):
        pen.box(x, 0.0, x + 0.02, 1.0, pen.color)


@sprite("glove")
def glove(pen: Pen) -> None:
    """Draw a baseball mitt."""
    pen.blob(((0.1, 0.5), (0.2, 0.06), (0.4, 0.02), (0.7, 0.04), (0.94, 0.3), (0.86, 0.8), (0.5, 0.98), (0.16, 0.86)))
    for x in (0.34, 0.52, 0.7):
        pen.line(((x, 0.08), (x, 0.42)), 0.04, pen.dark)


@sprite("speaker")
def speaker(pen: Pen) -> None:
    """Draw a case with two cones."""
    pen.box(0.0, 0.0, 1.0, 1.0)
    pen.disc(0.5, 0.28, 0.22, blend(pen.color, (120, 120, 126), 0.6))
    pen.disc(0.5, 0.68, 0.36, blend(pen.color, (120, 120, 126), 0.6))
    pen.disc(0.5, 0.68, 0.14, pen.dark)


@sprite("fan")
def fan(pen: Pen) -> None:
    """Draw blades in a cage on a foot."""
    pen.box(0.46, 0.56, 0.54, 0.95, STEEL)
    pen.oval(0.26, 0.92, 0.74, 1.0, STEEL)
    pen.disc(0.5, 0.36, 0.46, (232, 236, 240))
    ratio = abs(pen.frame.across / pen.frame.down)
    for i in range(4):
        x, y = cos(pi * i / 2 + 0.4), sin(pi * i / 2 + 0.4) * ratio
        pen.blob(
            (
                (0.5, 0.36),
                (0.5 + 0.26 * x - 0.1 * y, 0.36 + 0.26 * y + 0.1 * x * ratio),
                (0.5 + 0.4 * x, 0.36 + 0.4 * y),
            )
        )
    pen.disc(0.5, 0.36, 0.1, pen.dark)
