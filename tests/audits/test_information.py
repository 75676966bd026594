from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.audits.audit import Share, information


COUNTS = st.dictionaries(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), st.integers(0, 50), max_size=9)


def test_what_decides_the_other_tells_all_of_it():
    """Where one thing fixes the other, the information is the entropy."""
    found = information({("the", True): 30, ("a", False): 10})

    assert found.bits == pytest.approx(found.entropy)
    assert found.counted == 40


def test_what_is_independent_tells_nothing():
    """Counts that multiply out hold no information, only bias."""
    found = information({(one, other): 5 * (one + 1) * (other + 1) for one in range(3) for other in range(2)})

    assert found.bits == pytest.approx(0, abs=1e-12)
    assert found.bias == pytest.approx(2 / (2 * found.counted * log(2)))
    assert found.net == 0


@given(COUNTS)
def test_information_is_symmetric_and_never_above_the_entropy(counts):
    """What one thing tells about the other is what the other tells about it, and at most all there is to know."""
    found = information(counts)
    turned = information({(other, one): count for (one, other), count in counts.items()})

    assert found.bits == pytest.approx(turned.bits, abs=1e-9)
    assert -1e-9 <= found.bits <= min(found.entropy, turned.entropy) + 1e-9


@given(COUNTS)
def test_the_order_of_counting_does_not_matter(counts):
    """The same counts in another order give the very same number."""
    assert information(counts) == information(dict(reversed(counts.items())))


def test_a_share_of_nothing_is_no_number():
    """Nothing of nothing has no share."""
    assert Share(0, 0).share is None
    assert Share(1, 4).to_dict() == {"part": 1, "of": 4, "share": 0.25}
