"""Finished pieces of work are kept, found again by whoever does the same work, and by nobody else."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data._pieces import KeptPieces, digest_of, pack_arrays, share_kept, unpack_arrays
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


ABOUT = {"data": "d1", "settings": {"seed": 3}}


def squares(kept: KeptPieces | None, numbers: Sequence[int], seen: list[int], *, stop: int | None = None) -> list[int]:
    """The squares of numbers; what is worked on is seen, and the work is stopped before a number."""

    def do(missing: Sequence[int]) -> Iterator[int]:
        for number in missing:
            if number == stop:
                raise KeyboardInterrupt
            seen.append(number)
            yield number * number

    return list(share_kept(kept, numbers, do, key=lambda number: number, pack=str, unpack=int))


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(0, 9))
def test_stopped_work_goes_on(tmp_path_factory: pytest.TempPathFactory, numbers: list[int], stop: int) -> None:
    """Wherever work is stopped, nothing that was finished is done again, and the results are the same."""
    out, first, second = tmp_path_factory.mktemp("out"), [], []
    try:
        squares(KeptPieces(out, "squares", ABOUT), numbers, first, stop=stop)
    except KeyboardInterrupt:
        assert stop in numbers

    assert squares(KeptPieces(out, "squares", ABOUT), numbers, second) == [number * number for number in numbers]
    assert not set(first) & set(second)


def test_the_file_is_removed_when_the_work_is_done(tmp_path: Path) -> None:
    """Nothing remains in the folder of the results."""
    kept = KeptPieces(tmp_path, "squares", ABOUT)
    squares(kept, [1, 2], [])

    kept.remove()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("about", [{**ABOUT, "data": "d2"}, {**ABOUT, "settings": {"seed": 4}}])
def test_other_work_is_not_used(tmp_path: Path, about: dict[str, Any]) -> None:
    """Where data or settings are others, all is done anew, and a note says in what they differ."""
    squares(KeptPieces(tmp_path, "squares", ABOUT), [1, 2], [])
    seen: list[int] = []
    kept = KeptPieces(tmp_path, "squares", about)

    assert squares(kept, [1, 2], seen) == [1, 4]
    assert seen == [1, 2]
    differing = next(key for key in about if about[key] != ABOUT[key])
    assert kept.notes == [f"What was kept in {kept.path} is of other work and not used; it differs in {differing}"]


@pytest.mark.parametrize("cut", range(1, 150, 7))
def test_lines_that_are_cut_short_are_done_again(tmp_path: Path, cut: int) -> None:
    """What a power failure takes away costs the pieces that it took."""
    kept = KeptPieces(tmp_path, "squares", ABOUT)
    squares(kept, [1, 2, 3], [])
    kept.path.write_bytes(kept.path.read_bytes()[:-cut])
    seen: list[int] = []

    assert squares(KeptPieces(tmp_path, "squares", ABOUT), [1, 2, 3], seen) == [1, 4, 9]
    assert 3 in seen
    assert squares(KeptPieces(tmp_path, "squares", ABOUT), [1, 2, 3], []) == [1, 4, 9]


def test_lines_that_were_changed_are_done_again(tmp_path: Path) -> None:
    """A result that is not the one that was kept is not believed."""
    kept = KeptPieces(tmp_path, "squares", ABOUT)
    squares(kept, [1, 2, 3], [])
    kept.path.write_bytes(kept.path.read_bytes().replace(b'"4"', b'"5"'))
    seen: list[int] = []

    assert squares(KeptPieces(tmp_path, "squares", ABOUT), [1, 2, 3], seen) == [1, 4, 9]
    assert seen == [2]


@pytest.mark.parametrize("text", ["", "no line\n", "[" * 9999, "\x00" * 70], ids=["empty", "text", "brackets", "zeros"])
def test_files_of_others_are_not_used(tmp_path: Path, text: str) -> None:
    """What is no file of ours is replaced, which a note says."""
    kept = KeptPieces(tmp_path, "squares", ABOUT)
    kept.path.parent.mkdir()
    kept.path.write_text(text)

    again = KeptPieces(tmp_path, "squares", ABOUT)

    assert "deixis, data, settings" in again.notes[0]
    assert squares(again, [2], []) == [4]


def test_forged_results_are_an_error_in_one_line(tmp_path: Path) -> None:
    """A line that fits its digest but holds no result is refused."""
    kept = KeptPieces(tmp_path, "squares", ABOUT)
    squares(kept, [1], [])
    text = json.dumps([digest_of(2), "no number"])
    with kept.path.open("a") as stream:
        stream.write(f"{sha256(text.encode()).hexdigest()} {text}\n")

    with pytest.raises(BrokenDataset, match="something else than results"):
        squares(KeptPieces(tmp_path, "squares", ABOUT), [2], [])


def test_nothing_is_written_before_something_is_finished(tmp_path: Path) -> None:
    """Whoever only looks leaves no trace, also beside what is of other work."""
    squares(KeptPieces(tmp_path / "other", "squares", ABOUT), [1], [])
    before = (tmp_path / "other" / ".unfinished" / "squares.jsonl").read_bytes()

    KeptPieces(tmp_path / "out", "squares", ABOUT)
    KeptPieces(tmp_path / "other", "squares", {**ABOUT, "data": "d2"})

    assert not (tmp_path / "out").exists()
    assert (tmp_path / "other" / ".unfinished" / "squares.jsonl").read_bytes() == before


@pytest.mark.parametrize("kind", ["?", "<i2", "<i8", "<u8", "<f8", "<U3"])
def test_arrays_come_back_as_they_were(kind: str) -> None:
    """Kind, shape and every bit."""
    array = np.arange(12).reshape(3, 4).astype(kind)
    if kind == "<f8":
        array[0, 0] = np.nan

    again = unpack_arrays(json.loads(json.dumps(pack_arrays({"x": array}))))["x"]

    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert again.tobytes() == array.tobytes()
