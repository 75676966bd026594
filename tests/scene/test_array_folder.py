from __future__ import annotations

import json

import numpy as np
import pytest

from deixis.errors import BrokenDataset
from deixis.scene._array_folder import map_array, read_arrays, write_arrays
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import STREET


@pytest.fixture
def saved(tmp_path):
    GraphTable.of([STREET]).save(tmp_path / "graphs")
    return tmp_path / "graphs"


def change(saved, name: str, new: np.ndarray) -> None:
    """Put another array in the place of one, manifest included."""
    np.save(saved / f"{name}.npy", new)
    manifest = json.loads((saved / "manifest.json").read_text())
    manifest["arrays"][name] = [new.dtype.str, list(new.shape)]
    (saved / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("name", "new", "message"),
    [
        ("name", np.full(6, 9, np.int32), "name holds a number outside 0 to 3"),
        ("name", np.zeros(5, np.int32), "does not divide 5 entries"),
        ("name", np.zeros(6, np.float64), "is no <i4 array of 1 axes"),
        ("attr", np.full(8, -1, np.int32), "attr"),
        ("scene_ptr", np.array([0, 9], np.int64), "scene_ptr does not divide 6 entries among 1 rows"),
        ("target", np.full(7, 6, np.int32), "leads to an object that its scene does not have"),
        ("box", np.zeros((6, 3), np.float32), "a box has four numbers, not 3"),
        ("width", np.zeros(2, np.int32), "width has 2 entries, not 1"),
    ],
)
def test_a_damaged_table_is_refused_in_one_line(saved, name, new, message):
    """Columns that do not fit each other are found when a table is opened, not when it is used."""
    change(saved, name, new)

    with pytest.raises(BrokenDataset, match=message) as caught:
        GraphTable.load(saved)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "box.npy").unlink(), r"lacks box\.npy"),
        (lambda f: (f / "box.npy").write_bytes(b"no array"), r"box\.npy cannot be read"),
        (lambda f: (f / "box.npy").write_bytes((f / "box.npy").read_bytes()[:-4]), r"box\.npy cannot be read"),
        (lambda f: (f / "manifest.json").unlink(), "holds no arrays"),
        (lambda f: (f / "manifest.json").write_text("{"), "is no JSON"),
        (lambda f: (f / "manifest.json").write_text("[]"), "is no manifest"),
        (lambda f: (f / "manifest.json").write_text('{"kind": "x"}'), "holds 'x' of format None"),
    ],
)
def test_a_folder_that_lacks_something_is_refused(saved, spoil, message):
    """Missing files, cut files and foreign folders are told apart."""
    spoil(saved)

    with pytest.raises(BrokenDataset, match=message):
        GraphTable.load(saved)


def test_objects_in_a_file_are_never_unpickled(saved):
    """An array of Python objects could run code when it is read; it is refused."""
    np.save(saved / "name.npy", np.array([print], object), allow_pickle=True)

    with pytest.raises(BrokenDataset, match=r"name\.npy cannot be read"):
        GraphTable.load(saved)


def test_a_folder_of_something_else_is_not_overwritten(tmp_path):
    """Saving replaces an older table but touches nothing else."""
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("words")

    with pytest.raises(BrokenDataset, match="exists and holds no scene graphs"):
        GraphTable.of([STREET]).save(tmp_path / "thesis")

    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "words"


def test_saving_again_replaces_the_older_table(tmp_path):
    """The same kind of folder is written anew, whole; an empty one will do, too."""
    (tmp_path / "a").mkdir()
    write_arrays(tmp_path / "a", "numbers", {"n": np.arange(3)}, {"version": 1})
    write_arrays(tmp_path / "a", "numbers", {"n": np.arange(4)}, {"version": 2})

    arrays, facts = read_arrays(tmp_path / "a", "numbers", {"n": ("<i8", 1)})

    assert arrays["n"].tolist() == [0, 1, 2, 3]
    assert facts == {"version": 2}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_no_header_is_evaluated(saved):
    """A header with any bit flipped, or with anything else in it, is refused as damaged or says the same."""
    file = saved / "box.npy"
    whole = file.read_bytes()
    before = GraphTable.load(saved).box.tolist()
    headers = [bytes([*whole[:n], whole[n] ^ (1 << bit), *whole[n + 1 :]]) for n in range(128) for bit in range(8)]
    headers += [
        whole.replace(b"(6, 4)", new) for new in (b"(6, 99**9)", b"(2**60, 4)", b"[6, 4]", b"(-6,-4)", b"((((((")
    ]
    headers += [whole.replace(b"'<f4'", new) for new in (b"'O'", b"'<f4,<f4'", b"'<m8'", b"eval('1')")]
    headers += [whole.replace(b"False", b"True "), whole[:64], whole[:8], b"", whole.replace(b"descr", b"desc\0")]
    refused = 0
    for header in headers:
        file.write_bytes(header)
        try:
            assert GraphTable.load(saved).box.tolist() == before
        except BrokenDataset:
            refused += 1
    assert refused > 600


@pytest.mark.parametrize("header", ["{'descr': '<f4', (", "__import__('os')", "{'descr': object}", "\x00" * 20])
def test_a_header_is_read_as_text_wherever_arrays_are_mapped(tmp_path, header):
    """What numpy would evaluate, or fail over in its own way, is one error of ours."""
    path = tmp_path / "one.npy"
    np.save(path, np.zeros(4, np.float32))
    text = header.ljust(117)[:117].encode() + b"\n"
    path.write_bytes(path.read_bytes()[:10] + text + bytes(16))

    with pytest.raises(BrokenDataset, match="header"):
        map_array(path)
    with pytest.raises(FileNotFoundError):
        map_array(tmp_path / "none.npy")
