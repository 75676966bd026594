"""Whoever works on kept shards: threads here, processes of this machine, or those of a crew who see the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import pyarrow as pa


if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from pathlib import Path

    from deixis.data._crew import Crew, Promise
    from deixis.data._resumable import SharedFolder


Done_co = TypeVar("Done_co", covariant=True)
Done = TypeVar("Done")


class Hands(Protocol):
    """Whoever does work that is given the folder of the dataset first."""

    @property
    def size(self) -> int:
        """Number of pieces of work that can be done at a time."""

    def submit(self, work: Callable[..., Done], /, *arguments: object) -> Promise[Done]:
        """Hand out one piece of work."""


class ThreadHands:
    """Threads of this process."""

    def __init__(self, threads: Executor, size: int, out: Path) -> None:
        self.threads, self.size, self.out = threads, size, out

    def submit(self, work: Callable[..., Done], /, *arguments: object) -> Promise[Done]:
        """Hand out one piece of work."""
        return self.threads.submit(work, self.out, *arguments)


class CrewHands:
    """Those of a crew who see the folder; what others were given is done here."""

    def __init__(self, crew: Crew, shared: SharedFolder, out: Path) -> None:
        self.crew, self.shared, self.out = crew, shared, out

    @property
    def size(self) -> int:
        """Number of pieces of work that can be done at a time."""
        return self.crew.size

    def submit(self, work: Callable[..., Done], /, *arguments: object) -> Promise[Done]:
        """Hand out one piece of work."""
        promise = self.crew.submit(_work_where_seen, self.shared, pa.__version__, work, *arguments)
        return _PromiseOfCrew(promise, self.out, work, arguments)


class _PromiseOfCrew(Generic[Done_co]):
    """Work that a crew was given, and that is done here where the folder was not seen."""

    def __init__(
        self,
        promise: Promise[tuple[Done_co] | None],
        out: Path,
        work: Callable[..., Done_co],
        arguments: tuple[object, ...],
    ) -> None:
        self.promise, self.out, self.work, self.arguments = promise, out, work, arguments

    def result(self) -> Done_co:
        """Return the result."""
        found = self.promise.result()
        return self.work(self.out, *self.arguments) if found is None else found[0]

    def cancel(self) -> None:
        """Nobody needs it any more."""
        self.promise.cancel()


def _work_where_seen(
    shared: SharedFolder, version: str, work: Callable[..., Any], *arguments: object
) -> tuple[Any] | None:
    """Do some work on a worker, or nothing where it does not see the folder or would write other bytes."""
    out = shared.find()
    if out is None or pa.__version__ != version:
        return None
    try:
        return (work(out, *arguments),)
    except FileNotFoundError:  # a network file system shows some files late
        return None
