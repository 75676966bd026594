"""Pictures of tabletops: pixels against their plain definition, and what pictures show against ids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deixis.worlds.tabletop._render.ids import boxes, draw_ids, masks
from deixis.worlds.tabletop._render.picture import STEPS, draw_picture, levels
from deixis.worlds.tabletop._render.plain_light import Pixel, ripple
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))  # not any: how many pixels are mixed depends on the scene
def test_pixels_have_the_colors_of_their_definition(seed: int) -> None:
    """Pixels are as the plain definition says, but for shadows that the painter mixes from the pixels around."""
    scene, rng = _scene(seed, 5), np.random.default_rng(seed)
    picture, ids = draw_picture(scene), draw_ids(scene)
    places = [*rng.integers((240, 320), size=(6, 2)), *rng.choice(np.argwhere(ids), 6)]
    away = []
    for y, x in places:
        light = levels()[np.round(Pixel(scene, ids, int(x), int(y)).light() * (STEPS - 1)).astype(int)]
        wanted = (light.astype(int) + int(256 * ripple(int(x), int(y)))) >> 8
        away.append(np.abs(wanted - picture[y, x]).max())
    assert np.mean(np.array(away) <= 2) > 0.8
    assert max(away) <= 24


def test_a_picture_has_the_same_bytes_each_time() -> None:
    """Drawing again, or at the same size among others, changes nothing."""
    scene = _scene(3)
    first = draw_picture(scene, 80, 60)
    draw_picture(_scene(4), 64, 64)
    assert (draw_picture(scene, 80, 60) == first).all()


@pytest.mark.parametrize("seed", range(3))
def test_masks_and_boxes_agree_with_the_pixels_that_change_with_a_solid(seed: int) -> None:
    """What changes clearly when a matte solid is painted in another colour is its mask, but for its border pixels."""
    scene = _scene(seed, 4, "matte")
    picture, ids = draw_picture(scene).astype(int), draw_ids(scene)
    for number, (mask, box) in enumerate(zip(masks(ids, 4), boxes(ids, 4), strict=True)):
        if mask.sum() < 150:
            continue  # hardly more than its border is seen
        solids = list(scene.solids)
        solids[number] = replace(solids[number], color="red" if solids[number].color == "cyan" else "cyan")
        change = np.abs(picture - draw_picture(replace(scene, solids=tuple(solids)))).max(axis=2)
        clear = (change > 0.45 * np.median(change[mask])).astype(np.uint8)
        assert (clear[mask] > 0).mean() > 0.95
        assert (clear[mask] > 0).sum() > 0.8 * clear.sum()
        assert np.abs(boxes(clear, 1)[0] - box).max() <= 3
