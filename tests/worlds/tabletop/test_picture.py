"""Pictures of tabletops: pixels against their plain definition, and what pictures show against ids."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.worlds.tabletop._render.ids import draw_ids, masks
from deixis.worlds.tabletop._render.picture import STEPS, draw_picture, levels
from deixis.worlds.tabletop._render.plain_light import Pixel
from deixis.worlds.tabletop._solids import COLORS, MATERIALS, SHAPES, Camera, Solid, Tabletop


def _scene(seed: int, count: int = 6, material: str | None = None) -> Tabletop:
    """Solids of many kinds that do not stand in each other."""
    rng = np.random.default_rng(seed)
    solids: list[Solid] = []
    while len(solids) < count:
        one = Solid(
            shape=SHAPES[(len(solids) + seed) % len(SHAPES)],
            color=COLORS[rng.integers(len(COLORS))],
            material=material or MATERIALS[rng.integers(2)],
            size=("small", "large")[rng.integers(2)],
            x=int(rng.integers(-2_800, 2_800)),
            y=int(rng.integers(-2_800, 2_800)),
            turn=int(rng.integers(360)),
        )
        apart = {"small": 500, "large": 1_000}
        if all(np.hypot(one.x - o.x, one.y - o.y) > apart[one.size] + apart[o.size] for o in solids):
            solids.append(one)
    return Tabletop(solids=tuple(solids), camera=Camera(azimuth=int(rng.integers(360))))


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_pixels_have_the_colors_of_their_definition(seed: int, random: Random) -> None:
    """Pixels are as the plain definition says, but for shadows that the painter mixes from the pixels around."""
    scene = _scene(seed, 5)
    picture, ids = draw_picture(scene), draw_ids(scene)
    places = [(random.randrange(320), random.randrange(240)) for _ in range(6)]
    solid = np.argwhere(ids)
    places += [tuple(solid[random.randrange(len(solid))][::-1].tolist()) for _ in range(6)]
    away = []
    for x, y in places:
        wanted = levels()[np.round(Pixel(scene, ids, x, y).light() * (STEPS - 1)).astype(int)]
        away.append(np.abs(wanted.astype(int) - picture[y, x]).max())
    assert np.mean(np.array(away) <= 2) > 0.85
    assert max(away) <= 24


def test_a_picture_has_the_same_bytes_each_time() -> None:
    """Drawing again, or at the same size among others, changes nothing."""
    scene = _scene(3)
    first = draw_picture(scene, 80, 60)
    draw_picture(_scene(4), 64, 64)
    assert (draw_picture(scene, 80, 60) == first).all()


@pytest.mark.parametrize("seed", range(4))
def test_pixels_that_change_with_a_solid_are_its_mask(seed: int) -> None:
    """Painted in another colour, a matte solid changes in every pixel of its mask, and most of all there."""
    scene = _scene(seed, 5, "matte")
    ids = draw_ids(scene)
    for number, mask in enumerate(masks(ids, 5)):
        solids = list(scene.solids)
        solids[number] = replace(solids[number], color="cyan" if solids[number].color != "cyan" else "red")
        other = draw_picture(replace(scene, solids=tuple(solids)))
        change = np.abs(draw_picture(scene).astype(int) - other).max(axis=2)
        assert (change[mask] > 8).mean() > 0.99 if mask.any() else True
