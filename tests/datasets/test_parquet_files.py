"""Files that would unpack to far more than they are, and texts that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.data._parquet_files import open_parquet
from deixis.data._parquet_footer import read_footer
from deixis.data._row_groups import RowGroups
from deixis.data.store import read_parquet
from deixis.errors import BrokenDataset
from deixis.judge.verdicts import read_verdicts
from deixis.worlds.grid.data.plans import read_plans
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.rooms.data._captions import read_captions
from deixis.worlds.rooms.data.make import read_pairs


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def long_text(path: Path) -> None:
    """Some kilobytes that unpack to a text of 80 MB."""
    table = pa.table({"text": pa.array(["x" * (80 << 20)], pa.large_string())})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)


def repeated_text(path: Path) -> None:
    """A text of a megabyte that every row of 32,768 repeats: 32 GB from some kilobytes."""
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(32_768, np.int32)), pa.array(["y" * (1 << 20)]))
    pq.write_table(pa.table({"text": texts}), path, compression="zstd", row_group_size=32_768)


def many_rows(path: Path) -> None:
    """One value that stands 33 million times in a group of rows."""
    table = pa.table({"number": pa.array(np.zeros((1 << 24) + 1, np.uint8))})
    pq.write_table(table, path, compression="zstd", row_group_size=1 << 25)


@pytest.mark.parametrize("write", [long_text, repeated_text, many_rows], ids=lambda write: write.__name__)
def test_a_file_that_would_grow_is_refused_before_it_is_read(write: Callable[[Path], None], tmp_path: Path):
    """The complaint is ours, in one line, and the file is small."""
    path = tmp_path / "bomb.parquet"
    write(path)

    assert path.stat().st_size < 100_000
    with pytest.raises(BrokenDataset, match=r"bomb\.parquet (would unpack|has)"), open_parquet(path):
        pytest.fail("it was opened")


@pytest.mark.parametrize(
    "read",
    [
        lambda path: list(read_parquet(path, columns=["text"])),
        lambda path: list(read_captions(path)),
        read_plans,
        read_verdicts,
        read_pairs,
        lambda path: list(RowGroups([(path, 1)], ["text"]).groups()),
    ],
    ids=["read_parquet", "read_captions", "read_plans", "read_verdicts", "read_pairs", "RowGroups"],
)
def test_every_reader_of_parquet_is_bounded(read: Callable[[Path], object], tmp_path: Path):
    """None of them unpacks such a file."""
    path = tmp_path / "bomb.parquet"
    long_text(path)

    with pytest.raises(BrokenDataset, match="would unpack"):
        read(path)


def test_honest_files_pass(tmp_path: Path):
    """Texts that repeat, and long texts that do not, are read as ever."""
    texts = pa.array([f"a caption of some length, {number % 40}" for number in range(200_000)])
    unlike = pa.array([str(number) * 40 for number in range(200_000)])
    pq.write_table(pa.table({"text": texts, "unlike": unlike}), tmp_path / "plain.parquet", compression="zstd")

    rows = sum(len(table) for table in read_parquet(tmp_path / "plain.parquet", columns=["text", "unlike"]))

    assert rows == 200_000


def test_what_is_no_text_is_told(tmp_path: Path):
    """Bytes that are no UTF-8 in a column of texts are a broken file, not a fault of ours."""
    array = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    pq.write_table(pa.table({"text": array}), tmp_path / "bytes.parquet")

    with pytest.raises(BrokenDataset, match="cannot be read as Parquet"):
        list(read_parquet(tmp_path / "bytes.parquet", columns=["text"]))


def test_metadata_that_are_no_text_are_told(tmp_path: Path):
    """A flipped bit in the name of a column is a broken file, whatever is asked of it."""
    path = tmp_path / "named.parquet"
    pq.write_table(pa.table({"abcdefgh": [1]}), path)
    path.write_bytes(path.read_bytes().replace(b"abcdefgh", b"abcde\xe5gh"))

    with pytest.raises(BrokenDataset, match="cannot be read as Parquet"):
        open_source(path).count()


def test_a_damaged_footer_is_told(tmp_path: Path):
    """Whatever bit of a footer is flipped, its facts are read or refused by ours; pyarrow would end the process."""
    path = tmp_path / "flipped.parquet"
    pq.write_table(pa.table({"text": ["a", "b"] * 9, "number": range(18)}), path)
    whole = path.read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")

    refused = 0
    for place in range(footer, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        try:
            read_footer(path)
        except BrokenDataset:
            refused += 1

    assert 0 < refused < len(whole) - footer


def test_a_footer_says_what_pyarrow_says(tmp_path: Path):
    """Rows, bytes and encodings of our reader are those of pyarrow."""
    path = tmp_path / "plain.parquet"
    table = pa.table({"text": ["a", "b"] * 900, "lists": [["x"], []] * 900, "number": range(1800)})
    pq.write_table(table, path, row_group_size=700)

    theirs = pq.read_metadata(path)
    groups = read_footer(path)

    assert [group.rows for group in groups] == [700, 700, 400]
    for number, group in enumerate(groups):
        for place, column in enumerate(group.columns):
            said = theirs.row_group(number).column(place)
            assert (column.path, column.values) == (said.path_in_schema, said.num_values)
            assert (column.unpacked, column.packed) == (said.total_uncompressed_size, said.total_compressed_size)
            assert column.is_coded_text == (said.physical_type == "BYTE_ARRAY" and "RLE_DICTIONARY" in said.encodings)
