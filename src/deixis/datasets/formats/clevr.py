"""One scene of CLEVR: shapes on a table, told by shape, color, material and size, in front of and behind each other.

`relationships["left"][i]` lists the objects that are to the left of object i. There are no boxes; an object is where
`pixel_coords` has its middle, so its box has no size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.datasets.formats.graph_fields import box_of, id_of, size_of, word_of
from deixis.scene.graph import GraphObject, Link, SceneGraph


if TYPE_CHECKING:
    from deixis.scene.graph import Box
    from deixis.worlds.graphs.problems import GraphReport


__all__ = ["clevr_graph"]

RELATIONS = {"left": "to the left of", "right": "to the right of", "front": "in front of", "behind": "behind"}
WORDS = ("color", "material", "size")
LENGTH, DEPTH = 480, 320  # of the released images, in pixels


def clevr_graph(number: int, entry: Any, report: GraphReport) -> SceneGraph | None:
    """The graph of one scene; None when the entry is no scene."""
    objects = entry.get("objects") if isinstance(entry, dict) else None
    image_id = _image_id(number, entry)
    if not isinstance(objects, list):
        report.add("G002", image_id, detail="there is no list of objects")
        return None
    links = _links(entry.get("relationships"), len(objects), image_id, report)
    things = [_object(index, raw, links.get(index, ()), image_id, report) for index, raw in enumerate(objects)]
    kept = tuple(thing for thing in things if thing)
    width, height = size_of(entry.get("width", LENGTH), entry.get("height", DEPTH), kept, image_id, report)
    return SceneGraph(image_id, width, height, kept)


def _image_id(number: int, entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(number)
    name = id_of(entry.get("image_filename"))
    return name.rpartition(".")[0] or name or id_of(entry.get("image_index")) or str(number)


def _object(index: int, raw: Any, links: tuple[Link, ...], image_id: str, report: GraphReport) -> GraphObject | None:
    name = word_of(raw.get("shape")) if isinstance(raw, dict) else ""
    if not name:
        report.add("G005", image_id, str(index))
        return None
    box = _point(raw.get("pixel_coords"))
    if box is None:
        report.add("G006", image_id, str(index))
        return None
    words = [word_of(raw.get(dimension)) for dimension in WORDS]
    for _ in range(words.count("")):
        report.add("G008", image_id, str(index))
    return GraphObject(str(index), name, box, tuple(word for word in words if word), links)


def _point(coordinates: Any) -> Box | None:
    if not isinstance(coordinates, list) or len(coordinates) < 2:
        return None
    return box_of(coordinates[0], coordinates[1], 0, 0)


def _links(raw: Any, count: int, image_id: str, report: GraphReport) -> dict[int, tuple[Link, ...]]:
    """The relations of every object, from lists of those that stand in them to it."""
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
