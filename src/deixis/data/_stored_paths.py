"""Files in storage that are read where they lie: a path as `pathlib` has it, for addresses such as `s3://bucket/data`.

Only the bytes that are asked for are fetched. A request that fails is made again, see `_retries`. Parquet pages carry
checksums, so what arrives damaged is found without reading the whole file.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from deixis.data._retries import try_again
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
        """Fetch some bytes of a file, again where fewer arrive."""

        def fetch(storage: Any, path: str) -> bytes:
            found: bytes = storage.cat_file(path, start=start, end=stop)
            if len(found) != stop - start:
                raise ConnectionError(f"only {len(found):,} of {stop - start:,} bytes of {self.inner} arrived")
            return found

        found: bytes = self._ask(fetch)
        return found

    def _ask(self, request: Callable[[Any, str], Any]) -> Any:
        """Make a request, again where it fails for a reason that may pass."""
        from deixis.data.remote import RemoteFolder

        folder = RemoteFolder.at(self.folder)  # anew in each process; fsspec keeps its connections apart
        with folder.in_words("be read"):
            try:
                return try_again(lambda: request(folder.storage, folder.path_of(self.inner)))
            except FileNotFoundError as error:
                raise BrokenDataset(f"{self.folder} lacks the file {self.inner}; make or send it again") from error


AnyPath: TypeAlias = "Path | StoredPath"
"""A path on this machine, or in storage."""


def source_of(path: AnyPath) -> Any:
    """Return what pyarrow opens a path by."""
    return path.open() if isinstance(path, StoredPath) else path


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
        buffer[: len(found)] = found
        self._place = stop
        return len(found)
