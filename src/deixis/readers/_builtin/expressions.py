"""Lists of expressions alone: what speakers say of objects that are named by number only.

Files are `{"predictions": [{"sent": "man in black", "ref_id": 47}, ...]}` as refer's evaluation takes them, or the
list by itself. Neither image nor object is in the file, so there is nothing to resolve: lengths, words, repeats and the
share of texts with a meaning can be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.readers._builtin._coco import demand_text, split_in
from deixis.readers._region_language import parse_regions
from deixis.readers.files import head_of, json_items
from deixis.readers.reader import Reader, ReadExample


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


LIST = "predictions"


class Entry(NamedTuple):
    """One entry of a list."""

    number: int
    fields: Any
    split: str


def sniff(path: Path) -> bool:
    """Return whether a file is a list of expressions by numbers of references."""
    head = head_of(path, 400)
    start = "".join(head.split())[:40]
    is_list = start.startswith(('{"predictions":[{', "[{"))
    return is_list and '"sent"' in head and '"ref_id"' in head and '"sentences"' not in head and '"bbox"' not in head


def records(path: Path) -> Iterator[Entry]:
    """Yield the entries in the order of the file."""
    key = LIST if head_of(path, 64).lstrip()[:1] == "{" else ""
    split = split_in(path.name)
    for number, fields in enumerate(json_items(path, key)):
        yield Entry(number, fields, split)


def read(record: Entry) -> Iterator[ReadExample]:
    """Yield the example of an entry."""
    name = f"{record.fields['ref_id']}-{record.number}"
    yield ReadExample(
        id=name,
        text=demand_text(record.fields["sent"], name),
        split=record.split,
        parse=parse_regions,
        facts={"reference": record.fields["ref_id"]},
    )


READER = Reader(
    name="expressions",
    title="Expressions alone, by numbers of references",
    task="refer",
    license="as the references",
    citation="Kazemzadeh, Ordonez, Matten and Berg (2014). ReferItGame. EMNLP.",
    sniff=sniff,
    records=records,
    read=read,
    refusals={"no-text": "the expression is empty"},
    about="Text only: neither images nor objects are in the file.",
)
