"""Answers with boxes: the files that they come in, and the space in which each of their boxes is written.

Our own are lines of JSON with the id of the example and one of these:

    {"id": 12, "box": [10, 20, 110, 220], "space": "pixels"}
    {"id": 12, "boxes": [[10, 20, 110, 220], [5, 5, 9, 9]], "image": 1, "space": "pixels"}
    {"id": 12, "boxes": [{"image": 0, "box": [0.1, 0.2, 0.3, 0.4]}], "space": "share"}
    {"id": 12, "object": 3}
    {"id": 12, "annotation": 298801}
    {"id": 12, "box": "none"}

`expression` may repeat what was asked; an answer to another expression than that of its example is left out. `image`
counts from 0; where only one image is shown it may be left out. `object` is the number of a candidate, from 0, with
`image` where several images have some; `annotation` is the number that the dataset itself has for it. `none` and an
empty list say that nothing fits. `width` and `height` say how large the image is, where boxes are in pixels and the
dataset does not say it. Of two other formats the space is known: predictions of Ref-Adv's evaluation
(`pred_box_xyxy_first`) and results of Google Refexp (`predicted_bounding_boxes`) are in pixels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset, SchemaError
from deixis.judge._results import answer_lines
from deixis.judge.boxes import LARGEST, SPACES, Box, Space, box_from, overlap
from deixis.judge.request import says_none
from deixis.readers.files import head_of, json_items


if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

    from deixis._losses import Losses
    from deixis.readers.reader import ReadExample


REFEXP, REF_ADV = "predicted_bounding_boxes", "pred_box_xyxy_first"
NO_BOX = "the run that wrote the predictions found no box in what the model said"
CLOSE = 1e-3  # by which two figures of one overlap may differ
ANNOTATIONS = ("annotation", "annotation_id", "ann_id")
MOST_BOXES = 1000  # of one answer; more are none


class GivenBox(NamedTuple):
    """A box of an answer, in the space in which it is written.

    Attributes:
        image: the number of the image that it is in; None where the answer does not say.
        box: where it is.
        space: how it is written.
    """

    image: int | str | None
    box: Box
    space: Space


class BoxAnswer(NamedTuple):
    """An answer to the example of an id.

    Attributes:
        id: of the example.
        boxes: what was answered; empty for "nothing fits", None where it cannot be understood.
        object: the number of the candidate that was answered, where that is the answer.
        image: the image of that candidate.
        annotation: what the dataset calls the candidate, where that is the answer.
        numbers: of the only box, as they are written, also where they make no box; none where there is no such box.
        space: in which they are declared.
        problem: why it cannot be understood, in words that are the same for all answers of a kind.
        size: of the image, where the answer says it.
        text: the expression that is answered, where the answer repeats it.
    """

    id: str
    boxes: tuple[GivenBox, ...] | None = None
    object: int | None = None
    image: int | str | None = None
    size: tuple[float, float] = (0.0, 0.0)
    text: str = ""
    annotation: int | str | None = None
    numbers: tuple[float, ...] = ()
    space: Space = "pixels"
    problem: str = ""

    @property
    def is_none(self) -> bool:
        """Whether it says that nothing fits."""
        return self.boxes == () and self.object is None and self.annotation is None


class AnswerFile:
    """The answers in a file, and what in them contradicts itself.

    Args:
        path: JSON Lines, or a JSON list.
        space: that of all boxes, where the lines do not say it.
        losses: lines without an id are counted here.
        contradictions: boxes that cannot be in the space that is declared, by what is wrong; they count as declared.
    """

    def __init__(self, path: Path, *, space: Space | None, losses: Losses, contradictions: Counter[str]) -> None:
        self.path, self.space = path, space
        self.losses, self.contradictions = losses, contradictions

    def __iter__(self) -> Iterator[BoxAnswer]:
        """Yield the answers in their order, or raise `BrokenDataset` where there are none or a space is missing."""
        seen = False
        for number, values in enumerate(_values_in(self.path), start=1):
            seen = True
            name = _id_of(values)
            if name is None:
                self.losses.see()
                self.losses.leave_out("a line has no 'id'")
                continue
            yield self._answer(number, name, values)._replace(text=_text_of(values))
        if not seen:
            raise BrokenDataset(f"{self.path} holds no answers")

    def _answer(self, number: int, name: str, values: dict[str, Any]) -> BoxAnswer:
        numbers: tuple[float, ...] = ()
        size = (0.0, 0.0)
        try:
            if REF_ADV in values:
                boxes = self._ref_adv(values)
                return BoxAnswer(name, boxes, problem="" if boxes else NO_BOX)
            if REFEXP in values:
                return BoxAnswer(name, self._refexp(values))
            if type(values.get("object")) is int:
                return BoxAnswer(name, (), values["object"], _image_of(values))
            if (annotation := _annotation_of(values)) is not None:
                return BoxAnswer(name, (), annotation=annotation)
            size = _size_of(values)
            numbers = _numbers_of(values)
            given = list(_boxes_of(values))
        except SchemaError as error:
            space = self._space_of(number, values) if numbers else "pixels"
            return BoxAnswer(name, size=size, numbers=numbers, space=space, problem=_problem_of(values, error))
        space = self._space_of(number, values) if given else "pixels"
        found = tuple(GivenBox(image, box, space) for image, box in given)
        for one in found:
            self._compare(one)
        return BoxAnswer(name, found, size=size, numbers=numbers, space=space)

    def _space_of(self, number: int, values: dict[str, Any]) -> Space:
        told = values.get("space", self.space)
        if not isinstance(told, str) or told not in SPACES:
            problem = "do not say their space" if told is None else f"are in the space {str(told)[:40]!r}"
            raise BrokenDataset(
                f"{self.path}, answer {number}: its boxes {problem}; declare it with --space {' or '.join(SPACES)} "
                'or by "space" in the answer'
            )
        if self.space is not None and told != self.space:
            self.contradictions[f"a line says {told}, --space says {self.space}; the line counts"] += 1
        return told

    def _compare(self, given: GivenBox) -> None:
        """Count a box whose numbers are not of its space."""
        whole, most = SPACES[given.space], max(given.box)
        if whole and most > whole * 1.001:
            self.contradictions[f"a box in {given.space} has numbers above {whole:g}"] += 1
        elif given.space != "share" and most <= 1:
            self.contradictions[f"a box in {given.space} has no number above 1"] += 1

    def _ref_adv(self, values: dict[str, Any]) -> tuple[GivenBox, ...] | None:
        """A prediction of Ref-Adv's evaluation, compared with the overlap that it says of itself."""
        if not values[REF_ADV]:
            return None  # the run itself found no box in what the model said
        box, said = box_from(values[REF_ADV]), values.get("first_iou")
        right = values.get("gt_bbox_xyxy")
        is_told = isinstance(right, list) and len(right) == 4
        if isinstance(said, float | int) and is_told and abs(overlap(box, box_from(right)) - said) > CLOSE:
            self.contradictions["first_iou is not the overlap of the two boxes in pixels"] += 1
        return (GivenBox(None, box, self._note_space("pixels")),)

    def _refexp(self, values: dict[str, Any]) -> tuple[GivenBox, ...] | None:
        """The first box of a result of Google Refexp, in which boxes stand in the order of confidence."""
        given = values[REFEXP]
        if not isinstance(given, list) or not given:
            return None
        return (GivenBox(None, box_from(given[0], form="xywh"), self._note_space("pixels")),)

    def _note_space(self, space: Space) -> Space:
        if self.space is not None and self.space != space:
            self.contradictions[f"--space says {self.space}, but this format is in {space}, which counts"] += 1
        return space


def to_example(given: GivenBox, example: ReadExample, size: tuple[float, float] = (0.0, 0.0)) -> tuple[int, Box]:
    """Return the number of the image and the box in the space of an example.

    Raises:
        SchemaError: when there is no such image, or its size is needed and not known.
    """
    image = _number_of(given.image, example)
    known = example.images[image]
    width, height = (known.width, known.height) if known.width and known.height else size
    return image, given.box.convert(given.space, example.space, (width, height))


def _number_of(image: int | str | None, example: ReadExample) -> int:
    if isinstance(image, str):
        names = [one.name for one in example.images]
        found = [k for k, name in enumerate(names) if image in (name, name.rsplit("/", 1)[-1])]
        image = found[0] if len(found) == 1 else -1
    if image is None:
        image = 0 if len(example.images) == 1 else -1
    if not 0 <= image < len(example.images):
        raise SchemaError("there is no such image")
    return image


def _values_in(path: Path) -> Iterator[Any]:
    """Yield the entries of a JSON list, or the values of the lines of a file, None for a line that is no JSON."""
    if head_of(path, 64).lstrip()[:1] == "[":
        yield from json_items(path)
        return
    yield from answer_lines(path)


def _id_of(values: Any) -> str | None:
    """Return the id of an answer, under the name that its format has for it."""
    if not isinstance(values, dict):
        return None
    if REFEXP in values and "refexp_id" in values:
        return f"{values.get('annotation_id')}-{values['refexp_id']}"
    for key in ("row_idx", "id") if REF_ADV in values else ("id",):
        if isinstance(name := values.get(key), int | str) and not isinstance(name, bool):
            return str(name)
    return None


def _annotation_of(values: dict[str, Any]) -> int | str | None:
    """Return the number of a candidate in the dataset, or None where the answer is another."""
    if "box" in values or "boxes" in values:
        return None
    given = (values[key] for key in ANNOTATIONS if key in values)
    return next((one for one in given if isinstance(one, int | str) and not isinstance(one, bool)), None)


def _text_of(values: dict[str, Any]) -> str:
    """Return the expression that an answer repeats, or an empty text."""
    key = "normal_caption" if REF_ADV in values else "refexp" if REFEXP in values else "expression"
    text = values.get(key)
    return text.strip() if isinstance(text, str) else ""


def _image_of(values: dict[str, Any]) -> int | str | None:
    image = values.get("image", values.get("scene"))
    if image is None or type(image) is int or isinstance(image, str):
        return image
    raise SchemaError("an image is a number or a name")


def _boxes_of(values: dict[str, Any]) -> Iterator[tuple[int | str | None, Box]]:
    """Yield the boxes of an answer with their images; none where it says that nothing fits."""
    own = _image_of(values)
    if "boxes" in values and "box" not in values:
        given = values["boxes"]
    elif "box" in values and "boxes" not in values:
        given = [values["box"]]
    else:
        raise SchemaError("an answer has a box or boxes")
    if says_none(given) or (isinstance(given, list) and len(given) == 1 and says_none(given[0])):
        return
    if not isinstance(given, list) or len(given) > MOST_BOXES:
        raise SchemaError("boxes are a list")
    for one in given:
        if isinstance(one, dict):
            yield _image_of({"image": own} | one), box_from(one.get("box"))
        else:
            yield own, box_from(one)


def _numbers_of(values: dict[str, Any]) -> tuple[float, ...]:
    """Return the four numbers of the only box of an answer, also where they make no box."""
    boxes = values.get("boxes", [values.get("box")])
    only = boxes[0] if isinstance(boxes, list) and len(boxes) == 1 else None
    only = only.get("box") if isinstance(only, dict) else only
    if not isinstance(only, list) or len(only) != 4:
        return ()
    is_plain = all(type(one) in (int, float) and abs(one) < LARGEST for one in only)
    return tuple(map(float, only)) if is_plain else ()


def _problem_of(values: dict[str, Any], error: SchemaError) -> str:
    """Return why an answer cannot be understood, without its numbers."""
    if REF_ADV not in values and REFEXP not in values and "box" not in values and "boxes" not in values:
        found = "'bbox' does not say whether it is two corners" if "bbox" in values else "it has no 'box' or 'boxes'"
        return f"{found}; write two corners as 'box': [left, top, right, bottom]"
    if "no area" in str(error):
        return "a box has no area: its edges are the same, or turned round"
    return "a box is no list of four numbers" if "four numbers" in str(error) else str(error)[:80]


def _size_of(values: dict[str, Any]) -> tuple[float, float]:
    width, height = values.get("width", 0), values.get("height", 0)
    if all(type(side) in (int, float) and 0 < side < LARGEST for side in (width, height)):
        return float(width), float(height)
    return 0.0, 0.0
