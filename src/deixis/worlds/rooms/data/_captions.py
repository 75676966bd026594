"""The captions of images as tables: made in blocks from arrays of phrases, never one by one.

| column | |
|---|---|
| `image` | uint32, the number of the image |
| `number` | uint8, the number of the caption among those of its grammar |
| `text` | string, the caption |

Rows are sorted by image, then by number.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deixis.data._parquet_files import open_parquet, sound
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset
from deixis.worlds.rooms.captions import frames, phrase_numbers, segments


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deixis.worlds.rooms.captions import Grammar


COLUMNS = pa.schema([("image", pa.uint32()), ("number", pa.uint8()), ("text", pa.string())])
BLOCK = 4_800  # images that are written about together: those of one floor and one wall
T = TypeVar("T")
R = TypeVar("R")


def caption_texts(images: np.ndarray, number: int, grammar: Grammar) -> pa.StringArray:
    """The captions of one number, one for each image."""
    chosen = phrase_numbers(images, number, grammar)
    stretches = [
        pa.scalar(phrases[0]) if place is None else pa.array(phrases).take(pa.array(chosen[:, place]))
        for place, phrases in segments(number, grammar)
    ]
    return pc.binary_join_element_wise(*stretches, pa.scalar(" "))


def caption_table(images: np.ndarray, grammar: Grammar = "exhaustive") -> pa.Table:
    """All captions of some images.

    Args:
        images: the numbers of images, in the order in which they are wanted.
        grammar: which captions.
    """
    images = np.asarray(images, np.int64)
    size = len(frames(grammar))
    texts = interleave([caption_texts(images, number, grammar) for number in range(size)])
    repeated = np.repeat(images.astype(np.uint32), size)
    numbers = np.tile(np.arange(size, dtype=np.uint8), len(images))
    return pa.Table.from_arrays([pa.array(repeated), pa.array(numbers), texts], schema=COLUMNS)


def interleave(columns: list[pa.StringArray]) -> pa.StringArray:
    """Join columns of equal length into one, row by row."""
    rows, size = len(columns[0]), len(columns)
    order = np.arange(size)[None, :] * rows + np.arange(rows)[:, None]
    return pa.concat_arrays(columns).take(pa.array(order.ravel()))


def write_captions(
    path: Path, images: np.ndarray, grammar: Grammar, *, tell: Callable[[int], None] = lambda _rows: None
) -> int:
    """Write all captions of some images to a Parquet file, and return their number.

    What is held in memory is one block. The file appears when it is whole.

    Args:
        path: the file.
        images: the numbers of images.
        grammar: which captions.
        tell: told after each block how many captions it had.
    """
    options = {"compression": "zstd", "compression_level": 3, "store_schema": True, "write_page_checksum": True}
    count = 0
    with (
        replacing_file(path) as draft,
        pq.ParquetWriter(draft, COLUMNS, use_dictionary=["image", "number"], **options) as writer,
    ):
        for block in blocks(images):
            table = caption_table(block, grammar)
            writer.write_table(table, row_group_size=table.num_rows)
            count += table.num_rows
            tell(table.num_rows)
    return count


def packed_captions(images: np.ndarray, grammar: Grammar) -> tuple[bytes, int]:
    """The content of the file that `write_captions` would write, and how many captions it holds."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "captions.parquet"
        rows = write_captions(path, images, grammar)
        return path.read_bytes(), rows


def read_captions(path: Path) -> Iterator[pa.Table]:
    """The captions in a Parquet file, block by block.

    Raises:
        BrokenDataset: when it is damaged or no file of captions.
    """
    with open_parquet(path) as file:
        if file.schema_arrow.remove_metadata() != COLUMNS:
            raise BrokenDataset(f"{path.name} holds no captions: its columns are {file.schema_arrow.names}")
        for group in range(file.num_row_groups):
            yield sound(file.read_row_group(group))


def blocks(images: np.ndarray, size: int = BLOCK) -> Iterator[np.ndarray]:
    """The images, some thousand at a time."""
    return (images[start : start + size] for start in range(0, len(images), size))
