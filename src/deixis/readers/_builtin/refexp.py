"""Google Refexp (RefCOCOg as its makers released it): expressions for objects of COCO, with region candidates.

A file is one JSON object: `annotations` (`bbox` as corner and size, `image_id`, `refexp_ids`), `images` (`file_name`,
`width`, `height`, `region_candidates`) and `refexps` (`raw`, `tokens`, `parse`), each by its id. It is read twice:
annotations and images first, then the expressions one by one. In files that were not yet aligned with COCO, annotations
have no box. Where COCO's file of all objects lies beside (`instances.json` or `instances_train2014.json`), the boxes
are from there, and all objects of an image are candidates.

Results of the comprehension task are answers, no dataset: a JSON list of boxes in the order of confidence for every
`refexp_id`. `deixis evaluate` reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset, SchemaError
from deixis.judge.boxes import Box, box_from
from deixis.readers._builtin._coco import REFUSALS, Catalogue, find_instances
from deixis.readers._builtin._records import text_in
from deixis.readers._region_language import parse_regions
from deixis.readers.files import head_of, json_entries
from deixis.readers.reader import ALL, Image, Reader, ReadExample, RefusedRecord, Region


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


HEAD = 32768
TABLES = ("annotations", "images", "refexps")
SIGNS = ('"refexp_ids"', '"refexp_id"', '"region_candidates"', '"refexps"')
SPLITS = ("train", "val", "test")


class Annotation(NamedTuple):
    """An annotation that expressions are about, with its box and its image."""

    annotation: Any = None
    box: Any = None
    category: Any = None
    image: Any = None


class Record(NamedTuple):
    """An expression, the annotation that it belongs to, and the image of that."""

    number: str
    split: str
    fields: Any
    meant: Annotation
    image: Image | None
    candidates: tuple[Box, ...]
    catalogue: Catalogue | None = None


def sniff(path: Path) -> bool:
    """Return whether a file holds expressions of Google Refexp, or results of its comprehension task."""
    head = head_of(path, HEAD) if path.suffix.lower() == ".json" else ""
    start = head.lstrip()[:1]
    if start == "[":
        return '"predicted_bounding_boxes"' in head and '"annotation_id"' in head
    if '"program"' in head:  # expressions of CLEVR-Ref+
        return False
    return start == "{" and any(f'"{name}"' in head for name in TABLES) and any(name in head for name in SIGNS)


def records(path: Path) -> Iterator[Record]:
    """Yield the expressions with what they are about."""
    if head_of(path, 64).lstrip()[:1] == "[":
        raise BrokenDataset(
            f"{path} holds results of the comprehension task, no expressions; judge them with "
            "`deixis evaluate RESULTS --data DATASET`, where DATASET is the file of google_refexp"
        )
    split = next((name for name in SPLITS if f"_{name}" in path.name), ALL)
    instances = find_instances(path)
    catalogue = Catalogue.read(instances) if instances is not None else None
    meant: dict[str, Annotation] = {}
    images: dict[str, tuple[Image, tuple[Box, ...]]] = {}
    for table, key, fields in json_entries(path):
        if not isinstance(fields, dict):
            continue
        if table == "annotations":
            name = fields.get("annotation_id", fields.get("id", key))
            one = Annotation(name, fields.get("bbox"), fields.get("category_id"), str(fields.get("image_id")))
            identifiers = fields.get("refexp_ids")
            meant.update((str(number), one) for number in (identifiers if isinstance(identifiers, list) else ()))
        elif table == "images":
            images[str(fields.get("image_id", fields.get("id", key)))] = _image(fields)
    for table, key, fields in json_entries(path):
        if table == "refexps":
            number = str(fields.get("refexp_id", key) if isinstance(fields, dict) else key)
            one = meant.get(number, Annotation())
            image, candidates = images.get(str(one.image), (None, ()))
            yield Record(number, split, fields, one, image, candidates, catalogue)


def _image(fields: dict[str, Any]) -> tuple[Image, tuple[Box, ...]]:
    """Return the image with the boxes of its candidates, leaving out those without an area."""
    sides = [fields.get(name, 0) for name in ("width", "height")]
    width, height = (side if type(side) in (int, float) and 0 <= side < 1e6 else 0 for side in sides)
    name = fields.get("file_name") or f"COCO image {fields.get('image_id', fields.get('id', '?'))}"
    given = fields.get("region_candidates")
    boxes = []
    for one in given if isinstance(given, list) else ():
        try:
            boxes.append(box_from(one.get("bounding_box") if isinstance(one, dict) else one, form="xywh"))
        except SchemaError:
            continue
    return Image(str(name), width, height), tuple(boxes)


def read(record: Record) -> Iterator[ReadExample]:
    """Yield the example of an expression."""
    number, split, fields, meant, image, candidates, catalogue = record
    text = text_in(fields, "raw")
    identifier = f"{meant.annotation}-{number}"
    if catalogue is not None and meant.annotation is not None and (of := _photo(meant.image, catalogue)) is not None:
        known = {"annotation": meant.annotation}
        yield catalogue.example(of, [meant.annotation], name=identifier, text=text, split=split, facts=known)
        return
    if meant.annotation is None or image is None:
        what = "image" if meant.annotation is not None else "annotation"
        raise RefusedRecord("no-object", f"the {what} of {number} is not in the file")
    if meant.box is None:
        raise RefusedRecord("no-box", f"annotation {str(meant.annotation)[:20]}: align the file with COCO first")
    try:
        box = box_from(meant.box, form="xywh")
    except SchemaError as error:
        raise RefusedRecord("odd-box", str(error)) from error
    facts: dict[str, Any] = {"annotation": meant.annotation, "candidates": len(candidates)}
    if type(meant.category) is int:
        facts["category_id"] = meant.category
    yield ReadExample(
        id=identifier,
        text=text,
        split=split,
        parse=parse_regions,
        images=(image,),
        boxes=(Region(0, box),),
        regions=(candidates,) if candidates else (),
        facts=facts,
    )


def _photo(name: Any, catalogue: Catalogue) -> int | None:
    """The number of an image, if COCO's objects in it are known."""
    number = int(name) if str(name).isdecimal() and len(str(name)) < 18 else None
    return number if number in catalogue.photos else None


READER = Reader(
    name="refexp",
    title="Google Refexp: expressions for objects of COCO",
    task="localise",
    license="CC BY 4.0; images: COCO terms",
    citation="Mao and others (2016). Generation and comprehension of unambiguous object descriptions. CVPR.",
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        **REFUSALS,
        "no-object": "the annotation of the expression, or the image of the annotation, is not in the file",
        "no-box": "the annotation has no box: the file was not aligned with COCO, or COCO's objects lack it",
        "odd-box": "the box is not four numbers, or has no area",
    },
    about="Ids are those of annotation and expression. Candidates are COCO's objects where they are known, else the "
    "regions that the release proposes for each image, among which the object that is meant need not be. Results of "
    "the comprehension task are judged as answers: the first box of each list, in pixels, as corner and size.",
)
