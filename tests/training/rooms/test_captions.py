from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.learn._loop import passes
from deixis.worlds.rooms.captions import caption, captions
from deixis.worlds.rooms.pairs import test_sets
from deixis.worlds.rooms.scene import IMAGES, factors_of
from deixis.worlds.rooms.training._captions import SIMILAR, caption_tokens, images_of, lessons
from deixis.worlds.rooms.training._drift import texts_of
from deixis.worlds.rooms.training.settings import Captioning, Game


@pytest.fixture(scope="module")
def learnt():
    """What a speaker learns captions from."""
    return lessons(Captioning(), "train")


@pytest.fixture(scope="module", params=["random", "similar"])
def played(request):
    """How pairs are drawn, and the contexts of a game."""
    return request.param, lessons(Game(pairs=request.param), "tune")


@given(image=st.integers(0, IMAGES - 1), number=st.integers(0, 19))
def test_captions_survive_being_numbers(image, number):
    """The text of the numbers is the caption, without its hyphens."""
    tokens = caption_tokens(np.array([image]), np.array([number]))

    assert texts_of(tokens) == [caption(image, number).replace("-", " ")]


def test_every_image_is_learnt_equally_often_with_different_captions(learnt):
    """Five captions of each of 30,000 images, no two of an image alike, all of them its own."""
    images, counts = np.unique(learnt.images[:, 0], return_counts=True)

    assert np.array_equal(images, images_of(42).train)
    assert set(counts) == {5}
    assert len(learnt) == 150_000
    first = learnt.captions.reshape(-1, 5, learnt.captions.shape[1])[:200]
    assert all(len({tuple(row) for row in some.tolist()}) == 5 for some in first)
    for row in range(0, 150_000, 15_001):
        every = [text.replace("-", " ") for text in captions(int(learnt.images[row, 0]))]
        assert texts_of(learnt.captions[row : row + 1])[0] in every


def test_all_frames_of_captions_are_learnt(learnt):
    """None of the twenty is favoured by more than chance allows."""
    count = 4000
    order = np.argsort(learnt.images[:count, 0], kind="stable")
    texts = texts_of(learnt.captions[:count][order])
    images = learnt.images[:count, 0][order]
    numbers = [
        [text.replace("-", " ") for text in captions(int(image))].index(said)
        for image, said in zip(images[:1000], texts[:1000], strict=True)
    ]

    shares = np.bincount(numbers, minlength=20)
    assert (abs(shares - 50) < 35).all()


def test_a_distractor_is_never_the_target(learnt, played):
    """Neither where captions are learnt nor in the game."""
    for lesson in (learnt, played[1]):
        assert (lesson.images[:, 1:] != lesson.images[:, :1]).all()


def test_several_distractors_are_all_different():
    """No image is shown twice, also where captions are learnt."""
    for lesson in (
        lessons(Captioning(distractors=3), "train", count=3000),
        lessons(Game(distractors=3), "tune", count=3000),
    ):
        assert lesson.images.shape == (3000, 4)
        assert (np.diff(np.sort(lesson.images, axis=1), axis=1) > 0).all()


def test_similar_images_share_three_features(played):
    """At least; random ones share fewer as a rule."""
    pairs, lesson = played
    left, right = factors_of(lesson.images[:, 0]), factors_of(lesson.images[:, 1])

    shared = (left == right).sum(1)

    assert (shared < SIMILAR).mean() > 0.9 if pairs == "random" else (shared >= SIMILAR).all()


def test_no_image_has_two_purposes(learnt, played):
    """Those that are learnt from, played with, looked at and tested do not overlap."""
    held_out = lessons(Captioning(), "validation", count=512)
    tested = np.concatenate([rows.ravel() for rows in test_sets(seed=42, count=200).values()])
    used = [learnt.images.ravel(), played[1].images.ravel(), held_out.images.ravel(), tested]

    for number, one in enumerate(used):
        for other in used[number + 1 :]:
            assert not len(np.intersect1d(one, other))


@given(total=st.integers(1, 60), batch=st.integers(1, 25), seed=st.integers(0, 1 << 62))
def test_every_row_comes_once_in_a_pass(total, batch, seed):
    """Whatever the batch; and an update's rows follow from its number alone."""
    updates = -(-2 * total // batch)
    rows = np.concatenate([passes(update, batch, total, seed) for update in range(updates)])

    for turn in range(len(rows) // total):
        assert sorted(rows[turn * total : (turn + 1) * total]) == list(range(total))
    assert np.array_equal(passes(updates - 1, batch, total, seed), rows[(updates - 1) * batch :])


def test_the_next_pass_has_another_order():
    """And so has another seed."""
    first, second, other = passes(0, 50, 50, 1), passes(1, 50, 50, 1), passes(0, 50, 50, 2)

    assert not np.array_equal(first, second)
    assert not np.array_equal(first, other)
