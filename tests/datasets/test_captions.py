from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data._crew import in_order
from deixis.errors import BrokenDataset
from deixis.worlds.rooms.captions import GRAMMARS, captions, frames
from deixis.worlds.rooms.data._captions import COLUMNS, caption_table, read_captions, write_captions
from deixis.worlds.rooms.scene import IMAGES


@given(some=st.lists(st.integers(0, IMAGES - 1), min_size=1, max_size=20), grammar=st.sampled_from(GRAMMARS))
def test_tables_hold_the_captions_made_one_by_one(some, grammar):
    """The fast way, in arrays, gives the texts of the plain definition in the same order."""
    table = caption_table(np.array(some), grammar)

    assert table.schema == COLUMNS
    assert table["text"].to_pylist() == [text for image in some for text in captions(image, grammar)]
    assert table["image"].to_pylist() == [image for image in some for _ in frames(grammar)]
    assert table["number"].to_pylist() == [number for _ in some for number in range(len(frames(grammar)))]


def test_a_file_is_written_in_blocks_and_read_back(tmp_path):
    """Several blocks follow each other in one file, and what is told adds up."""
    images, told = np.arange(100_000, 107_000), []

    rows = write_captions(tmp_path / "short.parquet", images, "short", tell=told.append)

    tables = list(read_captions(tmp_path / "short.parquet"))
    assert [table.num_rows for table in tables] == told == [4800 * 27, 2200 * 27]
    assert rows == sum(told)
    assert pa.concat_tables(tables) == caption_table(images, "short")


def test_an_interrupted_file_does_not_appear(tmp_path):
    """A file takes its name when it is whole, and leaves nothing behind when not."""

    def stop(_captions):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_captions(tmp_path / "short.parquet", np.arange(10), "short", tell=stop)

    assert list(tmp_path.iterdir()) == []


def test_other_files_are_refused(tmp_path):
    """A damaged file, another table and a missing file are each one clear error."""
    write_captions(tmp_path / "good.parquet", np.arange(50), "short")
    data = bytearray((tmp_path / "good.parquet").read_bytes())
    data[len(data) // 3] ^= 255
    (tmp_path / "flipped.parquet").write_bytes(data)
    (tmp_path / "cut.parquet").write_bytes(data[:-50])
    pq.write_table(pa.table({"image": [1]}), tmp_path / "other.parquet")

    for name in ("flipped", "cut", "other", "missing"):
        with pytest.raises(BrokenDataset, match=name):
            list(read_captions(tmp_path / f"{name}.parquet"))


def test_work_is_done_ahead_and_handed_on_in_order():
    """Results come in the order of the items, however many are under way."""
    with ThreadPoolExecutor(3) as pool:
        assert list(in_order(pool, lambda item: item * item, range(20), ahead=4)) == [i * i for i in range(20)]
        assert list(in_order(pool, abs, [], ahead=4)) == []
