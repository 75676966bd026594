"""Furniture and fixtures of houses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._pen import Paint, arc
from deixis.worlds.photos.imagine._sprites.table import sprite
from deixis.worlds.photos.imagine._textures import COLORS, Color, blend, darker, lighter


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import Pen


STEEL: Color = (150, 154, 162)
GLOW: Color = (255, 240, 160)
SCREEN: Color = (34, 40, 52)


@sprite("table")
def table(pen: Pen) -> None:
    """Draw a board seen from above on four legs, or on one leg when it is round."""
    if pen.look.shape == "round":
        pen.box(0.45, 0.2, 0.55, 0.94, pen.dark)
        pen.limb(((0.28, 0.96), (0.72, 0.96)), 0.06, pen.dark)
        pen.oval(0.0, 0.06, 1.0, 0.38, pen.dark)
        pen.oval(0.0, 0.01, 1.0, 0.32)
        return
    for x in (0.13, 0.81):
        pen.box(x, 0.2, x + 0.06, 0.86, darker(pen.color, 0.45))
    pen.poly(((0.1, 0.01), (0.9, 0.01), (1.0, 0.24), (0.0, 0.24)))
    pen.box(0.0, 0.24, 1.0, 0.33, pen.dark)
    for x in (0.02, 0.91):
        pen.box(x, 0.33, x + 0.07, 0.99)


@sprite("desk")
def desk(pen: Pen) -> None:
    """Draw a board on one leg and a block of drawers."""
    pen.box(0.04, 0.2, 0.1, 0.99, pen.dark)
    pen.box(0.62, 0.24, 0.98, 0.99)
    for y in (0.34, 0.56, 0.78):
        pen.box(0.66, y, 0.94, y + 0.17, pen.light)
        pen.line(((0.76, y + 0.085), (0.84, y + 0.085)), 0.02, pen.dark)
    pen.poly(((0.07, 0.01), (0.93, 0.01), (1.0, 0.2), (0.0, 0.2)))
    pen.box(0.0, 0.2, 1.0, 0.28, pen.dark)


@sprite("chair")
def chair(pen: Pen) -> None:
    """Draw a seat on legs with a back, seen from the side and front."""
    wood = pen.dark
    for x in (0.2, 0.72):
        pen.box(x, 0.56, x + 0.08, 0.92, darker(pen.color, 0.5))
    pen.box(0.06, 0.02, 0.16, 0.99, wood)
    pen.poly(((0.1, 0.04), (0.32, 0.02), (0.34, 0.5), (0.1, 0.54)))
    pen.poly(((0.1, 0.54), (0.8, 0.5), (0.98, 0.62), (0.1, 0.64)))
    pen.poly(((0.08, 0.63), (0.98, 0.62), (0.98, 0.7), (0.08, 0.71)), wood)
    pen.box(0.84, 0.69, 0.94, 0.99, wood)


@sprite("couch")
def couch(pen: Pen) -> None:
    """Draw a long seat with a back, cushions and arms."""
    for x in (0.1, 0.86):
        pen.box(x, 0.9, x + 0.05, 0.99, (70, 50, 36))
    pen.box(0.06, 0.04, 0.94, 0.7, bend=0.12)
    pen.line(((0.5, 0.08), (0.5, 0.5)), 0.015, pen.dark)
    pen.box(0.1, 0.5, 0.5, 0.74, pen.light, bend=0.06)
    pen.box(0.5, 0.5, 0.9, 0.74, pen.light, bend=0.06)
    pen.box(0.06, 0.72, 0.94, 0.93, bend=0.04)
    for x in (0.0, 0.86):
        pen.box(x, 0.32, x + 0.14, 0.94, bend=0.12)


@sprite("bed")
def bed(pen: Pen) -> None:
    """Draw a mattress between a high head and a low foot, seen from the side."""
    wood = pen.look.second
    pen.box(0.0, 0.02, 0.06, 0.99, wood)
    pen.box(0.94, 0.36, 1.0, 0.99, wood)
    pen.poly(((0.06, 0.44), (0.14, 0.34), (0.96, 0.34), (0.94, 0.44)), lighter(pen.color, 0.4))
    pen.box(0.05, 0.42, 0.95, 0.72, bend=0.06)
    pen.box(0.04, 0.7, 0.96, 0.86, wood)


@sprite("shelf")
def shelf(pen: Pen) -> None:
    """Draw a case with three open levels, or a mere board when it is flat."""
    if abs(pen.frame.across) > 2.5 * abs(pen.frame.down):
        pen.box(0.0, 0.0, 1.0, 0.5)
        for x in (0.1, 0.84):
            pen.poly(((x, 0.5), (x + 0.06, 0.5), (x, 1.0)), pen.dark)
        return
    pen.box(0.0, 0.0, 1.0, 0.99)
    for top in (0.04, 0.355, 0.67):
        pen.box(0.06, top, 0.94, top + 0.28, darker(pen.color, 0.42))


@sprite("cabinet")
def cabinet(pen: Pen) -> None:
    """Draw a case with two doors, of which one may stand open."""
    pen.poly(((0.05, 0.0), (0.95, 0.0), (1.0, 0.1), (0.0, 0.1)), pen.light)
    pen.box(0.0, 0.1, 1.0, 0.95)
    for x in (0.03, 0.91):
        pen.box(x, 0.95, x + 0.06, 1.0, pen.dark)
    if pen.look.state == "open":
        pen.box(0.05, 0.16, 0.49, 0.9, darker(pen.color, 0.7))
        pen.poly(((0.05, 0.16), (-0.0 + 0.01, 0.22), (0.01, 0.98), (0.05, 0.9)), pen.light)
        pen.line(((0.06, 0.54), (0.48, 0.54)), 0.03, pen.color)
    else:
        pen.box(0.05, 0.16, 0.49, 0.9)
        pen.disc(0.44, 0.5, 0.03, (60, 56, 50))
    pen.box(0.51, 0.16, 0.95, 0.9)
    pen.disc(0.56, 0.5, 0.03, (60, 56, 50))


@sprite("counter")
def counter(pen: Pen) -> None:
    """Draw a worktop over a row of cupboards."""
    pen.box(0.0, 0.2, 1.0, 1.0, pen.look.second)
    count = max(2, round(abs(pen.frame.across / pen.frame.down) * 1.5))
    for i in range(count):
        left = (i + 0.08) / count
        pen.box(left, 0.28, left + 0.84 / count, 0.92, lighter(pen.look.second, 0.12))
        pen.line(((left + 0.38 / count, 0.34), (left + 0.5 / count, 0.34)), 0.025, (80, 80, 84))
    pen.poly(((0.015, 0.0), (0.985, 0.0), (1.0, 0.15), (0.0, 0.15)))
    pen.box(0.0, 0.15, 1.0, 0.22, pen.dark)


@sprite("lamp")
def lamp(pen: Pen) -> None:
    """Draw a shade on a stand that glows when lit."""
    is_lit = pen.look.state == "lit"
    if is_lit:
        pen.poly(((0.14, 0.44), (0.86, 0.44), (0.95, 0.8), (0.05, 0.8)), Paint(GLOW, opacity=0.35))
    pen.box(0.45, 0.4, 0.55, 0.94, STEEL)
    pen.oval(0.2, 0.9, 0.8, 1.0, STEEL)
    pen.poly(((0.24, 0.01), (0.76, 0.01), (0.97, 0.46), (0.03, 0.46)))
    if is_lit:
        pen.poly(((0.36, 0.08), (0.64, 0.08), (0.78, 0.42), (0.22, 0.42)), Paint(blend(pen.color, GLOW, 0.75)))


@sprite("rug")
def rug(pen: Pen) -> None:
    """Draw a carpet on the floor, seen aslant, with a border and fringes."""
    if pen.look.shape == "round":
        pen.oval(0.0, 0.0, 1.0, 1.0, pen.look.second if not pen.look.pattern else pen.dark)
        pen.oval(0.05, 0.06, 0.95, 0.94)
        return
    for i in range(9):
        y = 0.06 + 0.11 * i
        for side in (-1, 1):
            x = 0.5 + side * (0.4 + 0.1 * y)
            pen.line(((x, y), (x + side * 0.025, y)), 0.03, lighter(pen.color, 0.5))
    pen.poly(((0.12, 0.0), (0.88, 0.0), (0.975, 1.0), (0.025, 1.0)))
    rim = Paint(pen.dark)
    pen.poly(((0.12, 0.0), (0.88, 0.0), (0.887, 0.07), (0.113, 0.07)), rim)
    pen.poly(((0.034, 0.91), (0.966, 0.91), (0.975, 1.0), (0.025, 1.0)), rim)


@sprite("curtain")
def curtain(pen: Pen) -> None:
    """Draw hanging cloth in folds."""
    pen.poly(((0.0, 0.02), (1.0, 0.02), (0.96, 0.5), (1.0, 0.99), (0.0, 0.99), (0.04, 0.5)))
    for x in (0.2, 0.4, 0.6, 0.8):
        pen.line(((x, 0.04), (x - 0.02, 0.5), (x, 0.97)), 0.03, pen.dark)
    pen.box(0.0, 0.0, 1.0, 0.035, (120, 96, 70))


@sprite("blinds")
def blinds(pen: Pen) -> None:
    """Draw slats that hang before a window."""
    pen.box(0.0, 0.0, 1.0, 1.0, Paint(pen.color, pen.dark, "banded", pen.dark, max(3.0, abs(pen.frame.down) * 0.09)))


@sprite("picture")
def picture(pen: Pen) -> None:
    """Draw a frame around a little landscape."""
    pen.box(0.0, 0.0, 1.0, 1.0)
    pen.box(0.1, 0.1, 0.9, 0.9, (250, 248, 240))
    kind = pen.look.variant % 3
    if kind == 0:
        pen.box(0.16, 0.16, 0.84, 0.56, Paint((170, 210, 236)))
        pen.poly(
            ((0.16, 0.84), (0.16, 0.6), (0.4, 0.36), (0.6, 0.58), (0.7, 0.48), (0.84, 0.62), (0.84, 0.84)),
            Paint((110, 156, 96)),
        )
        pen.disc(0.7, 0.28, 0.07, Paint((252, 214, 90)))
    elif kind == 1:
        pen.box(0.16, 0.16, 0.84, 0.84, Paint((222, 200, 176)))
        pen.poly(arc(0.5, 0.84, 0.26, 0.26, 0.5, 1.0), Paint((90, 110, 160)))
        pen.oval(0.36, 0.24, 0.64, 0.62, Paint((240, 196, 160)))
        pen.poly(arc(0.5, 0.38, 0.16, 0.16, 0.5, 1.0), Paint((80, 56, 40)))
    else:
        for i, color in enumerate(("red", "yellow", "blue", "green")):
            x, y = 0.2 + 0.32 * (i % 2), 0.2 + 0.32 * (i // 2)
            pen.box(x, y, x + 0.28, y + 0.28, Paint(COLORS[color]))


@sprite("mirror")
def mirror(pen: Pen) -> None:
    """Draw a frame around a pale gleam."""
    glass = (208, 226, 236)
    if pen.look.shape == "round":
        pen.oval(0.0, 0.0, 1.0, 1.0)
        pen.oval(0.09, 0.09, 0.91, 0.91, glass)
    else:
        pen.box(0.0, 0.0, 1.0, 1.0, bend=0.06)
        pen.box(0.09, 0.08, 0.91, 0.92, glass, bend=0.04)
    pen.poly(((0.26, 0.62), (0.58, 0.2), (0.68, 0.24), (0.32, 0.72)), Paint((242, 250, 252)))
    pen.poly(((0.5, 0.72), (0.72, 0.42), (0.76, 0.46), (0.56, 0.76)), Paint((242, 250, 252)))


@sprite("television")
def television(pen: Pen) -> None:
    """Draw a wide screen on a foot."""
    pen.box(0.3, 0.92, 0.7, 0.99, pen.color)
    pen.box(0.46, 0.84, 0.54, 0.95, pen.color)
    pen.box(0.0, 0.0, 1.0, 0.86, bend=0.05)
    if pen.look.state == "on":
        pen.box(0.05, 0.06, 0.95, 0.78, (110, 180, 226))
        pen.poly(((0.05, 0.78), (0.05, 0.6), (0.35, 0.4), (0.6, 0.62), (0.95, 0.5), (0.95, 0.78)), Paint((96, 160, 88)))
        pen.disc(0.74, 0.24, 0.09, Paint((255, 230, 120)))
    else:
        pen.box(0.05, 0.06, 0.95, 0.78, SCREEN)
        pen.poly(((0.1, 0.5), (0.36, 0.1), (0.46, 0.1), (0.16, 0.6)), Paint((66, 74, 88)))


@sprite("fireplace")
def fireplace(pen: Pen) -> None:
    """Draw a mantel over a fire."""
    pen.box(0.06, 0.1, 0.94, 1.0)
    pen.box(0.0, 0.0, 1.0, 0.13, pen.dark)
    pen.poly((*arc(0.5, 0.6, 0.28, 0.2, 0.5, 1.0), (0.78, 1.0), (0.22, 1.0)), (38, 32, 32))
    if pen.look.state == "lit":
        pen.blob(
            ((0.32, 0.98), (0.34, 0.74), (0.42, 0.82), (0.5, 0.56), (0.58, 0.8), (0.66, 0.72), (0.68, 0.98)),
            Paint((240, 120, 30)),
        )
        pen.blob(((0.4, 0.98), (0.44, 0.82), (0.5, 0.72), (0.56, 0.84), (0.6, 0.98)), Paint((255, 214, 70)))


@sprite("toilet")
def toilet(pen: Pen) -> None:
    """Draw a tank, a bowl with a seat and a lid that may be up, and a foot."""
    pen.box(0.02, 0.1, 0.34, 0.6, bend=0.06)
    pen.box(0.0, 0.04, 0.36, 0.13, pen.light, bend=0.03)
    pen.limb(((0.08, 0.22), (0.16, 0.22)), 0.03, STEEL)
    pen.poly(((0.16, 0.56), (0.98, 0.56), (0.84, 0.8), (0.62, 0.84), (0.66, 0.99), (0.24, 0.99), (0.26, 0.8)))
    if pen.look.state == "open":
        pen.blob(((0.3, 0.5), (0.3, 0.1), (0.38, 0.04), (0.42, 0.2), (0.4, 0.52)), pen.light)
        pen.oval(0.28, 0.48, 1.0, 0.64, pen.light)
        pen.oval(0.38, 0.51, 0.92, 0.61, (150, 190, 206))
    else:
        pen.box(0.28, 0.48, 1.0, 0.58, pen.light, bend=0.05)


@sprite("sink")
def sink(pen: Pen) -> None:
    """Draw a basin on a column."""
    pen.poly(((0.38, 0.36), (0.62, 0.36), (0.68, 0.99), (0.32, 0.99)), pen.dark)
    pen.poly(((0.02, 0.1), (0.98, 0.1), (0.8, 0.46), (0.2, 0.46)))
    pen.oval(0.0, 0.0, 1.0, 0.24)
    pen.oval(0.12, 0.04, 0.88, 0.19, pen.dark)


@sprite("bathtub")
def bathtub(pen: Pen) -> None:
    """Draw a deep tub with a rim and feet."""
    for x in (0.14, 0.8):
        pen.limb(((x + 0.03, 0.86), (x + 0.03, 0.95)), 0.09, COLORS["gold"])
    pen.blob(((0.02, 0.18), (0.5, 0.16), (0.98, 0.18), (0.92, 0.7), (0.76, 0.9), (0.24, 0.9), (0.08, 0.7)))
    pen.oval(0.0, 0.02, 1.0, 0.32, pen.light)
    pen.oval(0.05, 0.08, 0.95, 0.28, (170, 212, 228))


@sprite("faucet")
def faucet(pen: Pen) -> None:
    """Draw a bent pipe with a handle."""
    pen.limb(((0.3, 0.95), (0.3, 0.4), (0.42, 0.2), (0.7, 0.22), (0.78, 0.46)), 0.2)
    pen.limb(((0.12, 0.14), (0.48, 0.1)), 0.12, pen.dark)
    pen.box(0.1, 0.86, 0.5, 0.99, pen.dark)


@sprite("refrigerator")
def refrigerator(pen: Pen) -> None:
    """Draw a tall case with two doors and long handles."""
    pen.box(0.0, 0.0, 1.0, 0.97, bend=0.06)
    for x in (0.06, 0.84):
        pen.box(x, 0.97, x + 0.1, 1.0, (60, 60, 64))
    pen.line(((0.0, 0.36), (1.0, 0.36)), 0.03, pen.dark)
    pen.limb(((0.86, 0.12), (0.86, 0.29)), 0.06, STEEL)
    pen.limb(((0.86, 0.44), (0.86, 0.68)), 0.06, STEEL)


@sprite("stove")
def stove(pen: Pen) -> None:
    """Draw burners over an oven with a window."""
    pen.poly(((0.04, 0.0), (0.96, 0.0), (1.0, 0.14), (0.0, 0.14)), (66, 68, 74))
    for x in (0.28, 0.72):
        pen.oval(x - 0.14, 0.03, x + 0.14, 0.11, (36, 36, 40))
    pen.box(0.0, 0.13, 1.0, 0.99)
    for i in range(4):
        pen.disc(0.2 + 0.2 * i, 0.22, 0.045, (50, 50, 54))
    pen.box(0.12, 0.4, 0.88, 0.84, (52, 54, 62))
    pen.poly(((0.18, 0.7), (0.4, 0.44), (0.5, 0.44), (0.22, 0.78)), Paint((90, 94, 104)))
    pen.limb(((0.14, 0.34), (0.86, 0.34)), 0.035, STEEL)


@sprite("microwave")
def microwave(pen: Pen) -> None:
    """Draw a small oven with a keypad."""
    pen.box(0.0, 0.02, 1.0, 0.97, bend=0.06)
    pen.box(0.06, 0.14, 0.68, 0.86, (52, 54, 62))
    pen.box(0.76, 0.14, 0.94, 0.28, (70, 170, 120))
    for i in range(9):
        pen.disc(0.79 + 0.06 * (i % 3), 0.42 + 0.17 * (i // 3), 0.04, (120, 122, 128))
