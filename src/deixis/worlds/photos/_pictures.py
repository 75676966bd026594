"""Part `pictures` of photographs: an expression, its meaning as a tree, and the images it is shown with."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError, SchemaError
from deixis.expression.plain import expression_to_plain


if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import ImageDraw
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont, ImageFont

    from deixis.expression.description import Description
    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph import GraphScene


formats = ("png",)
CELL = (420, 320)  # pixels that one image gets in a file
BAR = 26  # for the words above it
LETTERS, BLANK = 14, 5  # pixels
TARGET, TEMPTING, NAMED, OTHER = "#A3127A", "#2356A8", "#3C4350", "#9AA1AF"


def lines(example: Example, *, number: int, color: bool = False) -> Iterator[str]:
    """Yield the expression, its meaning as a tree, and the images it is shown with."""
    del color
    forms = ", ".join(example.forms or (example.form,))
    yield f"example {number}, id {example.id}, split {example.split}, form {forms}"
    yield example.text
    if example.expression is not None:
        yield from _tree(example.expression, "")
    if example.object_id:
        yield f"target: {_object(example, example.image_id, example.object_id)} of image {example.image_id}"
    else:
        yield f"not there: {example.changed} ({example.change} changed), shown with image {example.image_id}"
    for one in example.distractors:
        tempting = f", distractor: {_object(example, one.image_id, one.object_id)}" if one.object_id else ""
        yield f"  {one.kind}: image {one.image_id}{tempting}"


def _tree(description: Description, indent: str) -> Iterator[str]:
    """Yield the meaning, a line for every step, what a clause is about below it."""
    from deixis.expression.description import Description as Whole
    from deixis.expression.steps import Related

    for step in description.steps:
        if isinstance(step, Related):
            yield f"{indent}- {step.relation}"
            yield from _tree(step.to, indent + "    ")
        else:
            yield f"{indent}- {str(Whole((step,)))[1:-1]}"


def _object(example: Example, image: str, name: str) -> str:
    """An object in words; its id where no scenes are known."""
    if example.graphs is None:
        return f"object {name}"
    scene = example.graphs.scene(example.graphs.find(image))
    index = list(scene.object_ids).index(name)
    return " ".join((*sorted(scene.words[index]), scene.names[index]))


def plain(example: Example, *, number: int) -> dict[str, Any]:
    """Return the expression, its meaning, its target and its images as plain values."""
    return {
        "number": number,
        "id": example.id,
        "split": example.split,
        "text": example.text,
        "forms": list(example.forms),
        "meaning": expression_to_plain(example.expression) if example.expression is not None else None,
        "image": example.image_id,
        "object": example.object_id or None,
        "target": _object(example, example.image_id, example.object_id) if example.object_id else None,
        "distractors": [
            {"kind": one.kind, "image": one.image_id, "object": one.object_id or None} for one in example.distractors
        ],
    }


def draw(example: Example, *, format: str = "png") -> bytes:  # noqa: A002 (the protocol calls it so)
    """Draw the images side by side: the right one first, the target and distractors in boxes."""
    if format not in formats:
        raise RecipeError(f"the picture of an example is a .png, got {format!r}")
    from PIL import Image, ImageDraw

    own = "the right image" if example.is_there else "nothing fits, here or beside"
    shown = [(own, example.image_id, example.object_id, TARGET)]
    shown += [(one.kind, one.image_id, one.object_id, TEMPTING) for one in example.distractors]
    columns = min(len(shown), 4)
    rows = -(-len(shown) // columns)
    width, height = CELL
    said = _break_lines(example.text, columns * width - 16)
    head = BAR * len(said)
    sheet = Image.new("RGB", (columns * width, rows * height + head), "white")
    pen = ImageDraw.Draw(sheet)
    for number, line in enumerate(said):
        _write(pen, 8, 6 + BAR * number, line)
    for place, (title, image, name, color) in enumerate(shown):
        left, top = place % columns * width, place // columns * height + head
        _write(pen, left + 8, top + 6, f"{title}: {image}")
        sheet.paste(_frame_object(example, image, name, color), (left + 4, top + BAR))
    file = BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()


def snapshot(example: Example) -> bytes:
    """Draw the right image, or the one that the expression was changed for, with the target in a box."""
    file = BytesIO()
    _frame_object(example, example.image_id, example.object_id, TARGET).save(file, "PNG")
    return file.getvalue()


def _break_lines(text: str, width: float) -> list[str]:
    """A text in lines that are no wider than so many pixels; a word that is wider has a line of its own."""
    lines: list[list[str]] = [[]]
    for word in text.split():
        if lines[-1] and _length([*lines[-1], word]) > width:
            lines.append([])
        lines[-1].append(word)
    return [" ".join(line) for line in lines]


def _write(pen: ImageDraw.ImageDraw, left: float, top: float, text: str, ink: str = "black") -> None:
    """Write a line word by word: the blanks of the font that comes with Pillow are too narrow to be seen."""
    font = _font()
    for word in text.split():
        pen.text((left, top), word, fill=ink, font=font)
        left += font.getlength(word) + BLANK


def _length(words: list[str]) -> float:
    return sum(_font().getlength(word) for word in words) + BLANK * (len(words) - 1)


@cache
def _font() -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(LETTERS)


def _frame_object(example: Example, image: str, name: str, color: str) -> Image:
    """Return an image with one of its objects in a box.

    Where the picture is not at hand, the boxes of all objects are drawn, and those of what is mentioned have names.
    """
    from PIL import Image, ImageDraw

    from deixis.worlds.photos.data._photographs import decode_picture

    if example.graphs is None:
        raise SchemaError(f"example {example.id} was read without the scenes of its images, so there is no picture")
    scene = example.graphs.scene(example.graphs.find(image))
    size = (int(scene.width), int(scene.height))
    held = example.photographs.find(image) if example.photographs is not None else None
    is_there = held is not None
    picture = Image.new("RGB", size, "#F4F5F8") if held is None else Image.fromarray(decode_picture(held, image))
    mentioned = _names_said(example)
    is_named = [not is_there and said in mentioned for said in scene.names]
    pen = ImageDraw.Draw(picture)
    for index, (x, y, w, h) in enumerate(scene.boxes):
        is_it = scene.object_ids[index] == name
        if is_it or not is_there:
            outline = color if is_it else NAMED if is_named[index] else OTHER
            pen.rectangle((x, y, x + w, y + h), outline=outline, width=4 if is_it else 1)
    picture.thumbnail((CELL[0] - 8, CELL[1] - BAR - 8))
    pen = ImageDraw.Draw(picture)
    for index in (number for number, shown in enumerate(is_named) if shown):
        ink = color if scene.object_ids[index] == name else NAMED
        _label(pen, picture.size, scene, index, ink)
    return picture


def _names_said(example: Example) -> frozenset[str]:
    """Return the names of everything that an expression mentions, alternatives and what is denied included."""
    from deixis.expression.parts import parts
    from deixis.expression.steps import Is
    from deixis.worlds.photos.scene.vocabulary import NAME

    said = (part.step for part in parts(example.expression)) if example.expression is not None else ()
    return frozenset(step.value for step in said if isinstance(step, Is) and step.attribute == NAME)


def _label(pen: ImageDraw.ImageDraw, size: tuple[int, int], scene: GraphScene, index: int, ink: str) -> None:
    """Write attributes and name of an object into the corner of its box, on a ground of its own."""
    words = (*sorted(scene.words[index]), scene.names[index])
    wide, high = _length(list(words)) + 4, LETTERS + 5
    x, y, *_ = scene.boxes[index]
    left = max(0.0, min(x * size[0] / scene.width + 2, size[0] - wide))
    top = max(0.0, min(y * size[1] / scene.height + 2, size[1] - high))
    pen.rectangle((left, top, left + wide, top + high), fill="white")
    _write(pen, left + 2, top, " ".join(words), ink)
