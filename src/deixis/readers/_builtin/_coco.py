"""Images with the objects that COCO annotates, and examples that ask for one of them by its box.

Boxes are (left, top, width, height) in pixels. Groups of objects (`iscrowd`) are no objects, and boxes without area
have no place: both are left out of the scene, and counted in the facts of an example (`groups`, `flat_boxes`). Where
the categories are not COCO's, the boxes are known, but no scene.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset
from deixis.judge.boxes import LARGEST, Box
from deixis.readers._region_language import parse_regions
from deixis.readers._region_scene import CATEGORIES, COCO, RegionScene
from deixis.readers.files import json_entries
from deixis.readers.reader import ALL, Image, ReadExample, RefusedRecord, Region
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


SHARD = re.compile(r"-\d{5}-of-\d{5}$")
INSTANCES = ("instances.json", "instances_train2014.json", "annotations/instances_train2014.json")
REFUSALS = {
    "no-text": "the expression is empty",
    "no-image": "the file of the objects does not have the image",
    "no-box": "the file of the objects does not have the one that is meant, or its box has no area",
}
DATASETS = {"refcoco": "refcoco", "refcoco+": "refcocoplus", "refcocoplus": "refcocoplus", "refcocog": "refcocog"}
"""Names of datasets as parts of names of splits, in which a + joins two splits."""


class View(NamedTuple):
    """What examples of one image share."""

    scenes: tuple[RegionScene, ...]
    images: tuple[Image, ...]
    regions: tuple[tuple[Box, ...], ...]
    facts: dict[str, Any]


class Photo:
    """An image with its objects."""

    __slots__ = ("boxes", "codes", "flat", "groups", "height", "ids", "name", "view", "width")

    def __init__(self) -> None:
        self.name, self.width, self.height = "", 0.0, 0.0
        self.ids: list[int] = []
        self.codes: list[int] = []
        self.boxes: list[Box] = []
        self.groups = self.flat = 0
        self.view: View | None = None

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add an object as COCO writes it."""
        if entry.get("iscrowd"):
            self.groups += 1
            return
        left, top, width, height = map(float, entry["bbox"])
        if 0 < width < LARGEST and 0 < height < LARGEST and -LARGEST < left < LARGEST and -LARGEST < top < LARGEST:
            number, code = entry["id"], entry["category_id"]
            self.ids.append(number)
            self.codes.append(code)
            self.boxes.append(Box(left, top, left + width, top + height))
        else:
            self.flat += 1

    def look(self, names: Mapping[int, str]) -> View:
        """Return what is known of the image, made once."""
        if self.view is None:
            categories = [names.get(code, "") for code in self.codes]
            boxes = tuple(self.boxes)
            facts: dict[str, Any] = {"groups": self.groups} if self.groups else {}
            if self.flat:
                facts["flat_boxes"] = self.flat
            is_known = CATEGORIES.issuperset(categories)
            scenes = (RegionScene(categories, boxes, tuple(self.ids)),) if is_known and boxes else ()
            images = (Image(self.name, self.width, self.height),)
            self.view = View(scenes, images, (boxes,) if scenes else (), facts)
        return self.view


class Catalogue:
    """Images and objects by their numbers."""

    def __init__(self) -> None:
        self.photos: dict[int, Photo] = {}
        self.names: dict[int, str] = dict(COCO)

    def photo(self, number: int) -> Photo:
        """The image of a number, new if need be."""
        found = self.photos.get(number)
        if found is None:
            found = self.photos[number] = Photo()
        return found

    def add_image(self, entry: Mapping[str, Any], number: int | None = None) -> None:
        """Add an image as COCO writes it."""
        photo = self.photo(entry["id"] if number is None else number)
        photo.name = str(entry["file_name"])
        photo.width, photo.height = float(entry["width"]), float(entry["height"])

    def add(self, field: str, entry: Any) -> None:
        """Add an entry of one of the lists of a COCO file."""
        if field == "images":
            self.add_image(entry)
        elif field == "annotations":
            self.photo(entry["image_id"]).add(entry)
        elif field == "categories":
            self.names[entry["id"]] = str(entry["name"])

    @classmethod
    def read(cls, path: Path) -> Catalogue:
        """Read a COCO file of images, objects and categories.

        Raises:
            BrokenDataset: when it is none.
        """
        found = cls()
        for field, key, entry in json_entries(path):
            found.take(path, field, key, entry)
        if not found.photos:
            raise BrokenDataset(f"{path} has no images with objects, as a COCO file has under 'annotations'")
        return found

    def take(self, path: Path, field: str, key: str | int, entry: Any) -> None:
        """Add an entry, or say that it is none."""
        try:
            self.add(field, entry)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            told = f"{type(error).__name__}: {str(error)[:60]}"
            raise BrokenDataset(f"{path}: entry {key} of {field[:40]!r} is none of COCO ({told})") from error

    def example(
        self,
        image: int,
        objects: Iterable[int],
        *,
        name: str,
        text: Any,
        split: str,
        facts: Mapping[str, Any],
    ) -> ReadExample:
        """Return the example that asks for objects of an image; nothing fits where there are none.

        Raises:
            RefusedRecord: when the image or an object is not known, or nothing is said.
        """
        text = demand_text(text, name)
        photo = self.photos.get(image)
        if photo is None or not photo.name:
            raise RefusedRecord("no-image", f"{name}: image {image}")
        view = photo.look(self.names)
        try:
            places = [photo.ids.index(one) for one in objects]
        except ValueError as error:
            raise RefusedRecord("no-box", f"{name}: {error} of image {image}") from error
        return ReadExample(
            id=name,
            text=text,
            split=split,
            scenes=view.scenes,
            targets=tuple(Where(0, place) for place in places) if view.scenes else (),
            parse=parse_regions,
            images=view.images,
            boxes=tuple(Region(0, photo.boxes[place]) for place in places),
            regions=view.regions,
            facts={**facts, **view.facts},
        )


def make_all(makers: Iterable[Callable[[], ReadExample]]) -> Iterator[ReadExample]:
    """Yield all examples of a record that can be made, and then raise the first refusal of the others."""
    refusal: RefusedRecord | None = None
    for make in makers:
        try:
            yield make()
        except RefusedRecord as own:
            refusal = refusal or own
    if refusal is not None:
        raise refusal


def demand_text(text: Any, name: str) -> str:
    """Return a text, or refuse what is none."""
    if not isinstance(text, str) or not text.strip():
        raise RefusedRecord("no-text", name)
    return text.strip()


def find_instances(path: Path) -> Path | None:
    """Return the COCO file of the objects that lies beside a file, if any."""
    places = (folder / name for folder in (path.parent, path.absolute().parent.parent) for name in INSTANCES)
    return next((place for place in places if place.is_file() and place != path), None)


@lru_cache(maxsize=256)
def name_dataset(folder: str) -> str:
    """Return the dataset that a folder or field names, as a part of the name of a split."""
    return DATASETS.get(folder.lower(), "".join(sign for sign in folder.lower() if sign.isalnum()))


@lru_cache(maxsize=256)
def name_split(split: str, *parents: str) -> str:
    """Return the name of a split, behind those of its dataset and partition where there are several."""
    own = "".join(sign for sign in split.replace("+", "plus") if sign.isprintable()).strip()[:80] or ALL
    return "-".join((*(part for part in parents if part), own))


def split_in(name: str, known: Sequence[str] = ("train", "val", "testA", "testB", "testC", "test", "minival")) -> str:
    """Return the split that the name of a file ends with, or `all`."""
    stem = SHARD.sub("", name.rpartition(".")[0] or name)
    found = (split for split in known if stem.lower().endswith(split.lower()))
    return next(found, ALL)
