"""The pictures of a dataset, image after image in the order of its scenes."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from deixis.datasets.store import read_parquet
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.datasets.copsref.store import CopsRef


__all__ = ["decode_picture", "files_of_pictures", "read_pictures"]

READ = 64  # pictures at a time
LARGEST = 1 << 26  # pixels of a picture


def files_of_pictures(dataset: CopsRef) -> str:
    """A name for the pictures of a dataset: the hashes of their files."""
    return " ".join(str(entry.get("sha256", "")) for entry in dataset.pictures)


def read_pictures(dataset: CopsRef, *, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """The number of every image from one on, with the bytes of its picture.

    Raises:
        BrokenDataset: when the picture of an image is missing, or pictures stand in another order than scenes.
    """
    ids = dataset.scenes.image_ids
    if not dataset.pictures:
        raise BrokenDataset(f"{dataset.path.name} keeps no pictures; choose features that need none, as `oracle`")
    wanted = 0
    for entry in dataset.pictures:
        rows = entry.get("rows")
        if isinstance(rows, int) and wanted + rows <= start:  # none of these is asked for
            wanted += rows
            continue
        for table in read_parquet(dataset.path / entry["path"], rows=READ, columns=["image", "picture"]):
            names, pictures = table.column("image").to_pylist(), table.column("picture")
            for row, name in enumerate(names):
                if wanted >= len(ids) or ids[wanted] != name:
                    break
                if wanted >= start:
                    held = pictures[row].as_py()
                    yield wanted, (held or {}).get("bytes") or b""
                wanted += 1
            else:
                continue
            _missing(dataset, wanted, name)
    if wanted < len(ids):
        _missing(dataset, wanted, None)


def _missing(dataset: CopsRef, wanted: int, found: str | None) -> None:
    ids = dataset.scenes.image_ids
    if wanted >= len(ids):
        raise BrokenDataset(f"{dataset.path.name} has a picture of {found!r}, an image that it does not know")
    raise BrokenDataset(f"{dataset.path.name} keeps no picture of the image {ids[wanted]!r}, or not in its place")


def decode_picture(held: bytes, image_id: str) -> np.ndarray:
    """The pixels of a picture: uint8 [row, column, 3]; `BrokenDataset` when it cannot be read."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(held), formats=("PNG", "JPEG")) as picture:
            if picture.width * picture.height > LARGEST:
                raise BrokenDataset(f"the picture of image {image_id!r} is larger than {LARGEST:,} pixels")
            return np.array(picture.convert("RGB"))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        if isinstance(error, BrokenDataset):
            raise
        raise BrokenDataset(
            f"the picture of image {image_id!r} cannot be read; make or copy the dataset again"
        ) from error
