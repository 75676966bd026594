"""Part `pictures` of rooms: a room with its captions, or rooms side by side and what tells the first apart."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import RecipeError
from deixis.worlds.rooms.captions import captions, words_of
from deixis.worlds.rooms.every_word import EVERY_WORD
from deixis.worlds.rooms.judging._marked import NAMES
from deixis.worlds.rooms.scene import FACTORS, RoomScene
from deixis.worlds.world import ColorText


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PIL.Image import Image

    from deixis.worlds.rooms._examples import Example


formats = ("png",)
FEW = 4  # captions of each grammar shown in text
SMALL, LARGE = 32, 320  # pixels along one side, in a terminal and in a file
GAP = 16  # between two rooms in a file
LINE, MARGIN, FRAME = 22, 14, 5
SHOT, ROW = 160, 4  # pixels of a room without words, and how many stand in a row
HEAD, FOOT = 44, 16 + 7 * LINE + 16  # above two rooms and below them, for words
PAPER, INK, QUIET, ACCENT = "#ffffff", "#1f2430", "#59627a", "#b3410a"


def draw(example: Example, *, format: str = "png") -> bytes:  # noqa: A002 (the protocol calls it so)
    """The room, or several side by side: the target framed, and below them what tells it apart."""
    if format not in formats:
        raise RecipeError(f"the picture of a room is a .png, got {format!r}")
    from PIL import Image

    rooms = example.images
    images = _draw(rooms, LARGE)
    if len(rooms) == 1:
        sheet = Image.fromarray(images[0])
    else:
        sheet = Image.new("RGB", (MARGIN + len(rooms) * (LARGE + GAP + MARGIN) - GAP, HEAD + LARGE + FOOT), PAPER)
        for place, image in enumerate(images):
            sheet.paste(Image.fromarray(image), (_left(place), HEAD))
        _label_pair(sheet, rooms)
    file = BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()


def snapshot(example: Example) -> bytes:
    """Draw the rooms alone, side by side, the target framed where there are others."""
    from PIL import Image, ImageDraw

    across, down = min(len(example.images), ROW), -(-len(example.images) // ROW)
    sheet = Image.new("RGB", (across * (SHOT + 2 * FRAME), down * (SHOT + 2 * FRAME)), PAPER)
    for place, image in enumerate(_draw(example.images, SHOT)):
        left, top = place % ROW * (SHOT + 2 * FRAME), place // ROW * (SHOT + 2 * FRAME)
        if place == 0 and len(example.images) > 1:
            corner = (left, top, left + SHOT + 2 * FRAME - 1, top + SHOT + 2 * FRAME - 1)
            ImageDraw.Draw(sheet).rectangle(corner, fill=ACCENT)
        sheet.paste(Image.fromarray(image), (left + FRAME, top + FRAME))
    file = BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()


def lines(example: Example, *, number: int, color: bool = False) -> Iterator[str]:
    """The rooms in words, what tells them apart, and some captions of the target."""
    del number  # images have numbers of their own
    rooms = example.images
    for place, room in enumerate(rooms):
        role = "" if len(rooms) == 1 else "target: " if place == 0 else "distractor: "
        yield f"{role}image {room}, {RoomScene(room)}"
        if color:
            yield ColorText(_in_blocks(_draw([room], SMALL)[0]))
    if len(rooms) > 1:
        yield f"told apart by: {', '.join(_contrast(rooms)) or 'nothing'}"
    if example.split in EVERY_WORD:
        yield f"every word is needed: {example.text}"
    for grammar in ("exhaustive", "short"):
        known = captions(rooms[0], grammar)
        yield f"{grammar} captions, {FEW} of {len(known)}:"
        yield from (f"  {number:2} {known[number]}" for number in range(0, len(known), -(-len(known) // FEW)))


def plain(example: Example, *, number: int) -> dict[str, Any]:
    """The rooms as plain values: factors, words and all captions of each."""
    del number  # images have numbers of their own
    entries = [
        {
            "image": room,
            "factors": dict(zip(FACTORS, RoomScene(room).factors, strict=True)),
            "words": words_of(room),
            "captions": {"exhaustive": captions(room, "exhaustive"), "short": captions(room, "short")},
        }
        for room in example.images
    ]
    found = {"rooms": entries, "contrast": _contrast(example.images) if len(example.images) > 1 else None}
    return {**found, "caption": example.text} if example.split in EVERY_WORD else found


def _contrast(rooms: Sequence[int]) -> list[str]:
    """The features in which rooms differ from the first of them."""
    factors = zip(FACTORS, *(RoomScene(room).factors for room in rooms), strict=True)
    return [name for name, own, *others in factors if any(own != other for other in others)]


def _draw(rooms: Sequence[int], size: int) -> np.ndarray:
    from deixis.worlds.rooms.draw import draw_rooms

    return draw_rooms(np.array(rooms), size=size)


def _in_blocks(image: np.ndarray) -> str:
    """A picture in a terminal: two rows of pixels in each line, as the colours of half blocks."""
    lines = []
    for top, bottom in zip(image[::2].tolist(), image[1::2].tolist(), strict=True):
        cells = (
            f"\x1b[38;2;{a[0]};{a[1]};{a[2]}m\x1b[48;2;{b[0]};{b[1]};{b[2]}m▀" for a, b in zip(top, bottom, strict=True)
        )
        lines.append("".join(cells) + "\x1b[0m")
    return "\n".join(lines)


def _left(place: int) -> int:
    return MARGIN + place * (LARGE + GAP + MARGIN)


def _label_pair(sheet: Image, rooms: Sequence[int]) -> None:
    """Write the roles above two rooms and their features below; what tells them apart has the frame's colour."""
    from PIL import ImageDraw, ImageFont

    pen, large, small = ImageDraw.Draw(sheet), ImageFont.load_default(18), ImageFont.load_default(15)
    corner = (_left(0) - FRAME, HEAD - FRAME, _left(0) + LARGE + FRAME - 1, HEAD + LARGE + FRAME - 1)
    pen.rectangle(corner, outline=ACCENT, width=FRAME)
    telling = _contrast(rooms)
    words = [words_of(room) for room in rooms]
    for place, room in enumerate(rooms):
        role, tone = ("target", ACCENT) if place == 0 else ("distractor", INK)
        pen.text((_left(place), HEAD - 32), f"{role}: image {room:,}", font=large, fill=tone)
        for row, (name, label) in enumerate(NAMES.items()):
            is_telling = name in (telling if place == 0 else _contrast((rooms[0], room)))
            in_words = len({one[name] for one in words}) > 1
            said = words[place][name] + ("" if in_words or not is_telling else ", by degrees")
            at = (_left(place), HEAD + LARGE + 16 + row * LINE)
            pen.text(at, f"{label}: {said}", font=small, fill=ACCENT if is_telling else QUIET)
    at = (_left(0), HEAD + LARGE + 16 + len(NAMES) * LINE + 6)
    pen.text(at, f"told apart by {len(telling)} of {len(NAMES)} features, in this colour", font=small, fill=ACCENT)
