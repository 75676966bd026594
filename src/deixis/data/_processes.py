"""Processes of this machine to which work is handed out, for work that threads would do one after another.

Processes are started anew, not forked, and without running the script of the user again: what they do lies in modules
of deixis. They end with the process that started them, also when that one is killed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from deixis.data._retries import WORK_TRIES
from deixis.errors import DeixisError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future


Done = TypeVar("Done")


@contextmanager
def process_crew(workers: int) -> Iterator[ProcessCrew]:
    """So many processes of this machine as a crew (see `deixis.data._crew`), ended afterwards."""
    crew = ProcessCrew(workers)
    try:
        yield crew
    finally:
        crew.close()


class ProcessCrew:
    """Processes of this machine to which work is handed out.

    Where one is killed, all are started anew, and what was not finished is done again.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._guard = threading.Lock()
        self._pool = _start(size)

    def submit(self, work: Callable[..., Done], /, *arguments: object) -> ProcessPromise[Done]:
        """Hand out one piece of work.

        Promises among the arguments are waited for, and replaced by their results.
        """
        given = tuple(one.result() if isinstance(one, ProcessPromise) else one for one in arguments)
        return ProcessPromise(self, work, given)

    def begin(self, work: Callable[..., Done], arguments: tuple[object, ...]) -> tuple[Any, Future[Done]]:
        """Return the processes that do some work now, and what they will return."""
        with self._guard:
            try:
                return self._pool, self._pool.submit(work, *arguments)
            except BrokenProcessPool:
                self._pool = _start(self.size)
                return self._pool, self._pool.submit(work, *arguments)

    def renew(self, broken: Any) -> None:
        """Start other processes in place of those that have ended, unless somebody has done so."""
        with self._guard:
            if self._pool is broken:
                left = list((broken._processes or {}).values())  # noqa: SLF001 (nothing else names them)
                broken.shutdown(wait=False)
                for process in left:  # one that was started just when the others ended would be waited for in vain
                    process.kill()
                self._pool = _start(self.size)

    def close(self) -> None:
        """Wait for the work in hand, and end the processes."""
        self._pool.shutdown(cancel_futures=True)


class ProcessPromise(Generic[Done]):
    """Work that processes of this machine were given."""

    def __init__(self, crew: ProcessCrew, work: Callable[..., Done], arguments: tuple[object, ...]) -> None:
        self.crew, self.work, self.arguments = crew, work, arguments
        self.pool, self.future = crew.begin(work, arguments)

    def result(self) -> Done:
        """Wait for the result and return it; the work is done again where its process was killed."""
        for left in reversed(range(WORK_TRIES)):
            try:
                return self.future.result()
            except BrokenProcessPool as error:
                self.crew.renew(self.pool)
                if not left:
                    raise DeixisError(
                        f"a process that did {self.work.__name__} was killed {WORK_TRIES} times, perhaps for lack of "
                        "memory; use fewer --workers: the same command goes on where it stopped"
                    ) from error
                self.pool, self.future = self.crew.begin(self.work, self.arguments)
        raise AssertionError("the last attempt returns or raises")  # pragma: no cover

    def cancel(self) -> None:
        """Nobody needs it any more."""
        self.future.cancel()


def _start(size: int) -> ProcessPoolExecutor:
    """Return processes that all start with the first piece of work.

    One by one, as work comes in, one might start just when another is killed, while the pool goes through its processes
    to end them.
    """
    pool = ProcessPoolExecutor(size, spawn_context(), initializer=prepare_worker)
    pool._safe_to_dynamically_spawn_children = False  # type: ignore[attr-defined]  # noqa: SLF001
    return pool


class _Process(SpawnProcess):
    """A process that does not run the script of the user again, and that Ctrl-C does not reach while it starts."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 (as multiprocessing calls it)
        with _hidden_script(), ignored_interrupts():
            return SpawnProcess._Popen(process_obj)  # noqa: SLF001 (what it does, hidden)


class _Context(SpawnContext):
    """Processes started anew, without the script of the user."""

    Process = _Process


def spawn_context() -> SpawnContext:
    """Return the way in which processes are started here."""
    return _Context()


_starting = threading.RLock()


@contextmanager
def _hidden_script() -> Iterator[None]:
    """Start processes as if there were no script: with it, they would run it again as far as it has no guard."""
    script = sys.modules["__main__"]
    with _starting:
        kept: dict[str, Any] = {
            name: script.__dict__[name] for name in ("__spec__", "__file__") if name in script.__dict__
        }
        try:
            script.__spec__ = None
            script.__dict__.pop("__file__", None)
            yield
        finally:
            script.__dict__.update(kept)


@contextmanager
def ignored_interrupts() -> Iterator[None]:
    """Let processes that are started meanwhile ignore Ctrl-C, which is for whoever started them."""
    if threading.current_thread() is not threading.main_thread():  # where signals cannot be set
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def prepare_worker() -> None:  # pragma: no cover (runs in another process)
    """Leave interrupts to the parent, end with it, and leave the other cores to the other processes."""
    follow_the_parent()
    import pyarrow as pa

    pa.set_cpu_count(1)


def follow_the_parent() -> None:  # pragma: no cover (runs in another process)
    """Leave interrupts to the parent, and end when it ends, also when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:  # pragma: no cover (runs in another process)
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
