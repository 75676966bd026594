"""One process at a time in a folder."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from deixis.errors import RecipeError


if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO


__all__ = ["hold_lock"]


def hold_lock(path: Path, out: Path) -> BinaryIO:
    """The lock file, held until it is closed or the process ends in whatever way."""
    lock = path.open("ab")
    try:
        if sys.platform != "win32":  # which has no such locks: there, nothing keeps two processes apart
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock.fileno()).st_ino == path.stat().st_ino:  # else its last holder has just finished and left
            return lock
    except OSError:
        pass
    lock.close()
    raise RecipeError(f"another process is making a dataset in {out}; wait for it or choose another folder")
