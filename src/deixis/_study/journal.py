"""The answers of participants on disk: one file for each, to which lines are only ever added.

An answer is acknowledged when its line is on the disk, so that neither a killed server nor a power cut loses it. A line
that was being written then has no end; it was never acknowledged, and is cut off when the participant comes back.
"""

from __future__ import annotations

import json
import os
import re
from errno import ENOSPC
from threading import Lock
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import RawIOBase
    from pathlib import Path


NAME = re.compile(r"[0-9a-f]{32}")
LONGEST_LINE = 1 << 16


class Journal:
    """The files of all participants in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._folder_lock = Lock()

    def path(self, participant: str) -> Path:
        """Return the file of a participant, whose name is 32 hexadecimal digits."""
        if not NAME.fullmatch(participant):
            raise RecipeError("that is no name of a participant")
        return self.folder / f"{participant}.jsonl"

    def names(self) -> list[str]:
        """Return the participants who have a file."""
        return sorted(path.stem for path in self.folder.glob("*.jsonl") if NAME.fullmatch(path.stem))

    def open(self, participant: str) -> list[dict[str, Any]]:
        """Return the lines of a participant, and cut off one that was not finished."""
        path = self.path(participant)
        try:
            whole = path.read_bytes()
        except FileNotFoundError:
            return []
        end = whole.rfind(b"\n") + 1
        if end < len(whole):
            with path.open("rb+") as stream:
                stream.truncate(end)
                os.fsync(stream.fileno())
        return list(read_lines(path))

    def add(self, participant: str, values: Mapping[str, Any]) -> None:
        """Add a line, and return when it is on the disk."""
        line = (json.dumps(values, ensure_ascii=False, allow_nan=False) + "\n").encode()
        path = self.path(participant)
        is_new = not path.exists()
        with path.open("ab", buffering=0) as stream:
            start = stream.tell()
            try:
                _write_whole(stream, line)
            except OSError:
                stream.truncate(start)
                raise
        if is_new:
            self._keep_name()

    def _keep_name(self) -> None:
        """Make sure that the name of a new file is on the disk, too."""
        if os.name != "posix":
            return
        with self._folder_lock:
            opened = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _write_whole(stream: RawIOBase, line: bytes) -> None:
    """Write a line to the disk, all of it or with an `OSError`."""
    if stream.write(line) != len(line):
        raise OSError(ENOSPC, "only a part of it could be written")
    os.fsync(stream.fileno())


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the finished lines of a file that hold records."""
    with path.open("rb") as stream:
        while line := stream.readline(LONGEST_LINE):
            if not line.endswith(b"\n"):
                return
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield found
