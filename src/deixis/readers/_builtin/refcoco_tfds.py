"""RefCOCO as TFDS builds it, written out as JSON: a list, or JSON Lines, with one image a record.

An image has `coco_annotations`, all objects, and `objects`, those that somebody refers to, with the sentences
(`refexp`) of each and its number among all (`gt_box_index`). Each is a list of entries, or lists of values by their
names, as TFDS gives them out. Boxes are (top, left, bottom, right) as shares of the image, whose size is not in the
record. What TFDS is built from, with `ref` and `coco_anns`, is read by `refcoco`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import SchemaError
from deixis.judge.boxes import Box, box_from
from deixis.readers._builtin._coco import REFUSALS, demand_text, make_all, split_in
from deixis.readers._region_language import parse_regions
from deixis.readers._region_scene import COCO, SCHEMA, RegionScene
from deixis.readers.files import head_of, json_items, json_lines
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord, Region
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


HEAD = 1 << 16
SIGNS = ('"objects"', '"coco_annotations"')
INNER = ('"refexp"', '"refexp_id"', '"gt_box_index"')


class Picture(NamedTuple):
    """One image with its objects, in the split that the name of the file says."""

    fields: Any
    split: str


def sniff(path: Path) -> bool:
    """Return whether a file holds images with objects and sentences as TFDS has them."""
    head = head_of(path, HEAD)
    is_json = head.lstrip()[:1] in ("{", "[")
    return is_json and any(sign in head for sign in SIGNS) and any(sign in head for sign in INNER)


def records(path: Path) -> Iterator[Picture]:
    """Yield the images in the order of the file."""
    split = split_in(path.name)
    for fields in json_items(path) if head_of(path, 64).lstrip()[:1] == "[" else json_lines(path):
        yield Picture(fields, split)


def read(record: Picture) -> Iterator[ReadExample]:
    """Yield an example for every sentence about an object of an image."""
    fields, split = record
    number = fields["image/id"] if "image/id" in fields else fields["image_id"]
    image = Image(f"COCO image {number}")
    categories, boxes, places, flat = _candidates(entries_of(fields["coco_annotations"]))
    scene = RegionScene(categories, boxes)
    facts: dict[str, Any] = {"flat_boxes": flat} if flat else {}

    def make(thing: Any, place: int, sentence: Any) -> ReadExample:
        name = f"{number}-{thing.get('id', place)}-{sentence['refexp_id']}"
        return ReadExample(
            id=name,
            text=demand_text(sentence["raw"], name),
            split=split,
            scenes=(scene,),
            targets=(Where(0, place),),
            parse=parse_regions,
            images=(image,),
            boxes=(Region(0, boxes[place]),),
            regions=(boxes,),
            space="share",
            facts={"object": thing.get("id", place), **facts},
        )

    makers = []
    for thing in entries_of(fields["objects"]):
        place = places.get(thing["gt_box_index"])
        if place is None:
            raise RefusedRecord("no-box", f"image {number}: object {thing.get('id')}")
        makers += [partial(make, thing, place, sentence) for sentence in entries_of(thing["refexp"])]
    if not makers:
        raise RefusedRecord("no-text", f"image {number}")
    yield from make_all(makers)


def entries_of(value: Any) -> list[Any]:
    """Return entries, also of lists of values by their names."""
    if not isinstance(value, dict):
        return list(value)
    names = list(value)
    return [dict(zip(names, some, strict=True)) for some in zip(*value.values(), strict=True)]


def _candidates(given: list[Any]) -> tuple[list[str], tuple[Box, ...], dict[int, int], int]:
    """The categories and boxes of objects, their places by number, and how many have no area."""
    categories: list[str] = []
    boxes: list[Box] = []
    places: dict[int, int] = {}
    for number, one in enumerate(given):
        top, left, bottom, right = one["bbox"]
        try:
            box = box_from([left, top, right, bottom])
        except SchemaError:
            continue
        category = COCO.get(one["label"])
        if category is None:
            raise RefusedRecord("odd-category", f"object {one.get('id')} has category {one['label']}")
        if max(box) > 1 + 1e-3:
            raise RefusedRecord("odd-space", f"object {one.get('id')}: {list(box)} as shares")
        places[number] = len(boxes)
        categories.append(category)
        boxes.append(box)
    return categories, tuple(boxes), places, len(given) - len(boxes)


READER = Reader(
    name="refcoco_tfds",
    title="RefCOCO as TFDS builds it, as JSON",
    task="localise",
    license="Apache-2.0 (references); images and objects: COCO's terms",
    citation="Kazemzadeh, Ordonez, Matten and Berg (2014). ReferItGame. EMNLP. Yu, Poirson, Yang, Berg and Berg "
    "(2016). Modeling context in referring expressions. ECCV.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        **REFUSALS,
        "odd-category": "an object has a category that COCO does not have",
        "odd-space": "a box cannot be in shares of the image",
    },
    about="All objects of an image are candidates, groups included, as TFDS does not mark them. Boxes are shares of "
    "the image, whose size is not in the records.",
)
