"""Fresh test sets: the recipe of a dataset with another seed, so that nothing in it can have been memorised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deixis.datasets.copsref.make import CopsRefRecipe, make_copsref
from deixis.datasets.make import make
from deixis.datasets.recipe import every_word_mixture, recipe_from
from deixis.datasets.sources import open_source
from deixis.errors import BrokenDataset, DeixisError
from deixis.prompts.recipe import digest_of


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from deixis.datasets.copsref.store import CopsRef
    from deixis.datasets.recipe import Pool, Recipe
    from deixis.datasets.sources import Source


__all__ = ["fresh_grid", "fresh_grid_recipe", "fresh_photographs"]

MOST_COMMANDS, MOST_WORLDS = 200, 3  # of a pool: enough to ask about
DEV = TEST = 0.1


def fresh_grid_recipe(seed: int, *, like: Source | None = None) -> Recipe:
    """How to make fresh commands.

    Args:
        seed: everything random follows from it.
        like: a dataset whose recipe is used, with smaller pools; by default a mixture of the paper's patterns, with its
            held-out sets, in which no word can be spared.
    """
    if like is None:
        return every_word_mixture("fresh", seed=seed)
    known = like.dataset.manifest.get("recipe") if like.dataset is not None else None
    if known is None:
        raise BrokenDataset(f"{like.path} does not say how it was made, so there is no recipe for a fresh test set")
    try:
        recipe = recipe_from(known)
    except (DeixisError, TypeError, ValueError) as error:
        raise BrokenDataset(f"the recipe of {like.path} cannot be read: {error}") from error
    pools, tests = (tuple(map(_smaller, some)) for some in (recipe.pools, recipe.tests))
    return replace(recipe, seed=seed, pools=pools, tests=tests, dev=DEV, test=TEST)


def _smaller(pool: Pool) -> Pool:
    return replace(pool, commands=min(pool.commands, MOST_COMMANDS), worlds=min(pool.worlds, MOST_WORLDS))


def fresh_grid(
    seed: int, folder: Path, *, like: Source | None = None, workers: int, progress: Callable[..., None] | None
) -> tuple[Source, str]:
    """Fresh commands in a folder, and the digest of their recipe; making them proves that no split leaks."""
    recipe = fresh_grid_recipe(seed, like=like)
    make(recipe, folder, workers=workers, progress=progress)
    return open_source(folder), recipe.digest


def fresh_photographs(
    seed: int, folder: Path, *, like: CopsRef | None = None, workers: int, progress: Callable[..., None] | None
) -> tuple[CopsRef, str]:
    """Fresh expressions about freshly imagined images in a folder, and the digest of their recipe."""
    each = 2
    if like is not None:
        made: Any = like.dataset.manifest.get("made with")
        said: Any = made.get("recipe") if isinstance(made, dict) else None
        known = said.get("each") if isinstance(said, dict) else None
        each = known if type(known) is int and known in range(1, 9) else each
    recipe = CopsRefRecipe(seed=seed, images=120, val=0, test=0.75, each=each)
    return make_copsref(recipe, folder, workers=workers, progress=progress), digest_of(recipe.to_dict())
