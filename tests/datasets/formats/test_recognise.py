"""Telling formats apart."""

from __future__ import annotations

import pytest

from deixis.errors import BrokenDataset
from deixis.worlds.grid.formats._recognise import pick_example, read_any, sniff
from tests.datasets.formats.released import CHAIN, GSCAN, SAMPLE, SIMPLE, needs_sample, write_file


@pytest.mark.parametrize(
    ("example", "expected"),
    [(SIMPLE, "reascan"), (CHAIN, "reascan"), (GSCAN, "gscan"), ({"sentence": "x"}, "unknown")],
)
def test_the_first_example_tells_the_format(tmp_path, example, expected):
    """Fields decide, not the name of the file."""
    assert sniff(write_file(tmp_path / "data.json", example, type_grammar="x")) == expected


@needs_sample
def test_the_real_sample_is_recognised():
    """A released file is known as one."""
    assert sniff(SAMPLE) == "reascan"


@pytest.mark.parametrize("content", [b"", b"[]", b"\x00\xff", b"var reascan_data = []", b'{"examples": {}}'])
def test_what_is_no_dataset_is_unknown(tmp_path, content):
    """Anything else is unknown, and refused when it has to be read."""
    path = tmp_path / "data.txt"
    path.write_bytes(content)

    assert sniff(path) == "unknown"
    with pytest.raises(BrokenDataset):
        list(read_any(path))


def test_both_formats_are_read_without_being_named(tmp_path):
    """The reader is chosen by what the file holds."""
    (reascan,) = read_any(write_file(tmp_path / "r.txt", SIMPLE))
    (gscan,) = read_any(write_file(tmp_path / "g.txt", GSCAN))

    assert reascan["verb"].to_pylist() == ["push"]
    assert gscan["verb"].to_pylist() == ["walk"]


def test_a_missing_file_is_named(tmp_path):
    """A wrong path is no unknown format."""
    with pytest.raises(BrokenDataset, match="is no file"):
        sniff(tmp_path / "nowhere.txt")


def test_the_example_that_is_picked_is_named_where_it_is_broken(tmp_path):
    """The number in the complaint is the one that was asked for."""
    path = write_file(tmp_path / "data.json", SIMPLE, SIMPLE, {**SIMPLE, "command": "push,the,blob"})

    with pytest.raises(BrokenDataset, match="example 2 of split 'test'"):
        pick_example(path, 2, is_wanted=lambda _: True)
