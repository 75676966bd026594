"""Vocabulary files."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from deixis.errors import BrokenDataset
from deixis.worlds.grid.formats.reascan import read_reascan
from deixis.worlds.grid.formats.vocabulary import (
    Vocabulary,
    command_tokens,
    read_vocabulary,
    write_vocabularies,
    write_vocabulary,
)
from tests.datasets.formats.released import FOLDER, ONE_CLAUSE, SIMPLE, needs_sample, write_file


@needs_sample
@pytest.mark.parametrize(("name", "size"), [("input_vocabulary.txt", 38), ("target_vocabulary.txt", 9)])
def test_real_files_are_rewritten_byte_for_byte(tmp_path, name, size):
    """Reading keeps everything that writing needs."""
    vocabulary = read_vocabulary(FOLDER / name)

    write_vocabulary(vocabulary, tmp_path / name)

    assert len(vocabulary) == size
    assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def two_splits(tmp_path) -> pa.Table:
    """One example to train on and one to test on."""
    parts = [
        next(read_reascan(write_file(tmp_path / f"{split}.txt", record, record, split=split)))
        for split, record in (("test", ONE_CLAUSE), ("train", SIMPLE))
    ]
    return pa.concat_tables(parts)


def test_words_are_numbered_as_the_train_split_first_uses_them(tmp_path):
    """Words of other splits have no index, and each word is counted as often as it occurs."""
    words, actions = write_vocabularies(two_splits(tmp_path), tmp_path / "out")

    assert list(words) == ["<PAD>", "<SOS>", "<EOS>", "push", "the", "small", "red", "circle", "while", "spinning"]
    assert set(words.frequencies.values()) == {2}
    assert actions.frequencies == {"turn left": 8, "walk": 2}
    assert read_vocabulary(tmp_path / "out" / "input_vocabulary.txt") == words
    assert read_vocabulary(tmp_path / "out" / "target_vocabulary.txt") == actions


def test_without_a_train_split_all_examples_count(tmp_path):
    """A folder with a test split only still has a vocabulary."""
    table = next(read_reascan(write_file(tmp_path / "t.txt", ONE_CLAUSE)))

    words, _ = write_vocabularies(table, tmp_path)

    assert words.words[:3] == ("walk", "to", "the")
    assert words.frequencies["the"] == 2


def test_gscan_keeps_its_manners_together(tmp_path):
    """'while spinning' is one token in gSCAN and two in ReaSCAN."""
    words, _ = write_vocabularies(two_splits(tmp_path), tmp_path, joins_manners=True)

    assert words.words[-1] == "while spinning"
    assert command_tokens("walk to a circle cautiously", joins_manners=True)[-1] == "cautiously"


def test_sequences_are_encoded_and_decoded():
    """Known words come back, unknown ones are lost to the padding."""
    vocabulary = Vocabulary.of({"walk": 2, "to": 1})

    indices = vocabulary.encode(["walk", "fast", "to"])

    assert indices == [1, 3, 0, 4, 2]
    assert vocabulary.decode([*indices, 3]) == ["walk", "to"]


def good() -> dict:
    """The fields of a small vocabulary."""
    return {
        "sos_token": "<SOS>",
        "eos_token": "<EOS>",
        "pad_token": "<PAD>",
        "idx_to_word": ["<PAD>", "<SOS>", "<EOS>", "walk"],
        "word_to_idx": {"<SOS>": 1, "<EOS>": 2, "walk": 3},
        "word_frequencies": {"walk": 1},
    }


@pytest.mark.parametrize(
    "change",
    [
        {"idx_to_word": None},
        {"idx_to_word": ["<SOS>", "<PAD>", "<EOS>", "walk"]},
        {"idx_to_word": ["<PAD>", "<SOS>", "<EOS>", 3]},
        {"word_to_idx": {"<SOS>": 1, "<EOS>": 2, "walk": 4}},
        {"word_frequencies": {"walk": "many"}},
        {"word_frequencies": 3},
        {"pad_token": ["<PAD>"]},
    ],
)
def test_contradictions_are_refused(tmp_path, change):
    """A file whose lists do not agree is no vocabulary."""
    path = tmp_path / "v.txt"
    path.write_text(json.dumps({**good(), **change}), encoding="utf-8")

    with pytest.raises(BrokenDataset, match=r"v\.txt is no vocabulary"):
        read_vocabulary(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b"12"])
def test_what_is_no_vocabulary_is_refused(tmp_path, content):
    """Anything else gives one line."""
    path = tmp_path / "v.txt"
    path.write_bytes(content)

    with pytest.raises(BrokenDataset, match=r"v\.txt is no vocabulary"):
        read_vocabulary(path)


def test_a_missing_vocabulary_is_refused(tmp_path):
    """A wrong path gives one line."""
    with pytest.raises(BrokenDataset, match="cannot be read"):
        read_vocabulary(tmp_path / "v.txt")
