"""What the studio may show: datasets and results under the folders that it was given, and nothing else."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.datasets.copsref.store import open_copsref
from deixis.datasets.sources import GRID_KINDS, open_source
from deixis.datasets.store import MANIFEST, kind_of, open_dataset
from deixis.errors import BrokenDataset, DeixisError, UnknownName


if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


__all__ = ["Entry", "Kind", "Library"]

Kind: TypeAlias = Literal["grid", "a3ds", "copsref", "run"]
RUN_FILES = ("evaluation.json", "run.json", "scores.json")
DEEPEST = 3  # folders below a given one that are looked into
MOST = 500  # entries


@dataclass(frozen=True)
class Entry:
    """A dataset, or the results of a model.

    Attributes:
        slug: its name in addresses: letters, digits and dashes.
        path: where it lies.
        kind: `grid`, `a3ds` or `copsref` for datasets, `run` for a folder with an evaluation or a training.
        error: why it cannot be opened, if so.
        stamp: when what says what it is was written; a dataset that is made anew is another entry.
    """

    slug: str
    path: Path
    kind: Kind
    error: str = ""
    stamp: int = 0

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.path.name or str(self.path)

    @cached_property
    def data(self) -> Any:
        """The opened dataset: a `Source` for grids, a `CopsRef`, or a `Dataset` for A3DS; a path for a run."""
        if self.error:
            raise BrokenDataset(self.error)
        match self.kind:
            case "grid":
                return open_source(self.path)
            case "copsref":
                return open_copsref(self.path)
            case "a3ds":
                return open_dataset(self.path)
        return self.path

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split."""
        return dict(self.data.splits or {}) if self.kind != "run" else {}


@dataclass
class Library:
    """All entries under some folders; a folder that is broken is an entry with an error."""

    roots: tuple[Path, ...]
    _entries: dict[str, Entry] = field(default_factory=dict, init=False)
    _refreshing: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self.roots = tuple(Path(root).resolve() for root in self.roots)
        self.refresh()

    def refresh(self) -> None:
        """Look again; entries that are still there stay as they are, and keep their names even when they change."""
        with self._refreshing:
            before = {(entry.path, entry.kind): entry for entry in self._entries.values()}
            taken = {entry.slug for entry in before.values()}
            found: dict[str, Entry] = {}
            for path, kind in self._found():
                stamp = _stamp(path)
                entry = before.get((path, kind))
                if entry is None or entry.error or entry.stamp != stamp:
                    slug = entry.slug if entry else _slug(path, taken | found.keys())
                    entry = self._opened(Entry(slug, path, kind, stamp=stamp))
                found[entry.slug] = entry
                if len(found) == MOST:
                    break
            self._entries = found

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def of_kind(self, *kinds: Kind) -> list[Entry]:
        """The entries of some kinds."""
        return [entry for entry in self if entry.kind in kinds]

    def find(self, slug: str, *kinds: Kind) -> Entry:
        """The entry of a slug; `UnknownName` where there is none of these kinds, `BrokenDataset` where it is broken."""
        entry = self._entries.get(slug)
        if entry is None or (kinds and entry.kind not in kinds):
            raise UnknownName(f"there is nothing called {slug!r} here")
        if entry.error:
            raise BrokenDataset(entry.error)
        return entry

    def holds(self, path: Path) -> bool:
        """Whether a path, links followed, lies in one of the folders."""
        try:
            real = path.resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, a name with a null byte
            return False
        return any(real.is_relative_to(root) for root in self.roots)

    def _found(self) -> Iterator[tuple[Path, Kind]]:
        seen: set[Path] = set()
        for root in self.roots:
            for path, kind in self._look_into(root, DEEPEST):
                if path not in seen:
                    seen.add(path)
                    yield path, kind

    def _look_into(self, folder: Path, depth: int) -> Iterator[tuple[Path, Kind]]:
        """Datasets and runs in a folder; links are not followed out of the given folders."""
        if folder in self.roots and folder.is_file():
            yield folder, "grid"
            return
        try:
            kind = _kind(folder)
            below = sorted(child for child in folder.iterdir() if not child.name.startswith("."))
        except OSError:  # which a stranger may have shut
            return
        if kind:
            yield folder, kind
        if depth == 0 or kind in ("grid", "a3ds", "copsref"):
            return
        for child in below:
            if self.holds(child) and child.resolve().is_dir():
                yield from self._look_into(child.resolve(), depth - 1)

    def _opened(self, entry: Entry) -> Entry:
        """The entry, or the same with what is wrong with it."""
        try:
            self._demand_inside(entry.path)
            _ = entry.splits
        except (DeixisError, OSError) as error:
            return replace(entry, error=str(error))
        except Exception as error:  # noqa: BLE001 (whatever is wrong with one, the others are shown)
            return replace(entry, error=f"this cannot be opened: {type(error).__name__}: {error}"[:300])
        return entry

    def _demand_inside(self, path: Path) -> None:
        for link in _links(path):
            if not self.holds(link):
                advice = "if that may be shown, too, give it beside the others"
                raise BrokenDataset(f"{link} leads out of the given folders, to {link.resolve()}; {advice}")


def _links(folder: Path) -> Iterator[Path]:
    """The links in a folder and some way below."""
    for here, folders, files in os.walk(folder):
        place = Path(here)
        yield from (place / name for name in (*folders, *files) if (place / name).is_symlink())
        if len(place.relative_to(folder).parts) == DEEPEST:
            folders.clear()


def _kind(folder: Path) -> Kind | None:
    if (folder / MANIFEST).is_file():
        said = kind_of(folder)
        if said in ("a3ds", "copsref"):
            return said  # type: ignore[return-value]
        return "grid" if said is None or said in GRID_KINDS else None
    return "run" if any((folder / name).is_file() for name in RUN_FILES) else None


def _stamp(path: Path) -> int:
    """When what says what a folder is was written, in nanoseconds; 0 where that cannot be known."""
    for place in (path / MANIFEST, *(path / name for name in RUN_FILES), path):
        try:
            return place.stat().st_mtime_ns
        except OSError:
            continue
    return 0


def _slug(path: Path, taken: Collection[str]) -> str:
    """A name for addresses that no other entry has."""
    slug = re.sub(r"[^a-z0-9]+", "-", path.name.lower()).strip("-")[:40] or "data"
    return f"{slug}-{sha256(str(path).encode(errors='surrogateescape')).hexdigest()[:6]}" if slug in taken else slug
