"""A folder of files that are made one after another, so that making can go on where it stopped.

What is finished is listed in `.partial/finished.json` with its hash; when making goes on, files that are whole stay and
the rest is made again. One process at a time works in a folder.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypedDict, cast

from deixis._version import __version__
from deixis.datasets.locks import hold_lock
from deixis.datasets.store import MANIFEST, PARTIAL, file_digest, replacing_file
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self


__all__ = ["Entry", "ResumableFolder"]

LIST, LOCK = "finished.json", "lock"


class Entry(TypedDict):
    """A file as the manifest lists it."""

    path: str
    split: str
    rows: int
    bytes: int
    sha256: str


class ResumableFolder:
    """The place where one process makes the files of one dataset.

    Entering it raises `RecipeError` where another process is at work, where files of another recipe were begun, or
    where anything lies that is not ours. What another version of deixis has begun is made anew.
    """

    def __init__(self, out: Path, digest: str) -> None:
        self.out = out
        self.folder = out / PARTIAL
        self.claim = {"recipe digest": digest, "made by": f"deixis {__version__}"}
        if out.exists() and not out.is_dir():
            raise RecipeError(f"{out} is a file; choose a folder")
        begun = _read_list(self.folder / LIST)
        if not begun and out.exists() and any(child.name != PARTIAL for child in out.iterdir()):
            raise RecipeError(f"{out} is not empty and does not hold a deixis dataset; choose another folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = hold_lock(self.folder / LOCK, out)
        self._guard = threading.Lock()
        if begun and begun.get("recipe digest") != digest:
            self.close()
            raise RecipeError(
                f"{out} holds the beginning of another dataset; choose another folder, or delete it to start anew"
            )
        is_same = all(begun.get(key) == value for key, value in self.claim.items())
        self.finished: dict[str, Entry] = _entries(begun["files"]) if is_same else {}
        self._save()

    def find(self, path: str) -> Entry | None:
        """The entry of a file that is finished and whole, or None."""
        entry = self.finished.get(path)
        try:
            return entry if entry is not None and file_digest(self.out / path) == entry["sha256"] else None
        except OSError:
            return None

    def keep(self, path: str, *, split: str, rows: int) -> Entry:
        """List a file as finished."""
        file = self.out / path
        entry = Entry(path=path, split=split, rows=rows, bytes=file.stat().st_size, sha256=file_digest(file))
        with self._guard:
            self.finished[path] = entry
            self._save()
        return entry

    def finish(self, manifest: dict[str, Any]) -> None:
        """Write the manifest, which makes the dataset a finished one, and tidy up."""
        with replacing_file(self.out / MANIFEST) as draft:
            draft.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        for draft in self.out.rglob(".*.tmp"):  # of processes that were killed
            draft.unlink(missing_ok=True)
        for name in (LIST, LOCK):
            (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # something of somebody else's lies there
            self.folder.rmdir()

    def close(self) -> None:
        """Let other processes work here."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _save(self) -> None:
        with replacing_file(self.folder / LIST) as draft:
            draft.write_text(json.dumps({**self.claim, "files": self.finished}, indent=1), encoding="utf-8")


def _entries(listed: dict[str, Any]) -> dict[str, Entry]:
    """What the list says of files, as far as it is complete."""
    kinds = {"path": str, "split": str, "rows": int, "bytes": int, "sha256": str}
    whole = {
        path: entry
        for path, entry in listed.items()
        if isinstance(entry, dict) and {key: type(value) for key, value in entry.items()} == kinds
    }
    return cast("dict[str, Entry]", whole)


def _read_list(path: Path) -> dict[str, Any]:
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) and isinstance(table.get("files"), dict) else {}
