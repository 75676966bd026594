"""Vehicles, facing right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._pen import Paint
from deixis.worlds.photos.imagine._sprites.table import sprite
from deixis.worlds.photos.imagine._textures import Color, darker, lighter


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import Pen


PANE: Color = (184, 216, 234)
TIRE: Color = (40, 40, 44)
RIM: Color = (196, 200, 206)
LAMP: Color = (255, 238, 150)
STOP: Color = (214, 40, 40)


@sprite("car")
def car(pen: Pen) -> None:
    """Draw a low body with a round cabin."""
    pen.blob(((0.16, 0.46), (0.26, 0.12), (0.42, 0.02), (0.62, 0.06), (0.78, 0.42), (0.5, 0.52)))
    pen.poly(((0.24, 0.42), (0.3, 0.16), (0.45, 0.1), (0.46, 0.42)), PANE)
    pen.poly(((0.5, 0.42), (0.5, 0.1), (0.61, 0.14), (0.72, 0.42)), PANE)
    pen.box(0.02, 0.4, 0.98, 0.8, bend=0.14)
    pen.line(((0.48, 0.46), (0.48, 0.76)), 0.015, pen.dark)
    pen.line(((0.52, 0.54), (0.57, 0.54)), 0.03, pen.dark)
    pen.oval(0.93, 0.46, 0.985, 0.6, LAMP)
    pen.box(0.02, 0.46, 0.055, 0.6, STOP)
    _wheels(pen, (0.22, 0.78), 0.2)


@sprite("taxi")
def taxi(pen: Pen) -> None:
    """Draw a car with a lit box on its roof and a chequered band."""
    pen.box(0.4, 0.0, 0.54, 0.09, (250, 250, 240))
    car(pen)
    pen.box(0.08, 0.6, 0.92, 0.68, Paint((30, 30, 30), None, "checkered", (250, 250, 250), 7))


@sprite("van")
def van(pen: Pen) -> None:
    """Draw a tall box with a sloping nose."""
    pen.poly(((0.03, 0.06), (0.72, 0.06), (0.88, 0.42), (0.98, 0.5), (0.98, 0.84), (0.02, 0.84), (0.02, 0.1)))
    pen.poly(((0.62, 0.14), (0.71, 0.14), (0.82, 0.42), (0.62, 0.42)), PANE)
    pen.box(0.36, 0.14, 0.57, 0.42, PANE)
    pen.line(((0.335, 0.1), (0.335, 0.8)), 0.015, pen.dark)
    pen.line(((0.595, 0.1), (0.595, 0.8)), 0.015, pen.dark)
    pen.oval(0.93, 0.54, 0.985, 0.66, LAMP)
    _wheels(pen, (0.2, 0.78), 0.17)


@sprite("truck")
def truck(pen: Pen) -> None:
    """Draw a cabin in front of a load."""
    pen.box(0.0, 0.72, 0.95, 0.82, (70, 72, 78))
    pen.box(0.01, 0.04, 0.64, 0.74)
    for x in (0.16, 0.32, 0.48):
        pen.line(((x, 0.08), (x, 0.7)), 0.014, pen.dark)
    pen.poly(
        ((0.67, 0.24), (0.84, 0.24), (0.93, 0.5), (0.98, 0.54), (0.98, 0.8), (0.67, 0.8)), lighter(pen.color, 0.14)
    )
    pen.poly(((0.72, 0.3), (0.82, 0.3), (0.89, 0.5), (0.72, 0.5)), PANE)
    pen.oval(0.93, 0.58, 0.985, 0.68, LAMP)
    _wheels(pen, (0.14, 0.3, 0.81), 0.16)


@sprite("bus")
def bus(pen: Pen) -> None:
    """Draw a long box with a row of windows."""
    pen.box(0.01, 0.03, 0.99, 0.86, bend=0.08)
    for i in range(5):
        pen.box(0.05 + 0.15 * i, 0.14, 0.17 + 0.15 * i, 0.42, PANE, bend=0.03)
    pen.box(0.8, 0.14, 0.89, 0.84, PANE)
    pen.line(((0.845, 0.15), (0.845, 0.83)), 0.014, pen.dark)
    pen.box(0.915, 0.14, 0.985, 0.5, PANE)
    pen.box(0.02, 0.52, 0.78, 0.58, lighter(pen.color, 0.55))
    pen.oval(0.93, 0.64, 0.98, 0.74, LAMP)
    _wheels(pen, (0.2, 0.7), 0.15)


@sprite("train")
def train(pen: Pen) -> None:
    """Draw an engine with a slanting front, and carriages behind it."""
    for left, right in ((0.0, 0.31), (0.33, 0.64)):
        pen.box(left, 0.1, right, 0.82, bend=0.05)
        for i in range(3):
            x = left + 0.03 + 0.092 * i
            pen.box(x, 0.22, x + 0.068, 0.46, PANE, bend=0.03)
        pen.box(left, 0.56, right, 0.64, lighter(pen.color, 0.6))
    pen.line(((0.3, 0.74), (0.68, 0.74)), 0.05, (60, 60, 66))
    pen.poly(((0.66, 0.1), (0.86, 0.1), (0.95, 0.3), (0.99, 0.58), (0.99, 0.82), (0.66, 0.82)))
    pen.poly(((0.86, 0.18), (0.9, 0.18), (0.955, 0.42), (0.86, 0.42)), PANE)
    pen.box(0.7, 0.2, 0.81, 0.42, PANE)
    pen.box(0.66, 0.56, 0.985, 0.64, lighter(pen.color, 0.6))
    pen.oval(0.945, 0.66, 0.985, 0.76, LAMP)
    _wheels(pen, (0.06, 0.14, 0.24, 0.39, 0.47, 0.57, 0.72, 0.82, 0.92), 0.1)


@sprite("bike")
def bike(pen: Pen) -> None:
    """Draw two spoked wheels and a frame."""
    for x in (0.22, 0.78):
        pen.disc(x, 0.68, 0.3, Paint(TIRE))
        pen.disc(x, 0.68, 0.25, Paint((232, 236, 240)))
        for dx, dy in ((0.14, 0.0), (0.0, 0.22), (0.1, 0.16), (0.1, -0.16)):
            pen.line(((x - dx, 0.68 - dy), (x + dx, 0.68 + dy)), 0.012, (150, 150, 156))
    width = 0.055
    pen.limb(((0.22, 0.68), (0.36, 0.32), (0.66, 0.3), (0.45, 0.7), (0.22, 0.68)), width)
    pen.limb(((0.36, 0.32), (0.45, 0.7)), width)
    pen.limb(((0.78, 0.68), (0.65, 0.2), (0.74, 0.14)), width)
    pen.limb(((0.36, 0.32), (0.33, 0.2)), 0.03, (60, 60, 64))
    pen.limb(((0.25, 0.19), (0.41, 0.18)), 0.06, TIRE)
    pen.disc(0.45, 0.7, 0.06, (90, 90, 96))


@sprite("motorcycle")
def motorcycle(pen: Pen) -> None:
    """Draw two fat wheels, an engine and a tank."""
    _wheels(pen, (0.2, 0.8), 0.27)
    pen.limb(((0.8, 0.72), (0.66, 0.26), (0.58, 0.12)), 0.06, RIM)
    pen.box(0.36, 0.5, 0.6, 0.76, (120, 122, 128), bend=0.06)
    pen.limb(((0.1, 0.82), (0.45, 0.78)), 0.07, RIM)
    pen.blob(((0.08, 0.42), (0.2, 0.4), (0.4, 0.46), (0.5, 0.3), (0.68, 0.34), (0.66, 0.52), (0.4, 0.6), (0.18, 0.56)))
    pen.limb(((0.14, 0.4), (0.4, 0.4)), 0.09, TIRE)
    pen.blob(((0.66, 0.3), (0.74, 0.14), (0.8, 0.3), (0.74, 0.44)))
    pen.oval(0.74, 0.24, 0.83, 0.38, LAMP)
    pen.limb(((0.58, 0.13), (0.5, 0.14)), 0.05, TIRE)
    pen.blob(((0.68, 0.52), (0.82, 0.42), (0.96, 0.52), (0.82, 0.5)))


@sprite("boat")
def boat(pen: Pen) -> None:
    """Draw a hull with a cabin, or with sails."""
    if pen.look.variant % 2:
        pen.line(((0.48, 0.02), (0.48, 0.78)), 0.03, (120, 84, 54))
        pen.poly(((0.52, 0.04), (0.9, 0.64), (0.52, 0.68)), (250, 250, 246))
        pen.poly(((0.44, 0.14), (0.16, 0.64), (0.44, 0.68)), lighter(pen.color, 0.5))
    else:
        pen.box(0.26, 0.42, 0.62, 0.76, (250, 250, 246), bend=0.05)
        for x in (0.32, 0.46):
            pen.box(x, 0.5, x + 0.1, 0.64, PANE)
        pen.box(0.24, 0.36, 0.66, 0.44, pen.dark)
        pen.line(((0.44, 0.36), (0.44, 0.1)), 0.03, (90, 90, 96))
        pen.poly(((0.44, 0.1), (0.6, 0.16), (0.44, 0.22)), STOP)
    pen.poly(((0.02, 0.7), (0.98, 0.66), (0.84, 0.97), (0.16, 0.97)))
    pen.line(((0.05, 0.77), (0.94, 0.74)), 0.03, lighter(pen.color, 0.55))


@sprite("airplane")
def airplane(pen: Pen) -> None:
    """Draw a tube with wings, seen from the side."""
    pen.poly(((0.02, 0.06), (0.12, 0.04), (0.26, 0.44), (0.1, 0.44)), pen.dark)
    pen.poly(((0.44, 0.46), (0.36, 0.1), (0.44, 0.1), (0.6, 0.46)), pen.dark)
    pen.blob(
        ((0.03, 0.42), (0.3, 0.38), (0.7, 0.36), (0.9, 0.4), (0.99, 0.52), (0.88, 0.62), (0.5, 0.66), (0.15, 0.58))
    )
    for i in range(6):
        pen.disc(0.3 + 0.085 * i, 0.47, 0.035, PANE)
    pen.poly(((0.86, 0.42), (0.93, 0.45), (0.94, 0.5), (0.86, 0.5)), PANE)
    pen.poly(((0.38, 0.58), (0.62, 0.58), (0.4, 0.97), (0.3, 0.97)), pen.light)
    pen.limb(((0.42, 0.74), (0.52, 0.74)), 0.09, (110, 112, 120))


@sprite("skateboard")
def skateboard(pen: Pen) -> None:
    """Draw a deck on four small wheels."""
    for x in (0.24, 0.76):
        pen.disc(x, 0.72, 0.24, (246, 240, 220))
        pen.disc(x, 0.72, 0.08, TIRE)
    pen.limb(((0.04, 0.24), (0.16, 0.42), (0.84, 0.42), (0.96, 0.24)), 0.22)


@sprite("surfboard")
def surfboard(pen: Pen) -> None:
    """Draw a leaf with a line down its middle, upright when tall, lying when wide."""
    if abs(pen.frame.across) < abs(pen.frame.down):
        pen.blob(
            ((0.5, 0.0), (0.86, 0.22), (0.96, 0.55), (0.78, 0.9), (0.5, 0.99), (0.22, 0.9), (0.04, 0.55), (0.14, 0.22))
        )
        pen.line(((0.5, 0.08), (0.5, 0.92)), 0.1, lighter(pen.color, 0.6))
    else:
        pen.blob(
            ((0.0, 0.5), (0.22, 0.14), (0.55, 0.04), (0.9, 0.22), (0.99, 0.5), (0.9, 0.78), (0.55, 0.96), (0.22, 0.86))
        )
        pen.line(((0.08, 0.5), (0.92, 0.5)), 0.1, lighter(pen.color, 0.6))


@sprite("cart")
def cart(pen: Pen) -> None:
    """Draw a tub on two wheels with a handle."""
    pen.limb(((0.78, 0.4), (0.98, 0.06)), 0.06, (110, 112, 118))
    pen.poly(((0.04, 0.18), (0.86, 0.18), (0.74, 0.74), (0.14, 0.74)))
    for x in (0.3, 0.5, 0.68):
        pen.line(((x, 0.22), (0.45 + (x - 0.45) * 0.8, 0.7)), 0.02, pen.dark)
    _wheels(pen, (0.24, 0.66), 0.14)


def _wheels(pen: Pen, places: tuple[float, ...], radius: float) -> None:
    """Draw wheels that touch the ground."""
    for x in places:
        y = 1 - (radius * pen.unit + 1.2) / abs(pen.frame.down)
        pen.disc(x, y, radius, TIRE)
        pen.disc(x, y, 0.55 * radius, RIM)
        pen.disc(x, y, 0.16 * radius, darker(RIM, 0.5))
