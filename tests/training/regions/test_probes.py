from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import RecipeError
from deixis.worlds.photos._models import regions
from deixis.worlds.photos.data import _arrays as arrays
from deixis.worlds.photos.training._probes import Texts, apply_probe, objects_and_attributes


def test_both_sides_number_words_alike():
    """Datasets and models agree on the numbers of what is no word."""
    assert (arrays.PAD, arrays.UNKNOWN) == (regions.PAD, regions.UNKNOWN)


@st.composite
def _texts(draw):
    count = draw(st.lists(st.integers(1, 8), min_size=1, max_size=6))
    words = np.zeros((len(count), 8), np.int32)
    roles = np.zeros((len(count), 8), np.int8)
    for row, length in enumerate(count):
        words[row, :length] = draw(st.lists(st.integers(1, 50), min_size=length, max_size=length))
        roles[row, :length] = draw(st.lists(st.integers(0, 3), min_size=length, max_size=length))
    return Texts(words, np.array(count, np.int32)), roles


@given(_texts())
def test_deaf_hears_the_same_always(drawn):
    """Every text becomes one unknown word."""
    said = apply_probe(*drawn, np.arange(len(drawn[1])), "deaf")

    assert (said.words == [1, 0, 0, 0, 0, 0, 0, 0]).all()
    assert (said.count == 1).all()


@given(_texts(), st.integers(0, 5))
def test_shuffling_keeps_the_words(drawn, seed):
    """The words stay, in an order that depends on the seed and the text's number and on nothing else."""
    said, roles = drawn
    numbers = np.arange(100, 100 + len(roles))
    one = apply_probe(said, roles, numbers, "shuffle", seed=seed)

    assert np.array_equal(np.sort(one.words, 1), np.sort(said.words, 1))
    assert np.array_equal(one.words > 0, said.words > 0)
    last = apply_probe(Texts(said.words[-1:], said.count[-1:]), roles[-1:], numbers[-1:], "shuffle", seed=seed)
    assert np.array_equal(last.words, one.words[-1:])


def test_shuffling_changes_the_order():
    """Long texts do not stay as they are, and not all are shuffled alike."""
    said = Texts(np.tile(np.arange(1, 21, dtype=np.int32), (50, 1)), np.full(50, 20, np.int32))
    words = apply_probe(said, np.zeros((50, 20), np.int8), np.arange(50), "shuffle", seed=1).words

    assert (words != said.words).any(1).all()
    assert len(np.unique(words, axis=0)) == 50


@given(_texts())
def test_only_nouns_and_attributes_are_left(drawn):
    """Words of other roles are gone, the rest keep their order; a text with nothing else stays whole."""
    said, roles = drawn
    one, kept = objects_and_attributes(said, roles)

    for row, count in enumerate(said.count):
        pairs = list(zip(said.words[row, :count].tolist(), roles[row, :count].tolist(), strict=True))
        wanted = [pair for pair in pairs if pair[1] in (1, 2)] or pairs
        found = zip(one.words[row, : one.count[row]].tolist(), kept[row, : one.count[row]].tolist(), strict=True)
        assert list(found) == wanted
        assert not one.words[row, one.count[row] :].any()


def test_unknown_probes_are_refused():
    """The empty probe changes nothing; one that nobody knows is told."""
    said = Texts(np.ones((1, 3), np.int32), np.array([3], np.int32))
    assert apply_probe(said, np.zeros((1, 3), np.int8), np.arange(1), "") is said
    with pytest.raises(RecipeError, match="unknown probe 'blind'; known: deaf, shuffle, obj-attr"):
        apply_probe(said, np.zeros((1, 3), np.int8), np.arange(1), "blind")
