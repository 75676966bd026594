"""SugarCrepe: a caption of a photograph and a hard negative, in which words are added, replaced or swapped.

A file is one JSON object of `index: {filename, caption, negative_caption}`, one for each of seven ways to make
negatives. Lists and lines of such records are read, too, and SugarCrepe++, which has a second right caption. A folder
is read file by file; answers of models, which lie beside the files in the repository, are left to `deixis evaluate`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from deixis.readers._builtin._captions import (
    REFUSALS,
    Entry,
    demand_different,
    entries_of,
    fields_of,
    files_in,
    image_name,
    sentence_of,
)
from deixis.readers.files import head_of
from deixis.readers.reader import Image, Reader, ReadExample


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


SPLITS = ("add_att", "add_obj", "replace_att", "replace_obj", "replace_rel", "swap_att", "swap_obj")
FIELDS = ('"caption"', '"negative_caption"', '"filename"')
ANSWERED = ('"multiple_choice_answer"', '"free_form_answer"', '"correct"')
PARTS = {
    "att": "attribute",
    "attribute": "attribute",
    "obj": "object",
    "object": "object",
    "rel": "relation",
    "ent": "object",
}


def sniff(path: Path) -> bool:
    """Return whether a file holds captions with hard negatives, or a folder such files."""
    if path.is_dir():
        return any(sniff(file) for file in files_in(path, SPLITS, sniff))
    head = head_of(path)
    has_fields = head.lstrip()[:1] in ("{", "[") and all(name in head for name in FIELDS)
    return has_fields and not any(name in head for name in ANSWERED)


def records(path: Path) -> Iterator[Entry]:
    """Yield the pairs, each with the split that the name of its file says."""
    return entries_of(path, files_in(path, SPLITS, sniff) if path.is_dir() else [], "SugarCrepe")


def read(record: Entry) -> Iterator[ReadExample]:
    """Yield the example of one pair."""
    fields, key = fields_of(record), record.key
    right, wrong = sentence_of(fields.get("caption"), key), sentence_of(fields.get("negative_caption"), key)
    facts = dict(_change(record.split))
    if isinstance(other := fields.get("caption2"), str):
        facts["other_caption"] = other
    yield ReadExample(
        id=key,
        text=right,
        split=record.split,
        images=(Image(image_name(fields.get("filename"), key)),),
        choices=demand_different((right, wrong), key),
        facts=facts,
    )


@cache
def _change(split: str) -> dict[str, Any]:
    """How negatives of a split are made, where its name is one of SugarCrepe's."""
    change, _, part = split.partition("_")
    if change not in ("add", "replace", "swap") or part not in PARTS:
        return {}
    return {"change": change, "changed": PARTS[part]}


READER = Reader(
    name="sugarcrepe",
    title="SugarCrepe: captions with hard negatives",
    task="match",
    license="MIT",
    citation="Hsieh, Zhang, Ma, Kembhavi and Krishna (2023). SugarCrepe: fixing hackable benchmarks for "
    "vision-language compositionality. NeurIPS Datasets and Benchmarks.",
    sniff=sniff,
    records=records,
    read=read,
    refusals=REFUSALS,
    about="The split is the name of the file, such as swap_att. Choice 0 is the caption, choice 1 the negative. Images "
    "are photographs of COCO val2017, of which only the names are kept. An example is called by its index, in a folder "
    "with the split before it: swap_att/12. The released swap_obj has no record 108, to which published answers exist.",
)
