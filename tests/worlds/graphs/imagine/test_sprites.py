from __future__ import annotations

import numpy as np
import pytest

from deixis.worlds.photos._balance import gqa_counts
from deixis.worlds.photos.imagine._appearance import draw_appearance
from deixis.worlds.photos.imagine._chance import Chance
from deixis.worlds.photos.imagine._kinds import KINDS, UNSAID_COLORS
from deixis.worlds.photos.imagine._pen import Frame, Look, Pen
from deixis.worlds.photos.imagine._picture import OwnedShapes, paint, who_owns
from deixis.worlds.photos.imagine._skeleton import POSES
from deixis.worlds.photos.imagine._sprites import SPRITES
from deixis.worlds.photos.imagine._textures import COLORS, IMPLIED, cover


pytest.importorskip("PIL")

WORN = ("shirt", "jacket", "dress", "pants", "jeans", "shorts", "skirt", "shoes", "hat", "cap", "helmet", "glasses")
PEOPLE = ("man", "woman", "boy", "girl", "player")
ON_BODIES = (*WORN, "tie", "scarf", *PEOPLE)
BOXED = [kind for kind in KINDS.values() if kind.name not in ON_BODIES]
OF_LIGHT = ("sky", "water", "ocean", "glass", "wine glass", "traffic light")  # their colour is not that of paint
COLORED = [kind for kind in KINDS.values() if kind.name not in (*UNSAID_COLORS, *OF_LIGHT)]
SIDE = 120


def drawn(name: str, look: Look) -> tuple[np.ndarray, np.ndarray]:
    """A sprite in the middle of a picture: its pixels, and the box of what it touches."""
    ratio = min(4.0, max(0.25, KINDS[name].ratio))
    w, h = (SIDE, SIDE / ratio) if ratio > 1 else (SIDE * ratio, SIDE)
    frame = Frame(2.0 * SIDE, 2.5 * SIDE, SIDE, -SIDE) if name in ON_BODIES else Frame(SIDE, SIDE, w, h)
    pen = Pen(frame, look)
    SPRITES[name](pen)
    painted = (OwnedShapes(0, tuple(pen.shapes)),)
    box = who_owns(painted, 1, 4 * SIDE, 4 * SIDE).boxes[0] / 2
    if name not in ON_BODIES:
        box = (box - SIDE) / [w, h, w, h]
    return np.asarray(paint(painted, 4 * SIDE, 4 * SIDE)), box


@pytest.mark.parametrize("kind", BOXED, ids=lambda kind: kind.name)
def test_a_sprite_fills_its_box(kind) -> None:
    """In each of its states, a thing is drawn from edge to edge of its box and hardly beyond."""
    for state in dict.fromkeys(kind.states):
        look = draw_appearance(kind, Chance(3), state=state, pattern="").look
        left, top, right, bottom = drawn(kind.name, look)[1]
        assert -0.08 <= left <= 0.22
        assert -0.08 <= top <= 0.4
        assert 0.78 <= right <= 1.12
        assert 0.9 <= bottom <= 1.08


@pytest.mark.parametrize("name", WORN)
def test_what_people_wear_is_drawn_in_every_pose(name: str) -> None:
    """A garment shows on people however they hold themselves."""
    for body in POSES.values():
        look = draw_appearance(KINDS[name], Chance(1)).look
        box = drawn(name, Look(color=look.color, body=body))[1]
        assert (box[2:] - box[:2] > 4).all()


@pytest.mark.parametrize("kind", COLORED, ids=lambda kind: kind.name)
def test_the_colour_that_is_said_is_the_colour_that_is_seen(kind) -> None:
    """A good part of a thing is painted in the colour of its word, whatever that is."""
    for color in kind.colors:
        look = draw_appearance(kind, Chance(5)).look
        plain = Look(color=COLORS[color], second=look.second, shape=look.shape, body=POSES["standing"])
        pixels = drawn(kind.name, plain)[0].reshape(-1, 3).astype(int)
        painted = pixels[(pixels != 255).any(1)]
        is_near = np.abs(painted - COLORS[color]).sum(1) < 45
        assert is_near.mean() > 0.07, color


def test_every_kind_has_a_sprite_and_a_count() -> None:
    """What may be imagined can be drawn, and GQA says how often."""
    assert set(KINDS) <= set(SPRITES)
    assert set(KINDS) <= set(gqa_counts().names)
    assert {color for kind in KINDS.values() for color in kind.colors} <= set(COLORS)
    assert set(IMPLIED) | set(IMPLIED.values()) <= set(COLORS)


def test_colours_can_be_told_apart() -> None:
    """No two colours are nearly the same, apart from those of which one word implies the other."""
    for one, a in COLORS.items():
        for other, b in COLORS.items():
            if one < other and IMPLIED.get(one, one) != IMPLIED.get(other, other):
                assert np.abs(np.subtract(a, b)).sum() > 55, (one, other)


@pytest.mark.parametrize(
    "kind", ["striped", "checkered", "dotted", "brick", "wood", "metal", "wicker", "planks", "wavy"]
)
def test_textures_have_light_and_dark(kind: str) -> None:
    """A texture covers some of a shape and leaves some."""
    sheet = cover(kind, 90, 70, 14.0)
    assert sheet.shape == (70, 90)
    assert sheet.dtype == np.uint8
    assert sheet.min() < 40
    assert sheet.max() > 80


def test_an_unknown_texture_is_an_error() -> None:
    """There is no texture without a name."""
    with pytest.raises(KeyError):
        cover("velvet", 10, 10, 5.0)
