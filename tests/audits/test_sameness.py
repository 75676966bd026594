from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.audits import _sightings as sightings_module
from deixis.audits._counting import Tally
from deixis.audits._sightings import KeptSightings, Sightings, count_repeats, shared_examples
from deixis.data import _keyed_rows as keyed_rows
from deixis.data._split_names import names_in_split


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


pieces = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["train", "dev", "a1", "a1+a2"])), max_size=9), max_size=4
)


def seen(parts):
    return [sightings([digest for digest, _ in part], [split for _, split in part]) for part in parts if part]


def in_little_memory(call):
    """What a call returns where three rows are many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyed_rows, "AT_ONCE", 3)
        patch.setattr(sightings_module, "MANY", 4)  # longer pieces are counted first, shorter ones are not
        return call()


@given(pieces)
def test_repeats_do_not_depend_on_memory(parts):
    """Counted range by range, in pieces, repeats are those of all examples at once."""
    rows = [row for part in parts for row in part]
    expected = repeats(seen([rows]))

    found = in_little_memory(lambda: repeats(KeptSightings.of(seen(parts))))

    assert (found.repeats, found.different) == (expected.repeats, expected.different)


@given(st.lists(pieces, min_size=2, max_size=3))
def test_what_datasets_share_is_what_counting_by_hand_gives(datasets):
    """Every two splits of two datasets that share an example, by the definition, with little memory."""
    held = {}
    for name, parts in zip("abc", datasets, strict=False):
        for digest, entry in (row for part in parts for row in part):
            for single in names_in_split(entry):
                held.setdefault((name, single), []).append(digest)
    expected = {
        (*one, *other, sum(digest in held[other] for digest in held[one]), len(held[one]))
        for one in held
        for other in held
        if other[0] < one[0] and set(held[one]) & set(held[other])
    }

    found = in_little_memory(
        lambda: shared_examples({name: seen(parts) for name, parts in zip("abc", datasets, strict=False)})
    )

    assert set(map(tuple, found)) == expected
    assert len(found) == len(expected)


@given(pieces)
def test_sightings_come_back_range_by_range(parts):
    """As a sequence, sightings that are kept hold every example once, with its split."""
    rows = [row for part in parts for row in part]

    def told():
        kept = KeptSightings.of(seen(parts))
        return [
            (digest, piece.names[split])
            for piece in kept
            for digest, split in zip(piece.example.tolist(), piece.split.tolist(), strict=True)
        ]

    assert sorted(in_little_memory(told)) == sorted(rows)
