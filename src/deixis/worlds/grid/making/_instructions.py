"""The commands of a pool, in the order in which worlds are made for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.expression.patterns import pattern
from deixis.seeds import Stream, derive
from deixis.worlds.grid.commands import choose_balanced, choose_spatial, choose_uniform


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.language.utterance import Instruction
    from deixis.worlds.grid.making.pool import Pool
    from deixis.worlds.grid.making.recipe import Recipe


def instructions_of(recipe: Recipe, pool: Pool) -> Iterator[Instruction]:
    """Yield the commands of a pool that is not a test set made on purpose."""
    rng = stream_of(recipe, pool)
    if recipe.mode == "spatial":
        return filter(pool.takes, choose_spatial(rng=rng))
    is_even = "relations" in recipe.balance or recipe.mode in ("corrected", "every-word")
    choose = choose_balanced if is_even else choose_uniform
    return filter(pool.takes, choose(pattern(pool.pattern), rng=rng))


def stream_of(recipe: Recipe, pool: Pool) -> Stream:
    """Return where the chance of choosing the commands of a pool comes from."""
    return Stream(derive(recipe.seed, pool.name, "commands"))
