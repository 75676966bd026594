"""What audits and checks remember of examples does not grow with their number."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from deixis.audits import _counting as counting
from deixis.audits import _kept_values as kept_values
from deixis.audits._counting import Tally
from deixis.audits._feature_readers import FeatureReaders, SeenThings
from deixis.audits._kept_values import KeptNames, KeptValues, ShownValues
from deixis.audits._sightings import KeptSightings, Sightings, count_repeats
from deixis.data import _keyed_rows as keyed_rows
from deixis.data._contents import CLASHES, Contents
from deixis.data._kept_contents import KeptContents, find_clashes


PIECE = 1024  # examples
FEW, MANY = 12, 120  # pieces
MOST_GROWTH = 1.5  # for ten times as many


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four thousand rows are many."""
    monkeypatch.setattr(keyed_rows, "AT_ONCE", 4096)
    monkeypatch.setattr(counting, "HELD_BYTES", 1 << 14)
    monkeypatch.setattr(counting, "MOST", 1024)
    monkeypatch.setattr(kept_values, "IN_MEMORY", 1 << 12)


def digests(number: int) -> np.ndarray:
    return np.random.default_rng(number).integers(0, 1 << 63, PIECE).astype(np.uint64)


def count_all(pieces: int) -> None:
    kept, tally = KeptSightings(), Tally()
    for number in range(pieces):
        same = np.zeros(PIECE, np.int64)
        kept.append(Sightings(digests(number), digests(number + 1), digests(0), same, ("train",)))
    count_repeats(tally, kept)


def compare_all(pieces: int) -> None:
    kept = KeptContents()
    for number in range(pieces):
        rows = np.arange(PIECE)
        kept.add(Contents(digest=digests(number), id=rows, row=rows, split=rows * 0, names=("dev",)), shift=number)
    find_clashes([kept], CLASHES["W402"], most=20)


def read_all(pieces: int) -> None:
    readers = FeatureReaders()
    start = np.arange(PIECE + 1) * 4
    for number in range(pieces):
        codes = (digests(number).repeat(4) % np.uint64(3)).astype(np.int32)[:, None] + 1
        things = SeenThings(("size",), (("s", "m", "l"),), codes, start, np.zeros(PIECE, np.int64))
        readers.see(digests(number), things)
    readers.judge(Tally(), ("size",))


def peak(work, pieces: int) -> int:
    """Bytes that some work needs at most."""
    tracemalloc.start()
    try:
        work(pieces)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("work", [count_all, compare_all, read_all])
def test_ten_times_as_many_examples_need_no_more_memory(work) -> None:
    """Digests, contents and objects wait in a file; what is in memory at a time stays the same."""
    work(1)

    assert peak(work, MANY) < MOST_GROWTH * peak(work, FEW)


def test_values_come_back_from_the_file() -> None:
    """Values that wait in a file are those that were added, by number, in order, and as a function shows them."""
    values = [[f"word {number}", "ö\ud800", number] for number in range(900)]
    kept, names = KeptValues(), KeptNames()
    for value in values:
        kept.append(value)
        names.append(f"split {value[2] % 3}")

    assert [*kept] == values
    assert [kept[number] for number in (899, 0, 450)] == [values[899], values[0], values[450]]
    assert kept[2:5] == values[2:5]
    assert ShownValues(kept, len)[7] == 3
    assert [*names] == [f"split {number % 3}" for number in range(900)]
    with pytest.raises(IndexError):
        kept[900]
