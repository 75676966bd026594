"""Every model can learn: it knows 64 examples by heart after a while on one core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from deixis.seeds import derive
from deixis.worlds.grid.data._arrays import plan_arrays, words_of
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, Recipe
from deixis.worlds.grid.models._graph_lstm import GraphLSTM, GraphLSTMSettings
from deixis.worlds.grid.models._multimodal_lstm import MultimodalLSTM, MultimodalLSTMSettings
from deixis.worlds.grid.models._transformer import GridTransformer, GridTransformerSettings
from deixis.worlds.grid.training._data import DeviceData
from deixis.worlds.grid.training._order import Order
from deixis.worlds.grid.training.predict import exact_matches, say_plans
from tests.training.small import stepping


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.data.store import Dataset
    from deixis.worlds.grid.models.policy import Policy


EXAMPLES, LONGEST = 64, 12
LOOK_EVERY = 25  # updates
SEED = 0
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Learner:
    """A model without dropout, which would only keep it from learning by heart, and how fast it learns safely."""

    make: Callable[[int], Policy]
    rate: float
    updates: int


LEARNERS = {
    "m-lstm": Learner(
        lambda words: MultimodalLSTM(
            MultimodalLSTMSettings(word_dropout=0.0, action_dropout=0.0, cell_dropout=0.0), words
        ),
        rate=5e-3,
        updates=200,
    ),
    "gcn-lstm": Learner(
        lambda words: GraphLSTM(
            GraphLSTMSettings(
                word_dropout=0.0, command_dropout=0.0, node_dropout=0.0, cell_dropout=0.0, action_dropout=0.0
            ),
            words,
        ),
        rate=5e-3,
        updates=250,
    ),
    "transformer": Learner(  # of a third of the published layers and half the width
        lambda words: GridTransformer(
            GridTransformerSettings(width=64, heads=4, hidden=128, blocks=2, decoder_layers=2, dropout=0.0), words
        ),
        rate=1e-3,
        updates=250,
    ),
}


@pytest.fixture(scope="module")
def simple_commands(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Some hundred examples of simple commands and of commands with one clause, all for training."""
    pools = tuple(Pool(name=pattern, pattern=pattern, commands=60, worlds=2) for pattern in ("p1", "p2"))
    recipe = Recipe(mode="compatible", pools=pools, hold_out=(), dev=0.0, test=0.0, cap=24)
    return make(recipe, tmp_path_factory.mktemp("learning") / "simple", workers=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_learns_64_examples_by_heart(name: str, simple_commands: Dataset) -> None:
    """Within some hundred updates a model says all 64 plans to the last action."""
    learner, words = LEARNERS[name], words_of(simple_commands, "train")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(derive(SEED, "weights") >> 1)
        model = learner.make(len(words))
        arrays = plan_arrays(simple_commands, "train", words, channels=model.channels)
        short = np.flatnonzero(arrays.plans.length <= LONGEST)
        arrays = arrays.taking(short[np.linspace(0, len(short) - 1, EXAMPLES).astype(np.int64)])
        order = Order(arrays.plans.length, EXAMPLES, learner.updates, SEED, "random")
        _, take = stepping(model, DeviceData(arrays, CPU), batch_size=EXAMPLES, clip=1.0, seed=SEED)

        right = 0.0
        for update in range(learner.updates):
            rows, steps = order(update)
            take(update, rows, steps, learner.rate, int((arrays.plans.length[rows] + 1).sum()))
            if (update + 1) % LOOK_EVERY == 0:
                plans = say_plans(model, arrays, CPU, limit=LONGEST + 2)
                right = float(exact_matches(*plans, arrays).mean())
            if right == 1:
                break

    assert len(np.unique(arrays.ids)) == EXAMPLES
    assert right == 1
