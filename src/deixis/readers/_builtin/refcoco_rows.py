"""Referring expressions with one box a row: TSV, JSON, JSON Lines and Parquet as evaluation kits hold them.

The layout declares how boxes are written; nothing is told from their size. Pictures in Parquet files are not read.

| layout | known by | text | box |
|---|---|---|---|
| VLMEvalKit, with corners | `bbox_x1`, `bbox_y1`, `bbox_x2`, `bbox_y2` | `question` | corners in pixels |
| VLMEvalKit | `category`, `answer` | `question` | corners as shares, in `answer` |
| kits made from it | `width`, `height`, `answer` | `question` | corners in pixels, in `answer` |
| lmms-eval | `question_id`, `bbox`, `answer` | each in the list `answer` | left, top, width, height in pixels |
| rows with `captions` | `raw_image_info`, `captions`, `bbox` | each caption | corners in pixels |
| Qwen-VL | `sent`, `bbox`, `image`, `width`, `height` | `sent` | corners in pixels |

A row whose box cannot be in the space that its layout declares is refused (`odd-space`). A question around the
expression is taken off. Images in rows (base64) are known by a digest, or by the row that has them. A list in a cell
of a table may be written as JSON, Python or numpy write it.
"""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from deixis.errors import SchemaError
from deixis.judge.boxes import box_from
from deixis.readers._builtin._coco import REFUSALS, demand_text, make_all, name_split, split_in
from deixis.readers._builtin._records import files_of, name_image, parquet_columns, parquet_records, texts_of
from deixis.readers._region_language import parse_regions
from deixis.readers.files import head_of, json_items, json_lines, table_rows
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord, Region


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from deixis.judge.boxes import Box


CORNERS = ("bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2")
NOTHING = "none"  # the label of a row whose expression fits nothing
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
REF = re.compile(r"<ref>(.*?)</ref>|<\|object_ref_start\|>(.*?)<\|object_ref_end\|>", re.DOTALL)
ASKS = re.compile(r".*\b(?:describes|described by|description)\s*:\s*", re.DOTALL | re.IGNORECASE)
KEY = re.compile(r'"([a-z_0-9]+)"\s*:')
NUMBERED = re.compile(r"(COCO_[a-z0-9]+_[0-9]{12})_[0-9]+(\.jpg)$")  # by the reference, in the cards of refer
LONGEST_IMAGE = 1 << 20  # bytes of a row in which a sniffer looks for the fields behind the image
LISTS = ("answer", "captions")  # fields that hold all expressions of a row
SLACK = 1e-3  # shares by which a box may reach out of its image


class Layout(NamedTuple):
    """The fields of rows of one kind.

    Attributes:
        fields: by which it is known.
        texts: the field of the expressions.
        box: the four numbers of a row.
        form: two corners, or one corner with width and height.
        space: of the numbers.
    """

    fields: tuple[str, ...]
    texts: str
    box: Callable[[Mapping[str, Any]], Any]
    form: str = "xyxy"
    space: str = "pixels"


def _find_in(field: str) -> Callable[[Mapping[str, Any]], Any]:
    """Return the box of a field, which is a list or written out."""

    def find(row: Mapping[str, Any]) -> Any:
        value = row[field]
        return [float(one) for one in NUMBER.findall(value)] if isinstance(value, str) else value

    return find


LAYOUTS = {
    "corners": Layout((*CORNERS, "question"), "question", lambda row: [float(row[name]) for name in CORNERS]),
    "captions": Layout(("raw_image_info", "captions", "bbox"), "captions", _find_in("bbox")),
    "lmms": Layout(("question_id", "bbox", "answer"), "answer", _find_in("bbox"), form="xywh"),
    "sent": Layout(("sent", "bbox", "image", "width", "height"), "sent", _find_in("bbox")),
    "kit": Layout(("index", "question", "answer", "category"), "question", _find_in("answer"), space="share"),
    "answers": Layout(("index", "question", "answer", "width", "height"), "question", _find_in("answer")),
}
"""All layouts, the most particular first."""
NAMES = ("file_name", "image_path", "raw_image_info", "width", "height", "split", "dataset", "label", "ref_id", "id")
COLUMNS = frozenset(name for layout in LAYOUTS.values() for name in layout.fields).union(NAMES) - {"image"}


class Row(NamedTuple):
    """One row, with its layout and the split that the name of its file says."""

    number: int
    fields: Any
    layout: str
    split: str


def sniff(path: Path) -> bool:
    """Return whether a file has rows in one of the layouts, or a folder such files."""
    return any(map(_layout, files_of(path, sniff)))


def records(path: Path) -> Iterator[Row]:
    """Yield the rows of a file, or of several numbered through, with the names of images instead of images."""
    number = count()
    for file in files_of(path, sniff):
        layout, split = _layout(file), split_in(file.name)
        images: dict[str, str] = {}
        for fields in _rows(file):
            if isinstance(fields, dict) and isinstance(image := fields.get("image"), str):
                fields["image"] = name_image(image, str(fields.get("index")), images)
            yield Row(next(number), fields, layout, split)


def read(record: Row) -> Iterator[ReadExample]:
    """Yield an example for every expression of a row."""
    row, layout = record.fields, LAYOUTS[record.layout]
    name = str(next((row[key] for key in ("index", "question_id", "ref_id", "id") if key in row), record.number))
    image = _image(row)
    space: Literal["pixels", "share"] = "pixels"
    boxes: tuple[Region, ...] = ()
    if row.get("label") != NOTHING:
        space, box = _box(row, layout, image, name)
        boxes = (Region(0, box),)
    given = row[layout.texts]
    is_list = isinstance(given, list) or layout.texts in LISTS
    if not (texts := texts_of(given) if is_list else [given]):
        raise RefusedRecord("no-text", name)
    split = _split(row, record.split)
    facts: dict[str, Any] = {key: str(row[key]) for key in ("category", "dataset") if row.get(key)}
    if row.get("instead_of"):  # what `deixis convert --to absent-tsv` changed
        facts["absent"] = {key: row.get(key) for key in ("original", "word", "instead_of")}

    def make(number: int, whole: Any) -> ReadExample:
        own = f"{record.number}-{name}" + (f"-{number}" if is_list else "")
        text = demand_text(_expression(whole), own)
        return ReadExample(
            id=own,
            text=text,
            split=split,
            parse=parse_regions,
            images=(image,),
            boxes=boxes,
            space=space,
            facts=facts if text == whole.strip() else {**facts, "question": whole},
        )

    yield from make_all(partial(make, number, whole) for number, whole in enumerate(texts))


def _box(row: Mapping[str, Any], layout: Layout, image: Image, name: str) -> tuple[Literal["pixels", "share"], Box]:
    """The box of a row with its space: pixels wherever the size of the image is known."""
    try:
        box = box_from(layout.box(row), form=layout.form)  # type: ignore[arg-type]
    except SchemaError as error:
        raise RefusedRecord("no-box", f"{name}: {error}") from error
    if layout.space == "pixels":
        if max(box) <= 1:
            raise RefusedRecord("odd-space", f"{name}: {list(box)} in pixels")
        return "pixels", box
    if max(box) > 1 + SLACK or min(box) < -SLACK:
        raise RefusedRecord("odd-space", f"{name}: {list(box)} as shares")
    if image.width > 0 and image.height > 0:
        return "pixels", box.convert("share", "pixels", image[1:])
    return "share", box


def _image(row: Mapping[str, Any]) -> Image:
    """The image of a row."""
    info = row.get("raw_image_info")
    if isinstance(info, str):
        try:
            info = json.loads(info)
        except RecursionError as error:
            raise ValueError("raw_image_info is nested too deeply") from error
    known: Mapping[str, Any] = info if isinstance(info, dict) else row
    names = known.get("file_name"), row.get("image_path"), row.get("image")
    name = next((one for one in names if isinstance(one, str) and one), "")
    return Image(NUMBERED.sub(r"\1\2", name), float(known.get("width") or 0), float(known.get("height") or 0))


def _split(row: Mapping[str, Any], split: str) -> str:
    """The split that a row names, or that of the file."""
    own = row.get("split") or row.get("category")
    return name_split(re.sub(r"[\s_]+", "-", str(own).strip())) if own else split


def _expression(text: Any) -> Any:
    """An expression without the question around it."""
    if not isinstance(text, str):
        return text
    if found := REF.search(text):
        return found[1] or found[2]
    if (asked := ASKS.match(text)) and asked.end() < len(text):
        return text[asked.end() :]
    return text


def _layout(path: Path) -> str:
    """The layout of the rows of a file, empty where it is none of these."""
    if path.suffix.lower() == ".parquet":
        return _layout_of(set(parquet_columns(path)))
    head = head_of(path)
    if head.lstrip()[:1] not in ("{", "["):
        return _layout_of(set(re.split(r"[\r\n]", head, maxsplit=1)[0].split("\t")))
    if any(f'"{name}"' in head for name in ("annotations", "normal_caption")):
        return ""
    found = _layout_of(set(KEY.findall(head)))
    if not found and '"image"' in head:  # which may be longer than the beginning of the file
        found = _layout_of(set(KEY.findall(head_of(path, LONGEST_IMAGE))))
    return found


def _layout_of(names: set[str]) -> str:
    return next((name for name, layout in LAYOUTS.items() if names.issuperset(layout.fields)), "")


def _rows(path: Path) -> Iterator[Any]:
    if path.suffix.lower() == ".parquet":
        return (row for _, row in parquet_records(path, COLUMNS))
    start = head_of(path, 64).lstrip()[:1]
    if start == "[":
        return json_items(path)
    return json_lines(path) if start == "{" else table_rows(path, delimiter="\t")


READER = Reader(
    name="refcoco_rows",
    title="Referring expressions with one box a row: lmms-eval, VLMEvalKit, Qwen-VL",
    task="localise",
    license="as the references; images: COCO's terms",
    citation="Kazemzadeh, Ordonez, Matten and Berg (2014). ReferItGame. EMNLP. Yu, Poirson, Yang, Berg and Berg "
    "(2016). Modeling context in referring expressions. ECCV.",
    sniff=sniff,
    records=records,
    read=read,
    refusals={**REFUSALS, "odd-space": "the box cannot be in the space that the layout of the rows declares"},
    about="Rows say which box is right, not which other objects there are, so no scene is known. The space of the "
    "boxes is declared by the layout: corners in pixels, corners as shares, or left, top, width and height in pixels. "
    "`question` is the whole question where the expression was taken out of one.",
)
