"""Photographs in folders, and in Parquet with the boxes of their objects, where viewers of tables show them.

A picture is a struct of its bytes and its name, which `datasets.Image` reads, and columns say so in a note that
`datasets` looks for.
"""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._huggingface import PICTURE, with_picture_features
from deixis.data.store import replacing_file
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from deixis.worlds.photos.scene.graph_table import GraphTable


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
ENDINGS = ("png", "jpg", "jpeg", "PNG", "JPG", "JPEG")
FEW = 32  # photographs that are read together, which are larger
KEPT = {"compression": "zstd", "compression_level": 3, "write_page_checksum": True}


class Picture(NamedTuple):
    """A picture as a file: its name and its bytes."""

    name: str
    held: bytes


def pictures_in(folder: Path) -> Callable[[str], Picture | None]:
    """Return a function that finds pictures in a folder by the ids of their images: `2386621.jpg`."""

    def find(image: str) -> Picture | None:
        if "/" in image or "\\" in image or "\0" in image:
            return None
        file = next((path for ending in ENDINGS if (path := folder / f"{image}.{ending}").is_file()), None)
        return None if file is None else Picture(file.name, file.read_bytes())

    return find


def digest_of_pictures(folder: Path) -> str:
    """Return a digest of the pictures in a folder, from their names and sizes alone."""
    if not folder.is_dir():
        raise RecipeError(f"there is no folder of pictures {folder}")
    files = sorted(path for path in folder.iterdir() if path.suffix[1:] in ENDINGS)
    if not files:
        raise RecipeError(f"{folder} holds no picture; they are PNG or JPEG files called after the ids of their images")
    return sha256("\n".join(f"{path.name} {path.stat().st_size}" for path in files).encode()).hexdigest()


def size_of_picture(held: bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG or JPEG file from its header, or None where it cannot be read."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(held), formats=("PNG", "JPEG")) as picture:
            return picture.width, picture.height
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None


def write_photographs(
    path: Path, scenes: GraphTable, numbers: Sequence[int], find: Callable[[str], Picture | None]
) -> int:
    """Write images with the objects in them and their pictures, and return the number of images.

    Args:
        path: the file.
        scenes: their graphs.
        numbers: which of them; those whose picture is missing are left out.
        find: the picture of an image by its id, or None.
    """
    written = 0
    with replacing_file(path) as draft, pq.ParquetWriter(draft, PHOTOGRAPHS, use_dictionary=["name"], **KEPT) as writer:
        for start in range(0, len(numbers), FEW):
            rows = [row for number in numbers[start : start + FEW] if (row := _photograph(scenes, number, find))]
            writer.write_table(pa.Table.from_pylist(rows, schema=PHOTOGRAPHS))
            written += len(rows)
    return written


def _photograph(scenes: GraphTable, number: int, find: Callable[[str], Picture | None]) -> dict[str, object] | None:
    image = scenes.image_ids[number]
    picture = find(image)
    if picture is None:
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
        "picture": {"bytes": picture.held, "path": picture.name},
    }
