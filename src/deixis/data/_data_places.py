"""Data that a crew reads: workers look at the same path or fetch the same address, so that nothing is sent to them.

Whoever works on data is told their place. A worker that sees another state of them, or nothing, copies them once from
the address that they were read from; where there is none, one line says so.
"""

from __future__ import annotations

import json
import socket
import time
from functools import partial
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from deixis.data._crew import share_here, share_in_order
from deixis.data._pieces import UNFINISHED
from deixis.data.remote import address_of, local_copy
from deixis.data.store import MANIFEST
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deixis.data._crew import Crew


TRIAL_SECONDS = 0.5  # of CPU time of work in this process, before others are thought of
WORTH_SECONDS = 4.0  # of further work that are worth the start of processes
Done = TypeVar("Done")
Work = TypeVar("Work")


class DataPlace(NamedTuple):
    """Where data lie, for whoever shall read them.

    Attributes:
        path: on the machine that hands out the work.
        state: a digest of their manifest and of sizes and times of their files.
        manifest: a digest of their manifest, empty where they have none.
        address: from which they were copied; empty where they were not.
    """

    path: str
    state: str
    manifest: str = ""
    address: str = ""

    @classmethod
    def of(cls, path: Path) -> DataPlace:
        """Return the place of the data at a path."""
        whole = path.resolve()
        return cls(str(whole), _state_of(whole), _manifest_of(whole), address_of(whole))

    def find(self) -> Path:
        """Return the path of the data on this machine, or raise `BrokenDataset` where it neither sees nor gets them."""
        path = Path(self.path)
        if self.state and _state_of(path) == self.state:
            return path
        if self.address:
            copy = local_copy(self.address)
            if _manifest_of(copy) != self.manifest:
                raise BrokenDataset(f"{self.address} holds another dataset than when the work was begun; begin again")
            return copy
        raise BrokenDataset(
            f"a worker on {socket.gethostname()} does not see {self.path} as it is where the work is handed out; put "
            "it on a file system that all share, or name an address that workers can read, such as s3://bucket/folder"
        )


def share_reading(
    work: Callable[[DataPlace, Work], Done],
    path: Path,
    pieces: Iterable[Work],
    count: int,
    *,
    workers: int = 1,
    crew: Crew | None = None,
    here: Callable[[Work], Done] | None = None,
) -> Iterator[Done]:
    """Yield the results of work on pieces of the data at a path, in the order of the pieces.

    Without a crew the work is begun here; processes are started once it shows that they save time.

    Args:
        work: a pure function at the top level of a module; it is given the place of the data and a piece.
        path: of the data.
        pieces: what to work on, such as numbers of rows.
        count: how many pieces there are, at least about.
        workers: how many processes; the result does not depend on it.
        crew: those who work, if not this machine.
        here: the same work in this process, if the data are open already.
    """
    place = DataPlace.of(path)
    yield from share_pieces(partial(work, place), pieces, count, workers=workers, crew=crew, here=here)


def share_pieces(
    work: Callable[[Work], Done],
    pieces: Iterable[Work],
    count: int,
    *,
    workers: int = 1,
    crew: Crew | None = None,
    here: Callable[[Work], Done] | None = None,
) -> Iterator[Done]:
    """Yield the results of work on pieces that hold all that it needs, as `share_reading` does."""
    if crew is not None:
        yield from share_in_order(crew, work, pieces)
        return
    own, rest = here or work, iter(pieces)
    if workers == 1:
        yield from map(own, rest)
        return
    yield from _begin(own, rest, count)
    first = next(rest, None)
    if first is not None:
        yield from share_here(work, chain((first,), rest), workers=min(workers, count))


def _begin(work: Callable[[Work], Done], pieces: Iterator[Work], count: int) -> Iterator[Done]:
    """Do work here until it shows that processes are worth their start, which costs what the first piece did."""
    start = time.process_time()
    yield from map(work, islice(pieces, 1))
    first = time.process_time()
    for done in range(1, count):
        passed = time.process_time() - first
        if done > 1 and passed >= TRIAL_SECONDS:
            left = passed / (done - 1) * (count - done)
            if left > WORTH_SECONDS + 2 * (first - start):
                return
        yield from map(work, islice(pieces, 1))


def _state_of(path: Path) -> str:
    """A digest that is another whenever the data at a path were written anew; empty where there are none."""
    if path.is_file():
        return _digest([_stat(path, path.name)])
    if (path / MANIFEST).is_file():
        names = _files_in(path / MANIFEST)
        return _digest([_manifest_of(path), *(_stat(path / name, name) for name in names)])
    files = sorted(one for one in path.rglob("*") if one.is_file() and UNFINISHED not in one.parts)
    return _digest([_stat(one, one.relative_to(path).as_posix()) for one in files]) if files else ""


def _stat(path: Path, name: str) -> list[object]:
    try:
        found = path.stat()
    except OSError:
        return [name]
    return [name, found.st_size, found.st_mtime_ns]


def _manifest_of(path: Path) -> str:
    try:
        return sha256((path / MANIFEST).read_bytes()).hexdigest()
    except OSError:
        return ""


def _files_in(manifest: Path) -> list[str]:
    """The files of examples that a manifest lists, as far as it can be read."""
    try:
        listed = json.loads(manifest.read_bytes())["files"]
        return [entry["path"] for entry in listed if isinstance(entry["path"], str)]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return []


def _digest(told: object) -> str:
    return sha256(json.dumps(told).encode()).hexdigest()
