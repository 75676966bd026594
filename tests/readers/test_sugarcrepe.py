"""SugarCrepe: a caption, its hard negative, and the way in which it was made."""

from __future__ import annotations

import json

import pytest

from deixis.audits._pairs import count_pairs
from deixis.errors import BrokenDataset
from deixis.readers._builtin.sugarcrepe import READER
from deixis.readers._examples import ReadFile
from deixis.readers.registry import sniff_reader
from deixis.testing import check_reader
from tests.readers.hostile import check_hostile_bytes
from tests.readers.pairs import OTHERS, WRONG, crepe, crepe_file, write


REAL = OTHERS / "sugarcrepe"
needs_sample = pytest.mark.skipif(not REAL.is_dir(), reason="the sample of SugarCrepe does not lie beside the checkout")


def test_a_pair_has_the_right_caption_first(tmp_path):
    """The split is the name of the file, and the facts say how the negative was made."""
    (example,) = ReadFile(READER, crepe_file(tmp_path / "swap_att.json", 1))

    assert (example.id, example.split, example.text, example.right) == ("0", "swap_att", example.choices[0], 0)
    assert example.choices[1] == WRONG
    assert [image.name for image in example.images] == ["000000000000.jpg"]
    assert example.facts == {"change": "swap", "changed": "attribute"}


def test_objects_lists_and_lines_give_the_same_examples(tmp_path):
    """Whatever the layout, records keep their order and their numbers."""
    records = [crepe(0), crepe(1)]
    places = (
        write(tmp_path / "a" / "add_obj.json", dict(enumerate(records))),
        write(tmp_path / "b" / "add_obj.json", records),
        write(tmp_path / "c" / "add_obj.json", records, as_lines=True),
        write(tmp_path / "d" / "add_obj.json", records[:1], as_lines=True),
    )
    places[0].write_text(json.dumps(dict(enumerate(records))))  # all in one line

    assert all(sniff_reader(place) is READER for place in places)
    read = [[(one.id, one.content()) for one in ReadFile(READER, place)] for place in places]
    assert read[0] == read[1] == read[2]
    assert read[3] == read[0][:1]


def test_a_folder_gives_its_seven_splits_and_leaves_answers_alone(tmp_path):
    """Ids carry the split; a file of answers is no dataset, and a damaged split is not passed over."""
    for name in ("swap_obj", "add_att"):
        crepe_file(tmp_path / f"{name}.json", 2)
    answered = {**crepe(), "answer": {"multiple_choice_answer": WRONG}, "correct": False}
    answers = write(tmp_path / "gpt.json", {"0": {**answered}})

    assert READER.sniff(tmp_path)
    assert not READER.sniff(answers)
    read = ReadFile(READER, tmp_path)
    assert [one.id for one in read] == ["add_att/0", "add_att/1", "swap_obj/0", "swap_obj/1"]
    assert read.splits == {"add_att": 2, "swap_obj": 2}
    (tmp_path / "add_obj.json").write_text("[1")
    with pytest.raises(BrokenDataset, match="add_obj"):
        ReadFile(READER, tmp_path)


def test_a_repository_is_read_by_its_folder_of_data(tmp_path):
    """And a folder with very many files by their known names alone."""
    crepe_file(tmp_path / "data" / "swap_att.json", 2)
    assert READER.sniff(tmp_path)
    assert len(ReadFile(READER, tmp_path)) == 2

    many = tmp_path / "many"
    for number in range(201):
        write(many / f"{number}.json", {})
    crepe_file(many / "mine.json", 1)
    assert not READER.sniff(many)
    crepe_file(many / "add_att.json", 1)
    assert list(ReadFile(READER, many).splits) == ["add_att"]


def test_a_second_caption_is_kept(tmp_path):
    """SugarCrepe++ has two right captions of each image."""
    path = write(tmp_path / "replace_rel.json", [crepe(caption2="On a blue box there is a red cup.", id=3)])

    assert next(iter(ReadFile(READER, path))).facts["other_caption"] == "On a blue box there is a red cup."


def test_records_that_are_no_pairs_are_refused_by_code(tmp_path):
    """One of each, a number beside the records among them."""
    bad = [crepe(caption=" "), crepe(negative_caption=None), crepe(filename=""), crepe(caption=WRONG), 0.85, None, [1]]
    path = write(tmp_path / "swap_att.json", dict(enumerate([crepe(), *bad])))
    read = ReadFile(READER, path)

    assert (read.records, len(read)) == (8, 1)
    expected = ["no-text", "no-text", "no-image", "same-text", "no-record", "no-record", "no-record"]
    assert [refusal.code for refusal in read.refusals] == expected


def test_every_verb_takes_the_file(tmp_path):
    """The checker of readers finds nothing."""
    facts = check_reader(READER, crepe_file(tmp_path / "swap_att.json", 8))

    assert (facts.records, facts.examples) == (8, 8)


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    path = crepe_file(tmp_path / "swap_att.json", 6)
    check_hostile_bytes(READER, path, path)


def test_names_of_images_are_no_places(tmp_path):
    """An address or a folder is cut off, so that nothing can be fetched or opened elsewhere."""
    names = ["https://x.org/a/1.jpg", "../../etc/2.jpg", "C:\\x\\3.jpg"]
    path = write(tmp_path / "swap_att.json", [crepe(k, filename=name) for k, name in enumerate(names)])

    assert [one.images[0].name for one in ReadFile(READER, path)] == ["1.jpg", "2.jpg", "3.jpg"]


@needs_sample
@pytest.mark.parametrize(("name", "count", "same"), [("swap_att", 666, 61.1), ("swap_obj", 245, 66.9)])
def test_the_samples_are_read_whole(name, count, same):
    """All pairs come out, and the shares of those with the same words are the known ones."""
    read = ReadFile(READER, REAL / f"{name}.json")

    assert sniff_reader(REAL / f"{name}.json") is READER
    assert (read.records, len(read), dict(read.refused)) == (count, count, {})
    assert round(100 * count_pairs(one.choices for one in read).to_dict()["same_bag"], 1) == same


@needs_sample
def test_the_folder_of_the_sample_holds_both_splits_and_no_answers():
    """The published answers lie in the same folder."""
    read = ReadFile(READER, REAL)

    assert (read.records, read.splits) == (911, {"swap_att": 666, "swap_obj": 245})
    assert len({one.id for one in read}) == 911
