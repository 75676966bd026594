from __future__ import annotations

from math import log

import numpy as np
import pytest
import torch

from deixis.worlds.rooms._models.speakers import CaptionLanguage, CaptionLanguageSettings
from deixis.worlds.rooms.scene import SIZES
from deixis.worlds.rooms.training._captions import LONGEST, caption_tokens
from deixis.worlds.rooms.training._drift import drift, overlap, score_words, texts_of
from deixis.worlds.rooms.training._saying import SpokenCaptions, length_of
from deixis.worlds.rooms.vocabulary import vocabulary
from tests.training.rooms.made import KNOWN, a_speaker, some_images


RED, PURPLE = (np.ravel_multi_index((3, 4, hue, 0, 2, 3), SIZES) for hue in (0, 8))  # only the ball's colour differs
PAIR = np.array([[RED, PURPLE]])


def said(*texts: str) -> np.ndarray:
    return np.array([vocabulary("complete").encode(text, LONGEST + 1)[1:] for text in texts])


def test_an_exhaustive_caption_says_all():
    """All six features, none of them false, and one of them tells the images apart."""
    found = score_words(caption_tokens(np.array([RED]), np.array([0])), PAIR)

    assert found["discriminativity"] == 1
    assert found["mentioned"] == 6
    assert found["false"] == 0
    assert found["relevance"] == 0
    assert found["words"] == 18


def test_what_is_said_is_judged():
    """The colour alone is all it takes; that of the other image is false; a caption may be empty."""
    found = [score_words(said(text), PAIR) for text in ("a red ball", "a purple ball", "")]

    assert [one["discriminativity"] for one in found] == [1, 0, 0]
    assert [one["false"] for one in found] == [0, 1, 0]
    assert [one["words"] for one in found] == [3, 3, 0]
    assert found[2]["efficiency"] == 0  # defined for no caption


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("a red ball", 1),  # a and ball belong to both
        ("a purple ball", -1),
        ("red red purple", 1),
        ("a pill", 0),
        ("", 0),
    ],
)
def test_overlap_counts_the_words_of_either_image(text, more):
    """Words of the target's captions less those of the distractor's."""
    assert overlap(said(text), PAIR) == more


def test_overlap_is_a_mean_over_captions():
    """And what ends and fills up is no word."""
    assert overlap(said("red", "purple", "a"), np.repeat(PAIR, 3, axis=0)) == 0
    assert overlap(said("red", "red", "a"), np.repeat(PAIR, 3, axis=0)) == pytest.approx(2 / 3)


def test_who_knows_nothing_holds_all_words_for_equally_likely():
    """Structural and semantic drift are then the length times log 48, the end included."""
    words = torch.from_numpy(said("a red ball", "red"))
    language = CaptionLanguage(CaptionLanguageSettings(width=4), len(KNOWN))
    speaker = a_speaker(1, words=len(KNOWN))
    for layer in (language.output, speaker.output):
        torch.nn.init.zeros_(layer.weight)
        torch.nn.init.zeros_(layer.bias)

    found = drift(SpokenCaptions(words, length_of(words)), some_images(2)[:, 0], language, speaker)

    assert found == {name: pytest.approx(-(4 + 2) / 2 * log(48), abs=1e-4) for name in ("structural", "semantic")}
    assert drift(SpokenCaptions(words, length_of(words)), some_images(2)[:, 0], None, None) == {}


def test_drift_depends_on_the_target_alone():
    """The speaker before the game is asked about an image by itself; another target is held for less or more likely."""
    words = torch.from_numpy(said("a red ball"))
    speaker, spoken = a_speaker(1, words=len(KNOWN)), SpokenCaptions(words, length_of(words))
    one, other = some_images(2)[:, 0]

    found = [drift(spoken, image[None], None, speaker)["semantic"] for image in (one, other)]

    assert found[0] != pytest.approx(found[1], abs=1e-3)


def test_texts_come_back():
    """What ends and fills up is left out."""
    assert texts_of(said("a tiny red ball", "")) == ["a tiny red ball", ""]
