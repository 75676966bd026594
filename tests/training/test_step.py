"""Updates that are recorded and replayed on a GPU are those that are taken one by one."""

from __future__ import annotations

import json

import pytest
import torch

from deixis.training import step
from deixis.training.loop import train
from tests.training.small import SIZES, small


def losses_of(path):
    """The losses that a run told."""
    lines = map(json.loads, (path / "log.jsonl").read_text(encoding="utf-8").splitlines())
    return [line["loss"] for line in lines if "loss" in line]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("model", SIZES)
def test_recorded_updates_learn_the_same_on_a_gpu(model, dataset, tmp_path, monkeypatch):
    """Every loss is what it is without recording, dropout and all, for plans of every length."""
    train(dataset, small(model, log_every=1), tmp_path / "recorded", device="cuda")
    monkeypatch.setattr(step, "Recorder", lambda: None)
    train(dataset, small(model, log_every=1), tmp_path / "plain", device="cuda")

    plain = losses_of(tmp_path / "plain")
    assert len(plain) == 12
    assert losses_of(tmp_path / "recorded") == pytest.approx(plain, rel=1e-2)
