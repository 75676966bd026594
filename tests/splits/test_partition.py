"""The partition: by content alone, in the shares asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.seeds import mix, mix_words
from deixis.worlds.grid.splits.partition import Fractions, divide_at_random, membership_names
from deixis.worlds.grid.splits.rules import REASCAN


IDS = st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=80).map(lambda ids: np.array(ids, np.uint64))


@given(IDS, st.integers(0, 2**64 - 1), st.floats(0, 0.5), st.floats(0, 0.49))
def test_every_part_has_its_share(ids, seed, dev, test):
    """Dev and test have the share asked for, rounded down; the rest is for training."""
    parts = divide_at_random(ids, seed=seed, fractions=Fractions(dev, test))

    sizes = np.bincount(parts, minlength=3).tolist()
    assert sizes[1:] == [int(dev * len(ids)), int(test * len(ids))]
    assert sum(sizes) == len(ids)


@given(IDS, st.integers(0, 2**64 - 1))
def test_an_example_goes_to_the_same_place_in_any_order(ids, seed):
    """The place of an example depends on the set of examples, not on their order."""
    fractions = Fractions(0.3, 0.2)

    parts = divide_at_random(ids, seed=seed, fractions=fractions)
    backwards = divide_at_random(ids[::-1].copy(), seed=seed, fractions=fractions)

    assert np.array_equal(parts, backwards[::-1])


def test_another_seed_divides_otherwise():
    """Seeds give different partitions."""
    ids = np.arange(1000, dtype=np.uint64)

    one, two = (divide_at_random(ids, seed=seed, fractions=Fractions(0.3, 0.2)) for seed in (1, 2))

    assert 0.2 < (one != two).mean() < 0.9


def test_neighbouring_ids_are_not_kept_together():
    """Ids that differ in few bits are spread over all parts."""
    parts = divide_at_random(np.arange(3000, dtype=np.uint64), seed=0, fractions=Fractions(1 / 3, 1 / 3))

    pairs = np.bincount(3 * parts[:-1].astype(int) + parts[1:], minlength=9)
    assert pairs.min() > 250
    assert pairs.max() < 420


def test_the_fractions_of_the_paper():
    """By default dev has 5.2 percent and test has 1 percent, as in the released files."""
    parts = divide_at_random(np.arange(575_395, dtype=np.uint64), seed=42, fractions=Fractions())

    assert np.bincount(parts).tolist() == [539_722, 29_920, 5_753]


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_words_are_mixed_alike_alone_and_together(words):
    """The finaliser over arrays is the plain one, word by word."""
    assert mix_words(np.array(words, np.uint64)).tolist() == [mix(word) for word in words]


@pytest.mark.parametrize(("kept", "name"), [(0, "aside"), (1, "a1"), (0b110, "a2+a3"), (0b10000, "b2")])
def test_places_are_named_after_their_sets(kept, name):
    """An example of several sets lies in a place named after all of them, one of none is set aside."""
    assert membership_names(REASCAN, kept) == name
