"""Images of Visual Genome, whose annotation lies in several files.

    objects.json         [{"image_id", "objects": [{"object_id", "names", "x", "y", "w", "h"}]}]
    attributes.json      [{"image_id", "attributes": [{"object_id", …, "attributes": [word]}]}]
    relationships.json   [{"image_id", "relationships": [{"predicate", "subject": {"object_id"}, "object": {…}}]}]
    image_data.json      [{"image_id", "width", "height"}]
    scene_graphs.json    [{"image_id", "objects": […], "relationships": [{"predicate", "subject_id", "object_id"}]}]

Names, attributes and predicates are free text. The files list the images in one order, so they are read side by side;
`Companion` looks a little ahead where they do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.datasets.formats.graph_fields import box_of, id_of, size_of, word_of
from deixis.scene.graph import GraphObject, Link, SceneGraph


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deixis.worlds.graphs.problems import GraphReport


__all__ = ["Companion", "image_id_of", "visual_genome_graph"]

MOST_AHEAD = 2_000  # entries that a file may run ahead of another


class Companion:
    """The entries of a file that is read beside another one, found by image; each is a dict with the id of one."""

    def __init__(self, entries: Iterable[dict[str, Any]] = ()) -> None:
        self._entries = iter(entries)
        self._ahead: dict[str, dict[str, Any]] = {}

    def of(self, image_id: str) -> dict[str, Any]:
        """The entry of an image; empty when there is none near this place of the file."""
        while image_id not in self._ahead and len(self._ahead) < MOST_AHEAD:
            entry = next(self._entries, None)
            if entry is None:
                break
            self._ahead[image_id_of(entry)] = entry
        return self._ahead.pop(image_id, {})


def visual_genome_graph(
    entry: Any, report: GraphReport, companions: Mapping[str, Companion] | None = None
) -> SceneGraph | None:
    """The graph of one image; None when the entry is no graph.

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
        thing = _object(raw, words, links, image_id, report)
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
    """The id of the image that an entry is about; empty where it says none."""
    return id_of(entry.get("image_id", entry.get("id"))) if isinstance(entry, dict) else ""


def _dicts(raw: Any, code: str, image_id: str, report: GraphReport) -> tuple[dict[str, Any], ...]:
    """The entries of a list that may be missing; what is none is reported."""
    entries = raw if isinstance(raw, list) else [] if raw is None else [raw]
    found = tuple(entry for entry in entries if isinstance(raw, list) and isinstance(entry, dict))
    for _ in range(len(entries) - len(found)):
        report.add(code, image_id)
    return found


def _object(
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
    """The attributes of every object, wherever they stand."""
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
    """The relations of every object, by its id."""
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
    """The id of subject or object, which stands either beside the predicate or in a dict of its own."""
    raw = entry.get(role)
    return id_of(raw.get("object_id") if isinstance(raw, dict) else entry.get(f"{role}_id"))
