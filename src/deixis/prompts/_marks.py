"""Numbers on the objects of a picture: a frame around every object, and its number in a corner of it or beside it."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, TypeAlias


if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    from deixis.judge.boxes import Box

    Edges: TypeAlias = tuple[float, float, float, float]


COLORS = (
    "#B00020",
    "#00539C",
    "#1B6B2F",
    "#7A3E00",
    "#5B1A8B",
    "#005F66",
)  # of frames; white numbers are legible on all
ROOM = 4  # times the area of its number: smaller frames have it beside them
LARGE = 800  # pixels; smaller pictures are drawn twice as large


def number_objects(picture: Image | bytes, boxes: Sequence[Box | None], numbers: Sequence[int]) -> bytes:
    """Return a picture as PNG, with a numbered frame around every object; small ones are drawn last.

    Args:
        picture: an image, or a PNG of our own; small ones are drawn twice as large.
        boxes: of the objects, in its pixels; None of one that is not seen.
        numbers: of the objects.
    """
    from PIL import Image, ImageDraw

    if isinstance(picture, bytes):
        picture = Image.open(BytesIO(picture)).convert("RGB")
    scale = 2 if max(picture.size) < LARGE else 1
    picture = picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.LANCZOS)
    pen = ImageDraw.Draw(picture)
    known = {place: box.scale(scale, scale) for place, box in enumerate(boxes) if box is not None}
    order = sorted(known, key=lambda place: (-known[place].area, place))
    for place in order:
        left, top, right, bottom = known[place]
        inner = (left, top, min(right, picture.width - 1), min(bottom, picture.height - 1))
        pen.rectangle(_order_corners(inner), outline=COLORS[place % len(COLORS)], width=3)
    taken: list[Edges] = []
    for place in reversed(order):  # numbers of small things are placed first: they have the least room
        _number(pen, known[place], str(numbers[place]), COLORS[place % len(COLORS)], taken, picture.size)
    out = BytesIO()
    picture.save(out, "PNG", compress_level=6)
    return out.getvalue()


def _order_corners(box: Edges) -> Edges:
    left, top, right, bottom = box
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)


def _number(
    pen: ImageDraw,
    box: Edges,
    text: str,
    color: str,
    taken: list[Edges],
    size: tuple[int, int],
) -> None:
    """A number in a corner of its frame, or beside a small one: the first place that no other number lies on."""
    from PIL import ImageFont

    font = ImageFont.load_default(20)
    wide, high = pen.textlength(text, font=font) + 8, 24
    left, top, right, bottom = box
    corners = [(left, top), (right - wide, top), (left, bottom - high), (right - wide, bottom - high)]
    corners += [(left, (top + bottom - high) / 2), (right - wide, (top + bottom - high) / 2)]
    if (right - left) * (bottom - top) < ROOM * wide * high:  # a number inside would hide what it is about
        corners = [(left, top - high), (left - wide, top), (right, top), (left, bottom), *corners]
    places = [
        (x, y, x + wide, y + high)
        for x, y in (
            (min(max(x, 0), max(size[0] - wide, 0)), min(max(y, 0), max(size[1] - high, 0))) for x, y in corners
        )
    ]
    free = (place for place in places if not any(_overlap(place, other) for other in taken))
    place = next(free, places[0])
    taken.append(place)
    pen.rectangle(place, fill=color)
    pen.text((place[0] + 4, place[1] + 1), text, fill="white", font=font)


def _overlap(one: Edges, other: Edges) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
