"""Mirror images: a scene graph and its picture flipped left to right.

The mirror image of a scene has the same objects with the same attributes, and all that says left or right is exchanged:
relations, ranks (by the boxes), and words such as *left hand*. So who ignores left and right finds in it what is
described, and who heeds them does not. It has the id of its image with `-mirrored` behind it.

Being mirrored must tell nothing: of every image a coin decides whether it is spoken of as it is or mirrored, and the
other one is the distractor (`is_spoken_of_mirrored`).
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

from deixis.seeds import derive
from deixis.worlds.photos.data._picture_files import Picture
from deixis.worlds.photos.scene.graph import Box, GraphObject, Link, SceneGraph
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


MIRRORED = "-mirrored"
_SIDE = re.compile(r"\b(left|right)\b")
_OTHER = {"left": "right", "right": "left"}
_KEPT = {  # how a flipped picture is kept, by its format: without loss where that is possible
    "PNG": {"compress_level": 3},
    "JPEG": {"quality": 95, "subsampling": 0},
}


def mirror_id(image_id: str) -> str:
    """Return the id of the mirror image: that of a mirror image is the id of the image itself."""
    return image_id.removesuffix(MIRRORED) if is_mirrored(image_id) else image_id + MIRRORED


def is_mirrored(image_id: str) -> bool:
    """Return whether an id is that of a mirror image."""
    return image_id.endswith(MIRRORED)


def is_spoken_of_mirrored(image_id: str, seed: int) -> bool:
    """Return whether an image is spoken of mirrored, which a coin decides for each by its id and the seed."""
    return bool(derive(seed, "mirrored", image_id) >> 63)


def mirror_words(text: str) -> str:
    """Return a text with left and right exchanged: 'to the left of' becomes 'to the right of'."""
    return _SIDE.sub(lambda found: _OTHER[found.group()], text)


def mirror_graph(graph: SceneGraph) -> SceneGraph:
    """Return a scene graph flipped left to right; flipped again, it is the graph itself."""
    return SceneGraph(
        mirror_id(graph.image_id),
        graph.width,
        graph.height,
        tuple(_mirror_object(thing, graph.width) for thing in graph.objects),
        graph.location,
        graph.weather,
    )


def mirror_picture(held: bytes) -> bytes:
    """Return a PNG or JPEG file flipped left to right, in the same format."""
    from PIL import Image, ImageOps

    with Image.open(BytesIO(held), formats=tuple(_KEPT)) as picture:
        kind = picture.format or "PNG"
        file = BytesIO()
        ImageOps.mirror(picture if kind == "PNG" else picture.convert("RGB")).save(file, kind, **_KEPT[kind])
    return file.getvalue()


def with_mirror_images(table: GraphTable) -> GraphTable:
    """Return the table with the mirror image of every scene right behind it: that of scene 2 k is scene 2 k + 1."""
    return GraphTable.of(_both(table))


def mirrored_finder(find: Callable[[str], Picture | None]) -> Callable[[str], Picture | None]:
    """Return a function that finds the pictures of mirror images, too, given one that finds those of images."""

    def find_both(image_id: str) -> Picture | None:
        if not is_mirrored(image_id):
            return find(image_id)
        picture = find(mirror_id(image_id))
        if picture is None:
            return None
        stem, dot, ending = picture.name.rpartition(".")
        return Picture(f"{stem}{MIRRORED}{dot}{ending}", mirror_picture(picture.held))

    return find_both


def graph_of(table: GraphTable, number: int) -> SceneGraph:
    """Return a scene of a table as a graph, with objects, attributes and relations in a fixed order."""
    scene = table.scene(number)
    objects = (
        GraphObject(
            scene.object_ids[k],
            scene.names[k],
            scene.boxes[k],
            tuple(sorted(scene.words[k])),
            tuple(Link(relation, scene.object_ids[other]) for relation, other in scene.outgoing(k)),
            "" if scene.raw_names[k] == scene.names[k] else scene.raw_names[k],
        )
        for k in range(len(scene))
    )
    location, weather = table.locations[int(table.location[number])], table.weathers[int(table.weather[number])]
    return SceneGraph(scene.image_id, scene.width, scene.height, tuple(objects), location, weather)


def _both(table: GraphTable) -> Iterator[SceneGraph]:
    for number in range(len(table)):
        graph = graph_of(table, number)
        yield graph
        yield mirror_graph(graph)


def _mirror_object(thing: GraphObject, width: int) -> GraphObject:
    x, y, w, h = thing.box
    return GraphObject(
        thing.id,
        mirror_words(thing.name),
        Box(width - x - w, y, w, h),
        tuple(mirror_words(word) for word in thing.attributes),
        tuple(Link(mirror_words(relation), other) for relation, other in thing.relations),
        mirror_words(thing.raw_name),
    )
