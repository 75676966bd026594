"""The pictures of a dataset: each by the id of its image, or one after the other in the order of its scenes.

They are kept in `images/*.parquet` of the folder. Older datasets have them as files instead, in a folder beside it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import cached_property
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._parquet_files import demand_bounded
from deixis.data.store import is_blob_of, read_parquet
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.worlds.photos.data.store import CopsRef


READ = 64  # pictures at a time
ENDINGS = ("png", "jpg", "jpeg")
FOLDERS = ("images", "pictures")  # where pictures may lie as files
BESIDE = "-imagined"  # the ending of the folder in which they lay before datasets kept their pictures
REMEMBERED = 64 << 20  # bytes of pictures, beside those of the latest row group
TYPES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}
LARGEST = 1 << 26  # pixels of a picture


class Photographs:
    """The pictures of one dataset by the ids of their images, safe to share among threads."""

    def __init__(self, dataset: CopsRef) -> None:
        self.dataset = dataset
        self._remembered: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def has(self, image: str) -> bool:
        """Return whether there is a picture of an image."""
        return image in self._places or self._file(image) is not None

    def find(self, image: str) -> bytes | None:
        """Return the picture of an image as the bytes of a PNG or JPEG file, or None where there is none.

        Raises:
            BrokenDataset: when the file that should hold it cannot be read.
        """
        with self._lock:
            if image in self._remembered:
                self._remembered.move_to_end(image)
                return self._remembered[image]
        if image in self._places:
            return self._read_kept(image)
        file = self._file(image)
        if file is None:
            return None
        try:
            return file.read_bytes()
        except OSError as error:
            raise BrokenDataset(f"the picture {file.name} cannot be read: {error.strerror or error}") from error

    @cached_property
    def _places(self) -> dict[str, tuple[str, int]]:
        """The file and the row group of every picture that is kept in Parquet."""
        places: dict[str, tuple[str, int]] = {}
        for entry in self.dataset.pictures:
            with _parquet(self.dataset.path / entry["path"]) as file:
                for group in range(file.num_row_groups):
                    names = _column(file, group, "image")
                    places |= {name: (entry["path"], group) for name in names if isinstance(name, str)}
        return places

    def _read_kept(self, image: str) -> bytes | None:
        path, group = self._places[image]
        with _parquet(self.dataset.path / path) as file:
            names, pictures = (_column(file, group, name) for name in ("image", "picture"))
        read = {
            name: held["bytes"]
            for name, held in zip(names, pictures, strict=True)
            if isinstance(name, str) and isinstance(held, dict) and isinstance(held.get("bytes"), bytes)
        }
        with self._lock:
            self._remembered = OrderedDict((n, b) for n, b in self._remembered.items() if n not in read)
            size = sum(map(len, self._remembered.values()))
            while self._remembered and size > REMEMBERED:
                size -= len(self._remembered.popitem(last=False)[1])
            self._remembered |= read
        return read.get(image)

    def _file(self, image: str) -> Path | None:
        """The file of a picture in the dataset or in the folder beside it; links do not lead out of the two."""
        if not re.fullmatch(r"[\w-]{1,80}", image):
            return None
        root = self.dataset.path.resolve()
        beside = root.with_name(root.name + BESIDE)
        for folder in (*(root / name for name in FOLDERS), beside / "images"):
            for ending in ENDINGS:
                path = (folder / f"{image}.{ending}").resolve()
                is_ours = any(path.is_relative_to(place) for place in (root, beside)) or is_blob_of(root, path)
                if is_ours and path.is_file():
                    return path
        return None


def picture_type(held: bytes) -> str:
    """Return the media type of a picture."""
    return next((kind for magic, kind in TYPES.items() if held.startswith(magic)), "application/octet-stream")


def _parquet(path: Path) -> pq.ParquetFile:
    try:
        demand_bounded(path)
        file = pq.ParquetFile(path, page_checksum_verification=True)
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as error:
        raise BrokenDataset(f"{path.name} cannot be read as Parquet ({_first_line(error)}); copy it again") from error
    return file


def _column(file: pq.ParquetFile, group: int, name: str) -> list[object]:
    try:
        values: list[object] = file.read_row_group(group, columns=[name]).column(name).to_pylist()
    except (pa.ArrowException, OSError, EOFError, KeyError, UnicodeDecodeError) as error:
        raise BrokenDataset(f"a file of pictures cannot be read ({_first_line(error)}); copy it again") from error
    return values


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def files_of_pictures(dataset: CopsRef) -> str:
    """Return a digest of the pictures of a dataset: the hashes of their files."""
    return " ".join(str(entry.get("sha256", "")) for entry in dataset.pictures)


def read_pictures(dataset: CopsRef, *, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the number of every image from one on, with the bytes of its picture.

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
    """Decode the pixels of a picture, uint8 [row, column, 3], or raise `BrokenDataset` when it cannot be read."""
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
