"""Files of MDETR: referring expressions in COCO's layout, where every image of the file is one expression.

Files are called `finetune_refcoco_train.json` and so on. An image has a `caption`; its box is an annotation behind all
images. They have the objects that somebody refers to, not all objects of an image: where a file with all of them lies
beside (`instances.json` or `instances_train2014.json`), all are candidates; elsewhere the right box is known, but no
scene. All boxes are (left, top, width, height) in pixels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset, SchemaError
from deixis.judge.boxes import box_from
from deixis.readers._builtin._coco import REFUSALS, Catalogue, demand_text, find_instances, split_in
from deixis.readers._region_language import parse_regions
from deixis.readers._region_scene import SCHEMA
from deixis.readers.files import head_of, json_entries, tail_of
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord, Region


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.judge.boxes import Box


HEAD = 1 << 14
MAY_FIT_NOTHING = "gref"
OTHERS = ("ref_id", "refexps", "refexp_ids", "refexp_id")


class Caption(NamedTuple):
    """One image of a file: what is said, of which objects, and all objects of COCO, if they are known."""

    fields: dict[str, Any]
    objects: tuple[tuple[Any, Any], ...]  # the number in COCO and the box of each
    split: str
    catalogue: Catalogue | None
    may_fit_nothing: bool  # in files of gRefCOCO; elsewhere a caption without an object is a fault


def sniff(path: Path) -> bool:
    """Return whether a file is one of MDETR."""
    head = head_of(path, HEAD)
    if head.lstrip()[:1] != "{" or any(f'"{name}"' in head for name in OTHERS):
        return False
    ends = head + tail_of(path)
    return '"caption"' in ends and '"tokens_' in ends and ('"images"' in ends or '"annotations"' in ends)


def records(path: Path) -> Iterator[Caption]:
    """Yield the captions in the order of the file, after the boxes behind them are collected."""
    instances = find_instances(path)
    catalogue = Catalogue.read(instances) if instances is not None else None
    split = split_in(path.name)
    objects: dict[Any, list[tuple[Any, Any]]] = {}
    for field, key, entry in json_entries(path):
        if field == "annotations":
            image = _number(path, key, entry, "image_id")
            objects.setdefault(image, []).append((entry.get("original_id"), entry.get("bbox")))
    for field, key, entry in json_entries(path):
        if field == "images":
            known = objects.get(_number(path, key, entry, "id"), ())
            yield Caption(entry, tuple(known), split, catalogue, MAY_FIT_NOTHING in path.name.lower())


def read(record: Caption) -> Iterator[ReadExample]:
    """Yield the example of a caption."""
    fields, objects, split, catalogue, _ = record
    name, text = str(fields["id"]), fields.get("caption")
    dataset = fields.get("dataset_name")
    facts = {"dataset": dataset} if isinstance(dataset, str) else {}
    may_fit_nothing = record.may_fit_nothing or MAY_FIT_NOTHING in str(dataset).lower()
    number = fields.get("original_id")
    if catalogue is not None and number in catalogue.photos and (objects or may_fit_nothing):
        numbers = [one for one, _ in objects]
        yield catalogue.example(number, numbers, name=name, text=text, split=split, facts=facts)
        return
    if not isinstance(fields.get("file_name"), str):
        raise RefusedRecord("no-image", f"{name}: image {number}")
    text = demand_text(text, name)
    if not (objects or may_fit_nothing):
        raise RefusedRecord("no-box", f"{name}: no annotation has its number")
    yield ReadExample(
        id=name,
        text=text,
        split=split,
        parse=parse_regions,
        images=(Image(fields["file_name"], float(fields.get("width", 0)), float(fields.get("height", 0))),),
        boxes=tuple(Region(0, _box(box, name)) for _, box in objects),
        facts=facts,
    )


def _box(values: Any, name: str) -> Box:
    try:
        return box_from(values, form="xywh")
    except SchemaError as error:
        raise RefusedRecord("no-box", f"{name}: {error}") from error


def _number(path: Path, key: str | int, entry: Any, name: str) -> int | str:
    """A number by which entries are joined."""
    found = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(found, int | str):
        raise BrokenDataset(f"{path}: entry {key} has no {name}")
    return found


READER = Reader(
    name="mdetr",
    title="MDETR's files: referring expressions in COCO's layout",
    task="localise",
    license="Apache-2.0; images and objects: COCO's terms",
    citation="Kamath and others (2021). MDETR: modulated detection for end-to-end multi-modal understanding. ICCV.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals=REFUSALS,
    about="All objects of an image are candidates where COCO's file of them lies beside; elsewhere the right boxes are "
    "known, but no scene. The split is in the name of the file.",
)
