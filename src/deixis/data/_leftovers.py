"""What was written before an error: removed, so that nothing half-written looks like data."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from deixis.data._resumable import is_begun
from deixis.errors import DeixisError


if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole_or_nothing(out: Path) -> Iterator[None]:
    """Remove what was written to a path where an error ends the work, and folders that hold nothing else.

    What was there before stays. So does the beginning of a dataset that was interrupted, since it can be gone on with;
    one that was refused cannot.
    """
    before = frozenset(_walk(out))
    made = [folder for folder in out.parents if not folder.exists()]
    try:
        yield
    except BaseException as error:
        if isinstance(error, DeixisError) or not is_begun(out):
            _remove(sorted(path for path in _walk(out) if path not in before))
            _remove(sorted(made))
        raise


def _walk(out: Path) -> Iterator[Path]:
    """The path with all files and folders in it; links are not followed."""
    if out.is_symlink() or out.exists():
        yield out
    for folder, folders, files in os.walk(out):
        yield from (Path(folder, name) for name in (*folders, *files))


def _remove(paths: list[Path]) -> None:
    """Remove files, and folders that are empty, the innermost first."""
    for path in reversed(paths):
        with suppress(OSError):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
