"""The three models against their published equations, written out plainly, and against their published sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.worlds.grid.models._graph_lstm import GraphLSTM
from deixis.worlds.grid.models._transformer import GridTransformer, GridTransformerSettings
from tests.models import plain
from tests.models.made import PUBLISHED, SMALL, WORDS, scores_of, some_examples, started


if TYPE_CHECKING:
    from deixis.worlds.grid.models.policy import Batch, Policy


def plain_scores(model: Policy, batch: Batch) -> list[np.ndarray]:
    """The scores of every example by the plain equations."""
    w = plain.weights_of(model)
    found = []
    for task in plain.tasks_of(model, batch):
        match model:
            case GraphLSTM():
                found.append(plain.gcn_lstm(w, task, model.settings.rounds, is_scaled=model.settings.scaled))
            case GridTransformer():
                padded_to = model.settings.longest_command if model.settings.sees_padding else 0
                layer = plain.norm_first if model.settings.norm_first else plain.norm_last
                rounds = model.settings.blocks if model.settings.shared_blocks else 1
                heads = model.settings.heads
                found.append(plain.transformer(w, task, heads, padded_to=padded_to, layer=layer, rounds=rounds))
            case _:
                found.append(plain.m_lstm(w, task))
    return found


def largest_difference(model: Policy, batch: Batch) -> float:
    pairs = zip(scores_of(model, batch), plain_scores(model, batch), strict=True)
    return max(float(np.abs(ours - theirs).max()) for ours, theirs in pairs)


@pytest.mark.parametrize(
    ("name", "learnt", "frozen"), [("m-lstm", 444_450, 0), ("gcn-lstm", 524_336, 256), ("transformer", 4_404_106, 0)]
)
def test_a_model_has_the_published_number_of_parameters(name: str, learnt: int, frozen: int) -> None:
    """With ReaSCAN's 35 words and the default settings, as many parameters are used as in the published code."""
    parameters = list(PUBLISHED[name]().parameters())

    assert sum(parameter.numel() for parameter in parameters if parameter.requires_grad) == learnt
    assert sum(parameter.numel() for parameter in parameters if not parameter.requires_grad) == frozen


def test_norms_first_cost_three_norms_more() -> None:
    """With norms before attention, each stream and the decoder end in a norm of 256 parameters."""
    model = GridTransformer(GridTransformerSettings(norm_first=True), WORDS)

    assert sum(parameter.numel() for parameter in model.parameters()) == 4_404_106 + 3 * 256


def test_what_the_options_cost() -> None:
    """One block for six; a table of 33 distances for each block and none of 50 places; one matrix for mentions."""

    def count(**options: bool) -> int:
        return sum(one.numel() for one in GridTransformer(GridTransformerSettings(**options), WORDS).parameters())

    block = sum(one.numel() for one in GridTransformer(GridTransformerSettings(), WORDS).blocks[0].parameters())
    assert count(shared_blocks=True) == 4_404_106 - 5 * block
    assert count(relative_words=True) == 4_404_106 + (6 * 33 - 50) * 128
    assert count(points_mentions=True) == 4_404_106 + 128 * 128


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_model_of_published_size_follows_the_equations(name: str) -> None:
    """At the published sizes, the scores of a ragged batch are those of the plain equations."""
    model = started(PUBLISHED[name])
    batch = some_examples(3, channels=model.channels, seed=4)

    assert largest_difference(model, batch) < 1e-5


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(2, 4), words=st.integers(1, 9), steps=st.integers(1, 7))
def test_a_small_model_follows_the_equations(name: str, seed: int, count: int, words: int, steps: int) -> None:
    """Whatever the weights, the lengths and the grids, the scores are those of the plain equations."""
    model = started(SMALL[name], seed=seed)
    batch = some_examples(count, channels=model.channels, seed=seed, words=words, steps=steps)

    assert largest_difference(model, batch) < 1e-5
