"""Part `formats`: datasets written as CLEVR scenes with CLEVR-Ref+ expressions."""

from __future__ import annotations

import json
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from deixis.data._conversions import takes_request
from deixis.data._split_names import names_in_split
from deixis.data.store import replacing_file
from deixis.errors import RecipeError, UnknownName
from deixis.report.output import Output
from deixis.worlds.tabletop._examples import EXAMPLES
from deixis.worlds.tabletop._formats.clevr import HEIGHT, SHAPES, WIDTH, scene_to_clevr
from deixis.worlds.tabletop._formats.programs import NoProgram, program_of


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.data._conversions import ConversionRequest
    from deixis.worlds.tabletop._examples import TableExample
    from deixis.worlds.tabletop._scene import SolidScene


SEVERAL, NOTHING = "it shows several tables", "it fits nothing"
OTHER_SHAPES = "its table has cones or rings, which CLEVR has not (make with --shapes clevr)"
reads: Mapping[str, str] = MappingProxyType({})
writes: Mapping[str, str] = MappingProxyType(
    {"clevr": "scenes as CLEVR keeps them, and expressions with programs as CLEVR-Ref+ does; with --images, pictures"}
)


def recognise(path: Path) -> str:
    """Return an empty text, since CLEVR's scenes say nothing of solids that could be judged."""
    del path
    return ""


@takes_request
def convert(asked: ConversionRequest, *, images: bool = False) -> Output:
    """Write a dataset in the layout of CLEVR-Ref+: `scenes`, `refexps`, and with `images` the pictures.

    What CLEVR-Ref+ cannot say is left out and counted, with the reason.
    """
    if asked.to not in writes:
        raise RecipeError(f"tables are written as {', '.join(writes)}, not as {asked.to[:40]!r}")
    source, out, split = asked.only_source("of tables one dataset"), asked.out, asked.split
    if out.exists() and any(out.iterdir()) and not asked.force:
        raise RecipeError(f"{out} already exists and is not empty; choose another name, or give --force")
    opened = EXAMPLES.open(source)
    if split is not None and split not in opened.splits:
        known = ", ".join(opened.splits)
        raise UnknownName(f"there is no split {split[:40]!r} in {source.name}; it has {known}")
    losses: Counter[str] = Counter()
    written = 0
    for one in opened.splits if split is None else (split,):
        numbers = opened.numbers(one)
        kept: list[tuple[TableExample, list[dict[str, Any]]]] = []
        for done, number in enumerate(numbers):
            example = opened[number]
            try:
                kept.append((example, _program_of(example)))
            except NoProgram as reason:
                losses[str(reason)] += 1
            asked.tell("examples", done + 1, len(numbers))
        _write_split(out, one, kept, images=images)
        written += len(kept)
    lost = dict(losses.most_common())
    told = [f"{often:,} left out: {reason}" for reason, often in lost.items()]
    return Output(values={"examples": written, "left out": lost}, blocks=[f"{written:,} examples.", *told])


def _program_of(example: TableExample) -> list[dict[str, Any]]:
    if len(example.scenes) > 1:
        raise NoProgram(SEVERAL)
    if example.target is None:
        raise NoProgram(NOTHING)
    if any(solid.shape not in SHAPES for solid in example.scenes[0].table.solids):
        raise NoProgram(OTHER_SHAPES)
    return program_of(example.expression, example.scenes[0])


def _write_split(out: Path, split: str, kept: list[tuple[TableExample, list[dict[str, Any]]]], *, images: bool) -> None:
    """Write the files of one split; examples of the same table share its scene."""
    name = "_".join(names_in_split(split)) or "all"
    numbers: dict[SolidScene, int] = {}
    expressions: list[dict[str, Any]] = []
    for example, program in kept:
        number = numbers.setdefault(example.scenes[0], len(numbers))
        expressions.append(
            {
                "refexp": example.text,
                "program": program,
                "image_index": number,
                "image_filename": _picture_name(name, number),
                "split": name,
                "refexp_index": len(expressions),
            }
        )
    info = {"split": name, "version": "1.0", "license": "made with deixis", "picture": [WIDTH, HEIGHT]}
    scenes = [
        scene_to_clevr(scene, number=number, split=name, name=_picture_name(name, number))
        for scene, number in numbers.items()
    ]
    _write_json(out / "scenes" / f"tabletop_{name}_scenes.json", {"info": info, "scenes": scenes})
    _write_json(out / "refexps" / f"tabletop_{name}_refexps.json", {"info": info, "refexps": expressions})
    if images:
        from PIL import Image

        from deixis.worlds.tabletop._render.picture import draw_picture

        (out / "images" / name).mkdir(parents=True, exist_ok=True)
        for scene, number in numbers.items():
            picture = Image.fromarray(draw_picture(scene.table, WIDTH, HEIGHT))
            picture.save(out / "images" / name / _picture_name(name, number))


def _picture_name(split: str, number: int) -> str:
    return f"tabletop_{split}_{number:06d}.png"


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing_file(path) as draft:
        draft.write_text(json.dumps(values, separators=(",", ":")) + "\n", encoding="utf-8")
