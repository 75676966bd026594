"""What holds for every model: padding and company change nothing, steps agree with whole plans, losses are means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import log_softmax, pad

from deixis.worlds.grid.models._graph_lstm import GraphLSTM
from deixis.worlds.grid.models._multimodal_lstm import MultimodalLSTM
from deixis.worlds.grid.models.policy import Batch
from deixis.worlds.grid.training._losses import losses_of
from tests.models.made import SMALL, scores_of, shown_in, small_transformer, some_examples, started, taking


if TYPE_CHECKING:
    from torch import Tensor

    from deixis.worlds.grid.models.policy import Policy


every_model = pytest.mark.parametrize("name", SMALL)
every_model_but_that = pytest.mark.parametrize("name", [name for name in SMALL if "sees padding" not in name])
CLOSE = 1e-5


def a_model_and_examples(name: str, *, seed: int = 3) -> tuple[Policy, Batch]:
    model = started(SMALL[name], seed=seed)
    return model, some_examples(5, channels=model.channels, seed=seed)


def differences(ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
    return max(float(np.abs(one - two).max()) for one, two in zip(ours, theirs, strict=True))


def with_pads(batch: Batch, words: int, steps: int) -> Batch:
    """The same examples with more room behind the ends of commands and plans."""
    return batch._replace(words=pad(batch.words, (0, words)), actions=pad(batch.actions, (0, steps), value=5))


def embeddings(model: Policy) -> tuple[Tensor, Tensor]:
    """The tables of words and of actions."""
    if isinstance(model, MultimodalLSTM | GraphLSTM):
        return model.embedding.weight, model.decoder.embedding.weight
    words, actions = model.get_submodule("words.row"), model.get_submodule("actions.row")
    return words.get_parameter("weight"), actions.get_parameter("weight")


def loss(model: Policy, batch: Batch, tokens: Tensor | None = None) -> float:
    return float(losses_of(model, batch, tokens).plans.detach())


def gradients_of(model: Policy, batch: Batch) -> None:
    model.zero_grad()
    found = losses_of(model, batch)
    (found.plans if found.pointing is None else found.plans + found.pointing).backward()  # type: ignore[no-untyped-call]


@every_model
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), words=st.integers(0, 6), steps=st.integers(0, 6))
def test_padding_changes_no_score(name: str, seed: int, words: int, steps: int) -> None:
    """More room behind the ends of commands and plans leaves every score as it was."""
    model, batch = a_model_and_examples(name, seed=seed)

    assert differences(scores_of(model, batch), scores_of(model, with_pads(batch, words, steps))) < CLOSE


@every_model
def test_an_example_alone_scores_as_in_company(name: str) -> None:
    """A batch of one, without any padding, gives the scores of the same example in a batch of many."""
    model, batch = a_model_and_examples(name)

    alone = [scores_of(model, taking(batch, example))[0] for example in range(len(batch.words))]

    assert differences(scores_of(model, batch), alone) < CLOSE


def test_a_decoder_that_sees_padding_depends_on_the_room_for_commands() -> None:
    """As published, places behind a command's end are looked at: with room for more of them the scores are others."""
    near = started(lambda: small_transformer(sees_padding=True, longest_command=20))
    far = started(lambda: small_transformer(sees_padding=True, longest_command=24))
    far.load_state_dict({**near.state_dict(), "words.place.weight": far.state_dict()["words.place.weight"]})
    with torch.no_grad():
        far.get_parameter("words.place.weight")[:20] = near.get_parameter("words.place.weight")
    batch = some_examples(5, channels=25, seed=3)

    assert differences(scores_of(near, batch), scores_of(far, batch)) > 0.01


def test_seeing_padding_or_not_is_a_difference() -> None:
    """The same weights score differently when the decoder looks at the padding."""
    blind, seeing = started(SMALL["transformer"]), started(SMALL["transformer that sees padding"])
    seeing.load_state_dict(blind.state_dict())
    batch = some_examples(5, channels=25, seed=3)

    assert differences(scores_of(blind, batch), scores_of(seeing, batch)) > 0.01


@every_model
def test_saying_step_by_step_gives_the_scores_of_whole_plans(name: str) -> None:
    """What a model is taught all at once is what it says when it is asked for one action after another."""
    model, batch = a_model_and_examples(name)
    shown = shown_in(model, batch)

    with torch.no_grad():
        memory = model.encode(batch.words, batch.word_count, batch.grid)
        state, steps = model.begin(memory, shown.shape[1]), []
        for last in shown.unbind(1):
            scores, state = model.next_scores(memory, last, state)
            steps.append(scores)
    stepwise = torch.stack(steps, dim=1).numpy()

    cut = [rows[: count + 1] for rows, count in zip(stepwise, batch.action_count.tolist(), strict=True)]
    assert differences(scores_of(model, batch), cut) < CLOSE


@every_model
def test_no_score_depends_on_what_comes_later(name: str) -> None:
    """Other actions later in a plan leave the scores before them as they were."""
    model, batch = a_model_and_examples(name)
    other = batch.actions.clone()
    other[:, 4:] = (other[:, 4:] + 1) % 6

    scores = [scores_of(model, batch)[0], scores_of(model, batch._replace(actions=other))[0]]

    assert differences([scores[0][:5]], [scores[1][:5]]) < CLOSE
    assert differences([scores[0][5:]], [scores[1][5:]]) > 0.001


@every_model
def test_an_empty_command_is_read_like_any_other(name: str) -> None:
    """A command without words has finite scores that do not depend on the padding behind it."""
    model, batch = a_model_and_examples(name)
    batch.words[1], batch.word_count[1] = 0, 0

    scores = scores_of(model, batch)

    assert all(np.isfinite(rows).all() for rows in scores)
    assert differences(scores, scores_of(model, with_pads(batch, 2, 0))) < CLOSE


@every_model
def test_the_loss_is_the_mean_over_all_actions_and_ends(name: str) -> None:
    """Every action and every end counts the same, whatever the length of its plan."""
    model, batch = a_model_and_examples(name)
    layout, costs = model.layout, []
    for scores, actions, count in zip(scores_of(model, batch), batch.actions, batch.action_count.tolist(), strict=True):
        said = [*(layout.first + int(action) for action in actions[:count]), layout.stop]
        costs += [
            -float(log_softmax(torch.from_numpy(row), -1)[right]) for row, right in zip(scores, said, strict=True)
        ]

    assert len(costs) == int(batch.action_count.sum()) + len(batch.words)
    assert loss(model, batch) == pytest.approx(np.mean(costs), abs=CLOSE)


@every_model
def test_losses_of_parts_add_up(name: str) -> None:
    """Parts of a batch, each divided by the actions of the whole, have losses that add up to the loss of the whole."""
    model, batch = a_model_and_examples(name)
    tokens = (batch.action_count + 1).sum()
    parts = [Batch(*(part[rows] for part in batch)) for rows in (slice(0, 2), slice(2, 5))]

    total = sum(loss(model, part, tokens) for part in parts)

    assert total == pytest.approx(loss(model, batch), abs=CLOSE)


@every_model_but_that
def test_padding_teaches_nothing(name: str) -> None:
    """The rows that stand for padding get no gradient, those of what is said do."""
    model, batch = a_model_and_examples(name)
    gradients_of(model, with_pads(batch, 3, 3))

    words, actions = (table.grad for table in embeddings(model))

    assert words is not None
    assert actions is not None
    assert not words[model.layout.pad].any()  # the same row in both tables
    assert not actions[model.layout.pad].any()
    assert actions[model.layout.start].any()
    assert words.any()


def test_a_decoder_that_sees_padding_learns_from_it() -> None:
    """As published, the row that stands for padding is a vector like any other."""
    model, batch = a_model_and_examples("transformer that sees padding")
    gradients_of(model, batch)

    words = embeddings(model)[0].grad

    assert words is not None
    assert words[0].any()


@pytest.mark.parametrize("name", ["m-lstm", "gcn-lstm"])
def test_rows_for_padding_start_and_stay_at_zero(name: str) -> None:
    """In the LSTM models padding is a zero vector, before learning and after."""
    model, batch = a_model_and_examples(name)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
    gradients_of(model, with_pads(batch, 3, 3))
    before = [table.detach().clone() for table in embeddings(model)]
    optimiser.step()

    for table, was in zip(embeddings(model), before, strict=True):
        assert not table[model.layout.pad].any()  # the same row in both tables
        assert not torch.equal(table, was)


def test_the_second_biases_of_the_graph_models_readers_are_frozen_at_zero() -> None:
    """GCN-LSTM learns one bias of each reader; the other stays zero and gets no gradient."""
    model, batch = a_model_and_examples("gcn-lstm")
    gradients_of(model, batch)

    for direction in ("onward", "backward"):
        bias = model.get_parameter(f"encoder.{direction}.bias_hh_l0")
        assert not bias.requires_grad
        assert bias.grad is None
        assert not bias.any()


@every_model_but_that
def test_every_learnt_parameter_gets_a_gradient(name: str) -> None:
    """No part of a model is idle: something reaches every parameter that is to be learnt."""
    model, batch = a_model_and_examples(name)
    gradients_of(model, batch)

    idle = [name for name, weight in model.named_parameters() if weight.requires_grad and not _is_reached(weight)]

    assert not idle


def _is_reached(weight: Tensor) -> bool:
    return weight.grad is not None and bool(weight.grad.any())


@every_model
def test_scores_in_lower_precision_are_nearly_the_same(name: str) -> None:
    """In bfloat16 scores are still float32, and differ by no more than such numbers do."""
    model, batch = a_model_and_examples(name)
    exact = scores_of(model, batch)
    model.compute_in(torch.bfloat16)

    rough = scores_of(model, batch)

    assert all(rows.dtype == np.float32 for rows in rough)
    assert 0 < differences(exact, rough) < 0.05 * max(float(np.abs(rows).max()) for rows in exact)


@every_model
def test_dropout_is_chance_in_training_only(name: str) -> None:
    """Two looks at the same examples differ while training, and are the same afterwards."""
    model, batch = a_model_and_examples(name)

    model.train()
    with torch.random.fork_rng(devices=[]):
        training = differences(scores_of(model, batch), scores_of(model, batch))
    model.eval()

    assert training > 0.001
    assert differences(scores_of(model, batch), scores_of(model, batch)) == 0
