"""`deixis show`: one example of any world, in words, as a picture or as JSON."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from deixis._cli.compose import options_for
from deixis._cli.options import Count, Json, Place, Seed
from deixis._cli.places import at_hand
from deixis._cli.printing import print_json
from deixis._cli.terminal import print_drawing
from deixis.errors import RecipeError
from deixis.worlds.registry import world_of
from deixis.worlds.world import ColorText, Pictures, World


if TYPE_CHECKING:
    from collections.abc import Iterable


def show(
    place: Annotated[Place, Parameter(name="PATH")],
    number: Annotated[int | None, Parameter(name="N")] = None,
    /,
    *,
    split: str | None = None,
    seed: Seed | None = None,
    workers: Count | None = None,
    out: Path | None = None,
    no_color: bool = False,
    as_json: Json = False,
    options: dict[str, Any],
) -> int:
    """Show one example, in the terminal or as a picture.

    What is said, in which scenes, what is meant, and what tempts.

    Args:
        place: A dataset folder, an address such as s3://bucket/folder, or a file of examples.
        number: Which example, counted from 0; the first by default.
        split: Count within this split.
        seed: Choose an example at random instead.
        workers: Accepted by every verb; this one runs in one process.
        out: Write the picture to a file instead of the terminal; the file extension sets the format.
        no_color: Do not use colours in the terminal.
        as_json: Print JSON instead of text.
        options: Those of single worlds.
    """
    from deixis.worlds.example import pick_example, pick_random

    del workers
    if number is not None and seed is not None:
        raise RecipeError("give either the number of an example or a --seed to choose one by, not both")
    path = at_hand(place)
    world = world_of(path)
    chosen = options_for(world, "show", options, where=place)
    pictures = pictures_of(world)
    form = _format(out, pictures, chosen)
    examples = world.part("examples").open(path)
    if seed is not None:
        number, example = pick_random(examples, seed, split)
    else:
        number = number or 0
        example = pick_example(examples, number, split)
    if out is not None:
        _write(out, pictures.draw(example, format=form, **chosen))
    if as_json:
        common = {"number": number, "id": example.id, "split": example.split, "text": example.text}
        print_json(common | pictures.plain(example, number=number))
    elif out is not None:
        print(f"Wrote example {number} to {out}.")
    else:
        print_lines(pictures.lines(example, number=number, color=wants_color(no_color=no_color)))
    return 0


def pictures_of(world: World) -> Pictures:
    """Return the pictures of a world, or those of any scene if it has none of its own."""
    if world.has("pictures"):
        found: Pictures = world.part("pictures")
        return found
    from deixis.worlds.toolkit.pictures import PICTURES

    return PICTURES


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, with the colours of those that a world drew itself."""
    for line in lines:
        if isinstance(line, ColorText):
            print_drawing(line)
        else:
            print(line)


def wants_color(*, no_color: bool) -> bool:
    """Return whether standard output is a terminal that shows colours."""
    return not no_color and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _format(out: Path | None, pictures: Pictures, options: dict[str, Any]) -> str:
    """The form that the name of a file asks for; an error where there is no such form, or options without a file."""
    *most, last = (f".{form}" for form in pictures.formats)
    known = f"{', '.join(most)} or {last}" if most else last
    if out is None:
        if options:
            named = ", ".join(f"--{name.replace('_', '-')}" for name in options)
            raise RecipeError(f"{named}: for pictures only; give --out a name that ends in {known}")
        return ""
    form = out.suffix.lower().removeprefix(".")
    if form not in pictures.formats:
        raise RecipeError(f"the name of a picture ends in {known}, got {out.name!r}")
    return form


def _write(out: Path, data: bytes) -> None:
    from deixis.data.store import replacing_file

    with replacing_file(out) as draft:
        draft.write_bytes(data)
