"""One scene graph of GQA.

    {"width", "height", "objects": {id: {"name", "x", "y", "w", "h", "attributes": [word], "relations": […]}}}

Relations are a list of `{"name", "object"}` in the files, and a dict of the same by id in the documentation; both are
read. What cannot be read is left out and reported, the rest is kept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.datasets.formats.graph_fields import box_of, id_of, size_of, word_of
from deixis.datasets.store import replacing_file
from deixis.scene.graph import GraphObject, Link, SceneGraph


if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deixis.worlds.graphs.problems import GraphReport


__all__ = ["gqa_entry", "gqa_graph", "write_gqa"]


def gqa_graph(image_id: str, entry: Any, report: GraphReport) -> SceneGraph | None:
    """The graph of one image; None when the entry is no graph."""
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
    """The graph as GQA writes one; `gqa_graph` reads it back."""
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
