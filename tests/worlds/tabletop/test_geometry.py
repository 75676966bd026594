"""Where solids are for the viewer: the plain definitions, the scene of the theory, and the compiled twin."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.seeds import Stream, derive
from deixis.worlds.tabletop._geometry import (
    FAR_GAP,
    NEAR_GAP,
    RADII,
    close_calls,
    frame_of,
    is_closer_than,
    place_of,
    places_of,
)
from deixis.worlds.tabletop._kernels.layout import locate, relate
from deixis.worlds.tabletop._making.find import BASES, MARGINS, Stage, set_tables
from deixis.worlds.tabletop._scene import SolidScene, table_from_plain, table_to_plain
from deixis.worlds.tabletop._schema import SPATIAL
from deixis.worlds.tabletop._solids import COLORS, HALF_HEIGHTS, SHAPES, SIZES, Camera, Solid, Tabletop


ANY_PAIR = frozenset((color, shape) for color in COLORS for shape in SHAPES)


cameras = st.builds(Camera, azimuth=st.integers(0, 359), elevation=st.integers(15, 60))
places = st.integers(-3_000, 3_000)
solids = st.builds(
    Solid,
    shape=st.just("cube"),
    color=st.just("red"),
    material=st.just("matte"),
    size=st.sampled_from(SIZES),
    x=places,
    y=places,
)


def test_the_viewer_of_clevr_sees_the_table_as_clevr_does():
    """Seen from 45 degrees to the right of the table's axis, its first axis points to the right and to the viewer."""
    scene = SolidScene(Tabletop(solids=(cube(0, 0), cube(2_000, 0), cube(0, 2_000)), camera=Camera(azimuth=315)))

    assert scene.related("right of", 1, 0)
    assert scene.related("in front of", 1, 0)
    assert scene.related("right of", 2, 0)
    assert scene.related("behind", 2, 0)


def test_a_camera_on_the_other_side_turns_directions_round():
    """What is left and in front of something is right of it and behind it from there."""
    some = (cube(-1_000, 400), cube(1_500, -900), cube(300, 2_000))
    here, there = (SolidScene(Tabletop(solids=some, camera=Camera(azimuth=turn))) for turn in (315, 135))

    for one, other in permutations(range(3), 2):
        assert here.related("left of", one, other) == there.related("right of", one, other)
        assert here.related("in front of", one, other) == there.related("behind", one, other)
        assert here.related("near", one, other) == there.related("near", one, other)


def test_near_counts_the_gap_and_not_the_middles():
    """Two large solids whose middles are further apart than those of two small ones are near all the same."""
    wide = 2 * RADII["large"] + NEAR_GAP
    large = SolidScene(Tabletop(solids=(cube(0, 0, "large"), cube(wide, 0, "large"))))
    small = SolidScene(Tabletop(solids=(cube(0, 0), cube(wide, 0))))

    assert large.related("near", 0, 1)
    assert not small.related("near", 0, 1)


@given(solids, cameras)
def test_the_compiled_place_is_the_plain_one(solid, camera):
    """For every position and camera, in whole numbers."""
    frame = frame_of(camera)

    assert locate(solid.x, solid.y, HALF_HEIGHTS[solid.size], np.array(frame, np.int64)) == place_of(solid, frame)


@settings(max_examples=40)
@given(st.lists(solids, min_size=2, max_size=6), cameras)
def test_the_compiled_relations_are_those_of_the_scene(some, camera):
    """Every relation of every pair, where no two solids are level with each other."""
    scene = SolidScene(Tabletop(solids=tuple(some), camera=camera))
    seen = scene.places
    if len({one.side for one in seen}) < len(some) or len({one.distance for one in seen}) < len(some):
        return
    rows = np.array([(s.x, s.y, *p) for s, p in zip(some, seen, strict=True)], np.int64)
    sizes = np.array([SIZES.index(solid.size) for solid in some], np.int64)
    related = np.zeros((5, len(some)), np.uint64)
    relate(rows, sizes, BASES, np.array([*MARGINS, 0, 0], np.int64), 0, len(some), related)

    for code, name in enumerate(SPATIAL):
        for one, other in permutations(range(len(some)), 2):
            assert bool(int(related[code, one]) >> other & 1) == scene.related(name, one, other)


def test_no_relation_of_a_table_that_is_set_is_a_close_call():
    """From 3 to 12 solids and from several cameras, by the plain definition."""
    for number in range(30):
        camera = Camera(azimuth=(37 * number) % 360, elevation=28 + number % 20)
        stage = Stage((3 + number % 10,), (camera,), 0.4, ANY_PAIR)
        found = set_tables(stage, Stream(derive(5, number)))
        if found is not None:
            assert list(close_calls(found.scenes[0].table)) == []


def test_close_calls_are_named():
    """Solids that nearly touch, that are level for the viewer, or half near, are told."""
    gap = RADII["small"] * 2 + (NEAR_GAP + FAR_GAP) // 2
    told = " ".join(close_calls(Tabletop(solids=(cube(0, 0), cube(900, 0), cube(gap, 0)), camera=Camera(azimuth=0))))

    assert "nearly touch" in told
    assert "hardly to the left or right" in told
    assert "neither near each other nor apart" in told
    assert is_closer_than(cube(0, 0), cube(900, 0), NEAR_GAP)


@given(st.lists(solids, max_size=5), cameras)
def test_tables_are_kept_as_plain_values(some, camera):
    """Reading gives back what was written, with the same places."""
    table = Tabletop(solids=tuple(some), camera=camera)

    assert table_from_plain(table_to_plain(table)) == table
    assert places_of(table_from_plain(table_to_plain(table))) == places_of(table)


def cube(x, y, size="small"):
    """A cube at a place."""
    return Solid(shape="cube", color="red", material="matte", size=size, x=x, y=y)
