"""ARO: a caption and what becomes of it when relations, attributes or words change their places.

Three layouts are read, each as a JSON list, JSON Lines or a table with a head:

| layout | fields |
|---|---|
| VG-Relation, VG-Attribution | `true_caption`, `false_caption`, `image_path`, `bbox_x`, `bbox_y`, `bbox_w`, `bbox_h` |
| COCO-Order, Flickr30k-Order | `correct_caption`, `hard_text_1` to `hard_text_4` |
| order files of the authors' code, What's Up | `caption_options`, the right one first, and `image_path` |

The original files of the order tests hold captions only, as their negatives are shuffled anew in every run; these have
nothing to read.
"""

from __future__ import annotations

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
    plain_facts,
    sentence_of,
)
from deixis.readers._builtin._records import texts_of
from deixis.readers.files import head_of
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


HEAD = 65536  # bytes: records may hold the five captions of an image before others
SPLITS = ("visual_genome_relation", "visual_genome_attribution", "coco_order", "flickr30k_order")
LAYOUTS = (("true_caption", "false_caption"), ("correct_caption", "hard_text_1"), ("caption_options",))
"""Fields that tell the layouts apart; the first holds the right caption."""
HARD = tuple(f"hard_text_{number}" for number in range(1, 10))
IMAGES = ("image_path", "image", "image_id", "images", "filename")
FACTS = {"relation_name": "relation", "attributes": "attributes", "obj1_name": "first_object", "obj2_name": "object"}
BOX = ("bbox_x", "bbox_y", "bbox_w", "bbox_h")


def sniff(path: Path) -> bool:
    """Return whether a file holds captions of ARO, or a folder such files."""
    if path.is_dir():
        return any(sniff(file) for file in files_in(path, SPLITS, sniff))
    head = head_of(path, HEAD)
    if path.suffix.lower() in TABLES:
        names = head.partition("\n")[0].replace('"', "").strip().split(TABLES[path.suffix.lower()])
        return any(set(fields) <= set(names) for fields in LAYOUTS)
    return head.lstrip()[:1] in ("{", "[") and any(all(f'"{name}"' in head for name in fields) for fields in LAYOUTS)


def records(path: Path) -> Iterator[Entry]:
    """Yield the records, each with the split that the name of its file says."""
    return entries_of(path, files_in(path, SPLITS, sniff) if path.is_dir() else [], "ARO")


def read(record: Entry) -> Iterator[ReadExample]:
    """Yield the example of one record."""
    fields, key = fields_of(record), record.key
    choices = demand_different(tuple(sentence_of(one, key) for one in _captions(fields, key)), key)
    facts = plain_facts(fields, FACTS)
    if any(name in fields for name in BOX):
        facts["box"] = [_edge(fields.get(name), key) for name in BOX]
    name = next((fields[name] for name in IMAGES if isinstance(fields.get(name), str | int)), None)
    images = (Image(image_name(name, key)),)
    yield ReadExample(id=key, text=choices[0], split=record.split, images=images, choices=choices, facts=facts)


def _captions(fields: dict[str, Any], key: str) -> list[Any]:
    """Return the captions, the right one first."""
    if "true_caption" in fields:
        return [fields["true_caption"], fields.get("false_caption")]
    if "correct_caption" in fields:
        return [fields["correct_caption"], *(fields[name] for name in HARD if name in fields)]
    options = texts_of(fields.get("caption_options"))
    if not options:
        raise RefusedRecord("no-text", key)
    return options


def _edge(value: Any, key: str) -> float:
    """A number of a box, also where it is a cell of a table."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise RefusedRecord("odd-box", f"{key}: {str(value)[:40]}") from None
    if isinstance(value, bool) or not abs(found) < 1e9:
        raise RefusedRecord("odd-box", f"{key}: {str(value)[:40]}")
    return found


READER = Reader(
    name="aro",
    title="ARO: attribution, relation and order of words in captions",
    task="match",
    license="MIT; images and captions as Visual Genome, COCO and Flickr30k",
    citation="Yuksekgonul, Bianchi, Kalluri, Jurafsky and Zou (2023). When and why vision-language models behave like "
    "bags-of-words, and what to do about it? ICLR.",
    sniff=sniff,
    records=records,
    read=read,
    refusals={**REFUSALS, "odd-box": "a side of the box is no number"},
    about="The split is the name of the file. Choice 0 is the right caption. The part of the image that is to be shown "
    "is the fact `box`: left, top, width and height in pixels. Of images only the names are kept.",
)
