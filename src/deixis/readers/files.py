"""Records of the files that datasets come in, one at a time: JSON, JSON Lines, CSV, TSV and XML.

What is held in memory is a chunk of the file and one record. Whatever is wrong with a file is a `BrokenDataset` that
names the place.
"""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any, BinaryIO
from xml.etree import ElementTree as ET
from xml.parsers import expat

from deixis.data._json_stream import Cursor, read_members
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


__all__ = [
    "head_of",
    "json_entries",
    "json_items",
    "json_lines",
    "json_lists",
    "json_members",
    "read_json",
    "table_rows",
    "tail_of",
    "xml_tree",
]

HEAD = 4096  # bytes that a sniffer reads
LONGEST_FIELD = 4 << 20  # characters of one field of a table
LARGEST_TREE = 64 << 20  # bytes of one XML file
LARGEST_JSON = 2 << 30  # bytes of a JSON file that is read whole


def head_of(path: Path, size: int = HEAD) -> str:
    """Return the beginning of a file as text, for `sniff`, or an empty text where there is no such file."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            return stream.read(size).decode("utf-8", errors="replace").removeprefix("\ufeff")
    except OSError:
        return ""


def tail_of(path: Path, size: int = HEAD) -> str:
    """Return the end of a file as text, for `sniff`, or an empty text where there is no such file."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            stream.seek(max(path.stat().st_size - size, 0))
            return stream.read(size).decode("utf-8", errors="replace")
    except OSError:
        return ""


def json_members(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of one big JSON object."""
    return read_members(path)


def json_items(path: Path, key: str = "") -> Iterator[Any]:
    """Yield the entries of one big JSON list, or of the list under a key of one big object.

    Raises:
        BrokenDataset: when there is no such list.
    """
    if key:
        has_list = False
        for name, value in json_lists(path):
            has_list |= name == key
            if name == key:
                yield value
        if not has_list:
            raise BrokenDataset(f"{path} has no entries under {key!r}")
        return
    try:
        with path.open("rb") as stream:
            cursor = Cursor(stream, str(path))
            for number in cursor.items("the list"):
                yield cursor.value(f"entry {number}")
            _demand_end(cursor)
    except OSError as error:
        raise _unreadable(path, error) from error


def json_lists(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the fields of one big JSON object in their order, and the entries of a list one by one under its key."""
    try:
        with path.open("rb") as stream:
            cursor = Cursor(stream, str(path))
            for name in cursor.members("the object"):
                if cursor.peek() != "[":
                    yield name, cursor.value(f"field {name[:40]!r}")
                    continue
                for number in cursor.items(f"{name[:40]!r}"):
                    yield name, cursor.value(f"entry {number} of {name[:40]!r}")
            _demand_end(cursor)
    except OSError as error:
        raise _unreadable(path, error) from error


def json_entries(path: Path) -> Iterator[tuple[str, str | int, Any]]:
    """Yield the entries of the lists and objects in one big JSON object, each with its field and its key or number.

    A field that is neither is one entry with an empty key.
    """
    try:
        with path.open("rb") as stream:
            cursor = Cursor(stream, str(path))
            for name in cursor.members("the object"):
                what = repr(name[:40])
                match cursor.peek():
                    case "[":
                        for number in cursor.items(what):
                            yield name, number, cursor.value(f"entry {number} of {what}")
                    case "{":
                        for key in cursor.members(what):
                            yield name, key, cursor.value(f"entry {key[:40]!r} of {what}")
                    case _:
                        yield name, "", cursor.value(f"field {what}")
            _demand_end(cursor)
    except OSError as error:
        raise _unreadable(path, error) from error


def json_lines(path: Path) -> Iterator[Any]:
    """Yield the values of a file of JSON Lines, or raise `BrokenDataset` with the number of a line that is no JSON."""
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield _line_value(path, number, line)
    except UnicodeDecodeError as error:
        raise BrokenDataset(f"{path} is no text in UTF-8 ({error.reason} at byte {error.start})") from error
    except OSError as error:
        raise _unreadable(path, error) from error


def _line_value(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path}, line {number}: it is no JSON ({error})") from error


def read_json(path: Path) -> Any:
    """Read a JSON file whole."""
    try:
        if path.stat().st_size > LARGEST_JSON:
            raise BrokenDataset(f"{path} has more than {LARGEST_JSON >> 30} GiB")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise _unreadable(path, error) from error
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} is no JSON: {str(error)[:200]}") from error


def table_rows(path: Path, *, delimiter: str = ",", encoding: str = "utf-8-sig") -> Iterator[dict[str, str]]:
    r"""Yield the rows of a CSV or TSV file with a head, by the names of its columns.

    Lines end with \n, \r or both.

    Raises:
        BrokenDataset: when it is no such table; a row with more or fewer cells than the head is an error, too.
    """
    csv.field_size_limit(LONGEST_FIELD)
    try:
        with path.open(encoding=encoding, newline=None) as stream:
            rows = csv.reader(stream, delimiter=delimiter, strict=True)
            head = next(rows, None)
            if not head or len(set(head)) != len(head):
                raise BrokenDataset(f"{path} has no head with different names of columns")
            for row in rows:
                if not row:
                    continue
                if len(row) != len(head):
                    told = f"{len(row)} cells where the head has {len(head)}"
                    raise BrokenDataset(f"{path}, line {rows.line_num}: it has {told}")
                yield dict(zip(head, row, strict=True))
    except UnicodeDecodeError as error:
        raise BrokenDataset(f"{path} is no text in {encoding} ({error.reason} at byte {error.start})") from error
    except csv.Error as error:
        raise BrokenDataset(f"{path} is no table: {error}") from error
    except OSError as error:
        raise _unreadable(path, error) from error


def xml_tree(path: Path) -> ET.Element:
    """Read an XML file, in the encoding that it names.

    Document types, and so all entities of its own, are refused.
    """
    try:
        if path.stat().st_size > LARGEST_TREE:
            raise BrokenDataset(f"{path} has more than {LARGEST_TREE >> 20} MiB")
        with path.open("rb") as stream:
            return _parse_without_types(stream, path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _parse_without_types(stream: BinaryIO, path: Path) -> ET.Element:
    builder, parser = ET.TreeBuilder(), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data

    def refuse(*_: object) -> None:
        raise BrokenDataset(f"{path} declares a document type, which is not read")

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.ParseFile(stream)
        return builder.close()
    except (expat.ExpatError, AssertionError, ValueError, LookupError) as error:
        if isinstance(error, BrokenDataset):
            raise
        raise BrokenDataset(f"{path} is no XML: {str(error)[:200]}") from error


def _demand_end(cursor: Cursor) -> None:
    if cursor.peek():
        cursor.fail("there is more text behind the end; was the file written twice?")


def _unreadable(path: Path, error: OSError) -> BrokenDataset:
    return BrokenDataset(f"{path} cannot be read: {error.strerror or error}")
