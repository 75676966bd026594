"""The forms in which models write boxes: a space, and an order of the four edges.

| answer | a box | models that are trained to write it so |
|---|---|---|
| `pixels` | `[left, top, right, bottom]` in pixels | Qwen2.5-VL |
| `share` | `[left, top, right, bottom]` from 0 to 1 | Shikra |
| `0..1000` | `[left, top, right, bottom]` in thousandths | Qwen-VL, Qwen2-VL, Qwen3-VL, InternVL, CogVLM |
| `box_2d` | `[top, left, bottom, right]` in thousandths | Gemini |
| `loc` | `<loc0100><loc0050><loc0400><loc0200>`: top, left, bottom, right in 1024ths | PaliGemma |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.judge.boxes import Box, overlap
from deixis.prompts.answers import TOKENS_PER_SIDE


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.judge.boxes import Space


Writing: TypeAlias = Literal["corners", "box_2d", "loc"]
DIGITS: Mapping[Space, int] = {"share": 4}  # that coordinates are written with, others with one
FAITHFUL = 0.95  # overlap of a rounded box with itself; one that loses more is written with all digits


class BoxForm(NamedTuple):
    """A form in which boxes are written.

    Attributes:
        space: the space of the four numbers.
        told: what a prompt says of it.
        writing: the order of the edges, and how they are marked.
    """

    space: Space
    told: str
    writing: Writing = "corners"


CORNERS = "as [left, top, right, bottom], "
FORMS: Mapping[str, BoxForm] = {
    "pixels": BoxForm("pixels", CORNERS + "in pixels of the image"),
    "share": BoxForm("share", CORNERS + "as shares of the width and height of the image, from 0 to 1"),
    "0..1000": BoxForm("0..1000", CORNERS + "in thousandths of the width and height of the image, from 0 to 1000"),
    "box_2d": BoxForm(
        "0..1000",
        "as [top, left, bottom, right], in thousandths of the height and width of the image, from 0 to 1000",
        "box_2d",
    ),
    "loc": BoxForm(
        "share",
        "as four location tokens of four digits: top, left, bottom and right edge in 1024ths of the height and width "
        "of the image, from <loc0000> to <loc1023>",
        "loc",
    ),
}
OWN = "box"  # an answer in the space in which the dataset has its boxes
BOX_ANSWERS = (OWN, *FORMS)
"""The kinds of answers that are boxes."""
EXAMPLE = Box(0.05, 0.1, 0.4, 0.75)  # in shares
EXAMPLE_PIXELS = Box(40, 25, 210, 180)


def ask_for_box(form: str, *, has_several: bool = True, may_be_none: bool = True, may_be_many: bool = True) -> str:
    """Return the words that ask for a box.

    Args:
        form: one of `FORMS`.
        has_several: whether several images are shown.
        may_be_none: whether it can be answered that nothing fits.
        may_be_many: whether several things may fit.
    """
    space, told, writing = FORMS[form]
    example = EXAMPLE_PIXELS if space == "pixels" else EXAMPLE.convert("share", space, (0, 0))
    box = write_box(example, space, writing=writing)
    said = (
        f"Find what the expression describes. Give its bounding box {told}. You may think first. End with one line "
        f"that gives the box, for example:\nAnswer: {box}"
    )
    if has_several:
        said += (
            f"\nWhere there are several images, name the number of the image before the box:\nAnswer: image 2: {box}"
        )
    if may_be_many:
        said += "\nWhere several things fit, give all their boxes in this line, with a semicolon between them."
    if may_be_none:
        said += f"{' ' if may_be_many else chr(10)}Where nothing fits:\nAnswer: not there"
    return said


def write_box(box: Box, space: Space, image: int | None = None, *, writing: Writing = "corners") -> str:
    """Write a box as an answer has it, with as many digits as it takes to find it again.

    Args:
        box: where it is.
        space: how it is written; of location tokens, `share`.
        image: the number of its image from 0, where several are shown.
        writing: the order of the edges.
    """
    written = _tokens(box) if writing == "loc" else _brackets(box, space, is_top_first=writing == "box_2d")
    return written if image is None else f"image {image + 1}: {written}"


def _brackets(box: Box, space: Space, *, is_top_first: bool) -> str:
    digits = DIGITS.get(space, 1)
    left, top, right, bottom = (round(edge, digits) + 0.0 for edge in box)
    if overlap(Box(left, top, right, bottom), box) < FAITHFUL:
        left, top, right, bottom = box
    order = (top, left, bottom, right) if is_top_first else (left, top, right, bottom)
    return f"[{', '.join(repr(float(edge)).removesuffix('.0') for edge in order)}]"


def _tokens(box: Box) -> str:
    """Write a box as location tokens; edges lie between tokens, so a box has at least one token a side."""
    edges = [
        min(max(round(edge * TOKENS_PER_SIDE), 0), TOKENS_PER_SIDE - 1)
        for edge in (box.top, box.left, box.bottom, box.right)
    ]
    for low, high in ((0, 2), (1, 3)):
        if edges[low] == edges[high]:
            edges[low], edges[high] = (edges[low] - 1, edges[high]) if edges[high] else (0, 1)
    return "".join(f"<loc{edge:04d}>" for edge in edges)
