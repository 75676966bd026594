"""The right answer to a question for boxes, and the judgement on the answer of a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset, SchemaError
from deixis.judge.boxes import LADDER, SPACES, Box, Region, Space, box_from, overlap, pair_regions
from deixis.prompts.answers import NOT_THERE, Unparsable, parse_boxes
from deixis.prompts.question import Judgement


if TYPE_CHECKING:
    from collections.abc import Mapping


ENOUGH = LADDER[0]
SURPLUS = 1.05  # times the whole: numbers up to it are of boxes that reach out, larger ones of another space
DIGITS = {"share": 4}  # that coordinates are written with, others with one
FAITHFUL = 0.95  # overlap of a rounded box with itself; one that loses more is written with all digits
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
    """

    text: str
    boxes: tuple[Region, ...]
    space: Space
    images: int = 1
    candidates: tuple[tuple[Region, tuple[str, ...]], ...] = ()
    split: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def right(self) -> str:
        """The boxes as they should be written."""
        told = (write_box(one.box, self.space, one.image if self.images > 1 else None) for one in self.boxes)
        return "; ".join(told) or NOT_THERE

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
        said = "; ".join(write_box(one.box, self.space, one.image if self.images > 1 else None) for one in given)
        measures = self._measures(given)
        is_right = bool(measures["right"]) if given else not self.boxes
        measures["right"] = float(is_right)
        misreadings = () if is_right else self._misreadings_of(given)
        return Judgement("right" if is_right else "wrong", measures, said=said or NOT_THERE, misreadings=misreadings)

    def _read(self, text: str) -> list[Region]:
        """Return the boxes of an answer, in images counted from 0."""
        regions = []
        for image, edges in parse_boxes(text):
            if image is None and self.images > 1:
                raise Unparsable("a box without the number of its image")
            place = 0 if image is None or self.images == 1 else image - 1
            if not 0 <= place < self.images:
                raise Unparsable("an image that was not shown")
            whole, most = SPACES[self.space], max(edges)
            if (whole and most > SURPLUS * whole) or (self.space != "share" and most <= 1):
                raise Unparsable(ANOTHER_SPACE)
            regions.append(Region(place, Box(*edges)))
        return regions

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
        }

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> BoxGold:
        """Return the gold of a line of JSON, or raise `BrokenDataset` if it is none."""
        try:
            if values["space"] not in SPACES:
                raise BrokenDataset(f"there is no space {str(values['space'])[:40]!r}")
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
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise BrokenDataset(f"these are no boxes: {error}") from error


def _region(values: Any, images: int) -> Region:
    image, *edges = values
    if type(image) is not int or not 0 <= image < images:
        raise SchemaError(f"image {str(image)[:40]!r} of {images}")
    return Region(image, box_from(edges))


def write_box(box: Box, space: Space, image: int | None = None) -> str:
    """Write a box as an answer has it, with as many digits as it takes to find it again.

    Args:
        box: where it is.
        space: how it is written.
        image: the number of its image from 0, where several are shown.
    """
    digits = DIGITS.get(space, 1)
    short = [round(edge, digits) + 0.0 for edge in box]
    if overlap(Box(*short), box) < FAITHFUL:
        short = list(box)
    edges = f"[{', '.join(repr(float(edge)).removesuffix('.0') for edge in short)}]"
    return edges if image is None else f"image {image + 1}: {edges}"
