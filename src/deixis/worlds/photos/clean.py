"""Cleaning scene graphs: what people wrote down twice, wrongly or in several spellings is mended, and counted.

Cops-Ref spoke of categories, not of names: 'rocks' and 'rock' are one. It met the other faults too (an object with the
attributes 'surfing' and 'surfing', a toilet that is 'toilet', objects to the left of themselves).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.scene.graph import Box, GraphObject, Link, SceneGraph
from deixis.scene.vocabulary import SAME
from deixis.worlds.graphs.left_right import LEFT, RIGHT
from deixis.worlds.graphs.relation_words import plain_relation
from deixis.worlds.graphs.singular import singular


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deixis.worlds.graphs.problems import GraphReport


__all__ = ["Cleaning", "clean_graph", "clean_graphs"]

SPELLINGS = {"blonde": "blond", "checked": "checkered", "circular": "round", "grey": "gray", "wooden": "wood"}
ONE_WAY = frozenset(
    (
        "above",
        "behind",
        "below",
        "beneath",
        "carrying",
        "hanging on",
        "holding",
        "in",
        "in front of",
        "inside",
        "lying on",
        "mounted on",
        "on",
        "on top of",
        "over",
        "parked on",
        "riding",
        "sitting in",
        "sitting on",
        "standing on",
        "under",
        "underneath",
        "wearing",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """What is mended.

    Attributes:
        singular: plural names become the name of one ('rocks' are a rock); the name in the file is kept beside it.
        spelling: 'grey' becomes 'gray' and 'are on a' becomes 'on'; small letters and single blanks always.
        clip: boxes end where the image ends.
        strange: also look for what is kept but worth a look (G201 to G203).
    """

    singular: bool = True
    spelling: bool = True
    clip: bool = True
    strange: bool = True


def clean_graphs(
    graphs: Iterable[SceneGraph], report: GraphReport, cleaning: Cleaning | None = None
) -> Iterator[SceneGraph]:
    """The graphs, each clean; those without objects and those of images that came before are left out."""
    seen: set[str] = set()
    cleaning = cleaning or Cleaning()
    for graph in graphs:
        if graph.image_id in seen:
            report.add("G004", graph.image_id)
            continue
        seen.add(graph.image_id)
        clean = clean_graph(graph, report, cleaning)
        if not clean.objects:
            report.add("G003", graph.image_id)
            continue
        report.images += 1
        report.objects += len(clean.objects)
        report.relations += sum(len(thing.relations) for thing in clean.objects)
        yield clean


def clean_graph(graph: SceneGraph, report: GraphReport, cleaning: Cleaning | None = None) -> SceneGraph:
    """The graph without faults that can be mended; every fault is entered in the report."""
    cleaning = cleaning or Cleaning()
    boxes = {thing.id: _clean_box(thing, graph, report, cleaning) for thing in graph.objects}
    kept = frozenset(thing_id for thing_id, box in boxes.items() if box)
    things = []
    for thing in graph.objects:
        box = boxes[thing.id]
        if box is None:
            continue
        name = _clean_name(thing, graph, report, cleaning)
        things.append(
            GraphObject(
                thing.id,
                name,
                box,
                _clean_attributes(thing, name, graph, report, cleaning) if thing.attributes else (),
                _clean_relations(thing, kept, graph, report, cleaning) if thing.relations else (),
                thing.raw_name or (thing.name if thing.name != name else ""),
            )
        )
    clean = SceneGraph(graph.image_id, graph.width, graph.height, tuple(things), graph.location, graph.weather)
    if cleaning.strange:
        _look_for_strange(clean, report)
    return clean


def _clean_box(thing: GraphObject, graph: SceneGraph, report: GraphReport, cleaning: Cleaning) -> Box | None:
    """The box inside its image; None when nothing of it is. A point (no width, no height) may lie on the edge."""
    x, y, w, h = thing.box
    if x >= 0 and y >= 0 and x + w <= graph.width and y + h <= graph.height and ((w > 0 and h > 0) or w == h == 0):
        return thing.box
    left, top, right, bottom = max(x, 0), max(y, 0), min(x + w, graph.width), min(y + h, graph.height)
    if left >= right or top >= bottom:
        report.add("G007", graph.image_id, thing.id, f"box {_numbers(x, y, w, h)} of {graph.width} × {graph.height}")
        return None
    report.add("G107", graph.image_id, thing.id, f"box {_numbers(x, y, w, h)} of {graph.width} × {graph.height}")
    return Box(left, top, right - left, bottom - top) if cleaning.clip else thing.box


def _clean_name(thing: GraphObject, graph: SceneGraph, report: GraphReport, cleaning: Cleaning) -> str:
    name = _spelled(thing.name, {}, thing, graph, report)
    if not cleaning.singular:
        return name
    one = singular(name)
    if one != name:
        report.add("G106", graph.image_id, thing.id, f"{name} → {one}")
    return one


def _clean_attributes(
    thing: GraphObject, name: str, graph: SceneGraph, report: GraphReport, cleaning: Cleaning
) -> tuple[str, ...]:
    spellings = SPELLINGS if cleaning.spelling else {}
    kept: dict[str, None] = {}
    for said in thing.attributes:
        word = _spelled(said, spellings, thing, graph, report)
        if word in (name, thing.name):
            report.add("G102", graph.image_id, thing.id, word)
        elif word in kept:
            report.add("G101", graph.image_id, thing.id, word)
        else:
            kept[word] = None
    return tuple(kept)


def _clean_relations(
    thing: GraphObject, present: frozenset[str], graph: SceneGraph, report: GraphReport, cleaning: Cleaning
) -> tuple[Link, ...]:
    kept: dict[Link, None] = {}
    for said in thing.relations:
        link = said
        relation = _plain(said.relation, is_merged=cleaning.spelling)
        if relation != said.relation:
            report.add("G108", graph.image_id, thing.id, f"{said.relation} → {relation}")
            link = Link(relation, said.object_id)
        fault = _fault_of(link, thing, present) or ("G103" if link in kept else "")
        if fault:
            report.add(fault, graph.image_id, thing.id, f"{link.relation} {link.object_id}")
        else:
            kept[link] = None
    return tuple(kept)


def _plain(relation: str, *, is_merged: bool) -> str:
    """The relation in one spelling, or only in small letters without needless blanks."""
    return plain_relation(relation) if is_merged else " ".join(relation.lower().split())


def _fault_of(link: Link, thing: GraphObject, present: frozenset[str]) -> str:
    """The code of what makes a relation impossible, if anything."""
    if link.object_id not in present:
        return "G105"
    if link.object_id == thing.id:
        return "G104"
    return "G109" if link.relation in SAME else ""


def _spelled(
    said: str, spellings: Mapping[str, str], thing: GraphObject, graph: SceneGraph, report: GraphReport
) -> str:
    """The word in small letters, without needless blanks, and in one spelling."""
    plain = said if said.islower() and said.isalpha() else " ".join(said.lower().split())
    word = spellings.get(plain, plain)
    if word != said:
        report.add("G108", graph.image_id, thing.id, f"{said} → {word}")
    return word


def _look_for_strange(graph: SceneGraph, report: GraphReport) -> None:
    """Enter what is kept but worth a look."""
    boxes: dict[Box, str] = {}
    for thing in graph.objects:
        if thing.box in boxes and thing.box.w:
            report.add("G203", graph.image_id, thing.id, f"the box of object {boxes[thing.box]}")
        boxes.setdefault(thing.box, thing.id)
    sides = {(t.id, link.object_id) for t in graph.objects for link in t.relations if link.relation == LEFT}
    others = {(link.object_id, t.id) for t in graph.objects for link in t.relations if link.relation == RIGHT}
    for one, other in sorted(sides ^ others):
        report.add("G202", graph.image_id, one, f"and object {other}")
    for one, other in sorted(sides):
        if one < other and (other, one) in sides:
            report.add("G201", graph.image_id, one, f"{LEFT} object {other}, and the reverse")
    ways: dict[str, list[tuple[str, str]]] = {}
    for thing in graph.objects:
        for relation, other in thing.relations:
            if relation in ONE_WAY:
                ways.setdefault(relation, []).append((thing.id, other))
    for relation, links in ways.items():
        if circle := _circle(links):
            report.add("G201", graph.image_id, circle[0], f"{relation}: {', '.join(circle)}")


def _circle(links: list[tuple[str, str]]) -> list[str]:
    """The objects that a relation leads round in circles, or between circles; sorted, empty if there are none."""
    while True:
        starts, ends = {one for one, _ in links}, {other for _, other in links}
        inside = [link for link in links if link[0] in ends and link[1] in starts]
        if len(inside) == len(links):
            return sorted(starts)
        links = inside


def _numbers(*values: float) -> str:
    return " ".join(f"{value:g}" for value in values)
