"""A dataset of a few dozen examples, models of a few thousand weights, and one thread: trainings of a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from deixis.worlds.grid.data._arrays import load_plan_arrays, words_of
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool
from tests.datasets.tiny import quick


if TYPE_CHECKING:
    from deixis.data.store import Dataset


POOLS = (
    Pool(name="p1", pattern="p1", commands=80, worlds=1),  # enough for all words to occur in training
    Pool(name="p3", pattern="p3", commands=20, worlds=1),
)

torch.set_num_threads(1)  # several processes share the machine


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Simple commands and commands with two clauses, with a dev split."""
    return make(quick(pools=POOLS, dev=0.3), tmp_path_factory.mktemp("data") / "tiny", workers=1)


@pytest.fixture(scope="session")
def words(dataset):
    """The words of its commands."""
    return words_of(dataset, "train")


@pytest.fixture(scope="session")
def arrays(dataset, words):
    """Its examples to learn from."""
    return load_plan_arrays(dataset, "train", words)
