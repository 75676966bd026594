"""Dataset files of any size, one example at a time.

The released files are single JSON objects of up to several gigabytes:

    {"grid_size": 6, ..., "examples": {"train": [{...}, ...], ...}, "nouns": [...], ...}

They are read in chunks; what is held in memory is one chunk and one example.
"""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator


CHUNK = 1 << 20  # bytes read at a time
LONGEST_VALUE = 4 << 20  # characters of one example; real ones have about ten thousand
MOST_FIELDS = 1000  # beside the examples
BLANKS = re.compile(r"[ \t\n\r]*")
SLACK = 16  # the longest token that a chunk can cut so that it looks wrong, `-Infinity` and an escape included
WEB_PAGE = "a web page, perhaps of an error; fetch the file again"
FOREIGN = {
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip archive, unpack it first",
    b"PK\x03\x04": "a zip archive, unpack it first",
    b"BZh": "a bzip2 archive, unpack it first",
    b"\xfd7zXZ": "an xz archive, unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd archive, unpack it first",
    b"\x89PNG": "a picture",
    b"version https://git-lfs": "a pointer of git-lfs, fetch the file itself with git lfs pull",
    b"<!DOCTYPE html": WEB_PAGE,
    b"<!doctype html": WEB_PAGE,
    b"<html": WEB_PAGE,
    b"\xff\xfe": "UTF-16 text, save it as UTF-8",
    b"\xfe\xff": "UTF-16 text, save it as UTF-8",
}
KINDS = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}


class ExampleFile:
    """A dataset file, read example by example and opened anew for every pass.

    Attributes:
        path: where it lies.
        keeps_all: whether an example that is no object of fields is given as it is, instead of ending the pass.
        header: the fields beside `examples`, as far as the latest pass has seen them; some stand behind them.
    """

    def __init__(self, path: Path | str, *, keeps_all: bool = False) -> None:
        self.path = Path(path)
        self.keeps_all = keeps_all
        self.header: dict[str, Any] = {}

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every example with the name of its split.

        Raises:
            BrokenDataset: when the file is no such dataset, saying what was found and at which byte.
        """
        try:
            with self.path.open("rb") as file:
                yield from self._examples(Cursor(file, str(self.path)))
        except OSError as error:
            raise BrokenDataset(f"{self.path} cannot be read: {error.strerror or error}") from error

    def _examples(self, cursor: Cursor) -> Iterator[tuple[str, dict[str, Any]]]:
        self.header = {}
        has_examples, in_header = False, 0
        _check_start(cursor)
        for key in cursor.members("the dataset"):
            if key != "examples":
                start = cursor.place
                self.header[key] = cursor.value(f"field {_quote_short(key)}")
                in_header += cursor.place - start
                if in_header > LONGEST_VALUE or len(self.header) > MOST_FIELDS:
                    cursor.fail("there is too much beside 'examples'; this is no dataset of this kind")
                continue
            has_examples = True
            if cursor.peek() != "{":
                cursor.fail("'examples' is not an object of splits such as {\"train\": [...]}; this is another format")
            for split in cursor.members("'examples'"):
                yield from _examples_of_split(cursor, split, keeps_all=self.keeps_all)
        if not has_examples:  # perhaps the first of several lines
            only = f", only {_list_names(self.header)}" if self.header else ""
            cursor.fail(f"there is no 'examples' in it{only}; this is another format")
        if cursor.peek():
            cursor.fail(
                "there is more text behind the end of the dataset; was the file written twice or joined with another?"
            )


def read_header(path: Path | str) -> dict[str, Any]:
    """Read the fields beside `examples`, anywhere in the file, to its end."""
    file = ExampleFile(path)
    for _ in file:
        pass
    return file.header


def read_members(path: Path | str) -> Iterator[tuple[str, Any]]:
    """The fields of one big JSON object with their values, one after another.

    Raises:
        BrokenDataset: when the file holds no such object, saying what was found and at which byte.
    """
    try:
        with Path(path).open("rb") as file:
            cursor = Cursor(file, str(path))
            for key in cursor.members("the object"):
                yield key, cursor.value(f"field {_quote_short(key)}")
            if cursor.peek():
                cursor.fail("there is more text behind the end of the object; was the file written twice?")
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error


def kind_of_bytes(start: bytes) -> str:
    """What a file is by its first bytes, and what to do about it; empty where it may be a dataset."""
    return next((what for magic, what in FOREIGN.items() if start.startswith(magic)), "")


def no_object(value: object) -> str:
    """Return a name for the kind of a value that ought to be an object of fields."""
    return f"{KINDS.get(type(value), 'null')}, not an object of fields"


def _examples_of_split(cursor: Cursor, split: str, *, keeps_all: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    if not split.isprintable() or len(split) > 200:
        cursor.fail(f"{_quote_short(split)} cannot be the name of a split")
    for number in cursor.items(f"split {_quote_short(split)}"):
        what = f"example {number} of split {_quote_short(split)}"
        example = cursor.value(what)
        if not (keeps_all or isinstance(example, dict)):
            cursor.fail(f"{what} is {no_object(example)}")
        yield split, example


def _check_start(cursor: Cursor) -> None:
    """Refuse what is no dataset at all, by name."""
    first = cursor.peek()
    if first == "{":
        return
    if not first:
        cursor.fail("the file is empty")
    if cursor.rest().startswith("var "):
        cursor.fail(
            "this is JavaScript with the commands of the data browser, it holds no worlds; "
            "use data-compositional-splits.txt of a release instead"
        )
    kinds = {"[": "a list", '"': "a string", "t": "true", "f": "false", "n": "null"}
    what = kinds.get(first, "a number" if first in "-0123456789" else "no JSON")
    cursor.fail(f"expected an object with 'examples', found {what} that starts with {_quote_short(cursor.rest())}")


class Cursor:
    """A place in a JSON text that is read in chunks.

    Args:
        file: the text.
        name: what complaints call it.
        is_lenient: whether NaN and infinities are read, and keys that are repeated within an object counted in
            `repeated`, so that whoever looks at the values judges them; otherwise the former are an error, and nobody
            looks for the latter.
    """

    def __init__(self, file: BinaryIO, name: str, *, is_lenient: bool = False) -> None:
        self.file = file
        self.name = name
        self.text = ""
        self.at = 0  # in the text at hand
        self.dropped = 0  # bytes before the text at hand
        self.fetched = 0  # bytes read so far
        self.is_at_end = False
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.repeated = 0
        self.json = (
            json.JSONDecoder(object_pairs_hook=self._object)
            if is_lenient
            else json.JSONDecoder(parse_constant=_refuse_constant)
        )
        self.fetch()
        if self.text.startswith("\ufeff"):
            self.at = 1

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        self.repeated += len(pairs) - len(values)
        return values

    @property
    def place(self) -> int:
        """The byte that comes next."""
        return self.dropped + _bytes(self.text[: self.at])

    def fetch(self, size: int = CHUNK) -> None:
        """Read on, and forget what lies behind."""
        chunk = self.file.read(size)
        if not self.fetched:
            self.refuse_binary(chunk)
        waiting = len(self.decoder.getstate()[0])
        self.is_at_end = not chunk
        self.dropped += _bytes(self.text[: self.at])
        self.text, self.at = self.text[self.at :], 0
        try:
            self.text += self.decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            place = self.fetched - waiting + error.start
            self.complain(place, f"it is not UTF-8 text ({error.reason}); is it a binary or damaged file?")
        self.fetched += len(chunk)

    def refuse_binary(self, chunk: bytes) -> None:
        """An error where the file is plainly of another kind."""
        if what := kind_of_bytes(chunk):
            self.complain(0, f"it is {what}")
        if b"\0" in chunk:
            self.complain(chunk.index(b"\0"), "it is a binary file")

    def peek(self) -> str:
        """Return the next character that is no blank, or an empty text at the end of the file."""
        if self.at < len(self.text) and (found := self.text[self.at]) > " ":  # most often there is no blank
            return found
        while True:
            self.at = _end_of_blanks(self.text, self.at)
            if self.at < len(self.text):
                return self.text[self.at]
            if self.is_at_end:
                return ""
            self.fetch()

    def rest(self) -> str:
        """A little of what comes next, for messages."""
        return self.text[self.at : self.at + 40]

    def expect(self, mark: str, what: str) -> None:
        """Step over a mark that has to come next."""
        if self.peek() != mark:
            self.fail(self.surprise(f"{mark!r} {what}"))
        self.at += 1

    def members(self, what: str) -> Iterator[str]:
        """Yield the keys of an object.

        After each key the caller reads the value.
        """
        self.expect("{", f"to begin {what}")
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            if self.peek() != '"':
                self.fail(self.surprise(f"the name of a field of {what}"))
            key = str(self.value(f"the name of a field of {what}"))
            self.expect(":", f"behind {_quote_short(key)}")
            yield key
            if not self.has_another("}", what):
                return

    def items(self, what: str) -> Iterator[int]:
        """Yield the numbers of the entries of a list.

        After each number the caller reads the entry.
        """
        self.expect("[", f"to begin {what}")
        if self.peek() == "]":
            self.at += 1
            return
        number = 0
        while True:
            yield number
            number += 1
            if not self.has_another("]", what):
                return

    def has_another(self, end: str, what: str) -> bool:
        """Step over the comma or the end that follows an entry, and return whether it was a comma."""
        if self.peek() not in (",", end):
            self.fail(self.surprise(f"',' or {end!r} in {what}"))
        self.at += 1
        return self.text[self.at - 1] == ","

    def value(self, what: str) -> Any:
        """The JSON value that comes next, whole."""
        if not self.peek():
            self.fail(self.surprise(what))
        size = CHUNK
        while True:
            try:
                value, end = self.json.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                if self.is_at_end or not self.may_be_cut(error):
                    self.refuse(error, what)
            except RecursionError:
                self.fail(f"{what} is nested too deeply")
            except ValueError as error:
                self.fail(f"{what}: {error}")
            else:
                if end < len(self.text) or self.is_at_end:
                    self.at = end
                    return value
            if len(self.text) - self.at > LONGEST_VALUE:
                self.fail(f"{what} has more than {LONGEST_VALUE:,} characters; this is no dataset of this kind")
            self.fetch(size)
            size *= 2

    def may_be_cut(self, error: json.JSONDecodeError) -> bool:
        """Return whether the value may only be unfinished, as its end is not yet read."""
        return error.pos > len(self.text) - SLACK or error.msg.startswith("Unterminated string")

    def refuse(self, error: json.JSONDecodeError, what: str) -> NoReturn:
        """An error for a value that cannot be read."""
        is_cut = error.msg.startswith("Unterminated string") or not set(self.text[error.pos :]) & set("{}[],:")
        if self.is_at_end and is_cut:
            self.fail(f"the file ends in the middle of {what}; it is cut short, fetch it again")
        place = self.dropped + _bytes(self.text[: error.pos])
        self.complain(place, f"{what} is no JSON: {error.msg[0].lower()}{error.msg[1:]}")

    def surprise(self, expected: str) -> str:
        """Return the message for a character other than the expected one."""
        if not self.peek():
            return f"the file ends where {expected} should stand; it is cut short, fetch it again"
        return f"expected {expected}, found {_quote_short(self.rest())}"

    def fail(self, problem: str) -> NoReturn:
        """An error that names this place."""
        self.complain(self.place, problem)

    def complain(self, place: int, problem: str) -> NoReturn:
        """An error that names a place."""
        raise BrokenDataset(f"{self.name}, byte {place}: {problem}") from None


def _end_of_blanks(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    assert found is not None
    return found.end()


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8"))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no value of this format")


def _quote_short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _list_names(header: dict[str, Any]) -> str:
    names = ", ".join(_quote_short(name) for name in list(header)[:8])
    return names + (", …" if len(header) > 8 else "")
