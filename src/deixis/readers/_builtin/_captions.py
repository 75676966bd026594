"""Parts that readers of caption pairs share: records of a file in any plain layout, and their sentences and images."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset
from deixis.readers.files import head_of, json_items, json_lines, json_members, table_rows
from deixis.readers.reader import RefusedRecord


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


HEAD = 65536  # bytes: the first of JSON Lines has to end there
MOST_FILES = 200  # of a folder that are looked into
TABLES = {".csv": ",", ".tsv": "\t"}
REFUSALS = {
    "no-record": "it is a value beside the records, or of another type than they are",
    "no-text": "a sentence is missing or empty",
    "no-image": "the name of the image is missing",
    "same-text": "two sentences are the same, so none of them is the right one",
}
"""Codes that readers of caption pairs share, with a line each."""


class Entry(NamedTuple):
    """A record with the split that its file says, and its key or number in the file.

    Attributes:
        split: the name of the file.
        key: what the record is called, unique within what is read.
        value: the record itself.
    """

    split: str
    key: str
    value: Any


def entries_in(file: Path, *, split: str = "", prefix: str = "") -> Iterator[Entry]:
    """Yield the records of a JSON object, a JSON list, JSON Lines, or a table with a head."""
    split = split or file.stem
    for key, value in _values(file):
        yield Entry(split, f"{prefix}{key}", value)


def entries_of(path: Path, files: list[Path], what: str) -> Iterator[Entry]:
    """Yield the records of a file, or of some files of a folder, whose keys begin with the name of the file then."""
    if not path.is_dir():
        yield from entries_in(path)
        return
    if not files:
        raise BrokenDataset(f"{path} holds no file of {what}")
    for file in files:
        yield from entries_in(file, prefix=f"{file.stem}/")


def files_in(folder: Path, names: tuple[str, ...], sniff: Callable[[Path], bool]) -> list[Path]:
    """Return the files of a folder that are called as the dataset calls its own, then others in its layout.

    They may lie in its subfolder `data`, as in the repositories of these datasets. Of a folder with very many files
    only those with known names are looked at.
    """
    for place in (folder, folder / "data"):
        known = [place / f"{name}.json" for name in names if (place / f"{name}.json").is_file()]
        some = list(islice(place.glob("*.json"), MOST_FILES + 1)) if place.is_dir() else []
        others = sorted(file for file in some if file not in known) if len(some) <= MOST_FILES else []
        if found := known + [file for file in others if sniff(file)]:
            return found
    return []


def fields_of(entry: Entry) -> dict[str, Any]:
    """The fields of a record, or a refusal where it has none."""
    if not isinstance(entry.value, dict):
        raise RefusedRecord("no-record", f"{entry.key} is {type(entry.value).__name__}, not an object of fields")
    return entry.value


def sentence_of(value: Any, key: str) -> str:
    """The sentence of a field; the first where it is a list of several."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, str) or not value.strip():
        raise RefusedRecord("no-text", key)
    return value


def image_name(value: Any, key: str) -> str:
    """The name of an image file, without its folder or address."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    name = value.replace("\\", "/").rstrip("/").rpartition("/")[2] if isinstance(value, str) else ""
    if not name.strip():
        raise RefusedRecord("no-image", key)
    return name


def demand_different(sentences: tuple[str, ...], key: str) -> tuple[str, ...]:
    """Sentences of which each is told once, or a refusal."""
    if len({sentence.strip() for sentence in sentences}) < max(len(sentences), 2):
        raise RefusedRecord("same-text", f"{key}: {sentences[0][:60]!r}")
    return sentences


def plain_facts(fields: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Fields that are words or numbers, or lists of these, under names of our own."""
    return {name: fields[key] for key, name in names.items() if _is_plain(fields.get(key))}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, str | int | float) for one in value)
    return isinstance(value, str | int | float) and value != ""


def _values(file: Path) -> Iterator[tuple[Any, Any]]:
    if (delimiter := TABLES.get(file.suffix.lower())) is not None:
        yield from enumerate(table_rows(file, delimiter=delimiter))
        return
    head = head_of(file, HEAD).lstrip()
    if head[:1] == "[":
        yield from enumerate(json_items(file))
    elif _are_lines(head):
        yield from enumerate(json_lines(file))
    else:
        yield from json_members(file)


def _are_lines(head: str) -> bool:
    """Return whether the first line is a record, and not a whole object of records by their keys."""
    try:
        first = json.loads(head.partition("\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and bool(first) and not isinstance(next(iter(first.values())), dict)
