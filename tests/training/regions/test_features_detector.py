from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from deixis.errors import BrokenDataset
from deixis.worlds.photos.data._detected import best_boxes
from deixis.worlds.photos.data._region_arrays import region_arrays
from deixis.worlds.photos.localise import intersection_over_union
from deixis.worlds.photos.scene.graph import Box
from deixis.worlds.photos.training._encoders import find_region_encoder
from deixis.worlds.photos.training._features import region_features, region_table
from tests.training.regions.test_features import scenes_of


h5py = pytest.importorskip("h5py")
CPU = torch.device("cpu")
WIDTH = 8


@pytest.fixture
def regions():
    return region_arrays(scenes_of())


def seen_in(regions, image):
    """Boxes of a detector that are those of the regions and one more, and what is in them."""
    rng = np.random.default_rng(image)
    box = regions.box[regions.first[image] : regions.first[image + 1]]
    corners = np.concatenate((box, [[60, 44, 4, 4]]))
    corners[:, 2:] += corners[:, :2]
    return corners.astype(np.float32), rng.standard_normal((len(corners), WIDTH)).astype(np.float32)


def write_by_image(path, regions):
    with h5py.File(path, "w") as file:
        for number, image_id in enumerate(regions.image_ids):
            corners, features = seen_in(regions, number)
            group = file.create_group(image_id)
            group["bbox"], group["features"] = corners, features


def look(path, regions):
    return region_features(regions, find_region_encoder(str(path), CPU, regions=regions), CPU)


def test_regions_look_like_the_box_that_agrees_best(regions, tmp_path):
    """With boxes that are those of the regions, each region has the features of its own box."""
    write_by_image(tmp_path / "seen.h5", regions)
    found = look(tmp_path / "seen.h5", regions)

    for image in range(regions.images):
        rows = slice(regions.first[image], regions.first[image + 1])
        corners, features = seen_in(regions, image)
        best = best_boxes(regions.box[rows], corners)
        assert np.allclose(found.high[rows, :, 0], features[best], atol=2e-3)
    assert found.low is found.high
    table = region_table(regions, found, CPU)
    assert table.low is table.high
    assert torch.equal(table.pooled, table.high[:, :, 0])


def test_agreement_is_intersection_over_union():
    """The best box is the one that the task's own measure prefers; a region that nothing touches has none."""
    rng = np.random.default_rng(0)
    box = rng.integers(0, 60, (20, 4)) + np.array([0, 0, 1, 1])
    other = rng.integers(0, 60, (7, 4)) + np.array([0, 0, 1, 1])
    found = best_boxes(box, np.concatenate((other[:, :2], other[:, :2] + other[:, 2:]), 1))

    for row, one in enumerate(box):
        agreement = intersection_over_union(Box(*one.tolist()), other)
        assert (agreement[found[row]] == agreement.max()) if found[row] >= 0 else agreement.max() == 0
    assert best_boxes(box, np.zeros((0, 4))).tolist() == [-1] * 20


def test_a_folder_of_gqa_is_read(regions, tmp_path):
    """Features of an image stand at an index of one of several files, as many as the list says."""
    info = {}
    for number in range(2):
        with h5py.File(tmp_path / f"gqa_objects_{number}.h5", "w") as file:
            features, boxes = np.zeros((4, 10, WIDTH), np.float32), np.zeros((4, 10, 4), np.float32)
            for index, image in enumerate(range(number, regions.images, 2)):
                corners, seen = seen_in(regions, image)
                boxes[index, : len(seen)], features[index, : len(seen)] = corners, seen
                info[f"i{image}"] = {"file": number, "index": index, "objectsNum": len(seen), "width": 64}
            file["features"], file["bboxes"] = features, boxes
    (tmp_path / "gqa_objects_info.json").write_text(json.dumps(info))
    write_by_image(tmp_path / "seen.h5", regions)

    assert np.array_equal(look(tmp_path, regions).high, look(tmp_path / "seen.h5", regions).high)
    (tmp_path / "gqa_objects_info.json").write_text(json.dumps(info | {"i3": {"file": 0, "index": 99}}))
    with pytest.raises(BrokenDataset, match="there is no row 99"):
        look(tmp_path, regions)
    (tmp_path / "gqa_objects_info.json").write_text(json.dumps(info | {"i3": "here"}))
    with pytest.raises(BrokenDataset, match="does not say where image 'i3' is"):
        look(tmp_path, regions)
    (tmp_path / "gqa_objects_info.json").write_text("[1")
    with pytest.raises(BrokenDataset, match="cannot be read"):
        look(tmp_path, regions)


def test_a_row_for_every_region_is_read(regions, tmp_path):
    """Early and late grids of a file in MattNet's layout are taken row by row."""
    rng = np.random.default_rng(0)
    late, early = (rng.standard_normal((len(regions), c, 2, 2)).astype(np.float32) for c in (6, 3))
    with h5py.File(tmp_path / "seen.h5", "w") as file:
        file["fc7"], file["pool5"] = late, early
    found = look(tmp_path / "seen.h5", regions)

    assert np.allclose(found.high, late.reshape(len(regions), 6, 4), atol=2e-3)
    assert np.allclose(found.low, early.reshape(len(regions), 3, 4), atol=2e-3)
    with pytest.raises(BrokenDataset, match="a row for each of"):
        look(tmp_path / "seen.h5", region_arrays(scenes_of(5)))


def test_bad_files_are_told(regions, tmp_path):
    """Text, an empty file, a missing image, wrong shapes and what is no number are each told in a line."""
    path = tmp_path / "seen.h5"
    path.write_text("hello")
    with pytest.raises(BrokenDataset, match="not an HDF5 file"):
        look(path, regions)
    h5py.File(path, "w").close()
    with pytest.raises(BrokenDataset, match="holds no images"):
        look(path, regions)

    def spoil(group):
        del group["features"]
        group["features"] = np.full((1, WIDTH), np.nan, np.float32)

    for change, wanted in (
        (lambda file: file.__delitem__("i3"), "lacks the image 'i3'"),
        (lambda file: file["i3"].__delitem__("bbox"), "image 'i3': there is no array 'bbox'"),
        (lambda file: spoil(file["i0"]), "image 'i0': there is what is no number"),
        (lambda file: spoil(file["i1"]), "image 'i1': boxes float32"),
    ):
        write_by_image(path, regions)
        with h5py.File(path, "r+") as file:
            change(file)
        with pytest.raises(BrokenDataset, match=wanted):
            look(path, regions)


def test_arrays_in_other_files_are_not_followed(regions, tmp_path):
    """A link that leads out of the file is refused."""
    write_by_image(tmp_path / "seen.h5", regions)
    with h5py.File(tmp_path / "seen.h5", "r+") as file:
        del file["i2"]["features"]
        file["i2"]["features"] = h5py.ExternalLink(str(tmp_path / "seen.h5"), "/i3/features")
    with pytest.raises(BrokenDataset, match="'features' is not an array that lies in the file itself"):
        look(tmp_path / "seen.h5", regions)
