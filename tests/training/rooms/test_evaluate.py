from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.judge._evaluation import evaluate_request
from deixis.judge.request import Request
from deixis.learn._checkpoints import write_bundle
from deixis.learn.run import shipped_checkpoints
from deixis.worlds.rooms.captions import caption
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging._predictions import read_predictions
from deixis.worlds.rooms.judging._summary import summarise
from deixis.worlds.rooms.pairs import CATEGORIES, SETS, test_sets
from deixis.worlds.rooms.training._bundles import read_rooms
from deixis.worlds.rooms.training._evaluate import SetCaptions, Style, accuracy_of, say_sets, write_captions
from deixis.worlds.rooms.training._saying import Decoding, Pragmatic
from deixis.worlds.rooms.training.features import Eyes
from deixis.worlds.rooms.world import WORLD
from tests.stopping import demand_resumed
from tests.training.rooms.made import HERE, KNOWN, SEEN, fresh_listener, fresh_speaker


COUNT = 12
STYLES = {
    "greedy": Style(),
    "sampled": Style(decoding=Decoding(way="sampled")),
    "top-k": Style(decoding=Decoding(way="top-k", k=3)),
    "beam": Style(decoding=Decoding(way="beam", width=3)),
    "rerank": Style(thinking="rerank", pragmatic=Pragmatic(candidates=3)),
    "reason": Style(thinking="reason"),
}


@pytest.fixture(scope="module")
def speaker(tmp_path_factory):
    """A speaker that says something, if no sense."""
    path = fresh_speaker(tmp_path_factory.mktemp("speaker") / "speaker.safetensors", width=8)
    bundle = read_rooms(path)
    write_bundle(path, replace(bundle, weights={name: 5 * one for name, one in bundle.weights.items()}))
    return path


@pytest.fixture(scope="module")
def listener(tmp_path_factory):
    """A listener that has learnt nothing."""
    return fresh_listener(tmp_path_factory.mktemp("listener") / "listener.safetensors", width=8)


@pytest.mark.parametrize("way", list(STYLES))
def test_all_sets_are_captioned(speaker, listener, way):
    """However it is done, the same seed gives the same captions of the thirteen sets."""
    once, facts = say_sets(speaker, listener=listener, eyes=HERE, style=STYLES[way], count=COUNT, seed=5)
    again, _ = say_sets(speaker, listener=listener, eyes=HERE, style=STYLES[way], count=COUNT, seed=5)

    assert list(once) == list(SETS)
    assert all(np.array_equal(once[name].images, rows) for name, rows in test_sets(seed=42, count=COUNT).items())
    assert [one.texts for one in once.values()] == [one.texts for one in again.values()]
    assert all(one.understood is not None and len(one.understood) == COUNT for one in once.values())
    json.dumps(facts, allow_nan=False)
    assert facts["contexts"] == COUNT


def test_without_a_listener_there_is_only_a_literal_one(speaker):
    """It goes by what words mean, whoever speaks."""
    spoken, facts = say_sets(speaker, eyes=HERE, count=COUNT)

    accuracy = accuracy_of(spoken)
    assert facts["listener"] is None
    assert all("listener_accuracy" not in found for found in accuracy.values())
    assert accuracy.keys() == {*SETS, *CATEGORIES, "overall"}


def summary_of(spoken):
    scores = {name: score_captions(one.texts, one.images[:, 0], one.images[:, 1:]) for name, one in spoken.items()}
    return summarise(scores, categories=CATEGORIES)


def made_up(texts, images, understood):
    return SetCaptions(texts=texts, images=images, understood=understood)


def test_accuracies_are_unweighted_means_of_sets():
    """Of the sets of a category, and of all sets."""
    sets = test_sets(seed=42, count=4)
    spoken = {
        name: made_up(("a red ball",) * 4, rows, np.arange(4) < number % 5)
        for number, (name, rows) in enumerate(sets.items())
    }

    accuracy = accuracy_of(spoken)

    shares = {name: number % 5 / 4 for number, name in enumerate(sets)}
    assert accuracy["scale"]["listener_accuracy"] == 0.75
    for category, names in CATEGORIES.items():
        assert accuracy[category]["listener_accuracy"] == pytest.approx(np.mean([shares[name] for name in names]))
    assert accuracy["overall"]["listener_accuracy"] == pytest.approx(np.mean(list(shares.values())))


def test_exhaustive_captions_score_as_they_should():
    """They tell all images apart and say nothing false."""
    sets = test_sets(seed=42, count=20)
    spoken = {
        name: made_up(tuple(caption(int(image), 0) for image in rows[:, 0]), rows, np.ones(20, bool))
        for name, rows in sets.items()
    }

    summary, accuracy = summary_of(spoken), accuracy_of(spoken)

    assert accuracy["overall"]["literal_accuracy"] > 0.95
    assert summary.overall["false_features"].mean == 0
    assert summary.overall["mentioned_features"].mean == 6
    assert summary.overall["discriminativity"].mean > 0.9  # but for two orientations with one name


def test_captions_are_read_by_the_metrics(speaker, listener, tmp_path):
    """Sets, images and texts come back as they were."""
    spoken, _ = say_sets(speaker, listener=listener, eyes=HERE, count=COUNT)
    path = tmp_path / "captions.jsonl"

    write_captions(path, spoken)
    found = read_predictions(path)

    assert list(found) == list(spoken)
    for name, one in spoken.items():
        assert found[name].captions == one.texts
        assert np.array_equal(found[name].targets, one.images[:, 0])
        assert np.array_equal(found[name].distractors, one.images[:, 1:])


def test_who_cannot_speak_is_told(speaker, listener, tmp_path):
    """Another encoder, another kind of file, other words, no seed."""
    path = tmp_path / "odd.safetensors"
    with pytest.raises(BrokenCheckpoint, match="there is no speaker in"):
        say_sets(listener, eyes=HERE, count=2)
    with pytest.raises(BrokenCheckpoint, match="there is no listener in"):
        say_sets(speaker, listener=speaker, eyes=HERE, count=2)
    fresh_listener(path, words=KNOWN[:-1])
    with pytest.raises(RecipeError, match="knows other words"):
        say_sets(speaker, listener=path, eyes=HERE, count=2)
    fresh_listener(path, data={**SEEN, "encoder": "rooms", "encoder_digest": "other"})
    with pytest.raises(RecipeError, match=r"the listener in .* learnt with the encoder 'rooms', not with 'factors'"):
        say_sets(speaker, listener=path, eyes=HERE, count=2)
    fresh_speaker(path, data={name: value for name, value in SEEN.items() if name != "seed"})
    with pytest.raises(BrokenCheckpoint, match="does not say by which seed"):
        say_sets(path, eyes=HERE, count=2)
    with pytest.raises(RecipeError, match="unknown way of thinking 'hard'"):
        Style(thinking="hard")  # type: ignore[arg-type]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_missing_gpu_is_told(speaker):
    """Before anything is read."""
    with pytest.raises(RecipeError, match="torch finds no GPU here; use --device cpu"):
        say_sets(speaker, eyes=replace(HERE, device="cuda:0"), count=2)


@pytest.mark.slow
def test_the_speakers_that_come_with_deixis_speak_of_what_they_see():
    """B names all six features, those that have played name fewer; nobody names false ones, and all are understood."""
    found = {}
    for name in ("b", "rp", "sp"):
        spoken, _ = say_sets(shipped_checkpoints()[f"speaker-{name}"], eyes=Eyes(device="cpu"), count=6)
        found[name] = summary_of(spoken), accuracy_of(spoken)
    said = {name: summary.overall["mentioned_features"].mean for name, (summary, _) in found.items()}

    assert said["b"] > 5.8
    assert all(said[name] < 5 for name in ("rp", "sp"))
    for name, (summary, accuracy) in found.items():
        assert summary.overall["false_features"].mean < 0.1
        assert accuracy["overall"]["literal_accuracy" if name == "b" else "listener_accuracy"] > 0.9


@pytest.mark.slow
def test_a_speaker_that_is_stopped_goes_on(speaker, tmp_path, monkeypatch):
    """Sets that were captioned are not captioned again, and every file is as if nothing had happened."""
    options = {"count": 4, "encoder": "factors", "decoding": "sampled"}
    request = Request(
        answers=(speaker,), options=options, splits=("shape", "floor_hue", "scale"), workers=1, device="cpu", seed=2
    )

    demand_resumed(lambda out: evaluate_request(WORLD, replace(request, out=out)), tmp_path, monkeypatch)
