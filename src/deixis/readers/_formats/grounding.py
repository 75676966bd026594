"""Examples as boxes in one image, which several layouts need, or why an example cannot be written so."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import SchemaError
from deixis.judge.boxes import Box
from deixis.readers._region_scene import COCO


if TYPE_CHECKING:
    from deixis.readers.reader import Image, ReadExample
    from deixis.scene.scene import Scene


UNNAMED = "object"
NUMBERS = {name: number for number, name in COCO.items()}
OWN = 1_001  # from here on categories that COCO does not have


class Grounding(NamedTuple):
    """An example as boxes in one image.

    Attributes:
        image: its name, with width and height, 0 where they are not known.
        right: the boxes of what is meant, in pixels; none where nothing fits.
        objects: all objects of the image, each by its category and its box.
    """

    image: Image
    right: tuple[Box, ...]
    objects: tuple[tuple[str, Box], ...]


def ground(example: ReadExample) -> Grounding:
    """Return an example as boxes in one image, or raise `SchemaError` with what it lacks."""
    if example.choices:
        raise SchemaError("it is answered by a choice, not by a box")
    if not example.images:
        raise SchemaError("it names no image")
    if len(example.images) > 1:
        raise SchemaError("it is about several images")
    if not example.text.strip():
        raise SchemaError("it has no text")
    image = example.images[0]
    regions = example.regions[0] if example.regions else ()
    right = tuple(box for _, box in example.boxes)
    if not right and example.targets:
        if not regions:
            raise SchemaError("the boxes of its objects are not known")
        right = tuple(regions[thing] for _, thing in example.targets)
    names = _categories(example.scenes[0]) if example.scenes else ()
    objects = tuple(zip(names, regions, strict=True)) if len(names) == len(regions) else ()
    if example.space == "share":
        if not (image.width and image.height):
            raise SchemaError("its boxes are shares, and the size of the image is not known")
        size = image.width, image.height
        right = tuple(Box(*box).convert("share", "pixels", size) for box in right)
        objects = tuple((name, Box(*box).convert("share", "pixels", size)) for name, box in objects)
    known = [box for _, box in objects]
    objects += tuple((UNNAMED, box) for box in right if box not in known)
    return Grounding(image, right, objects)


def _categories(scene: Scene) -> tuple[str, ...]:
    """What each object is called: its value of the attribute that nouns say, or of the first one."""
    attribute = scene.schema.head or next(iter(scene.schema.attributes), None)
    if attribute is None:
        return (UNNAMED,) * len(scene)
    return tuple(min(scene.values(index, attribute.name), default=UNNAMED) for index in range(len(scene)))
