"""Animals, facing right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._pen import arc
from deixis.worlds.photos.imagine._sprites.table import sprite
from deixis.worlds.photos.imagine._textures import COLORS, Color, darker, lighter


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import Pen


EYE: Color = (24, 22, 22)
HOOF: Color = (58, 46, 40)
HORN: Color = (232, 220, 190)


def _eye(pen: Pen) -> Color:
    """Draw an eye, dark on a bright animal, bright on a dark one."""
    return EYE if sum(pen.color) > 170 else (232, 214, 120)


@sprite("dog")
def dog(pen: Pen) -> None:
    """Draw a dog with a floppy ear, a square snout and its tail up."""
    if pen.look.state == "lying":
        pen.limb(((0.06, 0.72), (-0.0 + 0.03, 0.45)), 0.12, pen.dark)
        pen.blob(((0.05, 0.72), (0.2, 0.38), (0.5, 0.36), (0.72, 0.5), (0.74, 0.9), (0.4, 0.97), (0.1, 0.95)))
        pen.limb(((0.6, 0.9), (0.92, 0.92)), 0.14)
        pen.limb(((0.18, 0.88), (0.4, 0.92)), 0.14, pen.dark)
        _dog_head(pen, 0.78, 0.4, 1.25)
        return
    if pen.look.state == "sitting":
        pen.limb(((0.2, 0.86), (0.04, 0.7)), 0.09, pen.dark)
        pen.blob(((0.2, 0.95), (0.16, 0.72), (0.42, 0.4), (0.62, 0.3), (0.74, 0.5), (0.66, 0.95)))
        pen.blob(((0.16, 0.95), (0.18, 0.72), (0.36, 0.68), (0.48, 0.84), (0.5, 0.97)), pen.light)
        pen.limb(((0.66, 0.5), (0.68, 0.94)), 0.12)
        pen.limb(((0.66, 0.95), (0.76, 0.95)), 0.09)
        _dog_head(pen, 0.66, 0.2, 1.2)
        return
    pen.limb(((0.12, 0.42), (0.02, 0.2)), 0.08, pen.dark)
    _legs(pen, (0.24, 0.68), 0.55, 0.12, pen.dark, hooves=False)
    pen.blob(
        ((0.08, 0.48), (0.2, 0.35), (0.5, 0.38), (0.7, 0.32), (0.8, 0.46), (0.72, 0.66), (0.4, 0.66), (0.15, 0.66))
    )
    _legs(pen, (0.15, 0.62), 0.55, 0.13, None, hooves=False)
    pen.limb(((0.7, 0.42), (0.78, 0.26)), 0.22)
    _dog_head(pen, 0.8, 0.2, 1.0)


def _dog_head(pen: Pen, x: float, y: float, size: float) -> None:
    s = 0.16 * size
    k = pen.frame.down / abs(pen.frame.across)
    w = s * min(1.3, max(0.6, k))
    pen.oval(x - w, y - s, x + 0.8 * w, y + 0.85 * s)
    pen.box(x + 0.2 * w, y - 0.12 * s, x + 1.35 * w, y + 0.75 * s, bend=0.06 * size)
    pen.disc(x + 1.3 * w, y + 0.08 * s, 0.035 * size, _eye(pen))
    pen.disc(x + 0.25 * w, y - 0.28 * s, 0.028 * size, _eye(pen))
    pen.blob(
        (
            (x - 0.75 * w, y - 0.85 * s),
            (x - 0.2 * w, y - 0.7 * s),
            (x - 0.3 * w, y + 0.5 * s),
            (x - 0.9 * w, y + 0.45 * s),
        ),
        pen.dark,
    )


@sprite("cat")
def cat(pen: Pen) -> None:
    """Draw a cat with pointed ears, a round head and a long tail."""
    if pen.look.state == "lying":
        pen.blob(((0.04, 0.74), (0.14, 0.42), (0.45, 0.34), (0.7, 0.52), (0.74, 0.92), (0.35, 0.98), (0.06, 0.94)))
        pen.limb(((0.08, 0.86), (0.3, 0.95), (0.5, 0.92)), 0.12, pen.dark)
        pen.limb(((0.6, 0.93), (0.8, 0.93)), 0.11)
        _cat_head(pen, 0.76, 0.5, 0.34)
        return
    if pen.look.state == "sitting":
        pen.limb(((0.3, 0.9), (0.06, 0.93), (0.02, 0.7)), 0.1, pen.dark)
        pen.blob(((0.22, 0.95), (0.2, 0.7), (0.4, 0.42), (0.6, 0.34), (0.76, 0.5), (0.76, 0.96)))
        pen.limb(((0.64, 0.6), (0.64, 0.94)), 0.12)
        pen.limb(((0.74, 0.6), (0.75, 0.94)), 0.12, pen.light)
        _cat_head(pen, 0.6, 0.24, 0.19)
        return
    pen.limb(((0.1, 0.5), (0.03, 0.3), (0.06, 0.06)), 0.07, pen.dark)
    _legs(pen, (0.24, 0.66), 0.6, 0.09, pen.dark, hooves=False)
    pen.blob(((0.08, 0.52), (0.25, 0.38), (0.55, 0.42), (0.75, 0.36), (0.78, 0.56), (0.6, 0.7), (0.2, 0.68)))
    _legs(pen, (0.15, 0.6), 0.6, 0.1, None, hooves=False)
    _cat_head(pen, 0.8, 0.32, 0.19)


def _cat_head(pen: Pen, x: float, y: float, s: float) -> None:
    w = s * abs(pen.frame.down / pen.frame.across) * 1.1
    for side in (-1.0, 1.0):
        pen.poly(
            ((x + side * 0.95 * w, y - 0.1 * s), (x + side * 0.8 * w, y - 1.25 * s), (x + side * 0.15 * w, y - 0.8 * s))
        )
    pen.oval(x - w, y - 0.85 * s, x + w, y + 0.85 * s)
    for side in (-0.38, 0.42):
        pen.oval(x + side * w - 0.13 * w, y - 0.3 * s, x + side * w + 0.13 * w, y + 0.02 * s, _eye(pen))
    pen.poly(((x - 0.12 * w, y + 0.18 * s), (x + 0.12 * w, y + 0.18 * s), (x, y + 0.34 * s)), (226, 130, 130))
    ink = darker(pen.color, 0.5) if sum(pen.color) > 250 else (170, 170, 170)
    for side in (-1.0, 1.0):
        for drop in (0.22, 0.42):
            pen.line(((x + side * 0.3 * w, y + 0.3 * s), (x + side * 1.15 * w, y + drop * s)), 0.008, ink)


@sprite("horse")
def horse(pen: Pen) -> None:
    """Draw a horse with a mane, a long neck and face, and a long tail."""
    _equine(pen, darker(pen.color, 0.55) if sum(pen.color) > 200 else (20, 20, 22))


@sprite("zebra")
def zebra(pen: Pen) -> None:
    """Draw a horse in stripes."""
    _equine(pen, (36, 36, 38))


def _equine(pen: Pen, mane: Color) -> None:
    grazing = pen.look.state == "eating"
    pen.limb(((0.1, 0.4), (0.03, 0.55), (0.04, 0.72)), 0.07, mane)
    _legs(pen, (0.25, 0.62), 0.52, 0.075, pen.dark)
    if grazing:
        pen.limb(((0.62, 0.42), (0.8, 0.62), (0.86, 0.8)), 0.15)
        pen.limb(((0.86, 0.8), (0.82, 0.95)), 0.11)
        pen.limb(((0.66, 0.36), (0.83, 0.58)), 0.05, mane)
        pen.disc(0.87, 0.82, 0.018, _eye(pen))
    else:
        pen.limb(((0.64, 0.4), (0.76, 0.2), (0.8, 0.12)), 0.16)
        pen.limb(((0.8, 0.13), (0.94, 0.27)), 0.11)
        pen.poly(((0.75, 0.08), (0.775, -0.0), (0.81, 0.08)))
        pen.limb(((0.57, 0.32), (0.66, 0.16), (0.74, 0.06)), 0.055, mane)
        pen.disc(0.83, 0.13, 0.02, _eye(pen))
        pen.disc(0.955, 0.27, 0.014, _eye(pen))
    pen.blob(
        ((0.09, 0.42), (0.2, 0.32), (0.45, 0.37), (0.66, 0.31), (0.74, 0.44), (0.66, 0.6), (0.4, 0.6), (0.14, 0.57))
    )
    _legs(pen, (0.16, 0.68), 0.52, 0.08, None)


@sprite("cow")
def cow(pen: Pen) -> None:
    """Draw a boxy body with patches, horns and a broad muzzle."""
    if pen.look.state == "lying":
        pen.blob(((0.04, 0.7), (0.08, 0.36), (0.4, 0.3), (0.7, 0.36), (0.74, 0.9), (0.4, 0.97), (0.06, 0.94)))
        pen.limb(((0.56, 0.92), (0.82, 0.94)), 0.11)
        pen.blob(((0.2, 0.4), (0.38, 0.44), (0.36, 0.7), (0.18, 0.66)), pen.look.second)
        _cow_head(pen, 0.8, 0.34, 1.3)
        return
    pen.limb(((0.05, 0.3), (0.03, 0.62)), 0.03, pen.dark)
    _legs(pen, (0.22, 0.62), 0.62, 0.1, pen.dark)
    pen.box(0.05, 0.24, 0.74, 0.72, bend=0.16)
    for patch in (
        ((0.12, 0.28), (0.28, 0.26), (0.3, 0.46), (0.16, 0.52)),
        ((0.44, 0.36), (0.6, 0.3), (0.64, 0.54), (0.46, 0.6)),
    ):
        pen.blob(patch, pen.look.second)
    pen.oval(0.2, 0.66, 0.34, 0.78, (240, 180, 170))
    _legs(pen, (0.13, 0.66), 0.62, 0.11, None)
    if pen.look.state == "eating":
        pen.limb(((0.7, 0.42), (0.82, 0.66)), 0.2)
        _cow_head(pen, 0.84, 0.78, 1.0)
    else:
        pen.limb(((0.68, 0.42), (0.8, 0.28)), 0.22)
        _cow_head(pen, 0.82, 0.22, 1.0)


def _cow_head(pen: Pen, x: float, y: float, size: float) -> None:
    w, s = 0.09, 0.15 * size
    for side in (-1.0, 1.0):
        pen.limb(((x + side * 0.06, y - 0.8 * s), (x + side * 0.1, y - 1.35 * s)), 0.035 * size, HORN)
        pen.limb(((x + side * 0.08, y - 0.45 * s), (x + side * 0.15, y - 0.4 * s)), 0.06 * size, pen.dark)
    pen.box(x - w, y - s, x + w, y + s, bend=0.09 * size)
    pen.oval(x - w - 0.01, y + 0.25 * s, x + w + 0.02, y + 1.15 * s, (236, 182, 170))
    for side in (-0.045, 0.05):
        pen.disc(x + side, y - 0.3 * s, 0.025 * size, _eye(pen))
        pen.disc(x + side, y + 0.7 * s, 0.016 * size, (130, 80, 76))


@sprite("sheep")
def sheep(pen: Pen) -> None:
    """Draw a cloud of wool on thin legs."""
    lies = pen.look.state == "lying"
    face = (64, 58, 60) if sum(pen.color) > 300 else (190, 180, 170)
    if not lies:
        _legs(pen, (0.22, 0.34, 0.58, 0.68), 0.7, 0.07, face)
    low = 0.97 if lies else 0.8
    top = 0.16 if lies else 0.1
    for x, y in ((0.16, 0.3), (0.34, 0.1), (0.56, 0.12), (0.68, 0.34), (0.66, 0.62), (0.42, 0.72), (0.18, 0.62)):
        v = top + (low - top) * y
        pen.oval(x - 0.15, v - 0.16, x + 0.15, v + 0.2)
    pen.oval(0.1, top + 0.02, 0.74, low - 0.02, pen.color)
    for x, y in ((0.28, 0.35), (0.46, 0.3), (0.56, 0.55), (0.34, 0.6)):
        v = top + (low - top) * y
        pen.line(arc(x, v, 0.05, 0.06, 0.1, 0.7), 0.02, pen.dark)
    y = 0.74 if pen.look.state == "eating" else 0.34
    pen.limb(((0.74, y - 0.1), (0.64, y - 0.06)), 0.08, darker(face, 0.2))
    pen.oval(0.72, y - 0.17, 0.96, y + 0.2, face)
    pen.disc(0.85, y - 0.03, 0.03, (250, 250, 250))
    pen.disc(0.855, y - 0.03, 0.016, _eye(pen))
    pen.oval(0.7, y - 0.26, 0.86, y - 0.08)


@sprite("elephant")
def elephant(pen: Pen) -> None:
    """Draw a round back, a trunk, a fan of an ear."""
    pen.limb(((0.04, 0.4), (0.02, 0.62)), 0.025, pen.dark)
    _legs(pen, (0.26, 0.6), 0.6, 0.15, pen.dark, hooves=False)
    pen.blob(
        ((0.03, 0.5), (0.1, 0.2), (0.36, 0.08), (0.62, 0.16), (0.72, 0.4), (0.66, 0.72), (0.36, 0.78), (0.08, 0.72))
    )
    _legs(pen, (0.14, 0.52), 0.62, 0.16, None, hooves=False)
    pen.limb(((0.82, 0.36), (0.92, 0.5), (0.92, 0.72), (0.97, 0.84)), 0.09)
    pen.oval(0.62, 0.1, 0.92, 0.52)
    pen.limb(((0.84, 0.46), (0.94, 0.58)), 0.035, (250, 246, 230))
    pen.blob(((0.56, 0.14), (0.72, 0.12), (0.74, 0.36), (0.66, 0.54), (0.54, 0.44)), pen.dark)
    pen.disc(0.82, 0.26, 0.022, _eye(pen))
    for foot in (0.14, 0.52):
        pen.line(((foot - 0.04, 0.965), (foot + 0.04, 0.965)), 0.02, lighter(pen.color, 0.5))


@sprite("giraffe")
def giraffe(pen: Pen) -> None:
    """Draw a neck as long as its legs, and patches."""
    patch = COLORS["brown"]
    pen.limb(((0.1, 0.5), (0.05, 0.66)), 0.03, patch)
    _legs(pen, (0.28, 0.56), 0.66, 0.075, pen.dark)
    pen.limb(((0.56, 0.5), (0.72, 0.26), (0.78, 0.1)), 0.14)
    pen.limb(((0.5, 0.44), (0.66, 0.24), (0.73, 0.09)), 0.025, darker(patch))
    pen.blob(((0.08, 0.56), (0.16, 0.48), (0.5, 0.42), (0.66, 0.46), (0.64, 0.62), (0.4, 0.68), (0.12, 0.68)))
    _legs(pen, (0.17, 0.6), 0.64, 0.08, None)
    for x, y, r in (
        (0.18, 0.56, 0.04),
        (0.3, 0.52, 0.045),
        (0.3, 0.61, 0.035),
        (0.42, 0.56, 0.045),
        (0.53, 0.5, 0.04),
        (0.54, 0.6, 0.035),
    ):
        pen.oval(x - r, y - 0.7 * r, x + r, y + 0.7 * r, patch)
    for x, y in ((0.62, 0.4), (0.68, 0.32), (0.72, 0.23), (0.75, 0.16)):
        pen.oval(x - 0.03, y - 0.022, x + 0.03, y + 0.022, patch)
    for x in (0.76, 0.81):
        pen.limb(((x, 0.07), (x + 0.005, 0.02)), 0.03, patch)
    pen.poly(((0.66, 0.07), (0.75, 0.065), (0.74, 0.1)))
    pen.limb(((0.79, 0.085), (0.93, 0.125)), 0.09)
    pen.disc(0.82, 0.08, 0.02, _eye(pen))


@sprite("bear")
def bear(pen: Pen) -> None:
    """Draw a heavy bear with small round ears."""
    _legs(pen, (0.26, 0.64), 0.6, 0.17, pen.dark, hooves=False)
    pen.blob(((0.04, 0.56), (0.12, 0.24), (0.4, 0.16), (0.64, 0.2), (0.76, 0.4), (0.7, 0.72), (0.4, 0.8), (0.08, 0.76)))
    _legs(pen, (0.14, 0.56), 0.62, 0.18, None, hooves=False)
    for x in (0.73, 0.88):
        pen.disc(x, 0.18, 0.07, pen.dark)
    pen.oval(0.66, 0.14, 0.95, 0.54)
    pen.oval(0.84, 0.32, 1.0, 0.5, lighter(pen.color, 0.4))
    pen.disc(0.96, 0.37, 0.03, _eye(pen))
    pen.disc(0.83, 0.3, 0.024, _eye(pen))


@sprite("bird")
def bird(pen: Pen) -> None:
    """Draw a drop with a beak, its wings spread when it flies."""
    if pen.look.state == "flying":
        pen.poly(((0.3, 0.56), (0.12, 0.02), (0.34, 0.1), (0.56, 0.5)), pen.dark)
        pen.blob(((0.02, 0.6), (0.25, 0.5), (0.6, 0.44), (0.8, 0.5), (0.78, 0.68), (0.5, 0.76), (0.2, 0.7)))
        pen.poly(((0.36, 0.58), (0.3, 0.98), (0.46, 0.92), (0.6, 0.6)), pen.light)
        pen.poly(((0.86, 0.5), (1.0, 0.57), (0.86, 0.62)), (238, 160, 40))
        pen.oval(0.7, 0.4, 0.9, 0.68)
        pen.disc(0.82, 0.51, 0.035, _eye(pen))
        return
    for x in (0.46, 0.56):
        pen.line(((x, 0.78), (x, 0.97), (x + 0.08, 0.97)), 0.035, (214, 140, 40))
    pen.poly(((0.02, 0.62), (0.02, 0.78), (0.4, 0.62), (0.3, 0.48)), pen.dark)
    pen.blob(((0.16, 0.6), (0.34, 0.4), (0.6, 0.3), (0.8, 0.44), (0.72, 0.72), (0.5, 0.84), (0.26, 0.76)))
    pen.blob(((0.2, 0.6), (0.4, 0.46), (0.6, 0.54), (0.5, 0.72), (0.26, 0.7)), pen.dark)
    pen.poly(((0.86, 0.18), (1.0, 0.27), (0.86, 0.33)), (238, 160, 40))
    pen.oval(0.56, 0.06, 0.9, 0.44)
    pen.disc(0.77, 0.2, 0.045, _eye(pen))


@sprite("duck")
def duck(pen: Pen) -> None:
    """Draw a boat of a body, a flat bill."""
    pen.blob(((0.02, 0.5), (0.2, 0.62), (0.5, 0.52), (0.76, 0.5), (0.8, 0.8), (0.6, 0.97), (0.25, 0.96)))
    pen.blob(((0.18, 0.68), (0.45, 0.6), (0.6, 0.72), (0.4, 0.86), (0.22, 0.82)), pen.dark)
    pen.limb(((0.66, 0.58), (0.7, 0.3)), 0.22)
    pen.box(0.82, 0.2, 1.0, 0.34, (240, 160, 40), bend=0.06)
    pen.oval(0.56, 0.04, 0.88, 0.4)
    pen.disc(0.76, 0.17, 0.04, _eye(pen))


@sprite("teddy bear")
def teddy_bear(pen: Pen) -> None:
    """Draw a toy that sits and spreads its arms."""
    for x in (0.24, 0.76):
        pen.disc(x, 0.12, 0.13, pen.dark)
        pen.limb(((0.5, 0.58), (x + (0.5 - x) * -0.45, 0.62)), 0.2)
        pen.limb(((0.5 + (x - 0.5) * 0.5, 0.84), (0.5 + (x - 0.5) * 1.45, 0.9)), 0.22, pen.light)
    pen.oval(0.22, 0.44, 0.78, 0.97)
    pen.oval(0.33, 0.56, 0.67, 0.9, pen.light)
    pen.oval(0.18, 0.04, 0.82, 0.52)
    pen.oval(0.36, 0.28, 0.64, 0.48, pen.light)
    for x in (0.36, 0.64):
        pen.disc(x, 0.23, 0.04, _eye(pen))
    pen.oval(0.44, 0.29, 0.56, 0.37, _eye(pen))


def _legs(
    pen: Pen, places: tuple[float, ...], top: float, width: float, fill: Color | None, *, hooves: bool = True
) -> None:
    """Draw straight legs at the given places across, down to the ground."""
    half = width * pen.unit / 2 / abs(pen.frame.down)
    foot = 1 - half - 1.2 / abs(pen.frame.down)
    for x in places:
        pen.limb(((x, top), (x + 0.01, foot)), width, fill)
        if hooves:
            pen.line(((x + 0.01, foot - 0.01), (x + 0.01, foot)), width * 0.9, HOOF)
        else:
            pen.limb(((x + 0.01, foot), (x + 0.01 + 0.03, foot)), width * 0.9, fill)
