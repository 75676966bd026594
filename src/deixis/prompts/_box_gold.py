"""The right answer to a question for boxes, and the judgement on the answer of a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset, SchemaError
from deixis.judge.boxes import LADDER, LARGEST, SPACES, Box, Region, Space, box_from, overlap, pair_regions
from deixis.prompts._box_forms import write_box
from deixis.prompts.answers import NOT_THERE, Unparsable, parse_boxes
from deixis.prompts.question import Judgement


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deixis.prompts._box_forms import Writing


ENOUGH = LADDER[0]
SURPLUS = 1.05  # times the whole: numbers up to it are of boxes that reach out, larger ones of another space
WRITINGS: tuple[Writing, ...] = ("corners", "box_2d", "loc")
ANOTHER_SPACE = "a box in another space than was asked for"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxGold:
    """The right boxes, in the space that is asked for.

    Attributes:
        text: what is said.
        boxes: where it is; none where nothing fits.
        space: the space of all boxes.
        images: how many images there are, numbered from 1 in the answer.
        candidates: the boxes of the objects that are known, each with the misreadings of a reader who takes it for the
            one that is meant.
        split: where the example belongs.
        facts: what else the dataset says of it, in words.
        writing: the order in which the edges are written, and how they are marked.
        sizes: width and height of the images in pixels, where they are shown.
    """

    text: str
    boxes: tuple[Region, ...]
    space: Space
    images: int = 1
    candidates: tuple[tuple[Region, tuple[str, ...]], ...] = ()
    split: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    writing: Writing = "corners"
    sizes: tuple[tuple[float, float], ...] = ()

    @property
    def right(self) -> str:
        """The boxes as they should be written."""
        return self._write(self.boxes)

    @property
    def choices(self) -> tuple[str, ...]:
        """None: boxes cannot be listed."""
        return ()

    @property
    def groups(self) -> dict[str, str]:
        """The split, and what the dataset says of the example."""
        return {"split": self.split or "all", **self.facts}

    def judge(self, text: str | None) -> Judgement:
        """Judge the boxes in an answer."""
        if text is None:
            return Judgement("unanswered", self._measures([]))
        try:
            given = self._read(text)
        except Unparsable as fault:
            return Judgement("unparsable", self._measures([]), fault=str(fault))
        measures = self._measures(given)
        is_right = bool(measures["right"]) if given else not self.boxes
        measures["right"] = float(is_right)
        misreadings = () if is_right else self._misreadings_of(given)
        return Judgement("right" if is_right else "wrong", measures, said=self._write(given), misreadings=misreadings)

    def _write(self, boxes: Iterable[Region]) -> str:
        is_many = self.images > 1
        told = (write_box(box, self.space, place if is_many else None, writing=self.writing) for place, box in boxes)
        return "; ".join(told) or NOT_THERE

    def _read(self, text: str) -> list[Region]:
        """Return the boxes of an answer, in images counted from 0."""
        regions = []
        for image, edges in parse_boxes(text, writing=self.writing):
            if image is None and self.images > 1:
                raise Unparsable("a box without the number of its image")
            place = 0 if image is None or self.images == 1 else image - 1
            if not 0 <= place < self.images:
                raise Unparsable("an image that was not shown")
            if not self._is_in_space(place, edges):
                raise Unparsable(ANOTHER_SPACE)
            regions.append(Region(place, Box(*edges)))
        return regions

    def _is_in_space(self, image: int, edges: tuple[float, float, float, float]) -> bool:
        """Whether four numbers can be of the space that is asked for."""
        whole = SPACES[self.space]
        size = (whole, whole) if whole else self.sizes[image] if self.sizes else (0.0, 0.0)
        is_within = all(not side or edge <= SURPLUS * side for edge, side in zip(edges[2:], size, strict=True))
        return is_within and (self.space == "share" or max(edges) > 1)

    def _measures(self, given: list[Region]) -> dict[str, float]:
        """The measures of boxes; those of overlap are not defined where nothing fits."""
        if not self.boxes:
            return {"right": 0.0, "IoU": float("nan"), "center": float("nan")}
        values = [value for _, _, value in pair_regions(given, self.boxes)]
        most = max(len(given), len(self.boxes))
        hits = len(given) == 1 and any(
            one.image == given[0].image and one.box.holds(*given[0].box.center) for one in self.boxes
        )
        is_right = len(values) == most and min(values) >= ENOUGH
        return {"right": float(is_right), "IoU": sum(values) / most, "center": float(hits)}

    def _misreadings_of(self, given: list[Region]) -> tuple[str, ...]:
        """Return the misreadings that lead to the candidate that the only box of an answer overlaps best."""
        if not given:
            return (f"said {NOT_THERE}",)
        if len(given) > 1:
            return ()
        best, misreadings = 0.0, ()  # type: tuple[float, tuple[str, ...]]
        for region, names in self.candidates:
            value = overlap(region.box, given[0].box) if region.image == given[0].image else 0.0
            if value > best:
                best, misreadings = value, names
        return misreadings

    def to_plain(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "text": self.text,
            "boxes": [[image, *box] for image, box in self.boxes],
            "space": self.space,
            "images": self.images,
            "candidates": [[image, *box, list(misreadings)] for (image, box), misreadings in self.candidates],
            "split": self.split,
            "facts": dict(self.facts),
            **({"writing": self.writing} if self.writing != "corners" else {}),
            **({"sizes": [list(size) for size in self.sizes]} if self.sizes else {}),
        }

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> BoxGold:
        """Return the gold of a line of JSON, or raise `BrokenDataset` if it is none."""
        try:
            if values["space"] not in SPACES:
                raise BrokenDataset(f"there is no space {str(values['space'])[:40]!r}")
            writing = values.get("writing", "corners")
            if writing not in WRITINGS:
                raise BrokenDataset(f"boxes are not written as {str(writing)[:40]!r}")
            images = values["images"]
            if type(images) is not int or images < 1:
                raise BrokenDataset(f"{str(images)[:40]!r} images are shown")
            return cls(
                text=str(values["text"]),
                boxes=tuple(_region(one, images) for one in values["boxes"]),
                space=values["space"],
                images=images,
                candidates=tuple((_region(one[:5], images), tuple(map(str, one[5]))) for one in values["candidates"]),
                split=str(values["split"]),
                facts={str(name): str(value) for name, value in values["facts"].items()},
                writing=writing,
                sizes=_sizes(values.get("sizes", []), images),
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise BrokenDataset(f"these are no boxes: {error}") from error


def _sizes(values: Any, images: int) -> tuple[tuple[float, float], ...]:
    found = tuple((float(width), float(height)) for width, height in values)
    if found and (len(found) != images or not all(0 < side < LARGEST for size in found for side in size)):
        raise SchemaError(f"{len(found)} sizes of {images} images")
    return found


def _region(values: Any, images: int) -> Region:
    image, *edges = values
    if type(image) is not int or not 0 <= image < images:
        raise SchemaError(f"image {str(image)[:40]!r} of {images}")
    return Region(image, box_from(edges))
