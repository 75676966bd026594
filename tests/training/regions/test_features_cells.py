from __future__ import annotations

import colorsys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.seeds import normals
from deixis.worlds.photos.training._encoders import COLOURS, DIRECTIONS, PATTERNS, planes_of, read_cells
from deixis.worlds.photos.training._looking import roi_align


def read_at(seen: np.ndarray, row: float, column: float) -> np.ndarray:
    """What a map [channel, row, column] holds at a point between its cells."""
    rows, columns = seen.shape[1:]
    row, column = min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)
    top, left = int(row), int(column)
    bottom, right = min(top + 1, rows - 1), min(left + 1, columns - 1)
    down, across = row - top, column - left
    above = seen[:, top, left] * (1 - across) + seen[:, top, right] * across
    below = seen[:, bottom, left] * (1 - across) + seen[:, bottom, right] * across
    return above * (1 - down) + below * down


def plain_roi_align(seen: np.ndarray, box: np.ndarray, grid: int, samples: int) -> np.ndarray:
    rows, columns = seen.shape[1:]
    found = np.zeros((len(seen), grid, grid))
    for i in range(grid):
        for j in range(grid):
            points = [
                read_at(
                    seen,
                    (box[1] + box[3] * (i + (a + 0.5) / samples) / grid) * rows - 0.5,
                    (box[0] + box[2] * (j + (b + 0.5) / samples) / grid) * columns - 0.5,
                )
                for a in range(samples)
                for b in range(samples)
            ]
            found[:, i, j] = np.mean(points, 0)
    return found.reshape(len(seen), -1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_reading_boxes_agrees_with_the_plain_definition(seed, grid, samples):
    """Two products of matrices give the mean over points that are read one by one between the cells."""
    rng = np.random.default_rng(seed)
    maps = rng.standard_normal((2, 3, *rng.integers(1, 7, 2)))
    start = rng.random((2, 4, 2)) * 0.9
    boxes = np.concatenate((start, rng.random((2, 4, 2)) * (1.1 - start)), 2)  # some reach beyond the map
    found = roi_align(torch.from_numpy(maps), torch.from_numpy(boxes), grid=grid, samples=samples).numpy()

    for image in range(2):
        for region in range(4):
            wanted = plain_roi_align(maps[image], boxes[image, region], grid, samples)
            assert np.allclose(found[image, region], wanted)


def test_a_box_over_everything_sees_the_mean():
    """A box that is the whole map, with a point in every cell, is the mean of the map; gradients flow to it."""
    maps = torch.randn(1, 5, 4, 4, requires_grad=True)
    found = roi_align(maps, torch.tensor([[[0.0, 0.0, 1.0, 1.0]]]), grid=1, samples=4)

    assert torch.allclose(found[0, 0, :, 0], maps[0].mean((1, 2)), atol=1e-6)
    found.sum().backward()
    assert torch.allclose(maps.grad, torch.full_like(maps, 1 / 16))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_cells_count_their_pixels(seed):
    """Where a cell is made of whole squares, it holds the means of its pixels; shares of colours add up to one."""
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, 256, (24, 32, 3)).astype(np.uint8)
    shares = np.array([[0, 0, 0.5, 1], [0.25, 0.5, 0.75, 0.5]])
    cells = read_cells(planes_of(picture), picture.shape, shares, 1)[:, :, 0]

    for box, cell in zip((picture[:, :16], picture[12:, 8:]), cells, strict=True):
        assert np.allclose(cell[COLOURS + DIRECTIONS + PATTERNS :][:3], box.mean((0, 1)) / 255, atol=1e-5)
        brightness = box @ np.array([0.299, 0.587, 0.114]) / 255
        assert cell[-2] == pytest.approx(brightness.std(), abs=1e-3)
        for first, count in ((0, COLOURS), (COLOURS, DIRECTIONS), (COLOURS + DIRECTIONS, PATTERNS)):
            assert cell[first : first + count].sum() == pytest.approx(1, abs=1e-4)


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_colours_are_hues_or_greys(color):
    """A picture of one colour has one bin: that of its hue, dark or bright, or of its grey."""
    picture = np.full((4, 4, 3), color, np.uint8)
    found = read_cells(planes_of(picture), picture.shape, np.array([[0, 0, 1, 1]]), 1)[0, :COLOURS, 0]
    hue, _, most = colorsys.rgb_to_hsv(*(one / 255 for one in color))
    is_grey = max(color) - min(color) < 0.2 * max(*color, 1)

    number = int(found.argmax())
    assert found[number] == pytest.approx(1)
    if is_grey:
        assert number == 16 + max(color) * 8 // 256
    else:
        place = hue * 8 + 0.5
        assert number // 8 == int(most >= 128 / 255)
        assert number % 8 == int(place) % 8 or abs(place - round(place)) < 1e-4


def test_edges_have_a_direction():
    """Stripes that stand upright change brightness across, those that lie change it down."""
    upright = np.zeros((16, 16, 3), np.uint8)
    upright[:, 8:] = 255
    for picture, direction in ((upright, 0), (upright.transpose(1, 0, 2), 4)):
        cell = read_cells(planes_of(picture), picture.shape, np.array([[0, 0, 1, 1]]), 1)[0, :, 0]
        assert cell[COLOURS : COLOURS + DIRECTIONS].argmax() == direction
        assert cell[-1] > 0


def test_noise_depends_on_the_row_alone():
    """Rows get the same numbers however many are asked for; they are about normal."""
    every = normals(5, np.arange(200), 50)

    assert np.array_equal(normals(5, np.arange(100, 110), 50), every[100:110])
    assert not np.array_equal(normals(6, np.arange(200), 50), every)
    assert abs(every.mean()) < 0.05
    assert 0.95 < every.std() < 1.05
    assert np.abs(np.corrcoef(every.T)[~np.eye(50, dtype=bool)]).max() < 0.4
