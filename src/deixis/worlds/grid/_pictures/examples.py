"""Part `pictures` of the grid: an example as a picture, with its command, plan, roles and misreadings in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from deixis.errors import DeixisError, RecipeError
from deixis.resolution.reference import denotation
from deixis.worlds.grid._report.explain import misreading_words
from deixis.worlds.grid._scene_files import world_to_dict
from deixis.worlds.grid.actions import say_plan
from deixis.worlds.grid.data._commands import Command
from deixis.worlds.grid.draw import Look, Marks, animate_gif, animate_svg, draw_png, draw_svg, draw_terminal, path_of
from deixis.worlds.world import ColorText


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.grid.navigate import Example
    from deixis.worlds.grid.scene import GridScene


formats = ("svg", "png", "gif")
HEADS = {True: "placed to catch readers who", False: "meant to catch, but not reached by, readers who"}


def draw(
    example: Example,
    *,
    format: str = "svg",  # noqa: A002 (the protocol calls it so)
    animate: bool = False,
    style: Literal["deixis", "release"] = "deixis",
) -> bytes:
    """Draw an example as a picture file.

    A GIF, or an SVG that is to move, carries out the plan.
    """
    if animate and format == "png":
        raise RecipeError("a moving picture needs a file whose name ends in .svg or .gif, e.g. --out plan.svg")
    return _moving(example, format, style) if animate or format == "gif" else _still(example, format, style)


def snapshot(example: Example) -> bytes:
    """Draw the board alone as PNG, with the target marked."""
    return draw_png(example.scene, marks=Marks(target=example.target), scale=1)


def lines(example: Example, *, number: int, color: bool = False) -> Iterator[str]:
    """Return the example as lines for a terminal."""
    split = f", split {example.split}" if example.split else ""
    yield f"example {number}{split}, pattern {example.pattern}, id {example.id}"
    yield example.text
    yield ""
    yield ColorText(draw_terminal(example.scene, marks=_marks(example), color=color))
    yield f"plan: {say_plan(example.plan)}"
    yield from _misreading_lines(example)


def draw_scene(scene: GridScene, *, target: int | None = None, color: bool = False) -> ColorText:
    """Draw a world for a terminal, the target marked."""
    return ColorText(draw_terminal(scene, marks=Marks(target=target), color=color))


def plain(example: Example, *, number: int) -> dict[str, Any]:
    """Return the example as plain values."""
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


def _misreading_lines(example: Example) -> Iterator[str]:
    """Which objects catch which misreading; objects of one set together."""
    caught: dict[bool, dict[str, list[str]]] = {True: {}, False: {}}
    reached = _reached_sets(example)
    for index in range(len(example.scene)):
        words = _misreading(example, index)
        if words:
            caught[example.roles[index].number in reached].setdefault(words, []).append(str(index))
    for is_reached, head in HEADS.items():
        if caught[is_reached]:
            yield head
            yield from (f"  {words}: {', '.join(indices)}" for words, indices in caught[is_reached].items())


def _misreading(example: Example, index: int) -> str | None:
    """The misreading that an object was made for, in words; None where there is none or the file has a strange one."""
    role = example.roles[index] if example.roles else None
    if role is None or not role.has_misreading or role.number >= len(example.misreadings):
        return None
    try:
        return misreading_words(example.utterance, example.misreadings[role.number])
    except (DeixisError, KeyError):
        return None


def _reached_sets(example: Example) -> frozenset[int]:
    """Return the numbers of the sets that do what they are there for, as W501 asks: their misreading leads astray."""
    command = Command.of_example(example)
    found = set()
    for number, code in enumerate(example.misreadings if command.is_read else ()):
        members = [k for k, role in enumerate(example.roles) if role.has_misreading and role.number == number]
        meaning = command.misreading(code)
        fits = denotation(meaning.expression, example.scene) if meaning else frozenset()
        is_helper = bool(members) and example.roles[members[0]].kind == "helper"
        if fits - {example.target} if is_helper else fits & set(members[:1]):
            found.add(number)
    return frozenset(found)


def _marks(example: Example) -> Marks:
    way = path_of(example.scene, example.plan) if example.scene.agent else None
    return Marks(
        target=example.target,
        mentioned=tuple(k for k, role in enumerate(example.roles) if role.kind == "mentioned"),
        distractors={k: role.kind for k, role in enumerate(example.roles) if role.is_distractor},
        path=way.path if way else None,
        pushed=way.pushed if way else (),
    )


def _still(example: Example, format: str, style: Literal["deixis", "release"]) -> bytes:  # noqa: A002
    look = Look(style=style, numbers=True, captions=True, heading=True, legend=True)
    options: dict[str, Any] = {"marks": _marks(example), "look": look, "title": example.text}
    is_svg = format == "svg"
    return draw_svg(example.scene, **options).encode() if is_svg else draw_png(example.scene, **options)


def _moving(example: Example, format: str, style: Literal["deixis", "release"]) -> bytes:  # noqa: A002
    options: dict[str, Any] = {"marks": Marks(target=example.target), "look": Look(style=style), "title": example.text}
    if format == "svg":
        return animate_svg(example.scene, example.plan, **options).encode()
    return animate_gif(example.scene, example.plan, **options)
