"""The library of the studio: datasets and results under the given folders, and nothing else."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from deixis._studio.world_pages import all_pages, world_pages
from deixis.data.store import MANIFEST, is_blob_of
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.worlds.registry import world_of, world_of_layout


if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from deixis._studio.world_pages import WorldPages


RUN = "run"  # the kind of folders with results; all other kinds are names of worlds
TRAINING = "run.json"
DEEPEST = 3  # folders below a given one that are looked into
MOST = 500  # entries
SITTING = "sitting.json"  # in a folder with a person's answers; what lies below belongs to them
UNSURE_NS = 2_000_000_000  # a folder that changed a moment ago may change again without another time of change


@dataclass(frozen=True)
class Entry:
    """A dataset, or the results of a model.

    Attributes:
        slug: its name in addresses: letters, digits and dashes.
        path: where it lies.
        kind: the name of its world for a dataset, empty where no world knows it; `run` for a folder with an
            evaluation or a training.
        error: why it cannot be opened, if so.
        stamp: when what says what it is was written; a dataset that is made anew is another entry.
    """

    slug: str
    path: Path
    kind: str
    error: str = ""
    stamp: int = 0

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.path.name or str(self.path)

    @cached_property
    def data(self) -> Any:
        """The dataset as the pages of its world open it, or a path for a run."""
        if self.error:
            raise BrokenDataset(self.error)
        if self.kind == RUN:
            return self.path
        return (self.pages if self.kind else world_pages(world_of(self.path).name)).open(self.path)

    @property
    def pages(self) -> WorldPages:
        """The pages of its world."""
        return world_pages(self.kind)

    @property
    def splits(self) -> dict[str, int]:
        """The number of examples of every split."""
        return dict(self.data.splits or {}) if self.kind != RUN else {}


class _FolderListing(NamedTuple):
    """The folders in a folder, and the time of its last change."""

    stamp: int
    folders: tuple[Path, ...]


@dataclass
class Library:
    """All entries under some folders.

    A folder that is broken is an entry with an error.
    """

    roots: tuple[Path, ...]
    version: int = field(default=0, init=False)  # another number whenever something has changed
    _entries: dict[str, Entry] = field(default_factory=dict, init=False)
    _state: tuple[object, ...] = field(default=(), init=False, repr=False)
    _below: dict[Path, _FolderListing] = field(default_factory=dict, init=False, repr=False)
    _sniffed: dict[Path, tuple[int, str | None]] = field(default_factory=dict, init=False, repr=False)
    _refreshing: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self.roots = tuple(Path(root).resolve() for root in self.roots)
        self.refresh()

    def refresh(self) -> None:
        """Look again.

        Entries that are still there stay as they are, and keep their names even when they change.
        """
        with self._refreshing:
            before = {(entry.path, entry.kind): entry for entry in self._entries.values()}
            taken = {entry.slug for entry in before.values()}
            found: dict[str, Entry] = {}
            for path, kind in self._find_paths():
                stamp = _stamp(path)
                entry = before.get((path, kind))
                if entry is None or entry.error or entry.stamp != stamp:
                    slug = entry.slug if entry else _slug(path, taken | found.keys())
                    entry = self._open_entry(Entry(slug, path, kind, stamp=stamp))
                found[entry.slug] = entry
                if len(found) == MOST:
                    break
            self._entries = found
            state = tuple((entry, _result_stamps(entry)) for entry in found.values())
            if state != self._state:
                self._state, self.version = state, self.version + 1

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    @property
    def datasets(self) -> list[Entry]:
        """The entries that are datasets, broken ones too."""
        return [entry for entry in self if entry.kind != RUN]

    @property
    def runs(self) -> list[Entry]:
        """The entries that hold results of models."""
        return self.of_kind(RUN)

    def of_kind(self, *kinds: str) -> list[Entry]:
        """The entries of some kinds."""
        return [entry for entry in self if entry.kind in kinds]

    def find_dataset(self, slug: str) -> Entry:
        """Return the dataset of a slug, with the errors of `find`."""
        entry = self.find(slug)
        if entry.kind == RUN:
            raise UnknownName(f"there is no dataset called {slug!r} here")
        return entry

    def find(self, slug: str, *kinds: str) -> Entry:
        """Return the entry of a slug.

        Raises `UnknownName` if there is none of these kinds, and `BrokenDataset` if it is broken.
        """
        entry = self._entries.get(slug)
        if entry is None or (kinds and entry.kind not in kinds):
            raise UnknownName(f"there is nothing called {slug!r} here")
        if entry.error:
            raise BrokenDataset(entry.error)
        return entry

    def holds(self, path: Path) -> bool:
        """Return whether a path, links followed, lies in one of the folders."""
        try:
            real = path.resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, a name with a null byte
            return False
        return any(real.is_relative_to(root) for root in self.roots)

    def _find_paths(self) -> Iterator[tuple[Path, str]]:
        seen: set[Path] = set()
        for root in self.roots:
            for path, kind in self._look_into(root, DEEPEST):
                if path not in seen:
                    seen.add(path)
                    yield path, kind

    def _look_into(self, folder: Path, depth: int) -> Iterator[tuple[Path, str]]:
        """Datasets and runs in a folder; links are not followed out of the given folders."""
        if folder in self.roots and folder.is_file():
            yield folder, _kind_of_file(folder)
            return
        try:
            kind = _kind(folder)
            if kind is None and folder in self.roots:
                kind = self._sniff(folder)
            below = self._children(folder)
        except OSError:  # which a stranger may have shut
            return
        if kind is not None:
            yield folder, kind
        if depth == 0 or kind not in (None, RUN) or (folder / SITTING).is_file():
            return
        for child in below:
            if not child.is_symlink():
                yield from self._look_into(child, depth - 1)
            elif self.holds(child) and child.is_dir():
                yield from self._look_into(child.resolve(), depth - 1)

    def _sniff(self, folder: Path) -> str | None:
        """Return the reader that knows the layout of a folder; asked again when the folder has changed."""
        stamp = folder.stat().st_mtime_ns
        known = self._sniffed.get(folder)
        if known is None or known[0] != stamp:
            known = stamp, _kind_read(folder)
            if time.time_ns() - stamp > UNSURE_NS:
                self._sniffed[folder] = known
        return known[1]

    def _children(self, folder: Path) -> tuple[Path, ...]:
        """The folders in a folder, and the links, which may lead to one; listed again when it has changed."""
        stamp = folder.stat().st_mtime_ns
        known = self._below.get(folder)
        if known is None or known.stamp != stamp:
            with os.scandir(folder) as found:
                names = sorted(
                    one.name
                    for one in found
                    if not one.name.startswith(".") and (one.is_symlink() or one.is_dir(follow_symlinks=False))
                )
            known = _FolderListing(stamp, tuple(folder / name for name in names))
            if time.time_ns() - stamp > UNSURE_NS:
                self._below[folder] = known
        return known.folders

    def _open_entry(self, entry: Entry) -> Entry:
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
            if not self.holds(link) and not is_blob_of(path.resolve(), link.resolve()):
                advice = "if that may be shown, too, give it beside the others"
                raise BrokenDataset(f"{link} leads out of the given folders, to {link.resolve()}; {advice}")


def _links(folder: Path) -> Iterator[Path]:
    """The links in a folder and some way below."""
    for here, folders, files in os.walk(folder):
        place = Path(here)
        yield from (place / name for name in (*folders, *files) if (place / name).is_symlink())
        if len(place.relative_to(folder).parts) == DEEPEST:
            folders.clear()


def _kind(folder: Path) -> str | None:
    """What a folder is; None where it is neither a dataset nor results."""
    if (folder / MANIFEST).is_file():
        told = (folder / MANIFEST).stat()
        return _kind_said(folder, (told.st_mtime_ns, told.st_size))
    return RUN if any((folder / name).is_file() for name in _run_files()) else None


@lru_cache(maxsize=2 * MOST)
def _kind_said(folder: Path, stamp: tuple[int, int]) -> str:
    """What a manifest says, read again when it has changed: that of a large dataset takes its time."""
    del stamp
    return _kind_of_file(folder)


def _kind_read(folder: Path) -> str | None:
    """The name of the reader that knows the layout of a folder; None where none does."""
    found = world_of_layout(folder)
    return None if found is None else found.name


def _kind_of_file(path: Path) -> str:
    """The name of the world that a dataset is of; empty where no world knows it, which opening it will tell."""
    try:
        return world_of(path).name
    except DeixisError:
        return ""


def _run_files() -> list[str]:
    """The names of files that make a folder one of results."""
    return list(dict.fromkeys([TRAINING, *(name for pages in all_pages() for name in pages.result_files)]))


def _result_stamps(entry: Entry) -> tuple[object, ...]:
    """Return the names, sizes and times of the files of a model's results, which show whether they have changed."""
    if entry.kind != RUN:
        return ()
    try:
        with os.scandir(entry.path) as found:
            return tuple(
                sorted((one.name, (told := one.stat(follow_symlinks=False)).st_mtime_ns, told.st_size) for one in found)
            )
    except OSError:
        return ()


def _stamp(path: Path) -> int:
    """When what says what a folder is was written, in nanoseconds; 0 where that cannot be known."""
    for place in (path / MANIFEST, *(path / name for name in _run_files()), path):
        try:
            return place.stat().st_mtime_ns
        except OSError:
            continue
    return 0


def _slug(path: Path, taken: Collection[str]) -> str:
    """A name for addresses that no other entry has."""
    slug = re.sub(r"[^a-z0-9]+", "-", path.name.lower()).strip("-")[:40] or "data"
    return f"{slug}-{sha256(str(path).encode(errors='surrogateescape')).hexdigest()[:6]}" if slug in taken else slug


# -------------------------------------------------------------------------------- datasets that are searched

Codes = TypeVar("Codes")
MOST_SHELVES = 4  # datasets of which more than the manifest is kept


class Shelf(Generic[Codes]):
    """An open dataset on which everything can be found: once somebody searches, what can be asked of every example."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self._codes: Codes | None = None
        self._reading = threading.Lock()

    @property
    def has_codes(self) -> bool:
        """True if a search needs no reading any more."""
        return self._codes is not None

    def codes(self) -> Codes:
        """Return the filter columns of all examples, read at the first call."""
        with self._reading:
            if self._codes is None:
                self._codes = self.read_codes()
            return self._codes

    def read_codes(self) -> Codes:
        """Read what can be asked of every example."""
        raise NotImplementedError


AnyShelf = TypeVar("AnyShelf", bound=Shelf[Any])
_shelves: OrderedDict[tuple[type, int], Shelf[Any]] = OrderedDict()
_shelving = threading.Lock()


def shelf_of(entry: Entry, kind: type[AnyShelf]) -> AnyShelf:
    """Return the shelf of a dataset.

    Those that were used last are kept.
    """
    data = entry.data
    with _shelving:
        shelf = _shelves.get((kind, id(data)))
        if shelf is None:
            shelf = _shelves[kind, id(data)] = kind(data)
        _shelves.move_to_end((kind, id(data)))
        while len(_shelves) > MOST_SHELVES:
            _shelves.popitem(last=False)
    assert isinstance(shelf, kind)
    return shelf
