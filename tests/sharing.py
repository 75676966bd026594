"""Folders that are made once for all processes of a run."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest


def share_folder(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder of this name, which `make` is asked to fill in the first process that needs it.

    `make` is handed a path at which there is nothing yet. Tests read what they share and do not change it.
    """
    own = factory.getbasetemp()
    place = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = place / "shared" / name
    folder.parent.mkdir(exist_ok=True)
    finished = folder.with_name(f"{name}.finished")
    with one_at_a_time(folder.with_name(f"{name}.lock")):
        if not finished.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process that failed over it
            make(folder)
            finished.touch()
    return folder


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Wait until no other process is inside."""
    with path.open("w") as lock:
        try:
            import fcntl
        except ModuleNotFoundError:  # a system without such locks, where tests run in one process
            yield
            return
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
