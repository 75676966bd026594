from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.audits import _counting as counting
from deixis.audits._counting import ALL, CHANCE, Looks, Readers, Tally
from deixis.audits._feature_readers import FeatureReaders, code_things


FEATURES = ("shape", "row")
worlds = st.lists(
    st.tuples(
        st.integers(0, 2**32),
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=5),
        st.data(),
    ),
    min_size=1,
    max_size=14,
)


def looks_of(examples):
    """(key, objects, target) triples as arrays."""
    codes = np.array([thing for _, things, _ in examples for thing in things], np.uint8).reshape(-1, 2)
    start = np.cumsum([0, *(len(things) for _, things, _ in examples)])
    keys = np.array([key for key, _, _ in examples], np.uint64)
    return Looks(keys, codes, start, np.array([target for _, _, target in examples], np.int64))


def judged(examples, pieces=1):
    readers, tally = Readers(FEATURES, 8), Tally()
    for piece in np.array_split(np.arange(len(examples)), pieces):
        readers.see(looks_of([examples[n] for n in piece]))
    readers.judge(tally)
    return tally.audit()


def by_hand(examples):
    """Right answers on the second half of readers that learnt from the first, expected over ties."""
    learnt = [example for example in examples if not example[0] & 1]
    asked = [example for example in examples if example[0] & 1]
    odds = [odds_of(learnt, feature) for feature in range(2)]
    right = Counter()
    for _, things, target in asked:
        for name, score in (
            ("shape", lambda thing: odds[0](thing[0])),
            ("row", lambda thing: odds[1](thing[1])),
            (ALL, lambda thing: odds[0](thing[0]) + odds[1](thing[1])),
            (CHANCE, lambda _: 0.0),
        ):
            scores = [round(score(thing), 9) for thing in things]
            best = [number for number, value in enumerate(scores) if value == max(scores)]
            right[name] += (target in best) / len(best)
    return {name: value / len(asked) for name, value in right.items()}


def odds_of(learnt, feature):
    targets = Counter(things[target][feature] for _, things, target in learnt)
    others = Counter(t[feature] for _, things, target in learnt for n, t in enumerate(things) if n != target)
    known = len(set(targets) | set(others)) + 1
    return lambda value: (
        log((targets[value] + 1) / (targets.total() + known)) - log((others[value] + 1) / (others.total() + known))
    )


@given(worlds)
def test_readers_are_as_good_as_counting_by_hand_says(drawn):
    """Learning, scoring and guessing among ties are those of the definition."""
    examples = [(key, things, data.draw(st.integers(0, len(things) - 1))) for key, things, data in drawn]
    expected = by_hand(examples) if any(key & 1 for key, _, _ in examples) else {}

    assert judged(examples).reading_nothing == pytest.approx(expected)


def test_a_feature_that_gives_the_target_away_is_found_out():
    """Where only targets stand in row 0, a reader of rows is always right and chance stays what it is."""
    examples = [(key, [(0, 1), (0, 0), (0, 2), (0, 3)], 1) for key in range(40)]

    accuracy = judged(examples).reading_nothing

    assert accuracy["row"] == accuracy[ALL] == 1
    assert accuracy["shape"] == accuracy[CHANCE] == 0.25


def test_the_pieces_of_a_dataset_do_not_matter():
    """Readers who see a dataset in pieces end up where those do who see it at once."""
    rng = np.random.default_rng(3)
    things = [[tuple(rng.integers(0, 3, 2).tolist()) for _ in range(4)] for _ in range(60)]
    examples = [(number * 2654435761, some, number % 4) for number, some in enumerate(things)]

    assert judged(examples, 1).readers == judged(examples, 7).readers


@given(worlds, st.integers(1, 5), st.integers(1, 4))
def test_memory_does_not_matter(drawn, most, pieces):
    """With little memory, in pieces, those with the smallest keys are judged, as by the definition."""
    examples = [(key, things, data.draw(st.integers(0, len(things) - 1))) for key, things, data in drawn]
    asked = sorted((key, number) for number, (key, *_) in enumerate(examples) if key & 1)[:most]
    numbers = {number for _, number in asked}
    chosen = [one for number, one in enumerate(examples) if not one[0] & 1 or number in numbers]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MOST", most)
        patch.setattr(counting, "HELD_BYTES", 0)
        found = judged(examples, pieces).readers

    assert found == judged(chosen).readers


things = st.lists(
    st.dictionaries(st.sampled_from(["color", "shape", "size"]), st.sampled_from(["a", "b", "c"]), max_size=3),
    min_size=1,
    max_size=4,
)


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), things, st.data()), min_size=1, max_size=10), st.data())
def test_features_that_are_found_on_the_way_count_as_if_known_before(drawn, data):
    """Readers who meet names and values piece by piece end up where those do who know all of them at once."""
    rows = [(key, seen, some.draw(st.integers(0, len(seen) - 1))) for key, seen, some in drawn]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))

    def told(parts):
        readers, tally = FeatureReaders(), Tally()
        for part in parts:
            keys = np.array([key for key, *_ in part], np.uint64)
            readers.see(keys, code_things([(seen,) for _, seen, _ in part], [target for *_, target in part]))
        readers.judge(tally, sorted(readers.names))
        return tally.audit().readers

    parts = [rows[start:end] for start, end in pairwise([0, *cuts, len(rows)])]

    assert told(parts) == told([rows])


def test_a_feature_that_is_found_late_was_lacking_before():
    """Targets that lack a feature teach that targets lack it, also where the feature was found after them."""
    rows = [(0, [{}], 0), (0, [{}], 0), (1, [{}, {"color": "a"}], 0)]
    readers, tally = FeatureReaders(), Tally()
    for key, seen, target in rows:
        readers.see(np.array([key], np.uint64), code_things([(seen,)], [target]))
    readers.judge(tally, ["color"])

    assert tally.audit().reading_nothing["color"] == 1
