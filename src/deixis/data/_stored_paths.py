"""Files in storage that are read where they lie: a path as `pathlib` has it, for addresses such as `s3://bucket/data`.

Only the bytes that are asked for are fetched. A request that fails is made again a few times. Parquet pages carry
checksums, so what arrives damaged is found without reading the whole file.
"""

from __future__ import annotations

import io
import os
import time
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from deixis.data.remote import RemoteFolder


PATIENCE = (0.1, 0.4, 1.6)  # seconds before a request is made again
LASTING = (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError)  # no use in asking again


@dataclass(frozen=True)
class StoredPath:
    """A file or folder in storage.

    Attributes:
        folder: the address of the dataset that it belongs to.
        inner: the path within.
    """

    folder: str
    inner: str = ""

    def __truediv__(self, name: str) -> StoredPath:
        parts = name.split("/")
        if not name or "" in parts or ".." in parts or "\\" in name:
            raise BrokenDataset(f"{self} is said to hold {name[:80]!r}, which is not inside it")
        return StoredPath(self.folder, f"{self.inner}/{name}" if self.inner else name)

    def __str__(self) -> str:
        return f"{self.folder}/{self.inner}" if self.inner else self.folder

    @property
    def name(self) -> str:
        """The last part of its path."""
        return str(self).rpartition("/")[2]

    @cached_property
    def size(self) -> int:
        """Number of bytes of a file."""
        return int(self._ask(lambda storage, path: storage.size(path)))

    def open(self, mode: str = "rb") -> io.RawIOBase:
        """Open a file for reading.

        Nothing is kept of what was read.
        """
        assert mode == "rb", "files in storage are only read"
        return _StoredFile(self)

    def read(self, start: int, stop: int) -> bytes:
        """Fetch some bytes of a file."""
        found: bytes = self._ask(lambda storage, path: storage.cat_file(path, start=start, end=stop))
        return found

    def _ask(self, request: Callable[[Any, str], Any]) -> Any:
        """Make a request, again where it fails for a reason that may pass."""
        folder, tries = _folder(self.folder, os.getpid()), [*PATIENCE]
        with folder.in_words("be read"):
            while True:
                try:
                    return request(folder.storage, folder.path_of(self.inner))
                except FileNotFoundError as error:
                    raise BrokenDataset(f"{self.folder} lacks the file {self.inner}; make or send it again") from error
                except (OSError, TimeoutError) as error:
                    if not tries or isinstance(error, LASTING):
                        raise
                    time.sleep(tries.pop(0))


AnyPath: TypeAlias = "Path | StoredPath"
"""A path on this machine, or in storage."""


def source_of(path: AnyPath) -> Any:
    """Return what pyarrow opens a path by."""
    return path.open() if isinstance(path, StoredPath) else path


@lru_cache(maxsize=64)
def _folder(address: str, _process: int) -> RemoteFolder:
    """A folder in storage; connections are not shared with the process that this one was forked from."""
    from deixis.data.remote import RemoteFolder

    return RemoteFolder.at(address)


class _StoredFile(io.RawIOBase):
    """A file in storage that is being read."""

    def __init__(self, path: StoredPath) -> None:
        super().__init__()
        self._path = path
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        before = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._path.size}[whence]
        self._place = max(0, before + offset)
        return self._place

    def readinto(self, buffer: Any) -> int:
        stop = min(self._place + len(buffer), self._path.size)
        if stop <= self._place:
            return 0
        found = self._path.read(self._place, stop)
        if len(found) != stop - self._place:
            raise BrokenDataset(f"{self._path} ends before its length; send it again")
        buffer[: len(found)] = found
        self._place = stop
        return len(found)
