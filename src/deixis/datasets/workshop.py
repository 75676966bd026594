"""The unfinished part of a dataset: what has been made is kept, so that making can go on where it stopped.

Everything lies in `.partial/` beside the data: a note of what is being made and by which version, a lock that one
process holds, and two files for every finished shard, of which the second names the hash of the first.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from deixis._version import __version__
from deixis.datasets.locks import hold_lock
from deixis.datasets.shards import Shard
from deixis.datasets.store import MANIFEST, PARTIAL, file_digest, replacing_file
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from deixis.datasets.recipe import Recipe


__all__ = ["Workshop"]

NOTE, LOCK = "recipe.json", "lock"
OURS = (
    "data",
    "README.md",
    "croissant.json",
)  # what a folder may hold beside `.partial` while its dataset is being made


class Workshop:
    """The place where one process makes one dataset.

    Entering it raises `RecipeError` where another process is at work, where a dataset of another recipe was begun, or
    where anything lies that is not ours. What another version of deixis has begun is thrown away.
    """

    def __init__(self, out: Path, recipe: Recipe) -> None:
        self.out = out
        self.folder = out / PARTIAL
        self.claim = {"recipe digest": recipe.digest, "made by": f"deixis {__version__}"}
        _demand_ours(out)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = hold_lock(self.folder / LOCK, out)
        try:
            self._settle(recipe)
        except BaseException:
            self.close()
            raise

    def _settle(self, recipe: Recipe) -> None:
        """Make sure that what lies here is the beginning of the same dataset, or nothing."""
        begun = _read_json(self.folder / NOTE)
        if begun and begun.get("recipe digest") not in (None, recipe.digest):
            raise RecipeError(
                f"{self.out} holds the beginning of a dataset made from another recipe; "
                f"choose another folder, or delete {self.folder} to start anew"
            )
        if any(begun.get(key) != value for key, value in self.claim.items()):
            self._throw_away_shards()
            with replacing_file(self.folder / NOTE) as draft:
                draft.write_text(json.dumps({**self.claim, "recipe": recipe.to_dict()}, indent=1), encoding="utf-8")
        drafts = [*self.out.glob(".*.tmp"), *self.folder.glob(".*.tmp")]
        unfinished = [] if (self.out / MANIFEST).exists() else self.out.glob("data/*")  # written again at the end
        for path in (*drafts, *unfinished):
            path.unlink()

    def has(self, name: str) -> bool:
        """Whether a shard seems to be finished, as far as the names of files tell."""
        return (self.folder / f"{name}.json").is_file() and (self.folder / f"{name}.arrow").is_file()

    def load(self, name: str) -> Shard | None:
        """A finished shard, or None if there is none or it is damaged."""
        data, said = self.folder / f"{name}.arrow", _read_json(self.folder / f"{name}.json")
        try:
            if said.get("claim") != self.claim or file_digest(data) != said["sha256"]:
                return None
            with pa.memory_map(str(data)) as source:
                table = pa.ipc.open_file(source).read_all()
            return Shard(table, np.array(said["outcomes"], np.int64))
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
            return None

    def keep(self, name: str, shard: Shard) -> Shard:
        """Keep a finished shard; returned as read back from disk, so that it need not stay in memory."""
        data = self.folder / f"{name}.arrow"
        with (
            replacing_file(data) as draft,
            pa.OSFile(str(draft), "wb") as sink,
            pa.ipc.new_file(sink, shard.table.schema) as writer,
        ):
            writer.write_table(shard.table)
        said = {"claim": self.claim, "sha256": file_digest(data), "outcomes": shard.outcomes.tolist()}
        with replacing_file(self.folder / f"{name}.json") as draft:
            draft.write_text(json.dumps(said), encoding="utf-8")
        kept = self.load(name)
        return kept if kept is not None else shard

    def clear(self) -> None:
        """Remove what is left, now that the dataset is finished."""
        self._throw_away_shards()
        for name in (NOTE, LOCK):  # the lock last: as long as it is there, nobody else comes in
            (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # something of somebody else's lies there
            self.folder.rmdir()

    def _throw_away_shards(self) -> None:
        for pattern in ("*.arrow", "*.json", ".*.tmp"):
            for path in self.folder.glob(pattern):
                if path.name != NOTE:
                    path.unlink()

    def close(self) -> None:
        """Let other processes work here."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _demand_ours(out: Path) -> None:
    """An error unless the folder is empty, new or holds what an interrupted making leaves."""
    folder = out / PARTIAL
    if out.exists() and not out.is_dir():
        raise RecipeError(f"{out} is a file; choose a folder")
    if folder.is_symlink() or (out / "data").is_symlink():
        raise RecipeError(f"{out} holds links to other folders where the data should lie; choose another folder")
    begun = (folder / NOTE).is_file()
    for child in out.iterdir() if out.exists() else ():
        is_draft = child.name.startswith(".") and child.name.endswith(".tmp")
        if child.name not in (PARTIAL, MANIFEST) and not (begun and (child.name in OURS or is_draft)):
            raise RecipeError(f"{out} is not empty and does not hold a deixis dataset; choose another folder")
    for child in (out / "data").iterdir() if (out / "data").is_dir() else ():
        if not child.name.endswith((".parquet", ".tmp")) or child.is_dir():
            raise RecipeError(f"{out / 'data'} holds {child.name!r}, which is not of a deixis dataset; remove it")


def _read_json(path: Path) -> dict[str, Any]:
    """A small table of keys; empty where there is none that can be read."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}
