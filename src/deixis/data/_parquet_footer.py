"""Row groups of a Parquet file, read without pyarrow.

pyarrow ends the whole process where the description of a column is damaged (a C++ exception that nobody catches), so
the few numbers that bound what a file unpacks to are read here: the footer is a Thrift structure in compact form.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from deixis.data._stored_paths import AnyPath


MAX_FOOTER_BYTES = 64 << 20
MAX_DEPTH = 16
TEXT_TYPES = (6, 7)  # BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY
DICTIONARY_ENCODINGS = (2, 8)  # PLAIN_DICTIONARY, RLE_DICTIONARY
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


class ColumnFacts(NamedTuple):
    """A column of a group of rows."""

    path: str
    is_coded_text: bool
    values: int
    unpacked: int
    packed: int


class GroupFacts(NamedTuple):
    """A group of rows."""

    rows: int
    columns: tuple[ColumnFacts, ...]


def read_footer(path: AnyPath) -> tuple[GroupFacts, ...]:
    """Return the row groups of a file, or raise `BrokenDataset` if its footer cannot be understood."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - 8))
        tail = stream.read(8)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != b"PAR1" or not 0 < length <= min(size - 8, MAX_FOOTER_BYTES):
            raise BrokenDataset(f"{path.name} cannot be read as Parquet (it has no footer); make or copy it again")
        stream.seek(size - 8 - length)
        footer = stream.read(length)
    try:
        groups = _Reader(footer).struct(0).get(4, [])
        return tuple(_group(group) for group in groups)
    except (IndexError, KeyError, TypeError, ValueError, AttributeError, struct.error) as error:
        raise BrokenDataset(
            f"{path.name} cannot be read as Parquet (its footer is damaged); make or copy it again"
        ) from error


def _group(fields: dict[int, Any]) -> GroupFacts:
    return GroupFacts(int(fields[3]), tuple(_column(column[3]) for column in fields[1]))


def _column(fields: dict[int, Any]) -> ColumnFacts:
    is_coded = any(one in DICTIONARY_ENCODINGS for one in fields[2])
    path = ".".join(part.decode("utf-8") for part in fields[3])
    return ColumnFacts(path, is_coded and fields[1] in TEXT_TYPES, int(fields[5]), int(fields[6]), int(fields[7]))


class _Reader:
    """Thrift in compact form: structures as dictionaries by the numbers of their fields."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def struct(self, depth: int) -> dict[int, Any]:
        if depth > MAX_DEPTH:
            raise ValueError("nested too deep")
        fields: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            fields[number] = self.value(head & 15, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self.byte()
        if kind in (I16, I32, I64):
            return self.zigzag()
        if kind == DOUBLE:
            return struct.unpack("<d", self.take(8))[0]
        if kind == BINARY:
            return self.take(self.varint())
        if kind in (LIST, SET):
            return self.list(depth)
        if kind == STRUCT:
            return self.struct(depth + 1)
        raise ValueError(f"there is no value of the kind {kind} in a footer")

    def list(self, depth: int) -> list[Any]:
        head = self.byte()
        count = head >> 4 if head >> 4 < 15 else self.varint()
        if count > len(self.data):
            raise ValueError("a list is longer than the footer")
        kind = head & 15
        if kind in (TRUE, FALSE):
            return [self.byte() == TRUE for _ in range(count)]
        return [self.value(kind, depth) for _ in range(count)]

    def zigzag(self) -> int:
        number = self.varint()
        return (number >> 1) ^ -(number & 1)

    def varint(self) -> int:
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 70:
                raise ValueError("a number is too long")

    def byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def take(self, size: int) -> bytes:
        if not 0 <= size <= len(self.data) - self.place:
            raise ValueError("a text is longer than the footer")
        self.place += size
        return self.data[self.place - size : self.place]
