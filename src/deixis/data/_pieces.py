"""Finished pieces of work, kept beside the results that they are for, so that the same work goes on where it stopped.

A file has a line for each piece: the SHA-256 of the rest of the line, then JSON. The first one says what the work is
about: data, answers, settings, version. What belongs to something else, or was cut short or changed, is not used.

    out/.unfinished/verdicts.jsonl
"""

from __future__ import annotations

import base64
import io
import json
import os
import time
import zlib
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from deixis._version import __version__
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


UNFINISHED = ".unfinished"
DIGITS = 64  # of a SHA-256
SYNC_SECONDS = 0.5  # between two times at which the file is made to survive a power failure
Done = TypeVar("Done")
Work = TypeVar("Work")


def kept_path(folder: Path, name: str) -> Path:
    """Return where the pieces of some work are kept."""
    return folder / UNFINISHED / f"{name}.jsonl"


class KeptPieces:
    """Results of pieces of work by their digests, in a file of a folder that is made when there is something to keep.

    Attributes:
        notes: what there is to tell: how much was there already, or why that is not used.
    """

    def __init__(self, folder: Path, name: str, about: Mapping[str, Any]) -> None:
        self.path = kept_path(folder, name)
        self.claim = json.loads(json.dumps({"deixis": __version__, **about}))
        self.notes: list[str] = []
        self._lines: dict[str, tuple[int, int]] = {}  # where the result of a piece begins, and how long it is
        self._synced = time.monotonic()
        self._is_ours = False  # the file that is there; others are replaced when there is something to keep
        try:
            self._begin()
        except OSError as error:
            raise RecipeError(f"cannot read {self.path}: {error.strerror or error}") from error

    def __contains__(self, piece: str) -> bool:
        return piece in self._lines

    def find(self, piece: str) -> Any:
        """Return the result of a piece that is there."""
        start, length = self._lines[piece]
        with self.path.open("rb") as stream:
            stream.seek(start)
            return json.loads(stream.read(length)[DIGITS + 1 :])[1]

    def keep(self, piece: str, result: Any) -> None:
        """Add the result of a piece, as JSON can tell it."""
        line = _seal([piece, result])
        if not self._is_ours:
            with replacing_file(self.path) as draft:
                draft.write_bytes(_seal(self.claim))
            self._is_ours = True
        with self.path.open("ab") as stream:
            self._lines[piece] = stream.tell(), len(line)
            stream.write(line)
            stream.flush()
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(stream.fileno())
                self._synced = time.monotonic()

    def remove(self) -> None:
        """Remove the file where it is of this work, which is done or will not be; that of other work stays."""
        if not self._is_ours:
            return
        self._is_ours, self._lines = False, {}
        self.path.unlink(missing_ok=True)
        with suppress(OSError):  # there is other work
            self.path.parent.rmdir()

    def _begin(self) -> None:
        """Find what is there, and say why where it is of no use."""
        if not self.path.exists():
            return
        claim, lines, end = _read_lines(self.path)
        self._is_ours = claim == self.claim
        if not self._is_ours:
            others = [key for key in self.claim if claim is None or claim.get(key) != self.claim[key]]
            where = ", ".join(others)
            self.notes.append(f"What was kept in {self.path} is of other work and not used; it differs in {where}")
            return
        self._lines = lines
        if end < self.path.stat().st_size:  # a line was cut short
            os.truncate(self.path, end)
        if lines:
            self.notes.append(f"Went on from what was kept when the same work was stopped: {len(lines):,} pieces")


def share_kept(
    kept: KeptPieces | None,
    pieces: Sequence[Work],
    do: Callable[[Sequence[Work]], Iterable[Done]],
    *,
    key: Callable[[Work], Any],
    pack: Callable[[Done], Any],
    unpack: Callable[[Any], Done],
) -> Iterator[Done]:
    """Yield the results of work on pieces, in their order; what was kept is not done again, and what is done is kept.

    Args:
        kept: what is there; None to keep nothing.
        pieces: what to work on.
        do: does the work on some of the pieces, in their order, here or elsewhere.
        key: all that the result of a piece depends on beside what `kept` is about, as JSON can tell it.
        pack: the result as JSON can tell it.
        unpack: the same result again.
    """
    if kept is None:
        yield from do(pieces)
        return
    names = [digest_of(key(piece)) for piece in pieces]
    is_kept = [name in kept for name in names]
    done = iter(do([piece for piece, known in zip(pieces, is_kept, strict=True) if not known]))
    for name, known in zip(names, is_kept, strict=True):
        if known:
            yield _unpack_result(kept, name, unpack)
            continue
        result = next(done)
        kept.keep(name, pack(result))
        yield result


def _unpack_result(kept: KeptPieces, name: str, unpack: Callable[[Any], Done]) -> Done:
    try:
        return unpack(kept.find(name))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, zlib.error) as error:
        raise BrokenDataset(f"{kept.path} holds something else than results; delete it") from error


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a value that JSON can tell."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def pack_arrays(arrays: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Return arrays of numbers as text."""
    packed = {}
    for name, array in arrays.items():
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        packed[name] = base64.b64encode(zlib.compress(stream.getvalue(), 1)).decode()
    return packed


def unpack_arrays(packed: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Return the arrays that `pack_arrays` made text of."""
    return {
        name: np.load(io.BytesIO(zlib.decompress(base64.b64decode(text))), allow_pickle=False)
        for name, text in packed.items()
    }


def _seal(value: Any) -> bytes:
    text = json.dumps(value)
    return f"{sha256(text.encode()).hexdigest()} {text}\n".encode()


def _open(line: bytes) -> Any:
    """The value in a line, None where the line is damaged."""
    if line[DIGITS : DIGITS + 1] != b" " or not line.endswith(b"\n"):
        return None
    text = line[DIGITS + 1 : -1]
    if sha256(text).hexdigest().encode() != line[:DIGITS]:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_lines(path: Path) -> tuple[Any, dict[str, tuple[int, int]], int]:
    """What the work is about, None where nobody knows; where whole lines lie; and where the last line ends."""
    claim, found, end = None, {}, 0
    with suppress(FileNotFoundError), path.open("rb") as stream:
        for number, line in enumerate(stream):
            value = _open(line)
            if number == 0:
                claim = value if isinstance(value, dict) else None
            elif isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
                found[value[0]] = (end, len(line))
            if line.endswith(b"\n"):
                end += len(line)
    return claim, found, end
