"""Work in threads, in processes that end with this one, or on a cluster, with progress.

What goes to a cluster and comes back are Arrow streams, which hold data and nothing that could run.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol, TypeVar

from deixis.data._processes import ProcessCrew, process_crew
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    import pyarrow as pa


Done_co = TypeVar("Done_co", covariant=True)
Done = TypeVar("Done")
Work = TypeVar("Work")


class Promise(Protocol[Done_co]):
    """Work that was handed out."""

    def result(self) -> Done_co:
        """Wait for the result and return it, or raise a `DeixisError` if there is none."""

    def cancel(self) -> object:
        """Nobody needs it any more."""


class Crew(Protocol):
    """Workers to whom work is handed out, such as the Dask cluster of `deixis.bridges.clusters`.

    Work must be a pure function at the top level of a module, since it may be done twice, by whomever, if a worker is
    lost. What comes of it stays with the workers until it is asked for.
    """

    @property
    def size(self) -> int:
        """Number of pieces of work that can be done at a time."""

    def submit(self, work: Callable[..., Done], /, *arguments: object) -> Promise[Done]:
        """Hand out one piece of work.

        Promises among the arguments are replaced by their results.
        """


class Progress(Protocol):
    """Told how far each stage has come."""

    def __call__(self, stage: str, done: int, total: int | None, /) -> None:
        """`done` of `total` examples of a stage are ready; a total of None is one that nobody knows."""


def tell_nobody(stage: str, done: int, total: int | None, /) -> None:
    """A `Progress` for those who do not want to know."""


def count_workers(workers: int | None) -> int:
    """Return the number of workers, by default one per core, or raise `RecipeError` for fewer than one."""
    count = (os.cpu_count() or 1) if workers is None else workers
    if count < 1:
        raise RecipeError(f"at least 1 worker is needed, got {count}")
    return count


def in_order(pool: Executor | Crew, work: Callable[..., Done], items: Iterable[Work], *, ahead: int) -> Iterator[Done]:
    """The results of some work in the order of the items, with so many of them under way."""
    rest = iter(items)
    waiting: deque[Future[Done] | Promise[Done]] = deque(pool.submit(work, item) for item in islice(rest, ahead))
    while waiting:
        result = waiting.popleft().result()
        waiting.extend(pool.submit(work, item) for item in islice(rest, 1))
        yield result


def in_order_by_threads(work: Callable[[Work], Done], items: Iterable[Work], workers: int) -> Iterator[Done]:
    """Yield the results in order from threads of its own, or from this thread for a single worker."""
    if workers == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from in_order(pool, work, items, ahead=2 * workers + 1)


def share_work(
    work: Callable[[Path, Work], Done],
    items: Sequence[Work],
    *,
    save: Callable[[Path], object] = lambda _: None,
    workers: int = 1,
    crew: Crew | None = None,
) -> Iterator[Done]:
    """Yield the results of work on each item, in the order of the items: done here, by processes, or by a crew.

    Args:
        work: a pure function at the top level of a module; it is given a folder and an item.
        items: what to work on.
        save: writes to a new folder what the work on all items needs; whoever works finds a copy of it in theirs.
        workers: how many processes; the result does not depend on it.
        crew: those who work, if not this machine; they need no common file system.
    """
    if not items:
        return
    with TemporaryDirectory(prefix="deixis-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        save(folder)
        if isinstance(crew, ProcessCrew):  # who see the folder
            yield from share_in_order(crew, partial(work, folder), items)
        elif crew is not None:
            files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
            common = crew.submit(_give, {name: path.read_bytes() for name, path in files.items()})
            there = partial(_work_there, work, folder.name)
            yield from share_in_order(crew, there, items, common)
        else:
            yield from share_here(partial(work, folder), items, workers=min(workers, len(items)))


def share_here(work: Callable[[Work], Done], items: Iterable[Work], *, workers: int) -> Iterator[Done]:
    """Yield the results of work on each item in their order, done here or by so many processes."""
    if workers <= 1:
        yield from map(work, items)
        return
    with process_crew(workers) as crew:
        yield from share_in_order(crew, work, items)


def share_in_order(crew: Crew, work: Callable[..., Done], items: Iterable[Work], *common: object) -> Iterator[Done]:
    """Yield the results of work on some common things and each item, in the order of the items.

    Twice as much is under way as the crew can do at a time.
    """
    rest = iter(items)
    waiting: deque[Promise[Done]] = deque()
    try:
        while True:
            room = 2 * crew.size - len(waiting) + 1
            waiting.extend(crew.submit(work, *common, item) for item in islice(rest, room))
            if not waiting:
                return
            yield waiting[0].result()
            waiting.popleft()
    finally:
        for promise in waiting:
            promise.cancel()


def _give(value: Done) -> Done:
    return value


_folders: dict[str, TemporaryDirectory[str]] = {}  # of a worker: what the work in hand needs
_unpacking = threading.Lock()


def _work_there(
    work: Callable[[Path, Work], Done], name: str, files: dict[str, bytes], item: Work
) -> Done:  # pragma: no cover (runs in another process)
    """Do some work on a worker, which keeps the files for the next piece; those of other work are forgotten."""
    with _unpacking:
        if name not in _folders:
            _folders.clear()
            place = TemporaryDirectory(prefix="deixis-")
            for path, data in files.items():
                file = Path(place.name) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            _folders[name] = place
        folder = Path(_folders[name].name)
    return work(folder, item)


def pack_table(table: pa.Table) -> bytes:
    """Return a table as a compressed Arrow stream, of a slice only its rows."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def unpack_table(data: bytes) -> pa.Table:
    """Return the table in an Arrow stream, or raise `BrokenDataset` if there is none."""
    import pyarrow as pa

    try:
        return pa.ipc.open_stream(data).read_all()
    except (pa.ArrowException, OSError, EOFError) as error:
        raise BrokenDataset(f"what a worker sent is no table: {(str(error).splitlines() or [''])[0][:200]}") from error
