"""Pictures of rooms: rays against their definition, and pictures against rays and the published ones."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.worlds.rooms._kernels.raycast import FIELDS, cast_ray
from deixis.worlds.rooms._room import DEGREES, HUE_LEVELS, ROOM, SCALE_FACTORS, SKY
from deixis.worlds.rooms._trace import trace
from deixis.worlds.rooms.decode import picture_error
from deixis.worlds.rooms.draw import GEOMETRIES, draw_png, draw_room, draw_rooms, encode_png
from deixis.worlds.rooms.scene import IMAGES, RoomScene, ids_of


SURFACES = ("floor", "wall", "solid", "sky")
REAL = Path(__file__).parents[3] / "../shared/data/3dshapes/real_samples_64x64.npz"
rooms = st.integers(0, IMAGES - 1).map(RoomScene)
places = st.floats(0, 1, allow_nan=False)


@settings(max_examples=300)
@given(rooms, places, places)
def test_a_ray_sees_what_its_definition_says(room: RoomScene, column: float, row: float) -> None:
    """The compiled ray and the plain one see the same surface in the same light."""
    _, _, _, scale, shape, orientation = room.factors
    angle = np.radians(DEGREES[orientation])
    numbers = ROOM.numbers()
    surface, shade, gloss = cast_ray(numbers, shape, SCALE_FACTORS[scale], angle, column - 0.5, 0.5 - row)
    seen = trace(room, column, row)
    assert SURFACES[surface] == seen.surface
    assert shade == pytest.approx(seen.shade, abs=1e-6)
    assert gloss == pytest.approx(seen.gloss, abs=1e-6)


@settings(max_examples=4)
@given(rooms)
def test_a_picture_is_the_filtered_sum_of_its_rays(room: RoomScene) -> None:
    """Layers that are cast once and painted with hues give what colouring every ray and filtering would."""
    size, samples = 8, 2
    side = size * samples
    colours = np.array([[_colour(room, (x + 0.5) / side, (y + 0.5) / side) for x in range(side)] for y in range(side)])
    wanted = np.zeros((size, size, 3))
    middle = (np.arange(size) + 0.5) * samples
    away = (np.arange(side)[None] + 0.5 - middle[:, None]) / samples
    weights = np.where(np.abs(away) < 3, np.sinc(away) * np.sinc(away / 3), 0)
    weights /= weights.sum(axis=1, keepdims=True)
    wanted = np.einsum("iy,yxc,jx->ijc", weights, colours, weights).clip(0, 1) * 255
    drawn = draw_room(room, size=size, samples=samples).astype(float)
    assert np.abs(drawn - wanted).max() <= 0.6  # rounded to whole steps


def test_the_numbers_of_a_room_stand_in_the_order_the_kernel_reads() -> None:
    """Every number has a field, and finds its place by name."""
    numbers = dict(zip(FIELDS, ROOM.numbers().tolist(), strict=True))
    assert numbers["distance"] == ROOM.camera.distance
    assert numbers["lamp_z"] == ROOM.lights.lamp_z
    assert numbers["stain"] == ROOM.tiles.stain


def test_pictures_come_in_the_order_of_their_numbers() -> None:
    """Drawing many at once, some of them twice, gives what drawing them one by one gives."""
    ids = np.array([163_233, 7, 7 + GEOMETRIES, 479_565, 7])
    assert np.array_equal(draw_rooms(ids), np.stack([draw_room(int(number)) for number in ids]))


def test_sky_and_hues_are_where_they_belong() -> None:
    """Above is the sky; a red floor, a green wall and a blue ball are seen in their places."""
    picture = draw_room(RoomScene.of(0, 3, 7, 7, 2, 7)).astype(int)
    assert np.array_equal(picture[2, 32], SKY)
    assert picture[62, 4].argmax() == 0
    assert picture[30, 4].argmax() == 1
    assert picture[44, 32].argmax() == 2


def test_a_turning_camera_shows_a_corner_on_its_other_side() -> None:
    """At the first orientation the corner of the room is right of the middle, at the last left of it."""
    first, last = (draw_room(RoomScene.of(0, 4, 0, 0, 2, orientation)).astype(int) for orientation in (0, 14))
    line = 26
    assert abs(int(np.diff(first[line, 35:].sum(axis=-1)).argmin()) + 36 - 44) <= 1
    assert abs(int(np.diff(last[line, :30].sum(axis=-1)).argmax()) + 1 - 20) <= 1


def test_larger_pictures_show_the_same() -> None:
    """A picture four times as large, brought down again, looks like the small one."""
    large = draw_room(118_308, size=256).astype(float).reshape(64, 4, 64, 4, 3).mean(axis=(1, 3))
    assert picture_error(draw_room(118_308), large) < 8


def test_more_rays_change_little() -> None:
    """Four rays along a pixel are enough."""
    ids = np.array([5_121, 118_308, 292_170])
    assert picture_error(draw_rooms(ids), draw_rooms(ids, samples=12)).max() < 2.5


def test_png_files_open_elsewhere_and_do_not_change() -> None:
    """A PNG file holds the very picture, and two of the same image are equal."""
    image = pytest.importorskip("PIL.Image")
    data = draw_png(292_170, size=96)
    assert data == draw_png(RoomScene(292_170), size=96)
    with image.open(BytesIO(data)) as opened:
        assert np.array_equal(np.asarray(opened), draw_room(292_170, size=96))


@pytest.mark.parametrize("size", [0, -1, 5_000, 2.5, True, None])
def test_sizes_that_cannot_be_drawn_are_refused(size: object) -> None:
    """A size is a whole number within bounds."""
    with pytest.raises(SchemaError, match="the size of a picture is a whole number from 1 to"):
        draw_room(0, size=size)  # type: ignore[arg-type]


def test_numbers_that_no_image_has_are_refused() -> None:
    """Images are numbered from 0 to 479,999."""
    with pytest.raises(SchemaError, match="numbered from 0 to 479,999"):
        draw_rooms(np.array([0, IMAGES]))
    with pytest.raises(SchemaError, match="list of integers"):
        draw_rooms(np.array([0.5]))
    with pytest.raises(SchemaError, match="a picture is uint8"):
        encode_png(np.zeros((4, 4), np.uint8))


def test_no_images_give_no_pictures() -> None:
    """An empty list is fine."""
    assert draw_rooms(np.array([], np.int64)).shape == (0, 64, 64, 3)


@pytest.mark.skipif(not REAL.is_file(), reason="the published pictures are not here")
def test_drawings_look_like_published_pictures_whose_factors_are_known() -> None:
    """Frames of the published film, in which one factor changes at a time, are near our drawings."""
    with np.load(REAL) as real:
        errors = picture_error(draw_rooms(ids_of(real["gif_factors"])), real["gif_frames"])
    assert errors.mean() < 13
    assert errors.max() < 18


def _colour(room: RoomScene, column: float, row: float) -> np.ndarray:
    seen = trace(room, column, row)
    if seen.surface == "sky":
        return np.array(SKY) / 255
    hue = HUE_LEVELS[room.factors[("floor", "wall", "solid").index(seen.surface)]]
    return np.minimum(1.0, np.array(hue) / 5 * seen.shade + seen.gloss)
