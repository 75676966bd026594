"""People and what they wear, drawn from their skeleton."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.worlds.photos.imagine._pen import arc
from deixis.worlds.photos.imagine._sprites.table import sprite
from deixis.worlds.photos.imagine._textures import Color, blend, darker, lighter


if TYPE_CHECKING:
    from deixis.worlds.photos.imagine._pen import XY, Pen
    from deixis.worlds.photos.imagine._skeleton import Skeleton


SKIN: tuple[Color, ...] = ((250, 214, 182), (232, 184, 144), (196, 140, 100), (142, 94, 64), (104, 68, 48))
HAIR: dict[str, Color] = {
    "black": (38, 32, 32),
    "brown": (96, 60, 36),
    "blond": (238, 204, 108),
    "red": (176, 78, 36),
    "gray": (190, 190, 192),
}
ARM, LEG, TORSO = 0.07, 0.088, 0.2  # widths, in shares of the height
UNDERWEAR: Color = (196, 198, 202)


def body(pen: Pen) -> Skeleton:
    """Return the skeleton of a person, or of the wearer of a thing."""
    assert pen.look.body is not None
    return pen.look.body


@sprite("man", "boy", "player")
def man(pen: Pen) -> None:
    """Draw a person with short hair, or none."""
    _person(pen)
    if "bald" not in pen.look.state:
        _short_hair(pen)
    _face(pen)


@sprite("woman", "girl")
def woman(pen: Pen) -> None:
    """Draw a person with long hair."""
    joints = body(pen)
    (x, y), r = joints.head, joints.radius
    dx, dy = _down(joints)
    low = (x + dx * 2.3 * r, y + dy * 2.3 * r)
    pen.limb(((x - 0.35 * r, y), (low[0] - 0.4 * r, low[1])), 1.55 * r, pen.look.second)
    pen.limb(((x + 0.35 * r, y), (low[0] + 0.4 * r, low[1])), 1.55 * r, pen.look.second)
    _person(pen)
    _short_hair(pen)
    _face(pen)


def _person(pen: Pen) -> None:
    joints, skin = body(pen), pen.color
    shade = darker(skin, 0.12)
    pen.limb(joints.far_arm, ARM, shade)
    pen.limb(joints.far_leg, LEG, shade)
    pen.limb(joints.near_leg, LEG, skin)
    pen.poly(_torso(joints), UNDERWEAR)
    pen.limb((joints.neck, joints.head), 0.075, skin)
    pen.limb(joints.near_arm, ARM, skin)
    r = joints.radius
    pen.oval(joints.head[0] - 0.88 * r, joints.head[1] - r, joints.head[0] + 0.88 * r, joints.head[1] + r, skin)


def _short_hair(pen: Pen) -> None:
    joints = body(pen)
    (x, y), r = joints.head, joints.radius
    if joints.tilt:
        pen.poly(((x, y + r), *arc(x, y, -r, r, 0.25, -0.25), (x - 0.35 * r, y)), pen.look.second)
    else:
        crown = arc(x, y + 0.1 * r, 0.95 * r, 0.98 * r, 0.0, 0.5)
        pen.poly((*crown, (x - 0.5 * r, y + 0.45 * r), (x + 0.6 * r, y + 0.5 * r)), pen.look.second)


def _face(pen: Pen) -> None:
    joints = body(pen)
    (x, y), r = joints.head, joints.radius
    ink = (44, 32, 30)
    if joints.tilt:
        pen.line(((x + 0.1 * r, y + 0.35 * r), (x + 0.1 * r, y + 0.6 * r)), 0.012, ink)
        return
    pen.disc(x - 0.2 * r, y + 0.08 * r, 0.11 * r, ink)
    pen.disc(x + 0.45 * r, y + 0.08 * r, 0.11 * r, ink)
    if "smiling" in pen.look.state:
        pen.poly(((x - 0.3 * r, y - 0.28 * r), *arc(x + 0.12 * r, y - 0.28 * r, 0.45 * r, -0.42 * r, 0.0, 0.5)), WHITE)
    else:
        pen.line(((x - 0.08 * r, y - 0.48 * r), (x + 0.36 * r, y - 0.48 * r)), 0.012, (150, 70, 66))


WHITE: Color = (250, 250, 250)


@sprite("shirt")
def shirt(pen: Pen) -> None:
    """Draw a torso with short sleeves."""
    joints = body(pen)
    shoulder, elbow, _ = joints.far_arm
    pen.limb((shoulder, _between(shoulder, elbow, 0.75)), 1.22 * ARM, pen.dark)
    pen.poly(_torso(joints))
    shoulder, elbow, _ = joints.near_arm
    pen.limb((shoulder, _between(shoulder, elbow, 0.75)), 1.22 * ARM)


@sprite("jacket")
def jacket(pen: Pen) -> None:
    """Draw a torso with long sleeves, open over something pale."""
    joints = body(pen)
    shoulder, elbow, hand = joints.far_arm
    pen.limb((shoulder, elbow, _between(elbow, hand, 0.85)), 1.3 * ARM, pen.dark)
    pen.poly(_torso(joints, wide=1.12, long=1.12))
    if not joints.tilt:
        (x, y), (u, v) = joints.neck, joints.hip
        pen.poly(((x - 0.03, y), (x + 0.05, y), (u + 0.02, v + 0.02), (u - 0.005, v + 0.02)), lighter(UNDERWEAR, 0.5))
    shoulder, elbow, hand = joints.near_arm
    pen.limb((shoulder, elbow, _between(elbow, hand, 0.85)), 1.3 * ARM)


@sprite("dress")
def dress(pen: Pen) -> None:
    """Draw a torso that widens down to the knees."""
    joints = body(pen)
    (x, y), (a, b), (c, d) = joints.neck, joints.near_leg[1], joints.far_leg[1]
    if joints.tilt:
        pen.poly(((x, y + 0.08), (c, d + 0.06), (a, b - 0.06), (x, y - 0.06)))
    elif joints.head[1] - joints.near_leg[2][1] > 0.75:
        low = min(b, d) - 0.02
        pen.poly(
            ((x - 0.1, y), (x + 0.1, y), (x + 0.075, y - 0.26), (x + 0.19, low), (x - 0.19, low), (x - 0.075, y - 0.26))
        )
    else:
        pen.poly(
            (
                *_torso(joints)[:2],
                (c + 0.05, d + 0.05),
                (a + 0.04, b - 0.07),
                (joints.hip[0] - 0.1, joints.hip[1] - 0.05),
            )
        )
    pen.limb((joints.near_arm[0], _between(*joints.near_arm[:2], 0.5)), 1.2 * ARM)


@sprite("pants", "jeans")
def pants(pen: Pen) -> None:
    """Draw two long legs."""
    _legs(pen, 0.86)


@sprite("shorts")
def shorts(pen: Pen) -> None:
    """Draw two short legs."""
    _legs(pen, -0.1)


@sprite("skirt")
def skirt(pen: Pen) -> None:
    """Draw a cone from the waist to above the knees."""
    joints = body(pen)
    (x, y), (a, b), (c, d) = joints.hip, joints.near_leg[1], joints.far_leg[1]
    if joints.tilt or abs(a - x) > 0.14:
        pen.poly(
            ((x - 0.1, y + 0.05), (x + 0.03, y + 0.09), (c - 0.02, d + 0.07), (a - 0.03, b - 0.07), (x - 0.1, y - 0.06))
        )
    else:
        low = min(b, d) + 0.03
        pen.poly(((x - 0.095, y + 0.07), (x + 0.095, y + 0.07), (x + 0.17, low), (x - 0.17, low)))


def _legs(pen: Pen, reach: float) -> None:
    joints = body(pen)
    for leg, fill in ((joints.far_leg, pen.dark), (joints.near_leg, None)):
        hip, knee, foot = leg
        points = (hip, knee, _between(knee, foot, reach)) if reach > 0 else (hip, _between(hip, knee, 1 + reach))
        pen.limb(points, 1.22 * LEG, fill)
    pen.limb((joints.near_leg[0], joints.far_leg[0]), 1.16 * LEG)


@sprite("shoes")
def shoes(pen: Pen) -> None:
    """Draw a pair of shoes."""
    joints = body(pen)
    turn = joints.tilt
    for foot, fill in ((joints.far_leg[2], pen.dark), (joints.near_leg[2], pen.color)):
        x, y = foot
        toe = (x, y + 0.075) if turn else (x + 0.065, y - 0.006)
        pen.limb((foot, toe), 0.062, fill)


@sprite("hat")
def hat(pen: Pen) -> None:
    """Draw a round crown with a brim."""
    (x, y), r = body(pen).head, body(pen).radius
    pen.box(x - 0.75 * r, y + 0.42 * r, x + 0.75 * r, y + 1.42 * r, bend=0.3 * r)
    pen.oval(x - 1.7 * r, y + 0.22 * r, x + 1.7 * r, y + 0.68 * r)
    pen.line(((x - 0.72 * r, y + 0.66 * r), (x + 0.72 * r, y + 0.66 * r)), 0.022, pen.look.second)


@sprite("cap")
def cap(pen: Pen) -> None:
    """Draw a round crown with a peak to the front."""
    (x, y), r = body(pen).head, body(pen).radius
    pen.poly(arc(x, y + 0.3 * r, 0.98 * r, 0.9 * r, 0.0, 0.5))
    pen.limb(((x + 0.1 * r, y + 0.34 * r), (x + 1.55 * r, y + 0.28 * r)), 0.03, pen.dark)


@sprite("helmet")
def helmet(pen: Pen) -> None:
    """Draw a shell over head and ears, with a stripe."""
    (x, y), r = body(pen).head, body(pen).radius
    pen.poly(
        (
            *arc(x, y + 0.2 * r, 1.15 * r, 1.1 * r, 0.0, 0.5),
            (x - 1.15 * r, y - 0.35 * r),
            (x - 0.55 * r, y - 0.3 * r),
            (x - 0.5 * r, y + 0.3 * r),
        )
    )
    pen.line(((x - 0.9 * r, y + 0.78 * r), (x + 0.9 * r, y + 0.78 * r)), 0.02, lighter(pen.color, 0.55))


@sprite("glasses")
def glasses(pen: Pen) -> None:
    """Draw two lenses and a bridge."""
    (x, y), r = body(pen).head, body(pen).radius
    for side in (-0.26, 0.5):
        pen.disc(x + side * r, y + 0.08 * r, 0.34 * r, pen.color)
        pen.disc(x + side * r, y + 0.08 * r, 0.17 * r, blend(pen.color, (255, 255, 255), 0.35))
    pen.line(((x - 0.9 * r, y + 0.14 * r), (x + 0.8 * r, y + 0.14 * r)), 0.012, pen.color)


@sprite("tie")
def tie(pen: Pen) -> None:
    """Draw a strip from the collar to the belly."""
    (x, y), (u, v) = body(pen).neck, body(pen).hip
    low = _between((x, y), (u, v), 0.75)
    pen.poly(
        (
            (x - 0.02, y - 0.01),
            (x + 0.03, y - 0.01),
            (low[0] + 0.035, low[1] + 0.03),
            low,
            (low[0] - 0.03, low[1] + 0.03),
        )
    )


@sprite("scarf")
def scarf(pen: Pen) -> None:
    """Draw a ring around the neck with an end hanging down."""
    x, y = body(pen).neck
    pen.limb(((x + 0.03, y), (x + 0.05, y - 0.17)), 0.055)
    pen.limb(((x - 0.055, y + 0.005), (x + 0.055, y + 0.005)), 0.062)


@sprite("backpack worn")
def backpack_worn(pen: Pen) -> None:
    """Draw a pack at the back, with straps over the shoulder."""
    joints = body(pen)
    (x, y), (u, v) = joints.neck, joints.hip
    pen.box(x - 0.21, y - 0.3, x - 0.06, y - 0.02, bend=0.05)
    pen.box(x - 0.225, y - 0.28, x - 0.13, y - 0.16, pen.dark, bend=0.03)
    pen.limb(
        ((x - 0.07, y - 0.03), (x + 0.01, y - 0.08), _between((x, y), (u, v), 0.55), (x - 0.08, y - 0.24)),
        0.025,
        pen.dark,
    )


def _torso(joints: Skeleton, *, wide: float = 1.0, long: float = 1.0) -> tuple[XY, ...]:
    """Return the outline of the trunk, from one shoulder around."""
    (x, y), (u, v) = joints.neck, joints.hip
    if joints.tilt:
        return ((x - 0.01, y + 0.075), (u * long + 0.03, v + 0.08), (u * long + 0.03, v - 0.055), (x - 0.01, y - 0.055))
    v = y - (y - v) * long
    half = TORSO / 2 * wide
    low = 0.86 * half
    return (
        (x - 0.45 * half, y + 0.005),
        (x + 0.45 * half, y + 0.005),
        (x + 1.05 * half, y - 0.045),
        (u + low, v + 0.08),
        (u + low * 1.04, v - 0.025),
        (u - low * 1.04, v - 0.025),
        (u - low, v + 0.08),
        (x - 1.05 * half, y - 0.045),
    )


def _down(joints: Skeleton) -> XY:
    return (1.0, 0.0) if joints.tilt else (0.0, -1.0)


def _between(one: XY, other: XY, share: float) -> XY:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share
