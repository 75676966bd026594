"""The folder of an export: which files it holds, and how a later export replaces them."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from deixis._study.bundle import demand_empty
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


LIST = "export.json"
FORMAT = "deixis studio export 1"
MOST_BYTES = 64 << 20  # of the list


def list_files(names: Iterable[str]) -> tuple[str, bytes]:
    """Return the name and content of the file that lists all files of an export, itself included."""
    found = {"format": FORMAT, "files": sorted({*names, LIST})}
    return LIST, (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode()


def demand_own(out: Path) -> None:
    """Refuse a folder that holds anything but the files of an earlier export.

    Raises:
        RecipeError: when it does, or is no folder.
    """
    if out.is_symlink() or not out.is_dir() or not any(out.iterdir()):
        demand_empty(out)
        return
    known = _read_list(out / LIST)
    if known is None:
        raise RecipeError(f"{out} was not made by deixis studio --export, so that --force does not replace it")
    held = (path.relative_to(out).as_posix() for path in sorted(out.rglob("*")) if path.is_symlink() or path.is_file())
    strange = next((name for name in held if name not in known), None)
    if strange is not None:
        raise RecipeError(f"{out} also holds {strange}, which no export wrote, so that --force does not replace it")


def _read_list(path: Path) -> frozenset[str] | None:
    """The files that an export lists; None where that is no such list."""
    try:
        if path.is_symlink() or path.stat().st_size > MOST_BYTES:
            return None
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    files = found.get("files") if isinstance(found, dict) and found.get("format") == FORMAT else None
    return frozenset(map(str, files)) if isinstance(files, list) else None


@contextmanager
def replacing_folder(out: Path) -> Iterator[Path]:
    """Give a folder to write into, which takes the place of another one when everything is written.

    What was there stays until then, and stays when the writing fails.
    """
    place = out.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        yield draft
        draft.chmod(0o755)
        if place.exists():
            shutil.rmtree(place)
        draft.rename(place)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
