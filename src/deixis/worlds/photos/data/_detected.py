"""Detector features, computed elsewhere and kept in HDF5, in the layouts that the field uses.

| layout | |
|---|---|
| a file with a group for each image id | `features` [box, channel] and `bbox` (or `boxes`, `bboxes`) [box, 4], corners in pixels, as bottom-up attention is kept |
| a folder of GQA | `gqa_objects_info.json` with the `file` and `index` of each image, and `gqa_objects_N.h5` with `features` [image, 100, 2048] and `bboxes` [image, 100, 4] |
| a file with a row for each region | `fc7` [region, channel] or [region, channel, row, column] and perhaps `pool5`, as MattNet keeps them; rows stand in the order of our regions |

In the first two, boxes are the detector's own: a region looks like the box that it agrees with best, and like nothing
(zeros) where no box touches it.
"""  # noqa: E501 (a row of a table)

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from deixis.errors import BrokenDataset, DeixisError


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.worlds.photos.data._region_arrays import RegionArrays


INFO = "gqa_objects_info.json"
BOXES = ("bbox", "boxes", "bboxes")
WIDEST = 1 << 16  # channels
EDGE = 1 << 20  # bytes at both ends of a file that its name is made of


class DetectorFeatures(Protocol):
    """An open file of detector features.

    Attributes:
        low, high: channels; cells: of a region. is_one: whether early and late are the same.
        digest: a name for the files.
    """

    low: int
    high: int
    cells: int
    is_one: bool
    digest: str

    def rows(self, row: int, some: RegionArrays) -> tuple[np.ndarray, np.ndarray]:
        """Read early and late features of consecutive regions from a first one on: float32 [region, channel, cell]."""


def open_detector_features(path: Path, regions: int) -> DetectorFeatures:
    """Open the feature files at a path.

    Args:
        path: a file or a folder.
        regions: how many regions there are in all.

    Raises:
        BrokenDataset: when it is none of the layouts above.
        DeixisError: when h5py is not installed.
    """
    if path.is_dir():
        return _Folder(path)
    file = _open_hdf5(path)
    return _Regions(path, file, regions) if "fc7" in file else _Images(path, file)


def best_boxes(box: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return for every region the box that it agrees with best (intersection over union), or -1: int64 [region].

    Shapes:
        box: numbers [region, 4], x, y, width, height. corners: numbers [box, 4], left, top, right, bottom.
    """
    if not len(corners):
        return np.full(len(box), -1, np.int64)
    start, end = box[:, None, :2], box[:, None, :2] + box[:, None, 2:]
    both = np.maximum(np.minimum(end, corners[:, 2:]) - np.maximum(start, corners[:, :2]), 0).prod(-1)
    sides = np.maximum(corners[:, 2:] - corners[:, :2], 0)
    either = box[:, None, 2:].prod(-1) + sides.prod(-1) - both
    agreement = both / np.maximum(either, 1e-9)
    return np.where(agreement.max(1) > 0, agreement.argmax(1), -1)


class _ByImage:
    """What both layouts with a detector's own boxes have in common."""

    low: int
    high: int
    cells = 1
    is_one = True
    digest: str

    def image(self, image_id: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners of boxes, and what is in them."""
        raise NotImplementedError

    def rows(self, row: int, some: RegionArrays) -> tuple[np.ndarray, np.ndarray]:  # noqa: ARG002 (one signature)
        """Return early and late features, which are the same."""
        seen = np.zeros((len(some), self.high, 1), np.float32)
        for number, image_id in enumerate(some.image_ids):
            here = slice(int(some.first[number]), int(some.first[number + 1]))
            corners, features = self.image(image_id)
            best = best_boxes(some.box[here].astype(np.float64), corners)
            if len(features):
                seen[here, :, 0] = np.where(best[:, None] >= 0, features[np.maximum(best, 0)], 0)
        return seen, seen


class _Images(_ByImage):
    """A file with a group for each image."""

    def __init__(self, path: Path, file: Any) -> None:
        self.path, self.file = path, file
        self.digest = _name_of(path)
        first = next(iter(file), None)
        if first is None:
            raise BrokenDataset(f"{path.name} holds no images")
        self.low = self.high = 0
        self.low = self.high = self.image(first)[1].shape[1]

    def image(self, image_id: str) -> tuple[np.ndarray, np.ndarray]:
        if image_id not in self.file:
            raise BrokenDataset(f"{self.path.name} lacks the image {image_id!r}")
        group = self.file.get(image_id)
        where = f"{self.path.name}, image {image_id!r}"
        name = next((name for name in BOXES if hasattr(group, "keys") and name in group), BOXES[0])
        return _check_features(
            np.asarray(_array(group, name, where)), np.asarray(_array(group, "features", where)), self.high, where
        )


class _Folder(_ByImage):
    """A folder as GQA's own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.info = _info(path / INFO)
        self.files: dict[int, Any] = {}
        self.digest = " ".join(_name_of(file) for file in (path / INFO, *sorted(path.glob("gqa_objects_*.h5"))))
        self.digest = sha256(self.digest.encode()).hexdigest()
        first = next(iter(self.info), None)
        if first is None:
            raise BrokenDataset(f"{INFO} in {path.name} names no images")
        self.low = self.high = 0
        self.low = self.high = self.image(first)[1].shape[1]

    def image(self, image_id: str) -> tuple[np.ndarray, np.ndarray]:
        about = self.info.get(image_id)
        if about is None:
            raise BrokenDataset(f"{INFO} in {self.path.name} lacks the image {image_id!r}")
        match about:
            case {"file": int(number), "index": int(index), **more} if number >= 0 and index >= 0:
                count = more.get("objectsNum", more.get("objects_num"))
            case _:
                raise BrokenDataset(f"{INFO} in {self.path.name} does not say where image {image_id!r} is")
        if number not in self.files:
            self.files[number] = _open_hdf5(self.path / f"gqa_objects_{number}.h5")
        where = f"gqa_objects_{number}.h5, image {image_id!r}"
        boxes, features = (_array(self.files[number], name, where) for name in ("bboxes", "features"))
        if boxes.ndim != 3 or features.ndim != 3 or index >= min(len(boxes), len(features)):
            raise BrokenDataset(f"{where}: there is no row {index}")
        some = slice(count if isinstance(count, int) and count >= 0 else None)
        return _check_features(np.asarray(boxes[index])[some], np.asarray(features[index])[some], self.high, where)


class _Regions:
    """A file with a row for each region."""

    def __init__(self, path: Path, file: Any, regions: int) -> None:
        self.path = path
        self.digest = _name_of(path)
        self.late = _array(file, "fc7", path.name)
        self.is_one = "pool5" not in file
        self.early = self.late if self.is_one else _array(file, "pool5", path.name)
        for name, array in (("fc7", self.late), ("pool5", self.early)):
            if array.ndim not in (2, 4) or array.shape[0] != regions or array.dtype.kind != "f":
                raise BrokenDataset(
                    f"{name} in {path.name} is {array.dtype} of shape {tuple(array.shape)}, "
                    f"not floats with a row for each of {regions:,} regions"
                )
        if self.early.shape[2:] != self.late.shape[2:]:
            raise BrokenDataset(f"fc7 and pool5 in {path.name} have grids of different size")
        self.low, self.high = int(self.early.shape[1]), int(self.late.shape[1])
        self.cells = int(np.prod(self.late.shape[2:], initial=1))

    def rows(self, row: int, some: RegionArrays) -> tuple[np.ndarray, np.ndarray]:
        """Return early and late features of rows that follow each other."""
        late = self._read(self.late, row, len(some), self.high)
        return (late if self.is_one else self._read(self.early, row, len(some), self.low)), late

    def _read(self, array: Any, row: int, count: int, channels: int) -> np.ndarray:
        try:
            found = np.asarray(array[row : row + count], np.float32).reshape(count, channels, self.cells)
        except (OSError, ValueError) as error:
            raise BrokenDataset(f"{self.path.name} is damaged at row {row}") from error
        if not np.isfinite(found).all():
            raise BrokenDataset(f"{self.path.name} holds what is no number, at row {row} or after")
        return found


def _check_features(corners: np.ndarray, features: np.ndarray, width: int, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Boxes and what is in them, once their form is right; `width` is 0 where it is not known yet."""
    right = corners.ndim == features.ndim == 2 and corners.shape[1] == 4 and len(corners) == len(features)
    numbers = corners.dtype.kind in "fiu" and features.dtype.kind == "f"
    if not right or not numbers or not 1 <= features.shape[1] <= WIDEST or (width and features.shape[1] != width):
        raise BrokenDataset(
            f"{where}: boxes {corners.dtype} {corners.shape} and features {features.dtype} {features.shape} "
            f"are not four and {width or 'some'} numbers for every box"
        )
    if not np.isfinite(corners).all() or not np.isfinite(features).all():
        raise BrokenDataset(f"{where}: there is what is no number")
    return corners.astype(np.float64), features.astype(np.float32)


def _open_hdf5(path: Path) -> Any:
    try:
        import h5py
    except ImportError as error:
        raise DeixisError("reading what a detector saw needs h5py; install deixis[shapes]") from error
    if not path.is_file():
        raise BrokenDataset(f"there is no file {path.name}")
    if not h5py.is_hdf5(path):
        raise BrokenDataset(f"{path.name} is not an HDF5 file")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise BrokenDataset(f"{path.name} is damaged and cannot be opened") from error


def _array(group: Any, name: str, where: str) -> Any:
    """Return an array of the file itself: one that other files hold is not followed."""
    import h5py

    if not isinstance(group, h5py.Group) or name not in group:
        raise BrokenDataset(f"{where}: there is no array {name!r}")
    link, found = group.get(name, getlink=True), group.get(name)
    if not isinstance(link, h5py.HardLink) or not isinstance(found, h5py.Dataset) or found.is_virtual or found.external:
        raise BrokenDataset(f"{where}: {name!r} is not an array that lies in the file itself")
    return found


def _info(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path.name} is missing in {path.parent.name}, or cannot be read") from error
    if not isinstance(found, dict):
        raise BrokenDataset(f"{path.name} does not list images by their ids")
    return found


def _name_of(path: Path) -> str:
    """Return a name for a large file without reading it whole: its size, when it was changed, and both of its ends."""
    facts = path.stat()
    digest = sha256(f"{facts.st_size} {facts.st_mtime_ns}".encode())
    with path.open("rb") as stream:
        digest.update(stream.read(EDGE))
        stream.seek(max(facts.st_size - EDGE, 0))
        digest.update(stream.read(EDGE))
    return digest.hexdigest()
