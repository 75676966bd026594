"""Datasets in object storage: `s3://`, `gs://` and all other storage that fsspec can reach.

Files are mapped into memory and read again and again, so a dataset is copied once to a folder of this machine, every
file compared with its SHA-256 in the manifest. What is made for an address is made in such a folder first and then
sent, the manifest last: until it is there, nobody takes what lies at the address for a dataset. The copies lie in
`~/.cache/deixis`, or where DEIXIS_CACHE says, and may be deleted at any time.
"""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from deixis.data._cache_folder import cache_folder
from deixis.data._retries import try_again
from deixis.data._seal import members_of
from deixis.data.store import MANIFEST, file_digest, lies_inside, parse_manifest, replacing_file
from deixis.errors import BrokenDataset, DeixisError, RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    from deixis.data._crew import Progress
    from deixis.data._seal import Member


__all__ = [
    "RemoteFolder",
    "StorageError",
    "address_of",
    "at_hand",
    "deliver_output",
    "deliver_to",
    "is_address",
    "local_copy",
    "upload",
]

ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
MARK = ".deixis-is-sending"  # shows, before anything is made, that one may write there
MOST_BYTES = 64 << 20  # of a manifest
PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
_addresses: dict[Path, str] = {}  # by local copy
NO_CREDENTIALS = {"NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError", "NoAuthHandlerFound"}


class StorageError(DeixisError, RuntimeError):
    """Storage elsewhere that cannot be reached, or not be used in this way."""


def is_address(place: Path | str) -> TypeGuard[str]:
    """Return whether a place is an address such as `s3://bucket/data` and not a path."""
    return isinstance(place, str) and ADDRESS.match(place) is not None


def at_hand(place: Path | str, *, progress: Progress | None = None) -> Path:
    """Return a path unchanged, and for an address a local folder with the same dataset."""
    return local_copy(place, progress=progress) if is_address(place) else Path(place)


def local_copy(address: str, *, progress: Progress | None = None) -> Path:
    """Return a local folder that holds the dataset at an address.

    Files that are here already are not fetched.

    Raises:
        BrokenDataset: when there is no dataset, or a file is not what the manifest says.
        StorageError: when the address cannot be reached.
    """
    there = RemoteFolder.at(address)
    written = there.read(MANIFEST)
    if written is None:
        raise BrokenDataset(f"{address} is not a finished deixis dataset: there is no {MANIFEST}")
    folder = cache_folder() / "copies" / f"{_short(there.address.encode())}-{_short(written)}" / there.name
    manifest = parse_manifest(written, folder, f"{address}/{MANIFEST}")
    members = _members(manifest, folder, address)
    for number, member in enumerate(members):
        if progress is not None:
            progress("files fetched", number, len(members))
        _fetch(there, member, folder)
    with replacing_file(folder / MANIFEST) as draft:
        draft.write_bytes(written)
    _addresses[folder.resolve()] = address
    return folder


def address_of(copy: Path) -> str:
    """Return the address of which a folder is a local copy that this process made, or an empty text."""
    return _addresses.get(copy.resolve(), "")


def upload(folder: Path, address: str, *, progress: Progress | None = None) -> None:
    """Send a finished dataset to an address, the manifest last.

    Raises:
        RecipeError: when another dataset lies there.
        StorageError: when the address cannot be written to.
    """
    there = RemoteFolder.at(address)
    written = there.read(MANIFEST)
    if written is not None:
        if written != (folder / MANIFEST).read_bytes():
            raise RecipeError(f"{address} already holds another dataset; choose another address or delete it")
        return
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    names = [path.relative_to(folder).as_posix() for path in paths]
    shown = [name for name in names if name != MANIFEST and not any(part.startswith(".") for part in name.split("/"))]
    last = [name for name in names if name == MANIFEST]
    for number, name in enumerate(shown + last):
        if progress is not None:
            progress("files sent", number, len(shown) + 1)
        there.put(folder / name, name)


@contextmanager
def deliver_to(place: Path | str, *, digest: str | None = None, progress: Progress | None = None) -> Iterator[Path]:
    """Yield the folder in which to make a dataset for a place, and upload it there if all went well.

    What was made for an address stays here when making is interrupted, so that it can go on.

    Args:
        place: a path, which is the folder itself, or an address.
        digest: of the recipe; where a dataset of the same recipe lies at the address, the folder holds a copy of it.
        progress: told how far sending is.
    """
    if not is_address(place):
        yield Path(place)
        return
    there = RemoteFolder.at(place)
    written = there.read(MANIFEST)
    if written is not None:
        manifest = parse_manifest(written, cache_folder(), f"{place}/{MANIFEST}")
        if digest is None or manifest.get("recipe digest") != digest:
            raise RecipeError(
                f"{place} already holds a dataset, made from another recipe; choose another address or delete it"
            )
        yield local_copy(place, progress=progress)
        return
    there.demand_writable()
    folder = cache_folder() / "making" / _short(there.address.encode()) / there.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    yield folder
    upload(folder, there.address, progress=progress)
    shutil.rmtree(folder.parent, ignore_errors=True)


@contextmanager
def deliver_output(place: Path | str, *, force: bool = False, progress: Progress | None = None) -> Iterator[Path]:
    """Yield the path at which to write a file or a folder for a place, and upload it there if all went well.

    Args:
        place: a path, which is yielded itself, or an address.
        force: replace a file that lies at the address; a finished dataset is never replaced.
        progress: told how far sending is.
    """
    if not is_address(place):
        yield Path(place)
        return
    there = RemoteFolder.at(place)
    if there.read(MANIFEST) is not None:
        raise RecipeError(f"{place} already holds a dataset; choose another address or delete it")
    if not force and there.is_file():
        raise RecipeError(f"{place} already exists; choose another name, or give --force to replace it")
    there.demand_writable(beside=True)
    with TemporaryDirectory(prefix="deixis-") as aside:
        out = Path(aside) / (there.address.rpartition("/")[2] or there.name)
        yield out
        if out.is_dir():
            upload(out, there.address, progress=progress)
        elif out.is_file():
            for path in sorted(path for path in Path(aside).iterdir() if path.is_file() and path != out):
                there.put(path, f"../{path.name}")  # which some forms write beside, such as vocabularies
            there.put(out, "")


@dataclass(frozen=True)
class RemoteFolder:
    """A folder at an address."""

    address: str

    @classmethod
    def at(cls, address: str) -> RemoteFolder:
        """Return the folder at an address, or raise `StorageError` if it is none or the storage is unknown."""
        found = ADDRESS.match(address)
        rest = address[found.end() :].strip("/") if found else ""
        if found is None or "::" in address or not rest or ".." in rest.split("/"):
            raise StorageError(f"{address!r} is no address of a folder; give one such as s3://bucket/folder")
        folder = cls(found.group().lower() + (("/" + rest) if found.group().lower() == "file://" else rest))
        with folder.in_words("be used"):
            _ = folder.storage
        return folder

    @property
    def scheme(self) -> str:
        """Kind of storage, such as `s3`."""
        return self.address.partition("://")[0]

    @property
    def name(self) -> str:
        """The last part of its address, as the name of a folder here."""
        return re.sub(r"[^\w.-]", "_", self.address.rpartition("/")[2]).lstrip(".") or "dataset"

    def read(self, name: str) -> bytes | None:
        """The content of a small file, None where there is none."""
        path = f"{self._root}/{name}"
        with self.in_words("be read"):
            try:
                if try_again(lambda: self.storage.size(path)) > MOST_BYTES:
                    raise BrokenDataset(f"{self.address}/{name} is larger than any that deixis writes")
                content: bytes = try_again(lambda: self.storage.cat_file(path))
            except (FileNotFoundError, NotADirectoryError):  # a file may lie at the address
                return None
            return content

    def get(self, name: str, to: Path, *, size: int | None = None) -> None:
        """Fetch a file, again where fewer bytes arrive than there are."""
        path = f"{self._root}/{name}"

        def fetch() -> None:
            self.storage.get_file(path, str(to))
            arrived = to.stat().st_size
            if size is not None and arrived < size and arrived < self.storage.size(path):
                raise ConnectionError(f"only {arrived:,} of {size:,} bytes of {name} arrived")

        with self.in_words("be read"):
            try_again(fetch)

    def put(self, path: Path, name: str) -> None:
        """Send a file."""
        with self.in_words("be written to"):
            try_again(lambda: self._make_parent(name))
            try_again(lambda: self.storage.put_file(str(path), self.path_of(name)))

    def is_file(self) -> bool:
        """Return whether a file, no folder, lies at the address."""
        with self.in_words("be read"):
            return bool(try_again(lambda: self.storage.isfile(self._root)))

    def demand_writable(self, *, beside: bool = False) -> None:
        """An error unless files can be sent here, or beside it, which one wants to know before they are made."""
        is_beside = beside and "/" in self._root
        path = f"{self._root}{MARK}" if is_beside else f"{self._root}/{MARK}"
        with self.in_words("be written to"):
            try_again(lambda: self._make_parent("" if is_beside else MARK))
            try_again(lambda: self.storage.pipe_file(path, b""))
            with suppress(FileNotFoundError):  # a try that failed may have removed it
                try_again(lambda: self.storage.rm_file(path))

    def path_of(self, name: str) -> str:
        """Return what the storage calls a file of the folder, or with `../` before its name one beside it."""
        if name.startswith("../"):
            return f"{self._root.rpartition('/')[0]}/{name[3:]}"
        return f"{self._root}/{name}" if name else self._root

    def _make_parent(self, name: str) -> None:
        """Make the folder of a file where storage has any; buckets are not made on the way."""
        if self.scheme in ("file", "local", "memory", "sftp", "ssh", "smb", "hdfs"):
            self.storage.makedirs(self.path_of(name).rpartition("/")[0], exist_ok=True)

    @property
    def storage(self) -> Any:
        """The storage that it lies in."""
        return self._found[0]

    @property
    def _root(self) -> str:
        return str(self._found[1]).rstrip("/")

    @cached_property
    def _found(self) -> tuple[Any, str]:
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise StorageError(
                f"{self.address} needs the package fsspec; install it with: pip install 'deixis[cluster]'"
            ) from error
        found: tuple[Any, str] = url_to_fs(self.address)
        return found

    @contextmanager
    def in_words(self, aim: str) -> Iterator[None]:
        """Raise errors of storage of any kind, which cannot `be read` for example, as a `StorageError` in one line."""
        try:
            yield
        except DeixisError:
            raise
        except ImportError as error:
            package = PACKAGES.get(self.scheme, "")
            extra = "'deixis[cluster]'" if package == "s3fs" else package or f"the package for {self.scheme}"
            raise StorageError(
                f"{self.scheme}:// needs a package that is not installed ({_first_line(error)}); "
                f"install it with: pip install {extra}"
            ) from error
        except Exception as error:
            raise StorageError(f"{self.address} cannot {aim}: {self._reason(error)}") from error

    def _reason(self, error: Exception) -> str:
        said, kind = _first_line(error), type(error).__name__
        if isinstance(error, ValueError) and "Protocol not known" in said:
            return f"there is no storage called {self.scheme}://; known are s3://, gs://, az:// and file://"
        if kind in NO_CREDENTIALS:
            return (
                "no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them to "
                "~/.aws/credentials"
                if self.scheme.startswith("s3")
                else "no credentials were found; sign in as the storage asks for"
            )
        if isinstance(error, PermissionError):
            return f"it is not allowed with these credentials ({said})"
        if isinstance(error, FileNotFoundError):
            bucket = self.address.partition("://")[2].partition("/")[0]
            return f"there is no {bucket!r}, or nothing of that name in it; create it first, or mend the address"
        return f"{said}; is the address right, and can the storage be reached from here?"


def _fetch(there: RemoteFolder, member: Member, folder: Path) -> None:
    """Make sure that a file is here and is what the manifest says."""
    path = folder / member.path
    with suppress(OSError):
        if member.bytes in (None, path.stat().st_size) and file_digest(path) == member.sha256:
            return
    with replacing_file(path) as draft:
        try:
            there.get(member.path, draft, size=member.bytes)
        except StorageError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                raise BrokenDataset(f"{there.address} lacks the file {member.path}; make or send it again") from error
            raise
        if file_digest(draft) != member.sha256:
            raise BrokenDataset(
                f"{there.address}/{member.path} is not what the manifest says: its SHA-256 differs; send it again"
            )


def _members(manifest: dict[str, Any], folder: Path, address: str) -> list[Member]:
    """All files of a dataset that its manifest answers for."""
    found = members_of(manifest)
    for member in found:
        if not lies_inside(folder, member.path):
            raise BrokenDataset(f"{address}/{MANIFEST} names the file {member.path!r}, which is not inside the dataset")
    return found


def _short(text: bytes) -> str:
    return sha256(text).hexdigest()[:16]


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
