from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset
from deixis.worlds.rooms.captions import GRAMMARS, captions, count
from deixis.worlds.rooms.formats.a3ds import (
    Difference,
    caption_file_name,
    compare_captions,
    read_caption_file,
    read_image_list,
    read_vocabulary,
    write_caption_file,
    write_image_list,
    write_vocabulary,
)
from deixis.worlds.rooms.scene import IMAGES
from deixis.worlds.rooms.vocabulary import vocabulary


SHARED = Path(__file__).parents[3] / "../shared/data/3dshapes"


def test_files_are_called_as_in_the_release():
    """The exhaustive captions are the long ones."""
    assert caption_file_name("exhaustive") == "3dshapes_captions_long.json"
    assert caption_file_name("short") == "3dshapes_captions_short.json"
    assert len({caption_file_name(grammar) for grammar in GRAMMARS}) == len(GRAMMARS)


@given(some=st.lists(st.integers(0, IMAGES - 1), max_size=5, unique=True), grammar=st.sampled_from(GRAMMARS))
def test_caption_files_are_those_of_json_dump(some, grammar, tmp_path_factory):
    """The text that is written in blocks is byte for byte what the standard library writes, and is read back."""
    path = tmp_path_factory.mktemp("captions") / "captions.json"

    written = write_caption_file(path, grammar, images=some, workers=2)

    plain = {str(image): list(captions(image, grammar)) for image in some}
    assert path.read_text(encoding="utf-8") == json.dumps(plain)
    assert written == sum(map(len, plain.values()))
    assert {str(image): list(texts) for image, texts in read_caption_file(path)} == plain


def test_several_blocks_make_one_object(tmp_path):
    """Blocks are joined by commas, whatever the number of workers."""
    images = np.arange(200_000, 211_000)

    for workers in (1, 3):
        write_caption_file(tmp_path / f"{workers}.json", "short", images=images, workers=workers)

    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "3.json").read_bytes()
    found = json.loads((tmp_path / "1.json").read_bytes())
    assert list(found) == [str(image) for image in images]
    assert all(tuple(found[str(image)]) == captions(int(image), "short") for image in images[::997])


def test_a_file_that_follows_a_grammar_is_recognised(tmp_path):
    """The grammar that fits is found, with and without the fault of the release."""
    for grammar in GRAMMARS:
        path = tmp_path / caption_file_name(grammar)
        write_caption_file(path, grammar, images=range(1500))

        found = compare_captions(path)

        assert (found.grammar, found.is_same, found.images) == (grammar, True, 1500)
        assert found.captions == 1500 * count(grammar) // IMAGES
        assert found.missing == IMAGES - 1500


def test_captions_that_differ_are_told_with_their_places(tmp_path):
    """Changed, missing, added and repeated captions are counted under their numbers."""
    texts = {image: list(captions(image, "short")) for image in (5, 6, 7)}
    texts[5][3] = "there is a cat"
    texts[6].pop()
    texts[7].append("and more")
    members = [f'"{image}": {json.dumps(some)}' for image, some in texts.items()]
    path = tmp_path / "captions.json"
    path.write_text("{" + ", ".join([*members, members[0]]) + "}", encoding="utf-8")

    found = compare_captions(path)

    assert found.grammar == "short"
    assert dict(found.differing) == {3: 2, 26: 1, 27: 1}
    assert found.repeated == 1
    assert found.first[0] == Difference(5, 3, "there is a cat", captions(5, "short")[3])
    assert "caption 3 differs in 2 images" in str(found)
    assert "1 images occur more than once" in str(found)


def test_the_released_fault_is_named(tmp_path):
    """Compared with the mended grammar, the released captions differ in caption 9 and nowhere else."""
    write_caption_file(tmp_path / "long.json", "exhaustive-released", images=range(100))

    found = compare_captions(tmp_path / "long.json", "exhaustive")

    assert dict(found.differing) == {9: 100}
    assert len(found.first) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"0": ["a"]',
        '{"0": ["a"]} and more',
        '{"0": "a"}',
        '{"0": [1]}',
        '{"480000": []}',
        '{"01": []}',
        '{"-1": []}',
        '{"²": []}',
        '{"cat": []}',
        '{"0": [NaN]}',
        "\x80\x04.",
    ],
)
def test_other_files_are_refused_in_one_line(text, tmp_path):
    """What is no object of images with captions is an error that names the file."""
    path = tmp_path / "captions.json"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(BrokenDataset) as caught:
        list(read_caption_file(path))

    assert "captions.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["released", "complete", "natural"])
@pytest.mark.parametrize("form", ["object", "list", "lines", "nested"])
def test_vocabularies_are_read_in_every_form(name, form, tmp_path):
    """Words with their numbers, a list of words, one word on each line: all give the same vocabulary."""
    words, path = vocabulary(name), tmp_path / "vocabulary"
    if form == "object":
        write_vocabulary(path, words)
    else:
        numbers = {word: words.numbers[word] for word in reversed(words.words)}
        forms = {
            "list": json.dumps(words.words),
            "nested": json.dumps({"word2idx": numbers}),
            "lines": "\n".join(words.words),
        }
        path.write_text(forms[form] + "\n", encoding="utf-8")

    assert read_vocabulary(path) == words


def test_other_spellings_of_the_special_entries_are_known(tmp_path):
    """Whatever the entries are called that begin, end, replace and fill up, encoding uses them."""
    (tmp_path / "words.json").write_text('["<pad>", "<start>", "<end>", "<unk>", "a"]', encoding="utf-8")

    words = read_vocabulary(tmp_path / "words.json")

    assert words.encode("a cat", 6) == [1, 4, 3, 2, 0, 0]


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("vocab.pkl", b"\x80\x04}.", "is a pickle"),
        ("vocab.json", b"\x80\x04}.", "is a pickle"),
        ("vocab.pt", b"PK", "is a pickle"),
        ("vocab.json", b'{"START": 0, "END": 1, "UNK": 2, "PAD": 4}', "not numbered"),
        ("vocab.json", b'{"START": 0, "END": [], "UNK": 2, "PAD": 4}', "not numbered"),
        ("vocab.json", b'["START", 4]', "neither a list"),
        ("vocab.json", b"{", "no vocabulary"),
        ("vocab.json", b"[" * 100_000, "no vocabulary"),
        ("vocab.txt", b"START\nEND\nUNK\n", "needs an entry for PAD"),
        ("vocab.txt", b"START\nEND\nUNK\nPAD\na\na\n", "each word once"),
        ("vocab.txt", b"\xff\xfe", "no vocabulary"),
        ("vocab.txt", b"a\n" * 600_000, "is larger than"),
    ],
)
def test_what_is_no_vocabulary_is_refused(name, data, complaint, tmp_path):
    """Pickles are never opened; everything else that is wrong is named."""
    (tmp_path / name).write_bytes(data)

    with pytest.raises(BrokenDataset, match=complaint):
        read_vocabulary(tmp_path / name)


def test_lists_of_images_are_read_back(tmp_path):
    """One number on each line, with or without a line break at the end."""
    images = np.array([0, 17, 479_999])

    write_image_list(tmp_path / "ids.txt", images)

    assert (tmp_path / "ids.txt").read_bytes() == b"0\n17\n479999\n"
    assert read_image_list(tmp_path / "ids.txt").tolist() == images.tolist()


@pytest.mark.parametrize("text", ["480000", "-1", "1.0", "cat", "1,2", "9" * 5000, "²", "é"])
def test_lists_of_other_things_are_refused(text, tmp_path):
    """The first line that is no number of an image is named."""
    (tmp_path / "ids.txt").write_text(f"1\n{text}\n", encoding="utf-8")

    with pytest.raises(BrokenDataset, match=r"ids\.txt"):
        read_image_list(tmp_path / "ids.txt")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the samples are not there")
def test_the_sandbox_of_the_authors_is_read():
    """The numbers of its thousand images can be read as a list."""
    assert len(read_image_list(SHARED / "sandbox_IDs_3dshapes_1000.txt")) == 1000
