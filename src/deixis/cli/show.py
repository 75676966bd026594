"""`deixis show`: one example as a picture, with its command, plan, roles and misreadings in words."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json, say_plan
from deixis.cli.show_a3ds import show_rooms
from deixis.cli.show_copsref import show_photographs
from deixis.errors import DeixisError, RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deixis.tasks.navigate import Example
    from deixis.worlds.grid.draw import Marks


__all__ = ["show", "wants_color"]


def show(
    path: Annotated[Path, Parameter(name="PATH")],
    number: Annotated[int | None, Parameter(name="N")] = None,
    /,
    *,
    split: str | None = None,
    seed: Seed | None = None,
    workers: Count | None = None,
    out: Path | None = None,
    animate: bool = False,
    style: Literal["deixis", "release"] = "deixis",
    no_color: bool = False,
    as_json: Json = False,
) -> int:
    """Show one example: its world, command, plan, why every object is there, and what it punishes.

    Args:
        path: A dataset folder (of ReaSCAN, A3DS or Cops-Ref), a Parquet file, or a released ReaSCAN or gSCAN file.
        number: Which example, counted from 0; the first by default. In A3DS the number of an image.
        split: Count within this split; in A3DS, within this set of pairs.
        seed: Choose an example at random instead.
        workers: Accepted by every verb; there is nothing to divide here.
        out: Write the picture to a file (.svg or .png) instead of the terminal, or the plan as a moving picture (.gif).
        animate: Let the agent carry out the plan in the picture (.svg); a .gif always does.
        style: The look of the file: ours, or that of the pictures published with ReaSCAN.
        no_color: Do not use colours in the terminal.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets.sources import open_source
    from deixis.datasets.store import kind_of

    del workers
    if number is not None and seed is not None:
        raise RecipeError("give either the number of an example or a --seed to choose one by, not both")
    kind = kind_of(path)
    if kind == "copsref":
        return show_photographs(path, number, split=split, seed=seed, out=out, as_json=as_json)
    if kind == "a3ds":
        color = wants_color(no_color=no_color)
        return show_rooms(path, number, split=split, seed=seed, out=out, color=color, as_json=as_json)
    if out is not None and out.suffix.lower() not in (".svg", ".png", ".gif"):
        raise RecipeError(f"the name of a picture ends in .svg, .png or .gif, got {out.name!r}")
    if animate and (out is None or out.suffix.lower() == ".png"):
        raise RecipeError("a moving picture needs a file whose name ends in .svg or .gif, e.g. --out plan.svg")
    source = open_source(path)
    if seed is not None:
        number, example = source.random_example(seed, split)
    else:
        number = number or 0
        example = source.example(number, split)
    if out is not None:
        _write_picture(example, out, style, animate=animate)
    if as_json:
        print_json(_plain(example, number))
    elif out is not None:
        print(f"Wrote example {number} to {out}.")
    else:
        _print(example, number, color=wants_color(no_color=no_color))
    return 0


def wants_color(*, no_color: bool) -> bool:
    """Whether standard output is a terminal that shows colours."""
    return not no_color and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _print(example: Example, number: int, *, color: bool) -> None:
    from deixis.worlds.grid.draw import draw_terminal

    split = f", split {example.split}" if example.split else ""
    print(f"example {number}{split}, pattern {example.pattern}, id {example.id}")
    print(example.text)
    print()
    print(draw_terminal(example.scene, marks=_marks(example), color=color))
    print(f"plan: {say_plan(example.plan)}")
    for line in _misreading_lines(example):
        print(line)


def _misreading_lines(example: Example) -> Iterator[str]:
    """Which objects catch which misreading; objects of one set together."""
    caught: dict[str, list[str]] = {}
    for index in range(len(example.scene)):
        words = _misreading(example, index)
        if words:
            caught.setdefault(words, []).append(str(index))
    if caught:
        yield "misreadings punished:"
        yield from (f"  {words}: {', '.join(indices)}" for words, indices in caught.items())


def _misreading(example: Example, index: int) -> str | None:
    """The misreading an object punishes, in words; None where it punishes none or the file says something strange."""
    from deixis.language.explain import say_misreading

    try:
        relaxation = example.relaxation_of(index)
        return say_misreading(relaxation, example.utterance) if relaxation else None
    except (DeixisError, KeyError):
        return None


def _marks(example: Example) -> Marks:
    from deixis.worlds.grid.draw import Marks, path_of

    way = path_of(example.scene, example.plan) if example.scene.agent else None
    return Marks(
        target=example.target,
        mentioned=tuple(k for k, role in enumerate(example.roles) if role.kind == "mentioned"),
        distractors={k: role.kind for k, role in enumerate(example.roles) if role.is_distractor},
        path=way.path if way else None,
        pushed=way.pushed if way else (),
    )


def _write_picture(example: Example, out: Path, style: Literal["deixis", "release"], *, animate: bool) -> None:
    from deixis.datasets.store import replacing_file

    is_moving = animate or out.suffix.lower() == ".gif"
    data = _moving(example, out, style) if is_moving else _still(example, out, style)
    with replacing_file(out) as draft:
        draft.write_bytes(data)


def _still(example: Example, out: Path, style: Literal["deixis", "release"]) -> bytes:
    from deixis.worlds.grid.draw import Look, draw_png, draw_svg

    look = Look(style=style, numbers=True, captions=True, heading=True, legend=True)
    options: dict[str, Any] = {"marks": _marks(example), "look": look, "title": example.text}
    is_svg = out.suffix.lower() == ".svg"
    return draw_svg(example.scene, **options).encode() if is_svg else draw_png(example.scene, **options)


def _moving(example: Example, out: Path, style: Literal["deixis", "release"]) -> bytes:
    from deixis.worlds.grid.draw import Look, Marks, animate_gif, animate_svg

    options: dict[str, Any] = {"marks": Marks(target=example.target), "look": Look(style=style), "title": example.text}
    if out.suffix.lower() == ".svg":
        return animate_svg(example.scene, example.plan, **options).encode()
    return animate_gif(example.scene, example.plan, **options)


def _plain(example: Example, number: int) -> dict[str, Any]:
    from deixis.cli.worlds import world_to_dict

    roles: list[str | None] = [role.kind for role in example.roles] or [None] * len(example.scene)
    return {
        "number": number,
        "id": example.id,
        "split": example.split,
        "command": example.text,
        "pattern": example.pattern,
        "world": world_to_dict(example.scene),
        "target": example.target,
        "plan": [action.words for action in example.plan],
        "objects": [
            {"name": str(thing), "role": role, "misreading": _misreading(example, index)}
            for index, (thing, role) in enumerate(zip(example.scene.objects, roles, strict=True))
        ],
    }
