from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.worlds.rooms.captions import caption
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging.literal import listen_literally
from deixis.worlds.rooms.mentions import judge
from deixis.worlds.rooms.scene import IMAGES, RoomScene


RED_BALL, BLUE_BLOCK = 0 * 480 + 2 * 15, 6 * 480  # of red floors and walls, tiny, in the right corner


@pytest.mark.parametrize(
    ("text", "chance"),
    [
        ("a red ball", 1.0),
        ("a medium blue block", 0.0),  # it holds of the other one alone
        ("a tiny thing", 0.5),
        ("", 0.5),
        ("a giant thing", 0.5),  # it holds of neither
        ("a red block", 0.5),  # half of it holds of each
    ],
)
def test_a_literal_listener_goes_by_truth(text, chance):
    """An image of which something said is false is ruled out, unless all are."""
    assert listen_literally([text], np.array([[RED_BALL, BLUE_BLOCK]])).tolist() == [chance]


@given(
    st.lists(st.integers(0, IMAGES - 1), min_size=2, max_size=4),
    st.lists(st.sampled_from(["red", "ball", "tiny", "on", "blue", "floor", "a", "wall", "cylinder"]), max_size=6),
)
def test_it_is_the_listener_of_the_theory(rooms, words):
    """As judging each image by itself says."""
    text = " ".join(words)

    fits = [not judge(text, RoomScene(room)).false for room in rooms]

    expected = fits[0] / sum(fits) if any(fits) else 1 / len(rooms)
    assert listen_literally([text], np.array([rooms])).tolist() == [pytest.approx(expected)]


def test_it_finds_what_true_words_tell_apart():
    """Of true captions it finds those that tell the target apart, and half of the others."""
    images = np.random.default_rng(0).integers(0, IMAGES, (200, 2))
    texts = [caption(int(target), number % 20) for number, target in enumerate(images[:, 0])]

    found = listen_literally(texts, images)

    told_apart = score_captions(texts, images[:, 0], images[:, 1], by="expression").is_discriminative
    assert np.array_equal(found, np.where(told_apart, 1.0, 0.5))


def test_captions_and_contexts_must_be_as_many():
    """Otherwise nobody knows which is which."""
    with pytest.raises(SchemaError, match="2 captions need as many rows of images"):
        listen_literally(["a", "b"], np.array([[1, 2]]))
