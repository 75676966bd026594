"""Records of files that are a JSON list, JSON Lines, a table, Parquet, or rows as dataset servers give them out."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset
from deixis.judge.boxes import Box, box_from
from deixis.readers.files import head_of, json_items, json_lines, table_rows
from deixis.readers.reader import RefusedRecord


if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path


DELIMITERS = {".tsv": "\t", ".csv": ","}
ROWS = (".parquet", ".jsonl", ".json", ".tsv")  # files that are looked into
MOST_FILES = 500  # of a folder
LONGEST_NAME = 300  # characters; a longer image is the image itself
LIST = re.compile(r"\s*\[\s*['\"]")  # text that begins like a list of texts
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
LIST_OF_TEXTS = re.compile(
    rf"\s*\[\s*(?:{QUOTED.pattern})(?:(?:\s*,\s*|\s+)(?:{QUOTED.pattern}))*\s*,?\s*\]\s*", re.DOTALL
)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
BLANKS = {"n": "\n", "t": "\t", "r": "\r"}
SERVED = '"rows"'  # the list of a page that a dataset server gave out, each entry with a number and a row


def files_of(path: Path, sniff: Callable[[Path], bool]) -> list[Path]:
    """Return a file itself; of a folder, its files of rows in a layout, or those of its subfolder `data`.

    Dataset servers give out a folder with one or several Parquet files for each split.
    """
    if not path.is_dir():
        return [path]
    for place in (path, path / "data"):
        some = islice(place.iterdir(), MOST_FILES) if place.is_dir() else ()
        if found := sorted(file for file in some if file.suffix.lower() in ROWS and file.is_file() and sniff(file)):
            return found
    return []


def records_of(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the records of a file with their numbers, those that the file itself gives where it does."""
    if path.suffix.lower() in DELIMITERS:
        yield from enumerate(map(_unpack, table_rows(path, delimiter=DELIMITERS[path.suffix.lower()])))
        return
    head = head_of(path).lstrip()
    if head[:1] == "[":
        yield from enumerate(json_items(path))
    elif head[:1] == "{" and SERVED in head.partition("\n")[0] + head[:400] and '"features"' in head:
        for place, one in enumerate(json_items(path, "rows")):
            is_row = isinstance(one, dict) and isinstance(one.get("row"), dict)
            yield (one.get("row_idx", place), one["row"]) if is_row else (place, one)
    elif head[:1] == "{":
        yield from enumerate(json_lines(path))
    else:
        raise BrokenDataset(f"{path} is neither a JSON list nor JSON Lines")


def parquet_columns(path: Path) -> list[str]:
    """Return the names of the columns of a Parquet file, none where it cannot be read."""
    from deixis.data._parquet_files import columns_of

    try:
        return columns_of(path)
    except BrokenDataset:
        return []


def parquet_records(path: Path, columns: Collection[str]) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a Parquet file with their numbers, only with these columns, which leaves pictures unread."""
    from deixis.data._parquet_files import open_parquet, sound

    number = 0
    with open_parquet(path) as file:
        names = [name for name in file.schema_arrow.names if name in columns]
        for group in range(file.num_row_groups):
            for row in sound(file.read_row_group(group, columns=names)).to_pylist():
                yield number, row
                number += 1


def _unpack(row: dict[str, str]) -> dict[str, Any]:
    """Return the cells of a table, those that are JSON as what they say."""
    return {name: _cell(value) for name, value in row.items()}


def _cell(text: str) -> Any:
    if text[:1] in ("[", "{", "-") or text[:1].isdigit() or text in ("true", "false", "null", "True", "False", "None"):
        try:
            return json.loads({"True": "true", "False": "false", "None": "null"}.get(text, text))
        except (ValueError, RecursionError):
            return text
    return text


def texts_of(value: Any) -> list[Any]:
    """Return several texts as a list: a list, or a cell of a table that holds one as JSON, Python or numpy write it.

    Any other text is the only one; a list that is broken is no text.
    """
    if not isinstance(value, str) or not LIST.match(value):
        return value if isinstance(value, list) else [value]
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        is_whole = LIST_OF_TEXTS.fullmatch(value)
        return [_unquote(one) for one in QUOTED.findall(value)] if is_whole else [None]
    return found if isinstance(found, list) else [value]


def _unquote(text: str) -> str:
    """A text without its quotation marks and the backslashes before others."""
    return ESCAPED.sub(lambda found: BLANKS.get(found[1], found[1]), text[1:-1])


def name_image(image: str, index: str, images: dict[str, str]) -> str:
    """Return the name of an image, or of one that is in the row itself or, by its index, in another one."""
    if len(image) <= LONGEST_NAME:
        return images.get(image, image)
    images[index] = "image-" + blake2b(image.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return images[index]


def text_in(fields: dict[str, Any], name: str) -> str:
    """Return a text of a record; `no-text` where it is empty or none."""
    text = fields.get(name)
    if not isinstance(text, str) or not text.strip():
        raise RefusedRecord("no-text", f"{name} is {str(text)[:40]!r}")
    return text.strip()


def box_in(values: Any, what: str) -> Box:
    """Return a box of two corners; `odd-box` where there is none."""
    try:
        return box_from(values)
    except ValueError as error:
        raise RefusedRecord("odd-box", f"{what}: {error}") from error
