"""Cops-Ref as it was released: one JSON object whose `refs` are records of expressions, some of them null.

| key | |
|---|---|
| `ref_id`, `sent_ids`, `sentences` | a number, and one sentence with its tokens |
| `image_id` (also `imageId`), `objectId` | the target |
| `ann_id`, `category_id`, `name`, `box` | of the target; the name is as GQA has it, the box x, y, width, height |
| `attributes`, `att_wds` | of the target: all, and those that are frequent enough to be learnt |
| `expression` | the text |
| `logic` | `chain`, `and`, `or`, `unary` (order), `same` or `not` |
| `explored_list`, `attri_used` | the objects that are spoken of by depth, and their attributes |
| `not_rela` | the relation of an `or` that does not hold |
| `split`, `splitOld`, `valid_flag` | |
| `neg_img_list`, `neg_obj_list`, `neg_ann_id_list` | by kind (`random`, `cat`, `catAndAttr`, `catAndcat`), three each |

Records are read one at a time from files of any size. A record that lacks something is kept as far as it goes; one that
lacks its text or its target is left out, with a line that says why.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.data._json_stream import Cursor
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset
from deixis.worlds.photos._formats.scene_graphs import box_of, id_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deixis.worlds.photos._misreadings import DistractorKind
    from deixis.worlds.photos.scene.graph import Box


KIND_NAMES: Mapping[DistractorKind, str] = {
    "DiffCat": "random",
    "Cat": "cat",
    "Cat&attr": "catAndAttr",
    "Cat&cat": "catAndcat",
    "Mirror": "mirror",
    "Twin": "twin",
}
KINDS: Mapping[str, DistractorKind] = {name: kind for kind, name in KIND_NAMES.items()}
LONGEST_TEXT = 10_000
REF_CODES = {
    "R001": "the file cannot be read further",
    "R002": "the record is null",
    "R003": "the record is no object of fields",
    "R004": "the record has no text",
    "R005": "the record does not say which object of which image is meant",
    "R006": "the record has a number that another one has",
    "R101": "the record lacks its number; it is given one below zero",
    "R102": "the record lacks its form",
    "R103": "the box is not four numbers; it is left out",
    "R104": "a distractor image is not named by an id; it is left out",
    "R105": "the kind of some distractor images is unknown; they are left out",
    "R201": "image_id and imageId differ; image_id is used",
}


@dataclass(slots=True)
class RefReport:
    """Faults found while records are read: the count of each code, and the first line of each."""

    records: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, code: str, number: int, detail: str = "") -> None:
        """Enter one finding about the record of some number, counted from 0."""
        self.counts[code] += 1
        where = f"{code} record {number}: {REF_CODES[code]}" if number >= 0 else f"{code}: {REF_CODES[code]}"
        self.first.setdefault(code, where + (f" ({detail})" if detail else ""))

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each code that was found: its count, and its first place."""
        return tuple(f"{self.counts[code]:>9,} × {self.first[code]}" for code in sorted(self.counts))

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {"records": self.records, "counts": dict(sorted(self.counts.items())), "first": dict(self.first)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """One released record, with None or empty values for fields that a file lacks."""

    ref_id: int
    image_id: str
    object_id: str
    expression: str
    logic: str = ""
    ann_id: int | None = None
    category_id: int | None = None
    name: str = ""
    box: Box | None = None
    attributes: tuple[str, ...] = ()
    att_wds: tuple[str, ...] = ()
    explored_list: Any = None
    attri_used: Any = None
    not_rela: str = ""
    split: str = ""
    split_old: str = ""
    valid_flag: int | None = 1
    neg_img_list: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    neg_obj_list: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    neg_ann_id_list: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    tokens: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as the released file holds it."""
        sentence = {
            "sent_id": self.ref_id,
            "sent": self.expression,
            "tokens": list(self.tokens or self.expression.split()),
        }
        values: dict[str, Any] = {
            "ref_id": self.ref_id,
            "sent_ids": [self.ref_id],
            "sentences": [sentence],
            "image_id": self.image_id,
            "imageId": self.image_id,
            "objectId": self.object_id,
            "ann_id": self.ann_id,
            "category_id": self.category_id,
            "name": self.name,
            "box": None if self.box is None else [_whole(number) for number in self.box],
            "attributes": list(self.attributes),
            "att_wds": list(self.att_wds),
            "expression": self.expression,
            "logic": self.logic,
            "explored_list": self.explored_list,
            "attri_used": self.attri_used,
            "split": self.split,
            "splitOld": self.split_old,
            "valid_flag": self.valid_flag,
            "neg_img_list": {kind: list(ids) for kind, ids in self.neg_img_list.items()},
            "neg_obj_list": {kind: list(ids) for kind, ids in self.neg_obj_list.items()},
            "neg_ann_id_list": {kind: list(ids) for kind, ids in self.neg_ann_id_list.items()},
        }
        if self.not_rela:
            values["not_rela"] = self.not_rela
        return {key: value for key, value in values.items() if value is not None}


def read_refs(path: Path | str, report: RefReport | None = None) -> Iterator[Ref]:
    """Read the records of a released file, one at a time.

    Raises:
        BrokenDataset: when the file holds no records at all; one that breaks off is entered in the report as R001.
    """
    report = report if report is not None else RefReport()
    path = Path(path)
    seen: set[int] = set()
    try:
        with path.open("rb") as file:
            for number, values in _records(Cursor(file, str(path))):
                ref = _ref_from(values, number, report)
                if ref is not None and ref.ref_id in seen:
                    report.add("R006", number, f"{ref.ref_id}")
                elif ref is not None:
                    seen.add(ref.ref_id)
                    report.records += 1
                    yield ref
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error
    except BrokenDataset as error:
        report.add("R001", -1, str(error))
        if not report.records:
            raise


def write_refs(path: Path, refs: Iterable[Ref]) -> int:
    """Write records in the released layout, and return their number."""
    count = 0
    with replacing_file(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write('{"refs": [')
        for ref in refs:
            stream.write((",\n" if count else "\n") + json.dumps(ref.to_dict(), ensure_ascii=False))
            count += 1
        stream.write("\n]}\n")
    return count


# -------------------------------------------------------------------------------- reading


def _records(cursor: Cursor) -> Iterator[tuple[int, Any]]:
    """Yield the entries of `refs`, or of a bare list."""
    if cursor.peek() == "[":
        for number in cursor.items("the records"):
            yield number, cursor.value(f"record {number}")
        return
    has_refs = False
    for key in cursor.members("the released file"):
        if key != "refs":
            cursor.value(f"field {key[:40]!r}")
            continue
        has_refs = True
        for number in cursor.items("'refs'"):
            yield number, cursor.value(f"record {number}")
    if not has_refs:
        cursor.fail("there is no 'refs' in it; this is another format")


def _ref_from(values: Any, number: int, report: RefReport) -> Ref | None:
    if not isinstance(values, dict):
        report.add("R002" if values is None else "R003", number)
        return None
    text = _text_of(values)
    if not text:
        report.add("R004", number)
        return None
    image, other = id_of(values.get("image_id")), id_of(values.get("imageId"))
    target = id_of(values.get("objectId"))
    if not (image or other) or not target:
        report.add("R005", number)
        return None
    if image and other and image != other:
        report.add("R201", number, f"{image} and {other}")
    ref_id, logic = _number_of(values), values.get("logic")
    if ref_id is None:
        report.add("R101", number)
    if not isinstance(logic, str):
        report.add("R102", number)
    given = values.get("box")
    box = box_of(*given) if isinstance(given, list) and len(given) == 4 else None
    if box is None and "box" in values:
        report.add("R103", number)
    flag = values.get("valid_flag")
    return Ref(
        ref_id=-1 - number if ref_id is None else ref_id,
        image_id=image or other,
        object_id=target,
        expression=text,
        logic=logic if isinstance(logic, str) else "",
        ann_id=_number(values.get("ann_id")),
        category_id=_number(values.get("category_id")),
        name=_word(values.get("name")),
        box=box,
        attributes=_words(values.get("attributes")),
        att_wds=_words(values.get("att_wds")),
        explored_list=values.get("explored_list"),
        attri_used=values.get("attri_used"),
        not_rela=_word(values.get("not_rela")),
        split=_word(values.get("split")),
        split_old=_word(values.get("splitOld")),
        valid_flag=flag if isinstance(flag, int) else None,
        neg_img_list=_ids_by_kind(values.get("neg_img_list"), number, report),
        neg_obj_list=_ids_by_kind(values.get("neg_obj_list"), number, report),
        neg_ann_id_list=_numbers_by_kind(values.get("neg_ann_id_list")),
        tokens=_words(_sentence(values).get("tokens")),
    )


def _sentence(values: Mapping[str, Any]) -> Mapping[str, Any]:
    sentences = values.get("sentences")
    first = sentences[0] if isinstance(sentences, list) and sentences else None
    return first if isinstance(first, dict) else {}


def _number_of(values: Mapping[str, Any]) -> int | None:
    given = values.get("sent_ids")
    others = given if isinstance(given, list) else []
    candidates = (values.get("ref_id"), *others[:1], _sentence(values).get("sent_id"))
    return next((number for number in map(_number, candidates) if number is not None), None)


def _text_of(values: Mapping[str, Any]) -> str:
    for text in (values.get("expression"), _sentence(values).get("sent")):
        if isinstance(text, str) and text.strip() and len(text) <= LONGEST_TEXT and text.isprintable():
            return text
    return ""


def _number(value: Any) -> int | None:
    return value if type(value) is int and abs(value) < 1 << 62 else None


def _word(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= LONGEST_TEXT else ""


def _words(values: Any) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def _ids_by_kind(values: Any, number: int, report: RefReport) -> dict[str, tuple[str, ...]]:
    if not isinstance(values, dict):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for kind, some in values.items():
        ids = [id_of(one) for one in some] if isinstance(some, list) else [""]
        if kind not in KINDS:
            report.add("R105", number, repr(kind[:40]))
            continue
        if not all(ids):
            report.add("R104", number)
        found[kind] = tuple(one for one in ids if one)
    return found


def _numbers_by_kind(values: Any) -> dict[str, tuple[int, ...]]:
    if not isinstance(values, dict):
        return {}
    return {
        kind: tuple(one for one in some if type(one) is int)
        for kind, some in values.items()
        if kind in KINDS and isinstance(some, list)
    }


def _whole(number: float) -> int | float:
    return int(number) if number == int(number) else number
