"""Places of data and workers: paths and addresses, this machine and clusters."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from deixis._cli.progress import Stages
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis._cli.options import On
    from deixis.data._crew import Crew


PATIENCE_SECONDS = 60


def is_address(text: str) -> bool:
    """Return whether a word is an address such as s3://bucket/folder, without importing the reader of data."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text) is not None


def at_hand(place: Path | str) -> Path:
    """Return a path unchanged, and for an address a local folder with the same dataset, fetched if need be."""
    if isinstance(place, Path):
        return place
    _refuse_memory(place)
    from deixis.data.remote import local_copy

    with Stages() as progress:
        return local_copy(place, progress=progress)


def _refuse_memory(address: str) -> None:
    """What lies in memory:// is gone when the program ends."""
    if address.lower().startswith("memory:"):
        raise RecipeError(f"{address} lasts no longer than this command; name a folder, or storage such as s3://")


@contextmanager
def deliver_to(place: Path | str, *, digest: str | None = None) -> Iterator[Path]:
    """Yield the folder in which to make the data for a place, and upload it afterwards to an address."""
    if isinstance(place, Path):
        yield place
        return
    _refuse_memory(place)
    from deixis.data import remote

    with Stages() as progress, remote.deliver_to(place, digest=digest, progress=progress) as folder:
        yield folder


@contextmanager
def deliver_output(place: Path | str, *, force: bool = False) -> Iterator[Path]:
    """Yield the path at which to write a file or folder for a place, and upload it afterwards to an address."""
    if isinstance(place, Path):
        yield place
        return
    _refuse_memory(place)
    from deixis.data import remote

    with Stages() as progress, remote.deliver_output(place, force=force, progress=progress) as out:
        yield out


@contextmanager
def crew_for(on: On, address: str, *, workers: int | None, wait: int = PATIENCE_SECONDS) -> Iterator[Crew | None]:
    """Those who do the work: nobody but the threads here, or the workers of a Dask cluster.

    Args:
        on: `here`, or `dask`.
        address: of the scheduler; where it is empty, a cluster of processes is started on this machine.
        workers: how many processes that cluster has.
        wait: how many seconds to wait for a worker while there is none.
    """
    if on == "here":
        if address:
            raise RecipeError("--address is that of a Dask cluster; add --on dask")
        if wait != PATIENCE_SECONDS:
            raise RecipeError("--cluster-wait is how long to wait for a Dask cluster; add --on dask")
        yield None
        return
    from deixis.bridges.clusters import dask_crew

    with dask_crew(address or None, workers=workers, patience_seconds=wait) as crew:
        yield crew
