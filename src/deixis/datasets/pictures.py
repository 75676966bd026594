"""Pictures in Parquet, so that whatever reads a table shows them: rooms with their factors, photographs with boxes.

A picture is a struct of its bytes and its name, which `datasets.Image` reads, and columns say so in a note that
`datasets` looks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.datasets.huggingface import PICTURE, with_picture_features
from deixis.datasets.store import replacing_file
from deixis.scene.factors import FACTORS, HUES, ORIENTATIONS, SCALES, SOLIDS, factors_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.scene.graph_table import GraphTable


__all__ = ["PHOTOGRAPHS", "ROOMS", "ROOM_PICTURES", "write_photographs", "write_rooms"]

VALUES = dict(zip(FACTORS, (HUES, HUES, HUES, SCALES, SOLIDS, ORIENTATIONS), strict=True))
ROOMS = pa.schema([("image", pa.uint32()), *((name, pa.string()) for name in FACTORS)])
ROOM_PICTURES = with_picture_features(ROOMS.append(pa.field("picture", PICTURE)), "picture")
PHOTOGRAPHS = with_picture_features(
    pa.schema(
        [
            ("image", pa.string()),
            ("width", pa.int32()),
            ("height", pa.int32()),
            ("object", pa.list_(pa.string())),
            ("name", pa.list_(pa.string())),
            ("box", pa.list_(pa.list_(pa.float32()))),
            ("picture", PICTURE),
        ]
    ),
    "picture",
)
GROUP = 128  # pictures that are read together
BLOCK = 4_096  # rooms that are drawn at a time
KEPT = {"compression": "zstd", "compression_level": 3, "write_page_checksum": True}


def write_rooms(path: Path, images: np.ndarray, *, size: int | None = None) -> int:
    """Write images of 3D Shapes with their factors, and where a size is given as pictures; how many there are.

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
    from deixis.worlds.shapes.draw import draw_rooms, encode_png

    for number, picture in zip(images.tolist(), draw_rooms(images, size=size), strict=True):
        yield {"bytes": encode_png(picture), "path": f"{number:06d}.png"}


def write_photographs(path: Path, scenes: GraphTable, numbers: Sequence[int], pictures: Path) -> int:
    """Write images with the objects in them and their pictures; how many there are.

    Args:
        path: the file.
        scenes: their graphs.
        numbers: which of them; those whose picture is missing are left out.
        pictures: the folder of pictures, each called after the id of its image.
    """
    written = 0
    with replacing_file(path) as draft, pq.ParquetWriter(draft, PHOTOGRAPHS, use_dictionary=["name"], **KEPT) as writer:
        for start in range(0, len(numbers), GROUP):
            rows = [row for number in numbers[start : start + GROUP] if (row := _photograph(scenes, number, pictures))]
            writer.write_table(pa.Table.from_pylist(rows, schema=PHOTOGRAPHS))
            written += len(rows)
    return written


def _photograph(scenes: GraphTable, number: int, pictures: Path) -> dict[str, object] | None:
    image = scenes.image_ids[number]
    file = next((path for ending in ("png", "jpg") if (path := pictures / f"{image}.{ending}").is_file()), None)
    if file is None:
        return None
    scene = scenes.scene(number)
    objects = scenes.objects_of(number)
    return {
        "image": image,
        "width": int(scenes.width[number]),
        "height": int(scenes.height[number]),
        "object": list(scene.object_ids),
        "name": [scenes.raw_names[scenes.raw_name[k]] for k in objects],
        "box": scenes.box[objects.start : objects.stop].astype(np.float32).tolist(),
        "picture": {"bytes": file.read_bytes(), "path": file.name},
    }
