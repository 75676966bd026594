"""Image files of 3D Shapes: small ones of the original layout, read, written and broken on purpose."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset, DeixisError, RecipeError, SchemaError
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.formats import shapes3d
from deixis.worlds.rooms.formats.shapes3d import LABELS, label_values, open_shapes3d, read_labels, write_shapes3d
from deixis.worlds.rooms.scene import IMAGES, factors_of


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

h5py = pytest.importorskip("h5py")
IDS = np.array([5_121, 118_308, 292_170, 479_565, *range(40)])


@pytest.fixture(scope="module")
def pictures() -> np.ndarray:
    return draw_rooms(IDS)


@pytest.fixture
def original(tmp_path: Path, pictures: np.ndarray) -> Path:
    """A file of the original layout, as h5py alone would write it."""
    path = tmp_path / "3dshapes.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("images", data=pictures, chunks=(7, 16, 64, 3), compression="gzip")
        file.create_dataset("labels", data=label_values(IDS))
    return path


@pytest.fixture
def pair(tmp_path: Path, pictures: np.ndarray) -> Path:
    np.save(tmp_path / "3dshapes_images.npy", pictures)
    np.save(tmp_path / "3dshapes_labels.npy", label_values(IDS))
    return tmp_path / "3dshapes_images.npy"


def test_labels_are_those_of_the_original_file() -> None:
    """The values are stored to the last digit, also where they are rounded oddly."""
    assert LABELS[0][3] == 0.30000000000000004
    assert LABELS[3] == (
        0.75,
        0.8214285714285714,
        0.8928571428571428,
        0.9642857142857143,
        1.0357142857142856,
        1.1071428571428572,
        1.1785714285714286,
        1.25,
    )
    assert (LABELS[5][3], LABELS[5][11]) == (-17.142857142857142, 17.14285714285714)
    assert (LABELS[5][4], LABELS[5][10]) == (-12.857142857142858, 12.857142857142854)
    assert (LABELS[5][5], LABELS[5][9]) == (-8.571428571428573, 8.57142857142857)
    assert LABELS[5][7] == 0


@given(st.lists(st.integers(0, IMAGES - 1), min_size=1, max_size=20))
def test_labels_and_numbers_are_inverse(numbers: list[int]) -> None:
    """The labels of images lead back to their numbers, also after a little rounding."""
    ids = np.array(numbers)
    labels = label_values(ids)
    assert np.array_equal(read_labels(labels), ids)
    assert np.array_equal(read_labels(labels.astype(np.float32).astype(np.float64)), ids)


def test_original_files_are_read(original: Path, pictures: np.ndarray) -> None:
    """Pictures are found by the numbers of their images, in any order, one or many, or all in turn."""
    with open_shapes3d(original) as shapes:
        assert len(shapes) == len(IDS)
        assert shapes.size == 64
        assert np.array_equal(shapes.factors, factors_of(IDS))
        wanted = [3, 118_308, 3, 479_565, 0]
        assert np.array_equal(shapes[wanted], draw_rooms(np.array(wanted)))
        assert np.array_equal(shapes[118_308], pictures[1])
        assert shapes[[]].shape == (0, 64, 64, 3)
        chunks = list(shapes.chunks(rows=10))
    assert [len(ids) for ids, _ in chunks] == [10, 10, 10, 10, 4]
    assert np.array_equal(np.concatenate([some for _, some in chunks]), pictures)


def test_pairs_of_numpy_files_are_read_from_disk(pair: Path, pictures: np.ndarray) -> None:
    """The pair gives the same pictures; a folder is enough to find it."""
    for path in (pair, pair.parent):
        with open_shapes3d(path) as shapes:
            assert isinstance(shapes._images, np.memmap)
            assert np.array_equal(shapes[IDS], pictures)


def test_images_that_are_not_in_the_file_are_named(original: Path) -> None:
    """Asking for an image that is not there, or not for an image at all, is refused."""
    with open_shapes3d(original) as shapes:
        with pytest.raises(SchemaError, match="has no image 40; it holds 44 images"):
            shapes[[1, 40]]
        with pytest.raises(SchemaError, match="ask for images by their numbers"):
            shapes[np.array([0.5])]


def test_written_files_have_the_original_layout(tmp_path: Path, pictures: np.ndarray) -> None:
    """h5py alone reads what was written: two datasets, with the types and values of the original."""
    path = tmp_path / "made.h5"
    told: list[tuple[str, int, int]] = []
    write_shapes3d(path, IDS, workers=2, progress=lambda *at: told.append(at))
    with h5py.File(path) as file:
        assert sorted(file) == ["images", "labels"]
        assert (file["images"].dtype, file["images"].shape) == (np.uint8, (len(IDS), 64, 64, 3))
        assert (file["labels"].dtype, file["labels"].shape) == (np.float64, (len(IDS), 6))
        assert np.array_equal(file["images"][:], pictures)
        assert np.array_equal(file["labels"][:], label_values(IDS))
    assert told[-1] == ("images", len(IDS), len(IDS))
    with open_shapes3d(path) as shapes:
        assert np.array_equal(shapes[IDS], pictures)


def test_the_number_of_workers_does_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of threads, drawing blocks of any kind, makes the same bytes."""
    write_shapes3d(tmp_path / "one.h5", IDS, workers=1)
    monkeypatch.setattr(shapes3d, "BLOCK", 15)
    write_shapes3d(tmp_path / "three.h5", IDS, workers=3)
    assert (tmp_path / "one.h5").read_bytes() == (tmp_path / "three.h5").read_bytes()


def test_other_sizes_can_be_written(tmp_path: Path) -> None:
    """Pictures need not be of the published size."""
    write_shapes3d(tmp_path / "small.h5", np.arange(3), size=32, workers=1)
    with open_shapes3d(tmp_path / "small.h5") as shapes:
        assert np.array_equal(shapes[[0, 1, 2]], draw_rooms(np.arange(3), size=32))


def test_an_interrupted_file_does_not_appear(tmp_path: Path) -> None:
    """What stops half-way leaves neither a file nor a draft, and an older file as it was."""
    path = tmp_path / "made.h5"
    path.write_bytes(b"older")

    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_shapes3d(path, IDS, workers=1, progress=stop)
    assert path.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("ids", "size", "message"),
    [
        (np.array([1, 1]), 64, "asked for twice"),
        (np.array([], np.int64), 64, "name the images"),
        (np.array([0.5]), 64, "name the images"),
        (np.array([IMAGES]), 64, "numbered from 0"),
        (np.array([1]), 0, "the size of a picture"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, ids: np.ndarray, size: int, message: str) -> None:
    """A list of images that makes no sense is refused before anything is written."""
    with pytest.raises((RecipeError, SchemaError), match=message):
        write_shapes3d(tmp_path / "made.h5", ids, size=size)
    assert not list(tmp_path.iterdir())


def _cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _pointer(path: Path) -> None:
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0a0f\nsize 267573662\n", encoding="ascii")


def _edit(change: Callable[[Any], None]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        with h5py.File(path, "r+") as file:
            change(file)

    return apply


def _replaced(name: str, data: object) -> Callable[[Path], None]:
    def change(file: Any) -> None:
        del file[name]
        file[name] = data

    return _edit(change)


def _elsewhere(file: Any) -> None:
    del file["labels"]
    file["labels"] = h5py.ExternalLink("other.h5", "labels")


def _relabel(row: int, column: int, value: float) -> Callable[[Path], None]:
    def change(file: Any) -> None:
        file["labels"][row, column] = value

    return _edit(change)


def _same_label_twice(file: Any) -> None:
    file["labels"][1] = file["labels"][0]


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "cut short": (_cut, "damaged or cut short"),
    "empty": (lambda path: path.write_bytes(b"") and None, "not an HDF5 file"),
    "text": (lambda path: path.write_text("no", encoding="ascii") and None, "not an HDF5 file"),
    "a pointer": (_pointer, "Git LFS pointer"),
    "no labels": (_edit(lambda file: file.__delitem__("labels")), "has no dataset 'labels'; it holds 'images'"),
    "grey images": (_replaced("images", np.zeros((44, 64, 64), np.uint8)), r"shape \(44, 64, 64\), not uint8"),
    "wide images": (_replaced("images", np.zeros((44, 64, 63, 3), np.uint8)), "not uint8 of shape"),
    "float images": (_replaced("images", np.zeros((44, 4, 4, 3), np.float32)), "are float32 of shape"),
    "too few labels": (_replaced("labels", np.zeros((3, 6))), r"not float64 of shape \(44, 6\)"),
    "integer labels": (_replaced("labels", np.zeros((44, 6), np.int64)), "labels in .* are int64"),
    "a group": (
        _edit(lambda file: (file.__delitem__("images"), file.create_group("images"))),
        "not an array that lies",
    ),
    "another file": (_edit(_elsewhere), "has no dataset 'labels'|not an array that lies"),
    "no such hue": (_relabel(2, 1, 0.55), "say wall_hue 0.55 in row 2, which is none of its values"),
    "no number": (_relabel(2, 5, float("nan")), "say orientation nan in row 2"),
    "twice": (_edit(_same_label_twice), "holds image 5,121 more than once"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_file_is_told_in_one_line(original: Path, fault: str) -> None:
    """Whatever is wrong with a file, one line says what."""
    damage, message = FAULTS[fault]
    damage(original)
    with pytest.raises(BrokenDataset, match=message) as caught:
        open_shapes3d(original)
    assert "\n" not in str(caught.value)


def test_damaged_pictures_are_told_when_they_are_read(original: Path) -> None:
    """A file whose labels are fine but whose pictures are not opens, and says so when asked for one."""
    with h5py.File(original) as file:
        start = file["images"].id.get_chunk_info(0).byte_offset
    data = bytearray(original.read_bytes())
    data[start : start + 200] = bytes(200)
    original.write_bytes(data)
    with open_shapes3d(original) as shapes, pytest.raises(BrokenDataset, match="damaged or cut short"):
        shapes[5_121]


def test_labels_out_of_order_are_told(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with all images must have them in their order."""
    monkeypatch.setattr(shapes3d, "IMAGES", len(IDS))
    with pytest.raises(BrokenDataset, match="out of order: row 0 is that of image 5,121"):
        open_shapes3d(original)


def test_half_of_a_pair_or_a_cut_one_is_told(pair: Path) -> None:
    """Both NumPy files are needed, and whole."""
    _cut(pair)
    with pytest.raises(BrokenDataset, match="damaged or cut short"):
        open_shapes3d(pair)
    pair.with_name("3dshapes_labels.npy").unlink()
    with pytest.raises(BrokenDataset, match="is not one of a pair"):
        open_shapes3d(pair)


def test_numpy_files_with_objects_are_not_unpacked(pair: Path) -> None:
    """A file that would run code when read is refused."""
    np.save(pair, np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(BrokenDataset, match="damaged or cut short"):
        open_shapes3d(pair)


def test_missing_files_and_folders_are_told(tmp_path: Path) -> None:
    """A path that leads nowhere is named."""
    with pytest.raises(BrokenDataset, match="is no file"):
        open_shapes3d(tmp_path / "none.h5")
    with pytest.raises(BrokenDataset, match="holds neither 3dshapes"):
        open_shapes3d(tmp_path)


def test_without_h5py_one_line_says_how_to_get_it(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDF5 needs a package that is not always there."""
    real_import = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "h5py":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DeixisError, match="pip install"):
        open_shapes3d(original)
