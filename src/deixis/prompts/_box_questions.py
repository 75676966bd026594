"""Questions about pictures that are answered with a box, for any world that knows where its objects are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deixis.errors import SchemaError
from deixis.judge.boxes import Region
from deixis.prompts._box_forms import BOX_ANSWERS, FORMS, OWN
from deixis.prompts._box_gold import BoxGold
from deixis.prompts.question import GoldMessage, Message, Picture


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.judge.boxes import Box
    from deixis.prompts.question import Part, View


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxQuestion:
    """One question for a box.

    Attributes:
        text: what is said.
        ask: the line that asks for it.
        views: the pictures, in the order in which they are shown.
        target: the picture and the object in it that is meant; None where nothing fits.
        misreadings: for every picture and every object in it, those of a reader who takes it for the target.
        split: where the example belongs.
        facts: what else is known of it, by which results are told apart.
    """

    text: str
    ask: str
    views: tuple[View, ...]
    target: tuple[int, int] | None
    misreadings: tuple[tuple[tuple[str, ...], ...], ...]
    split: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


def is_box(answer: str | None) -> bool:
    """Return whether a kind of answer is a box."""
    return answer in BOX_ANSWERS


def form_of(answer: str) -> str:
    """Return the form of a kind of answer: of our own pictures, boxes are in pixels unless another is asked for."""
    return "pixels" if answer == OWN else answer


def pose_box(question: BoxQuestion, answer: str) -> GoldMessage:
    """Return the message that shows the pictures and asks for a box, with the right one.

    Raises:
        SchemaError: when what is meant is not seen.
    """
    form = FORMS[form_of(answer)]
    known = [
        (place, number, box)
        for place, view in enumerate(question.views)
        for number, box in enumerate(view.boxes)
        if box is not None
    ]

    def region(place: int, box: Box) -> Region:
        view = question.views[place]
        return Region(place, box.convert("pixels", form.space, (view.width, view.height)))

    boxes = tuple(region(place, box) for place, number, box in known if (place, number) == question.target)
    if question.target is not None and not boxes:
        raise SchemaError(f"what is meant by {question.text[:60]!r} is not seen in its picture")
    gold = BoxGold(
        text=question.text,
        boxes=boxes,
        space=form.space,
        images=len(question.views),
        candidates=tuple((region(place, box), question.misreadings[place][n]) for place, n, box in known),
        split=question.split,
        facts=question.facts,
        writing=form.writing,
        sizes=tuple((view.width, view.height) for view in question.views),
    )
    return GoldMessage(Message("user", (*show_views(question.views), question.ask)), gold)


def show_views(views: tuple[View, ...]) -> list[Part]:
    """Return pictures under their names and sizes."""
    parts: list[Part] = []
    for place, view in enumerate(views, start=1):
        name = "Image" if len(views) == 1 else f"Image {place}"
        parts += [f"{name} ({view.width} x {view.height} pixels):", Picture(view.png, name.lower())]
    return parts
