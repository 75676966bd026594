"""Captions whose parse is told: their images are found after a moment, and what cannot be read is counted."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from deixis.errors import DeixisError
from deixis.worlds.rooms.judging.literal import listen_literally
from deixis.worlds.rooms.training._bundles import read_rooms
from deixis.worlds.rooms.training._told import learn_to_refer, read_captions, told_contexts
from deixis.worlds.rooms.training.features import Eyes
from deixis.worlds.rooms.training.settings import Reading
from tests.training.small import are_equal


EYES = Eyes(encoder="factors", device="cpu")
BRIEF = {"examples": 120, "batch_size": 32, "eval_every": 10, "log_every": 5, "width": 16}


@pytest.fixture(autouse=True)
def few_contexts(monkeypatch):
    """Fewer validation contexts, so that a training takes a second."""
    monkeypatch.setattr("deixis.worlds.rooms.training._told.JUDGED", 60)


def test_it_finds_images_after_some_steps(tmp_path):
    """From targets alone it learns features' words: after sixty steps it is well above chance, which is a quarter."""
    facts = learn_to_refer(Reading(steps=60, lr=0.02, **BRIEF), tmp_path, eyes=EYES)

    assert facts["dev"]["right"] > 0.45
    assert facts["supervision"] == "targets, told the parse"
    assert facts["parser errors"] == {"train": 0, "validation": 0}


def test_stopped_it_goes_on_to_the_same_bytes(tmp_path):
    """A run that was stopped leaves what one without a break leaves, as long as the learning rate is the same."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    learn_to_refer(Reading(steps=20, save_every=5, **BRIEF), whole, eyes=EYES)
    learn_to_refer(Reading(steps=20, save_every=5, **BRIEF), parts, eyes=EYES, stop_after=0.0)
    steps = read_rooms(parts / "last.safetensors").step
    learn_to_refer(Reading(steps=20, save_every=5, **BRIEF), parts, eyes=EYES)

    assert steps < 20
    assert are_equal(whole / "last.safetensors", parts / "last.safetensors")
    assert json.loads((parts / "run.json").read_text(encoding="utf-8"))["steps"] == 20


def test_captions_fit_the_target_alone():
    """Every context that is learnt from has one right answer."""
    images, texts = told_contexts(Reading(**BRIEF), "validation", 20)

    assert len(images) == len(texts) == 20
    assert np.all(listen_literally(texts, images) == 1.0)


def test_captions_that_nobody_can_read_are_counted():
    """They say nothing, so that every image fits them."""
    found = read_captions(["a tiny red ball", "colourless ideas sleep"])

    assert found.unread.tolist() == [False, True]
    assert not found.rows[1].any()


def test_its_checkpoint_can_be_read_again(tmp_path):
    """The file of a run holds the reader, and nothing that speaks."""
    learn_to_refer(Reading(steps=10, **BRIEF), tmp_path, eyes=EYES)
    bundle = read_rooms(tmp_path / "best.safetensors")
    reader = bundle.model("reader", torch.device("cpu"))

    assert all(torch.equal(one, bundle.weights[f"reader.{name}"]) for name, one in reader.state_dict().items())
    with pytest.raises(DeixisError, match="no speaker"):
        bundle.model("speaker", torch.device("cpu"))
