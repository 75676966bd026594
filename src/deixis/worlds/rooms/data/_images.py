"""Images of 3D Shapes in Parquet: their factors, and if wanted their pictures, so that any reader of tables shows them.

A picture is a struct of its bytes and its name, which `datasets.Image` reads, and columns say so in a note that
`datasets` looks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._huggingface import PICTURE, with_picture_features
from deixis.data.store import replacing_file
from deixis.worlds.rooms.scene import FACTORS, HUES, ORIENTATIONS, SCALES, SOLIDS, factors_of


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


VALUES = dict(zip(FACTORS, (HUES, HUES, HUES, SCALES, SOLIDS, ORIENTATIONS), strict=True))
ROOMS = pa.schema([("image", pa.uint32()), *((name, pa.string()) for name in FACTORS)])
ROOM_PICTURES = with_picture_features(ROOMS.append(pa.field("picture", PICTURE)), "picture")
GROUP = 128  # rooms that are read together
BLOCK = 4_096  # rooms that are drawn at a time
KEPT = {"compression": "zstd", "compression_level": 3, "write_page_checksum": True}


def write_rooms(path: Path, images: np.ndarray, *, size: int | None = None) -> int:
    """Write images of 3D Shapes with their factors, and as pictures if a size is given, and return their number.

    Args:
        path: the file.
        images: the numbers of images.
        size: pixels along one side of the pictures.
    """
    schema = ROOMS if size is None else ROOM_PICTURES
    with (
        replacing_file(path) as draft,
        pq.ParquetWriter(draft, schema, use_dictionary=list(FACTORS), **KEPT) as writer,
    ):
        for start in range(0, len(images), BLOCK):
            some = np.asarray(images[start : start + BLOCK], np.int64)
            columns = {"image": some, **_factors(some)}
            if size is not None:
                columns["picture"] = pa.array(list(_rooms(some, size)), PICTURE)
            writer.write_table(pa.table(columns, schema=schema), row_group_size=len(some) if size is None else GROUP)
    return len(images)


def _factors(images: np.ndarray) -> dict[str, pa.Array]:
    numbers = factors_of(images)
    return {name: pa.array(VALUES[name]).take(pa.array(numbers[:, k])) for k, name in enumerate(FACTORS)}


def _rooms(images: np.ndarray, size: int) -> Iterator[dict[str, object]]:
    from deixis.worlds.rooms.draw import draw_rooms, encode_png

    for number, picture in zip(images.tolist(), draw_rooms(images, size=size), strict=True):
        yield {"bytes": encode_png(picture), "path": f"{number:06d}.png"}
