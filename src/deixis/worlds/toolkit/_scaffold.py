"""A package with a world of one's own to start from: beads on a string, under another name."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from deixis.errors import RecipeError
from deixis.worlds.registry import BUILT_IN, find_world


if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path


ORIGINAL = "beads"
_NAMED = re.compile(
    rf'(?<=deixis_){ORIGINAL}|(?<=deixis-){ORIGINAL}|(?<="){ORIGINAL}(?=")|(?<=make ){ORIGINAL}|^{ORIGINAL}',
    re.MULTILINE,
)


def write_package(name: str, out: Path) -> list[Path]:
    """Write a package with a world, and return its files.

    Args:
        name: of the world, one word in small letters.
        out: the folder, which must be empty or not there yet.

    Raises:
        RecipeError: when the name or the folder will not do; nothing is written then.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise RecipeError(
            f"the name of a world is one word of small letters, digits and underscores, got {name[:40]!r}"
        )
    if name in BUILT_IN:
        raise RecipeError(f"there is a world {name!r} already; choose another name")
    for world in map(find_world, BUILT_IN):
        if name in world.datasets:  # which the dataset of the new world would be called, too
            raise RecipeError(f"there is a dataset {name!r} of {world.name} already; choose another name")
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise RecipeError(f"{out} is there already and not empty; choose another folder with --out")
        written = []
        for path, text in _template():
            place = out / _rename_world(path, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(_rename_world(text, name), encoding="utf-8", newline="\n")
            written.append(place)
    except OSError as error:
        raise RecipeError(f"cannot write to {out}: {error.strerror or error}") from error
    return written


def _rename_world(text: str, name: str) -> str:
    title = "".join(word.capitalize() for word in name.split("_"))
    return _NAMED.sub(name, text).replace("BeadsRecipe", f"{title}Recipe")


def _template() -> Iterator[tuple[str, str]]:
    """The files of the package, by their paths in it."""
    yield from _texts(files("deixis.worlds.toolkit") / "template", "")


def _texts(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        if one.is_dir():
            if one.name != "__pycache__":
                yield from _texts(one, f"{path}{one.name}/")
        elif not one.name.endswith(".pyc"):
            yield f"{path}{one.name}", one.read_text(encoding="utf-8")
