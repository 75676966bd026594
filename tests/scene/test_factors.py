from __future__ import annotations

import numpy as np
import pytest

from benchmarks.renderer import main, read_groups
from deixis.errors import BrokenDataset, SchemaError
from deixis.worlds.rooms.scene import RoomScene, factors_of, ids_of


@pytest.mark.parametrize("value", [np.nan, np.inf, 1.5])
def test_factors_that_are_no_whole_numbers_are_refused(value):
    """NaN became image 0 and 1.5 another image's number; both are errors."""
    with pytest.raises(SchemaError, match="whole numbers"):
        ids_of(np.array([[value, 0, 0, 0, 0, 0]]))
    with pytest.raises(SchemaError):
        RoomScene.of(value, 0, 0, 0, 0, 0)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1.5])
def test_numbers_of_images_that_are_not_whole_are_refused(value):
    """NaN had the factors of image 0, and 1.5 those of image 1."""
    with pytest.raises(SchemaError):
        factors_of(np.array([value]))


def test_whole_numbers_written_as_floats_are_factors():
    """Files often hold factors as floats."""
    ids = np.array([0, 163_233, 479_999])

    assert ids_of(factors_of(ids).astype(np.float32)).tolist() == ids.tolist()


def test_a_truncated_file_of_pictures_is_an_error_of_one_line(tmp_path):
    """What was cut off while it was copied is named, not raised as an error of zip files."""
    path = tmp_path / "cut.npz"
    np.savez_compressed(path, some=np.zeros((2, 64, 64, 3), np.uint8))
    path.write_bytes(path.read_bytes()[:-40])

    with pytest.raises(BrokenDataset, match="cannot be read as an"):
        read_groups(path)


def test_a_file_that_is_no_archive_ends_the_comparison_at_once(tmp_path, capsys):
    """Before anything is measured, and without the advice to load it unsafely."""
    path = tmp_path / "other.npz"
    path.write_bytes(bytes(60))

    assert main(["--real", str(path)]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.endswith("cannot be read as an .npz file: File is not a zip file\n")
