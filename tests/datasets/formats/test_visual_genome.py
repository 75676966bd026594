"""Images of Visual Genome with all that can be wrong with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from deixis.worlds.photos.clean import GraphReport
from deixis.worlds.photos.data.graphs import read_table


if TYPE_CHECKING:
    from pathlib import Path


def man(**changes: Any) -> dict[str, Any]:
    return {"object_id": 1, "names": ["man"], "x": 10, "y": 10, "w": 50, "h": 100, **changes}


def image(*objects: Any, **changes: Any) -> dict[str, Any]:
    return {"image_id": 7, "width": 200, "height": 200, "objects": list(objects), **changes}


def said(**changes: Any) -> list[Any]:
    return [{"predicate": "on", "subject_id": 1, "object_id": 2, **changes}]


BIKE = {"object_id": 2, "names": ["bike"], "x": 90, "y": 40, "w": 60, "h": 70}
BOTH = (man(), BIKE)
WHOLE = {"image_id": 8, "width": 200, "height": 200, "objects": [man()], "relationships": []}


def read(folder: Path, **files: Any) -> tuple[list[str], dict[str, int]]:
    """The images of a table that is read from these files, and what is reported, always in single lines."""
    for stem, content in files.items():
        (folder / f"{stem}.json").write_text(json.dumps(content), encoding="utf-8")
    report = GraphReport()
    table = read_table(folder, report=report)
    assert all(line.isprintable() for line in report.lines)
    return list(table.image_ids), dict(report.counts)


@pytest.mark.parametrize(
    ("entry", "counts"),
    [
        (None, {"G002": 1}),
        ({"objects": [man()]}, {"G002": 1}),
        ({"image_id": 7}, {"G002": 1}),
        (image(image_id="a\nb"), {"G002": 1}),
        (image(), {"G003": 1}),
        (image(None), {"G005": 1, "G003": 1}),
        (image(man(object_id=None)), {"G005": 1, "G003": 1}),
        (image(man(names=[])), {"G005": 1, "G003": 1}),
        (image(man(names=[None])), {"G005": 1, "G003": 1}),
        (image(man(names=["\x1b[31m"])), {"G005": 1, "G003": 1}),
        (image(man(x=None)), {"G006": 1, "G003": 1}),
        (image(man(x=900)), {"G007": 1, "G003": 1}),
        (image(man(w=-5)), {"G007": 1, "G003": 1}),
        (image(man(x=180)), {"G107": 1}),
        (image(man(attributes="old")), {"G008": 1}),
        (image(man(attributes=[None, "old"])), {"G008": 1}),
        (image(man(), man()), {"G010": 1}),
        (image(*BOTH, relationships="on"), {"G009": 1}),
        (image(*BOTH, relationships=[None, 3]), {"G009": 2}),
        (image(*BOTH, relationships=said(predicate=None)), {"G009": 1}),
        (image(*BOTH, relationships=said(subject_id=None)), {"G009": 1}),
        (image(*BOTH, relationships=said(object=None, object_id=None)), {"G009": 1}),
        (image(*BOTH, relationships=said(subject={}, object=None)), {"G009": 1}),
        (image(*BOTH, relationships=said(object_id=99)), {"G105": 1}),
        (image(*BOTH, relationships=said(subject_id=99)), {"G105": 1}),
        (image(*BOTH, relationships=said(object_id=1)), {"G104": 1}),
        (image(*BOTH, relationships=[*said(), *said(subject_id=2, object_id=1)]), {"G201": 1}),
        (image(man(), width=None), {"G110": 1}),
    ],
)
def test_what_is_wrong_has_a_code_and_the_next_image_is_read(tmp_path, entry, counts):
    """A broken entry costs what is broken; the image after it is read as ever."""
    images, codes = read(tmp_path, scene_graphs=[entry, WHOLE])

    assert codes == counts
    assert images[-1] == "8"


@pytest.mark.parametrize(
    ("entry", "counts"),
    [
        (None, {"G002": 1, "G204": 1}),
        ({"attributes": []}, {"G002": 1, "G204": 1}),
        ({"image_id": 7}, {}),
        ({"image_id": 7, "attributes": "old"}, {"G008": 1}),
        ({"image_id": 7, "attributes": [None]}, {"G008": 1}),
        ({"image_id": 7, "attributes": [{"object_id": 1, "attributes": [7]}]}, {"G008": 1}),
    ],
)
def test_what_is_wrong_in_a_file_beside_costs_no_other_image(tmp_path, entry, counts):
    """Entries that name no image, or hold no attributes, are reported, and those behind them are still found."""
    old = {"image_id": 8, "attributes": [{"object_id": 1, "attributes": ["old"]}]}

    images, codes = read(tmp_path, objects=[image(man()), WHOLE], attributes=[entry, old])

    assert codes == counts
    assert images == ["7", "8"]
    assert read_table(tmp_path).scene(1).words == ({"old"},)


@pytest.mark.parametrize("content", [b"", b"\0\1", b'{"image_id": 7}', b"[{", b"\x1f\x8b\x08"])
def test_a_file_beside_of_another_kind_is_one_line(tmp_path, content):
    """Objects are read all the same when the file of their attributes is none."""
    (tmp_path / "attributes.json").write_bytes(content)

    images, codes = read(tmp_path, objects=[image(man()), WHOLE])

    assert images == ["7", "8"]
    assert codes == {"G001": 1, "G204": 2}
