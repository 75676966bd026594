from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import RecipeError
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.models.registry import build
from deixis.worlds.grid.training._data import DeviceData, demand_room
from tests.training.small import SIZES


CPU = torch.device("cpu")


@given(st.data())
def test_a_batch_is_what_the_arrays_say(arrays, data):
    """Words, grids and plans of any examples, in any order, with any room."""
    rows = data.draw(st.lists(st.integers(0, len(arrays) - 1), min_size=1, max_size=6))
    steps = data.draw(st.integers(1, int(arrays.plans.length.max()) + 3))

    batch = DeviceData(arrays, CPU).batch(torch.tensor(rows), steps)

    some = arrays.taking(np.array(rows))
    assert (batch.words.numpy() == some.words).all()
    assert (batch.word_count.numpy() == some.word_count).all()
    assert (batch.grid.numpy() == some.grids()).all()
    assert (batch.action_count.numpy() == some.plans.length).all()
    for row, plan in enumerate(some.plans.split()):
        assert (batch.actions[row, : len(plan)].numpy() == plan[:steps]).all()


def test_arrays_are_what_the_examples_say(dataset, arrays, words):
    """Words in the order of the command, and plans action by action."""
    examples = [one for table in dataset.tables("train") for one in examples_of(table)]

    for row, example in enumerate(examples):
        assert " ".join(words[number - 1] for number in arrays.words[row] if number) == example.text
        assert arrays.plans[row].tolist() == [int(a) for a in example.plan]
    assert len(examples) == len(arrays)


def test_commands_that_are_too_long_are_refused(arrays, words):
    """The model says how many words it has room for."""
    model = build("transformer", SIZES["transformer"] | {"longest_command": 5}, len(words))

    with pytest.raises(RecipeError, match="room for 3, set longest_command higher"):
        demand_room(model, arrays, "the data")


def test_another_encoding_is_refused(arrays, words):
    """A model that sees 25 channels is not shown 17."""
    model = build("transformer", SIZES["transformer"], len(words))

    with pytest.raises(RecipeError, match="17 channels; the model sees 25"):
        demand_room(model, arrays, "the data")
