"""The localise task: an expression and several images, answered by the target object (Cops-Ref, section 3.5).

An example knows its images by kind, so that it can be posed in six settings: with all of its distractor images, with
those of one kind, or with none. Every object of the images shown is a candidate. An expression that fits nothing in any
image is an example, too; the right answer to it is that it is *not there*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis._deprecation import deprecate
from deixis._numbers import is_number
from deixis.errors import SchemaError
from deixis.scene.scene import Context, Where
from deixis.worlds.photos._kept_scenes import scene_in
from deixis.worlds.photos._misreadings import ALL_KINDS, DistractorKind, decode_misreading
from deixis.worlds.photos._wants import MARK, as_misreading, decode_wants
from deixis.worlds.photos.scene.graph import Box


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.description import Expression
    from deixis.worlds.photos._wants import Want
    from deixis.worlds.photos.data._photographs import Photographs
    from deixis.worlds.photos.scene.graph_table import GraphTable


__all__ = [
    "FORMS",
    "LENGTHS",
    "SETTINGS",
    "SPACES",
    "Answer",
    "DistractorImage",
    "Example",
    "Setting",
    "Space",
    "in_pixels",
    "intersection_over_union",
    "length_of",
    "match_box",
]

Setting: TypeAlias = Literal["Full", "DiffCat", "Cat", "Cat&attr", "Cat&cat", "WithoutDist"]
SETTINGS: tuple[Setting, ...] = ("Full", "DiffCat", "Cat", "Cat&attr", "Cat&cat", "WithoutDist")
Space: TypeAlias = Literal["xywh", "xyxy", "xywh-normalised", "xyxy-normalised"]
SPACES: tuple[Space, ...] = ("xywh", "xyxy", "xywh-normalised", "xyxy-normalised")
FORMS = ("chain", "and", "or", "order", "same", "not")
LENGTHS = ("short", "middle", "long")  # below 10 words, 10 to 20, above 20
OVERLAP = 0.5  # from which on two boxes are of one object


@dataclass(frozen=True, slots=True)
class DistractorImage:
    """An image that is shown beside the right one.

    Attributes:
        kind: why it is there.
        image_id: which image.
        object_id: the object in it that tempts a careless reader; empty where there is none.
        misreading: what such a reader misses, see `encode_misreading`; empty where hearing the noun is enough. In the
            mode every-word all wants that the image serves, see `encode_wants`.
    """

    kind: DistractorKind
    image_id: str
    object_id: str = ""
    misreading: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ALL_KINDS:
            raise SchemaError(f"unknown kind {self.kind!r}; known: {', '.join(ALL_KINDS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One expression with the image it is about, its target and its distractor images.

    Attributes:
        id: a number of its own within the dataset.
        text: what is said.
        expression: what it means; None where a file does not say and nobody has read it.
        form: the form that it is filed under, one of `FORMS`.
        forms: all forms that it makes use of.
        image_id, object_id: the target; an example without a target has no object id.
        distractors: the other images.
        split: where it belongs.
        change: for an expression that fits nothing, what was changed in one that does: `attribute`, `relation`,
            `noun` or `swap`.
        changed: the change in words, e.g. `red → blue`.
        changed_id: the example whose expression was changed.
        graphs: the scenes of all images of its dataset, where it was read from one.
        photographs: the pictures of its dataset, likewise.
    """

    id: int
    text: str
    expression: Expression | None
    form: str
    image_id: str
    object_id: str
    distractors: tuple[DistractorImage, ...] = ()
    split: str = ""
    forms: tuple[str, ...] = ()
    change: str = ""
    changed: str = ""
    changed_id: int | None = None
    graphs: GraphTable | None = field(default=None, compare=False, repr=False)
    photographs: Photographs | None = field(default=None, compare=False, repr=False)

    @property
    def is_there(self) -> bool:
        """True if the expression fits anything in the images at all."""
        return bool(self.object_id)

    @property
    def length(self) -> str:
        """Length class of the text: short, middle or long."""
        return length_of(self.text)

    def images(self, setting: Setting = "Full") -> tuple[str, ...]:
        """Return the ids of the images shown in a setting, the right one first, each once."""
        if setting not in SETTINGS:
            raise SchemaError(f"unknown setting {setting!r}; known: {', '.join(SETTINGS)}")
        beside = (d.image_id for d in self.distractors if setting in ("Full", d.kind))
        return tuple(dict.fromkeys((self.image_id, *beside)))

    def kinds_of(self, image_id: str) -> tuple[DistractorKind, ...]:
        """Return the kinds of distractor that an image serves as."""
        return tuple(dict.fromkeys(d.kind for d in self.distractors if d.image_id == image_id))

    def scenes(self, table: GraphTable, setting: Setting = "Full") -> list[int]:
        """Return the numbers of the images in a table."""
        return [table.find(image_id) for image_id in self.images(setting)]

    def candidates(self, table: GraphTable, setting: Setting = "Full") -> int:
        """Count the objects to choose from."""
        numbers = np.array(self.scenes(table, setting))
        return int((table.scene_ptr[numbers + 1] - table.scene_ptr[numbers]).sum())

    @property
    def context(self) -> Context:
        """The scenes of all its images, with the target.

        Raises `SchemaError` where it has none or no dataset is behind it.
        """
        if self.graphs is None:
            raise SchemaError(f"example {self.id} was read without the scenes of its images")
        return self.context_in(self.graphs)

    @property
    def answer(self) -> str | None:
        """The id of the object that is meant, or None where nothing fits."""
        return self.object_id or None

    def context_in(self, table: GraphTable, setting: Setting = "Full") -> Context:
        """Return the scenes of the images shown in a setting, with the target, or raise an error if there is none."""
        if not self.is_there:
            raise SchemaError(f"example {self.id} is about something that is not there, so it has no target")
        scenes = tuple(scene_in(table, number) for number in self.scenes(table, setting))
        return Context(scenes, Where(0, scenes[0].object_number(self.object_id)))

    def misreading_of(self, distractor: DistractorImage) -> PlannedMisreading | None:
        """Return the misreading that an image punishes, if any."""
        if self.expression is None:
            return None
        if distractor.misreading.startswith(MARK):
            return as_misreading(self.wants_served_by(distractor)[0])
        return decode_misreading(distractor.misreading, self.expression)

    def wants_served_by(self, distractor: DistractorImage) -> tuple[Want, ...]:
        """Return the wants that an image is recorded to serve, which only those of every-word are."""
        return () if self.expression is None else decode_wants(distractor.misreading, self.expression)

    @deprecate("deixis.worlds.photos.localise:Example.misreading_of", since="0.3.0", until="0.5.0")
    def relaxation_of(self, distractor: DistractorImage) -> PlannedMisreading | None:
        """Return the misreading that an image punishes, if any."""
        return self.misreading_of(distractor)


class Answer(NamedTuple):
    """A model's answer to one example in one setting.

    Attributes:
        id: of the example.
        setting: the images that it was shown; None for an answer that holds in every setting, as scores do.
        image_id: the image it chose.
        object_id: the object, or empty where a box is given.
        box: in pixels as (x, y, width, height).
        is_absent: whether it says that what is described is not there.
        scores: of candidates, by image and object; the highest is the answer.
        fault: why the answer cannot be understood; empty where it can.
    """

    id: int
    setting: Setting | None = "Full"
    image_id: str = ""
    object_id: str = ""
    box: Box | None = None
    is_absent: bool = False
    scores: Mapping[tuple[str, str], float] | None = None
    fault: str = ""


def length_of(text: str) -> str:
    """Return the length class of a text: short (below 10 words), middle, or long (above 20)."""
    words = len(text.split())
    return LENGTHS[0] if words < 10 else LENGTHS[1] if words <= 20 else LENGTHS[2]


def in_pixels(numbers: Sequence[float], space: Space, *, width: float, height: float) -> Box:
    """Return a box in some coordinate space as (x, y, width, height) in pixels.

    Args:
        numbers: four of them.
        space: `xywh` (corner and size) or `xyxy` (two corners) in pixels, or the same `-normalised`: as shares of the
            width and height of the image.
        width: of the image, in pixels.
        height: of the image.

    Raises:
        SchemaError: when they are no box of that space. No other space is tried.
    """
    if space not in SPACES:
        raise SchemaError(f"unknown coordinate space {space!r}; known: {', '.join(SPACES)}")
    if len(numbers) != 4 or not all(map(is_number, numbers)):
        raise SchemaError(f"a box is four finite numbers, got {str(list(numbers))[:80]}")
    x, y, third, fourth = (float(number) for number in numbers)
    if space.endswith("-normalised"):
        if not all(-1 <= number <= 2 for number in (x, y, third, fourth)):
            raise SchemaError(f"{[x, y, third, fourth]} is far outside the image for a {space} box")
        x, third, y, fourth = x * width, third * width, y * height, fourth * height
    w, h = (third - x, fourth - y) if space.startswith("xyxy") else (third, fourth)
    if w < 0 or h < 0:
        raise SchemaError(f"as {space}, the box {list(numbers)} has a negative size")
    return Box(x, y, w, h)


def intersection_over_union(box: Box, boxes: np.ndarray) -> np.ndarray:
    """Return the intersection over union of a box with others: float64 [box].

    Shapes:
        boxes: numbers [box, 4] with x, y, width and height.
    """
    x, y, w, h = np.asarray(boxes, np.float64).reshape(-1, 4).T
    across = np.minimum(x + w, box.x + box.w) - np.maximum(x, box.x)
    down = np.minimum(y + h, box.y + box.h) - np.maximum(y, box.y)
    both = np.maximum(across, 0) * np.maximum(down, 0)
    either = w * h + box.area - both
    return np.divide(both, either, out=np.zeros_like(both), where=either > 0)


def match_box(box: Box, boxes: np.ndarray, *, overlap: float = OVERLAP) -> int | None:
    """Return the number of the object that a box stands for: the one with the best overlap, if it is large enough."""
    agreement = intersection_over_union(box, boxes)
    if not len(agreement) or agreement.max() < overlap:
        return None
    return int(agreement.argmax())
