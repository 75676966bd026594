"""One process at a time in a folder."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from deixis.errors import RecipeError


if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO


PAUSE = 0.2  # seconds between two looks at a lock


def hold_lock(path: Path, out: Path) -> BinaryIO:
    """Return the lock file, held until it is closed or the process ends in any way."""
    lock = path.open("ab")
    try:
        if _is_taken(lock, path):
            return lock
    except OSError:
        pass
    lock.close()
    raise RecipeError(f"another process is making a dataset in {out}; wait for it or choose another folder")


def wait_for_lock(path: Path, tell: Callable[[], None]) -> BinaryIO:
    """Wait until nobody else holds the lock file, and hold it until it is closed or the process ends in any way.

    Args:
        path: the lock file; made where there is none.
        tell: called again and again meanwhile.

    Raises:
        OSError: when files cannot be locked there.
    """
    while True:
        lock = path.open("ab")
        try:
            if _is_taken(lock, path):
                return lock
        except BaseException:
            lock.close()
            raise
        lock.close()
        tell()
        time.sleep(PAUSE)


def _is_taken(lock: BinaryIO, path: Path) -> bool:
    """Take a lock unless somebody else holds it."""
    try:
        if sys.platform != "win32":  # which has no such locks: there, nothing keeps two processes apart
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # where it is another file, the last holder has just finished and left
        return os.fstat(lock.fileno()).st_ino == path.stat().st_ino
    except (BlockingIOError, FileNotFoundError):
        return False
