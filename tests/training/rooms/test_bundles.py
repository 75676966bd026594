from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.learn._checkpoints import KEY, half_bundle, read_facts, write_bundle
from deixis.worlds.rooms._models.speakers import RoomListener, RoomListenerSettings, RoomSpeaker, RoomSpeakerSettings
from deixis.worlds.rooms.training._bundles import read_player, read_rooms
from deixis.worlds.rooms.training.features import find_encoder
from tests.training.rooms.made import KNOWN, SEEN, bundle_of, fresh_listener, fresh_speaker, reset


CPU = torch.device("cpu")


@pytest.fixture
def players():
    """A speaker and a listener in one checkpoint, with what it takes to go on."""
    reset(1)
    speaker = RoomSpeaker(RoomSpeakerSettings(width=4), len(KNOWN))
    listener = RoomListener(RoomListenerSettings(width=4), len(KNOWN))
    moments = {f"{name}/speaker.word.weight": torch.ones(len(KNOWN), 4) for name in ("first", "second")}
    memory = {**moments, "kept/mean": torch.tensor(0.5)}
    return bundle_of({"speaker": speaker, "listener": listener}, role="game", step=3, memory=memory)


def test_players_survive_being_written(players, tmp_path):
    """Reading is the inverse of writing, and writing the same again gives the same bytes."""
    path, again = tmp_path / "one.safetensors", tmp_path / "two.safetensors"

    write_bundle(path, players)
    found = read_rooms(path)
    write_bundle(again, found)

    assert replace(found, weights={}, memory={}) == replace(players, weights={}, memory={})
    assert all(torch.equal(found.weights[name], one) for name, one in players.weights.items())
    assert all(torch.equal(found.memory[name], one) for name, one in players.memory.items())
    assert path.read_bytes() == again.read_bytes()


def test_half_the_precision_is_half_the_size(players, tmp_path):
    """Weights come back in float32; what it takes to go on is left out."""
    whole, half = tmp_path / "whole.safetensors", tmp_path / "half.safetensors"

    write_bundle(whole, players)
    write_bundle(half, half_bundle(players))

    found = read_rooms(half)
    assert half.stat().st_size < 0.6 * whole.stat().st_size
    assert not found.memory
    assert all(torch.equal(found.weights[name], one.bfloat16().float()) for name, one in players.weights.items())


def test_a_model_that_is_not_there_is_told(players):
    """With those that are."""
    with pytest.raises(BrokenCheckpoint, match="there is no language in this checkpoint; it has speaker, listener"):
        players.model("language", CPU)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda facts: facts.update(kind="checkpoint"), "is no speaker, listener or encoder of rooms of format 2 or 1"),
        (lambda facts: facts.update(format=3), "is no speaker, listener or encoder of rooms of format 2 or 1"),
        (lambda facts: facts.pop("models"), "does not say 'models'"),
        (lambda facts: facts["models"].update(robot={}), "there is no model 'robot'"),
        (lambda facts: facts["models"]["speaker"].update(width=1 << 40), "cannot be built: sizes go from 1 to 4,096"),
        (lambda facts: facts["models"]["speaker"].update(width="wide"), "cannot be built"),
        (lambda facts: facts["models"]["speaker"].update(depth=2), "cannot be built"),
        (lambda facts: facts["models"].update(speaker=7), "does not say the sizes of its speaker"),
        (lambda facts: facts["models"]["speaker"].update(width=5), "is not a checkpoint of this speaker and listener"),
        (lambda facts: facts["models"].pop("listener"), "has, without need,"),
        (lambda facts: facts.update(vocabulary=[]), "no list of words"),
        (lambda facts: facts.update(step="3"), "does not say 'step'"),
    ],
)
def test_facts_that_cannot_be_are_told(players, tmp_path, change, complaint):
    """Each in one line, without building what a file claims."""
    path = tmp_path / "odd.safetensors"
    write_bundle(path, players)
    facts = read_facts(path)
    change(facts)
    save_file(load_file(path), path, {KEY: json.dumps(facts)})

    with pytest.raises(BrokenCheckpoint, match=complaint):
        read_rooms(path)


def test_memory_of_another_model_is_told(players, tmp_path):
    """Its names and its shapes have to be those of the weights."""
    path = tmp_path / "odd.safetensors"
    for memory in ({"first/speaker.mind": torch.ones(2)}, {"second/speaker.word.weight": torch.ones(2)}):
        write_bundle(path, replace(players, memory=memory))
        with pytest.raises(BrokenCheckpoint, match=r"remembers .* of another model"):
            read_rooms(path)


@given(share=st.floats(0, 0.999))
def test_a_truncated_file_is_told(tmp_path_factory, share):
    """Wherever it was cut."""
    path = tmp_path_factory.getbasetemp() / "whole-speaker.safetensors"
    if not path.exists():
        fresh_speaker(path, width=4)
    cut = path.with_name("cut-speaker.safetensors")
    content = path.read_bytes()
    cut.write_bytes(content[: int(len(content) * share)])

    with pytest.raises(BrokenCheckpoint, match="cannot be read as a safetensors file"):
        read_rooms(cut)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {"data": {**SEEN, "encoder": "rooms", "encoder_digest": "other"}},
            "learnt with the encoder 'rooms', not with",
        ),
        ({"data": {**SEEN, "encoder_digest": "other"}}, "learnt with another encoder of that name"),
    ],
)
def test_players_of_another_encoder_are_told(tmp_path, changes, complaint):
    """They see something else in the same image."""
    path = tmp_path / "speaker.safetensors"
    fresh_speaker(path, width=4, **changes)

    with pytest.raises(RecipeError, match=complaint):
        read_player(path, "speaker", find_encoder("factors", CPU))


def test_players_that_do_not_fit_are_told(tmp_path):
    """A listener for a speaker, other words, other features, no file."""
    encoder, path = find_encoder("factors", CPU), tmp_path / "one.safetensors"
    fresh_listener(path, width=4)
    with pytest.raises(BrokenCheckpoint, match=r"there is no speaker in .*one.safetensors; it has listener"):
        read_player(path, "speaker", encoder)
    fresh_listener(path, width=4, words=KNOWN[:-1])
    with pytest.raises(RecipeError, match=r"the listener in .* knows other words"):
        read_player(path, "listener", encoder)
    reset(1)
    write_bundle(path, bundle_of({"speaker": RoomSpeaker(RoomSpeakerSettings(features=9, width=4), len(KNOWN))}))
    with pytest.raises(RecipeError, match="does not see images in 2,048 numbers"):
        read_player(path, "speaker", encoder)
    with pytest.raises(BrokenCheckpoint, match="there is no checkpoint"):
        read_player(tmp_path / "none.safetensors", "speaker", encoder)
