"""Shards: pure functions of the recipe and the numbers of their commands, with columns that say what is so."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pyarrow as pa
import pytest

from deixis.expression.parts import parts
from deixis.expression.patterns import pattern
from deixis.seeds import Stream
from deixis.worlds.grid._kernels.worlds import OUTCOMES
from deixis.worlds.grid.commands import choose_uniform
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.making._shards import OUTCOME_NAMES, make_shard
from deixis.worlds.grid.making.recipe import Pool
from deixis.worlds.grid.splits.rules import REASCAN, Rule
from tests.datasets.tiny import tiny


POOL = Pool(name="p3", pattern="p3", commands=40, worlds=3, retries=60)


@pytest.fixture(scope="module")
def instructions():
    """Two-clause commands as the released generator chooses them."""
    return list(islice(choose_uniform(pattern("p3"), rng=Stream(5)), 40))


@pytest.fixture(scope="module", params=["compatible", "corrected"])
def recipe(request):
    """A recipe of either mode with the hold-outs that are cut from pools."""
    return tiny(request.param)


@pytest.fixture(scope="module")
def shard(recipe, instructions):
    """All commands in one shard."""
    return make_shard(recipe, POOL, instructions, 0)


def with_split(table):
    """The columns of a shard as examples have them."""
    plain = table.drop_columns(["held", "kept", "digest"])
    return plain.append_column("split", pa.array([""] * table.num_rows))


def test_every_outcome_has_a_name():
    """There are as many names as ways in which a try can end."""
    assert len(OUTCOME_NAMES) == OUTCOMES


def test_a_shard_is_the_sum_of_its_parts(recipe, instructions, shard):
    """Commands give the same worlds alone as together with others: only their numbers count."""
    cuts = (0, 1, 17, 40)

    pieces = [make_shard(recipe, POOL, instructions[a:b], a) for a, b in pairwise(cuts)]

    joined = pa.concat_tables([piece.table for piece in pieces])
    assert joined.to_pylist() == shard.table.to_pylist()
    assert np.array_equal(np.concatenate([piece.outcomes for piece in pieces]), shard.outcomes)


def test_outcomes_account_for_every_world(shard):
    """The first outcome counts the worlds of each command; no command has more than were asked for."""
    found = np.bincount(shard.table["command_number"].to_numpy(), minlength=40)

    assert np.array_equal(found, shard.outcomes[:, 0])
    assert found.max() == POOL.worlds
    assert shard.outcomes.sum() <= 40 * POOL.worlds * POOL.retries


def test_worlds_are_numbered_within_their_command(shard):
    """The worlds of every command are numbered from 0."""
    numbers = {}
    columns = (shard.table[name].to_pylist() for name in ("command_number", "world_number"))
    for command, world in zip(*columns, strict=True):
        assert world == numbers.get(command, 0)
        numbers[command] = world + 1


def test_ids_are_those_of_the_examples(shard):
    """The id of a row is the digest of its words and its world."""
    ids = [example.id for example in examples_of(with_split(shard.table))]

    assert ids == shard.table["id"].to_pylist()
    assert len(set(ids)) == len(ids)


def test_texts_are_the_commands_with_their_determiners(shard, instructions):
    """The words of a row say the instruction that its number names."""
    for example in examples_of(with_split(shard.table)):
        assert example.utterance.instruction == instructions[example.command_number]


def test_necessity_has_an_entry_for_every_part(shard):
    """The column `necessary` says what the plain definition says, part by part."""
    rows = shard.table["necessary"].to_pylist()
    for row, example in list(zip(rows, examples_of(with_split(shard.table)), strict=True))[::5]:
        assert row == list(example.necessity().values())
        assert len(row) == len(list(parts(example.expression)))


def test_held_out_is_what_the_rules_hold(recipe, shard):
    """A row has the bit of a rule exactly when the rule holds the example out by its plain definition."""
    for held, example in zip(shard.table["held"].to_pylist(), examples_of(with_split(shard.table)), strict=True):
        for bit, rule in enumerate(recipe.hold_out):
            assert bool(held >> bit & 1) == rule.holds(example.expression, example.scene)


def test_test_sets_are_part_of_what_is_held_out(recipe, shard):
    """What is kept for a test set is held out; where nothing has to be decisive, all of it is kept."""
    held, kept = shard.table["held"].to_numpy(), shard.table["kept"].to_numpy()

    assert not (kept & ~held).any()
    assert (kept < held).any()
    for bit, rule in enumerate(recipe.hold_out):
        if not rule.decisive:
            assert np.array_equal(kept >> bit & 1, held >> bit & 1)


def test_things_are_kept_though_nobody_names_them(recipe, instructions):
    """Examples that only show the held-out thing are in the test set whether or not a word is decisive."""
    table = make_shard(recipe, POOL, instructions, 0).table
    bit, rule = next((bit, rule) for bit, rule in enumerate(recipe.hold_out) if rule.name == "a2")

    seen = 0
    for kept, example in zip(table["kept"].to_pylist(), examples_of(with_split(table)), strict=True):
        if rule.holds(example.expression, example.scene) and not rule.says(example.expression):
            assert kept >> bit & 1
            seen += 1
    assert seen


def test_sixteen_rules_fit(instructions):
    """A row has room for the bits of sixteen rules."""
    rules = tuple(Rule(id=f"own/{k}", name=f"r{k}", relations=("same row",)) for k in range(16))

    table = make_shard(tiny(hold_out=rules), POOL, instructions[:10], 0).table

    assert set(table["held"].to_pylist()) <= {0, 0xFFFF}
    assert 0xFFFF in table["kept"].to_pylist()


def test_commands_without_any_world_leave_an_empty_table(instructions):
    """A shard in which nothing succeeds has no rows, but the columns of the others."""
    pool = Pool(name="p3", pattern="p3", commands=3, worlds=1, retries=1)

    shard = make_shard(tiny(fill=3, cap=3), pool, instructions[:3], 0)

    assert shard.table.num_rows == 0
    assert shard.table.schema == make_shard(tiny(), POOL, instructions[:3], 0).table.schema
    assert shard.outcomes[:, 0].tolist() == [0, 0, 0]


def test_the_published_hold_outs_come_first():
    """The tests above look at rules of every sort."""
    assert {rule.name for rule in tiny().hold_out} == {rule.name for rule in REASCAN if not rule.is_generated}
