"""Other ways to read the numbers of answers: told where they would fit much better, and never taken.

Boxes are judged as they are declared. Where two corners are declared and the numbers are a corner with width and
height, or where they are in another space, most answers are wrong without any sign of it. So the overlap is worked
out for each other reading, too, and that of the best is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from deixis.errors import SchemaError
from deixis.judge.boxes import SPACES, Space, box_from, overlap


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.readers._box_answers import BoxAnswer
    from deixis.readers.reader import ReadExample


Form = Literal["xyxy", "xywh"]
MARGIN = 0.1  # of the mean overlap, by which another reading has to be better
ENOUGH = 0.5  # a mean overlap below this is no sign of anything
FEWEST = 3  # answers that a comparison takes
FORMS: dict[Form, str] = {"xyxy": "two corners", "xywh": "left, top, width, height"}


def best_reading(examples: Sequence[ReadExample], answers: Sequence[BoxAnswer | None]) -> dict[str, Any] | None:
    """Return how answers would fit much better than as they are declared, or None where they would not.

    Only answers of one box in four numbers count, to examples with one right box in the only image.
    """
    pairs = [
        (one, answer) for one, answer in zip(examples, answers, strict=True) if answer and _is_counted(one, answer)
    ]
    if len(pairs) < FEWEST:
        return None
    declared = sum(_overlap(*pair, "xyxy", pair[1].space) for pair in pairs) / len(pairs)
    spaces = {answer.space for _, answer in pairs}
    others = [(form, space) for form in FORMS for space in SPACES if form != "xyxy" or spaces != {space}]
    found = [sum(_overlap(*pair, *other) for pair in pairs) / len(pairs) for other in others]
    best = max(found)
    form, space = others[found.index(best)]
    if best < max(ENOUGH, declared + MARGIN):
        return None
    return {"form": form, "space": space, "mean_iou": best, "declared_mean_iou": declared, "answers": len(pairs)}


def tell_reading(found: dict[str, Any]) -> str:
    """Say it in a line."""
    return (
        f"Read as {FORMS[found['form']]} in {found['space']}, {found['answers']:,} answers would overlap the right "
        f"boxes by {found['mean_iou']:.1%} instead of {found['declared_mean_iou']:.1%}; they count as declared"
    )


def _is_counted(example: ReadExample, answer: BoxAnswer) -> bool:
    return bool(answer.numbers) and len(example.boxes) == 1 and len(example.images) == 1


def _overlap(example: ReadExample, answer: BoxAnswer, form: Form, space: Space) -> float:
    image = example.images[0]
    size = (image.width, image.height) if image.width and image.height else answer.size
    try:
        box = box_from(list(answer.numbers), form=form).convert(space, example.space, size)
    except SchemaError:
        return 0.0
    return overlap(box, example.boxes[0].box)
