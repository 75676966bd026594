"""Parquet files of others: opened only where what they unpack to is bounded, read only where texts are text.

A file of some kilobytes can hold a text of a gigabyte, or say of one value that it stands a billion times. What a file
says of itself is looked at before anything is unpacked.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deixis.data._parquet_footer import read_footer
from deixis.data._stored_paths import source_of
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.data._parquet_footer import ColumnFacts
    from deixis.data._stored_paths import AnyPath


MAX_GROUP_ROWS = 1 << 24  # ours have some ten thousand
MAX_GROUP_BYTES = 1 << 30  # unpacked
MAX_FILE_ROWS = 1 << 26  # of files that are read as a whole
MAX_RATIO = 100  # of unpacked bytes to packed ones, in groups that are larger than this:
LARGE_BYTES = 64 << 20
SMALL_CHUNK_BYTES = 256 << 10  # of a column in a group; no dictionary in it can be dangerous
TEXTS = ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")


@contextmanager
def parquet_errors(path: AnyPath) -> Iterator[None]:
    """Raise errors of reading a file as `BrokenDataset` in one line."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise BrokenDataset(f"{path.name} cannot be read as Parquet ({reason}); make or copy it again") from error


@contextmanager
def open_parquet(path: AnyPath, **options: Any) -> Iterator[pq.ParquetFile]:
    """A file whose pages are compared with their checksums.

    Args:
        path: the file.
        options: as of `ParquetFile`.

    Raises:
        BrokenDataset: when it cannot be read, or would unpack to more than can be borne.
    """
    with parquet_errors(path):
        demand_bounded(path)
        with pq.ParquetFile(source_of(path), page_checksum_verification=True, **options) as file:
            yield file


def columns_of(path: AnyPath) -> list[str]:
    """Return the names of the columns of a file, or raise `BrokenDataset` if it cannot be read."""
    with open_parquet(path) as file:
        return list(file.schema_arrow.names)


def read_all(file: pq.ParquetFile, path: AnyPath, columns: Sequence[str] | None = None) -> pa.Table:
    """Read all rows of a file, or raise `BrokenDataset` if there are too many for memory."""
    if file.metadata.num_rows > MAX_FILE_ROWS:
        raise BrokenDataset(f"{path.name} has {file.metadata.num_rows:,} rows; at most {MAX_FILE_ROWS:,} can be read")
    return sound(file.read(columns=None if columns is None else list(columns)))


def sound(table: pa.Table) -> pa.Table:
    """Return the same table, or raise `pa.ArrowInvalid` if a text is no UTF-8 or a list has impossible bounds."""
    table.validate(full=True)
    return table


def demand_bounded(path: AnyPath) -> None:
    """`BrokenDataset` where a group of rows would take more memory than any honest file does."""
    for number, group in enumerate(read_footer(path)):
        if not 0 <= group.rows <= MAX_GROUP_ROWS:
            raise BrokenDataset(
                f"{path.name} has {group.rows:,} rows in one group; at most {MAX_GROUP_ROWS:,} can be read"
            )
        unpacked = sum(max(0, column.unpacked) for column in group.columns)
        packed = max(1, sum(max(0, column.packed) for column in group.columns))
        if unpacked > MAX_GROUP_BYTES or (unpacked > LARGE_BYTES and unpacked > MAX_RATIO * packed):
            raise BrokenDataset(
                f"{path.name} would unpack {packed:,} bytes to {unpacked:,}; a group of rows may have at most "
                f"{MAX_GROUP_BYTES:,}, and {MAX_RATIO} times what is packed above {LARGE_BYTES:,}"
            )
        for column in group.columns:
            if _may_grow(column, group.rows):
                _demand_short_texts(path, number, column.path, max(group.rows, column.values))


def _may_grow(column: ColumnFacts, rows: int) -> bool:
    """Whether a column of a group could take far more than its bytes: long texts in a dictionary, each used often."""
    often = column.unpacked * max(rows, column.values)
    return column.is_coded_text and column.unpacked > SMALL_CHUNK_BYTES and often > MAX_GROUP_BYTES


def _demand_short_texts(path: AnyPath, group: int, name: str, rows: int) -> None:
    """Look at the dictionary itself: what its longest text would take in every row."""
    with pq.ParquetFile(source_of(path), read_dictionary=[name]) as file:
        column = file.read_row_group(group, columns=[name], use_threads=False).column(0)
    longest = max((_longest(chunk) for chunk in column.chunks), default=0)
    if longest * rows > MAX_GROUP_BYTES:
        raise BrokenDataset(
            f"{path.name} has texts of up to {longest:,} bytes in {name!r}, which {rows:,} rows may repeat; that is "
            f"more than the {MAX_GROUP_BYTES:,} bytes that a group of rows may have"
        )


def _longest(array: pa.Array) -> int:
    while pa.types.is_nested(array.type) or pa.types.is_dictionary(array.type):
        if pa.types.is_dictionary(array.type):
            array = array.dictionary
        elif pa.types.is_struct(array.type):
            return max((_longest(child) for child in array.flatten()), default=0)
        else:
            array = array.values
    if not len(array) or not (pa.types.is_string(array.type) or pa.types.is_binary(array.type)):
        return 0
    return int(pc.max(pc.binary_length(array)).as_py() or 0)
