from __future__ import annotations

from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import RecipeError
from deixis.worlds.rooms.training._saying import END, PAD, Decoding, length_of, likelihood, say, shift_right
from tests.training.rooms.made import WORDS, a_speaker, reset, some_captions, some_images


SEEDS = st.integers(0, 1 << 30)


def per_word(speaker, seen, said):
    with torch.no_grad():
        return likelihood(speaker.scores(seen, shift_right(said.words)), said.words, said.length) / said.length


@given(seed=SEEDS, way=st.sampled_from(["greedy", "sampled", "top-k", "beam"]), limit=st.integers(1, 6))
def test_a_caption_ends_where_it_says(seed, way, limit):
    """Its length counts up to the first end; behind that stands only what fills up."""
    speaker = a_speaker(seed)
    seen = speaker.look(some_images(6, seed=seed)).detach()

    words, length = say(speaker, seen, Decoding(way=way, k=3, width=3), limit=limit)

    assert words.shape == (6, limit)
    for row, upto in zip(words.tolist(), length.tolist(), strict=True):
        assert upto == (row.index(END) + 1 if END in row else limit)
        assert set(row[upto:]) <= {PAD}


@given(seed=SEEDS)
def test_greedy_says_the_likeliest_word_each_time(seed):
    """Given the words before it, which are its own."""
    speaker = a_speaker(seed)
    seen = speaker.look(some_images(5, seed=seed)).detach()

    words, length = say(speaker, seen, limit=6)

    with torch.no_grad():
        best = speaker.scores(seen, shift_right(words)).argmax(-1)
    for row, upto in enumerate(length.tolist()):
        assert torch.equal(words[row, :upto], best[row, :upto])


@given(seed=SEEDS)
def test_a_beam_of_one_is_greedy(seed):
    """With nothing else to keep, the search takes the likeliest word each time."""
    speaker = a_speaker(seed)
    seen = speaker.look(some_images(5, seed=seed)).detach()

    narrow = say(speaker, seen, Decoding(way="beam", width=1), limit=6)

    assert torch.equal(narrow.words, say(speaker, seen, limit=6).words)


def test_a_beam_finds_likelier_captions_than_greed():
    """On the whole, by log-probability per word."""
    speaker = a_speaker(5)
    seen = speaker.look(some_images(60, seed=5)).detach()

    greedy = per_word(speaker, seen, say(speaker, seen, limit=6))
    beam = per_word(speaker, seen, say(speaker, seen, Decoding(way="beam", width=6), limit=6))

    assert beam.mean() > greedy.mean() + 0.01
    assert (beam >= greedy - 1e-5).float().mean() > 0.8


@given(seed=SEEDS)
def test_a_beam_that_keeps_everything_finds_the_best_of_all(seed):
    """Held against every caption of up to three words."""
    speaker = a_speaker(seed)
    seen = speaker.look(some_images(1, seed=seed)).detach()
    every = [row for row in product(range(WORDS), repeat=3) if row == filled(row)]
    captions = torch.tensor(every)
    many = type(say(speaker, seen, limit=3))(captions, length_of(captions))

    worths = per_word(speaker, seen.expand(len(every), -1), many)
    found = per_word(speaker, seen, say(speaker, seen, Decoding(way="beam", width=600), limit=3))

    assert float(found[0]) == pytest.approx(float(worths.max()), abs=1e-4)


def filled(row):
    upto = row.index(END) + 1 if END in row else len(row)
    return row[:upto] + (PAD,) * (len(row) - upto)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_words_are_drawn_by_their_probability(temperature):
    """The shares of 40,000 draws are those of the softmax, within what chance allows."""
    speaker, count = a_speaker(2), 40_000
    seen = speaker.look(some_images(1)).detach()
    reset(1)

    words = say(speaker, seen.expand(count, -1), Decoding(way="sampled", temperature=temperature), limit=1).words

    with torch.no_grad():
        scores = speaker.scores(seen, torch.zeros(1, 1, dtype=torch.int64))[0, 0]
    chance = (scores / temperature).softmax(0)
    shares = torch.bincount(words[:, 0], minlength=WORDS) / count
    assert ((shares - chance).abs() < 5 * (chance * (1 - chance) / count).sqrt() + 1e-4).all()


@given(seed=SEEDS)
def test_the_likeliest_few_of_all_words_are_all_words(seed):
    """With k as large as the vocabulary, top-k draws the very words that plain chance does."""
    speaker = a_speaker(seed)
    seen = speaker.look(some_images(6, seed=seed)).detach()

    said = []
    for decoding in (Decoding(way="sampled"), Decoding(way="top-k", k=WORDS + 5)):
        reset(seed)
        said.append(say(speaker, seen, decoding, limit=5).words)

    assert torch.equal(*said)


@given(seed=SEEDS, k=st.integers(1, WORDS))
def test_only_the_likeliest_few_are_drawn(seed, k):
    """Every word is among the k best of its place."""
    speaker = a_speaker(seed)
    seen = speaker.look(some_images(20, seed=seed)).detach()

    words, length = say(speaker, seen, Decoding(way="top-k", k=k, temperature=3.0), limit=4)

    with torch.no_grad():
        few = speaker.scores(seen, shift_right(words)).topk(k).indices
    is_among = (few == words[:, :, None]).any(-1)
    assert all(is_among[row, :upto].all() for row, upto in enumerate(length.tolist()))


@given(seed=SEEDS, steps=st.integers(1, 6))
def test_the_probability_of_a_caption_is_the_product_over_its_words(seed, steps):
    """The end is one of them, what fills up is not."""
    speaker, words = a_speaker(seed), some_captions(4, steps, seed)
    with torch.no_grad():
        scores = speaker.scores(speaker.look(some_images(4, seed=seed)), shift_right(words))

    found = likelihood(scores, words, length_of(words))

    for row, caption in enumerate(words.tolist()):
        upto = caption.index(END) + 1
        plain = sum(float(scores[row, step].log_softmax(0)[caption[step]]) for step in range(upto))
        assert float(found[row]) == pytest.approx(plain, abs=1e-4)


@pytest.mark.parametrize("wrong", [{"way": "loud"}, {"temperature": 0.0}, {"k": 0}, {"width": 0}, {"width": 1001}])
def test_impossible_ways_are_told(wrong):
    """In one line."""
    with pytest.raises(RecipeError):
        Decoding(**wrong)
