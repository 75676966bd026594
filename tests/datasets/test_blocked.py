"""The share of pushes and pulls that move nothing: met within sampling error, with every word needed all the same."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from deixis.errors import RecipeError
from deixis.worlds.grid._recipes import reascan as from_options
from deixis.worlds.grid.making._instructions import instructions_of
from deixis.worlds.grid.making._shards import OUTCOME_NAMES, make_shard
from deixis.worlds.grid.making.recipe import Pool, Recipe


COMMANDS = {"p1": 200, "p2": 200, "p3": 120}
MOVES = ("P", "Q")


@cache
def shard(mode, blocked, *, name="p2", **changes):
    """Some hundred worlds, and how the tries for them ended."""
    pool = Pool(name=name, pattern=name, commands=COMMANDS[name], worlds=2)
    recipe = replace(Recipe(mode=mode, seed=11, pools=(pool,), hold_out=(), blocked=blocked), **changes)
    return make_shard(recipe, pool, list(islice(instructions_of(recipe, pool), pool.commands)), 0)


def stuck(table):
    """bool [push or pull]: whether it moves nothing."""
    pairs = zip(table["verb"].to_pylist(), table["plan"].to_pylist(), strict=True)
    return np.array([not set(plan) & set(MOVES) for verb, plan in pairs if verb != "walk"])


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("share", [0.2, 0.5])
def test_the_share_is_met_and_every_word_is_needed(name, share):
    """Within four standard errors so many pushes and pulls move nothing; no word can be spared in any world."""
    table = shard("every-word", share, name=name).table
    found = stuck(table)

    assert len(found) > 100
    assert abs(found.mean() - share) < 4 * (share * (1 - share) / len(found)) ** 0.5
    assert all(all(needed) for needed in _words_needed(table))


def _words_needed(table):
    """Whether each part is needed, without the noun 'box', which 'inside of' has said already."""
    from deixis.expression.parts import parts
    from deixis.expression.plain import expression_from_json

    for text, needed in zip(table["expression"].to_pylist(), table["necessary"].to_pylist(), strict=True):
        said = [str(part.step) for part in parts(expression_from_json(text))]
        yield [is_needed for is_needed, step in zip(needed, said, strict=True) if "box" not in step or ":" in step]


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0.0), (1.0, 1.0), (None, 0.0)])
def test_the_ends_are_exact_and_by_default_everything_moves(share, expected):
    """None of them moves, or all do; without a share the mode every-word moves all."""
    assert stuck(shard("every-word", share).table).mean() == expected


@pytest.mark.parametrize("mode", ["compatible", "corrected"])
def test_other_modes_take_a_share_too(mode):
    """Whatever the mode, the share replaces what happens by chance."""
    found = stuck(shard(mode, 0.3).table)

    assert abs(found.mean() - 0.3) < 4 * (0.3 * 0.7 / len(found)) ** 0.5


def test_a_share_goes_with_even_starts():
    """Balanced directions and lengths leave the share as it is."""
    found = stuck(shard("every-word", 0.4, balance=("relations", "directions", "lengths")).table)

    assert abs(found.mean() - 0.4) < 4 * (0.4 * 0.6 / len(found)) ** 0.5


def test_tries_in_which_something_would_move_are_counted():
    """The manifest tells how often a world was given up because something would move."""
    outcomes = dict(zip(OUTCOME_NAMES, shard("every-word", 1.0).outcomes.sum(axis=0), strict=True))

    assert outcomes["something would move"] > 0
    assert outcomes["nothing would move"] == 0


def test_what_is_stuck_depends_on_the_world_alone():
    """Walks are the same whatever the share is, and a greater share holds the stuck worlds of a smaller one."""
    few, many = (shard("every-word", share).table for share in (0.2, 0.5))
    walks = [
        table.filter([verb == "walk" for verb in table["verb"].to_pylist()])["id"].to_pylist() for table in (few, many)
    ]
    at = {
        share: {(c, w) for c, w, verb, plan in _worlds(table) if verb != "walk" and not set(plan) & set(MOVES)}
        for share, table in ((0.2, few), (0.5, many))
    }

    assert walks[0] == walks[1]
    assert at[0.2] < at[0.5]


def _worlds(table):
    names = ("command_number", "world_number", "verb", "plan")
    return zip(*(table[name].to_pylist() for name in names), strict=True)


@pytest.mark.parametrize("share", [-0.1, 1.1, "half", True])
def test_a_share_that_is_none_is_refused(share):
    """It lies between 0 and 1."""
    with pytest.raises(RecipeError, match="the share of blocked pushes and pulls must be between 0 and 1"):
        from_options(mode="every-word", blocked=share)


def test_the_option_is_part_of_the_recipe():
    """`--blocked 0.2` is written into the recipe; without it nothing is."""
    assert from_options(mode="every-word", blocked=0.2).blocked == 0.2
    assert from_options(mode="every-word").blocked is None
