"""VALSE: captions and foils with the votes of people on them."""

from __future__ import annotations

import pytest

from deixis.audits._choices import votes_for_right
from deixis.readers._builtin.valse import READER
from deixis.readers._examples import ReadFile
from deixis.readers.registry import sniff_reader
from deixis.testing import check_reader
from tests.readers.hostile import check_hostile_bytes
from tests.readers.pairs import OTHERS, foil, write


REAL = OTHERS / "valse"


def test_an_item_has_its_caption_its_foil_and_what_is_known_of_it(tmp_path):
    """The split is the instrument, and the id is the key of the record."""
    (example,) = ReadFile(READER, write(tmp_path / "relations.json", {"r:7": foil()}))

    assert (example.id, example.split, example.right) == ("r:7", "relations", 0)
    assert example.choices == ("A cup stands on a box.", "A cup stands under a box.")
    assert example.facts == {
        "phenomenon": "relations",
        "dataset": "toys",
        "original_split": "val",
        "word": "on",
        "foil_word": "under",
        "votes": {"caption": 3, "foil": 0, "other": 0},
        "preferred": "caption",
    }
    assert votes_for_right(example.facts, example.choices, 0) == 1


def test_items_that_people_did_not_prefer_are_in_a_split_of_their_own(tmp_path):
    """They stay examples, and can be left out by their split in every verb."""
    votes = [(3, 0, 0), (2, 1, 0), (1, 2, 0), (1, 1, 1), (0, 0, 3), (0, 0, 0)]
    items = {
        str(k): foil(mturk={"caption": caption, "foil": other, "other": rest})
        for k, (caption, other, rest) in enumerate(votes)
    }
    items["1"]["mturk"]["caption"] = 2.0
    items["6"] = {name: value for name, value in foil().items() if name != "mturk"}
    read = ReadFile(READER, write(tmp_path / "plurals.json", items))

    assert [one.split.removeprefix("plurals") for one in read] == [
        "",
        "",
        "-disputed",
        "-disputed",
        "-disputed",
        "",
        "",
    ]
    assert [one.facts.get("preferred") for one in read] == [
        "caption",
        "caption",
        "foil",
        "neither",
        "neither",
        "",
        None,
    ]


def test_captions_in_lists_and_several_foils_are_read(tmp_path):
    """Some releases have the caption in a list, or foils under another name."""
    items = [foil(caption=["A cup.", "Another."], foil="A box."), foil(foil=None, foils=["One box.", "Two boxes."])]
    one, other = ReadFile(READER, write(tmp_path / "existence.json", items))

    assert one.choices == ("A cup.", "A box.")
    assert other.choices == ("A cup stands on a box.", "One box.", "Two boxes.")


def test_a_folder_gives_its_instruments_in_the_order_of_the_paper(tmp_path):
    """Ids carry the name of the file."""
    for name in ("relations", "existence", "mine"):
        write(tmp_path / f"{name}.json", {"a": foil()})
    (tmp_path / "notes.json").write_text('{"x": 1}')

    assert sniff_reader(tmp_path) is READER
    assert [one.id for one in ReadFile(READER, tmp_path)] == ["existence/a", "relations/a", "mine/a"]


def test_records_that_are_no_items_are_refused_by_code(tmp_path):
    """One of each."""
    bad = {
        "no-text": [foil(foil=""), foil(foil=None), foil(caption=[])],
        "no-image": [foil(image_file=None)],
        "same-text": [foil(foil="A cup stands on a box.")],
        "odd-votes": [foil(mturk=3), foil(mturk={"caption": "3"}), foil(mturk={"foil": -1}), foil(mturk={"foil": 0.5})],
        "no-record": ["x"],
    }
    records = [foil(), *(one for some in bad.values() for one in some)]
    read = ReadFile(READER, write(tmp_path / "relations.json", dict(enumerate(records))))

    assert len(read) == 1
    assert dict(read.refused) == {code: len(some) for code, some in bad.items()}


def test_every_verb_takes_the_file(tmp_path):
    """The checker of readers finds nothing."""
    facts = check_reader(
        READER, write(tmp_path / "relations.json", {str(k): foil(caption=f"A cup {k}.") for k in range(8)})
    )

    assert (facts.records, facts.examples) == (8, 8)


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    path = write(tmp_path / "relations.json", {str(number): foil() for number in range(4)})
    check_hostile_bytes(READER, path, path)


@pytest.mark.skipif(not REAL.is_dir(), reason="the sample of VALSE does not lie beside the checkout")
@pytest.mark.parametrize(("name", "count", "disputed"), [("relations-150", 150, 18), ("coreference-hard", 141, 37)])
def test_the_samples_are_read_whole(name, count, disputed):
    """Nothing is refused, and disputed items are counted apart."""
    read = ReadFile(READER, REAL / f"{name}.json")

    assert sniff_reader(REAL / f"{name}.json") is READER
    assert (read.records, len(read), dict(read.refused)) == (count, count, {})
    assert read.splits == {name: count - disputed, f"{name}-disputed": disputed}
    assert all(sum(one.facts["votes"].values()) == 3 for one in read)
