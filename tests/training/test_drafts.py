"""Plans by drafts are those by steps, whatever the drafts; and drafts are the planner's."""

from __future__ import annotations

from itertools import pairwise
from math import isqrt

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.learn.run import shipped_checkpoints
from deixis.worlds.grid._kernels.drafts import continue_plans
from deixis.worlds.grid.data._arrays import load_plan_arrays
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import reascan
from deixis.worlds.grid.models.registry import build
from deixis.worlds.grid.training import _drafts
from deixis.worlds.grid.training._checkpoints import load_model, read_checkpoint
from deixis.worlds.grid.training.predict import say_plans
from tests.training.small import SIZES


CPU = torch.device("cpu")
ACTION = st.integers(0, 2)
PLAN = st.lists(ACTION, max_size=6)


def same(ours, theirs):
    """Whether two sets of plans are the same to the last action."""
    return all(np.array_equal(one, two) for one, two in zip(ours, theirs, strict=True))


@pytest.fixture(scope="module")
def shipped():
    """The transformer that ships, and the words that it knows."""
    found = read_checkpoint(shipped_checkpoints()["transformer"])
    return load_model(found, CPU), found.vocabulary


@pytest.fixture
def babbler(words):
    """A transformer with random weights that says something."""
    torch.default_generator.manual_seed(3)
    made = build("transformer", SIZES["transformer"], len(words))
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(3)
        made.output.bias[made.layout.stop] -= 8
    return made


@pytest.mark.parametrize("channels", [17, 25])
def test_a_draft_towards_the_target_is_the_gold_plan(dataset, words, channels):
    """Worlds, verbs and manners are read from the arrays as they were made."""
    arrays = load_plan_arrays(dataset, "train", words, channels=channels)
    is_target = np.arange(arrays.cells) == arrays.target[:, None]
    scenes = _drafts.read_scenes(arrays, words)
    drafts = _drafts.Drafts(scenes, isqrt(arrays.cells), 120, is_target.astype(np.float64))
    said, rows = np.zeros((len(arrays), 120), np.uint8), np.arange(len(arrays))

    lengths = drafts.go_on(said, np.zeros(len(arrays), np.int64), rows)

    for row, (first, after) in enumerate(pairwise(arrays.plans.start)):
        assert said[row, : lengths[row]].tolist() == arrays.plans.values[first:after].tolist()


def test_the_shipped_model_says_by_drafts_what_it_says_by_steps(dataset, shipped):
    """Its plans for a few dozen examples are the same, with the planner's drafts and without any."""
    model, vocabulary = shipped
    arrays = load_plan_arrays(dataset, "train", vocabulary, channels=25).first(24)

    assert same(say_plans(model, arrays, CPU, vocabulary=vocabulary), say_plans(model, arrays, CPU))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["compatible", "corrected", "every-word"])
def test_drafts_change_no_plan_in_thousands(shipped, tmp_path, mode):
    """All examples of every split of a small set get the same plans, C1 and C2 among them, where drafts often fail."""
    model, vocabulary = shipped
    data = make(reascan(mode=mode, scale="small"), tmp_path / "data", workers=2)
    for split in data.splits:
        arrays = load_plan_arrays(data, split, vocabulary, channels=25).first(800)

        assert same(say_plans(model, arrays, CPU, vocabulary=vocabulary), say_plans(model, arrays, CPU))


@pytest.mark.parametrize("batch", [1, 7, 100])
@pytest.mark.parametrize("limit", [1, 4, 23])
def test_a_model_that_follows_no_draft_says_the_same(dataset, words, babbler, batch, limit):
    """Random weights accept hardly a draft; they say what they say step by step, also where the limit cuts."""
    arrays = load_plan_arrays(dataset, "train", words, channels=25).first(20)

    drafted = say_plans(babbler, arrays, CPU, limit=limit, batch=batch, vocabulary=words)

    assert same(drafted, say_plans(babbler, arrays, CPU, limit=limit))


@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1))
def test_bad_drafts_cost_time_alone(dataset, shipped, seed):
    """Drafts that are right as far as they go, too long, too short or nonsense lead to the same plans."""
    model, vocabulary = shipped
    arrays = load_plan_arrays(dataset, "train", vocabulary, channels=25).first(3)
    rng = np.random.default_rng(seed)
    right = _drafts.Drafts.go_on

    def go_on(self, said, known, rows):
        lengths = right(self, said, known, rows)
        spoilt = np.where(rng.random(said.shape) < 0.1, rng.integers(0, 6, said.shape), said)
        is_known = np.arange(said.shape[1]) < known[:, None]
        said[:] = np.where(is_known, said, spoilt)
        return np.clip(lengths + rng.integers(-5, 6, len(known)), known, said.shape[1])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_drafts.Drafts, "go_on", go_on)
        drafted = say_plans(model, arrays, CPU, vocabulary=vocabulary)

    assert same(drafted, say_plans(model, arrays, CPU))


def test_a_model_that_was_sped_up_is_as_before(dataset, words, babbler):
    """After saying plans by drafts the model has its own layers again, and learns on if it was learning."""
    before = [id(module) for module in babbler.modules()]
    babbler.train()

    say_plans(babbler, load_plan_arrays(dataset, "train", words, channels=25).first(2), CPU, vocabulary=words)

    assert [id(module) for module in babbler.modules()] == before
    assert babbler.training
    assert not any(getattr(module, "is_lean", False) for module in babbler.modules())


@settings(max_examples=200)
@given(known=PLAN, plans=st.lists(st.tuples(PLAN, st.integers(0, 3)), max_size=4))
def test_guesses_go_on_as_plainly_said(known, plans):
    """A plan that begins with what is known goes on; or else what follows the longest end of it in any plan."""
    limit = 8
    said = np.zeros((1, limit), np.uint8)
    said[0, : len(known)] = known
    table, lengths = np.zeros((1, len(plans), limit), np.uint8), np.zeros((1, len(plans)), np.int64)
    for place, (plan, _) in enumerate(plans):
        table[0, place, : len(plan)], lengths[0, place] = plan, len(plan)
    merits, drafted = np.array([[merit for _, merit in plans]], np.float64), np.zeros(1, np.int64)

    continue_plans(said, np.array([len(known)]), drafted, table, lengths, merits)

    assert said[0, : drafted[0]].tolist() == [*known, *rest_of(known, plans)][:limit]


def rest_of(known, plans):
    """What the guess adds to what is known."""
    beginning = [(merit, -place, plan) for place, (plan, merit) in enumerate(plans) if plan[: len(known)] == known]
    if beginning:
        return max(beginning)[2][len(known) :]
    ends = [
        (same_end(plan[:end], known), merit, -place, -end, plan[end:])
        for place, (plan, merit) in enumerate(plans)
        for end in range(len(plan) + 1)
    ]
    return max(ends)[4] if ends else []


def same_end(one, two):
    """How many last actions are the same."""
    count = 0
    while count < min(len(one), len(two)) and one[-1 - count] == two[-1 - count]:
        count += 1
    return count
