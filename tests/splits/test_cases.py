"""Cases: several things at once that keep an example out of training, read plainly and as arrays."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from deixis.errors import RecipeError
from deixis.worlds.grid.actions import Manner, Verb
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.language import parse
from deixis.worlds.grid.making._instructions import instructions_of
from deixis.worlds.grid.making._shards import make_shard
from deixis.worlds.grid.making.recipe import gscan, recipe_from
from deixis.worlds.grid.splits.cases import COMPASS, Case
from deixis.worlds.grid.splits.rules import GSCAN, GSCAN_LENGTHS, GSCAN_SPATIAL, Rule


RULES = GSCAN + GSCAN_LENGTHS + GSCAN_SPATIAL
CASES = tuple(dict.fromkeys(case for rule in RULES for case in rule.cases)) + tuple(
    Case(direction=direction) for direction in COMPASS
)


@cache
def shard(splits):
    """A few hundred examples, with what their rules make of them."""
    recipe = gscan(splits=splits, seed=2)
    pool = replace(recipe.pools[2], worlds=8)
    return recipe, make_shard(recipe, pool, list(islice(instructions_of(recipe, pool), 40)), 0).table


def facts(example):
    return {"verb": str(example.verb), "manner": str(example.manner), "actions": len(example.plan)}


@pytest.mark.parametrize("splits", ["compositional", "lengths", "spatial"])
def test_the_arrays_and_the_plain_definition_agree(splits):
    """Every rule holds out the same examples, whether they are asked one by one or as arrays."""
    recipe, table = shard(splits)
    whole = table.append_column("split", [["train"] * table.num_rows])
    held = table["held"].to_numpy()

    for example, bits in zip(examples_of(whole), held.tolist(), strict=True):
        for bit, rule in enumerate(recipe.hold_out):
            assert rule.holds(example.expression, example.scene, **facts(example)) == bool(bits >> bit & 1)
    assert 0 < np.count_nonzero(held) < len(held)


@pytest.mark.parametrize(
    ("case", "words", "verb", "manner", "actions", "holds"),
    [
        (Case(direction="sw"), "the circle", "walk", "", 2, True),
        (Case(direction="se"), "the circle", "walk", "", 2, False),
        (Case(said="small", target="circle", size=2), "the small circle", "walk", "", 2, True),
        (Case(said="small", target="circle", size=2), "the big circle", "walk", "", 2, False),
        (Case(said="small", target="circle", size=2), "the circle", "walk", "", 2, False),
        (Case(said="small", target="circle", size=3), "the small circle", "walk", "", 2, False),
        (Case(verb="push", target="circle", size=2), "the circle", "push", "", 2, True),
        (Case(verb="push", target="circle", size=2), "the circle", "pull", "", 2, False),
        (Case(verb="push", target="square"), "the circle", "push", "", 2, False),
        (Case(manner="cautiously"), "the circle", "walk", "cautiously", 2, True),
        (Case(manner="cautiously"), "the circle", "walk", "hesitantly", 2, False),
        (Case(longer_than=15), "the circle", "walk", "", 16, True),
        (Case(longer_than=15), "the circle", "walk", "", 15, False),
        (Case(target="red circle", reference="blue square"), "the circle south west of a square", "walk", "", 2, True),
        (Case(target="red circle", reference="blue circle"), "the circle south west of a square", "walk", "", 2, False),
        (Case(target="red circle", reference="blue square"), "the circle", "walk", "", 2, False),
    ],
)
def test_a_case_holds_where_all_of_it_does(case, words, verb, manner, actions, holds):
    """Words, look, place, verb, manner and length all have to be right."""
    scene = grid("""
        .     .     >
        .     1:b□3 .
        0:r○2 .     .
    """)

    assert case.holds(parse(words), scene, verb=verb, manner=manner, actions=actions) is holds


def test_a_target_under_the_agent_lies_in_no_direction():
    """Nor does one of a world without an agent."""
    nobody = grid("0:r○2 .\n. .")

    assert not any(Case(direction=name).holds(parse("the circle"), nobody, **act()) for name in COMPASS)


def act():
    return {"verb": str(Verb.WALK), "manner": str(Manner.NONE), "actions": 0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "has no condition"),
        ({"verb": "kick"}, "unknown verb 'kick' in a case; known: walk, push, pull"),
        ({"manner": "slowly"}, "unknown manner 'slowly'"),
        ({"said": "large"}, "unknown said 'large' in a case; known: big, small"),
        ({"direction": "south"}, "unknown direction 'south'"),
        ({"size": 5}, "size of a case is a whole number up to 4, got 5"),
        ({"size": True}, "size of a case is a whole number"),
        ({"longer_than": -1}, "longer_than of a case is a whole number"),
        ({"target": 3}, "target of a case is a text, got 3"),
        ({"target": "small square"}, "names a thing by shape and color alone, got 'small square'"),
    ],
)
def test_a_case_that_makes_no_sense_is_refused(change, message):
    """A case comes from a file, so everything in it is looked at."""
    with pytest.raises(RecipeError, match=message):
        Case(**change)


def test_a_recipe_can_have_cases_of_its_own():
    """A hold-out of several things at once is written as a table in a recipe."""
    table = {
        "mode": "gscan",
        "pools": [{"name": "p", "pattern": "p1", "commands": 1, "worlds": 1}],
        "hold_out": [{"name": "pulled-circles", "cases": [{"verb": "pull", "target": "circle"}], "shots": 2}],
    }

    (rule,) = recipe_from(table).hold_out

    assert rule.cases == (Case(verb="pull", target="circle"),)
    assert rule.shots == 2
    with pytest.raises(RecipeError, match="unknown keys in the case of a hold-out: noun"):
        recipe_from({**table, "hold_out": [{"name": "x", "cases": [{"noun": "circle"}]}]})


def test_shots_need_a_test_set_to_come_from():
    """A rule that tests nothing has no examples to give away."""
    with pytest.raises(RecipeError, match="it has no test set that they come from"):
        Rule(id="own/x", name="x", phrase="red circle", tested=False, shots=1)
    with pytest.raises(RecipeError, match="shots of the hold-out 'x' is a whole number up to 1000, got 2000"):
        Rule(id="own/x", name="x", phrase="red circle", shots=2000)
    with pytest.raises(RecipeError, match="the cases of the hold-out 'x' are a list of tables"):
        Rule(id="own/x", name="x", cases=[Case(verb="push")])
