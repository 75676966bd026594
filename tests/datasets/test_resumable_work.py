"""Work that only reads goes on where it was interrupted, and keeps nothing of what is not the same work."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from deixis.data import _resumable_work as resumable_work
from deixis.data._resumable_work import ResumableWork


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A file to work on."""
    path = tmp_path / "data.jsonl"
    path.write_text("one\ntwo\n", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, in which everything is kept at once."""
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(resumable_work, "KEEP_SECONDS", 0.0)
    return tmp_path / "cache"


def squares(data: Path, numbers: int, *, stop: int | None = None, **settings: object) -> tuple[list[int], list[int]]:
    """The squares of numbers, and which of them were worked on; the work is stopped before a number."""
    worked: list[int] = []

    def do(rest: Iterator[int], _count: int) -> Iterator[int]:
        for number in rest:
            if number == stop:
                raise KeyboardInterrupt
            worked.append(number)
            yield number * number

    with ResumableWork("square", data, settings) as work:
        return list(work.go_on("squares", range(numbers), numbers, do, pack=str, unpack=int)), worked


def stopped(data: Path, numbers: int, stop: int, **settings: object) -> None:
    with pytest.raises(KeyboardInterrupt):
        squares(data, numbers, stop=stop, **settings)


@pytest.mark.parametrize("stop", [0, 1, 4, 6])
def test_stopped_work_goes_on(data: Path, cache: Path, stop: int) -> None:
    """Wherever work is stopped, nothing is done twice, the results are the same, and nothing is left."""
    stopped(data, 7, stop)

    found, worked = squares(data, 7)

    assert found == [number * number for number in range(7)]
    assert worked == list(range(stop, 7))
    assert not [*cache.iterdir()]


def test_work_that_stops_again_goes_on_again(data: Path) -> None:
    """What was kept before and after an interruption is found together."""
    stopped(data, 9, 3)
    stopped(data, 9, 7)

    assert squares(data, 9)[1] == [7, 8]


def test_other_settings_are_other_work(data: Path) -> None:
    """What was begun with one seed is not taken for another, and stays for its own."""
    stopped(data, 5, 3, seed=1)

    assert squares(data, 5, seed=2)[1] == [0, 1, 2, 3, 4]
    assert squares(data, 5, seed=1)[1] == [3, 4]


def test_other_data_are_other_work(data: Path) -> None:
    """Data that were written anew are worked on anew, also where they are as long as before."""
    stopped(data, 5, 3)
    data.write_text("two\none\n", encoding="utf-8")
    os.utime(data, ns=(1, 1))

    assert squares(data, 5)[1] == [0, 1, 2, 3, 4]


def test_another_version_begins_anew(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another version of deixis has found is not used."""
    stopped(data, 5, 3)
    monkeypatch.setattr("deixis.data._pieces.__version__", "0.0.0")

    assert squares(data, 5)[1] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("harm", ["cut", "changed", "strange"])
def test_damaged_pieces_are_done_again(data: Path, cache: Path, harm: str) -> None:
    """A line that is cut short or changed is not used, nor what comes after it; the results are the same."""
    stopped(data, 6, 4)
    (path,) = cache.rglob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    broken = {"cut": lines[3][:-9], "changed": lines[3].replace(b"4", b"5"), "strange": b"\xff\xfe{[\n"}[harm]
    path.write_bytes(b"".join([*lines[:3], broken, *([] if harm == "cut" else lines[4:])]))

    found, worked = squares(data, 6)

    assert found == [number * number for number in range(6)]
    assert worked == [2, 3, 4, 5]


def test_short_work_writes_nothing(data: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done sooner than it is worth keeping leaves no file while it is done."""
    monkeypatch.setattr(resumable_work, "KEEP_SECONDS", 3600.0)
    seen: list[str] = []

    def do(rest: Iterator[int], _count: int) -> Iterator[int]:
        for number in rest:
            seen.extend(path.name for path in cache.rglob("*.jsonl"))
            yield number

    with ResumableWork("look", data, {}) as work:
        assert list(work.go_on("numbers", range(4), 4, do, pack=str, unpack=int)) == [0, 1, 2, 3]
    assert seen == []


def test_the_same_work_twice_at_a_time_keeps_one(data: Path) -> None:
    """The second of two that do the same at the same time does all of it and disturbs nothing."""
    with ResumableWork("square", data, {}) as first:
        begun = first.go_on("squares", range(5), 5, lambda rest, _: (n * n for n in rest), pack=str, unpack=int)
        assert [next(begun), next(begun)] == [0, 1]
        if sys.platform != "win32":  # which has no such locks
            assert squares(data, 5) == ([0, 1, 4, 9, 16], [0, 1, 2, 3, 4])
        assert list(begun) == [4, 9, 16]


def test_what_json_cannot_tell_is_not_kept(data: Path, cache: Path) -> None:
    """The work is done all the same."""
    with ResumableWork("look", data, {}) as work:
        found = work.go_on("sets", range(3), 3, lambda rest, _: ({n} for n in rest), pack=lambda one: one, unpack=set)
        assert list(found) == [{0}, {1}, {2}]
    assert not [*cache.rglob("*.lock")]


def test_a_cache_that_cannot_be_written_to_is_no_hindrance(data: Path, tmp_path: Path, monkeypatch) -> None:
    """Where the cache is a file, nothing is kept, and the work is done."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "file"))

    assert squares(data, 3) == ([0, 1, 4], [0, 1, 2])


def test_work_that_nobody_went_on_with_is_forgotten(data: Path, cache: Path) -> None:
    """After a month, the next work removes it."""
    stopped(data, 5, 3, seed=1)
    (path,) = cache.rglob("*.jsonl")
    old = time.time() - (resumable_work.DAYS + 1) * 24 * 3600
    os.utime(path, (old, old))

    squares(data, 2, seed=2)

    assert not path.exists()
