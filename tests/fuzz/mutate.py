"""Mutations that know the structure of what they change.

A mutation is drawn from a generator and applied to a value; it returns the new value and says in words what it did.
Several stand one after the other in an input, so that a failing one can be made smaller by leaving some out.
"""

from __future__ import annotations

import copy
import json
import string
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa


if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator


__all__ = ["change_array", "change_bytes", "change_table", "change_text", "change_tree", "dumps", "nasty"]

NASTY: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 255, 256, 65_536, 1 << 31, 1 << 53, (1 << 63) - 1, 1 << 63, 1 << 64, -(1 << 63)),
    *(0.5, -0.0, 1e-320, 1e308, float("nan"), float("inf"), float("-inf"), 10**400),
    *("", " ", "x", "0", "-1", "1.5", "nan", "null", "\x00", "\x1b]0;x\x07", "[/x]", "../../etc/passwd", "/", "\ud800"),
    *("é", "😀", "٣", "²", "a" * 5000, "the", "train", "test", "a1+a2", "s3://x/y", "{", "%s%n", "\n", "1e5", "0x10"),
    *([], {}, [[]], [None], {"": None}, [1, "x", None], {"x": [1]}, [[[[[[]]]]]], list(range(300)), ["a"] * 40),
)
PIECES = (
    b"\x00",
    b"\xff",
    b"\xff\xfe",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b",",
    b":",
    b"\n",
    b"\r\n",
    b"NaN",
    b"1e999",
    b"-",
)
PIECES += (
    b"\\u0000",
    b"\\ud800",
    b"[" * 2000,
    b"null",
    b"=",
    b"'",
    b"(",
    b"PAR1",
    b"\x93NUMPY",
    b"\xef\xbb\xbf",
    b"\xf0",
)
LONGEST = 30_000  # letters of a text
LETTERS = string.printable + "éß漢字😀\u202e\x00\x1b²٣"


def nasty(rng: Generator) -> Any:
    """A value that somebody may not have thought of."""
    return copy.deepcopy(NASTY[rng.integers(len(NASTY))])


def dumps(tree: Any) -> bytes:
    """A tree as JSON, lone surrogates and what is no number included."""
    return json.dumps(tree, ensure_ascii=True).encode()


# -------------------------------------------------------------------------------- trees


def _places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every node, the root included; of long lists only some."""
    yield path
    if isinstance(tree, dict):
        for key in list(tree)[:60]:
            yield from _places(tree[key], (*path, key))
    elif isinstance(tree, list):
        for index in range(min(len(tree), 12)):
            yield from _places(tree[index], (*path, index))


def _at(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def change_tree(tree: Any, rng: Generator) -> tuple[Any, str]:
    """A copy of JSON-like values in which one node is replaced, removed, added, renamed, doubled or exchanged."""
    tree = copy.deepcopy(tree)
    paths = list(_places(tree))
    path = paths[rng.integers(len(paths))]
    if not path:
        path = paths[rng.integers(len(paths))]
    if not path:
        value = nasty(rng)
        return value, f"all replaced by {value!r:.60}"
    *above, key = path
    parent = _at(tree, tuple(above))
    way = rng.integers(9)
    if way <= 3:
        parent[key] = nasty(rng)
        return tree, f"{path} set to {parent[key]!r:.60}"
    if way == 4:
        del parent[key]
        return tree, f"{path} removed"
    if way == 5:
        other = paths[rng.integers(len(paths))]
        parent[key] = copy.deepcopy(_at(tree, other))
        return tree, f"{path} replaced by what stands at {other}"
    if way == 6 and isinstance(parent, dict):
        name = str(nasty(rng))[:200] if rng.integers(2) else f"{key} "
        parent[name] = parent.pop(key)
        return tree, f"{path} renamed to {name!r:.60}"
    if way == 7 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
        return tree, f"{path} doubled"
    return _nudged(tree, parent, key, path, rng)


def _nudged(tree: Any, parent: Any, key: Any, path: tuple[Any, ...], rng: Generator) -> tuple[Any, str]:
    value = parent[key]
    if isinstance(value, bool) or value is None:
        parent[key] = not value
    elif isinstance(value, int) and abs(value) > 1 << 70:
        parent[key] = -value
    elif isinstance(value, int | float):
        ways = (value + 1, value - 1, -value, value + 0.5, str(value), value * 1000, [value], float("nan"))
        parent[key] = ways[rng.integers(len(ways))]
    elif isinstance(value, str):
        parent[key], _ = change_text(value, rng)
    elif isinstance(value, list):
        parent[key] = [value[i] for i in rng.permutation(len(value))] if rng.integers(2) else value[: len(value) // 2]
    else:
        parent[key] = [list(item) for item in value.items()]
    return tree, f"{path} nudged to {parent[key]!r:.60}"


# -------------------------------------------------------------------------------- bytes and texts


def change_bytes(data: bytes, rng: Generator) -> tuple[bytes, str]:
    """Bytes with one flipped bit, a piece put in, left out, doubled or overwritten, or the end cut off."""
    place = int(rng.integers(len(data) + 1))
    size = int(min(len(data) - place, 1 + rng.integers(64)))
    match rng.integers(7):
        case 0 if data:
            place = min(place, len(data) - 1)
            bit = int(rng.integers(8))
            return data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :], f"bit {bit} of byte {place}"
        case 1:
            piece = PIECES[rng.integers(len(PIECES))]
            return data[:place] + piece + data[place:], f"{piece!r:.40} put in at {place}"
        case 2:
            return data[:place] + data[place + size :], f"{size} bytes left out at {place}"
        case 3:
            return data[:place] + data[place : place + size] * 3 + data[
                place + size :
            ], f"{size} bytes tripled at {place}"
        case 4:
            return data[:place], f"cut off at {place}"
        case 5:
            piece = PIECES[rng.integers(len(PIECES))]
            return data[:place] + piece + data[place + len(piece) :], f"{piece!r:.40} written over {place}"
    piece = rng.bytes(size)
    return data[:place] + piece + data[place + size :], f"{size} random bytes at {place}"


def change_text(text: str, rng: Generator) -> tuple[str, str]:
    """Text with words left out, doubled or exchanged, or letters put in."""
    words = text.split(" ")
    place = int(rng.integers(len(words)))
    match rng.integers(7):
        case 0:
            words.insert(place, words[rng.integers(len(words))])
        case 1:
            del words[place]
        case 2:
            other = int(rng.integers(len(words)))
            words[place], words[other] = words[other], words[place]
        case 3:
            words[place] = words[place][: int(rng.integers(len(words[place]) + 1))]
        case 4:
            words[place] += LETTERS[rng.integers(len(LETTERS))]
        case 5:
            words *= int(rng.integers(2, 40))
        case 6:
            words[place] = str(NASTY[rng.integers(len(NASTY))])[:2000]
    changed = " ".join(words)[:LONGEST]
    return changed, f"text changed to {changed!r:.80}"


# -------------------------------------------------------------------------------- tables and arrays


def change_table(table: pa.Table, rng: Generator) -> tuple[pa.Table, str]:
    """A table with gaps, values out of range, another type, or columns and rows left out or exchanged."""
    if not table.num_columns:
        return table, "no column is left"
    place = int(rng.integers(table.num_columns))
    name, column = table.column_names[place], table.column(place)
    way = int(rng.integers(10))
    if way == 0:
        return table.remove_column(place), f"column {name} left out"
    if way == 1:
        keep = pa.array(rng.permutation(table.num_rows)[: int(rng.integers(table.num_rows + 1))])
        return table.take(keep), f"{len(keep)} rows kept"
    if way == 2:
        names = [*table.column_names]
        names[place] = str(nasty(rng))[:50].encode("utf-8", "replace").decode()
        return table.rename_columns(names), f"column {name} renamed to {names[place]!r}"
    if way == 3:
        return _with(table, place, pa.nulls(len(column), column.type)), f"column {name} all gaps"
    if way == 4:
        other = int(rng.integers(table.num_columns))
        return _with(table, place, table.column(other)), f"column {name} replaced by {table.column_names[other]}"
    if way == 5:
        return _cast(table, place, rng)
    values = column.to_pylist()
    if not values:
        return table, "nothing to change"
    row = int(rng.integers(len(values)))
    values[row], what = _other(values[row], rng)
    try:
        changed = pa.array(values, column.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError):
        return _with(table, place, _bytes_in(column, row)), f"bytes that are no text in {name}, row {row}"
    return _with(table, place, changed), f"column {name}, row {row}: {what}"


def _with(table: pa.Table, place: int, column: Any) -> pa.Table:
    return table.set_column(place, table.column_names[place], column)


def _cast(table: pa.Table, place: int, rng: Generator) -> tuple[pa.Table, str]:
    kinds = (pa.string(), pa.large_string(), pa.int64(), pa.int8(), pa.float64(), pa.binary(), pa.bool_(), pa.null())
    kinds += (pa.list_(pa.string()), pa.list_(pa.int64()), pa.dictionary(pa.int8(), pa.string()), pa.timestamp("s"))
    kind = kinds[rng.integers(len(kinds))]
    try:
        return _with(table, place, table.column(place).cast(kind)), f"column {table.column_names[place]} as {kind}"
    except pa.ArrowException:
        gaps = pa.nulls(table.num_rows, kind)
        return _with(table, place, gaps), f"column {table.column_names[place]} as gaps of {kind}"


def _other(value: Any, rng: Generator) -> tuple[Any, str]:
    """Another value of the same kind, as far as that can be said."""
    if isinstance(value, list) and value and rng.integers(2):
        value = list(value)
        index = int(rng.integers(len(value)))
        value[index], what = _other(value[index], rng)
        return value, f"element {index}: {what}"
    if isinstance(value, list):
        ways: tuple[Any, ...] = (None, [], value * 2, value[:-1], [None], value * 40)
    elif isinstance(value, bool):
        ways = (None, not value)
    elif isinstance(value, int):
        ways = (None, 0, 255, 128, 127, 1, 65_535, -1, (1 << 31) - 1, value + 1, (1 << 64) - 1)
    elif isinstance(value, float):
        ways = (None, 0.0, -1.0, float("nan"), float("inf"), 1e300)
    elif isinstance(value, str):
        ways = (None, "", "\x00", "x" * 3000, change_text(value, rng)[0].encode("utf-8", "replace").decode(), "[/x]")
    elif isinstance(value, bytes):
        ways = (None, b"", change_bytes(value, rng)[0])
    elif isinstance(value, dict) and value:
        value = dict(value)
        key = list(value)[rng.integers(len(value))]
        value[key], what = _other(value[key], rng)
        return value, f"field {key}: {what}"
    else:
        ways = (None,)
    found = ways[rng.integers(len(ways))]
    return found, f"{found!r:.60}"


def _bytes_in(column: pa.ChunkedArray, row: int) -> pa.Array:
    """A column of texts, one of which is no UTF-8; of anything else, gaps."""
    if not pa.types.is_string(column.type):
        return pa.nulls(len(column), column.type)
    texts = [b"" if value is None else value.encode() for value in column.to_pylist()]
    texts[row] = b"\xff\xfe" + texts[row]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), len(texts), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))])


def change_array(data: bytes, rng: Generator) -> tuple[bytes, str]:
    """A file of numpy with another header, other values, or other bytes."""
    if rng.integers(3) == 0 or not data.startswith(b"\x93NUMPY"):
        return change_bytes(data, rng)
    length = int.from_bytes(data[8:10], "little")
    header, body = data[10 : 10 + length], data[10 + length :]
    if rng.integers(2):
        header, what = change_bytes(header, rng)
        header = header[:60_000]
        return data[:8] + len(header).to_bytes(2, "little") + header + body, f"header: {what}"
    body, what = change_bytes(body, rng)
    return data[: 10 + length] + body, f"values: {what}"
