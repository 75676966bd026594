"""Randomness that is the same everywhere: fixed values, so that a change of the generator is noticed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis._kernels import bitsets
from deixis.seeds import Stream, derive, fold, mix


WORDS = st.integers(0, 2**64 - 1)


def test_the_stream_is_splitmix64():
    """From seed 0 come the first numbers that SplitMix64 is known for."""
    stream = Stream(0)

    words = [stream.word() for _ in range(3)]

    assert words == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_the_values_of_a_stream_are_fixed():
    """Whatever is drawn from a seed today is drawn from it for ever."""
    stream = Stream(7)

    assert [stream.word() for _ in range(3)] == [7191089600892374487, 309689372594955804, 16616101746815609346]
    assert [stream.below(10) for _ in range(10)] == [4, 4, 7, 2, 2, 5, 5, 0, 1, 2]
    assert (stream.below(1 << 20), stream.below(1 << 40)) == (91184, 193464309222)
    assert stream.choice("abcdef") == "a"
    assert stream.permutation(range(8)) == [2, 4, 7, 0, 6, 1, 5, 3]


def test_digests_and_derived_seeds_are_fixed():
    """Digests and derived seeds have known values, which stored datasets rely on."""
    assert (mix(0), mix(1), mix(2**64 - 1)) == (0, 6238072747940578789, 13029008266876403067)
    assert (fold(()), fold((1, 2, 3)), fold(b"walk", 5)) == (0, 16914669369030367833, 17263760504016064996)
    assert (derive(7), derive(-1)) == (17824971123127853533, 15999695513772384452)
    assert (derive(7, "p3", 17), derive(7, "p3", 18)) == (15714064466034585832, 13108698321728278582)


def test_different_labels_give_different_seeds():
    """Order, grouping and kind of labels all count."""
    labels = [("p3", 17), (17, "p3"), ("p3", 18), ("p", "3", 17), ("p317",), ("p3", "17"), ("a",), (97,), (), ("A",)]

    seeds = {derive(7, *label) for label in labels} | {derive(8, *label) for label in labels}

    assert len(seeds) == 2 * len(labels)


def test_a_digest_depends_on_order():
    """Folding the same words in another order gives another digest."""
    assert fold((1, 2, 3)) != fold((3, 2, 1))


@given(WORDS)
def test_the_compiled_mix_is_the_plain_one(word):
    """Kernels scramble words as plain Python does."""
    assert int(bitsets.mix(np.uint64(word))) == mix(word)


@given(WORDS, st.integers(1, (1 << 20) - 1))
def test_the_compiled_stream_is_the_plain_one(seed, limit):
    """Kernels draw the same numbers from the same seed."""
    state = np.array([seed], np.uint64)
    stream = Stream(seed)

    assert [int(bitsets.below(state, limit)) for _ in range(4)] == [stream.below(limit) for _ in range(4)]


def test_numbers_below_a_limit_are_spread_evenly():
    """Each of ten numbers comes up about a tenth of the time."""
    stream = Stream(3)

    counts = Counter(stream.below(10) for _ in range(10_000))

    assert sorted(counts) == list(range(10))
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 27.88  # chi-square, 9 degrees, 99.9 %


@pytest.mark.parametrize("limit", [0, -1])
def test_there_is_no_number_below_nothing(limit):
    """A limit below 1 leaves nothing to draw."""
    with pytest.raises(ValueError, match=f"must be at least 1, got {limit}"):
        Stream(1).below(limit)


@given(st.lists(st.integers()), WORDS)
def test_shuffling_keeps_every_item(items, seed):
    """A shuffle loses nothing, adds nothing and leaves its argument alone."""
    before = list(items)

    shuffled = Stream(seed).permutation(items)

    assert sorted(shuffled) == sorted(items)
    assert items == before


def test_every_order_is_equally_likely():
    """Shuffling three items gives each of the six orders about equally often."""
    stream = Stream(11)

    counts = Counter(tuple(stream.permutation("abc")) for _ in range(6_000))

    assert len(counts) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20.52  # chi-square, 5 degrees, 99.9 %
