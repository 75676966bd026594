"""Courses that are stopped go on as if nothing had happened; those that fail leave the last good checkpoint."""

from __future__ import annotations

import signal
from dataclasses import replace

import pytest
import torch

from deixis.errors import DivergedTraining, RecipeError
from deixis.worlds.rooms.training import pretrain
from deixis.worlds.rooms.training._bundles import read_rooms
from deixis.worlds.rooms.training._game import play_games
from deixis.worlds.rooms.training.pretrain import learn_captions
from deixis.worlds.rooms.training.settings import Captioning, Game
from tests.training.rooms.made import HERE, fresh_listener, fresh_speaker, log_of, two_factors
from tests.training.small import are_equal
from tests.training.test_checkpoints import no_room


LEARN = Captioning(width=8, steps=8, batch_size=6, eval_every=4, log_every=3, save_every=2, lr=0.01, seed=1)
PLAY = Game(steps=8, batch_size=6, eval_every=4, log_every=3, save_every=2, lr=0.01, seed=1)
CONTEXTS = two_factors(4)


def learn(how, out, **more):
    return learn_captions(how, out, eyes=HERE, **more)


@pytest.fixture
def run(few_images, tmp_path):
    """Either course, begun or gone on with in a folder by name."""
    fresh_speaker(tmp_path / "speaker.safetensors", width=8)

    def follow(kind, folder, **more):
        if kind == "captioning":
            return learn(LEARN, tmp_path / folder, **more)
        how = replace(PLAY, objective="gumbel") if kind == "gumbel" else PLAY
        return play_games(
            how, tmp_path / "speaker.safetensors", tmp_path / folder, eyes=HERE, contexts=CONTEXTS, **more
        )

    return follow


class PowerCut(Exception):
    """What no course expects."""


def cut_at(update):
    """Progress that ends everything at some update."""

    def tell(stage, done, total, note="", /):
        if stage in ("captioning", "game") and done == update:
            raise PowerCut

    return tell


@pytest.mark.parametrize("kind", ["captioning", "game", "gumbel"])
def test_a_stopped_course_reaches_the_same_weights(run, tmp_path, kind):
    """Stopped by the clock, by a power cut, and gone on with: all numbers are those of a run without a break."""
    run(kind, "whole")
    stopped = run(kind, "broken", stop_after=0.0)
    with pytest.raises(PowerCut):
        run(kind, "broken", progress=cut_at(6))
    found = run(kind, "broken")

    assert 0 < stopped["steps"] < 8
    assert found["steps"] == 8
    for name in ("last.safetensors", "best.safetensors"):
        assert are_equal(tmp_path / "whole" / name, tmp_path / "broken" / name)
    looks = [[line["dev"] for line in log_of(tmp_path / name) if "dev" in line] for name in ("whole", "broken")]
    assert looks[0] == looks[1]
    assert len(looks[0]) == 2


def legs_of(run):
    return [(leg["steps"], leg["until"]) for leg in run.get("legs", [])]


def test_going_on_for_more_updates_is_recorded(few_images, tmp_path):
    """The rate had fallen by then, so the weights are not those of one long run, and run.json tells of both legs."""
    learn(LEARN, tmp_path / "twice")
    twice = learn(replace(LEARN, steps=16), tmp_path / "twice")
    once = learn(replace(LEARN, steps=16), tmp_path / "once")

    assert not are_equal(tmp_path / "once" / "best.safetensors", tmp_path / "twice" / "best.safetensors")
    assert legs_of(twice) == [(8, 8), (16, 16)]
    assert legs_of(once) == []


def test_legs_are_kept_from_one_call_to_the_next(few_images, tmp_path):
    """Also when it is stopped again, and when a third number is wanted."""
    learn(LEARN, tmp_path)
    learn(replace(LEARN, steps=16), tmp_path, stop_after=0.0)
    learn(replace(LEARN, steps=16), tmp_path)
    found = learn(replace(LEARN, steps=24), tmp_path)

    assert legs_of(found) == [(8, 8), (16, 16), (24, 24)]
    assert read_rooms(tmp_path / "last.safetensors").metrics["legs"] == found["legs"][:2]


def test_going_on_before_the_rate_falls_is_one_leg(few_images, tmp_path):
    """Stopped while the rate was still whole, another number of updates gives the weights of one run of that number."""
    stopped = learn(replace(LEARN, log_every=1), tmp_path / "twice", stop_after=0.0)
    twice = learn(replace(LEARN, steps=16), tmp_path / "twice")
    learn(replace(LEARN, steps=16), tmp_path / "once")

    assert stopped["steps"] <= 6
    assert legs_of(twice) == []
    assert are_equal(tmp_path / "once" / "best.safetensors", tmp_path / "twice" / "best.safetensors")


@pytest.mark.parametrize("kind", ["captioning", "game"])
def test_an_interrupt_finishes_the_update_in_hand(run, tmp_path, kind):
    """It is saved, one line says so, and going on reaches the same weights."""

    def press(stage, done, total, note="", /):
        if stage == kind and done == 3:
            signal.raise_signal(signal.SIGINT)

    run(kind, "whole")
    with pytest.raises(KeyboardInterrupt, match=r"stopped after 4 steps; they are kept in .*broken"):
        run(kind, "broken", progress=press)
    assert read_rooms(tmp_path / "broken" / "last.safetensors").step == 4
    run(kind, "broken")

    assert are_equal(tmp_path / "whole" / "last.safetensors", tmp_path / "broken" / "last.safetensors")


def test_a_finished_course_has_nothing_to_do(run, tmp_path):
    """Given again, it says so and touches nothing."""
    run("captioning", "run")
    before = (tmp_path / "run" / "last.safetensors").read_bytes()

    assert run("captioning", "run")["was finished"]
    assert (tmp_path / "run" / "last.safetensors").read_bytes() == before


def test_the_folder_of_another_course_is_told(run, few_images, tmp_path):
    """With what differs."""
    run("captioning", "run")

    with pytest.raises(RecipeError, match=r"holds another run: seed is 1 there, 2 here"):
        learn(replace(LEARN, seed=2), tmp_path / "run")
    with pytest.raises(RecipeError, match="holds another run: model is 'captioning' there, 'game' here"):
        run("game", "run")
    with pytest.raises(RecipeError, match="has taken 8 steps already, more than 5"):
        learn(replace(LEARN, steps=5), tmp_path / "run")


def test_a_loss_that_is_no_number_stops_a_course(few_images, tmp_path, monkeypatch):
    """The checkpoint before it is named and stays as it was."""
    learn(replace(LEARN, steps=4), tmp_path / "run")
    last = tmp_path / "run" / "last.safetensors"
    before = last.read_bytes()
    plain = pretrain.caption_loss
    monkeypatch.setattr(pretrain, "caption_loss", lambda scores, words: plain(scores, words) * float("nan"))

    with pytest.raises(DivergedTraining, match=r"of step 5 is nan; the last good checkpoint is"):
        learn(LEARN, tmp_path / "run")

    assert last.read_bytes() == before


def test_a_full_disk_leaves_the_checkpoint_before(few_images, tmp_path):
    """Nothing half written takes its place."""
    learn(replace(LEARN, steps=4), tmp_path / "run")
    last = tmp_path / "run" / "last.safetensors"
    before = last.read_bytes()

    with no_room(len(before) // 2), pytest.raises(OSError, match=r"."):
        learn(LEARN, tmp_path / "run")

    assert last.read_bytes() == before
    assert learn(LEARN, tmp_path / "run")["steps"] == 8


@pytest.mark.slow
def test_a_speaker_learns_captions(few_images, tmp_path):
    """In 150 updates the cost of a word falls far below that of a guess, and the log tells of it."""
    found = learn(replace(LEARN, width=32, steps=150, batch_size=32, log_every=50, eval_every=150), tmp_path / "run")

    told = [line["caption"] for line in log_of(tmp_path / "run") if "dev" not in line]
    assert told[-1] < 1.2 < told[0]
    assert found["dev"]["caption"] < 1.5
    assert found["parameters"].keys() == {"speaker", "language"}


@pytest.mark.slow
def test_captions_are_learnt_after_own_words_as_published(few_images, tmp_path):
    """With forcing halved, a run stopped in the middle also goes on to the same weights."""
    how = replace(LEARN, forcing="halved", batch_size=300, steps=5, eval_every=5, save_every=1, log_every=2)
    learn(how, tmp_path / "whole")
    learn(how, tmp_path / "broken", stop_after=0.0)
    learn(how, tmp_path / "broken")

    assert are_equal(tmp_path / "whole" / "last.safetensors", tmp_path / "broken" / "last.safetensors")
    always = replace(how, forcing="always")
    learn(always, tmp_path / "always")
    assert not are_equal(tmp_path / "whole" / "last.safetensors", tmp_path / "always" / "last.safetensors")


def test_a_frozen_listener_stays_as_it_is(tmp_path):
    """Byte for byte, while the speaker changes; it is kept with the speaker that learnt from it."""
    speaker, listener = fresh_speaker(tmp_path / "s.safetensors"), fresh_listener(tmp_path / "l.safetensors")
    how = replace(PLAY, listener="frozen")

    play_games(how, speaker, tmp_path / "run", listener=listener, eyes=HERE, contexts=CONTEXTS)

    found, given = read_rooms(tmp_path / "run" / "best.safetensors"), read_rooms(listener)
    before = read_rooms(speaker)
    assert all(torch.equal(found.weights[name], one) for name, one in given.weights.items())
    assert not any(torch.equal(found.weights[name], one) for name, one in before.weights.items() if "bias" not in name)


def test_a_joint_listener_learns(tmp_path):
    """Also one that was given."""
    speaker, listener = fresh_speaker(tmp_path / "s.safetensors"), fresh_listener(tmp_path / "l.safetensors")

    play_games(PLAY, speaker, tmp_path / "run", listener=listener, eyes=HERE, contexts=CONTEXTS)

    found, given = read_rooms(tmp_path / "run" / "best.safetensors"), read_rooms(listener)
    assert not torch.equal(found.weights["listener.image.weight"], given.weights["listener.image.weight"])


def test_who_cannot_play_is_told(tmp_path):
    """A frozen listener that is missing, images divided otherwise, a device that is not here."""
    speaker, out = fresh_speaker(tmp_path / "s.safetensors"), tmp_path / "run"
    with pytest.raises(RecipeError, match="must be given"):
        play_games(replace(PLAY, listener="frozen"), speaker, out, eyes=HERE, contexts=CONTEXTS)
    with pytest.raises(RecipeError, match=r"divided by the seed 42, those of the game by 7.*--data-seed 42"):
        play_games(replace(PLAY, data_seed=7), speaker, out, eyes=HERE, contexts=CONTEXTS)
    if not torch.cuda.is_available():
        with pytest.raises(RecipeError, match="torch finds no GPU here"):
            play_games(PLAY, speaker, out, eyes=replace(HERE, device="cuda"), contexts=CONTEXTS)
    assert not out.exists()
