"""Recipes: what makes sense is made, what does not is refused in one line before anything is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deixis.errors import DeixisError, RecipeError, UnknownName
from deixis.worlds.grid.making.recipe import Pool, Recipe, gscan, read_recipe, reascan, recipe_from
from deixis.worlds.grid.splits.rules import REASCAN, REASCAN_ASIDE, Rule, find_rule
from tests.datasets.tiny import TESTS, tiny, whole


RECIPES = Path(__file__).parents[2] / "recipes"
POOL = {"name": "p3", "pattern": "p3", "commands": 1, "worlds": 1}
OWN = Rule(id="own/1-v1", name="own", phrase="small green circle", relations=("same row",), decisive="size")


@pytest.mark.parametrize(
    "recipe",
    [
        reascan(),
        reascan(mode="compatible", scale="paper", seed=7),
        reascan(patterns=("p1",)),
        reascan(patterns=("p3", "^ & ^"), hold_out=()),
        reascan(random_only=True),
        tiny(hold_out=(OWN,), any_facing=True, must_move=True, grid_size=8, fill=9, cap=40),
        whole("compatible"),
    ],
)
def test_a_recipe_survives_being_written_down(recipe):
    """Plain data, through JSON and back, gives an equal recipe with an equal digest."""
    again = recipe_from(json.loads(json.dumps(recipe.to_dict())))

    assert again == recipe
    assert again.digest == recipe.digest


def test_the_digest_tells_recipes_apart():
    """Any change of a recipe changes its digest."""
    start = tiny()
    others = [replace(start, **change) for change in ({"seed": 1}, {"cap": 15}, {"hold_out": ()}, {"must_move": True})]

    assert len({recipe.digest for recipe in (start, *others)}) == 5


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_recipes_that_come_along_can_be_read(path):
    """Every recipe of the repository makes sense."""
    assert read_recipe(path).pools


def test_a_recipe_starts_from_the_paper_and_changes_it(tmp_path):
    """A file that names no pools starts from the paper's recipe; its other keys change fields."""
    text = (
        'mode = "compatible"\nscale = "small"\nseed = 3\npatterns = ["p2", "p3"]\ndev = 0.2\nhold_out = ["a1", "c2"]\n'
    )
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")

    recipe = read_recipe(tmp_path / "own.toml")

    assert [pool.name for pool in (*recipe.pools, *recipe.tests)] == ["p2", "p3", "c2"]
    assert (recipe.mode, recipe.seed, recipe.dev, recipe.cap) == ("compatible", 3, 0.2, 24)
    assert [rule.id for rule in recipe.hold_out] == ["reascan/A1-v1", "reascan/C2-v1"]


def test_spelled_out_pools_hold_out_what_needs_no_test_pool():
    """A recipe with pools of its own holds out the paper's sets that are cut from pools."""
    recipe = recipe_from({"pools": [POOL]})

    assert [rule.name for rule in recipe.hold_out] == ["a1", "a2", "a3", "b2"]
    assert recipe_from({"pools": [POOL], "mode": "compatible"}).cap == 24


def test_rules_of_ones_own_get_an_id():
    """A rule that is spelled out without an id is marked as one's own."""
    recipe = recipe_from({"pools": [POOL], "hold_out": [{"name": "mine", "thing": "green box"}]})

    assert recipe.hold_out == (Rule(id="own/mine", name="mine", thing="green box"),)


def test_the_paper_has_its_sizes():
    """At the size of the paper there are 675, 2,025 and 3,375 commands with 180 worlds each, and seven hold-outs."""
    recipe = reascan(scale="paper")

    assert [(pool.commands, pool.worlds) for pool in recipe.pools] == [(675, 180), (2025, 180), (3375, 180)]
    assert recipe.hold_out == REASCAN
    assert [pool.name for pool in recipe.tests] == ["b1", "c1", "c2"]


@pytest.mark.parametrize("scale", ["small", "medium", "paper"])
def test_compatible_recipes_keep_out_what_the_authors_do(scale):
    """Only the compatible mode sets two more aside and leaves the sizes of B1's relation distractors free."""
    recipe = reascan(mode="compatible", scale=scale)

    assert recipe.hold_out == (*REASCAN, *REASCAN_ASIDE)
    assert {pool.name: pool.free_sizes for pool in recipe.tests} == {"b1": True, "c1": False, "c2": False}
    assert recipe_from(recipe.to_dict()) == recipe
    for mode in ("corrected", "every-word"):
        assert reascan(mode=mode, scale=scale).hold_out == REASCAN
        assert not any(pool.free_sizes for pool in reascan(mode=mode, scale=scale).tests)


def test_free_sizes_are_for_the_compatible_mode():
    """Other modes do not know sizes that are free; asking for them is an error."""
    with pytest.raises(RecipeError, match="free_sizes is for the compatible mode only: pool 'p3', mode 'corrected'"):
        recipe_from({"mode": "corrected", "pools": [{**POOL, "free_sizes": True}]})
    with pytest.raises(RecipeError, match="free_sizes of pool 'p3' is true or false"):
        recipe_from({"mode": "compatible", "pools": [{**POOL, "free_sizes": "no"}]})


def test_the_medium_size_has_large_test_sets():
    """Between small and paper there is a size of some 120,000 examples, of which a twentieth each is dev and test."""
    small, medium, paper = (reascan(scale=scale) for scale in ("small", "medium", "paper"))
    sizes = [sum(pool.commands * pool.worlds for pool in recipe.pools) for recipe in (small, medium, paper)]

    assert sizes == sorted(sizes)
    assert 100_000 < sizes[1] < 150_000
    assert (medium.dev, medium.test) == (0.05, 0.05)
    assert [pool.name for pool in medium.tests] == ["b1", "c1", "c2"]
    assert sum(pool.commands * pool.worlds for pool in gscan(scale="medium").pools) > 100_000
    with pytest.raises(RecipeError, match="unknown scale 'large'; known: small, medium, paper"):
        reascan(scale="large")


@pytest.mark.parametrize("random_only", [False, True])
def test_a_pattern_that_does_not_exist_is_named(random_only):
    """What is wrong with a pattern is said, not what its pool would be called."""
    with pytest.raises(RecipeError, match="impossible pattern 'p9'; use p1, p2"):
        reascan(patterns=("p1", "p9"), random_only=random_only)


def test_random_distractors_only():
    """The random-only recipe has pools named -rd, no other distractors and no test sets made on purpose."""
    recipe = reascan(random_only=True)

    assert [pool.name for pool in recipe.pools] == ["p1-rd", "p2-rd", "p3-rd"]
    assert {pool.distractors for pool in recipe.pools} == {("random",)}
    assert not recipe.tests
    assert not any(rule.is_generated for rule in recipe.hold_out)


def test_a_pattern_by_its_notation_gives_a_pool_with_a_name():
    """A pool of a pattern without a name is named after its marks."""
    (pool,) = reascan(patterns=("^ & ^",), hold_out=()).pools

    assert (pool.name, pool.pattern) == ("that-and-that", "^ & ^")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"commands": 0}, "commands of pool 'p3' must be a whole number from 1"),
        ({"commands": 10**9}, "commands of pool 'p3'"),
        ({"commands": 1.5}, "commands of pool 'p3'"),
        ({"commands": "5"}, "commands of pool 'p3'"),
        ({"commands": True}, "commands of pool 'p3'"),
        ({"worlds": 0}, "worlds of pool 'p3'"),
        ({"worlds": 10**6}, "worlds of pool 'p3'"),
        ({"retries": 0}, "retries of pool 'p3'"),
        ({"retries": 10**9}, "retries of pool 'p3'"),
        ({"pattern": "p9"}, "impossible pattern 'p9'"),
        ({"pattern": "& ^"}, "impossible pattern"),
        ({"pattern": ""}, "impossible pattern"),
        ({"distractors": ["evil"]}, "unknown distractors"),
        ({"distractors": "random"}, "distractors must be a list"),
        ({"name": "../p3"}, "cannot be called"),
        ({"name": ""}, "cannot be called"),
        ({"name": "P 3"}, "cannot be called"),
        ({"name": 3, "pattern": 3}, "does not make sense|impossible|cannot be called 3"),
        ({"wolrds": 2}, "unknown keys in the pool: wolrds"),
    ],
)
def test_absurd_pools_are_refused(changes, complaint):
    """A pool that cannot be made is refused in one line that names it."""
    with pytest.raises(RecipeError, match=complaint) as caught:
        recipe_from({"pools": [{**POOL, **changes}]})

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"mode": "quick"}, "unknown mode"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1 << 63}, "seed must be a whole number"),
        ({"seed": 1.0}, "seed must be a whole number"),
        ({"grid_size": 2}, "grid_size must be a whole number from 4 to 16"),
        ({"grid_size": 17}, "grid_size"),
        ({"cap": 36}, "cap must be a whole number from 1 to 35"),
        ({"cap": 12}, "random objects are added up to fill, 13, but cap allows 12; lower fill"),
        ({"cap": 2, "fill": 2}, "cap allows worlds of 2 objects, but commands of the pattern p3 .* mention 3"),
        ({"fill": 0}, "fill"),
        ({"dev": 0.6, "test": 0.4}, "leave something for training"),
        ({"dev": -0.1}, "share of dev"),
        ({"test": float("nan")}, "share of test"),
        ({"test": "0.1"}, "share of test"),
        ({"any_facing": 1}, "any_facing is true or false"),
        ({"name": "two\nlines"}, "a name of one line"),
        ({"name": ""}, "a name of one line"),
        ({"pools": []}, "at least one pool"),
        ({"pools": [POOL, POOL]}, "two pools have the same name"),
        ({"pools": "p3"}, "pools must be a list"),
        ({"pools": ["p3"]}, "a pool must be a table of keys, got 'p3'"),
        ({"pools": [{"name": "x"}]}, "a pool lacks pattern, commands, worlds"),
        ({"pools": [{**POOL, "commands": 10**5, "worlds": 10**4}]}, "at most 100,000,000 are made"),
        ({"scale": "small"}, "unknown keys in the recipe: scale"),
        ({"hold_out": "a1"}, "hold_out must be a list"),
        ({"hold_out": ["a1", "A1"]}, "two hold-outs have the same name"),
        ({"hold_out": [{"name": f"r{k}", "thing": "box"} for k in range(17)]}, "at most 16 hold-outs"),
        ({"hold_out": ["b1"]}, "needs a test pool"),
        ({"hold_out": ["c1"]}, "needs a test pool"),
        ({"hold_out": [{"name": "x", "phrse": "red box"}]}, "unknown keys in the hold-out: phrse"),
        ({"hold_out": [7]}, "a hold-out must be a table of keys, got 7"),
        ({"hold_out": [["a1"]]}, r"a hold-out must be a table of keys, got \['a1'\]"),
        ({"hold_out": [{"thing": "red box"}]}, "a hold-out lacks name"),
        ({"tests": [{**POOL, "name": "a1"}]}, "no test set can be made on purpose for reascan/A1-v1"),
        ({"tests": [{**POOL, "name": "zz"}]}, "has no hold-out rule"),
        ({"tests": [{**POOL, "name": "c1"}], "hold_out": ["c1"]}, "has the pattern 'p3', but reascan/C1-v1 'p4'"),
        ({"mode": "compatible", "pools": [{**POOL, "pattern": "^ & ^"}]}, "the released generator never made"),
        ({"mode": "compatible", "pools": [{**POOL, "pattern": "^ & & &"}]}, "the released generator never made"),
    ],
)
def test_absurd_recipes_are_refused(changes, complaint):
    """A recipe that cannot be made is refused in one line before anything is written."""
    with pytest.raises(RecipeError, match=complaint) as caught:
        recipe_from({"pools": [POOL], **changes})

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("table", [{"scale": "huge"}, {"patterns": "p3"}, {"patterns": [3]}, {"seed": None}])
def test_absurd_changes_of_the_paper_are_refused(table):
    """So is nonsense in a recipe that starts from the paper's."""
    with pytest.raises(DeixisError):
        recipe_from(table)


def test_an_unknown_hold_out_suggests_one():
    """A misspelt split is answered with the one that was probably meant."""
    with pytest.raises(UnknownName, match="did you mean 'reascan/A2-v1'"):
        recipe_from({"pools": [POOL], "hold_out": ["reascan/A22"]})


@pytest.mark.parametrize("content", [b"= nonsense", b"\xff\xfe", b"a = 1\na = 2", b'seed = "x'])
def test_a_file_that_is_no_toml_is_refused(tmp_path, content):
    """What cannot be parsed is told in an error that names the file."""
    (tmp_path / "bad.toml").write_bytes(content)

    with pytest.raises(RecipeError, match=r"cannot read the recipe bad\.toml"):
        read_recipe(tmp_path / "bad.toml")


def test_a_recipe_that_is_not_there_is_refused(tmp_path):
    """A missing file is told in one line."""
    with pytest.raises(RecipeError, match=r"cannot read the recipe none\.toml"):
        read_recipe(tmp_path / "none.toml")


def test_known_patterns_by_their_notation_are_compatible():
    """A released pattern may be written in either way in the compatible mode."""
    recipe = Recipe(mode="compatible", cap=24, pools=(Pool(name="two", pattern="^ &", commands=1, worlds=1),))

    assert recipe.pools[0].pattern == "^ &"


def test_test_pools_may_name_their_pattern_by_notation():
    """The pattern of a test pool is compared by what it means."""
    chain = replace(TESTS[2], pattern="^ ^")

    assert tiny(tests=(chain,), hold_out=(find_rule("c2"),)).tests == (chain,)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("pools", 0, "name"), float("nan")),
        (("pools", 0, "name"), 7),
        (("pools", 0, "commands"), 1.5),
        (("pools", 0, "worlds"), "2"),
        (("seed",), 1.0),
        (("name",), ["x"]),
        (("hold_out", 0, "id"), ["reascan/A1-v1"]),
        (("hold_out", 0, "about"), 3),
        (("hold_out", 0, "phrase"), {"a": 1}),
    ],
    ids=str,
)
def test_values_of_another_kind_are_refused(where, value):
    """A recipe comes from a file of somebody else: a fraction, a list or no number at all is told in a line."""
    table = Recipe(pools=(Pool(name="p1", pattern="p1", commands=2, worlds=2),)).to_dict()
    *above, last = where
    inner = table
    for key in above:
        inner = inner[key]
    inner[last] = value

    with pytest.raises(RecipeError):
        recipe_from(table)


def test_a_recipe_nested_without_end_is_refused(tmp_path):
    """Brackets within brackets do not exhaust the reader."""
    path = tmp_path / "deep.toml"
    path.write_text("pools = " + "[" * 5000, encoding="utf-8")

    with pytest.raises(RecipeError, match="cannot read the recipe"):
        read_recipe(path)
