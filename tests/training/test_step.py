"""One update: that of a GPU, recorded and replayed, is the plain one; weights shrink where that is wanted."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from deixis.learn._updates import Updates
from deixis.worlds.grid.data._arrays import load_plan_arrays
from deixis.worlds.grid.models.registry import build
from deixis.worlds.grid.training._data import DeviceData
from deixis.worlds.grid.training.course import train
from tests.training.small import SIZES, small, stepping


def losses_of(path):
    """The losses that a run told."""
    lines = map(json.loads, (path / "log.jsonl").read_text(encoding="utf-8").splitlines())
    return [line["loss"] for line in lines if "loss" in line]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("model", [*SIZES, "transformer that points"])
def test_recorded_updates_learn_the_same_on_a_gpu(model, dataset, tmp_path, monkeypatch):
    """Every loss is what it is without recording, dropout and all, for plans of every length."""
    how = {"settings": {"points": True}, "pointing": 1.0, "weight_decay": 0.1} if model.endswith("points") else {}
    told = small(model.split()[0], log_every=1, **how)
    train(dataset, told, tmp_path / "recorded", device="cuda")
    monkeypatch.setattr(Updates, "graphs", property(lambda _: False, lambda *_: None), raising=False)
    train(dataset, told, tmp_path / "plain", device="cuda")

    plain = losses_of(tmp_path / "plain")
    assert len(plain) == 12
    assert losses_of(tmp_path / "recorded") == pytest.approx(plain, rel=1e-2)


@pytest.mark.parametrize("model", SIZES)
def test_weights_shrink_apart_from_what_adam_does(model, dataset, words):
    """After one update, tables and the weights of products are smaller by rate times decay than without."""
    after = {}
    for decay in (0.0, 0.5):
        torch.default_generator.manual_seed(3)
        policy = build(model, small(model).settings, words)
        before = {name: one.detach().clone() for name, one in policy.named_parameters()}
        device = torch.device("cpu")
        arrays = load_plan_arrays(dataset, "train", words, channels=policy.channels)
        examples = DeviceData(arrays, device, teller=policy)
        _, take = stepping(policy.train(), examples, batch_size=4, weight_decay=decay, seed=5)
        take(0, np.arange(4), int(arrays.plans.length.max()) + 1, 0.01, 40)
        after[decay] = {name: one.detach().clone() for name, one in policy.named_parameters()}

    for name, was in before.items():
        shrunk = was * 0.005 if was.ndim > 1 else torch.zeros_like(was)
        assert torch.allclose(after[0.0][name] - after[0.5][name], shrunk, atol=1e-6), name
    assert any(one.ndim > 1 for one in before.values())
    assert any(one.ndim == 1 for one in before.values())


def test_the_rate_is_that_of_all_weights(arrays, words):
    """A rate that is put on the device counts for what shrinks and for what does not."""
    device = torch.device("cpu")
    policy = build("m-lstm", small().settings, len(words))
    updates, _ = stepping(policy, DeviceData(arrays, device), batch_size=4, weight_decay=0.1, seed=5)
    updates.lr["model"].fill_(0.25)
    assert [float(group["lr"]) for group in updates.optimizer.param_groups] == [0.25, 0.25]

    without, _ = stepping(policy, DeviceData(arrays, device), batch_size=4, seed=5)
    assert [group["weight_decay"] for group in without.optimizer.param_groups] == [0.0]
