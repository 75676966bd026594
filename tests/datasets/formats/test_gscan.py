"""Released gSCAN files, from examples written by hand in their layout."""

from __future__ import annotations

from copy import deepcopy

import pytest

from deixis.errors import BrokenDataset
from deixis.expression.steps import Extreme, Is
from deixis.resolution.reference import denotation
from deixis.worlds.grid.data.table import SCHEMA
from deixis.worlds.grid.formats.gscan import read_gscan, read_gscan_examples
from tests.datasets.formats.released import GSCAN, write_file


def test_an_example_is_read(tmp_path):
    """Words, world, target and plan are those of the file; the target need not be the first object."""
    (example,) = read_gscan_examples(write_file(tmp_path / "g.txt", GSCAN, split="adverb_1"))

    assert example.text == "walk to a red small circle while spinning"
    assert example.split == "adverb_1"
    assert (example.verb, example.manner) == ("walk", "while spinning")
    assert example.target == 1
    assert denotation(example.expression, example.scene) == {1}
    assert example.plan == example.gold_plan()
    assert example.roles == ()


def test_adjectives_mean_the_same_in_any_order(tmp_path):
    """A size compares within color and shape, whether it is said first or last."""
    other = {**GSCAN, "command": "walk,to,a,small,red,circle,while spinning"}

    one, two = read_gscan_examples(write_file(tmp_path / "g.txt", GSCAN, other))

    assert one.expression == two.expression
    assert [type(step) for step in one.expression.steps] == [Is, Is, Extreme]
    assert one.id != two.id


def test_tables_have_the_schema_and_the_identities(tmp_path):
    """The columns are those of every dataset."""
    path = write_file(tmp_path / "g.txt", GSCAN, GSCAN, split="train")

    (table,) = read_gscan(path)

    assert table.schema == SCHEMA
    assert table["pattern"].to_pylist() == ["p1", "p1"]
    assert table["role"].to_pylist() == [[], []]
    assert table["id"].to_pylist() == [example.id for example in read_gscan_examples(path)]


def test_larger_grids_are_read(tmp_path):
    """The set for target lengths has grids of 12 cells a side."""
    big = deepcopy(GSCAN)
    big["situation"]["grid_size"] = 12
    big["situation"]["agent_position"] = {"row": "11", "column": "0"}

    (example,) = read_gscan_examples(write_file(tmp_path / "g.txt", big))

    assert example.scene.size == 12
    assert example.scene.agent.row == 11


def test_adverbs_of_the_word_list_that_no_example_uses_are_refused(tmp_path):
    """'quickly' is in gSCAN's list of words, but no plan says what it means."""
    odd = {**GSCAN, "command": "walk,to,a,red,circle,quickly"}

    with pytest.raises(BrokenDataset, match=r"example 0 of split 'test'.*quickly"):
        list(read_gscan(write_file(tmp_path / "g.txt", odd)))


def test_a_world_without_objects_is_refused(tmp_path):
    """There is nothing to refer to."""
    empty = deepcopy(GSCAN)
    empty["situation"]["placed_objects"] = {}

    with pytest.raises(BrokenDataset, match="none of placed_objects"):
        list(read_gscan(write_file(tmp_path / "g.txt", empty)))
