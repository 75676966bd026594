"""Making datasets of tables: the same bytes every time, test sets that leak nothing, and what fits nothing."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from deixis._cli import main
from deixis.errors import RecipeError, SchemaError
from deixis.expression.parts import Part, parts, replacing
from deixis.resolution.reference import denotation, resolve
from deixis.worlds.registry import find_world
from deixis.worlds.tabletop._examples import EXAMPLES
from deixis.worlds.tabletop._making.draw import SIGHT, draw_example
from deixis.worlds.tabletop._making.recipe import FORMS, TabletopRecipe
from deixis.worlds.tabletop._making.splits import PAIRS, TESTS, subjects_of
from deixis.worlds.tabletop._recipes import RECIPES
from deixis.worlds.tabletop._render.ids import visible_shares
from tests.worlds.tabletop.conftest import RECIPE


USUAL = ("train", "dev", "test")


def tables_of(example):
    """The tables of an example."""
    return [scene.table for scene in example.scenes]


@pytest.mark.slow
def test_the_same_recipe_gives_the_same_bytes(tables, tmp_path):
    """With two workers as with one."""
    RECIPES.make(RECIPE, tmp_path / "again", workers=2)

    for file in sorted(tables.rglob("*.parquet")):
        assert file.read_bytes() == (tmp_path / "again" / file.relative_to(tables)).read_bytes()


def test_no_subject_of_a_test_set_is_seen_in_training(tables):
    """By the rules, read off the tables and the expressions: pairs, relations, depth, number and camera."""
    opened = EXAMPLES.open(tables)
    seen = Counter()
    for example in opened:
        expected = () if example.split in USUAL else (example.split,)
        assert subjects_of(example.expression, tables_of(example)) == expected
        seen[example.split] += 1
    assert set(seen) == {*USUAL, *TESTS}
    trained = [example for example in opened if example.split in USUAL]
    pairs = {(s.color, s.shape) for one in trained for table in tables_of(one) for s in table.solids}
    novel = {
        (s.color, s.shape)
        for number in opened.numbers("pairs")
        for table in tables_of(opened[number])
        for s in table.solids
        if s.shape != "sphere"
    }
    assert novel
    assert not pairs & novel
    assert not any(pair <= set(one.expression.relations()) for one in trained for pair in PAIRS)


def test_an_expression_that_fits_nothing_is_false_in_one_word(tables):
    """With the word said in its place, it fits the one solid that was meant before."""
    opened = EXAMPLES.open(tables)
    absent = [example for example in opened if example.target is None]

    assert 5 <= len(absent) <= 40
    for example in absent:
        assert not any(denotation(example.expression, scene) for scene in example.scenes)
        assert not example.is_there
        with pytest.raises(SchemaError, match="nothing on these tables"):
            _ = example.context
        false = example.facts["false"]
        said = find_world("tabletop").part("language").read(example.facts["said of"]).expression
        address = tuple(false["address"])
        (before,) = (one for one in parts(said) if one.address == address)
        (after,) = (one for one in parts(example.expression) if one.address == address)
        assert replacing(example.expression, Part(address, after.step), before.step) == said
        assert sum(len(denotation(said, scene)) for scene in example.scenes) == 1


def test_nothing_is_hidden_beyond_the_share(tables):
    """As the renderer sees it."""
    for example in list(EXAMPLES.open(tables))[::5]:
        for table in tables_of(example):
            assert min(visible_shares(table, *SIGHT)) >= 1 - RECIPE.hidden


@pytest.mark.parametrize("form", FORMS)
def test_plain_mode_says_what_is_true_of_one_solid(form):
    """And spares no word on purpose: alternatives are said, too."""
    recipe = TabletopRecipe(examples=4, mode="plain", form=form)
    for number in range(4):
        example = draw_example(recipe, number)
        assert resolve(example.expression, example.context).objects == {example.context.target}


def test_sets_of_images_hold_competitors_for_one_target():
    """The expression picks out one solid of all tables, and some other table tempts a careless reader."""
    recipe = TabletopRecipe(examples=12, images=3, most=6)
    for number in range(6):
        example = draw_example(recipe, number)
        assert len(example.scenes) == 3
        assert resolve(example.expression, example.context).objects == {example.context.target}


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "most"},
        {"form": "maybe"},
        {"relations": 4},
        {"least": 8, "most": 5},
        {"most": 16},
        {"images": 6, "most": 12},
        {"hidden": 1.0},
        {"absent": 2},
        {"tests": -1},
        {"tests": 5, "relations": 3},
        {"tests": 5, "most": 12},
    ],
)
def test_what_no_table_can_hold_is_refused(wrong):
    """In one line, before anything is made."""
    with pytest.raises(RecipeError) as caught:
        TabletopRecipe(**wrong)
    assert "\n" not in str(caught.value)


def test_every_part_of_every_example_is_needed(tables, capsys):
    """`deixis check` reads, parses and resolves each anew, and finds nothing."""
    assert main(["check", str(tables), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)

    assert said["errors"] == 0
    (report,) = said["reports"]
    assert not report["counts"].get("W201")
    assert not report["counts"].get("W202")
