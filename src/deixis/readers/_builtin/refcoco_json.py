"""Referring expressions in COCO's layout: the files of MDETR, and Google Refexp.

| read | one record is |
|---|---|
| `finetune_refcoco_train.json`, … of MDETR: every image is one expression (`caption`) | an image |
| `google_refexp_train_201511_coco_aligned.json`: `annotations`, `images` and `refexps` by number | an object |
| `google_refexp_train_201511.json`: the same as lists, whose boxes are in the file of COCO's objects | an object |

These files have the objects that somebody refers to, not all objects of an image. Where a file with all of them lies
beside (`instances.json` or `instances_train2014.json`), all are candidates; elsewhere the right box is known, but no
scene. All boxes are (left, top, width, height) in pixels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset, SchemaError
from deixis.judge.boxes import box_from
from deixis.readers._builtin._coco import REFUSALS, Catalogue, find_instances, said, split_in
from deixis.readers._region_language import parse_regions
from deixis.readers._region_scene import SCHEMA
from deixis.readers.files import head_of, json_entries, tail_of
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord, Region


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from deixis.judge.boxes import Box


class Asked(NamedTuple):
    """An object or several of one image, and what is said of them.

    Attributes:
        name: of the record.
        texts: by their names.
        image: its number in COCO, its file, width and height.
        objects: their numbers in COCO.
        boxes: as the file writes them; None where the catalogue has them.
        split: from the name of the file.
        catalogue: all objects of COCO, if they are known.
        facts: what else is said.
    """

    name: str
    texts: Mapping[str, Any]
    image: tuple[Any, Any, Any, Any]
    objects: tuple[Any, ...]
    boxes: tuple[Any, ...] | None
    split: str
    catalogue: Catalogue | None
    facts: dict[str, Any]


def sniff(path: Path) -> bool:
    """Return whether a file is one of MDETR or of Google Refexp."""
    return bool(_layout(path))


def records(path: Path) -> Iterator[Asked]:
    """Yield what is asked, in the order of the file."""
    instances = find_instances(path)
    catalogue = Catalogue.read(instances) if instances is not None else None
    split = split_in(path.name.replace("_coco_aligned", "").replace("_201511", ""))
    is_of_mdetr = _layout(path) == "mdetr"
    yield from (_of_mdetr if is_of_mdetr else _of_google)(path, split, catalogue)


def read(record: Asked) -> Iterator[ReadExample]:
    """Yield an example for every expression."""
    if not record.texts:
        raise RefusedRecord("no-text", record.name)
    for name, text in record.texts.items():
        yield _example(record, name, text)


def _example(record: Asked, name: str, text: Any) -> ReadExample:
    number, file, width, height = record.image
    if record.catalogue is not None and number in record.catalogue.photos:
        return record.catalogue.example(
            number, record.objects, name=name, text=text, split=record.split, facts=record.facts
        )
    if record.boxes is None or not file:
        raise RefusedRecord("no-image", f"{name}: image {number}")
    return ReadExample(
        id=name,
        text=said(text, name),
        split=record.split,
        parse=parse_regions,
        images=(Image(str(file), float(width), float(height)),),
        boxes=tuple(Region(0, _box(box, name)) for box in record.boxes),
        facts=record.facts,
    )


def _box(values: Any, name: str) -> Box:
    try:
        return box_from(values, form="xywh")
    except SchemaError as error:
        raise RefusedRecord("no-box", f"{name}: {error}") from error


def _of_mdetr(path: Path, split: str, catalogue: Catalogue | None) -> Iterator[Asked]:
    """Yield the captions of MDETR; the boxes, which stand behind all images, are collected first."""
    boxes: dict[Any, list[tuple[Any, Any]]] = {}
    for field, key, entry in json_entries(path):
        if field == "annotations":
            number = _field(path, key, entry, "image_id")
            boxes.setdefault(number, []).append((entry.get("original_id"), entry.get("bbox")))
    for field, key, entry in json_entries(path):
        if field != "images":
            continue
        own = _field(path, key, entry, "id")
        known = boxes.get(own, [])
        facts = {"dataset": entry["dataset_name"]} if isinstance(entry.get("dataset_name"), str) else {}
        yield Asked(
            name=str(own),
            texts={str(own): entry.get("caption")},
            image=(entry.get("original_id"), entry.get("file_name"), entry.get("width", 0), entry.get("height", 0)),
            objects=tuple(one for one, _ in known),
            boxes=tuple(box for _, box in known),
            split=split,
            catalogue=catalogue,
            facts=facts,
        )


def _of_google(path: Path, split: str, catalogue: Catalogue | None) -> Iterator[Asked]:
    """Yield the objects of Google Refexp; images and expressions, which may stand behind them, are collected first."""
    images: dict[Any, tuple[Any, Any, Any]] = {}
    texts: dict[Any, Any] = {}
    for field, key, entry in json_entries(path):
        if field == "images":
            number = _field(path, key, entry, "image_id")
            images[number] = entry.get("file_name"), entry.get("width", 0), entry.get("height", 0)
        elif field == "refexps":
            texts[_field(path, key, entry, "refexp_id")] = entry.get("raw")
    for field, key, entry in json_entries(path):
        if field != "annotations":
            continue
        name, image = _field(path, key, entry, "annotation_id"), _field(path, key, entry, "image_id")
        expressions = entry.get("refexp_ids")
        yield Asked(
            name=str(name),
            texts={f"{name}-{one}": texts.get(one) for one in (expressions if isinstance(expressions, list) else ())},
            image=(image, *images.get(image, ("", 0, 0))),
            objects=(name,),
            boxes=(entry["bbox"],) if "bbox" in entry else None,
            split=split,
            catalogue=catalogue,
            facts={"object": name},
        )


def _field(path: Path, key: str | int, entry: Any, name: str) -> Any:
    """A number by which entries are joined."""
    found = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(found, int | str):
        raise BrokenDataset(f"{path}: entry {key} has no {name}")
    return found


def _layout(path: Path) -> str:
    """The layout of a file, empty where it is another one."""
    head = head_of(path, 1 << 14)
    if head.lstrip()[:1] != "{" or '"ref_id"' in head:
        return ""
    ends = head + tail_of(path)
    if '"refexps"' in ends or '"refexp_ids"' in ends or '"refexp_id"' in ends:
        return "google"
    is_of_mdetr = '"caption"' in ends and any(f'"{name}"' in ends for name in ("tokens_positive", "tokens_negative"))
    return "mdetr" if is_of_mdetr and ('"images"' in ends or '"annotations"' in ends) else ""


READER = Reader(
    name="refcoco_json",
    title="Referring expressions in COCO's layout: MDETR and Google Refexp",
    task="localise",
    license="as the references: Apache-2.0 (RefCOCO), CC BY 4.0 (Google Refexp); images and objects: COCO's terms",
    citation="Kamath and others (2021). MDETR. ICCV. Mao and others (2016). Generation and comprehension of "
    "unambiguous object descriptions. CVPR.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals=REFUSALS,
    about="All objects of an image are candidates where COCO's file of them lies beside; elsewhere the right boxes are "
    "known, but no scene. The split is in the name of the file.",
)
