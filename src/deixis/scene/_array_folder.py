"""Named arrays in a folder: one `.npy` file each and a `manifest.json` that says what they are.

They are mapped into memory when read, so a corpus of any size is open at once and costs what is looked at. Nothing that
is read can run code, and a folder that is not what its manifest says is refused in one line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Mapping


FORMAT = 1
MANIFEST = "manifest.json"
MOST_CHARACTERS = 64 << 20  # of a manifest
LONGEST_HEADER = 1024  # bytes of a .npy file
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype>[<|][iuf][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<shape>(?:[0-9]{1,15},? ?){0,4})\), \} *\n",
    re.DOTALL,
)


def write_arrays(folder: Path | str, kind: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write a folder of arrays, in place of an empty one or an older one of the same kind.

    Args:
        folder: where to; a folder that holds anything else is left alone. It is there when all is written.
        kind: what the arrays are together, e.g. `scene graphs`.
        arrays: by name.
        facts: anything JSON can hold, kept in the manifest.
    """
    folder = Path(folder)
    if folder.exists() and not _is_empty(folder) and _kind_of(folder) != kind:
        raise BrokenDataset(f"{folder} exists and holds no {kind}; choose another folder")
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    try:
        draft.mkdir(parents=True)
        shapes = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
        for name, array in arrays.items():
            np.save(draft / f"{name}.npy", np.ascontiguousarray(array), allow_pickle=False)
        manifest = {"format": FORMAT, "kind": kind, "arrays": shapes, "facts": dict(facts)}
        (draft / MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False), encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        draft.rename(folder)
    except OSError as error:
        raise BrokenDataset(f"{folder} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def read_arrays(
    folder: Path | str, kind: str, wanted: Mapping[str, tuple[str, int]]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and facts of a folder, mapped into memory and read-only.

    Args:
        folder: written by `write_arrays`.
        kind: what they must be together.
        wanted: the arrays that must be there, with dtype and number of axes.

    Raises:
        BrokenDataset: when something is missing or is not what the manifest says.
    """
    folder = Path(folder)
    manifest = _manifest(folder)
    if manifest.get("kind") != kind or manifest.get("format") != FORMAT:
        raise BrokenDataset(
            f"{folder} holds {manifest.get('kind')!r} of format {manifest.get('format')!r}, not {kind!r}"
        )
    facts, shapes = manifest.get("facts"), manifest.get("arrays")
    if not isinstance(facts, dict) or not isinstance(shapes, dict):
        raise BrokenDataset(f"{folder / MANIFEST} lacks its list of arrays or facts")
    return {name: _map_checked_array(folder, name, *what, shapes.get(name)) for name, what in wanted.items()}, facts


def check_pointers(folder: Path | str, name: str, pointers: np.ndarray, *, rows: int, end: int) -> None:
    """Refuse pointers that do not run from 0 to `end` in `rows` steps, none of them backwards."""
    if len(pointers) != rows + 1 or pointers[0] != 0 or pointers[-1] != end or np.any(np.diff(pointers) < 0):
        raise BrokenDataset(f"{folder}: {name} does not divide {end} entries among {rows} rows; the folder is damaged")


def check_codes(folder: Path | str, name: str, codes: np.ndarray, limit: int) -> None:
    """Refuse codes below 0 or from `limit` on."""
    if codes.size and (codes.min() < 0 or codes.max() >= limit):
        raise BrokenDataset(f"{folder}: {name} holds a number outside 0 to {limit - 1}; the folder is damaged")


def _map_checked_array(folder: Path, name: str, dtype: str, axes: int, shape: object) -> np.ndarray:
    path = folder / f"{name}.npy"
    try:
        array = map_array(path)
    except FileNotFoundError:
        raise BrokenDataset(f"{folder} lacks {path.name}") from None
    if array.dtype.str != dtype or array.ndim != axes:
        raise BrokenDataset(f"{path} is no {dtype} array of {axes} axes")
    if shape != [array.dtype.str, list(array.shape)]:
        raise BrokenDataset(f"{path} is not the array that the manifest describes")
    return np.asarray(array)  # the map itself, without the class that the compiler does not know


def map_array(path: Path, *, mode: Literal["r", "c"] = "r") -> np.ndarray:
    """Map the array of a `.npy` file into memory.

    Its header is read as text, and nothing in it is evaluated.

    Args:
        path: the file, as `np.save` writes it.
        mode: `r` for an array that cannot be changed, `c` for one whose changes stay in memory.

    Raises:
        BrokenDataset: when it is no such file.
        FileNotFoundError: when there is none.
    """
    try:
        header = _header(path)
        if not all(header.shape):  # which cannot be mapped
            return _frozen_empty(header.dtype, header.shape)
        array = np.memmap(path, dtype=np.dtype(header.dtype), mode=mode, shape=header.shape, offset=header.end)
    except (FileNotFoundError, BrokenDataset):
        raise
    except (OSError, ValueError, EOFError, OverflowError) as error:
        raise BrokenDataset(f"{path} cannot be read: {str(error).splitlines()[0]}") from error
    return array


class _Header(NamedTuple):
    """What the beginning of a `.npy` file says, and where the numbers begin."""

    dtype: str
    shape: tuple[int, ...]
    end: int


def _header(path: Path) -> _Header:
    """The header of a `.npy` file as `np.save` writes it, read as text: nothing in it is evaluated.

    Raises:
        BrokenDataset: when it is no such header, or the file is not as long as it says.
    """
    with path.open("rb") as file:
        start = file.read(LONGEST_HEADER)
        length = file.seek(0, os.SEEK_END)
    found = _HEADER.match(start)
    if not found or found.end() != len(found[0]) or len(found[0]) != 10 + int.from_bytes(start[8:10], "little"):
        raise BrokenDataset(f"{path} cannot be read: its header is not as numpy writes it")
    shape = tuple(int(number) for number in found["shape"].decode().replace(" ", "").split(",") if number)
    header = _Header(found["dtype"].decode(), shape, found.end())
    if length != header.end + prod(shape) * int(header.dtype[2:]):
        raise BrokenDataset(f"{path} cannot be read: it is not as long as its header says")
    return header


def _frozen_empty(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    empty = np.zeros(shape, np.dtype(dtype))
    empty.setflags(write=False)
    return empty


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        if path.stat().st_size > MOST_CHARACTERS:
            raise BrokenDataset(f"{path} is too large for a manifest")
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BrokenDataset(f"{folder} holds no arrays: {path.name}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} is no JSON: {error}") from error
    if not isinstance(manifest, dict):
        raise BrokenDataset(f"{path} is no manifest")
    return manifest


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _kind_of(folder: Path) -> object:
    try:
        return _manifest(folder).get("kind")
    except BrokenDataset:
        return None
