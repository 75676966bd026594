"""Examples of read files by number, in bounded memory, with nothing dropped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.errors import BrokenDataset, SchemaError, UnknownName
from deixis.readers._examples import ReadFile
from deixis.readers.reader import Reader, ReadExample, Refusal, RefusedRecord
from deixis.testing import check_reader
from tests.shelf import SHELF, installed_shelf


def read(number):
    """Two examples of every third record; every fifth is refused, and of 7 nothing comes."""
    if number % 5 == 4:
        raise RefusedRecord("five", f"{number} ends in 4 or 9")
    if number == 7:
        return
    if number == 11:
        raise KeyError("text")
    yield ReadExample(id=number, text=f"text {number}", split="a" if number % 2 else "a+b", choices=("x", "y"))
    if number % 3 == 0:
        yield ReadExample(id=f"{number} again", text=f"text {number}", choices=("x", "y"))


NUMBERS = Reader(
    name="numbers",
    title="Numbers",
    task="match",
    license="none",
    citation="nobody, nowhere",
    sniff=lambda path: path.name == "numbers",
    records=lambda _: iter(range(40)),
    read=read,
    refusals={"five": "every fifth"},
)


def test_every_record_is_an_example_or_a_refusal(tmp_path):
    """Those of which nothing comes are refused, too, and so are those that fail."""
    found = ReadFile(NUMBERS, tmp_path)

    assert found.records == 40
    assert found.refused == {"five": 8, "nothing-read": 1, "unreadable": 1}
    assert len(found) == len(list(found)) == 30 + sum(1 for n in range(40) if n % 3 == 0 and n % 5 != 4)
    assert found.refusals[0] == Refusal(4, "five", "4 ends in 4 or 9")
    assert found.to_dict()["refused"] == {"five": 8, "nothing-read": 1, "unreadable": 1}


@pytest.mark.parametrize("block", [1, 3, 7, 1000])
def test_numbers_do_not_depend_on_how_much_is_kept(tmp_path, block):
    """Forwards, backwards and again."""
    whole = [one.id for one in ReadFile(NUMBERS, tmp_path)]
    found = ReadFile(NUMBERS, tmp_path, block=block)

    assert [found[k].id for k in range(len(found))] == whole
    assert [found[k].id for k in reversed(range(len(found)))] == whole[::-1]
    assert [one.id for one in found] == whole
    assert len(found._block) <= block
    with pytest.raises(UnknownName, match="there is no example 999"):
        found[999]


def test_splits_count_and_choose(tmp_path):
    """An example of two splits counts in both; one of none is in `all`."""
    found = ReadFile(NUMBERS, tmp_path)

    assert found.splits == {"a": 30, "b": len(found.numbers("b")), "all": 11}
    assert all("b" in found[k].split for k in found.numbers("b"))
    with pytest.raises(UnknownName, match="there is no split 'c'"):
        found.numbers("c")


def test_a_file_without_examples_says_why(tmp_path):
    """The commonest refusal is named."""
    nothing = replace(NUMBERS, records=lambda _: iter([4, 9, 14]))

    with pytest.raises(BrokenDataset, match="holds no examples of numbers: all 3 records are refused, most often five"):
        ReadFile(nothing, tmp_path)


def test_the_checker_reads_the_shelf():
    """It tells what was read."""
    with installed_shelf():
        from deixis_shelf import READER

        facts = check_reader(READER, SHELF)

    assert facts == (7, 6, {"no-target": 1}, 5, 5)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"sniff": lambda _: True}, "sniff: it claims a file with nothing in it"),
        ({"refusals": {}}, "records: the refusal 'five' is not listed"),
        ({"records": lambda _: iter(range(10))}, "of 1 records nothing comes"),
        ({"records": lambda _: iter([1, 1])}, "examples 0 and 1 have the id 1"),
        ({"read": lambda _: [ReadExample(id=object(), text="x")]}, "is another when it is read again"),
        ({"read": lambda n: [ReadExample(id=n, text="x")]}, "has fewer than two choices"),
        ({"read": lambda n: [ReadExample(id=n, text="x", choices=("a", "b"), right=2)]}, "is none of its choices"),
    ],
)
def test_the_checker_names_what_is_wrong(tmp_path, change, complaint):
    """In one line each."""
    (tmp_path / "numbers").touch()

    with pytest.raises(SchemaError, match=complaint):
        check_reader(replace(NUMBERS, **change), tmp_path / "numbers")


@pytest.mark.parametrize(
    "change", [{"name": "Two Words"}, {"task": "guess"}, {"license": ""}, {"citation": " "}, {"read": None}]
)
def test_a_reader_without_its_parts_is_refused(change):
    """When it is made, not when it is used."""
    with pytest.raises(SchemaError):
        replace(NUMBERS, **change)
