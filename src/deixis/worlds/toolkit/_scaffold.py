"""A package with a world of one's own to start from: beads on a string, under another name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deixis._scaffold import copy_template, demand_word
from deixis.errors import RecipeError
from deixis.worlds.registry import BUILT_IN, find_world


if TYPE_CHECKING:
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
    demand_word(name, "world")
    if name in BUILT_IN:
        raise RecipeError(f"there is a world {name!r} already; choose another name")
    for world in map(find_world, BUILT_IN):
        if name in world.datasets:  # which the dataset of the new world would be called, too
            raise RecipeError(f"there is a dataset {name!r} of {world.name} already; choose another name")
    title = "".join(word.capitalize() for word in name.split("_"))
    return copy_template(
        "deixis.worlds.toolkit",
        out,
        rename=lambda text: _NAMED.sub(name, text).replace("BeadsRecipe", f"{title}Recipe"),
    )
