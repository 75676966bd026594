"""Winoground: two images and two captions with the same words in another order.

Files are JSON Lines, a JSON list or a table with the fields `id`, `image_0`, `caption_0`, `image_1`, `caption_1` and
tags. The dataset itself may not be passed on, so that nothing of it is in our tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.readers._builtin._captions import Entry, entries_of, fields_of, files_in, plain_facts
from deixis.readers._builtin.cola import MORE_REFUSALS, has_names, matching
from deixis.readers.reader import Reader


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.readers.reader import ReadExample


NAMES = ("image_0", "caption_0", "image_1", "caption_1")
FACTS = {
    "tag": "tag",
    "secondary_tag": "secondary_tag",
    "collapsed_tag": "swapped",
    "num_main_preds": "main_predicates",
}


def sniff(path: Path) -> bool:
    """Return whether a file holds records of Winoground, or a folder such files."""
    if path.is_dir():
        return any(sniff(file) for file in files_in(path, (), sniff))
    return has_names(path, (NAMES,))


def records(path: Path) -> Iterator[Entry]:
    """Yield the records of a file, or of all such files of a folder."""
    return entries_of(path, files_in(path, (), sniff) if path.is_dir() else [], "Winoground")


def read(record: Entry) -> Iterator[ReadExample]:
    """Yield the example of one record."""
    fields = fields_of(record)
    number = fields.get("id")
    is_named = isinstance(number, int | str) and not isinstance(number, bool) and str(number)
    key = record.key.rpartition("/")[0] + "/" + str(number) if "/" in record.key else str(number)
    four = [fields.get(name) for name in NAMES]
    yield matching(record, four, key=key if is_named else record.key, facts=plain_facts(fields, FACTS))


READER = Reader(
    name="winoground",
    title="Winoground: two captions of the same words and two images",
    task="match",
    license="Meta Images Research License; not to be passed on",
    citation="Thrush, Jiang, Bartolo, Singh, Williams, Kiela and Ross (2022). Winoground: probing vision and language "
    "models for visio-linguistic compositionality. CVPR.",
    sniff=sniff,
    records=records,
    read=read,
    refusals=MORE_REFUSALS,
    about="Caption k fits image k. Text score, image score and group score are those of its authors.",
)
