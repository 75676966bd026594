from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import log

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deixis.worlds.rooms.training._objectives import (
    DECAY,
    Players,
    _rewards,
    caption_loss,
    listener_loss,
    play,
    policy_loss,
)
from deixis.worlds.rooms.training._saying import END, PAD, Decoding, length_of, say, shift_right
from deixis.worlds.rooms.training.settings import Game
from tests.training.rooms.made import WORDS, a_listener, a_speaker, reset, some_captions, some_images


SEEDS = st.integers(0, 1 << 30)
STEPS = 4
PLAIN = Game(structure=0.0, entropy=0.0, baseline="none")


def a_round(how: Game, seed: int = 1, *, speaks: float = 1.0, mean: float = 0.0, before=None, count: int = 8):
    """A round of a game after which gradients can be looked at."""
    speaker, listener = a_speaker(seed, spread=0.5), a_listener(seed, spread=0.5)
    average = torch.tensor(mean)
    reset(seed)
    played = play(
        Players(speaker, listener, before),
        some_images(count, seed=seed),
        some_captions(count, STEPS, seed),
        how,
        mean=average,
        speaks=torch.tensor(speaks),
    )
    played.loss.backward()
    told = {name: one.detach() for name, one in played.told.items()}
    return speaker, listener, played._replace(loss=played.loss.detach(), told=told), average


def gradient(model) -> torch.Tensor:
    """The whole gradient of a model in one row."""
    return torch.cat(
        [torch.zeros_like(p).flatten() if p.grad is None else p.grad.flatten() for p in model.parameters()]
    )


def of_caption(scores: torch.Tensor, caption: tuple[int, ...], advantage: float, objective: str = "reinforce"):
    """The gradient of the loss of one caption by scores [step, word]."""
    scores = scores.clone().requires_grad_()
    words = torch.tensor([caption])
    policy_loss(scores[None], words, length_of(words), torch.tensor([advantage]), objective).backward()
    return scores.grad


@given(seed=SEEDS, word=st.integers(0, 4), advantage=st.floats(-3, 3))
def test_the_gradient_is_the_analytic_one(seed, word, advantage):
    """Of a softmax: the advantage times what was said less what was likely."""
    scores = torch.from_numpy(np.random.default_rng(seed).normal(size=(1, 5)))

    found = of_caption(scores, (word,), advantage)

    said = torch.nn.functional.one_hot(torch.tensor(word), 5)
    assert torch.allclose(found, -advantage * (said - scores.softmax(-1)), atol=1e-6)


@given(seed=SEEDS, word=st.integers(0, 4))
def test_what_succeeds_becomes_likelier(seed, word):
    """The gradient is not nothing, and against it the probability of what was said rises; inverted, it falls."""
    scores = torch.from_numpy(np.random.default_rng(seed).normal(size=(1, 5)))
    found = {name: of_caption(scores, (word,), 1.0, name) for name in ("reinforce", "inverted")}

    before = scores.log_softmax(-1)[0, word]
    after = {name: (scores - 0.01 * one).log_softmax(-1)[0, word] for name, one in found.items()}

    assert found["reinforce"].abs().max() > 1e-4
    assert after["reinforce"] > before > after["inverted"]


@given(seed=SEEDS, baseline=st.floats(-2, 2))
def test_a_baseline_does_not_change_the_expected_gradient(seed, baseline):
    """Summed over all captions of up to two words it is that of the expected reward, whatever is taken off."""
    rng = np.random.default_rng(seed)
    scores = torch.from_numpy(rng.normal(size=(2, 4)))
    captions = [(END, PAD), *((one, two) for one, two in product(range(4), repeat=2) if one != END)]
    rewards = dict(zip(captions, rng.normal(size=len(captions)).tolist(), strict=True))

    def chance_of(each: torch.Tensor, caption: tuple[int, int]) -> torch.Tensor:
        first = each[0, caption[0]]
        return (first if caption[0] == END else first + each[1, caption[1]]).exp()

    each = scores.log_softmax(-1)
    found = sum(chance_of(each, one) * of_caption(scores, one, reward - baseline) for one, reward in rewards.items())
    free = scores.clone().requires_grad_()
    sum(chance_of(free.log_softmax(-1), one) * reward for one, reward in rewards.items()).backward()

    assert torch.allclose(found, -free.grad, atol=1e-6)


def test_what_stands_behind_the_end_has_no_gradient():
    """Nor has it any where words fill up after gold captions."""
    scores = torch.zeros(3, 6, dtype=torch.float64)

    found = of_caption(scores, (4, END, PAD), 1.0)
    own = scores.clone().requires_grad_()
    caption_loss(own[None], torch.tensor([[4, END, PAD]])).backward()

    assert found[:2].abs().min() > 0
    assert not found[2].any()
    assert not own.grad[2].any()


@given(seed=SEEDS)
def test_success_alone_moves_the_speaker(seed):
    """With reinforce it does; severed, there is no gradient of it, not even of entropy."""
    moved, _, _, _ = a_round(PLAIN, seed)
    severed, listener, _, _ = a_round(replace(PLAIN, objective="severed", entropy=0.1), seed)

    assert gradient(moved).abs().max() > 1e-6
    assert not gradient(severed).any()
    assert gradient(listener).any()


@given(seed=SEEDS)
def test_released_faults_point_elsewhere(seed):
    """Where p is small, log(1 - p) has a gradient against that of log p: what succeeds is said less."""
    scores = torch.from_numpy(np.random.default_rng(seed).normal(size=(1, 6)))

    right = of_caption(scores, (2,), 1.0)
    wrong = of_caption(scores, (2,), 1.0, "inverted")

    assert float((right * wrong).sum()) < 0


@pytest.mark.parametrize("objective", ["reinforce", "gumbel"])
def test_a_speaker_waits_while_the_listener_learns_alone(objective):
    """Nothing reaches it, not even through mixed words."""
    speaker, listener, _, _ = a_round(Game(objective=objective), speaks=0.0)

    assert not gradient(speaker).any()
    assert gradient(listener).any()


@pytest.mark.parametrize("objective", ["reinforce", "gumbel"])
def test_a_listener_learns_fully_whatever_the_speaker_learns(objective):
    """The weight of structure is between two aims of the speaker only."""
    some = [gradient(a_round(Game(objective=objective, structure=share))[1]) for share in (0.0, 0.75, 1.0)]

    assert some[0].any()
    assert torch.allclose(some[0], some[1], atol=1e-6)
    assert torch.allclose(some[0], some[2], atol=1e-6)


def test_mixed_words_carry_gradients():
    """Under gumbel the speaker is moved by the listener's, and in proportion to its weight."""
    whole = gradient(a_round(replace(PLAIN, objective="gumbel"))[0])
    structural = gradient(a_round(Game(objective="gumbel", structure=1.0))[0])
    half = gradient(a_round(Game(objective="gumbel", structure=0.5))[0])

    assert whole.abs().max() > 1e-6
    assert torch.allclose(half, 0.5 * (whole + structural), atol=1e-6)


def test_structure_is_forced_or_free():
    """Gold captions cost what they do after the right words, or after those that were said."""
    for structural in ("forced", "free"):
        speaker, _, played, _ = a_round(Game(structure=1.0, structural=structural))
        gold, images = some_captions(8, STEPS, 1), some_images(8, seed=1)
        reset(1)
        with torch.no_grad():
            seen = speaker.look(images)
            said = say(speaker, seen, Decoding(way="sampled"), limit=STEPS)
            before = shift_right(gold if structural == "forced" else said.words)
            wanted = caption_loss(speaker.scores(seen, before), gold)
        assert float(played.told["structural"]) == pytest.approx(float(wanted), abs=1e-5)


def test_rewards_are_held_against_a_mean_that_follows_them():
    """It moves by a hundredth of the way; other baselines leave it alone."""
    _, _, _, mean = a_round(Game(reward="probability"), mean=5.0)
    _, _, _, untouched = a_round(Game(baseline="self-critical"), mean=5.0)

    assert 5 * DECAY - (1 - DECAY) <= float(mean) <= 5 * DECAY + (1 - DECAY)
    assert float(untouched) == 5.0


def test_a_speaker_that_says_its_best_has_nothing_to_gain():
    """Self-critical, where what is drawn is what is held for best, the advantage is nothing."""
    sure = replace(PLAIN, baseline="self-critical", reward="probability", temperature=1e-3)
    speaker, _, _, _ = a_round(sure)

    assert gradient(speaker).abs().max() < 1e-5


@given(seed=SEEDS)
def test_every_word_costs(seed):
    """A cost is taken from the reward for every word but the end."""
    cheap, dear = (a_round(replace(PLAIN, cost=one), seed) for one in (0.0, 0.5))
    speaker, images = cheap[0], some_images(8, seed=seed)
    reset(seed)
    with torch.no_grad():
        seen = speaker.look(images)
        words, length = say(speaker, seen, Decoding(way="sampled"), limit=STEPS)
        wanted = policy_loss(speaker.scores(seen, shift_right(words)), words, length, -0.5 * (length - 1), "reinforce")

    assert float(dear[2].loss - cheap[2].loss) == pytest.approx(float(wanted), abs=1e-4)


@given(seed=SEEDS)
def test_entropy_is_what_it_is_called_and_is_paid_for(seed):
    """Summed over words up to the end; against its gradient alone it rises."""
    speaker, _, played, _ = a_round(PLAIN, seed)
    images = some_images(8, seed=seed)
    reset(seed)
    with torch.no_grad():
        seen = speaker.look(images)
        words, length = say(speaker, seen, Decoding(way="sampled"), limit=STEPS)
        chance = speaker.scores(seen, shift_right(words)).softmax(-1).double().numpy()
    plain = [
        -sum(float((row[step] * np.log(row[step])).sum()) for step in range(upto))
        for row, upto in zip(chance, length.tolist(), strict=True)
    ]

    paid, unpaid = (gradient(a_round(replace(PLAIN, entropy=one), seed)[0]) for one in (0.5, 0.0))
    assert float(played.told["entropy"]) == pytest.approx(np.mean(plain), abs=1e-4)
    assert float(played.told["entropy"]) <= STEPS * log(WORDS)
    assert not torch.allclose(paid, unpaid)


def test_pay_for_entropy_makes_it_rise():
    """After a step against the gradient of that term alone."""
    paid, unpaid = (a_round(replace(PLAIN, entropy=one))[0] for one in (1.0, 0.0))
    direction = gradient(paid) - gradient(unpaid)
    found = []
    for pace in (0.0, 0.02):
        moved, start = a_speaker(1, spread=0.5), 0
        with torch.no_grad():
            for parameter in moved.parameters():
                parameter.sub_(direction[start : start + parameter.numel()].view_as(parameter), alpha=pace)
                start += parameter.numel()
            seen = moved.look(some_images(8, seed=1))
            each = moved.scores(seen, torch.zeros(8, 1, dtype=torch.int64)).log_softmax(-1)
            found.append(float(-(each.exp() * each).sum(-1).mean()))

    assert found[1] > found[0]


@pytest.mark.parametrize("objective", ["reinforce", "gumbel"])
def test_keeping_close_costs_nothing_at_the_beginning(objective):
    """The speaker that the game began with is at no distance from itself, and another one is."""
    how = replace(PLAIN, objective=objective, kl=1.0)
    _, _, alone, _ = a_round(replace(how, kl=0.0))
    _, _, same, _ = a_round(how, before=a_speaker(1, spread=0.5))
    _, _, other, _ = a_round(how, before=a_speaker(2, spread=0.5))

    assert float(same.loss) == pytest.approx(float(alone.loss), abs=1e-5)
    assert float(other.loss) > float(alone.loss) + 0.05


@given(seed=SEEDS)
def test_distance_is_the_sum_over_words(seed):
    """Held against the sum written out."""
    before = a_speaker(seed + 1, spread=0.5)
    speaker, _, far, _ = a_round(replace(PLAIN, kl=1.0), seed, before=before)
    _, _, alone, _ = a_round(PLAIN, seed)
    images = some_images(8, seed=seed)
    reset(seed)
    with torch.no_grad():
        words, length = say(speaker, speaker.look(images), Decoding(way="sampled"), limit=STEPS)
        p, q = (
            one.scores(one.look(images), shift_right(words)).softmax(-1).double().numpy() for one in (speaker, before)
        )
    plain = [
        sum(float((p[row, step] * np.log(p[row, step] / q[row, step])).sum()) for step in range(upto))
        for row, upto in enumerate(length.tolist())
    ]

    assert float(far.loss) - float(alone.loss) == pytest.approx(np.mean(plain), abs=1e-3)


def test_a_listener_pays_for_the_wrong_image():
    """The target stands first; with nothing to go by it is log 2."""
    assert float(listener_loss(torch.zeros(3, 2))) == pytest.approx(log(2))
    assert float(listener_loss(torch.tensor([[9.0, 0.0]]))) < 0.001 < float(listener_loss(torch.tensor([[0.0, 9.0]])))


def test_choices_are_rewarded_as_their_probability_is():
    """On the whole: the mean of many choices is twice the probability less 1, with less to go by each time."""
    fits, length = torch.tensor([[0.7, 0.0, -0.5]]).expand(40_000, -1), torch.ones(40_000, dtype=torch.int64)
    reset(1)

    chosen, weighed = (_rewards(fits, length, Game(reward=one))[0] for one in ("choice", "probability"))

    assert set(chosen.tolist()) == {-1.0, 1.0}
    assert float(chosen.mean()) == pytest.approx(float(weighed[0]), abs=0.025)
    assert weighed[0] == pytest.approx(2 * float(fits[0].softmax(0)[0]) - 1)


def test_words_are_rewarded_by_what_they_were_drawn_from():
    """At another temperature the probability that counts is the one at that temperature."""
    how = replace(PLAIN, temperature=2.0, reward="probability")
    speaker, listener, played, _ = a_round(how)
    images = some_images(8, seed=1)
    reset(1)
    with torch.no_grad():
        seen = speaker.look(images)
        words, length = say(speaker, seen, Decoding(way="sampled", temperature=2.0), limit=STEPS)
        fits = listener(images, words, length)
        reward = 2 * fits.softmax(-1)[:, 0] - 1
        wanted = policy_loss(speaker.scores(seen, shift_right(words)) / 2.0, words, length, reward, "reinforce")

    assert float(played.loss - played.told["listener"]) == pytest.approx(float(wanted), abs=1e-5)
