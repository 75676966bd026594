"""Dataset files of any size and of any kind of damage."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from deixis.data import _json_stream as json_stream
from deixis.data._json_stream import LONGEST_VALUE, ExampleFile, read_header
from deixis.errors import BrokenDataset


HEADER = {"grid_size": 6, "type_grammar": "x"}
SPLITS = {"train": [{"n": 0, "text": 'a "quoted" } ] text'}, {"n": 1, "text": "ü😀\\"}], "dev": [], "test": [{"n": 2}]}
DATASET = {**HEADER, "examples": SPLITS, "nouns": ["circle"], "percentage": 0.25}


def complaint(path) -> str:
    """The one line with which a file is refused."""
    with pytest.raises(BrokenDataset) as caught:
        list(ExampleFile(path))
    text = str(caught.value)
    assert "\n" not in text
    assert path.name in text
    return text


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data.txt"


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("chunk", [1, 2, 7, 1 << 20])
def test_examples_come_in_order_whatever_the_chunks(path, monkeypatch, chunk, indent):
    """Where chunks end changes nothing, not even in the middle of a character of several bytes."""
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    monkeypatch.setattr(json_stream.Cursor.fetch, "__defaults__", (chunk,))
    path.write_text(json.dumps(DATASET, indent=indent, ensure_ascii=False), encoding="utf-8")

    found = list(ExampleFile(path))

    assert found == [(split, example) for split, examples in SPLITS.items() for example in examples]


def test_the_header_has_the_fields_on_both_sides_of_the_examples(path):
    """Fields before the examples are known at the first example, those behind them at the end."""
    path.write_text(json.dumps(DATASET), encoding="utf-8")
    file = ExampleFile(path)

    next(iter(file))

    assert file.header == HEADER
    assert read_header(path) == {**HEADER, "nouns": ["circle"], "percentage": 0.25}


def test_a_byte_order_mark_is_no_harm(path):
    """Some editors begin a file with an invisible mark."""
    path.write_text("\ufeff" + json.dumps(DATASET), encoding="utf-8")

    assert len(list(ExampleFile(path))) == 3


def test_memory_does_not_grow_with_the_file(path):
    """Sixty megabytes are read with a few."""
    example = json.dumps({"command": "walk", "situation": {str(k): "0" * 90 for k in range(100)}})
    with path.open("w", encoding="utf-8") as file:
        file.write('{"examples": {"train": [' + ", ".join([example] * 100))
        for _ in range(55):
            file.write(", " + ", ".join([example] * 100))
        file.write("]}}")
    assert path.stat().st_size > 55_000_000
    tracemalloc.start()

    count = sum(1 for _ in ExampleFile(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 5600
    assert peak < 8_000_000


def test_every_cut_is_noticed(path):
    """A file that ends too early is refused wherever it ends."""
    whole = json.dumps(DATASET).encode()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])

        assert "byte" in complaint(path)


def test_a_cut_names_the_example(path):
    """The message says which example was being read and what to do."""
    path.write_bytes(json.dumps(DATASET).encode().split(b"quoted")[0])

    message = complaint(path)

    assert "example 0 of split 'train'" in message
    assert "cut short" in message


def test_the_offset_is_counted_in_bytes(path):
    """The place of an error is that of the file, whatever characters come before it."""
    text = '{"ü": 1, "examples": {"train": [{"n": 1}, {"n": tru }]}}'
    path.write_text(text, encoding="utf-8")

    assert f"byte {text.encode().index(b'tru')}:" in complaint(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b'var reascan_data = [{"pattern": "p1"}];', "JavaScript"),
        (b"[1, 2]", "a list"),
        (b"12", "a number"),
        (b'"text"', "a string"),
        (b"null", "null"),
        (b"hello", "no JSON"),
        (b"{}", "no 'examples'"),
        (b'{"images": [], "annotations": []}', "'images', 'annotations'"),
        (b'{"examples": []}', "not an object of splits"),
        (b'{"examples": {"train": {}}}', "to begin split 'train'"),
        (b'{"examples": {"train": [1]}}', "example 0 of split 'train' is a number"),
        (b'{"examples": {"train": [null]}}', "null"),
        (b'{"examples": {"a\\nb": []}}', "name of a split"),
        (b'{"examples": {"\\ud800": []}}', "name of a split"),
        (b'{"examples": {"train": [{} {}]}}', "',' or ']'"),
        (b'{"examples": {"train": [{},]}}', "example 1"),
        (b'{"examples" {}}', "':'"),
        (b"{examples: {}}", "the name of a field"),
        (b'{"examples": {}} {"examples": {}}', "more text"),
        (b'{"grid_size": NaN, "examples": {}}', "NaN"),
        (b'{"grid_size": ' + b"9" * 5000 + b', "examples": {}}', "digits"),
        (b'{"examples": {"train": [{"text": "\xff"}]}}', "not UTF-8"),
        (b"\x1f\x8b\x08rest", "gzip"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
        (b"<!DOCTYPE html><html></html>", "a web page"),
        (b"PAR1....PAR1", "Parquet"),
        (b"\x00\x01\x02", "binary"),
        (json.dumps(DATASET).encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_no_dataset_is_refused_by_name(path, content, words):
    """The message names what was found instead."""
    path.write_bytes(content)

    assert words in complaint(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"examples": {"train": [' + "[" * 200_000, "nested too deeply"),
        ('{"examples": {"train": [{"a": "' + "x" * (LONGEST_VALUE * 3), "characters"),
        ('{"a": "' + "x" * (LONGEST_VALUE * 3) + '"}', "characters"),
        ("{" + ", ".join(f'"{k}": 1' for k in range(5000)), "too much beside"),
        ('{"a": [' + "1, " * 6_000_000, "characters"),
    ],
)
def test_hostile_files_end_quickly(path, content, words):
    """Deep nesting and endless values are given up before they cost memory."""
    path.write_text(content, encoding="utf-8")

    assert words in complaint(path)


def test_missing_files_and_folders_are_refused(path, tmp_path):
    """Neither a missing file nor a folder ends in a traceback."""
    assert "cannot be read" in complaint(path)
    assert "cannot be read" in complaint(tmp_path)
