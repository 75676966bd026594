"""Additive attention."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deixis.learn._layers import attend
from tests.models.plain import weigh


@given(seed=st.integers(0, 2**32 - 1), keys=st.integers(1, 7), width=st.integers(1, 9))
def test_attention_agrees_with_its_definition(seed: int, keys: int, width: int) -> None:
    """The context is the mean of the keys that are there, weighted by how well each fits the query."""
    rng = np.random.default_rng(seed)
    query, energy = rng.normal(size=(3, width)), rng.normal(size=width)
    rows = rng.normal(size=(3, keys, width))
    count = rng.integers(1, keys, 3, endpoint=True)

    asked, offered, weighed = (torch.from_numpy(part.astype(np.float32)) for part in (query, rows, energy))
    context, weights = attend(asked, offered, weighed, torch.from_numpy(np.arange(keys) < count[:, None]))

    for example in range(3):
        there = list(rows[example, : count[example]])
        plain = weigh([float(energy @ np.tanh(query[example] + key)) for key in there], there)
        np.testing.assert_allclose(context[example].numpy(), plain, atol=1e-5)
        assert float(weights[example].sum()) == pytest.approx(1, abs=1e-6)
        assert not weights[example, count[example] :].any()


def test_nothing_to_look_at_is_not_a_number_that_spreads() -> None:
    """Where no key is there at all, the weights stay finite."""
    context, weights = attend(
        torch.zeros(1, 2), torch.ones(1, 3, 2), torch.ones(2), torch.zeros(1, 3, dtype=torch.bool)
    )

    assert torch.isfinite(context).all()
    assert torch.isfinite(weights).all()
