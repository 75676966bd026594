"""Scenes of CLEVR with all that can be wrong with them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deixis.errors import BrokenDataset
from deixis.worlds.photos.clean import GraphReport
from deixis.worlds.photos.data.graphs import read_table


def cube(**changes: Any) -> dict[str, Any]:
    told = {"shape": "cube", "color": "red", "material": "metal", "size": "small"}
    return {**told, "pixel_coords": [100, 100, 9.5], **changes}


def scene(*objects: Any, **changes: Any) -> dict[str, Any]:
    return {"image_filename": "broken.png", "objects": list(objects), **changes}


def sided(**relationships: Any) -> dict[str, Any]:
    return scene(cube(), cube(pixel_coords=[200, 100, 9.5]), relationships=relationships)


WHOLE = {"image_filename": "whole.png", "objects": [cube()], "relationships": {"left": [[]]}}


@pytest.mark.parametrize(
    ("entry", "counts"),
    [
        (None, {"G002": 1}),
        ({"image_filename": "broken.png"}, {"G002": 1}),
        (scene(), {"G003": 1}),
        (scene(None), {"G005": 1, "G003": 1}),
        (scene(cube(shape=None)), {"G005": 1, "G003": 1}),
        (scene(cube(pixel_coords=None)), {"G006": 1, "G003": 1}),
        (scene(cube(pixel_coords=[1])), {"G006": 1, "G003": 1}),
        (scene(cube(pixel_coords=[900, 100, 9])), {"G007": 1, "G003": 1}),
        (scene(cube(color=None)), {"G008": 1}),
        (scene(cube(), relationships=None), {}),
        (scene(cube(), relationships=[]), {"G009": 1}),
        (sided(left=None), {"G009": 1}),
        (sided(left=[[], None]), {"G009": 1}),
        (sided(left=[[], [None, "0"]]), {"G009": 2}),
        (sided(left=[[], [99, -1]]), {"G105": 2}),
        (sided(left=[[], [], [0]]), {"G105": 1}),
        (sided(left=[[0], []]), {"G104": 1}),
        (sided(left=[[1], [0]]), {"G201": 1, "G202": 2}),
        (sided(**{"\ud800": [[], []]}), {"G009": 1}),
        (scene(cube(), width=None), {"G110": 1}),
    ],
)
def test_what_is_wrong_has_a_code_and_the_next_scene_is_read(tmp_path, entry, counts):
    """A broken scene costs what is broken; the one after it is read as ever, and the table can be saved."""
    (tmp_path / "scenes.json").write_text(json.dumps({"info": {}, "scenes": [entry, WHOLE]}), encoding="utf-8")
    report = GraphReport()

    table = read_table(tmp_path, report=report)
    table.save(tmp_path / "table")

    reckoned = report.counts.pop("G111", 0)
    assert dict(report.counts) == counts
    assert reckoned - counts.get("G007", 0) == sum(box[2] > 0 for box in table.box.tolist())
    assert table.image_ids[-1] == "whole"
    assert all(line.isprintable() for line in report.lines)


@pytest.mark.parametrize("scenes", [None, {}, "scenes"])
def test_scenes_that_are_no_list_are_told(tmp_path, scenes):
    """A file without a list of scenes says so in one line."""
    path = tmp_path / "scenes.json"
    path.write_text(json.dumps({"info": {}, "scenes": scenes}), encoding="utf-8")

    with pytest.raises(BrokenDataset, match=r"G002: the entry is no scene graph .the scenes of CLEVR are no list"):
        read_table(path)


def seen(x: float, y: float, depth: float, *, width: int, height: int, **told: Any) -> dict[str, Any]:
    """A thing at a place before the camera, as a picture of some size shows it."""
    focus = width * 35 / 32
    pixels = [round(width / 2 + focus * x / depth), round(height / 2 + focus * y / depth), depth]
    return cube(pixel_coords=pixels, **{"3d_coords": [depth, -x, y], **told})


@pytest.mark.parametrize(("width", "height"), [(480, 320), (320, 240)])
def test_boxes_and_the_size_of_the_image_are_reckoned(tmp_path, width, height):
    """Where things are tells how large the image is, and their distance and size how large each box is."""
    size = {"width": width, "height": height}
    things = [
        seen(-2, -0.5, 11, size="large", shape="sphere", **size),
        seen(1, 0.3, 9, size="small", shape="sphere", **size),
        seen(2.2, 0.8, 8, size="large", shape="cube", **size),
    ]
    (tmp_path / "scenes.json").write_text(json.dumps({"scenes": [scene(*things)]}), encoding="utf-8")
    report = GraphReport()

    table = read_table(tmp_path, report=report)

    assert (table.width[0], table.height[0]) == (width, height)
    focus = width * 35 / 32
    for box, thing, radius in zip(table.box.tolist(), things, (0.7, 0.35, 0.7), strict=True):
        x, y, depth = thing["pixel_coords"]
        half = focus * radius / depth
        assert (box[0] + box[2] / 2, box[1] + box[3] / 2) == (x, y)
        assert half - 1 <= box[2] / 2 <= 1.2 * half + 1
    assert dict(report.counts) == {"G111": 3}


def test_a_thing_whose_distance_is_not_said_is_a_point(tmp_path):
    """Without a distance or a size that is known, the box stays where the middle is and has no size."""
    things = [cube(pixel_coords=[10, 20]), cube(size="huge"), cube(size=None)]
    (tmp_path / "scenes.json").write_text(json.dumps({"scenes": [scene(*things)]}), encoding="utf-8")

    assert read_table(tmp_path).box[:, 2:].tolist() == [[0, 0]] * 3
