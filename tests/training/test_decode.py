from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from deixis.worlds.grid.data._arrays import load_plan_arrays
from deixis.worlds.grid.models.registry import build
from deixis.worlds.grid.training._data import DeviceData
from deixis.worlds.grid.training.predict import exact_matches, say_plans
from tests.training.small import SIZES


CPU = torch.device("cpu")


@pytest.fixture(params=list(SIZES))
def model(request, words):
    """A model with random weights that are large enough to say different things."""
    torch.default_generator.manual_seed(3)
    made = build(request.param, SIZES[request.param], words)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(3)
        if request.param == "transformer":
            made.output.bias[made.layout.stop] -= 8  # else it says nothing at all
    return made


@pytest.fixture
def examples(dataset, words, model):
    """Twelve examples as the model sees them."""
    return load_plan_arrays(dataset, "train", words, channels=model.channels).first(12)


def plans_of(said):
    """Plans as lists."""
    actions, start = said
    return [actions[first:after].tolist() for first, after in pairwise(start)]


def test_plans_do_not_depend_on_the_batch(model, examples):
    """One at a time, five at a time or all at once: the same plans."""
    alone, five, together = (plans_of(say_plans(model, examples, CPU, limit=15, batch=size)) for size in (1, 5, 100))

    assert alone == five == together
    assert len({tuple(plan) for plan in alone}) > 1


def test_plans_are_what_teacher_forcing_finds_likeliest(model, examples):
    """Said step by step, every action is the likeliest after those before it, all of them shown again."""
    model.eval()
    layout = model.layout
    plans = plans_of(say_plans(model, examples, CPU, limit=9))
    for row, plan in enumerate(plans):
        batch = DeviceData(examples, CPU, teller=model).batch(torch.tensor([row]), 1)
        shown = torch.tensor([[layout.start, *(action + layout.first for action in plan)]])[:, :9]
        with torch.no_grad():
            scores = model(batch.words, batch.word_count, batch.grid, shown, batch.told)[0]
        allowed = [layout.stop, *range(layout.first, layout.first + 6)]
        best = [allowed[place] for place in scores[:, allowed].argmax(-1).tolist()]
        wanted = [*(action + layout.first for action in plan), layout.stop][:9]
        assert best[: len(wanted)] == wanted


def test_the_limit_cuts(model, examples):
    """No plan is longer than the limit, and a shorter limit gives beginnings of the same plans."""
    long, short = (plans_of(say_plans(model, examples, CPU, limit=limit)) for limit in (12, 4))

    assert [plan[:4] for plan in long] == short


def test_a_model_learns_on_as_before(model, examples):
    """Saying plans leaves the model in training, or not, as it was."""
    model.train()
    say_plans(model, examples, CPU, limit=2)

    assert model.training


def test_only_whole_plans_count_as_exact(arrays):
    """The right plan is right; one that misses the last action, adds one or gets one wrong is not."""
    gold = arrays.first(4)
    plans = [gold.plans[row] for row in range(4)]
    said = [plans[0], plans[1][:-1], np.append(plans[2], 1), (plans[3] + 1) % 6]

    found = exact_matches(np.concatenate(said), np.concatenate(([0], np.cumsum([len(p) for p in said]))), gold)

    assert found.tolist() == [True, False, False, False]
