from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deixis._kernels.bitsets import below, bit, count, lowest, mix, next_word


WORDS = st.integers(0, 2**64 - 1)


@given(WORDS)
def test_sets_count_their_objects(word):
    """The size of a set is the number of its bits, and the first object the lowest of them."""
    assert count(np.uint64(word)) == word.bit_count()
    if word:
        assert lowest(np.uint64(word)) == (word & -word).bit_length() - 1


@given(st.integers(0, 63))
def test_a_set_of_one_object_is_one_bit(index):
    """Every object of a word has a bit of its own, the last one included."""
    assert int(bit(index)) == 1 << index
    assert lowest(np.uint64(bit(index))) == index


@given(WORDS)
def test_scrambling_follows_its_definition(word):
    """The compiled scrambler computes SplitMix64's finaliser, done here with Python's integers."""
    plain = word
    plain = (plain ^ (plain >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    plain = (plain ^ (plain >> 27)) * 0x94D049BB133111EB % 2**64
    plain ^= plain >> 31

    assert int(mix(np.uint64(word))) == plain


def test_the_stream_is_that_of_splitmix64():
    """From state 1234567 the first words are the published ones."""
    state = np.array([1234567], np.uint64)

    words = [int(next_word(state)) for _ in range(3)]

    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(WORDS, st.integers(1, 1000))
def test_a_draw_stays_below_its_limit(seed, limit):
    """A draw below n is one of 0 to n - 1, and the same again from the same state."""
    state, again = np.array([seed], np.uint64), np.array([seed], np.uint64)

    draws = [below(state, limit) for _ in range(20)]

    assert all(0 <= draw < limit for draw in draws)
    assert draws == [below(again, limit) for _ in range(20)]


def test_small_draws_are_even():
    """Of 40,000 draws among four, each value comes up about 10,000 times (within six standard deviations)."""
    state = np.array([7], np.uint64)

    counts = np.bincount([below(state, 4) for _ in range(40_000)], minlength=4)

    assert np.abs(counts - 10_000).max() < 6 * np.sqrt(40_000 * 0.25 * 0.75)
