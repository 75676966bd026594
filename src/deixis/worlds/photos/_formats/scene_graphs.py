"""One scene graph in the formats of GQA, Visual Genome and CLEVR."""

from __future__ import annotations

import json
from itertools import combinations
from math import dist
from typing import TYPE_CHECKING, Any

from deixis.data.store import replacing_file
from deixis.worlds.photos.scene.graph import Box, GraphObject, Link, SceneGraph


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.photos.clean import GraphReport

LARGEST = 1_000_000  # pixels; also keeps numbers within the table
LONGEST_WORD = 200


def is_number(value: Any) -> bool:
    """Return whether a value is a number that can be a coordinate."""
    return (type(value) is int or type(value) is float) and -LARGEST <= value <= LARGEST


def word_of(value: Any) -> str:
    """Return a name or attribute without blanks around it, or empty text when the value is none."""
    if not isinstance(value, str) or len(value) > LONGEST_WORD:
        return ""
    word = value.strip()
    return word if word.isprintable() else ""


def id_of(value: Any) -> str:
    """Return the id of an image or object, which some files write as a number, or empty text when the value is none."""
    if type(value) is int:
        return str(value)
    return value if isinstance(value, str) and len(value) <= LONGEST_WORD and value.isprintable() else ""


def box_of(x: Any, y: Any, w: Any, h: Any) -> Box | None:
    """Return the box of four numbers, or None when some are none."""
    return Box(x, y, w, h) if is_number(x) and is_number(y) and is_number(w) and is_number(h) else None


def size_of(
    width: Any, height: Any, things: Sequence[GraphObject], image_id: str, report: GraphReport
) -> tuple[int, int]:
    """Return width and height of an image, or the extent of its boxes where they are not given."""
    if is_number(width) and is_number(height) and width >= 1 and height >= 1:
        return int(width), int(height)
    if things:
        report.add("G110", image_id)
    reach = [(thing.box.x + max(thing.box.w, 1), thing.box.y + max(thing.box.h, 1)) for thing in things]
    return max((int(x) for x, _ in reach if x >= 1), default=1), max((int(y) for _, y in reach if y >= 1), default=1)


def gqa_graph(image_id: str, entry: Any, report: GraphReport) -> SceneGraph | None:
    """Return the graph of one image, or None when the entry is no graph."""
    if not id_of(image_id):
        report.add("G002", detail=f"its id {image_id[:20]!r} is no printable text")
        return None
    objects = entry.get("objects") if isinstance(entry, dict) else None
    if not isinstance(objects, dict):
        report.add("G002", image_id, detail="there is no dict of objects")
        return None
    things = [_object(object_id, raw, image_id, report) for object_id, raw in objects.items()]
    kept = tuple(thing for thing in things if thing)
    width, height = size_of(entry.get("width"), entry.get("height"), kept, image_id, report)
    location, weather = word_of(entry.get("location")), word_of(entry.get("weather"))
    return SceneGraph(image_id, width, height, kept, location, weather)


def _object(object_id: str, raw: Any, image_id: str, report: GraphReport) -> GraphObject | None:
    name = word_of(raw.get("name")) if isinstance(raw, dict) else ""
    if not name or not id_of(object_id):
        report.add("G005", image_id, id_of(object_id))
        return None
    box = box_of(raw.get("x"), raw.get("y"), raw.get("w"), raw.get("h"))
    if box is None:
        report.add("G006", image_id, object_id)
        return None
    attributes, relations = raw.get("attributes"), raw.get("relations")
    return GraphObject(
        object_id,
        name,
        box,
        _attributes(attributes, object_id, image_id, report) if attributes else (),
        _relations(relations, object_id, image_id, report) if relations else (),
    )


def _attributes(raw: Any, object_id: str, image_id: str, report: GraphReport) -> tuple[str, ...]:
    if not isinstance(raw, list):
        report.add("G008", image_id, object_id, "the attributes are no list")
        return ()
    words = [word_of(word) for word in raw]
    for _ in range(words.count("")):
        report.add("G008", image_id, object_id)
    return tuple(word for word in words if word)


def _relations(raw: Any, object_id: str, image_id: str, report: GraphReport) -> tuple[Link, ...]:
    if not isinstance(raw, list | dict):
        report.add("G009", image_id, object_id, "the relations are no list")
        return ()
    links = []
    for entry in raw if isinstance(raw, list) else raw.values():
        name, other = (entry.get("name"), entry.get("object")) if isinstance(entry, dict) else ("", None)
        if word_of(name) and id_of(other):
            links.append(Link(word_of(name), id_of(other)))
        else:
            report.add("G009", image_id, object_id)
    return tuple(links)


def gqa_entry(graph: SceneGraph) -> dict[str, Any]:
    """Return the graph as an entry of GQA, which `gqa_graph` reads back."""
    entry: dict[str, Any] = {"width": graph.width, "height": graph.height}
    if graph.location:
        entry["location"] = graph.location
    if graph.weather:
        entry["weather"] = graph.weather
    entry["objects"] = {
        thing.id: {
            "name": thing.raw_name or thing.name,
            "x": thing.box.x,
            "y": thing.box.y,
            "w": thing.box.w,
            "h": thing.box.h,
            "attributes": list(thing.attributes),
            "relations": [{"object": link.object_id, "name": link.relation} for link in thing.relations],
        }
        for thing in graph.objects
    }
    return entry


def write_gqa(path: Path, graphs: Iterable[SceneGraph]) -> None:
    """Write graphs as one file of GQA, a single line, without holding more than one of them."""
    with replacing_file(path) as draft, draft.open("w", encoding="utf-8") as file:
        mark = "{"
        for graph in graphs:
            file.write(f"{mark}{json.dumps(graph.image_id)}: {json.dumps(gqa_entry(graph))}")
            mark = ", "
        file.write("{}" if mark == "{" else "}")


MOST_AHEAD = 2_000  # entries that a file may run ahead of another


class Companion:
    """The entries of a file that is read beside another one, found by image, each a dict with the id of one."""

    def __init__(self, entries: Iterable[dict[str, Any]] = ()) -> None:
        self._entries = iter(entries)
        self._ahead: dict[str, dict[str, Any]] = {}

    def of(self, image_id: str) -> dict[str, Any]:
        """Return the entry of an image, or an empty one when there is none near this place of the file."""
        while image_id not in self._ahead and len(self._ahead) < MOST_AHEAD:
            entry = next(self._entries, None)
            if entry is None:
                break
            self._ahead[image_id_of(entry)] = entry
        return self._ahead.pop(image_id, {})


def visual_genome_graph(
    entry: Any, report: GraphReport, companions: Mapping[str, Companion] | None = None
) -> SceneGraph | None:
    """Return the graph of one image, or None when the entry is no graph.

    Args:
        entry: of `objects.json` or `scene_graphs.json`.
        report: what is left out is entered here.
        companions: the other files (`attributes`, `relationships`, `image_data`), where there are any.
    """
    image_id = image_id_of(entry)
    objects = entry.get("objects") if isinstance(entry, dict) else None
    if not image_id or not isinstance(objects, list):
        report.add("G002", image_id, detail="there is no image_id or no list of objects")
        return None
    beside = {name: companion.of(image_id) for name, companion in (companions or {}).items()}
    for name in (name for name, told in beside.items() if not told):
        report.add("G204", image_id, detail=f"{name}.json")
    apart = _dicts(beside.get("attributes", {}).get("attributes"), "G008", image_id, report)
    words = _words(tuple(raw for raw in objects if isinstance(raw, dict)), apart, image_id, report)
    links = _links(
        (
            *_dicts(entry.get("relationships"), "G009", image_id, report),
            *_dicts(beside.get("relationships", {}).get("relationships"), "G009", image_id, report),
        ),
        image_id,
        report,
    )
    things: dict[str, GraphObject] = {}
    for raw in objects:
        thing = _visual_genome_object(raw, words, links, image_id, report)
        if thing and thing.id in things:
            report.add("G010", image_id, thing.id)
        elif thing:
            things[thing.id] = thing
    there = {id_of(raw.get("object_id", raw.get("id"))) for raw in objects if isinstance(raw, dict)}
    for object_id, some in links.items():
        for link in some if object_id not in there else ():
            report.add("G105", image_id, object_id, f"from it: {link.relation} {link.object_id}")
    size = beside.get("image_data") or entry
    kept = tuple(things.values())
    width, height = size_of(size.get("width"), size.get("height"), kept, image_id, report)
    return SceneGraph(image_id, width, height, kept)


def image_id_of(entry: Any) -> str:
    """Return the id of the image that an entry is about, or empty text where it says none."""
    return id_of(entry.get("image_id", entry.get("id"))) if isinstance(entry, dict) else ""


def _dicts(raw: Any, code: str, image_id: str, report: GraphReport) -> tuple[dict[str, Any], ...]:
    """The entries of a list that may be missing; what is none is reported."""
    entries = raw if isinstance(raw, list) else [] if raw is None else [raw]
    found = tuple(entry for entry in entries if isinstance(raw, list) and isinstance(entry, dict))
    for _ in range(len(entries) - len(found)):
        report.add(code, image_id)
    return found


def _visual_genome_object(
    raw: Any,
    words: Mapping[str, tuple[str, ...]],
    links: Mapping[str, tuple[Link, ...]],
    image_id: str,
    report: GraphReport,
) -> GraphObject | None:
    object_id = id_of(raw.get("object_id", raw.get("id"))) if isinstance(raw, dict) else ""
    name = _first_word(raw.get("names", raw.get("name"))) if object_id else ""
    if not name:
        report.add("G005", image_id, object_id)
        return None
    box = box_of(raw.get("x"), raw.get("y"), raw.get("w"), raw.get("h"))
    if box is None:
        report.add("G006", image_id, object_id)
        return None
    return GraphObject(object_id, name, box, words.get(object_id, ()), links.get(object_id, ()))


def _first_word(names: Any) -> str:
    return word_of(names[0] if isinstance(names, list) and names else names)


def _words(
    objects: tuple[dict[str, Any], ...], beside: tuple[dict[str, Any], ...], image_id: str, report: GraphReport
) -> dict[str, tuple[str, ...]]:
    """Return the attributes of every object, wherever they stand."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in (*objects, *beside):
        raw = entry.get("attributes")
        if not raw:
            continue
        object_id = id_of(entry.get("object_id"))
        said = [word_of(word) for word in raw] if isinstance(raw, list) else [""]
        for _ in range(said.count("")):
            report.add("G008", image_id, object_id)
        found[object_id] = (*found.get(object_id, ()), *(word for word in said if word))
    return found


def _links(
    relationships: tuple[dict[str, Any], ...], image_id: str, report: GraphReport
) -> dict[str, tuple[Link, ...]]:
    """Return the relations of every object, by its id."""
    found: dict[str, list[Link]] = {}
    for entry in relationships:
        relation = word_of(entry.get("predicate"))
        subject, other = _end(entry, "subject"), _end(entry, "object")
        if relation and subject and other:
            found.setdefault(subject, []).append(Link(relation, other))
        else:
            report.add("G009", image_id, subject)
    return {object_id: tuple(links) for object_id, links in found.items()}


def _end(entry: Mapping[str, Any], role: str) -> str:
    """Return the id of subject or object, which stands either beside the predicate or in a dict of its own."""
    raw = entry.get(role)
    return id_of(raw.get("object_id") if isinstance(raw, dict) else entry.get(f"{role}_id"))


RELATIONS = {"left": "to the left of", "right": "to the right of", "front": "in front of", "behind": "behind"}
WORDS = ("color", "material", "size")
SIZES = ((480, 320), (320, 240))  # of the released images, and of those that the program draws by itself, in pixels
FOCUS = 35 / 32  # of the camera, in widths of the image
RADIUS = {"large": 0.7, "small": 0.35}  # of things, as CLEVR places them
REACH = {"sphere": 1.03, "cylinder": 1.15, "cube": 1.2}  # how far the picture of a thing reaches, in radii


def clevr_graph(number: int, entry: Any, report: GraphReport) -> SceneGraph | None:
    """Return the graph of one scene, or None when the entry is no scene."""
    objects = entry.get("objects") if isinstance(entry, dict) else None
    image_id = _image_id(number, entry)
    if not isinstance(objects, list):
        report.add("G002", image_id, detail="there is no list of objects")
        return None
    links = _clevr_links(entry.get("relationships"), len(objects), image_id, report)
    is_told = "width" in entry or "height" in entry
    given: tuple[Any, Any] = (entry.get("width"), entry.get("height")) if is_told else _likely_size(objects)
    focus = FOCUS * given[0] if is_number(given[0]) else FOCUS * SIZES[0][0]
    things = [
        _clevr_object(index, raw, links.get(index, ()), focus, image_id, report) for index, raw in enumerate(objects)
    ]
    kept = tuple(thing for thing in things if thing)
    width, height = size_of(given[0], given[1], kept, image_id, report)
    return SceneGraph(image_id, width, height, kept)


def _likely_size(objects: list[Any]) -> tuple[int, int]:
    """Return the size of the image for which things are as far from each other as the scene says."""
    places = [
        (raw["pixel_coords"], raw["3d_coords"])
        for raw in objects[:8]
        if isinstance(raw, dict) and _are_three(raw.get("pixel_coords")) and _are_three(raw.get("3d_coords"))
    ]
    return min(SIZES, key=lambda size: sum(_misfit(*pair, size) for pair in combinations(places, 2)))


def _misfit(one: Any, other: Any, size: tuple[int, int]) -> float:
    """By how much the distance of two things differs from what it would be in an image of some size."""
    seen = []
    for (x, y, depth), _ in (one, other):
        scale = depth / (FOCUS * size[0])
        seen.append(((x - size[0] / 2) * scale, (y - size[1] / 2) * scale, depth))
    return abs(dist(*seen) - dist(one[1], other[1]))


def _are_three(numbers: Any) -> bool:
    return isinstance(numbers, list) and len(numbers) == 3 and all(map(is_number, numbers))


def _image_id(number: int, entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(number)
    name = id_of(entry.get("image_filename"))
    return name.rpartition(".")[0] or name or id_of(entry.get("image_index")) or str(number)


def _clevr_object(
    index: int, raw: Any, links: tuple[Link, ...], focus: float, image_id: str, report: GraphReport
) -> GraphObject | None:
    name = word_of(raw.get("shape")) if isinstance(raw, dict) else ""
    if not name:
        report.add("G005", image_id, str(index))
        return None
    box = _box(raw, name, focus)
    if box is None:
        report.add("G006", image_id, str(index))
        return None
    if box.w:
        report.add("G111", image_id, str(index))
    words = [word_of(raw.get(dimension)) for dimension in WORDS]
    for _ in range(words.count("")):
        report.add("G008", image_id, str(index))
    return GraphObject(str(index), name, box, tuple(word for word in words if word), links)


def _box(raw: dict[str, Any], shape: str, focus: float) -> Box | None:
    """The box of a thing, as far as can be reckoned; a point where its distance or size is not said."""
    coordinates, size = raw.get("pixel_coords"), raw.get("size")
    if not isinstance(coordinates, list) or len(coordinates) < 2:
        return None
    radius = RADIUS.get(size) if isinstance(size, str) else None
    if radius is None or not _are_three(coordinates) or coordinates[2] <= 2 * radius:
        return box_of(coordinates[0], coordinates[1], 0, 0)
    half = max(1, round(focus * radius * REACH.get(shape, max(REACH.values())) / coordinates[2]))
    return box_of(coordinates[0] - half, coordinates[1] - half, 2 * half, 2 * half)


def _clevr_links(raw: Any, count: int, image_id: str, report: GraphReport) -> dict[int, tuple[Link, ...]]:
    """Return the relations of every object, from lists of those that stand in them to it."""
    found: dict[int, list[Link]] = {}
    if raw is not None and not isinstance(raw, dict):
        report.add("G009", image_id, detail="the relationships are no dict")
        return {}
    directions: dict[str, Any] = raw or {}
    for direction, lists in directions.items():
        relation = RELATIONS.get(direction, word_of(direction))
        if not relation or not isinstance(lists, list):
            report.add("G009", image_id, detail=f"{direction[:20]!r} is no relation with a list for each object")
            continue
        for index, others in enumerate(lists):
            for other in others if isinstance(others, list) else (None,):
                if type(other) is not int:
                    report.add("G009", image_id, str(index))
                elif not 0 <= other < count:
                    report.add("G105", image_id, str(index), f"{relation}: object {str(other)[:20]}")
                else:
                    found.setdefault(other, []).append(Link(relation, str(index)))
    return {index: tuple(links) for index, links in found.items()}
