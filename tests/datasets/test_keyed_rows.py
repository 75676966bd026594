"""What is compared range by range comes out as if all rows were in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data import _keyed_rows as keyed_rows
from deixis.data._contents import CLASHES, Contents, first_clashes
from deixis.data._kept_contents import KeptContents, find_clashes
from deixis.data._keyed_rows import KEY, PLACE, KeyedRows, bits_for, ranges_of
from deixis.data.checks import Report, check_across


if TYPE_CHECKING:
    from collections.abc import Iterator


SPLITS = ("train", "dev", "a1", "a1+a2", "aside", "")
IDS = st.one_of(st.integers(0, 9), st.sampled_from(["a", "b", "ö"]))
examples = st.lists(st.tuples(st.integers(0, 12), IDS, st.sampled_from(SPLITS)), max_size=30)
pieces = st.lists(examples, max_size=4)


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """Three rows are many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyed_rows, "AT_ONCE", 3)
        yield


def contents(rows: list[tuple[int, int | str, str]], start: int = 0) -> Contents:
    """Contents of rows of a digest, an id and a split."""
    names = tuple(dict.fromkeys(split for *_, split in rows))
    ids = [number for _, number, _ in rows]
    are_numbers = all(isinstance(one, int) for one in ids)
    return Contents(
        digest=np.array([digest for digest, *_ in rows], np.uint64),
        id=np.array(ids, np.int64 if are_numbers else object),
        row=np.arange(start, start + len(rows)),
        split=np.array([names.index(split) for *_, split in rows], np.int64),
        names=names,
    )


def report(parts: list[list[tuple[int, int | str, str]]]) -> Report:
    """The report of a dataset in pieces."""
    whole = Report(checked=("E401", "W402"), most=4)
    for part in parts:
        whole = whole.merge(Report(checked=whole.checked, rows=len(part), pieces=(contents(part),), most=4))
    return whole


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=9), max_size=6), st.integers(0, 11))
def test_rows_come_back_by_their_keys(batches: list[list[int]], bits: int) -> None:
    """Every row is in one range, in the order in which rows were added, and equal keys are in the same range."""
    store = KeyedRows(value=np.int64)
    for batch in batches:
        keys = np.array(batch, np.uint64)
        store.add(keys, value=(keys >> np.uint64(3)).astype(np.int64))

    found = [store.range(number, bits) for number in range(1 << bits)]

    assert sorted(row[PLACE] for rows in found for row in rows) == list(range(sum(map(len, batches))))
    assert all((np.diff(rows[PLACE]) > 0).all() for rows in found)
    assert all((rows["value"] == (rows[KEY] >> np.uint64(3)).astype(np.int64)).all() for rows in found)
    keys = [set(rows[KEY].tolist()) for rows in found]
    assert sum(map(len, keys)) == len(set().union(*keys))


def test_no_range_is_much_larger_than_memory() -> None:
    """Consecutive numbers are spread evenly, and ranges of two datasets are those of both together."""
    one, other = KeyedRows(), KeyedRows()
    for start in range(0, 200, 50):
        one.add(np.arange(start, start + 50, dtype=np.uint64))
        other.add(np.arange(start, start + 50, dtype=np.uint64))

    sizes = [sum(map(len, parts)) for parts in ranges_of([one, other])]

    assert len(sizes) == 1 << bits_for(400)
    assert sum(sizes) == 400
    assert max(sizes) <= 12


@given(pieces, st.sampled_from(sorted(CLASHES)), st.integers(1, 5))
def test_clashes_are_those_of_the_definition(parts, code: str, most: int) -> None:
    """How many examples clash, and the first of them, with the earlier ones, are those of all contents in memory."""
    kept, start = KeptContents(), 0
    for part in parts:
        kept.add(contents(part), shift=start)
        start += len(part)
    whole = Contents.join([contents(part, sum(map(len, parts[:k]))) for k, part in enumerate(parts)])
    expected = sorted(first_clashes(whole, CLASHES[code]).items())

    count, found = find_clashes([kept], CLASHES[code], most=most)

    assert count == len(expected)
    assert [(one.row, other.row) for one, other in found] == expected[:most]
    assert [(one.id, one.split) for one, _ in found] == [
        (whole.id_at(place), whole.split_at(place)) for place, _ in expected[:most]
    ]


@given(st.lists(pieces, min_size=2, max_size=3))
def test_datasets_are_compared_as_by_definition(datasets) -> None:
    """Between datasets, the same examples clash as if all were in memory."""
    reports = {f"d{number}": report(parts) for number, parts in enumerate(datasets)}
    joined = [Contents.join([contents(part, sum(map(len, d[:k]))) for k, part in enumerate(d)]) for d in datasets]
    source = np.repeat(np.arange(len(joined)), [len(one) for one in joined])
    whole = Contents.join(joined)

    found = check_across(reports, most=3)

    for code, clash in CLASHES.items():
        expected = sorted(first_clashes(whole, clash, apart=source).items())
        assert found.tally[code] == len(expected)
        assert [(one.path, one.row, one.id) for one in found.first[code]] == [
            (f"d{source[place]}", whole.row[place], whole.id_at(place)) for place, _ in expected[:3]
        ]


@given(pieces)
def test_contents_come_back_range_by_range(parts) -> None:
    """As a sequence, contents that are kept hold every example once, with its id and its split."""
    kept = KeptContents.of(contents(part) for part in parts)

    found = [(int(piece.digest[k]), piece.id_at(k), piece.split_at(k)) for piece in kept for k in range(len(piece))]

    assert sorted(map(repr, found)) == sorted(repr(row) for part in parts for row in part)
    assert bool(kept) == bool(parts)


def test_a_report_that_is_merged_keeps_what_it_remembers() -> None:
    """Contents that are kept stay so behind a report of no rows, and are found again behind others."""
    rows = [(1, 1, "train"), (2, 2, "dev"), (1, 3, "dev")]
    late = Report(checked=("E401",), rows=3, pieces=KeptContents.of([contents(rows)]))

    assert Report(checked=("E401",)).merge(late).pieces is late.pieces
    both = Report(checked=("E401",), rows=1, pieces=(contents([(2, 9, "train")]),)).merge(late)
    assert [(one.row, one.id, one.detail) for one in both.findings] == [
        (2, 2, "also row 0 (train)"),
        (3, 3, "also row 1 (train)"),
    ]
