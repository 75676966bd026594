"""A package with a reader of one's own to start from: things on a shelf, under another name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deixis._scaffold import copy_template, demand_word
from deixis.errors import RecipeError
from deixis.readers.registry import BUILT_IN
from deixis.worlds.registry import known_worlds


if TYPE_CHECKING:
    from pathlib import Path


ORIGINAL = "shelf"
_NAMED = re.compile(
    rf'(?<=deixis_){ORIGINAL}|(?<=deixis-){ORIGINAL}|(?<="){ORIGINAL}(?=")|{ORIGINAL}(?=\.csv)|^{ORIGINAL}(?= =)',
    re.MULTILINE,
)


def write_package(name: str, out: Path) -> list[Path]:
    """Write a package with a reader, and return its files.

    Args:
        name: of the reader, one word in small letters.
        out: the folder, which must be empty or not there yet.

    Raises:
        RecipeError: when the name or the folder will not do; nothing is written then.
    """
    demand_word(name, "reader")
    if name in BUILT_IN or name in known_worlds():
        what = "reader" if name in BUILT_IN else "world"
        raise RecipeError(f"there is a {what} {name!r} already; choose another name")
    return copy_template("deixis.readers", out, rename=lambda text: _NAMED.sub(name, text))
