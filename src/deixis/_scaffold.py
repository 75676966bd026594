"""Packages to start from: a template that is copied under another name."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path


def demand_word(name: str, what: str) -> None:
    """Refuse a name that is not one word of small letters, digits and underscores.

    Args:
        name: the name.
        what: what is called so, for the complaint.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise RecipeError(
            f"the name of a {what} is one word of small letters, digits and underscores, got {name[:40]!r}"
        )


def copy_template(package: str, out: Path, *, rename: Callable[[str], str]) -> list[Path]:
    """Write the files of a template, and return their paths.

    Args:
        package: holds the folder `template`.
        out: the folder, which must be empty or not there yet.
        rename: puts the new name into paths and texts.

    Raises:
        RecipeError: when the folder will not do; nothing is written then.
    """
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise RecipeError(f"{out} is there already and not empty; choose another folder with --out")
        written = []
        for path, text in _texts(files(package) / "template", ""):
            place = out / rename(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(rename(text), encoding="utf-8", newline="\n")
            written.append(place)
    except OSError as error:
        raise RecipeError(f"cannot write to {out}: {error.strerror or error}") from error
    return written


def _texts(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.is_dir():
            if one.name != "__pycache__":
                yield from _texts(one, f"{path}{one.name}/")
        elif not one.name.endswith(".pyc"):
            yield f"{path}{one.name}", one.read_text(encoding="utf-8")
