from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.judge.uncertainty import _POISSON, mean_of, resample


def coins(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (count, 1)).astype(float)


def test_the_interval_is_as_wide_as_theory_says():
    """For a share, half of the interval is about 1.96 standard errors."""
    values = coins(4_000)
    found = resample(values, seed=1).estimates()[0]
    error = values.std() / np.sqrt(len(values))

    assert found.mean == values.mean()
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Of many samples, about 95 in 100 have an interval that contains the share they were drawn with."""
    held = 0
    for seed in range(200):
        found = resample(coins(300, seed), seed=seed, resamples=400).estimates()[0]
        held += found.low <= 0.5 <= found.high

    assert 0.90 <= held / 200 <= 0.985


@given(st.integers(0, 300), st.integers(0, 9))
def test_parts_add_up_to_the_whole(cut, seed):
    """The state of all rows is the sum of the states of its parts, however they are cut."""
    values = np.where(coins(300, seed) > 0, coins(300, seed + 1), np.nan)
    whole = resample(values, seed=seed, resamples=10)
    parts = resample(values[:cut], seed=seed, resamples=10) + resample(
        values[cut:], seed=seed, first_row=cut, resamples=10
    )

    assert np.array_equal(whole.sums, parts.sums)
    assert np.array_equal(whole.counts, parts.counts)


def test_rows_are_drawn_once_on_average():
    """The number of times a row enters a resample has mean 1 and variance 1."""
    assert _POISSON.mean() == pytest.approx(1, abs=1e-3)
    assert _POISSON.var() == pytest.approx(1, abs=2e-3)


def test_columns_that_are_nowhere_defined_have_no_mean():
    """A mean over no row is not a number, and does not spoil the mean of sets."""
    nothing = resample(np.full((5, 1), np.nan), seed=0, resamples=4)
    something = resample(np.ones((5, 1)), seed=0, resamples=4)

    assert np.isnan(nothing.estimates()[0].mean)
    assert nothing.estimates()[0].rows == 0
    assert mean_of([nothing, something])[0, 0] == 1.0


def test_the_same_seed_gives_the_same_interval():
    """Intervals are reproducible, and differ between seeds."""
    values = coins(500)

    assert resample(values, seed=4).estimates() == resample(values, seed=4).estimates()
    assert resample(values, seed=4).estimates() != resample(values, seed=5).estimates()


def test_an_interval_needs_resamples():
    """None at all is an error."""
    with pytest.raises(SchemaError, match="at least one resample"):
        resample(coins(3), seed=0, resamples=0)
