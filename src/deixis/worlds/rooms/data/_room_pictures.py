"""Pictures of rooms from files: a NumPy archive, the published HDF5 file, or PNG files, with what is known of them.

| source | what it holds |
|---|---|
| `FILE.npz` | arrays of bytes [picture, 64, 64, 3]; for `NAME` the factors, where `NAME_ids`, `NAME_factors` or \
`NAME_factors_est` is there, too (`gif_factors` for `gif_frames`, `labels` for `images`) |
| `FILE.h5`, `…_images.npy` | 3D Shapes with its labels, see `shapes3d` |
| a folder, `FILE.png` | PNG files of 64 by 64 pixels, in the order of their names |

A picture is named by its file, by the number of its image, or by its place in the archive from 0. Files may be of
anybody: nothing in them is run, and what they claim to hold is bounded before it is read.
"""

from __future__ import annotations

import csv
import json
import tokenize
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import BrokenDataset, DeixisError, SchemaError
from deixis.worlds.rooms.formats.shapes3d import IMAGE_FILES, open_shapes3d, read_labels
from deixis.worlds.rooms.scene import FACTORS, IMAGES, ids_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


SIDE = 64
MOST_BYTES = 2 << 30  # of the pictures of one archive
MOST_ROWS = 1_000_000
LONGEST = 80
TARGET, DISTRACTOR = ("target", "target_id"), ("distractor", "distractor_id")
BROKEN = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    TypeError,
    SyntaxError,
    RuntimeError,
    OverflowError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    tokenize.TokenError,
)


@dataclass(frozen=True, kw_only=True)
class RoomPictures:
    """Pictures with their names.

    Attributes:
        are_estimated: whether the factors are somebody's estimates.
        in_file: how many the source holds, some of which may have been left out.

    Shapes:
        pictures: uint8 [picture, 64, 64, 3].
        ids: int64 [picture], the numbers of images with their factors; None where these are not known.
    """

    pictures: np.ndarray
    names: tuple[str, ...]
    ids: np.ndarray | None
    are_estimated: bool
    in_file: int

    def __len__(self) -> int:
        return len(self.pictures)

    def rows_of(self, contexts: list[tuple[str, ...]], where: str) -> np.ndarray:
        """The places of pictures that contexts name: int64 [context, picture]."""
        places = {name: place for place, name in enumerate(self.names)}
        places |= {Path(name).stem: place for name, place in places.items() if Path(name).stem not in places}
        for row, context in enumerate(contexts, 1):
            for name in context:
                if name not in places:
                    raise BrokenDataset(
                        f"{where}, row {row}: there is no picture {_escape(name)}; {self._describe_names()}"
                    )
        return np.array([[places[name] for name in context] for context in contexts], np.int64)

    def _describe_names(self) -> str:
        first, last = self.names[0], self.names[-1]
        return f"there are {len(self):,}, from {_escape(first)} to {_escape(last)}"


def read_room_pictures(path: Path, *, only: set[str] | None = None, most: int | None = None) -> RoomPictures:
    """Read pictures of rooms.

    Args:
        path: a NumPy archive, a file of 3D Shapes, a folder of PNG files, or one of them.
        only: the names of those that are wanted, where a file of 3D Shapes holds more than fit in memory.
        most: how many to read where `only` says nothing; all by default.

    Raises:
        BrokenDataset: when there is nothing, or nothing that is a picture of a room.
        DeixisError: when h5py or Pillow is needed and not installed.
    """
    if not path.exists():
        raise BrokenDataset(f"there is no file or folder {path}")
    suffix = path.suffix.lower()
    if suffix == ".npz":
        return _cut(_from_archive(path), most if only is None else None)
    if suffix in (".h5", ".hdf5", ".npy") or (path.is_dir() and any((path / name).is_file() for name in IMAGE_FILES)):
        return _from_shapes3d(path, only, most)
    files = sorted(one for one in path.iterdir() if one.suffix.lower() == ".png") if path.is_dir() else [path]
    if not files or (not path.is_dir() and suffix != ".png"):
        raise BrokenDataset(f"{path} holds no pictures; give an .npz or .h5 file, or a folder with PNG files")
    return _from_png(files, most if only is None else None)


def read_contexts(path: Path) -> list[tuple[str, ...]]:
    """Read the pictures to show together, the target first: from CSV or JSON Lines with `target` and `distractor`.

    `target_id`, `distractor_id` and, in JSON, lists of `distractor_ids` are understood, too.

    Raises:
        BrokenDataset: when it cannot be read, or a row names no target or no distractor.
    """
    found = []
    try:
        for row, record in enumerate(_records(path), 1):
            if row > MOST_ROWS:
                raise BrokenDataset(f"{path} has more than {MOST_ROWS:,} rows")
            if None in record:  # where csv keeps cells beyond the header
                raise BrokenDataset(f"{path.name}, row {row}: it has more cells than the header has columns")
            found.append(_context(record, f"{path.name}, row {row}"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BrokenDataset(f"{path} cannot be read as pairs: {_escape(str(error))}") from error
    if not found:
        raise BrokenDataset(f"{path} names no pairs; it needs the columns target and distractor")
    if len({len(one) for one in found}) > 1:
        raise BrokenDataset(f"{path}: every row needs as many distractors as the first")
    return found


def _records(path: Path) -> Iterator[Mapping[str, object]]:
    if path.suffix.lower() in (".csv", ".tsv"):
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
        return
    with path.open(encoding="utf-8") as file:
        for row, line in enumerate(file, 1):
            try:
                record = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError) as error:
                raise BrokenDataset(f"{path.name}, row {row}: not a line of JSON: {_escape(str(error))}") from error
            if record is not None:
                yield record if isinstance(record, dict) else {}


def _context(record: Mapping[str, object], where: str) -> tuple[str, ...]:
    target = next((record[name] for name in TARGET if name in record), None)
    others = record.get("distractor_ids", next((record[name] for name in DISTRACTOR if name in record), None))
    names = [target, *(others if isinstance(others, list) else [others])]
    if len(names) < 2 or not all(_is_name(one) for one in names):
        raise BrokenDataset(f"{where}: a target and a distractor are needed, got {_escape(str(dict(record)))}")
    return tuple(str(one) for one in names)


def _is_name(value: object) -> bool:
    return (isinstance(value, str) and bool(value)) or (isinstance(value, int) and not isinstance(value, bool))


# --------------------------------------------------------------------------------------------------------- the sources


def _from_archive(path: Path) -> RoomPictures:
    arrays = read_archive(path)
    groups = {name: one for name, one in arrays.items() if one.ndim == 4 and one.dtype == np.uint8}
    if not groups:
        held = ", ".join(f"{_escape(name)} {one.dtype} {list(one.shape)}" for name, one in list(arrays.items())[:6])
        raise BrokenDataset(
            f"{path} holds no bytes of shape [picture, {SIDE}, {SIDE}, 3]; it holds {held or 'nothing'}"
        )
    parts = []
    for name, pictures in groups.items():
        if pictures.shape[1:] != (SIDE, SIDE, 3):
            got = list(pictures.shape[1:])
            raise BrokenDataset(f"{path}, {_escape(name)}: a picture of a room is [{SIDE}, {SIDE}, 3], got {got}")
        ids, is_estimate = _known_ids(path, arrays, name, len(pictures))
        parts.append((pictures, ids, is_estimate))
    ids = (
        None
        if any(one is None for _, one, _ in parts)
        else np.concatenate([one for _, one, _ in parts if one is not None])
    )
    pictures = np.concatenate([one for one, _, _ in parts])
    if not len(pictures):
        raise BrokenDataset(f"{path} holds no picture")
    return RoomPictures(
        pictures=pictures,
        names=tuple(map(str, range(len(pictures)))),
        ids=ids,
        are_estimated=ids is not None and any(guessed for _, _, guessed in parts),
        in_file=len(pictures),
    )


def read_archive(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a NumPy archive, or raise `BrokenDataset` if it is damaged or claims too much."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if one.filename.endswith(".npy")]
            if sum(one.file_size for one in members) > MOST_BYTES:
                raise BrokenDataset(f"{path} claims more than {MOST_BYTES >> 30} GiB; divide it into several files")
            found = {}
            for member in members:
                with archive.open(member) as stream:
                    found[member.filename.removesuffix(".npy")] = np.lib.format.read_array(stream, allow_pickle=False)
            return found
    except DeixisError:
        raise
    except BROKEN as error:
        raise BrokenDataset(
            f"{path} cannot be read as an .npz file: {_escape(str(error) or 'it is damaged')}"
        ) from error


def _known_ids(path: Path, arrays: Mapping[str, np.ndarray], name: str, count: int) -> tuple[np.ndarray | None, bool]:
    """The numbers of the images of a group, None where nothing tells them, and whether they are estimates."""
    short = name.removesuffix("_frames")
    for beside in (f"{name}_ids", f"{name}_factors", f"{short}_factors", f"{name}_factors_est", "labels"):
        if beside not in arrays or (beside == "labels" and name != "images"):
            continue
        known = arrays[beside]
        try:
            ids = _ids_from(beside, known)
        except (SchemaError, BrokenDataset, ValueError, TypeError) as error:
            raise BrokenDataset(f"{path}, {_escape(beside)}: {_escape(str(error))}") from error
        if len(ids) != count:
            raise BrokenDataset(f"{path}: {_escape(beside)} has {len(ids):,} rows for {count:,} pictures")
        return ids, beside.endswith("_est")
    return None, False


def _ids_from(beside: str, known: np.ndarray) -> np.ndarray:
    if beside == "labels":
        if known.ndim != 2 or known.shape[1] != len(FACTORS) or known.dtype.kind not in "fiu":
            raise SchemaError(f"labels are numbers of shape [picture, 6], got {known.dtype} of {list(known.shape)}")
        return read_labels(known)
    if not np.issubdtype(known.dtype, np.integer):
        raise SchemaError(f"factors and numbers of images are integers, got {known.dtype}")
    if not beside.endswith("_ids"):
        return ids_of(known)
    if known.ndim != 1 or (known.size and (known.min() < 0 or known.max() >= IMAGES)):
        raise SchemaError(f"numbers of images go from 0 to {IMAGES - 1:,}")
    return known.astype(np.int64)


def _from_shapes3d(path: Path, only: set[str] | None, most: int | None) -> RoomPictures:
    with open_shapes3d(path) as file:
        if file.size != SIDE:
            raise BrokenDataset(
                f"{path} holds pictures of {file.size} by {file.size} pixels, {SIDE} by {SIDE} are needed"
            )
        ids = file.ids[:most]
        if only is not None:
            ids = np.array(
                sorted({int(name) for name in only if name.isascii() and name.isdigit() and len(name) < 7}), np.int64
            )
            ids = ids[np.isin(ids, file.ids)]
        if not len(ids):
            raise BrokenDataset(f"{path} holds none of the images that are asked for; its images are named by numbers")
        if len(ids) * SIDE * SIDE * 3 > MOST_BYTES:
            raise BrokenDataset(f"{len(ids):,} pictures do not fit; ask for fewer with --count, or name pairs")
        pictures = file[ids]
        return RoomPictures(
            pictures=pictures, names=tuple(map(str, ids.tolist())), ids=ids, are_estimated=False, in_file=len(file)
        )


def _from_png(files: list[Path], most: int | None) -> RoomPictures:
    wanted = files[:most]
    pictures = np.empty((len(wanted), SIDE, SIDE, 3), np.uint8)
    for place, file in enumerate(wanted):
        pictures[place] = _png(file)
    return RoomPictures(
        pictures=pictures,
        names=tuple(file.name for file in wanted),
        ids=None,
        are_estimated=False,
        in_file=len(files),
    )


def _png(file: Path) -> np.ndarray:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise DeixisError("pictures need Pillow; install it with: pip install 'deixis[data]'") from None
    try:
        with Image.open(file, formats=("PNG",)) as picture:
            if picture.size != (SIDE, SIDE):
                wide, high = picture.size
                raise BrokenDataset(f"{file} is {wide} by {high} pixels; pictures of rooms are {SIDE} by {SIDE}")
            return np.array(picture.convert("RGB"))
    except DeixisError:
        raise
    except (
        UnidentifiedImageError,
        Image.DecompressionBombError,
        OSError,
        ValueError,
        SyntaxError,
        zlib.error,
    ) as error:
        raise BrokenDataset(f"{file} cannot be read as a PNG file: {_escape(str(error))}") from error


def _cut(found: RoomPictures, most: int | None) -> RoomPictures:
    if most is None or most >= len(found):
        return found
    ids = None if found.ids is None else found.ids[:most]
    return replace(found, pictures=found.pictures[:most], names=found.names[:most], ids=ids)


def _escape(text: str) -> str:
    return ascii(text[:LONGEST])[1:-1]
