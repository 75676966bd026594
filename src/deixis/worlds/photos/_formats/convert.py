"""Conversion of Cops-Ref between released records, the layout of COCO, and datasets made by Deixis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis._losses import Losses
from deixis.data._conversions import takes_request
from deixis.errors import ParseError, RecipeError, UnknownName
from deixis.report.output import Output
from deixis.worlds.photos._examples import recognises
from deixis.worlds.photos.clean import GraphReport
from deixis.worlds.photos.data.store import is_copsref, open_copsref
from deixis.worlds.photos.language import parse_reference


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from deixis.data._conversions import ConversionRequest
    from deixis.expression.description import Expression
    from deixis.worlds.photos._formats.copsref import Ref
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph_table import GraphTable


reads = {
    "parquet": "a dataset folder",
    "copsref": "a file of released records; --scenes names the scene graphs they are about",
}
writes = {
    "copsref": "a file of records in the layout of the release",
    "coco": "a folder with instances.json and refs.json; with --images, the pictures",
    "huggingface": "a folder for `datasets` whose rows have the picture, all boxes and the target",
    "parquet": "a dataset folder",
}


def recognise(path: Path) -> str:
    """Return the form of the data at a path: `parquet`, `copsref`, or empty where it is neither."""
    return "parquet" if is_copsref(path) else "copsref" if recognises(path) else ""


@takes_request
def convert(
    asked: ConversionRequest,
    *,
    scenes: Sequence[Path] = (),
    images: bool = False,
    distractors: bool = False,
    allow_losses: bool = False,
) -> Output:
    """Convert a dataset of Cops-Ref, or released records with the scene graphs they are about (part `formats`)."""
    source = asked.only_source("of Cops-Ref one dataset, or one file of records,")
    out, to, split = asked.out, asked.to, asked.split
    _demand_sense(source, to, images=images, distractors=distractors)
    losses = Losses("records" if source.is_file() else "examples")
    report = GraphReport()
    examples, table = _records(source, scenes, losses, report) if source.is_file() else _dataset(source, scenes, split)
    chosen = [one for one in examples if split is None or one.split == split]
    losses.seen = losses.seen or len(chosen)
    if not chosen:
        raise RecipeError(f"{source} holds no example" + (f" of the split {split!r}" if split else ""))
    written = _told_in_records(chosen, losses) if to == "copsref" else chosen
    named = ", ".join(map(str, scenes))
    for where, lost in ((source, losses), *((named, lost) for lost in report.losses())):
        lost.demand_few(where=where, allowed=allow_losses)
    if to == "huggingface" or images:
        _write_with_pictures(written, open_copsref(source), out, to, with_distractors=distractors)
    else:
        _write(written, table, out, to, about=f"imported from {source.name}")
    of_scenes = [lost for lost in (*report.losses(), *report.repairs()) if lost]
    values = {
        "examples": len(written),
        "unread": sum(one.expression is None for one in written),
        "losses": losses.to_dict(),
        "losses of scenes": [lost.to_dict() for lost in of_scenes],
    }
    told = [line for lost in (losses, *of_scenes) for line in lost.lines()]
    if values["unread"]:
        told.append(
            f"{values['unread']:,} of {len(written):,} texts could not be read, so that what they mean is unknown"
        )
    return Output(values=values, blocks=[f"{len(written):,} examples.", *told])


def _demand_sense(source: Path, to: str, *, images: bool, distractors: bool) -> None:
    """Raise `RecipeError` where pictures are asked for that the form or the source does not have."""
    if images and to != "coco":
        raise RecipeError(f"--images goes with --to coco; {to[:40]!r} has the pictures in its rows, or none")
    if distractors and to != "huggingface":
        raise RecipeError("--distractors goes with --to huggingface")
    if (images or to == "huggingface") and source.is_file():
        raise RecipeError(
            f"{source} is a file of records, which hold no pictures; give a dataset folder that keeps them"
        )


def _dataset(folder: Path, scenes: Sequence[Path], split: str | None) -> tuple[Iterable[Example], GraphTable]:
    if scenes:
        raise RecipeError(f"--scenes are those of released records; {folder} is a folder and has its own")
    data = open_copsref(folder)
    return data.examples(split), data.scenes


def _records(
    file: Path, scenes: Sequence[Path], losses: Losses, of_scenes: GraphReport
) -> tuple[list[Example], GraphTable]:
    """Return the examples of released records, those left out that speak of images or objects that the graphs lack.

    Records do not tell what their texts mean. The texts are read, and those that cannot be stay without a meaning.
    """
    from deixis.worlds.photos._formats.copsref import REF_CODES, RefReport, read_refs
    from deixis.worlds.photos.data.graphs import read_table

    if not scenes:
        raise RecipeError("released records do not hold the scene graphs they are about; give these with --scenes")
    report = RefReport()
    table = read_table(*scenes, report=of_scenes)
    examples = [_read(ref, table) for ref in read_refs(file, report)]
    losses.see(len(examples))
    for code, often in report.counts.items():
        if code.startswith("R0"):
            losses.see(often)
            losses.leave_out(REF_CODES[code], often)
        else:
            losses.repair(REF_CODES[code], often)
    return list(_keep_known(examples, table, losses)), table


def _read(ref: Ref, table: GraphTable) -> Example:
    """Return the example of a record with what its text means, and all its forms, of which a record tells the first."""
    from deixis.worlds.photos._example_checks import forms_of
    from deixis.worlds.photos.data._records import example_of

    def parse(text: str) -> Expression | None:
        try:
            return parse_reference(text, table.vocabulary)
        except ParseError:
            return None

    example = example_of(ref, parse)
    forms = forms_of(example.expression) if example.expression is not None else ()
    return replace(example, forms=forms) if example.form in forms[:1] else example


def _keep_known(examples: Iterable[Example], table: GraphTable, losses: Losses) -> Iterator[Example]:
    for example in examples:
        try:
            scenes = example.scenes(table)
        except UnknownName:
            losses.leave_out("an image is shown of which there is no scene graph")
            continue
        held = table.objects_of(scenes[0])
        if example.object_id not in table.object_ids[held.start : held.stop]:
            losses.leave_out("the target is not in the scene graph of its image")
            continue
        yield example


def _told_in_records(examples: Sequence[Example], losses: Losses) -> list[Example]:
    """Return the examples for which the release has records."""
    losses.leave_out("it fits nothing, which the release has no record for", sum(not e.is_there for e in examples))
    unread = sum(one.is_there and one.expression is None for one in examples)
    losses.leave_out("nobody has read what it means, which a record tells", unread)
    return [one for one in examples if one.is_there and one.expression is not None]


def _write_with_pictures(examples: list[Example], data: CopsRef, out: Path, to: str, *, with_distractors: bool) -> None:
    from deixis.worlds.photos._formats.picture_rows import write_picture_files, write_picture_rows
    from deixis.worlds.photos.data._coco import write_coco

    if to == "coco":
        ending = write_picture_files(out / "images", examples, data.photographs)
        write_coco(out, examples, data.scenes, file_name=f"{{id}}.{ending}")
    else:
        write_picture_rows(out, examples, data.scenes, data.photographs, with_distractors=with_distractors)


def _write(examples: list[Example], table: GraphTable, out: Path, to: str, *, about: str) -> None:
    from deixis.worlds.photos._formats.copsref import write_refs
    from deixis.worlds.photos.data._coco import write_coco
    from deixis.worlds.photos.data._records import ref_of
    from deixis.worlds.photos.data.store import write_copsref

    match to:
        case "coco":
            write_coco(out, examples, table)
        case "parquet":
            write_copsref(out, examples, table, about={"scenes": "given", "source": about})
        case "copsref":
            write_refs(out, (ref_of(one, table) for one in examples))
        case _:
            raise RecipeError(f"expressions about photographs are written as {', '.join(writes)}, not as {to}")
