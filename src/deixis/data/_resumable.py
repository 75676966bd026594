"""A folder of files that are made one after another, so that making can go on where it stopped.

What is finished is listed in `.partial/finished.jsonl` with its hash, a line for each file; when making goes on, files
that are whole stay and the rest is made again. What is needed on the way, but is no part of the dataset, lies in
`.partial` itself, as Parquet or Arrow. One process at a time works in a folder.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from deixis._version import __version__
from deixis.data._locks import hold_lock
from deixis.data._seal import write_manifest
from deixis.data.store import MANIFEST, PARTIAL, file_digest, lies_inside, open_dataset, replacing_file
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from deixis.data.store import Dataset


LIST, LOCK = "finished.jsonl", "lock"
TOKEN = "token"  # by which workers elsewhere see that they look at this folder
SYNC_SECONDS = 0.5  # between two times at which the list is made to survive a power failure
KINDS = {"path": str, "split": str, "rows": int, "bytes": int, "sha256": str}


class Entry(TypedDict):
    """A file as the manifest lists it."""

    path: str
    split: str
    rows: int
    bytes: int
    sha256: str


class SharedFolder(NamedTuple):
    """The folder of a dataset that is being made, as workers are told of it."""

    path: str
    token: str

    def find(self) -> Path | None:
        """Return the folder, or None where this machine does not see it."""
        out = Path(self.path)
        try:
            is_same = (out / PARTIAL / TOKEN).read_text(encoding="utf-8") == self.token
        except OSError:
            return None
        return out if is_same else None


def sees(shared: SharedFolder) -> bool:
    """Return whether whoever does this work sees the folder."""
    return shared.find() is not None


def entry_of(out: Path, path: str, *, split: str, rows: int) -> Entry:
    """Return the entry of a file that is finished."""
    file = out / path
    return Entry(path=path, split=split, rows=rows, bytes=file.stat().st_size, sha256=file_digest(file))


def make_in(out: Path, digest: str, work: Callable[[ResumableFolder], object]) -> Dataset:
    """The dataset in a folder, made there unless it is finished.

    Args:
        out: the folder; it may hold the beginning of the same dataset, or all of it.
        digest: of the recipe.
        work: makes what is missing, and finishes the folder.

    Raises:
        RecipeError: when the folder holds something else, another process works there or it cannot be written to.
        BrokenDataset: when the folder holds the finished dataset, but files of it are missing.
    """
    try:
        if not (out / MANIFEST).exists():
            with ResumableFolder(out, digest) as folder:
                if not (out / MANIFEST).exists():  # which another process may have finished in the meantime
                    work(folder)
                    return open_dataset(out)
    except OSError as error:
        raise RecipeError(f"cannot write to {out}: {error.strerror or error}") from error
    dataset = open_dataset(out)
    if dataset.manifest.get("recipe digest") != digest:
        raise RecipeError(f"{out} already holds a dataset made from another recipe; choose another folder or delete it")
    dataset.demand_whole()
    tidy_up(out)  # whoever finished it had no time to, or is just doing so
    return dataset


def is_begun(out: Path) -> bool:
    """Return whether a folder holds the beginning of a dataset."""
    return (out / PARTIAL / LIST).exists() and not (out / MANIFEST).exists()


class ResumableFolder:
    """The place where one process makes the files of one dataset.

    Entering it raises `RecipeError` where another process is at work, where files of another recipe were begun, or
    where anything lies that is not ours. What another version of deixis has begun is thrown away.
    """

    def __init__(self, out: Path, digest: str) -> None:
        self.out = out
        self.folder = out / PARTIAL
        self.claim = {"recipe digest": digest, "made by": f"deixis {__version__}"}
        begun = _read_list(self.folder / LIST)
        _demand_ours(out, is_begun=bool(begun))
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = hold_lock(self.folder / LOCK, out)
        self._guard = threading.Lock()
        if begun and begun["recipe digest"] != digest:
            self.close()
            raise RecipeError(
                f"{out} holds the beginning of a dataset made from another recipe; "
                f"choose another folder, or delete it to start anew"
            )
        self.finished: dict[str, Entry] = begun.get("files", {})
        if any(begun.get(key) != value for key, value in self.claim.items()):
            self.throw_away()
        _remove_drafts(out)
        self._synced = time.monotonic()
        with replacing_file(self.folder / LIST) as draft:  # anew: a line may have been cut short
            lines = [json.dumps(one) + "\n" for one in (self.claim, *self.finished.values())]
            draft.write_text("".join(lines), encoding="utf-8", newline="\n")

    def find(self, path: str) -> Entry | None:
        """The entry of a file that is finished and whole, or None."""
        entry = self.finished.get(path)
        try:
            return entry if entry is not None and file_digest(self.out / path) == entry["sha256"] else None
        except OSError:
            return None

    def keep(self, path: str, *, split: str, rows: int) -> Entry:
        """List a file as finished."""
        entry = entry_of(self.out, path, split=split, rows=rows)
        self.note(entry)
        return entry

    def note(self, entry: Entry) -> None:
        """List a file as finished whose entry is known.

        A line that a power failure takes away means that its file is made again.
        """
        with self._guard, (self.folder / LIST).open("a", encoding="utf-8", newline="\n") as listed:
            self.finished[entry["path"]] = entry
            listed.write(json.dumps(entry) + "\n")
            listed.flush()
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(listed.fileno())
                self._synced = time.monotonic()

    def share(self) -> SharedFolder:
        """Return the folder as workers are told of it, who may see it or not."""
        token = self.folder / TOKEN
        if not token.is_file():
            token.write_text(secrets.token_hex(16), encoding="utf-8")
        return SharedFolder(str(self.out.resolve()), token.read_text(encoding="utf-8"))

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, which makes the dataset a finished one, and tidy up."""
        write_manifest(self.out, manifest)
        _remove_traces(self.out)

    def close(self) -> None:
        """Let other processes work here."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not self.finished:  # nothing stands in the way of another recipe
            _remove_traces(self.out)
            with suppress(OSError):
                self.out.rmdir()
        self.close()

    def throw_away(self) -> None:
        """Forget what is finished: it is of no use."""
        for path in self.finished:
            if lies_inside(self.out, path):
                (self.out / path).unlink(missing_ok=True)
        self.finished = {}


def tidy_up(out: Path) -> None:
    """Remove what making has left behind in a folder whose dataset is finished, unless somebody is at work there."""
    folder = out / PARTIAL
    if folder.is_dir() and not folder.is_symlink():
        with suppress(RecipeError, OSError):
            lock = hold_lock(folder / LOCK, out)
            try:
                _remove_traces(out)
            finally:
                lock.close()


def _remove_traces(out: Path) -> None:
    _remove_drafts(out)
    folder = out / PARTIAL
    for path in (
        *folder.glob("*.parquet"),
        *folder.glob("*.arrow"),
        folder / TOKEN,
        folder / LIST,
        folder / LOCK,
    ):  # the lock last: it keeps others out
        path.unlink(missing_ok=True)
    with suppress(OSError):  # something of somebody else's lies there
        folder.rmdir()


def _remove_drafts(out: Path) -> None:
    """Remove what processes that were killed had not finished writing."""
    for draft in sorted(out.rglob(".*.tmp")):
        if draft.is_dir() and not draft.is_symlink():
            shutil.rmtree(draft, ignore_errors=True)
        else:
            draft.unlink(missing_ok=True)


def _demand_ours(out: Path, *, is_begun: bool) -> None:
    """An error unless the folder is empty, new, or holds a dataset or what an interrupted making leaves."""
    if out.exists() and not out.is_dir():
        raise RecipeError(f"{out} is a file; choose a folder")
    children = list(out.iterdir()) if out.exists() else []
    if any(child.is_symlink() for child in children):
        raise RecipeError(f"{out} holds links to other folders where the data should lie; choose another folder")
    if not is_begun and any(child.name != PARTIAL for child in children) and not (out / MANIFEST).exists():
        raise RecipeError(f"{out} is not empty and does not hold a deixis dataset; choose another folder")


def _read_list(path: Path) -> dict[str, Any]:
    """Who began, and the entries of the files that are finished, as far as lines are whole; empty where nobody did."""
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        claim = json.loads(first)
        if not isinstance(claim["recipe digest"], str):
            return {}
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return {}
    files = {entry["path"]: entry for line in lines if (entry := _entry(line)) is not None}
    return {**claim, "files": files}


def _entry(line: str) -> Entry | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_whole = isinstance(entry, dict) and {key: type(value) for key, value in entry.items()} == KINDS
    return cast("Entry", entry) if is_whole else None
