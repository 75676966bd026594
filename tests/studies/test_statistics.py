"""Intervals over persons and items, bounds, and Krippendorff's alpha, each held against a plain definition."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from deixis._study.statistics import agreement, bounds, crossed_estimate, median_of_medians


PUBLISHED = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""  # Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C: 0.743 for names


def plain_alpha(items):
    """1 - observed / expected disagreement, pair by pair."""
    shown = [[one for one in item if one is not None] for item in items]
    shown = [item for item in shown if len(item) > 1]
    total = sum(map(len, shown))
    observed = sum(sum(a != b for a, b in permutations(item, 2)) / (len(item) - 1) for item in shown) / total
    every = [one for item in shown for one in item]
    expected = 2 * sum(a != b for a, b in combinations(every, 2)) / (total * (total - 1))
    return 1 - observed / expected


def test_alpha_is_that_of_the_published_example():
    """0.743 for the four observers and twelve units of Krippendorff's own example."""
    rows = [line.split() for line in PUBLISHED.strip().splitlines()]
    items = [[None if one == "." else one for one in column] for column in zip(*rows, strict=True)]

    found = agreement(items, seed=0)

    assert round(found.mean, 3) == 0.743
    assert found.low <= found.mean <= found.high


@pytest.mark.parametrize("seed", range(20))
def test_alpha_agrees_with_its_definition(seed):
    """Counting by answers gives what counting pairs gives."""
    rng = np.random.default_rng(seed)
    answers = rng.integers(-1, 3, (6, 5)).tolist()
    items = [[None if one < 0 else str(one) for one in item] for item in answers]

    assert agreement(items, seed=0).mean == pytest.approx(plain_alpha(items))


def test_alpha_of_those_who_cannot_disagree_is_no_number():
    """One answer in all, or one person."""
    assert np.isnan(agreement([["a", "a"], ["a", "a"]], seed=0).mean)
    assert np.isnan(agreement([["a"], ["b"]], seed=0).mean)


@pytest.mark.slow
def test_intervals_hold_the_true_share_as_often_as_they_say():
    """At least 90 of 100 intervals hold it where persons and items differ; Wilson's over answers holds it far less."""
    from deixis.judge.uncertainty import share

    rng, held, naive, truth = np.random.default_rng(1), 0, 0, 0.7
    for turn in range(100):
        skill, ease = rng.normal(0, 0.12, (30, 1)), rng.normal(0, 0.12, (1, 20))
        values = (rng.random((30, 20)) < np.clip(truth + skill + ease, 0, 1)).astype(float)
        found, plain = crossed_estimate(values, seed=turn), share(values.ravel())
        held += found.low <= truth <= found.high
        naive += plain.low <= truth <= plain.high

    assert held >= 90
    assert naive < held


def test_all_right_answers_still_leave_doubt():
    """Where nothing varies, the interval is Wilson's for as many answers as there are persons or items."""
    found = crossed_estimate(np.ones((5, 40)), seed=0)

    assert (found.mean, found.high, found.rows) == (1.0, 1.0, 200)
    assert 0.5 < found.low < 0.6


def test_missing_answers_are_bounded():
    """All wrong to all right."""
    assert bounds(6, 8, 10) == (0.6, 0.8, 2)


def test_times_are_medians_of_medians():
    """Each person counts once, and times that are not known do not."""
    assert median_of_medians([[1, 2, 9], [4, float("nan")], []]) == 3.0
