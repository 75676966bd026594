"""Which examples of a read file are asked about."""

from __future__ import annotations

from collections import Counter

import pytest

from deixis.readers._draws import draw_different, splits_to_ask
from deixis.readers.reader import ReadExample


class Listed(list):
    """Examples in memory, half of which say what another one says."""

    splits = {"all": 0}  # noqa: RUF012 (as examples have it)


@pytest.fixture
def said():
    """Forty descriptions, each given by five people."""
    return Listed(ReadExample(id=f"{k}", text=f"the cup {k % 40}", choices=("a", "b")) for k in range(200))


@pytest.mark.parametrize("count", [1, 7, 40])
def test_the_same_words_are_asked_about_once(said, count):
    """As many different examples are drawn as are wanted, where there are so many."""
    texts = Counter(one.text for one in draw_different(said, range(len(said)), count, seed=3))

    assert len(texts) == count
    assert set(texts.values()) == {1}


def test_there_are_no_more_than_there_are(said):
    """Where more are wanted, all different ones are drawn, in an order that the seed chooses."""
    drawn = draw_different(said, range(len(said)), 90, seed=3)

    assert len({one.text for one in drawn}) == len(drawn) == 40
    assert [one.id for one in drawn] == [one.id for one in draw_different(said, range(len(said)), 90, seed=3)]


def test_the_test_split_is_asked_about():
    """Where there is none, all but train."""
    some = Listed()
    for splits, asked in (({"train": 1, "test": 1}, ("test",)), ({"train": 1, "val": 1}, ("val",)), ({"all": 2},) * 2):
        some.splits = splits
        assert splits_to_ask(some) == tuple(asked)
