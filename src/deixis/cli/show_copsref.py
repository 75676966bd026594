"""`deixis show` for Cops-Ref: an expression, its meaning as a tree, and the images it is shown with."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from deixis.cli.printing import print_json
from deixis.errors import RecipeError, UnknownName


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from PIL.Image import Image

    from deixis.datasets.copsref.store import CopsRef
    from deixis.expression.description import Description
    from deixis.tasks.localise import Example


__all__ = ["show_photographs"]

CELL = (420, 320)  # pixels that one image gets in a file
BAR = 26  # for the words above it
TARGET, TEMPTING, OTHER = "#A3127A", "#2356A8", "#9AA1AF"


def show_photographs(
    folder: Path, number: int | None, *, split: str | None, seed: int | None, out: Path | None, as_json: bool
) -> int:
    """Show one example of a dataset about photographs."""
    from deixis.datasets.copsref.store import open_copsref

    if out is not None and out.suffix.lower() != ".png":
        raise RecipeError(f"the picture of an example is a .png, got {out.name!r}")
    data = open_copsref(folder)
    chosen, example = _chosen(data, number, split, seed)
    if out is not None:
        _write_picture(data, example, out)
    if as_json:
        print_json(_plain(data, example, chosen))
    elif out is not None:
        print(f"Wrote example {chosen} to {out}.")
    else:
        for line in _lines(data, example, chosen):
            print(line)
    return 0


def _chosen(data: CopsRef, number: int | None, split: str | None, seed: int | None) -> tuple[int, Example]:
    from deixis.seeds import Stream, derive

    if split is not None and split not in data.splits:
        raise UnknownName(f"there is no split {split!r}; known: {', '.join(data.splits)}")
    size = data.splits[split] if split is not None else sum(data.splits.values())
    chosen = (number or 0) if seed is None else Stream(derive(seed, "show")).below(max(1, size))
    example = next(islice(data.examples(split), chosen, None), None) if chosen >= 0 else None
    if example is None:
        raise UnknownName(f"there is no example {chosen}; there are {size:,}, counted from 0")
    return chosen, example


def _lines(data: CopsRef, example: Example, number: int) -> Iterator[str]:
    forms = ", ".join(example.forms or (example.form,))
    yield f"example {number}, id {example.id}, split {example.split}, form {forms}"
    yield example.text
    if example.expression is not None:
        yield from _tree(example.expression, "")
    if example.object_id:
        yield f"target: {_object(data, example.image_id, example.object_id)} of image {example.image_id}"
    else:
        yield f"not there: {example.changed} ({example.change} changed), shown with image {example.image_id}"
    for one in example.distractors:
        tempting = f", tempting: {_object(data, one.image_id, one.object_id)}" if one.object_id else ""
        yield f"  {one.kind}: image {one.image_id}{tempting}"


def _tree(description: Description, indent: str) -> Iterator[str]:
    """The meaning, a line for every step, what a clause is about below it."""
    from deixis.expression.description import Description as Whole
    from deixis.expression.steps import Related

    for step in description.steps:
        if isinstance(step, Related):
            yield f"{indent}- {step.relation}"
            yield from _tree(step.to, indent + "    ")
        else:
            yield f"{indent}- {str(Whole((step,)))[1:-1]}"


def _object(data: CopsRef, image: str, name: str) -> str:
    scene = data.scenes.scene(data.scenes.find(image))
    index = list(scene.object_ids).index(name)
    return " ".join((*sorted(scene.words[index]), scene.names[index]))


def _plain(data: CopsRef, example: Example, number: int) -> dict[str, Any]:
    from deixis.expression.plain import expression_to_plain

    return {
        "number": number,
        "id": example.id,
        "split": example.split,
        "text": example.text,
        "forms": list(example.forms),
        "meaning": expression_to_plain(example.expression) if example.expression is not None else None,
        "image": example.image_id,
        "object": example.object_id or None,
        "target": _object(data, example.image_id, example.object_id) if example.object_id else None,
        "distractors": [
            {"kind": one.kind, "image": one.image_id, "object": one.object_id or None} for one in example.distractors
        ],
    }


def _write_picture(data: CopsRef, example: Example, out: Path) -> None:
    """The images side by side: the right one first, the target and what tempts in boxes."""
    from PIL import Image, ImageDraw

    from deixis.datasets.store import replacing_file

    shown = [("the right image", example.image_id, example.object_id, TARGET)]
    shown += [(one.kind, one.image_id, one.object_id, TEMPTING) for one in example.distractors]
    columns = min(len(shown), 4)
    rows = -(-len(shown) // columns)
    width, height = CELL
    sheet = Image.new("RGB", (columns * width, rows * height + BAR), "white")
    pen = ImageDraw.Draw(sheet)
    pen.text((8, 6), example.text, fill="black")
    for place, (title, image, name, color) in enumerate(shown):
        left, top = place % columns * width, place // columns * height + BAR
        pen.text((left + 8, top + 6), f"{title}: {image}", fill="black")
        sheet.paste(_framed(data, image, name, color), (left + 4, top + BAR))
    with replacing_file(out) as draft:
        sheet.save(draft, "PNG")


def _framed(data: CopsRef, image: str, name: str, color: str) -> Image:
    """An image with one of its objects in a box; where the picture is not at hand, the boxes of all objects."""
    from PIL import Image, ImageDraw

    scene = data.scenes.scene(data.scenes.find(image))
    size = (int(scene.width), int(scene.height))
    path = data.path.with_name(f"{data.path.name}-imagined") / "images" / f"{image}.png"
    is_there = path.is_file()
    picture = Image.open(path).convert("RGB") if is_there else Image.new("RGB", size, "#F4F5F8")
    pen = ImageDraw.Draw(picture)
    for index, (x, y, w, h) in enumerate(scene.boxes):
        is_it = scene.object_ids[index] == name
        if is_it or not is_there:
            pen.rectangle((x, y, x + w, y + h), outline=color if is_it else OTHER, width=4 if is_it else 1)
    picture.thumbnail((CELL[0] - 8, CELL[1] - BAR - 8))
    return picture
