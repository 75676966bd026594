"""Words of pairs of sentences: which bags are equal, which sentence is shorter, and where they part."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.audits._pairs import compare_pair, count_pairs, words_of


SUGARCREPE = Path(__file__).resolve().parents[3] / "shared" / "data" / "others" / "sugarcrepe"
TEXTS = st.lists(st.sampled_from(["a", "red", "dog", "Dog", "dog's", "x-ray", ",", "."]), max_size=7).map(" ".join)


def test_words_keep_hyphens_and_apostrophes():
    """Marks are no words; those inside of words belong to them."""
    assert words_of("The dog's x-ray, 'Red' \u2014 no. 3!") == ["the", "dog's", "x-ray", "red", "no", "3"]


@pytest.mark.parametrize(
    ("right", "wrong", "change", "shorter", "first"),
    [
        ("A red cup on a blue mat.", "A blue cup on a red mat.", "order", None, ("red", "blue")),
        ("A cup on a mat.", "A big cup on a mat.", "added", 0, ("cup", "big")),
        ("A big cup.", "A cup", "dropped", 1, ("big", "cup")),
        ("A cup on a mat", "A cup under a mat", "replaced", None, ("on", "under")),
        ("A cup", "a cup!", "marks", None, (None, None)),
        ("A cup", "A cup there", "added", 0, (None, "there")),
    ],
)
def test_a_pair_is_compared_word_by_word(right, wrong, change, shorter, first):
    """What was done to the right sentence, which is shorter, and the first word that differs."""
    found = compare_pair(right, wrong)
    assert (found.change, found.shorter, (found.here, found.there)) == (change, shorter, first)


@given(TEXTS, TEXTS)
def test_both_directions_agree(right, wrong):
    """Seen from the other sentence, additions are what was dropped."""
    here, there = compare_pair(right, wrong), compare_pair(wrong, right)
    assert (here.longer, here.added, here.dropped) == (-there.longer, there.dropped, there.added)
    assert here.has_same_bag == (Counter(words_of(right)) == Counter(words_of(wrong)))
    assert here.longer == here.added - here.dropped
    if here.first is not None:
        assert words_of(right)[: here.first] == words_of(wrong)[: here.first]


@pytest.mark.skipif(not SUGARCREPE.exists(), reason="needs SugarCrepe in ../shared/data")
@pytest.mark.parametrize(("name", "pairs", "same"), [("swap_att", 666, 407), ("swap_obj", 245, 164)])
def test_swapped_captions_are_often_other_words(name, pairs, same):
    """61 to 67 percent of the swaps of SugarCrepe hold the same words, and length tells nothing."""
    records = json.loads((SUGARCREPE / f"{name}.json").read_text(encoding="utf-8")).values()
    found = count_pairs((one["caption"], one["negative_caption"]) for one in records)
    assert (found.pairs, found.same_bag) == (pairs, same)
    assert 0.45 < found.to_dict()["takes_shorter"] < 0.55
