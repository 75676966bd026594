"""Cleaning of scene graphs: duplicate, wrong and variously spelled annotations are mended and counted.

Cops-Ref spoke of categories, not of names: 'rocks' and 'rock' are one. It met the other faults too (an object with the
attributes 'surfing' and 'surfing', a toilet that is 'toilet', objects to the left of themselves).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deixis._losses import Losses
from deixis.worlds.photos._left_right import LEFT, RIGHT
from deixis.worlds.photos._words import plain_relation, singular
from deixis.worlds.photos.scene.graph import Box, GraphObject, Link, SceneGraph
from deixis.worlds.photos.scene.vocabulary import SAME


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "GRAPH_CODES",
    "MAX_FINDINGS",
    "Cleaning",
    "GraphFinding",
    "GraphReport",
    "clean_graph",
    "clean_graphs",
    "codes_table",
]


MAX_FINDINGS = 20  # of each code; the rest is only counted
IMAGES_LOST = ("G002", "G003", "G004", "G011", "G012")
OBJECTS_LOST = ("G005", "G006", "G007", "G010", "G013")
ATTRIBUTES_LOST, ATTRIBUTES_MENDED = ("G008",), ("G101", "G102")
RELATIONS_LOST, RELATIONS_MENDED = ("G009", "G104", "G105"), ("G103", "G109")
OBJECTS_MENDED = ("G106",)
GRAPH_CODES = {
    "G001": "the file cannot be read further",
    "G002": "the entry is no scene graph",
    "G003": "the image has no objects",
    "G004": "the image occurs twice",
    "G005": "the object has no name, or is no object",
    "G006": "the object has no box",
    "G007": "the box is empty or lies outside the image",
    "G008": "the attribute is no word",
    "G009": "the relation lacks its name or its object",
    "G010": "the object occurs twice",
    "G011": "there is no picture of the image",
    "G012": "the picture of the image cannot be read, or is of another size",
    "G013": "a key is repeated, of which the last counts",
    "G101": "an attribute is said twice",
    "G102": "an attribute repeats the name",
    "G103": "a relation is said twice",
    "G104": "an object is related to itself",
    "G105": "a relation leads to an object that is missing",
    "G106": "a plural name was made singular",
    "G107": "a box reaches out of the image",
    "G108": "a word is spelled otherwise",
    "G109": "a relation is recorded that is computed",
    "G110": "the size of the image is missing; it is taken from the boxes",
    "G111": "the box is reckoned from where the object is and how large",
    "G201": "objects stand in a one-way relation in a circle",
    "G202": "a left or right relation lacks its counterpart",
    "G203": "two objects have the same box",
    "G204": "a file beside says nothing of the image",
}


@dataclass(frozen=True, slots=True)
class GraphFinding:
    """One fault of one image."""

    code: str
    image_id: str = ""
    object_id: str = ""
    detail: str = ""

    @property
    def message(self) -> str:
        """Message of the code."""
        return GRAPH_CODES[self.code]

    def __str__(self) -> str:
        where = f" image {self.image_id}" if self.image_id else ""
        where += f" object {self.object_id}" if self.object_id else ""
        return f"{self.code}{where}: {self.message}" + (f" ({self.detail})" if self.detail else "")


@dataclass(slots=True)
class GraphReport:
    """Faults found while scene graphs are read and cleaned.

    Attributes:
        files: how many were opened.
        images, objects, attributes, relations: how many were kept.
        counts: how often each code was found.
        first: the first findings of each code.
    """

    files: int = 0
    images: int = 0
    objects: int = 0
    attributes: int = 0
    relations: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, list[GraphFinding]] = field(default_factory=dict)

    def add(self, code: str, image_id: str = "", object_id: str = "", detail: str = "") -> None:
        """Enter one finding."""
        self.counts[code] += 1
        kept = self.first.setdefault(code, [])
        if len(kept) < MAX_FINDINGS:
            kept.append(GraphFinding(code, image_id, object_id, detail))

    @property
    def findings(self) -> tuple[GraphFinding, ...]:
        """The first findings of each code, sorted by code."""
        return tuple(finding for code in sorted(self.first) for finding in self.first[code])

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each code that was found: its count, its message, and an example."""
        return tuple(f"{self.counts[code]:>9,} × {self.first[code][0]}" for code in sorted(self.counts))

    def losses(self) -> list[Losses]:
        """Return the losses and guesses: files, images, objects, attributes, relations, and boxes cut off."""
        files = Losses("files", self.files)
        for finding in self.first.get("G001", ()):
            files.leave_out(f"{GRAPH_CODES['G001']}: {finding.detail}")
        files.leave_out("others like these", self.counts["G001"] - files.total("left out"))
        images = self._losses_of("images", self.images, IMAGES_LOST)
        images.guess(GRAPH_CODES["G110"], self.counts["G110"])
        objects = self._losses_of("objects", self.objects, OBJECTS_LOST)
        objects.repair(GRAPH_CODES["G107"], self.counts["G107"])
        return [
            files,
            images,
            objects,
            self._losses_of("attributes", self.attributes, ATTRIBUTES_LOST),
            self._losses_of("relations", self.relations, RELATIONS_LOST),
        ]

    def repairs(self) -> list[Losses]:
        """Return the counts of changes made on purpose, and of values computed because the format lacks them."""
        mended = []
        for things, kept, lost, codes in (
            ("objects", self.objects, OBJECTS_LOST, OBJECTS_MENDED),
            ("attributes", self.attributes, ATTRIBUTES_LOST, ATTRIBUTES_MENDED),
            ("relations", self.relations, RELATIONS_LOST, RELATIONS_MENDED),
        ):
            some = Losses(things, kept + sum(self.counts[code] for code in lost))
            for code in codes:
                some.repair(GRAPH_CODES[code], self.counts[code])
            mended.append(some)
        mended[0].repair("a word, of it or about it, is spelled otherwise", self.counts["G108"])
        mended[0].guess(GRAPH_CODES["G111"], self.counts["G111"])
        return mended

    def _losses_of(self, things: str, kept: int, codes: tuple[str, ...]) -> Losses:
        lost = Losses(things, kept + sum(self.counts[code] for code in codes))
        for code in codes:
            lost.leave_out(GRAPH_CODES[code], self.counts[code])
        return lost

    def as_dict(self) -> dict[str, object]:
        """Return the report as plain values."""
        return {
            "images": self.images,
            "objects": self.objects,
            "relations": self.relations,
            "counts": dict(sorted(self.counts.items())),
            "findings": [
                {"code": f.code, "image": f.image_id, "object": f.object_id, "message": f.message, "detail": f.detail}
                for f in self.findings
            ],
        }


def codes_table() -> str:
    """Return all codes with their messages, as a Markdown table."""
    rows = [f"| {code} | {message} |" for code, message in GRAPH_CODES.items()]
    return "\n".join(("| code | found |", "|------|-------|", *rows))


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
    """Options of the cleaning.

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
    """Yield the cleaned graphs.

    Those without objects and those of images that came before are left out.
    """
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
        report.attributes += sum(len(thing.attributes) for thing in clean.objects)
        report.relations += sum(len(thing.relations) for thing in clean.objects)
        yield clean


def clean_graph(graph: SceneGraph, report: GraphReport, cleaning: Cleaning | None = None) -> SceneGraph:
    """Return the graph without faults that can be mended, and enter every fault in the report."""
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
    name = _normal_spelling(thing.name, {}, thing, graph, report)
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
        word = _normal_spelling(said, spellings, thing, graph, report)
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
    """Return the relation in one spelling, or only in small letters without needless blanks."""
    return plain_relation(relation) if is_merged else " ".join(relation.lower().split())


def _fault_of(link: Link, thing: GraphObject, present: frozenset[str]) -> str:
    """Return the code of what makes a relation impossible, if anything."""
    if link.object_id not in present:
        return "G105"
    if link.object_id == thing.id:
        return "G104"
    return "G109" if link.relation in SAME else ""


def _normal_spelling(
    said: str, spellings: Mapping[str, str], thing: GraphObject, graph: SceneGraph, report: GraphReport
) -> str:
    """Return the word in small letters, without needless blanks, and in one spelling."""
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
