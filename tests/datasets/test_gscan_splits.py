"""gSCAN as a whole: every set holds what its rule holds out, train holds none of it, and sizes are as published."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from deixis.errors import LeakySplit, RecipeError
from deixis.worlds.grid._recipes import gscan as from_options
from deixis.worlds.grid.checks._run import check_dataset
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, gscan, recipe_from
from deixis.worlds.grid.scene import BESIDE
from deixis.worlds.grid.splits.partition import LeakageProof
from deixis.worlds.grid.splits.rules import GSCAN, GSCAN_LENGTHS, GSCAN_SPATIAL, find_rule
from tests.datasets.tiny import examples_in


KINDS = ("compositional", "lengths", "spatial")
SIZES = {"noun": (15, 16), "color": (24, 8), "size": (15, 16), "size-color": (24, 8)}
# In the release, without what two rules hold out; B to H, and what is divided into train, dev and test.
PUBLISHED = {
    "yellow-squares": 18_718,
    "red-squares": 37_436,
    "south-west": 88_642,
    "small-circles": 16_808,
    "pushed-squares": 11_460,
    "cautiously": 112_881,
    "pull-while-spinning": 38_582,
}
ALL = 835_200


every_release = pytest.mark.parametrize(
    ("splits", "rules"), [("compositional", GSCAN), ("lengths", GSCAN_LENGTHS), ("spatial", GSCAN_SPATIAL)]
)


def small(splits):
    """A recipe of some hundred examples of every release."""
    recipe = gscan(splits=splits, seed=7)
    pools = tuple(_smaller(pool, splits) for pool in recipe.pools)
    return replace(recipe, pools=pools, dev=0.1, test=0.1)


def _smaller(pool: Pool, splits) -> Pool:
    commands, worlds = SIZES[pool.name] if splits != "spatial" else (120, 3)
    return replace(pool, commands=min(commands, pool.commands), worlds=worlds)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small dataset of every release."""
    folder = tmp_path_factory.mktemp("gscan")
    return {splits: make(small(splits), folder / splits, workers=1) for splits in KINDS}


def is_held(rule, example):
    """Whether a rule holds an example out, by its plain definition."""
    verb, manner = str(example.verb), str(example.manner)
    return rule.holds(example.expression, example.scene, verb=verb, manner=manner, actions=len(example.plan))


def reasons(example, rules):
    """The names of the rules that hold an example out."""
    return [rule.name for rule in rules if is_held(rule, example)]


@every_release
def test_every_set_holds_what_its_rule_alone_holds_out(made, splits, rules):
    """A test set holds examples of its own rule alone; what several hold out is set aside, and in no set."""
    dataset = made[splits]

    for rule in rules:
        examples = examples_in(dataset, rule.name)
        assert examples
        assert all(reasons(example, rules) == [rule.name] for example in examples)
    aside = examples_in(dataset, "aside") if dataset.splits.get("aside") else []
    assert all(len(reasons(example, rules)) > 1 for example in aside)
    assert bool(aside) == (splits != "lengths")


@every_release
def test_training_holds_nothing_that_is_held_out_but_the_shots(made, splits, rules):
    """Train has as many examples with 'cautiously' as it is said to, dev and test have none."""
    dataset = made[splits]
    found = {name: Counter(r for e in examples_in(dataset, name) for r in reasons(e, rules)) for name in dataset.splits}

    assert found["train"] == ({"cautiously": 1} if splits == "compositional" else {})
    assert not found["dev"]
    assert not found["test"]


def test_the_number_of_shots_is_chosen(tmp_path):
    """Five examples with 'cautiously' go to train, and the proof counts them."""
    recipe = small("compositional")
    shots = gscan(shots=5).hold_out

    dataset = make(replace(recipe, hold_out=shots), tmp_path / "five", workers=1)

    assert sum(example.manner == "cautiously" for example in examples_in(dataset, "train")) == 5
    shown = dataset.manifest["leakage proof"]["shown"]
    assert "no example of dev or test, and 5 examples of train, is held out by gscan/cautiously-v1" in shown
    assert not check_dataset(dataset).findings


def test_more_shots_than_there_are_examples_are_refused(tmp_path):
    """A set that its own shots would empty is no test set."""
    recipe = replace(small("compositional"), hold_out=gscan(shots=900).hold_out)

    with pytest.raises(RecipeError, match="lets 900 examples into train, but its test set has"):
        make(recipe, tmp_path / "many", workers=1)


@pytest.mark.parametrize("splits", KINDS)
def test_what_is_made_has_no_findings(made, splits):
    """Every command means its target alone, every plan is right, and no hold-out is broken."""
    report = check_dataset(made[splits])

    assert not report.findings
    assert report.rows == sum(entry["rows"] for entry in made[splits].manifest["files"])


def test_long_plans_are_on_boards_of_twelve_cells_without_adverbs(made):
    """Train has plans of 15 actions at most, the test set longer ones up to 47."""
    dataset = made["lengths"]
    train, long = examples_in(dataset, "train"), examples_in(dataset, "long-plans")

    assert {example.scene.size for example in (*train, *long)} == {12}
    assert not any(example.manner for example in (*train, *long))
    assert max(len(example.plan) for example in train) <= 15
    assert min(len(example.plan) for example in long) >= 16
    assert max(len(example.plan) for example in long) <= 47


def test_spatial_commands_put_the_target_on_a_neighbouring_cell_of_the_reference(made):
    """The relation holds of target and reference as a matter of cells, and no other relation is trained on."""
    dataset = made["spatial"]
    train = examples_in(dataset, "train")
    seen = Counter(relation for example in train for relation in example.expression.relations())

    assert set(seen) == {"next to", *BESIDE} - {"north of", "south west of"}
    for example in train:
        target, reference = example.scene.objects[:2]
        away = (target.row - reference.row, target.column - reference.column)
        (relation,) = example.expression.relations()
        assert away == BESIDE.get(relation, away)
        assert max(map(abs, away)) == 1


def test_the_paper_size_has_as_many_examples_as_were_published():
    """Before anything is set aside, as many examples are made as the authors' lists of situations have."""
    sizes = {
        splits: sum(pool.commands * pool.worlds for pool in gscan(splits=splits, scale="paper").pools)
        for splits in KINDS
    }

    assert sizes["compositional"] == ALL
    assert sizes["lengths"] == 426_240
    assert 560_000 < sizes["spatial"] < 583_200


def test_shares_are_those_of_the_release(made):
    """Every hold-out has its published share of all examples, within five standard errors of a larger set."""
    from deixis.worlds.grid.making._instructions import instructions_of
    from deixis.worlds.grid.making._shards import make_shard

    recipe = gscan(scale="small", seed=3)
    kept = np.concatenate(
        [make_shard(recipe, pool, list(instructions_of(recipe, pool)), 0).table["kept"] for pool in recipe.pools]
    )

    assert len(kept) == 10_800
    for bit, rule in enumerate(recipe.hold_out):
        share = PUBLISHED[rule.name] / ALL
        found = float(np.mean(kept == 1 << bit))
        assert abs(found - share) < 5 * (share * (1 - share) / len(kept)) ** 0.5, rule.name


def test_a_held_out_case_in_training_is_a_leak(made):
    """The proof finds a case by the world and the plan, whatever the words say."""
    dataset = made["compositional"]
    from deixis.worlds.grid.making import _proving as proving

    (table,) = map(_as_shard, dataset.tables("south-west"))
    proof = LeakageProof(small("compositional").hold_out)

    with pytest.raises(LeakySplit, match=r"gscan/south-west-v1 is held out, but example \d+ of train is such a case"):
        proving.add_table(proof, ("train",), table, np.zeros(table.num_rows, int))


def test_a_proof_without_facts_refuses_cases(made):
    """A proof that is not told of worlds and plans says so instead of passing everything."""
    from tests.splits.test_leakage import clean, examples

    with pytest.raises(LeakySplit, match="nothing is known of the examples that gscan/south-west-v1 asks about"):
        LeakageProof((find_rule("south-west"),)).add("train", examples(clean()))


def _as_shard(table):
    for name in ("command", "expression"):
        place = table.column_names.index(name)
        table = table.set_column(place, name, table[name].combine_chunks().dictionary_encode())
    return table


@pytest.mark.parametrize("splits", KINDS)
def test_a_recipe_comes_back_from_its_manifest(splits):
    """Cases, shots and what pools say survive as plain data."""
    recipe = gscan(splits=splits, shots=3)

    assert recipe_from(recipe.to_dict()) == recipe


def test_shots_are_for_the_compositional_splits_only():
    """Elsewhere there is nothing that they could be of."""
    with pytest.raises(RecipeError, match="--shots is for the compositional splits only, not for --splits spatial"):
        from_options(splits="spatial", shots=2)
    with pytest.raises(RecipeError, match="unknown splits 'gsrr' of gSCAN; known: compositional, lengths, spatial"):
        gscan(splits="gsrr")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mode": "spatial", "pattern": "p1"}, "commands with a spatial relation have one clause: pool 'p' must be p2"),
        ({"mode": "gscan", "pattern": "p2"}, "gSCAN has simple commands only: pool 'p' must have the pattern p1"),
        ({"mode": "gscan", "pattern": "p1", "says": "shape"}, "says of pool 'p' is one of noun, color, size, size col"),
        ({"mode": "gscan", "pattern": "p1", "adverbs": 1}, "adverbs of pool 'p' is true or false, got 1"),
    ],
)
def test_pools_of_another_form_are_refused(change, message):
    """Each release has commands of one form."""
    pool = {"name": "p", "commands": 1, "worlds": 1, **{k: v for k, v in change.items() if k != "mode"}}

    with pytest.raises(RecipeError, match=message):
        recipe_from({"mode": change["mode"], "pools": [pool], "hold_out": []})
