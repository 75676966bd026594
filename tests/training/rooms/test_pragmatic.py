from __future__ import annotations

from math import log

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import RecipeError
from deixis.worlds.rooms.training._saying import (
    END,
    Decoding,
    Pragmatic,
    SpokenCaptions,
    length_of,
    literal_listener,
    reason,
    rerank,
    say,
)
from tests.training.rooms.made import WORDS, a_listener, a_speaker, reset, some_captions, some_images


SEEDS = st.integers(0, 1 << 30)


def chance_of(speaker, image: torch.Tensor, caption: list[int]) -> float:
    """How likely a speaker who sees one image says a caption, word by word; images are float [feature]."""
    seen = speaker.look(image[None, None])
    state, last, product = speaker.begin(seen), 0, 1.0
    for word in caption:
        scores, state = speaker.step(seen, torch.tensor([last]), state)
        product *= float(scores[0].double().softmax(0)[word])
        last = word
    return product


def next_words(speaker, image: torch.Tensor, said: list[int]) -> np.ndarray:
    """How likely each word comes next for a speaker who sees one image."""
    scores = speaker.scores(speaker.look(image[None, None]), torch.tensor([[0, *said]]))
    return scores[0, -1].double().softmax(0).numpy()


@given(seed=SEEDS, images=st.integers(2, 4))
def test_a_literal_listener_follows_bayes(seed, images):
    """All images are as likely before; after a caption, in proportion to how likely it is said of each."""
    speaker, seen, words = a_speaker(seed, spread=0.7), some_images(3, images, seed), some_captions(3, 4, seed)

    found = literal_listener(speaker, seen, SpokenCaptions(words, length_of(words))).exp()

    with torch.no_grad():
        for row, caption in enumerate(words.tolist()):
            said = caption[: caption.index(END) + 1]
            fits = np.array([chance_of(speaker, image, said) for image in seen[row]])
            assert found[row].numpy() == pytest.approx(fits / fits.sum(), abs=1e-4)


@given(seed=SEEDS)
def test_who_does_not_think_of_the_listener_speaks_literally(seed):
    """With alpha 0 each word is the likeliest of a speaker who sees the target alone."""
    speaker, images = a_speaker(seed), some_images(5, 3, seed)

    found = reason(speaker, images, Pragmatic(alpha=0.0), limit=5)

    wanted = say(speaker, speaker.look(images[:, :1]).detach(), limit=5)
    assert torch.equal(found.words, wanted.words)
    assert torch.equal(found.length, wanted.length)


@pytest.mark.parametrize("seed", range(20))
def test_each_word_is_the_best_by_definition(seed):
    """Held against beliefs and words that are computed one after the other, in contexts of three images."""
    speaker, images = a_speaker(seed, spread=0.6), some_images(1, 3, seed)
    with torch.no_grad():
        speaker.output.bias[END] = -5.0  # long captions, in which beliefs have time to form
    how = Pragmatic(alpha=4.0, cost=0.3, fluency=0.7)

    caption = reason(speaker, images, how, limit=6)

    belief, said = np.full(3, 1 / 3), []
    with torch.no_grad():
        for chosen in caption.words[0, : int(caption.length[0])].tolist():
            each = np.array([next_words(speaker, image, said) for image in images[0]])
            held = belief[:, None] * each / (belief[:, None] * each).sum(0)
            worth = how.fluency * np.log(each[0]) + how.alpha * np.log(held[0]) + how.cost * (np.arange(WORDS) == END)
            assert worth[chosen] == pytest.approx(worth.max(), abs=1e-4)
            belief, said = held[:, chosen], [*said, chosen]


def test_thinking_of_the_listener_helps_it():
    """The more weight, the more often a literal listener finds the target."""
    speaker, images = a_speaker(4, spread=0.5), some_images(200, 2, 4)
    found = []
    for alpha in (0.0, 1.0, 5.0):
        said = reason(speaker, images, Pragmatic(alpha=alpha), limit=6)
        found.append(float(literal_listener(speaker, images, said)[:, 0].mean()))

    assert found[0] < found[1] < found[2]


@pytest.mark.parametrize("hears", [True, False])
@settings(max_examples=15)
@given(seed=SEEDS)
def test_the_best_of_several_proposals_is_taken(hears, seed):
    """By likelihood, by what the listener makes of them, and by cost, one by one."""
    speaker, images = a_speaker(seed, spread=0.7), some_images(2, 2, seed)
    listener = a_listener(seed) if hears else None
    how = Pragmatic(alpha=2.0, cost=0.3, candidates=5, fluency=0.5)
    reset(seed)
    found = rerank(speaker, listener, images, how)
    reset(seed)
    wide = speaker.look(images).detach().repeat_interleave(5, 0)
    proposed = say(speaker, wide, Decoding(way="sampled"))

    with torch.no_grad():
        for row in range(2):
            worths = [
                worth_of(
                    speaker, listener, images[row], proposed.words[5 * row + n], int(proposed.length[5 * row + n]), how
                )
                for n in range(5)
            ]
            best = 5 * row + int(np.argmax(worths))
            assert torch.equal(found.words[row], proposed.words[best])
            assert found.length[row] == proposed.length[best]


def worth_of(speaker, listener, images, words, length, how: Pragmatic) -> float:
    seen, state, last, own = speaker.look(images[None]), None, 0, 0.0
    state = speaker.begin(seen)
    for word in words[:length].tolist():
        scores, state = speaker.step(seen, torch.tensor([last]), state)
        own += float(scores[0].double().log_softmax(0)[word])
        last = word
    said = words[:length].tolist()
    if listener is None:
        fits = [chance_of(speaker, image, said) for image in images]
        understood = log(fits[0] / sum(fits))
    else:
        understood = float(listener(images[None], words[None], torch.tensor([length]))[0].double().log_softmax(0)[0])
    return how.fluency * own + how.alpha * understood - how.cost * (length - 1)


def test_only_the_listener_counts_where_fluency_does_not():
    """With fluency 0 the caption that is understood best is taken, and it is understood better than greedy ones."""
    speaker, listener, images = a_speaker(3), a_listener(3), some_images(50, 2, 3)
    reset(1)

    said = rerank(speaker, listener, images, Pragmatic(fluency=0.0, candidates=10))

    greedy = say(speaker, speaker.look(images).detach())
    with torch.no_grad():
        ours, theirs = (listener(images, one.words, one.length).softmax(-1)[:, 0].mean() for one in (said, greedy))
    assert ours > theirs + 0.1


@pytest.mark.parametrize("wrong", [{"alpha": -1.0}, {"alpha": float("nan")}, {"cost": -0.1}, {"candidates": 0}])
def test_impossible_weights_are_told(wrong):
    """In one line."""
    with pytest.raises(RecipeError):
        Pragmatic(**wrong)
