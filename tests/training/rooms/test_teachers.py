"""Speakers that learn captions of rule-based ones, which depend on the pair, and games with them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from deixis.errors import RecipeError
from deixis.worlds.rooms.judging.literal import listen_literally
from deixis.worlds.rooms.mentions import judge_rows, read_rows
from deixis.worlds.rooms.pairs import CATEGORIES, SETS, partition
from deixis.worlds.rooms.scene import FACTORS, factors_of
from deixis.worlds.rooms.speakers import TEACHERS
from deixis.worlds.rooms.training import _game, pretrain
from deixis.worlds.rooms.training._bundles import read_rooms
from deixis.worlds.rooms.training._captions import lessons, mixed_contexts, taught_captions, vocabulary_of
from deixis.worlds.rooms.training._drift import texts_of
from deixis.worlds.rooms.training._game import play_games
from deixis.worlds.rooms.training._objectives import Players, listener_loss, play
from deixis.worlds.rooms.training._saying import length_of
from deixis.worlds.rooms.training.pretrain import learn_captions
from deixis.worlds.rooms.training.settings import Captioning, Game
from tests.training.rooms.made import (
    HERE,
    a_listener,
    a_speaker,
    fresh_speaker,
    some_captions,
    some_images,
    two_factors,
)


@pytest.fixture
def few_contexts(monkeypatch):
    """Let trainings have sixty contexts."""
    for module in (pretrain, _game):
        monkeypatch.setattr(module, "lessons", lambda how, part, **_: lessons(how, part, count=60))


@pytest.mark.parametrize("teacher", TEACHERS)
def test_what_a_teacher_says_is_true_and_depends_on_the_pair(teacher):
    """Nothing is false, and features are said much more often where they tell the images apart."""
    lesson = lessons(Captioning(teacher=teacher), "train", count=900)
    texts = texts_of(lesson.captions)
    judged = judge_rows(read_rows(texts), factors_of(lesson.images[:, 0]))
    differs = np.diff(factors_of(lesson.images), axis=1)[:, 0] != 0

    assert not judged.false.any()
    assert not judged.stray.any()
    assert judged.true[differs].mean() - judged.true[~differs].mean() > 0.15
    assert lesson.short is None
    assert any("thing" in text.split() for text in texts)


@pytest.mark.parametrize("teacher", ["minimal", "incremental"])
def test_brief_teachers_say_one_feature_that_tells_the_images_apart(teacher):
    """A literal listener always finds the target, and what is said is a single feature."""
    lesson = lessons(Captioning(teacher=teacher), "train", count=900)
    texts = texts_of(lesson.captions)

    says = np.array([bool(text) for text in texts])  # but of two orientations with one phrase
    assert (listen_literally(texts, lesson.images)[says] == 1).all()
    assert (judge_rows(read_rows(texts), factors_of(lesson.images[:, 0])).true.sum(axis=1) == says).all()
    assert says.mean() > 0.99


def test_a_teacher_says_nothing_where_no_phrase_tells_images_apart():
    """Two orientations with one phrase; of a pair that differs in a colour, the colour is said."""
    images = np.array([[7, 8], [7, 7 + 480]])

    said = taught_captions(images, "minimal", seed=1)

    assert texts_of(said) == ["", "a red thing"]
    assert said[0].tolist() == [1, *[3] * (said.shape[1] - 1)]


def test_mixed_pairs_are_of_the_kinds_of_the_test_sets():
    """A third each share at least one, two and three features; no image is its own distractor."""
    train = partition(seed=42).train
    rows = mixed_contexts(3_900, seed=2, distractors=1, among=train)
    same = factors_of(rows[:, 0]) == factors_of(rows[:, 1])

    assert (rows[:, 0] != rows[:, 1]).all()
    assert np.isin(rows, train).all()
    for place, names in enumerate(CATEGORIES.values()):
        assert (same[place::3].sum(axis=1) >= place + 1).all()
        for number, name in enumerate(names):
            shared = SETS[name]
            if not isinstance(shared, int):
                columns = [FACTORS.index(factor) for factor in shared]
                assert same[place::3][number :: len(names)][:, columns].all()


def test_settings_of_before_there_were_teachers_are_the_same():
    """Their digests do not change, so that runs go on, and what they do not say is what they did."""
    assert Captioning().digest == "8f43fe8de1171e1f6050f4ddaea9ce644bd592e49921b507d21255a3aceecbd6"
    assert Game().digest == "05e46ecf1c354c659c9374dca5552fb3a778a861f0894d33e11297a013e4acbd"
    for how in (Captioning(), Game()):
        before = {name: value for name, value in how.to_dict().items() if name not in how.added}
        assert how.differences(before) == {}
        assert type(how).read(before) == how
    assert Captioning(teacher="minimal").digest != Captioning().digest
    assert Game(listener_said=0.0).digest != Game().digest


def test_a_listener_that_learns_from_gold_alone_hears_nothing_of_the_speaker():
    """With `listener_said` 0 its gradient is that of the gold captions."""
    speaker, listener = a_speaker(), a_listener()
    images, gold = some_images(12), some_captions(12, 5)
    how = Game(listener_said=0.0, listener_gold=1.0, structure=0.5)

    told = play(Players(speaker, listener), images, gold, how, mean=torch.zeros(()), speaks=torch.ones(())).loss
    told.backward()
    found = {name: one.grad.clone() for name, one in listener.named_parameters()}
    listener.zero_grad()
    listener_loss(listener(images, gold, length_of(gold))).backward()

    for name, one in listener.named_parameters():
        assert torch.allclose(found[name], one.grad, atol=1e-6)


def test_a_game_with_a_teacher_needs_a_speaker_that_knows_its_words(tmp_path):
    """One that has learnt exhaustive captions lacks 'thing'."""
    speaker = fresh_speaker(tmp_path / "speaker.safetensors", width=8)

    with pytest.raises(RecipeError, match="lacks words of the teacher minimal, such as 'thing'"):
        play_games(Game(teacher="minimal"), speaker, tmp_path / "game", eyes=HERE, contexts=two_factors(4))


def test_a_taught_speaker_plays_on_with_its_teacher(few_contexts, tmp_path):
    """It knows the natural words; the game learns from captions of the same kind, and the best of each is selected."""
    few = {"width": 8, "batch_size": 8, "steps": 4, "eval_every": 2, "log_every": 2, "seed": 1}
    learnt = learn_captions(Captioning(teacher="incremental", **few), tmp_path / "c", eyes=HERE)
    del few["width"]
    how = Game(
        teacher="incremental", pairs="mixed", baseline="self-critical", listener_said=0.0, listener_gold=1.0, **few
    )

    played = play_games(how, tmp_path / "c" / "best.safetensors", tmp_path / "g", eyes=HERE)

    for run, facts in (("c", learnt), ("g", played)):
        assert read_rooms(tmp_path / run / "best.safetensors").vocabulary == vocabulary_of("incremental").words
        assert 0 <= facts["best"]["merit"] <= 1
    assert played["settings"]["teacher"] == "incremental"


@pytest.mark.slow
def test_a_speaker_learns_to_contrast(tmp_path):
    """From the factors themselves, in half a minute: it says a single feature, and nearly always one that differs."""
    how = Captioning(
        teacher="incremental",
        captions=1,
        width=64,
        batch_size=64,
        steps=1500,
        clip=1.0,
        lr=3e-3,
        eval_every=500,
        seed=1,
    )

    found = learn_captions(how, tmp_path / "run", eyes=HERE)["dev"]

    assert found["discriminativity"] > 0.9
    assert found["relevance"] > 0.98
    assert found["mentioned"] == pytest.approx(1, abs=0.02)
    assert found["false"] < 0.1
