from __future__ import annotations

import hashlib

import numpy as np
import pytest

from deixis.distractors.necessity import is_minimal, necessity
from deixis.errors import SchemaError
from deixis.worlds.rooms.captions import parse_caption
from deixis.worlds.rooms.every_word import EVERY_WORD, draw_every_word, needed_captions, needed_features
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging.literal import listen_literally
from deixis.worlds.rooms.pairs import context_of, partition
from deixis.worlds.rooms.scene import FACTORS, PLACES, RoomScene, factors_of


@pytest.fixture(scope="module")
def sets():
    return draw_every_word(seed=11, count=600)


@pytest.mark.parametrize("name", EVERY_WORD)
def test_no_feature_of_a_caption_can_be_left_out(sets, name):
    """By the meaning of captions: each fits its target alone, and without any of its parts something else, too."""
    for row in sets[name][:40]:
        said = parse_caption(needed_captions(row[None])[0], "partial")

        assert list(necessity(said.expression, context_of(row)).values()) == [True] * EVERY_WORD[name]
        assert is_minimal(said.expression, context_of(row))


@pytest.mark.parametrize("name", EVERY_WORD)
def test_these_captions_are_as_good_as_can_be(sets, name):
    """They are discriminative, efficient, relevant and true, and a literal listener always finds the target."""
    rows = sets[name][:20]
    target, others = rows[:, 0], rows[:, 1:]

    scores = score_captions(needed_captions(rows), target, others)

    for good in (scores.is_discriminative, scores.is_optimal, scores.is_minimal):
        assert good.all()
    assert (scores.efficiency() == 1).all()
    assert (scores.relevance == 1).all()
    assert scores.false.sum() == 0
    assert (listen_literally(needed_captions(rows), rows) == 1).all()


@pytest.mark.parametrize("name", EVERY_WORD)
def test_images_alone_do_not_tell_which_is_meant(sets, name):
    """Any image of a context could be its target: it stands to the others as the target does."""
    rows = sets[name][:50]
    needed = needed_features(rows)

    for place in range(rows.shape[1]):
        order = [place, *(other for other in range(rows.shape[1]) if other != place)]
        assert np.array_equal(needed_features(rows[:, order]), needed)


@pytest.mark.parametrize("name", EVERY_WORD)
def test_every_choice_of_features_is_equally_often_needed(sets, name):
    """Six, fifteen and twenty choices, in random order."""
    needed = needed_features(sets[name])
    _, counts = np.unique(needed, axis=0, return_counts=True)

    assert (needed.sum(axis=1) == EVERY_WORD[name]).all()
    assert len(counts) == {1: 6, 2: 15, 3: 20}[EVERY_WORD[name]]
    assert np.ptp(counts) <= 1
    assert sets[name].shape == (600, 1 << EVERY_WORD[name])


def test_what_is_needed_is_what_some_distractor_alone_differs_in(sets):
    """The arrays agree with the plain definition, image by image and phrase by phrase."""
    rng = np.random.default_rng(3)
    factors = factors_of(rng.integers(0, 480_000, 200))
    near = np.stack([factors] * 4, axis=1)
    near[:, 1:][rng.random((200, 3, 6)) < 0.25] = 0
    images = (near.astype(np.int64) * (48_000, 4_800, 480, 60, 15, 1)).sum(axis=2)

    for rows in (images, *sets.values()):
        plain = [[name in _needed_plainly(row) for name in FACTORS] for row in rows[:200].tolist()]
        assert needed_features(rows[:200]).tolist() == plain


def _needed_plainly(row):
    target, *others = (_phrases(image) for image in row)
    telling = [{name for name in FACTORS if target[name] != other[name]} for other in others]
    return {name for some in telling if len(some) == 1 for name in some}


def _phrases(image):
    *hues, place = RoomScene(image).factors
    return dict(zip(FACTORS, (*hues, PLACES[place]), strict=True))


def test_images_are_those_to_choose_from(sets):
    """By default the held-out ones, all images of a context different; too few are an error in one line."""
    held_out = partition(seed=11).test

    for rows in sets.values():
        assert np.isin(rows, held_out).all()
        assert (np.diff(np.sort(rows, axis=1)) > 0).all()
    with pytest.raises(SchemaError, match="among 9 images there are too few that differ in one feature"):
        draw_every_word(seed=1, count=3, among=np.arange(0, 480_000, 53_334))


def test_the_same_seed_gives_the_same_sets(sets):
    """Another seed gives others; the digest is that of the first time."""
    again, other = draw_every_word(seed=11, count=600), draw_every_word(seed=12, count=600)

    assert all(np.array_equal(again[name], rows) for name, rows in sets.items())
    assert not any(np.array_equal(other[name], rows) for name, rows in sets.items())
    digest = hashlib.sha256(b"".join(rows.astype("<u4").tobytes() for rows in sets.values())).hexdigest()
    assert digest[:16] == "b3e718967cac1dba"
