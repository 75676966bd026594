"""Pictures of files of others: every task is drawn, labels stay apart, and no file outside of the folder is read."""

from __future__ import annotations

import json
import re
from html import unescape
from xml.parsers import expat

import pytest

from deixis.errors import RecipeError
from deixis.expression.description import Description
from deixis.expression.steps import Is, Related
from deixis.judge.boxes import Box
from deixis.readers._drawing import Board, around, fold, width_of
from deixis.readers._image_files import find_image
from deixis.readers._pictures import ReadPictures
from deixis.readers._region_scene import RegionScene
from deixis.readers.reader import Image, ReadExample, Region
from deixis.scene.scene import PlainScene, Where
from deixis.schema import Attribute, Schema


SCHEMA = Schema(
    name="things",
    attributes=(
        Attribute(name="kind", values=("dog", "cat", "person"), is_head=True),
        Attribute(name="cell", values=("1,1", "1,2", "2,1", "2,2")),
    ),
)
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (64).to_bytes(4, "big") + (48).to_bytes(4, "big") + b"\x08\x02\x00\x00\x00"
)


def scene(*kinds):
    return PlainScene(schema=SCHEMA, objects=tuple(frozenset({("kind", kind)}) for kind in kinds))


def localise(**further):
    boxes = (Box(0, 0, 40, 40), Box(50, 10, 90, 60))
    values = {"id": 1, "text": "the dog", "scenes": (scene("dog", "cat"),), "regions": (boxes,)}
    return ReadExample(**{**values, "images": (Image("a.jpg", 100, 80),), "boxes": (Region(0, boxes[0]),), **further})


def texts_of(svg):
    expat.ParserCreate().Parse(svg, True)  # raises where it is not well-formed
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg.decode())]


GRID = PlainScene(schema=SCHEMA, objects=(frozenset({("cell", "1,2")}),))
CASES = {
    "refer": ReadExample(id=1, text="the dog", scenes=(scene("dog", "cat"),), targets=(Where(0, 0),)),
    "several": ReadExample(id=1, text="animals", scenes=(scene("dog", "cat"),), targets=(Where(0, 0), Where(0, 1))),
    "grids": ReadExample(id=1, text="", scenes=(GRID, GRID), targets=(Where(1, 0),), facts={"grids": ["▢ X\n▢ ▢"] * 2}),
    "localise": localise(),
    "match": ReadExample(id=1, text="a dog", choices=("a cat", "a dog"), right=1, images=(Image("a.jpg"),)),
    "pairs": ReadExample(id=1, text="a", choices=("a", "b"), images=(Image("a.jpg"), Image("b.jpg"))),
    "verify": ReadExample(id=1, text="a dog sits", choices=("true", "false"), scenes=(scene("dog"), scene())),
    "control characters": ReadExample(id=1, text="a\x00\x1b[2J\ud800<b>", images=(Image("<&>.jpg"),)),
}


@pytest.mark.parametrize("name", CASES)
def test_every_task_is_drawn_said_and_plain(name):
    """The picture is well-formed, every text is in it, and the values are JSON."""
    task = {"several": "refer", "grids": "refer", "pairs": "match", "control characters": "localise"}.get(name, name)
    pictures, example = ReadPictures(task), CASES[name]

    drawn = " ".join(texts_of(pictures.draw(example)))
    lines = "\n".join(pictures.lines(example, number=0))

    json.dumps(pictures.plain(example, number=0))
    for choice in example.choices:
        assert choice in drawn
        assert choice in lines
    if name not in ("match", "pairs", "grids", "control characters"):
        assert example.text in drawn


def test_every_target_is_in_a_ring():
    """Also where several objects are meant."""
    assert ReadPictures("refer").draw(CASES["several"]).count(b'stroke-width="3.5"') == 2


def test_nothing_fits_is_said():
    """Where no box is right, picture and text say so."""
    example = localise(boxes=())
    assert "nothing fits" in texts_of(ReadPictures("localise").draw(example))
    assert "target: nothing fits" in list(ReadPictures("localise").lines(example, number=0))


def test_relations_that_follow_from_places_are_in_the_values_alone():
    """The text has the boxes; of relations only those that the expression mentions."""
    boxes = (Box(0, 0, 10, 10), Box(50, 0, 60, 10))
    regions = RegionScene(["dog", "cat"], boxes)
    said = Description((Is("category", "dog"), Related("left-of", Description((Is("category", "cat"),)))))
    pictures = ReadPictures("localise")
    example, related = (localise(scenes=(regions,), regions=(boxes,), meaning=one) for one in (None, said))

    assert "left-of" not in "\n".join(pictures.lines(example, number=0))
    text = "\n".join(pictures.lines(related, number=0))
    assert "(left-of 1)" in text
    assert "right-of" not in text
    assert ["right-of", 1, 0] in pictures.plain(example, number=0)["scenes"][0]["relations"]


def test_figures_name_regions_by_category_and_images_by_file():
    """Ranks of size and folders say nothing in a figure; the edge of a small box leaves its middle free."""
    boxes = (Box(0, 0, 30, 30), Box(50, 0, 53, 4))
    images = (Image("./data/images/a.jpg", 100, 80),)
    regions = RegionScene(["dog", "cat"], boxes)
    example = localise(scenes=(regions,), regions=(boxes,), images=images, boxes=(Region(0, boxes[1]),))
    example.targets = (Where(0, 1),)
    drawn = ReadPictures("localise").draw(example)

    assert {"dog", "cat", "a.jpg"} <= set(texts_of(drawn))
    assert b"size 1" not in drawn
    edges = [float(found) for found in re.findall(rb'stroke-width="([0-9.]+)"', drawn)]
    assert max(edges) < 6


def test_an_image_beside_the_data_is_drawn(tmp_path):
    """It is found by its name, also in a folder named images or in another folder that is named."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.jpg").write_bytes(PNG)
    example = localise()

    assert b"data:image" not in ReadPictures("localise").draw(example)
    assert b"data:image/png" in ReadPictures("localise").draw(example, pictures=tmp_path)
    example.folder = tmp_path
    assert b"data:image/png" in ReadPictures("localise").draw(example)
    with pytest.raises(RecipeError, match="no folder"):
        ReadPictures("localise").draw(example, pictures=tmp_path / "absent")


@pytest.mark.parametrize("name", ["../secret.png", "{outside}", "link.png", "a/../../secret.png", "", "..", "x\0y"])
def test_no_file_outside_of_the_folder_is_read(tmp_path, name):
    """Whatever the dataset calls it, and wherever a link leads."""
    folder, outside = tmp_path / "data", tmp_path / "secret.png"
    folder.mkdir()
    outside.write_bytes(PNG)
    (folder / "link.png").symlink_to(outside)

    assert find_image(name.format(outside=outside), folder) is None


def test_only_images_are_drawn(tmp_path):
    """A text that is called an image is none."""
    (tmp_path / "a.png").write_bytes(b"root:x:0:0")
    assert find_image("a.png", tmp_path) is None


def test_the_size_of_an_image_is_read_from_its_head(tmp_path):
    """PNG and JPEG say it in their first segments."""
    (tmp_path / "a.png").write_bytes(PNG)
    start = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + (48).to_bytes(2, "big") + (64).to_bytes(2, "big")
    (tmp_path / "a.jpg").write_bytes(start + b"\x03")

    assert find_image("a.png", tmp_path).size == (64, 48)
    assert find_image("a.jpg", tmp_path).size == (64, 48)


def test_labels_do_not_overlap():
    """A place is given once; where none is free, there is none."""
    board = Board((0, 0, 200, 100))
    thing = (80, 40, 120, 60)
    board.taken.append(thing)

    found = [board.put(around(thing, 40, 15, inside=False)) for _ in range(12)]
    places = [one for one in found if one is not None]

    assert len(places) >= 3
    assert None in found
    for k, (left, top, right, bottom) in enumerate(places):
        for l, t, r, b in places[:k]:  # noqa: E741
            assert left >= r or right <= l or top >= b or bottom <= t


def test_long_texts_are_wrapped():
    """No line is wider than asked, words longer than a line included."""
    lines = fold("Donaudampfschifffahrtsgesellschaftskapitän " * 3 + "a b c", 120, 14)
    assert len(lines) > 3
    assert all(width_of(line, 14) <= 120 for line in lines)


def test_names_that_do_not_fit_are_listed_by_number():
    """Many boxes in one place have numbers, and the names stand below."""
    boxes = tuple(Box(k, k, k + 3, k + 3) for k in range(12))
    example = localise(scenes=(scene(*["person"] * 12),), regions=(boxes,), boxes=())
    said = texts_of(ReadPictures("localise").draw(example))
    assert said.count("person") == 12
    assert "11" in said
