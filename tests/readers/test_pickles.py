"""Pickled lists: plain values come out, and nothing is ever run."""

from __future__ import annotations

import os
from pickle import dumps  # noqa: TID251 (tests write pickles; nothing here or in the package loads one)

import numpy as np
import pytest

from deixis.errors import BrokenDataset
from deixis.readers import pickles
from deixis.readers.pickles import pickle_items


PYTHON_2 = (  # a list as Python 2 wrote it: repeated keys, quoted texts, whole numbers with an L
    b"(lp1\n(dp2\nS'ref_id'\np3\nI7\nsS'sent'\np4\nS'man\\'s hat, caf\\xc3\\xa9'\np5\nsS'area'\np6\nF1.5\nsa"
    b"(dp7\ng3\nL12L\nsg4\nVna\\u00efve\np8\nsS'ok'\np9\nI01\nsa."
)


def write(path, content):
    """A file of bytes."""
    path.write_bytes(content)
    return path


class Harmful:
    """An object that runs a command when it is unpickled."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", range(6))
def test_plain_values_are_read(tmp_path, protocol):
    """Texts, numbers, lists, tuples and mappings of every protocol, with values that stand there twice."""
    twice = ["x", 2.5]
    values = [
        {
            "id": k,
            "text": f"käse {k}",
            "big": 1 << 70,
            "no": None,
            "yes": True,
            "pair": (k, -k),
            "twice": [twice, twice],
        }
        for k in range(2500)
    ]

    assert list(pickle_items(write(tmp_path / "x.p", dumps(values, protocol)))) == values


def test_texts_of_python_2_are_read(tmp_path):
    """Quoted texts are UTF-8 or Latin-1, and keys are repeated by number."""
    first, second = pickle_items(write(tmp_path / "x.p", PYTHON_2))

    assert first == {"ref_id": 7, "sent": "man's hat, café", "area": 1.5}
    assert second == {"ref_id": 12, "sent": "naïve", "ok": True}
    (latin,) = pickle_items(write(tmp_path / "y.p", b"(lp0\nS'caf\\xe9'\na."))
    assert latin == "café"


@pytest.mark.parametrize("protocol", range(6))
def test_a_hostile_pickle_is_refused_and_not_run(tmp_path, protocol):
    """A command in a pickle never runs, wherever it stands."""
    mark = tmp_path / "was-here"
    path = write(tmp_path / "x.p", dumps([{"ref_id": 1}, Harmful(f"touch {mark}")], protocol))

    with pytest.raises(BrokenDataset, match=r"byte \d+: the operation (STACK_)?GLOBAL is refused") as caught:
        list(pickle_items(path))
    assert not mark.exists()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("code", sorted(pickles.REFUSED))
def test_every_operation_that_is_not_for_plain_values_is_refused_by_name(tmp_path, code):
    """One by one."""
    path = write(tmp_path / "x.p", b"(lp0\n" + code.encode("latin-1") + b"0000000000000000\n\n.")

    with pytest.raises(BrokenDataset, match=f"operation {pickles.REFUSED[code]} is refused"):
        list(pickle_items(path))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file ends"),
        (b"(lp0\nI1\na", "the file ends"),
        (b"\x80\x02]X\xff\xff\xff\x7f", "a text of 2,147,483,647 bytes"),
        (b"\x80\x04]\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", "a text of"),
        (b"\x80\x02]\x8b\xff\xff\xff\x7f", "a number of"),
        (b"(lp0\nI" + b"9" * 5000 + b"\na.", "a line of more than 40 bytes"),
        (b"(" * 1000, "too many marks"),
        (b"\x80\x02]" + b"]" * 500 + b"a" * 500 + b".", "inside of each other"),
        (b"\x80\x02]q\x00h\x00a.", "holds itself"),
        (b"\x80\x02]]q\x01h\x01aa.", "holds itself"),
        (b"\x80\x02]]q\x01]q\x02h\x01ah\x01h\x02aaa.", "holds itself"),
        (b"\x80\x02]}]K\x01sa.", "a key is list"),
        (b"\x80\x02]a.", "no pickle of plain values"),
        (b"\x80\x02]h\x09a.", "no pickle of plain values"),
        (b"\x80\x02}.", "it holds no list"),
        (b"\x80\x02K\x01.", "it holds no list"),
        (b"\x80\x02]K\x01.", "more than one value"),
        (b"hello\n", "no pickle of plain values"),
        (b"{}", "no operation of a pickle"),
        (b"S'x\n.", "no pickle of plain values"),
    ],
)
def test_bad_pickles_are_one_line(tmp_path, content, problem):
    """Cut files, huge lengths, deep nesting, lists that hold themselves: each is told with its place."""
    with pytest.raises(BrokenDataset, match=problem) as caught:
        list(pickle_items(write(tmp_path / "x.p", content)))
    assert "\n" not in str(caught.value)


def test_values_that_grow_by_repetition_are_refused(tmp_path):
    """Ten copies of ten copies and so on would be 10^20 values in a file of a few hundred bytes."""
    levels = b"".join(b"](" + b"h" + bytes([k]) + (b"h" + bytes([k])) * 9 + b"eq" + bytes([k + 1]) for k in range(20))
    content = b"\x80\x02](]q\x00" + levels + b"e."

    with pytest.raises(BrokenDataset, match="holds more than 100,000 values"):
        list(pickle_items(write(tmp_path / "x.p", content)))


def test_endless_entries_are_refused(tmp_path):
    """An entry that goes on and on is given up, before it fills the memory."""
    with pytest.raises(BrokenDataset, match="more than 1,000,000 operations"):
        list(pickle_items(write(tmp_path / "x.p", b"\x80\x02](" + b"N" * 1_100_000)))


def test_entries_come_one_by_one(tmp_path):
    """A fault at the end of a file does not keep its beginning from being read."""
    content = dumps([{"k": k} for k in range(3000)], 2)[:-1] + b"c"
    entries = pickle_items(write(tmp_path / "x.p", content))

    assert [next(entries)["k"] for _ in range(2000)] == list(range(2000))
    with pytest.raises(BrokenDataset):
        list(entries)


def test_a_folder_is_one_line(tmp_path):
    """What is no file is said so."""
    with pytest.raises(BrokenDataset, match="cannot be read"):
        list(pickle_items(tmp_path))


def test_changed_bytes_never_crash(tmp_path):
    """Whatever the bytes are, values come out or one line."""
    rng = np.random.default_rng(3)
    contents = [PYTHON_2, *(dumps([{"a": [1, "x", (2.5, None)]}] * 5, protocol) for protocol in range(6))]
    problems = []
    for number in range(2000):
        changed = bytearray(contents[number % len(contents)])
        for _ in range(int(rng.integers(1, 4))):
            changed[int(rng.integers(len(changed)))] = int(rng.integers(256))
        try:
            list(pickle_items(write(tmp_path / "x.p", bytes(changed))))
        except BrokenDataset as error:
            problems.append(str(error))
    assert len(problems) > 500
    assert not any("\n" in problem for problem in problems)
