from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deixis.audits._counting import Tally
from deixis.audits._sightings import Sightings, count_repeats


def repeats(pieces):
    tally = Tally()
    count_repeats(tally, pieces)
    return tally.audit()


def sightings(digests, splits):
    names = tuple(dict.fromkeys(splits))
    which = np.array([names.index(name) for name in splits], np.int64)
    column = np.array(digests, np.uint64)
    return Sightings(column, column, column % np.uint64(2), which, names)


def test_repeats_are_counted_within_and_between_splits():
    """An example of two sets counts in both; what two splits share is counted from each side."""
    found = repeats([sightings([7, 7, 8, 7], ["train", "train", "a1+a2", "a1"]), sightings([9], ["a2"])])

    assert found.repeats["example", "train", "train"] == 1
    assert found.repeats["example", "a1", "train"] == 1
    assert found.repeats["example", "train", "a1"] == 2
    assert found.repeats["example", "a1", "a2"] == 1
    assert ("example", "a2", "train") not in found.repeats
    assert found.repeats["command", "a2", "train"] == 1
    assert found.different["example", "a1"] == 2


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["train", "dev", "a1", "a1+a2"])), max_size=12))
def test_repeats_are_what_counting_by_hand_gives(rows):
    """Every count is that of the plain definition."""
    found = repeats([sightings([d for d, _ in rows], [s for _, s in rows])] if rows else [])
    held = {s: [d for d, name in rows if s in name.split("+")] for s in ("train", "dev", "a1", "a2")}

    for one, digests in held.items():
        assert found.repeats.get(("example", one, one), 0) == len(digests) - len(set(digests))
        for other, others in held.items():
            if one != other:
                expected = sum(digest in set(others) for digest in digests)
                assert found.repeats.get(("example", one, other), 0) == expected
