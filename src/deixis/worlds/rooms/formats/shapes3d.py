"""The image files of 3D Shapes: the original HDF5 file and the pair of NumPy files, read a few at a time, and written.

| file | holds |
|---|---|
| `3dshapes.h5` | `images` uint8 [480000, 64, 64, 3] and `labels` float64 [480000, 6] |
| `3dshapes_images.npy`, `3dshapes_labels.npy` | the same two arrays |

Labels are the values of the six factors, not their numbers: hues from 0 to 0.9, scales from 0.75 to 1.25, degrees from
-30 to 30. They are read by taking the nearest value, because some of them are rounded differently in different files.
Files may hold fewer images, of another size and in any order; one with all of them must have them in their order.
"""

from __future__ import annotations

import os
import zlib
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, DeixisError, RecipeError, SchemaError
from deixis.scene._array_folder import map_array
from deixis.worlds.rooms.draw import MAX_SIZE, SIZE, draw_rooms
from deixis.worlds.rooms.scene import FACTORS, IMAGES, factors_of, ids_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self


__all__ = ["IMAGE_FILES", "LABELS", "Shapes3d", "label_values", "open_shapes3d", "read_labels", "write_shapes3d"]

IMAGE_FILES = ("3dshapes.h5", "3dshapes_images.npy")
_HUES = (0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6000000000000001, 0.7000000000000001, 0.8, 0.9)
LABELS: tuple[tuple[float, ...], ...] = (  # as they are stored, to the last digit
    _HUES,
    _HUES,
    _HUES,
    tuple(np.linspace(0.75, 1.25, 8).tolist()),
    (0.0, 1.0, 2.0, 3.0),
    tuple(np.linspace(-30.0, 30.0, 15).tolist()),
)
CHUNK = 15  # images that are packed together: one room and solid at all orientations
BLOCK = 4_800  # images that one thread draws at a time
LEVEL = 4  # of compression, h5py's own default
MOST_CHUNK_BYTES = 1 << 28
ROWS = 480


class Rows(Protocol):
    """An array on disk of which some rows can be had."""

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an array."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """As of an array."""

    def __getitem__(self, rows: slice) -> np.ndarray: ...


@dataclass(frozen=True, slots=True, eq=False)
class Shapes3d:
    """An open file of images with nothing but the labels in memory.

    Use it in a `with` block, or close it.

    Attributes:
        path: the file.
        ids: int64 [row], the number of the image in each row.
        size: pixels along a side.
    """

    path: Path
    ids: np.ndarray
    size: int
    _images: Rows = field(repr=False)
    _together: int = field(repr=False)  # rows that are cheap to read at once
    _close: Callable[[], None] = field(repr=False)
    _order: np.ndarray = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._close()

    @property
    def factors(self) -> np.ndarray:
        """The numbers of the six factors of every row: uint8 [row, 6]."""
        return factors_of(self.ids)

    def __getitem__(self, ids: int | np.ndarray | list[int]) -> np.ndarray:
        """The pictures of images: uint8 [..., row, column, channel], for one number or many.

        Raises:
            SchemaError: when a number is not that of an image in the file.
            BrokenDataset: when the file is damaged.
        """
        wanted = np.asarray(ids)
        if wanted.ndim > 1 or (wanted.size and not np.issubdtype(wanted.dtype, np.integer)):
            raise SchemaError(f"ask for images by their numbers, got {wanted.dtype} of shape {wanted.shape}")
        rows = self._rows_of(wanted.reshape(-1))
        pictures = np.empty((len(rows), self.size, self.size, 3), np.uint8)
        order = np.argsort(rows, kind="stable")
        blocks = rows[order] // self._together
        for places in np.split(order, np.flatnonzero(np.diff(blocks)) + 1) if len(rows) else ():
            first, last = rows[places[0]], rows[places[-1]]
            pictures[places] = self._read(int(first), int(last) + 1)[rows[places] - first]
        return pictures.reshape(*wanted.shape, self.size, self.size, 3)

    def chunks(self, rows: int = ROWS) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All images in the order of the file, some at a time: their numbers and their pictures."""
        for first in range(0, len(self), rows):
            yield self.ids[first : first + rows], self._read(first, min(first + rows, len(self)))

    def _rows_of(self, wanted: np.ndarray) -> np.ndarray:
        found = np.minimum(np.searchsorted(self.ids, wanted, sorter=self._order), len(self) - 1)
        rows = self._order[found]
        missing = np.flatnonzero(self.ids[rows] != wanted)
        if len(missing):
            raise SchemaError(f"{self.path.name} has no image {wanted[missing[0]]}; it holds {len(self):,} images")
        return rows

    def _read(self, first: int, last: int) -> np.ndarray:
        with _explain_errors(self.path):
            return np.asarray(self._images[first:last])


def open_shapes3d(path: Path | str) -> Shapes3d:
    """Open images of 3D Shapes.

    Args:
        path: an HDF5 file, the `…_images.npy` of a pair, or a folder with one of them under its usual name.

    Raises:
        BrokenDataset: when there is no such file, or it is damaged or of another form, saying how.
        DeixisError: when h5py is needed and not installed.
    """
    file = _image_file(Path(path))
    with _explain_errors(file):
        images, labels, close = (_open_pair if file.suffix == ".npy" else _open_hdf5)(file)
    try:
        return _check_arrays(file, images, labels, close)
    except BaseException:
        close()
        raise


def read_labels(labels: np.ndarray, *, name: str = "the labels") -> np.ndarray:
    """The numbers of images from their labels: int64 [row].

    Raises:
        BrokenDataset: when a label is far from every value of its factor.
    """
    numbers = np.empty(labels.shape, np.int64)
    for column, (factor, values) in enumerate(zip(FACTORS, LABELS, strict=True)):
        known, given = np.array(values), labels[:, column]
        nearest = np.searchsorted((known[1:] + known[:-1]) / 2, given)
        step = known[1] - known[0]
        wrong = np.flatnonzero(~(np.abs(known[nearest] - given) <= 0.01 * step))  # also where it is not a number
        if len(wrong):
            row = int(wrong[0])
            raise BrokenDataset(f"{name} say {factor} {given[row]:g} in row {row}, which is none of its values")
        numbers[:, column] = nearest
    return ids_of(numbers)


def label_values(ids: np.ndarray) -> np.ndarray:
    """The labels of images as the original file stores them: float64 [image, 6]."""
    factors = factors_of(ids)
    return np.stack([np.array(values)[factors[:, k]] for k, values in enumerate(LABELS)], axis=1)


def write_shapes3d(
    path: Path | str,
    ids: np.ndarray | None = None,
    *,
    size: int = SIZE,
    workers: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> None:
    """Draw images into a file of the original layout, which other readers of HDF5 can open too.

    The file appears when it is whole. The same images give the same bytes, whatever the number of workers.

    Args:
        path: the file to write.
        ids: numbers of images, all different; every image in its order unless given.
        size: pixels along a side.
        workers: threads that draw and pack; as many as there are processors unless given.
        progress: told what is being done, how many images are done, and of how many.

    Raises:
        SchemaError: when a number is not that of an image.
        RecipeError: when there is nothing to draw, or an image twice, or a size cannot be drawn.
        DeixisError: when h5py is not installed.
    """
    ids = np.arange(IMAGES) if ids is None else np.asarray(ids)
    _demand_drawable(ids, size)
    h5py = _h5py()
    chunk = min(CHUNK, len(ids))
    with replacing_file(Path(path)) as draft, h5py.File(draft, "w", libver="earliest") as file:
        file.create_dataset("labels", data=label_values(ids), track_times=False)
        images = file.create_dataset(
            "images",
            shape=(len(ids), size, size, 3),
            dtype=np.uint8,
            chunks=(chunk, size, size, 3),
            compression="gzip",
            compression_opts=LEVEL,
            track_times=False,
        )
        done = 0
        for first, packed in _packed_blocks(ids, size, chunk, workers or os.cpu_count() or 1):
            for number, data in enumerate(packed):
                images.id.write_direct_chunk((first + number * chunk, 0, 0, 0), data)
            done = min(len(ids), first + len(packed) * chunk)
            if progress is not None:
                progress("images", done, len(ids))


def _packed_blocks(ids: np.ndarray, size: int, chunk: int, workers: int) -> Iterator[tuple[int, list[bytes]]]:
    """The chunks of block after block, drawn and compressed by several threads, a few blocks ahead at most."""
    block = max(1, BLOCK * SIZE * SIZE // (size * size) // chunk) * chunk
    waiting: deque[tuple[int, Any]] = deque()
    pool = ThreadPoolExecutor(max_workers=workers)
    try:
        for first in range(0, len(ids), block):
            waiting.append((first, pool.submit(_pack, ids[first : first + block], size, chunk)))
            if len(waiting) > workers:
                start, future = waiting.popleft()
                yield start, future.result()
        while waiting:
            start, future = waiting.popleft()
            yield start, future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _pack(ids: np.ndarray, size: int, chunk: int) -> list[bytes]:
    """The pictures of a block as compressed chunks; the last of a file is filled up with zeros."""
    pictures = draw_rooms(ids, size=size)
    lacking = -len(ids) % chunk
    if lacking:
        pictures = np.concatenate([pictures, np.zeros((lacking, *pictures.shape[1:]), np.uint8)])
    return [zlib.compress(pictures[first : first + chunk].data, LEVEL) for first in range(0, len(pictures), chunk)]


def _demand_drawable(ids: np.ndarray, size: int) -> None:
    if ids.ndim != 1 or not len(ids) or not np.issubdtype(ids.dtype, np.integer):
        raise RecipeError(f"name the images to draw by their numbers, got {ids.dtype} of shape {ids.shape}")
    factors_of(ids)
    if len(np.unique(ids)) != len(ids):
        raise RecipeError("an image is asked for twice; a file holds every image once")
    if type(size) is not int or not 1 <= size <= MAX_SIZE:
        raise RecipeError(f"the size of a picture is a whole number from 1 to {MAX_SIZE}, got {size!r}")


def _image_file(path: Path) -> Path:
    if path.is_dir():
        for name in IMAGE_FILES:
            if (path / name).is_file():
                return path / name
        raise BrokenDataset(f"{path} holds neither {' nor '.join(IMAGE_FILES)}")
    if not path.is_file():
        raise BrokenDataset(f"{path} is no file")
    return path


def _open_pair(file: Path) -> tuple[Rows, np.ndarray, Callable[[], None]]:
    other = file.with_name(file.name.removesuffix("images.npy") + "labels.npy")
    if not file.name.endswith("images.npy") or not other.is_file():
        raise BrokenDataset(f"{file} is not one of a pair …images.npy and …labels.npy")
    try:
        return map_array(file), map_array(other), lambda: None
    except BrokenDataset as error:
        raise BrokenDataset(f"{error}; it is damaged or cut short: copy or make it again") from error


def _open_hdf5(file: Path) -> tuple[Rows, Any, Callable[[], None]]:
    with file.open("rb") as stream:
        start = stream.read(64)
    if start.startswith(b"version https://git-lfs"):
        raise BrokenDataset(f"{file} is a Git LFS pointer, not the file it points to; fetch that with `git lfs pull`")
    h5py = _h5py()
    if not h5py.is_hdf5(file):
        raise BrokenDataset(f"{file} is not an HDF5 file")
    opened = h5py.File(file, "r")
    try:
        return _dataset(h5py, opened, file, "images"), _dataset(h5py, opened, file, "labels"), opened.close
    except BaseException:
        opened.close()
        raise


def _dataset(h5py: Any, opened: Any, file: Path, name: str) -> Any:
    """An array of the file itself: one that other files hold is not followed."""
    if name not in opened:
        raise BrokenDataset(f"{file} has no dataset {name!r}; it holds {', '.join(map(repr, opened)) or 'nothing'}")
    link, found = opened.get(name, getlink=True), opened.get(name)
    if not isinstance(link, h5py.HardLink) or not isinstance(found, h5py.Dataset) or found.is_virtual or found.external:
        raise BrokenDataset(f"{name!r} in {file} is not an array that lies in the file itself")
    return found


def _check_arrays(file: Path, images: Any, labels: Any, close: Callable[[], None]) -> Shapes3d:
    """Return the open file, or raise `BrokenDataset` unless its arrays have the right form."""
    shape = tuple(images.shape)
    if images.dtype != np.uint8 or len(shape) != 4 or shape[1] != shape[2] or shape[3] != 3 or shape[1] < 1:
        raise BrokenDataset(
            f"images in {file} are {images.dtype} of shape {shape}, not uint8 of shape (number, size, size, 3)"
        )
    if labels.dtype.kind != "f" or tuple(labels.shape) != (shape[0], len(FACTORS)):
        raise BrokenDataset(
            f"labels in {file} are {labels.dtype} of shape {tuple(labels.shape)}, not float64 of shape ({shape[0]}, 6)"
        )
    if not 1 <= shape[0] <= IMAGES:
        raise BrokenDataset(f"{file} holds {shape[0]:,} images; there are {IMAGES:,}")
    chunk = getattr(images, "chunks", None) or (1, *shape[1:])
    if int(np.prod(chunk, dtype=object)) > MOST_CHUNK_BYTES:
        raise BrokenDataset(f"images in {file} are packed in pieces of {chunk}, too large to read one by one")
    with _explain_errors(file):
        ids = read_labels(np.asarray(labels[:]), name=f"labels in {file}")
    _demand_order(file, ids)
    together = max(chunk[0], 64)
    return Shapes3d(file, ids, shape[1], images, together, close, np.argsort(ids, kind="stable"))


def _demand_order(file: Path, ids: np.ndarray) -> None:
    if len(ids) == IMAGES:
        wrong = np.flatnonzero(ids != np.arange(IMAGES))
        if len(wrong):
            raise BrokenDataset(
                f"labels in {file} are out of order: row {wrong[0]:,} is that of image {ids[wrong[0]]:,}"
            )
    values, counts = np.unique(ids, return_counts=True)
    if len(values) != len(ids):
        raise BrokenDataset(f"{file} holds image {values[counts.argmax()]:,} more than once")


@contextmanager
def _explain_errors(file: Path) -> Iterator[None]:
    """Raise errors of file readers as `BrokenDataset` with one line about the file."""
    try:
        yield
    except DeixisError:
        raise
    except (OSError, ValueError, KeyError, RuntimeError, EOFError) as error:
        if isinstance(error, OSError) and error.errno is not None and not _speaks_of_hdf5(error):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise BrokenDataset(f"{file} is damaged or cut short ({reason}); copy or make it again") from error


def _speaks_of_hdf5(error: OSError) -> bool:
    return "Unable to" in str(error) or "Can't" in str(error)


def _h5py() -> Any:
    """The package h5py, or a word on how to get it."""
    try:
        import h5py
    except ImportError as error:
        raise DeixisError("HDF5 files need the package h5py; install it with: pip install 'deixis[shapes]'") from error
    return h5py
