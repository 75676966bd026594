from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.worlds.photos._audit.words_alone import area_under_curve, tell_by_words
from deixis.worlds.photos.localise import Example


def example(number, text, *, of=None):
    return Example(
        id=number,
        text=text,
        expression=None,
        form="chain",
        image_id="1",
        object_id="" if of is not None else "2",
        changed_id=of,
    )


def pairs(there, absent, count=60):
    """Examples in pairs; texts are told by number."""
    examples = [example(number, there(number)) for number in range(count)]
    return examples + [example(1000 + number, absent(number), of=number) for number in range(count)]


def test_a_word_that_only_one_kind_says_gives_it_away():
    """Where every expression of what is there says 'which', the area is 1, and the word is named."""
    found = tell_by_words(pairs(lambda k: f"the cup which is near {k % 7}", lambda k: f"the cup that is near {k % 5}"))

    assert found.area == found.low == found.high == 1.0
    assert (found.there, found.absent) == (60, 60)
    assert {word for word, _ in found.telling} >= {"which", "that"}
    assert dict(found.telling)["which"] < 0.1
    assert dict(found.telling)["that"] > 10


def test_the_same_words_tell_nothing():
    """Where both kinds say the same, every score is equal and the area is one half."""
    found = tell_by_words(pairs(lambda k: f"the cup near {k % 7}", lambda k: f"the cup near {k % 7}"))

    assert found.area == pytest.approx(0.5)


def test_what_was_made_of_one_expression_stays_together():
    """A word of its own for every origin cannot be learnt, though several expressions that were made of it say it."""
    twice = pairs(lambda k: f"the cup a{k}", lambda k: f"the cup b{k}")
    twice += [example(2000 + number, f"the cup b{number}", of=number) for number in range(60)]

    assert tell_by_words(twice).area == pytest.approx(0.5)


def test_too_few_are_not_judged():
    """Without expressions that fit nothing, there is nothing to tell."""
    assert tell_by_words([example(1, "the cup")]) is None


@given(
    scores=st.lists(st.integers(0, 5), min_size=2, max_size=30),
    data=st.data(),
)
def test_the_area_is_how_often_the_one_scores_higher(scores, data):
    """By definition: over all pairs, equal scores counting half."""
    is_absent = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    ones = [s for s, a in zip(scores, is_absent, strict=True) if a]
    zeros = [s for s, a in zip(scores, is_absent, strict=True) if not a]

    area = area_under_curve(np.array(scores, float), np.array(is_absent))

    wins = [(a > b) + (a == b) / 2 for a in ones for b in zeros]
    assert area == pytest.approx(sum(wins) / len(wins) if wins else 0.5)
