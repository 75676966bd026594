"""VALSE: a caption and a foil of it, of which people voted which one fits the image.

A file is one JSON object of `key: {image_file, caption, foil, mturk, linguistic_phenomena, ...}`, one for each of its
eleven instruments; lists of such records are read, too. The votes are `mturk`: how many of three people found that the
caption fits, the foil, or neither or both.

Files also hold the items on which people did not agree with the dataset, and the evaluation of its makers leaves these
out. Here they stay examples, in a split of their own whose name ends in `-disputed`: `--split relations` leaves them
out as well. The votes are a fact of every example, as is `preferred`, what more than half of the people chose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.readers._builtin._captions import (
    REFUSALS,
    Entry,
    demand_different,
    entries_of,
    fields_of,
    files_in,
    image_name,
    plain_facts,
    sentence_of,
)
from deixis.readers.files import head_of
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


SPLITS = (
    "existence",
    "plurals",
    "counting-hard",
    "counting-small-quant",
    "counting-adversarial",
    "relations",
    "action-replacement",
    "actant-swap",
    "coreference-standard",
    "coreference-hard",
    "foil-it",
)
HEAD = 65536  # bytes: scores of language models stand before the foil of the first record
DISPUTED = "-disputed"
VOTES = ("caption", "foil", "other")
NOBODY = "neither"
FACTS = {
    "linguistic_phenomena": "phenomenon",
    "dataset": "dataset",
    "original_split": "original_split",
    "foil_method": "foil_method",
    "classes": "word",
    "classes_foil": "foil_word",
}
"""Names of facts by the fields that they come from."""


def sniff(path: Path) -> bool:
    """Return whether a file holds an instrument of VALSE, or a folder such files."""
    if path.is_dir():
        return any(sniff(file) for file in files_in(path, SPLITS, sniff))
    head = head_of(path, HEAD)
    has_foil = '"foil"' in head or '"foils"' in head
    return head.lstrip()[:1] in ("{", "[") and has_foil and '"image_file"' in head and '"caption"' in head


def records(path: Path) -> Iterator[Entry]:
    """Yield the items, each with the instrument that the name of its file says."""
    return entries_of(path, files_in(path, SPLITS, sniff) if path.is_dir() else [], "VALSE")


def read(record: Entry) -> Iterator[ReadExample]:
    """Yield the example of one item: the caption and its foil, or its foils where there are several."""
    fields, key = fields_of(record), record.key
    right = sentence_of(fields.get("caption"), key)
    foils = fields.get("foil") or fields.get("foils")
    wrong = [sentence_of(foil, key) for foil in (foils if isinstance(foils, list) and foils else [foils])]
    facts = plain_facts(fields, FACTS)
    preferred = ""
    if (votes := fields.get("mturk")) is not None:
        facts["votes"], preferred = _votes(votes, key)
        facts["preferred"] = preferred
    is_disputed = preferred not in ("", "caption")
    yield ReadExample(
        id=key,
        text=right,
        split=record.split + DISPUTED if is_disputed else record.split,
        images=(Image(image_name(fields.get("image_file"), key)),),
        choices=demand_different((right, *wrong), key),
        facts=facts,
    )


def _votes(votes: Any, key: str) -> tuple[dict[str, int], str]:
    """Return the votes, and what more than half of them are for."""
    counts = {name: votes.get(name, 0) for name in VOTES} if isinstance(votes, dict) else {}
    if not counts or any(type(one) not in (int, float) or one < 0 or one != one // 1 for one in counts.values()):
        raise RefusedRecord("odd-votes", f"{key}: {str(votes)[:60]}")
    counts = {name: int(count) for name, count in counts.items()}
    total = sum(counts.values())
    most = [name for name in VOTES[:2] if 2 * counts[name] > total]
    return counts, most[0] if most else NOBODY if total else ""


READER = Reader(
    name="valse",
    title="VALSE: captions and foils by linguistic phenomenon",
    task="match",
    license="MIT",
    citation="Parcalabescu, Cafagna, Muradjan, Frank, Calixto and Gatt (2022). VALSE: a task-independent benchmark for "
    "vision and language models centered on linguistic phenomena. ACL.",
    sniff=sniff,
    records=records,
    read=read,
    refusals={**REFUSALS, "odd-votes": "the votes of people are no counts"},
    about="The split is the instrument, which is the name of the file. Items that not more than half of the people "
    "gave to the caption are in the split NAME-disputed; published figures leave them out. Choice 0 is the caption, "
    "choice 1 the foil. Images are those of COCO, Visual7W, SWiG and VisDial, of which only the names are kept.",
)
