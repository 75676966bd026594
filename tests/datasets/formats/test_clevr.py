"""Scenes of CLEVR with all that can be wrong with them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deixis.datasets.graphs import read_table
from deixis.errors import BrokenDataset
from deixis.worlds.graphs.problems import GraphReport


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

    assert dict(report.counts) == counts
    assert table.image_ids[-1] == "whole"
    assert all(line.isprintable() for line in report.lines)


@pytest.mark.parametrize("scenes", [None, {}, "scenes"])
def test_scenes_that_are_no_list_are_told(tmp_path, scenes):
    """A file without a list of scenes says so in one line."""
    path = tmp_path / "scenes.json"
    path.write_text(json.dumps({"info": {}, "scenes": scenes}), encoding="utf-8")

    with pytest.raises(BrokenDataset, match=r"G002: the entry is no scene graph .the scenes of CLEVR are no list"):
        read_table(path)
