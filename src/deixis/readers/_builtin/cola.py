"""COLA: two images and two captions with the same words, each of which fits one of the images.

A file is a JSON list of `[image 1, caption 1, image 2, caption 2]`. Objects and tables with these four under names of
their own are read, too. Only this part of COLA is: its benchmark of single objects asks about labels, not sentences.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.readers._builtin._captions import (
    REFUSALS,
    TABLES,
    Entry,
    demand_different,
    entries_of,
    fields_of,
    files_in,
    image_name,
    sentence_of,
)
from deixis.readers.files import head_of
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


NAMES = (
    ("image1", "caption1", "image2", "caption2"),
    ("image_1", "caption_1", "image_2", "caption_2"),
)
"""Names of the four fields, where they have names."""


def sniff(path: Path) -> bool:
    """Return whether a file holds two images and two captions in every record, or a folder such files."""
    if path.is_dir():
        return any(sniff(file) for file in files_in(path, (), sniff))
    return has_names(path, NAMES) or _begins_with_four(head_of(path))


def records(path: Path) -> Iterator[Entry]:
    """Yield the records of a file, or of all such files of a folder."""
    return entries_of(path, files_in(path, (), sniff) if path.is_dir() else [], "COLA")


def read(record: Entry) -> Iterator[ReadExample]:
    """Yield the example of one record."""
    value = record.value
    if isinstance(value, list):
        if len(value) != 4:
            raise RefusedRecord("no-record", f"{record.key} has {len(value)} entries instead of 4")
        four = value
    else:
        fields = fields_of(record)
        names = next((names for names in NAMES if names[0] in fields), NAMES[0])
        four = [fields.get(name) for name in names]
    yield matching(record, four)


def matching(record: Entry, four: Sequence[Any], *, key: str = "", facts: dict[str, Any] | None = None) -> ReadExample:
    """The example of two images and two captions, of which caption k fits image k."""
    key = key or record.key
    images = tuple(image_name(one, key) for one in four[::2])
    if images[0] == images[1]:
        raise RefusedRecord("same-image", f"{key}: {images[0][:60]}")
    choices = demand_different(tuple(sentence_of(one, key) for one in four[1::2]), key)
    return ReadExample(
        id=key,
        text=choices[0],
        split=record.split,
        images=tuple(map(Image, images)),
        choices=choices,
        facts=facts or {},
    )


def has_names(path: Path, names: Sequence[tuple[str, ...]]) -> bool:
    """Return whether the beginning of a file has all names of a layout, as fields or as columns."""
    head = head_of(path)
    if path.suffix.lower() in TABLES:
        columns = head.partition("\n")[0].replace('"', "").strip().split(TABLES[path.suffix.lower()])
        return any(set(some) <= set(columns) for some in names)
    return head.lstrip()[:1] in ("{", "[") and any(all(f'"{name}"' in head for name in some) for some in names)


def _begins_with_four(head: str) -> bool:
    """Return whether a text begins with a list of lists, the first of which holds four words."""
    head = head.lstrip()
    if head[:1] != "[":
        return False
    try:
        first, _ = json.JSONDecoder().raw_decode(head[1:].lstrip())
    except (ValueError, RecursionError):
        return False
    return isinstance(first, list) and len(first) == 4 and all(isinstance(one, str) for one in first)


MORE_REFUSALS = {**REFUSALS, "same-image": "both images have the same name"}
READER = Reader(
    name="cola",
    title="COLA: two captions and two images to be matched",
    task="match",
    license="MIT; images as Visual Genome and GQA",
    citation="Ray, Radenovic, Dubey, Plummer, Krishna and Saenko (2023). COLA: a benchmark for compositional "
    "text-to-image retrieval. NeurIPS Datasets and Benchmarks.",
    sniff=sniff,
    records=records,
    read=read,
    refusals=MORE_REFUSALS,
    about="Caption k fits image k. The accuracy that its makers report is the image score: for each caption the right "
    "image. Addresses of images are read as the names of their files, and nothing is fetched.",
)
