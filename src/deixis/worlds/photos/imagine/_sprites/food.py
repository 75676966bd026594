"""Food and tableware, seen from the front and a little from above."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._pen import Paint, arc
from deixis.worlds.photos.imagine._sprites.table import sprite
from deixis.worlds.photos.imagine._textures import COLORS, Color, darker, lighter


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import XY, Pen


STEEL: Color = (190, 194, 202)
CRUST: Color = (206, 150, 84)
CRUMB: Color = (246, 226, 184)
CHEESE: Color = (252, 214, 96)


@sprite("plate")
def plate(pen: Pen) -> None:
    """Draw a flat oval with a rim, or with corners when it is square."""
    if pen.look.shape == "square":
        pen.poly(((0.1, 0.02), (0.9, 0.02), (1.0, 0.98), (0.0, 0.98)))
        pen.poly(((0.2, 0.16), (0.8, 0.16), (0.86, 0.82), (0.14, 0.82)), lighter(pen.color, 0.35))
        return
    pen.oval(0.0, 0.0, 1.0, 1.0)
    pen.oval(0.15, 0.14, 0.85, 0.82, lighter(pen.color, 0.35))


@sprite("tray")
def tray(pen: Pen) -> None:
    """Draw a flat board with a raised rim."""
    pen.poly(((0.08, 0.0), (0.92, 0.0), (1.0, 1.0), (0.0, 1.0)))
    pen.poly(((0.13, 0.12), (0.87, 0.12), (0.93, 0.86), (0.07, 0.86)), pen.light)


@sprite("bowl")
def bowl(pen: Pen) -> None:
    """Draw half a ball with a round mouth, its content above the rim."""
    if pen.look.state != "full":
        pen.oval(0.0, 0.0, 1.0, 0.44, pen.dark)
    belly = (*arc(0.5, 0.24, 0.5, 0.72, 0.5, 0.0),)
    rim = (*arc(0.5, 0.22, 0.5, 0.22, 0.0, 0.5),)
    pen.poly((*rim, *belly[1:-1]))
    pen.box(0.34, 0.9, 0.66, 1.0, pen.dark, bend=0.03)
    pen.line(rim, 0.05, pen.light)


@sprite("cup")
def cup(pen: Pen) -> None:
    """Draw a beaker with a handle."""
    pen.line(arc(0.8, 0.5, 0.16, 0.22, -0.25, 0.25), 0.09, pen.dark)
    pen.poly(((0.02, 0.14), (0.8, 0.14), (0.74, 0.9), (0.6, 0.98), (0.22, 0.98), (0.08, 0.9)))
    pen.oval(0.02, 0.02, 0.8, 0.26, pen.light)
    pen.oval(0.09, 0.06, 0.73, 0.23, (110, 70, 44))


@sprite("glass")
def glass(pen: Pen) -> None:
    """Draw a tumbler that one sees through, with something to drink."""
    rim, body = darker(pen.color, 0.5), ((0.04, 0.06), (0.96, 0.06), (0.84, 0.98), (0.16, 0.98))
    pen.glass(body)
    pen.poly(((0.1, 0.4), (0.9, 0.4), (0.83, 0.96), (0.17, 0.96)), Paint(pen.color, opacity=0.75))
    _pane_edge(pen, body, rim)
    pen.line(arc(0.5, 0.06, 0.46, 0.05, 0.0, 1.0), 0.035, rim)
    pen.line(((0.24, 0.2), (0.28, 0.8)), 0.06, (255, 255, 255))


@sprite("wine glass")
def wine_glass(pen: Pen) -> None:
    """Draw a bowl of glass on a stem, with wine in it."""
    rim = (120, 132, 146)
    pen.line(((0.5, 0.56), (0.5, 0.95)), 0.06, rim)
    pen.oval(0.16, 0.92, 0.84, 1.0, (206, 220, 230))
    bowl_of_glass = ((0.08, 0.02), (0.92, 0.02), (0.9, 0.34), (0.5, 0.6), (0.1, 0.34))
    pen.glass(bowl_of_glass)
    pen.poly(((0.1, 0.26), (0.9, 0.26), (0.86, 0.38), (0.5, 0.58), (0.14, 0.38)), Paint(pen.color, opacity=0.85))
    _pane_edge(pen, bowl_of_glass, rim)


@sprite("bottle")
def bottle(pen: Pen) -> None:
    """Draw a neck on shoulders, a label, a cap."""
    body = (
        (0.36, 0.08),
        (0.64, 0.08),
        (0.66, 0.28),
        (0.96, 0.44),
        (0.96, 0.98),
        (0.04, 0.98),
        (0.04, 0.44),
        (0.34, 0.28),
    )
    if pen.look.texture == "glass":
        pen.poly(body, Paint(pen.color, opacity=0.6))
        _pane_edge(pen, body, darker(pen.color, 0.4))
        pen.line(((0.2, 0.5), (0.2, 0.9)), 0.1, lighter(pen.color, 0.8))
    else:
        pen.poly(body)
    pen.box(0.04, 0.56, 0.96, 0.82, lighter(pen.color, 0.75) if sum(pen.color) < 600 else (90, 150, 210))
    pen.box(0.32, 0.0, 0.68, 0.1, pen.dark)


@sprite("jar")
def jar(pen: Pen) -> None:
    """Draw a wide pot with a lid."""
    pen.box(0.04, 0.18, 0.96, 0.99, bend=0.16)
    pen.box(0.08, 0.0, 0.92, 0.2, STEEL, bend=0.05)
    pen.box(0.2, 0.42, 0.8, 0.76, (250, 246, 230))


@sprite("pot")
def pot(pen: Pen) -> None:
    """Draw a cooking pot with two ears and a lid."""
    for x in (0.06, 0.94):
        pen.disc(x, 0.46, 0.1, pen.dark)
    pen.poly(arc(0.5, 0.3, 0.42, 0.18, 0.5, 1.0), pen.light)
    pen.box(0.1, 0.3, 0.9, 0.98, bend=0.12)
    pen.box(0.07, 0.26, 0.93, 0.35, pen.dark, bend=0.04)
    pen.disc(0.5, 0.09, 0.09, (50, 50, 54))


@sprite("pan")
def pan(pen: Pen) -> None:
    """Draw a shallow dish with a long handle."""
    pen.limb(((0.6, 0.5), (0.96, 0.36)), 0.2, (60, 56, 52))
    pen.poly((*arc(0.34, 0.5, 0.34, 0.42, 0.0, 0.5),))
    pen.oval(0.0, 0.26, 0.68, 0.74)
    pen.oval(0.06, 0.34, 0.62, 0.68, pen.dark)


@sprite("fork")
def fork(pen: Pen) -> None:
    """Draw three tines on a handle."""
    for x in (0.12, 0.5, 0.88):
        pen.limb(((x, 0.03), (x, 0.28)), 0.18)
    pen.poly(((0.03, 0.26), (0.97, 0.26), (0.64, 0.46), (0.36, 0.46)))
    pen.limb(((0.5, 0.44), (0.5, 0.97)), 0.24)


@sprite("knife")
def knife(pen: Pen) -> None:
    """Draw a blade on a handle."""
    pen.blob(((0.4, 0.0), (0.9, 0.14), (0.96, 0.5), (0.3, 0.56), (0.24, 0.2)), STEEL)
    pen.box(0.22, 0.54, 0.78, 0.99, bend=0.2)


@sprite("spoon")
def spoon(pen: Pen) -> None:
    """Draw an oval on a handle."""
    pen.limb(((0.5, 0.3), (0.5, 0.97)), 0.22)
    pen.oval(0.04, 0.0, 0.96, 0.34)
    pen.oval(0.22, 0.05, 0.78, 0.28, pen.dark)


@sprite("napkin")
def napkin(pen: Pen) -> None:
    """Draw a folded cloth."""
    pen.poly(((0.06, 0.0), (0.94, 0.0), (1.0, 1.0), (0.0, 1.0)))
    pen.line(((0.06, 0.02), (0.96, 0.96)), 0.02, pen.dark)


@sprite("pizza")
def pizza(pen: Pen) -> None:
    """Draw a crust with cheese, slices of sausage and leaves, without one slice when it is cut."""
    pen.oval(0.0, 0.02, 1.0, 0.98, CRUST)
    pen.oval(0.08, 0.1, 0.92, 0.88, CHEESE)
    for x, y in ((0.3, 0.32), (0.62, 0.26), (0.74, 0.52), (0.5, 0.52), (0.26, 0.6), (0.56, 0.74)):
        pen.oval(x - 0.075, y - 0.07, x + 0.075, y + 0.07, (196, 58, 44))
    for x, y in ((0.44, 0.34), (0.64, 0.42), (0.36, 0.74), (0.72, 0.68)):
        pen.oval(x - 0.04, y - 0.03, x + 0.04, y + 0.03, COLORS["green"])


@sprite("donut")
def donut(pen: Pen) -> None:
    """Draw a ring with icing and sprinkles."""
    pen.oval(0.0, 0.02, 1.0, 1.0, CRUST)
    pen.oval(0.03, 0.02, 0.97, 0.86)
    colors = ("white", "yellow", "blue", "red", "green")
    for i, (x, y) in enumerate(
        ((0.2, 0.3), (0.4, 0.14), (0.64, 0.16), (0.82, 0.34), (0.8, 0.56), (0.56, 0.74), (0.28, 0.7), (0.14, 0.5))
    ):
        pen.line(((x - 0.03, y), (x + 0.03, y + 0.03 * (i % 3 - 1))), 0.045, COLORS[colors[i % 5]])
    pen.oval(0.36, 0.34, 0.64, 0.58, darker(CRUST, 0.4))


@sprite("banana")
def banana(pen: Pen) -> None:
    """Draw a bow."""
    pen.blob(
        (
            (0.02, 0.2),
            (0.1, 0.16),
            (0.3, 0.5),
            (0.6, 0.56),
            (0.92, 0.22),
            (0.98, 0.28),
            (0.86, 0.76),
            (0.5, 0.96),
            (0.14, 0.72),
        )
    )
    pen.line(((0.04, 0.2), (0.03, 0.06)), 0.1, COLORS["brown"])
    pen.line(((0.95, 0.25), (0.97, 0.2)), 0.1, COLORS["dark brown"])


@sprite("apple")
def apple(pen: Pen) -> None:
    """Draw an apple, round with a dent, a stalk and a leaf."""
    pen.blob(
        (
            (0.5, 0.24),
            (0.76, 0.14),
            (0.98, 0.4),
            (0.86, 0.84),
            (0.6, 0.98),
            (0.4, 0.98),
            (0.14, 0.84),
            (0.02, 0.4),
            (0.24, 0.14),
        )
    )
    pen.line(((0.5, 0.26), (0.54, 0.04)), 0.07, COLORS["brown"])
    pen.blob(((0.54, 0.12), (0.7, 0.0), (0.86, 0.04), (0.7, 0.14)), COLORS["green"])
    pen.oval(0.2, 0.32, 0.34, 0.54, Paint(lighter(pen.color, 0.5)))


@sprite("orange")
def orange(pen: Pen) -> None:
    """Draw an orange, round with pores and a green button."""
    pen.oval(0.0, 0.02, 1.0, 1.0)
    for x, y in ((0.3, 0.4), (0.5, 0.6), (0.7, 0.44), (0.36, 0.74), (0.66, 0.76)):
        pen.disc(x, y, 0.03, Paint(pen.dark))
    pen.disc(0.5, 0.1, 0.08, COLORS["green"])


@sprite("tomato")
def tomato(pen: Pen) -> None:
    """Draw a tomato, round and flat with a green star."""
    pen.oval(0.0, 0.1, 1.0, 1.0)
    pen.poly(
        ((0.5, 0.3), (0.36, 0.28), (0.2, 0.14), (0.42, 0.16), (0.5, 0.0), (0.58, 0.16), (0.8, 0.14), (0.64, 0.28)),
        COLORS["green"],
    )
    pen.oval(0.18, 0.4, 0.32, 0.58, Paint(lighter(pen.color, 0.5)))


@sprite("carrot")
def carrot(pen: Pen) -> None:
    """Draw a cone with leaves at its broad end."""
    for y in (0.1, 0.3, 0.55):
        pen.limb(((0.74, 0.4), (0.97, y)), 0.12, COLORS["green"])
    pen.blob(((0.0, 0.86), (0.4, 0.4), (0.72, 0.14), (0.82, 0.5), (0.5, 0.84)))
    for x, y in ((0.34, 0.6), (0.54, 0.46)):
        pen.line(((x, y), (x + 0.08, y + 0.16)), 0.05, pen.dark)


@sprite("broccoli")
def broccoli(pen: Pen) -> None:
    """Draw a green head on a pale stalk."""
    pen.poly(((0.38, 0.5), (0.62, 0.5), (0.68, 0.98), (0.32, 0.98)), (170, 206, 120))
    for x, y, r in ((0.22, 0.46, 0.21), (0.78, 0.46, 0.21), (0.36, 0.26, 0.23), (0.64, 0.26, 0.23), (0.5, 0.5, 0.22)):
        pen.oval(x - r, y - r, x + r, y + r)


@sprite("sandwich")
def sandwich(pen: Pen) -> None:
    """Draw bread with leaves, cheese and tomato between."""
    pen.box(0.04, 0.7, 0.96, 0.98, CRUMB, bend=0.14)
    pen.box(0.0, 0.58, 1.0, 0.74, COLORS["red"], bend=0.06)
    pen.box(0.0, 0.46, 1.0, 0.62, CHEESE)
    pen.blob(
        ((0.0, 0.44), (0.25, 0.36), (0.5, 0.44), (0.75, 0.36), (1.0, 0.44), (0.75, 0.54), (0.5, 0.48), (0.25, 0.54)),
        (120, 190, 80),
    )
    pen.blob(((0.03, 0.4), (0.06, 0.14), (0.3, 0.02), (0.7, 0.02), (0.94, 0.14), (0.97, 0.4)), CRUST)


@sprite("hot dog")
def hot_dog(pen: Pen) -> None:
    """Draw a sausage in a bun with mustard."""
    pen.box(0.02, 0.3, 0.98, 0.98, CRUST, bend=0.4)
    pen.limb(((0.08, 0.34), (0.92, 0.34)), 0.42, (176, 76, 48))
    pen.line(
        ((0.12, 0.3), (0.24, 0.42), (0.38, 0.26), (0.52, 0.42), (0.66, 0.26), (0.8, 0.42), (0.88, 0.3)), 0.09, CHEESE
    )


@sprite("bread")
def bread(pen: Pen) -> None:
    """Draw a loaf with cuts."""
    pen.blob(((0.02, 0.66), (0.1, 0.24), (0.5, 0.06), (0.9, 0.24), (0.98, 0.66), (0.84, 0.97), (0.16, 0.97)))
    for x in (0.3, 0.5, 0.7):
        pen.line(((x - 0.06, 0.5), (x + 0.06, 0.24)), 0.08, lighter(pen.color, 0.6))


@sprite("cake")
def cake(pen: Pen) -> None:
    """Draw two layers with icing and cherries."""
    pen.box(0.04, 0.4, 0.96, 0.97, CRUMB, bend=0.06)
    pen.box(0.04, 0.62, 0.96, 0.74, pen.color)
    pen.poly(
        (
            *arc(0.5, 0.34, 0.5, 0.18, 0.5, 1.0),
            (1.0, 0.5),
            (0.88, 0.58),
            (0.76, 0.48),
            (0.62, 0.6),
            (0.5, 0.48),
            (0.36, 0.6),
            (0.24, 0.48),
            (0.12, 0.58),
            (0.0, 0.5),
        )
    )
    for x in (0.26, 0.5, 0.74):
        pen.disc(x, 0.14, 0.1, (206, 30, 50))


@sprite("egg")
def egg(pen: Pen) -> None:
    """Draw a fried egg: a yolk in its white."""
    pen.blob(
        ((0.02, 0.5), (0.2, 0.12), (0.6, 0.04), (0.96, 0.4), (0.86, 0.86), (0.46, 0.97), (0.16, 0.84)), (252, 252, 248)
    )
    pen.oval(0.3, 0.22, 0.7, 0.68, (252, 186, 40))


@sprite("cheese")
def cheese(pen: Pen) -> None:
    """Draw a wedge with holes."""
    pen.poly(((0.0, 0.5), (0.8, 0.06), (1.0, 0.44), (1.0, 0.97), (0.0, 0.97)))
    pen.poly(((0.0, 0.5), (0.8, 0.06), (1.0, 0.44)), lighter(pen.color, 0.4))
    for x, y, r in ((0.24, 0.74, 0.09), (0.56, 0.62, 0.07), (0.74, 0.82, 0.1)):
        pen.disc(x, y, r, pen.dark)


@sprite("fries")
def fries(pen: Pen) -> None:
    """Draw sticks in a red bag."""
    for i, x in enumerate((0.18, 0.32, 0.46, 0.6, 0.74, 0.84)):
        pen.box(x - 0.06, 0.04 + 0.08 * (i % 3), x + 0.06, 0.7, CHEESE)
    pen.poly(((0.06, 0.42), (0.5, 0.52), (0.94, 0.42), (0.84, 0.98), (0.16, 0.98)), COLORS["red"])


@sprite("pepper")
def pepper(pen: Pen) -> None:
    """Draw a bell with lobes and a stalk."""
    pen.blob(
        (
            (0.5, 0.26),
            (0.8, 0.16),
            (0.98, 0.44),
            (0.8, 0.94),
            (0.62, 0.9),
            (0.5, 0.97),
            (0.36, 0.9),
            (0.2, 0.94),
            (0.02, 0.44),
            (0.2, 0.16),
        )
    )
    pen.limb(((0.5, 0.26), (0.56, 0.06)), 0.12, COLORS["green"])
    pen.line(((0.36, 0.34), (0.34, 0.8)), 0.04, pen.dark)


def _pane_edge(pen: Pen, points: tuple[XY, ...], ink: Color) -> None:
    pen.line((*points, points[0]), 0.05, ink)
