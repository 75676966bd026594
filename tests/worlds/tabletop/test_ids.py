"""What pixels of a tabletop show: rays against their plain definition, boxes and masks against pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.worlds.tabletop._render._kernels import rays
from deixis.worlds.tabletop._render.ids import boxes, draw_ids, masks, project, visible_shares
from deixis.worlds.tabletop._render.plain import Point, distance_to, look, ray_through
from deixis.worlds.tabletop._render.shapes import (
    BEVEL,
    RING_RADIUS,
    RING_THICKNESS,
    ROW,
    VIEW,
    cosine,
    rows_of,
    sine,
    view_of,
)
from deixis.worlds.tabletop._solids import COLORS, MATERIALS, SHAPES, SIZES, Camera, Solid, Tabletop


NARROW = 1e-4
"""A ray that passes a surface nearer than this may be told to have met it, or not."""

solids = st.builds(
    Solid,
    shape=st.sampled_from(SHAPES),
    color=st.sampled_from(COLORS),
    material=st.sampled_from(MATERIALS),
    size=st.sampled_from(SIZES),
    x=st.integers(-3_000, 3_000),
    y=st.integers(-3_000, 3_000),
    turn=st.integers(-90, 400),
)
cameras = st.builds(
    Camera,
    azimuth=st.integers(0, 360),
    elevation=st.integers(5, 85),
    distance=st.integers(8_000, 14_000),
    view=st.integers(30, 70),
)
scenes = st.builds(Tabletop, solids=st.lists(solids, min_size=1, max_size=5).map(tuple), camera=cameras)


@settings(max_examples=30, deadline=None)
@given(scenes)
def test_rays_see_what_their_definition_says(scene: Tabletop) -> None:
    """The compiled ray caster and the walk along distances find the same solid in every pixel."""
    width, height = 11, 8
    ids = draw_ids(scene, width, height)
    for row in range(height):
        for column in range(width):
            sight = look(scene, column + 0.5, row + 0.5, width, height)
            assert ids[row, column] == sight.id or sight.margin < NARROW


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(SHAPES), st.integers(0, 90), st.floats(-0.9, 0.9), st.floats(-0.9, 0.9), st.integers(5, 85))
def test_a_ray_enters_where_the_distance_is_zero(shape: str, turn: int, x: float, y: float, elevation: int) -> None:
    """The place that a compiled ray finds lies on the surface, and the normal points away from it."""
    solid = Solid(shape=shape, color="red", material="matte", size="large", x=0, y=0, turn=turn)
    scene = Tabletop(solids=(solid,), camera=Camera(elevation=elevation, view=14))
    place, direction = ray_through(scene.camera, 50 + 50 * x, 50 + 50 * y, 100, 100)
    t, *normal = rays.hit(rows_of(scene), 0, *place, *direction)
    if t > 0:
        found = place.plus(direction, t)
        assert abs(distance_to(solid, found)) < 1e-6
        assert sum(part * part for part in normal) == pytest.approx(1)
        assert distance_to(solid, found.plus(Point(*normal), 1e-3)) == pytest.approx(1e-3, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(scenes)
def test_shares_say_what_other_solids_and_borders_hide(scene: Tabletop) -> None:
    """A share is what is seen of a solid, against all of it alone in a picture with wide borders."""
    width, height = 32, 24
    ids, shares = draw_ids(scene, width, height), visible_shares(scene, width, height)
    view = view_of(scene.camera)
    view[rays.FOCAL] /= 3
    for number, row in enumerate(rows_of(scene)):
        alone, depths = np.empty((3 * height, 3 * width), np.uint8), np.empty((3 * height, 3 * width))
        rays.cast_ids(row[None], view, alone, depths, *np.empty((2, 1), np.int64))
        whole = (alone > 0).sum()
        assert shares[number] == pytest.approx((ids == number + 1).sum() / max(whole, 1))


@settings(max_examples=25, deadline=None)
@given(scenes)
def test_boxes_hold_all_pixels_and_no_line_without_one(scene: Tabletop) -> None:
    """Every pixel of a mask lies in its box, and every side of a box touches the mask."""
    ids, count = draw_ids(scene, 48, 36), len(scene.solids)
    for (x, y, width, height), mask in zip(boxes(ids, count), masks(ids, count), strict=True):
        inside = mask[y : y + height, x : x + width]
        assert inside.sum() == mask.sum()
        if mask.any():
            assert inside[0].any()
            assert inside[-1].any()
            assert inside[:, 0].any()
            assert inside[:, -1].any()
        else:
            assert (x, y, width, height) == (0, 0, 0, 0)


@settings(max_examples=50, deadline=None)
@given(cameras, st.floats(-2, 2), st.floats(-2, 2), st.floats(0, 1.4))
def test_a_point_is_shown_where_the_ray_through_that_place_passes(camera: Camera, x: float, y: float, z: float) -> None:
    """Projecting a point and casting a ray through the result leads back to the point."""
    column, row, ahead = project(camera, np.array([x, y, z]))
    place, direction = ray_through(camera, column, row, 320, 240)
    assert ahead > 0
    away = np.array([x, y, z]) - place
    assert np.cross(away, direction) == pytest.approx(np.zeros(3), abs=1e-9)


def test_sines_are_those_of_the_library_within_a_digit() -> None:
    """Our series agrees with the system's sine and cosine for every whole and half degree."""
    for half_degrees in range(-800, 1_600):
        degrees = half_degrees / 2
        assert sine(degrees) == pytest.approx(np.sin(np.radians(degrees)), abs=3e-15)
        assert cosine(degrees) == pytest.approx(np.cos(np.radians(degrees)), abs=3e-15)


def test_kernels_read_numbers_in_the_order_they_are_written() -> None:
    """Rows, cameras and forms mean the same on both sides of the border."""
    assert [getattr(rays, name.upper()) for name in SHAPES] == list(range(len(SHAPES)))
    assert [getattr(rays, name.upper()) for name in ROW] == list(range(len(ROW)))
    assert (VIEW.index("right_x"), VIEW.index("up_x"), VIEW.index("forward_x"), VIEW.index("focal")) == (
        rays.RIGHT,
        rays.UP,
        rays.FORWARD,
        rays.FOCAL,
    )
    assert (rays.BEVEL, rays.RING_RADIUS, rays.RING_THICKNESS) == (BEVEL, RING_RADIUS, RING_THICKNESS)


@pytest.mark.parametrize(("width", "height"), [(0, 10), (10, 5_000), (2.0, 2), (True, 2)])
def test_sizes_that_cannot_be_drawn_are_refused(width: int, height: int) -> None:
    """Sizes are whole numbers of pixels within a limit."""
    with pytest.raises(SchemaError, match="whole number from 1 to 4096"):
        draw_ids(Tabletop(solids=()), width, height)
