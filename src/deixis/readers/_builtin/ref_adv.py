"""Ref-Adv: expressions of several hops among many distractors, some of which fit nothing.

Three layouts are read: the file of the annotators (`normal_caption`, `solution`, `categories`), the rows of the
release (`human_authored`, `use_negation`, `distractors`; as JSON, JSON Lines, a table, Parquet, or as a dataset
server gives them out), and files of predictions, which repeat what was asked (`gt_bbox_xyxy`).

Right boxes are in pixels, two corners. The annotators' file has each box again in thousandths of the width and height;
where the two are not the same box, the fact `spaces_differ` holds by how many thousandths.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from deixis.readers._builtin._records import box_in, files_of, parquet_columns, parquet_records, records_of, text_in
from deixis.readers._region_language import parse_regions
from deixis.readers.files import head_of
from deixis.readers.reader import ALL, Image, Reader, ReadExample, RefusedRecord, Region


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.judge.boxes import Box


HEAD = 65536  # bytes: a row may begin with a picture
TEXT, PREDICTED = "normal_caption", "gt_bbox_xyxy"
SIGNS = ("solution", PREDICTED)
AGREES = 1.5  # thousandths by which a box and its copy may differ by rounding
COPIED = ("human_authored", "use_negation", "image_source", "occluded", "annotation_id")
COLUMNS = (TEXT, "file_name", "solution", "width", "height", "hops", "type", "distractors", "empty_case", *COPIED)
SPLITS = ("train", "val", "test")


def sniff(path: Path) -> bool:
    """Return whether a file holds expressions of Ref-Adv, or predictions of its evaluation, or a folder such files."""
    if path.is_dir():
        return bool(files_of(path, _is_dataset))
    if path.suffix.lower() == ".parquet" and path.is_file():
        return {TEXT, "solution"} <= set(parquet_columns(path))
    if path.suffix.lower() not in (".json", ".jsonl", ".tsv", ".csv"):
        return False
    head = head_of(path, HEAD)
    if path.suffix.lower() in (".tsv", ".csv"):
        names = set(re.split(r"[,\t\"]", head.partition("\n")[0].strip()))
        return TEXT in names and not names.isdisjoint(SIGNS)
    return f'"{TEXT}"' in head and any(f'"{name}"' in head for name in SIGNS)


def records(path: Path) -> Iterator[tuple[int, str, Any]]:
    """Yield the records with their numbers and the split that the name of the file says."""
    before = 0  # records of other files of the folder
    for file in files_of(path, _is_dataset):
        named = re.search(rf"(?:^|[_.-])({'|'.join(SPLITS)})(?=[_.-])", file.name)
        split, place = named[1] if named else ALL, -1
        is_parquet = file.suffix.lower() == ".parquet"
        for place, (number, fields) in enumerate(parquet_records(file, COLUMNS) if is_parquet else records_of(file)):
            yield number + before if number == place else number, split, fields
        before += place + 1


def _is_dataset(path: Path) -> bool:
    """Return whether a file holds expressions, and no predictions, which may lie beside them."""
    return sniff(path) and (path.suffix.lower() == ".parquet" or f'"{PREDICTED}"' not in head_of(path, HEAD))


def read(record: tuple[int, str, Any]) -> Iterator[ReadExample]:
    """Yield the example of an expression."""
    number, split, fields = record
    text = text_in(fields, TEXT)
    categories = fields.get("categories")
    categories = categories if isinstance(categories, dict) else {}
    image = Image(_file(fields), _side(fields, "width"), _side(fields, "height"))
    boxes = _boxes(fields, categories)
    facts = _facts(fields, categories)
    if boxes and (apart := _difference(boxes, fields, image)) is not None and apart > AGREES:
        facts["spaces_differ"] = round(apart, 1)
    yield ReadExample(
        id=_id(fields.get("row_idx", number), number),
        text=text,
        split=split,
        parse=parse_regions,
        images=(image,),
        boxes=tuple(Region(0, box) for box in boxes),
        facts=facts,
    )


def _id(given: Any, number: int) -> int | str:
    """Return the number that the record gives itself, or its number in the file where that is none."""
    return given if type(given) is int or (isinstance(given, str) and given) else number


def _file(fields: dict[str, Any]) -> str:
    """Return the name of the image: as a path, beside its bytes, or apart."""
    image = fields.get("image")
    if isinstance(image, dict):
        image = image.get("path")
    name = image if isinstance(image, str) and len(image) < 400 else fields.get("file_name")
    if not isinstance(name, str) or not name:
        raise RefusedRecord("no-image", f"image is {str(fields.get('image'))[:40]!r}")
    return name


def _side(fields: dict[str, Any], name: str) -> float:
    """Return the width or height, 0 where the record does not say."""
    value = fields.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise RefusedRecord("no-image", f"{name} is {str(value)[:40]!r}")
    return value


def _boxes(fields: dict[str, Any], categories: dict[str, Any]) -> tuple[Box, ...]:
    """Return the right boxes, none where the record says that nothing fits."""
    given = fields["solution"] if "solution" in fields else fields[PREDICTED]
    is_empty = categories.get("empty_case", fields.get("empty_case", False))
    if is_empty is True:
        if given:
            raise RefusedRecord("contradiction", f"nothing fits, yet there is the box {str(given)[:60]}")
        return ()
    if not given:
        raise RefusedRecord("no-box", "there is no box, and it is not said that nothing fits")
    several = given if isinstance(given, list) and isinstance(given[0], list) else [given]
    return tuple(box_in(one, "solution") for one in several)


def _difference(boxes: tuple[Box, ...], fields: dict[str, Any], image: Image) -> float | None:
    """By how many thousandths the box differs from its copy at most; None where there is none."""
    copy = fields.get("normalized_solution")
    if len(boxes) != 1 or not isinstance(copy, list) or len(copy) != 4 or not (image.width and image.height):
        return None
    here = boxes[0].convert("pixels", "0..1000", (image.width, image.height))
    return max(abs(one - other) for one, other in zip(here, copy, strict=True))


def _facts(fields: dict[str, Any], categories: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    both = {**fields, **categories}
    for name in ("hops", "distractors"):
        if (value := _count(both.get(name))) is not None:
            facts[name] = value
    if "distractors" not in facts and (value := _count(fields.get("distractor_count"))) is not None:
        facts["distractors"] = value
    for name in ("type", "attribute"):
        if isinstance(kinds := both.get(name), list) and kinds:
            facts[name] = [str(one) for one in kinds]
    facts |= {name: both[name] for name in COPIED if isinstance(both.get(name), bool | str | int)}
    return facts


def _count(value: Any) -> int | None:
    """Return a number that is written as one, as a text, or as a list of things; None where it is none of these."""
    if isinstance(value, list):
        return len(value)
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 6:
        return int(value)
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            return len(json.loads(value.replace("'", '"')))  # lists come with either quotation mark
        except (ValueError, RecursionError):
            return None
    return value if type(value) is int else None


READER = Reader(
    name="ref_adv",
    title="Ref-Adv: expressions of several hops among distractors",
    task="localise",
    license="Apache-2.0 (code and predictions), MIT (annotators' file); images: COCO and Open Images terms",
    citation="Dong and others (2026). Ref-Adv: exploring MLLM visual reasoning in referring expression tasks. ICLR.",
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        "no-text": "the expression is empty",
        "no-image": "the image has no name, or a size that is none",
        "no-box": "there is no box, and it is not said that nothing fits",
        "odd-box": "the box is not four numbers, or has no area",
        "contradiction": "it is said that nothing fits, and there is a box",
    },
    about="Ids are the numbers of rows, which predictions name as `row_idx`. An expression without a box whose "
    "`empty_case` is true fits nothing. Facts: hops, type, distractors, occluded, human_authored, use_negation, "
    "image_source. `deixis evaluate` reads the files of predictions of Ref-Adv's evaluation: their boxes are in pixels "
    "whatever `pred_box_expected_format` says, which is the space of what the model wrote.",
)
