"""Who does the work when this machine does not: what making and checking ask of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar


if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["Crew", "Promise"]

Done_co = TypeVar("Done_co", covariant=True)
Done = TypeVar("Done")


class Promise(Protocol[Done_co]):
    """Work that was handed out."""

    def result(self) -> Done_co:
        """What came of it, as soon as it is there; an error of ours where it cannot be had."""

    def cancel(self) -> object:
        """Nobody needs it any more."""


class Crew(Protocol):
    """Those to whom work is handed out; `deixis.bridges.clusters` has one that is a Dask cluster.

    Work must be a pure function at the top level of a module, since it may be done twice, by whomever, if a worker is
    lost. What comes of it stays with the workers until it is asked for.
    """

    @property
    def size(self) -> int:
        """How many pieces of work can be done at a time."""

    def submit(self, work: Callable[..., Done], /, *arguments: object) -> Promise[Done]:
        """Hand out one piece."""
