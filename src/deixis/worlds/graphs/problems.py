"""What is wrong with scene graphs, by code: what had to be left out, what was mended, what is merely strange.

G0..  could not be read, and was left out
G1..  was mended by cleaning
G2..  is kept as it is, but worth a look
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


__all__ = ["GRAPH_CODES", "MAX_FINDINGS", "GraphFinding", "GraphReport", "codes_table"]

MAX_FINDINGS = 20  # of each code; the rest is only counted
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
    "G201": "objects stand in a one-way relation in a circle",
    "G202": "a left or right relation lacks its counterpart",
    "G203": "two objects have the same box",
    "G204": "a file beside says nothing of the image",
}


@dataclass(frozen=True, slots=True)
class GraphFinding:
    """One thing that is wrong with one image."""

    code: str
    image_id: str = ""
    object_id: str = ""
    detail: str = ""

    @property
    def message(self) -> str:
        """What the code says."""
        return GRAPH_CODES[self.code]

    def __str__(self) -> str:
        where = f" image {self.image_id}" if self.image_id else ""
        where += f" object {self.object_id}" if self.object_id else ""
        return f"{self.code}{where}: {self.message}" + (f" ({self.detail})" if self.detail else "")


@dataclass(slots=True)
class GraphReport:
    """What reading and cleaning found, growing while they go on.

    Attributes:
        images, objects, relations: how many were kept.
        counts: how often each code was found.
        first: the first findings of each code.
    """

    images: int = 0
    objects: int = 0
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
        """The first findings of each code, in the order of codes."""
        return tuple(finding for code in sorted(self.first) for finding in self.first[code])

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each code that was found: how often, what, and an example."""
        return tuple(f"{self.counts[code]:>9,} × {self.first[code][0]}" for code in sorted(self.counts))

    def as_dict(self) -> dict[str, object]:
        """The report as plain values."""
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
    """All codes with their messages, as a Markdown table."""
    rows = [f"| {code} | {message} |" for code, message in GRAPH_CODES.items()]
    return "\n".join(("| code | found |", "|------|-------|", *rows))
