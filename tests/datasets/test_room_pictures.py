from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.rooms.data._room_pictures import read_contexts, read_room_pictures
from deixis.worlds.rooms.draw import draw_png, draw_rooms
from deixis.worlds.rooms.formats.shapes3d import label_values, write_shapes3d
from deixis.worlds.rooms.scene import factors_of


IDS = np.array([163_233, 5, 400_123])


@pytest.fixture(scope="module")
def drawn():
    """Three rooms."""
    return draw_rooms(IDS)


def archive(path, **arrays):
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize(
    ("beside", "estimated"),
    [
        ({"rooms_ids": IDS}, False),
        ({"rooms_factors": factors_of(IDS).astype(np.int64)}, False),
        ({"rooms_factors_est": factors_of(IDS).astype(np.int64)}, True),
    ],
)
def test_an_archive_tells_what_its_pictures_show(drawn, tmp_path, beside, estimated):
    """By numbers of images, by factors, or by estimates of them."""
    found = read_room_pictures(archive(tmp_path / "a.npz", rooms=drawn, **beside))

    assert np.array_equal(found.pictures, drawn)
    assert found.ids.tolist() == IDS.tolist()
    assert found.are_estimated == estimated
    assert found.names == ("0", "1", "2")


def test_the_published_layout_may_be_an_archive_too(drawn, tmp_path):
    """With images and labels as the HDF5 file has them."""
    found = read_room_pictures(archive(tmp_path / "a.npz", images=drawn, labels=label_values(IDS)))

    assert found.ids.tolist() == IDS.tolist()


def test_several_groups_are_counted_on(drawn, tmp_path):
    """Where one of them is unknown, all are."""
    found = read_room_pictures(archive(tmp_path / "a.npz", one=drawn, two=drawn[:1], one_ids=IDS))

    assert len(found) == 4
    assert found.ids is None


def test_fewer_may_be_read(drawn, tmp_path):
    """And how many there are is still told."""
    found = read_room_pictures(archive(tmp_path / "a.npz", rooms=drawn, rooms_ids=IDS), most=2)

    assert (len(found), found.in_file, found.ids.tolist()) == (2, 3, IDS[:2].tolist())


def test_the_published_file_is_read_by_numbers_of_images(drawn, tmp_path):
    """Those that are asked for, wherever they are."""
    pytest.importorskip("h5py")
    write_shapes3d(tmp_path / "3dshapes.h5", np.sort(IDS), workers=1)

    some = read_room_pictures(tmp_path / "3dshapes.h5", only={"163233", "400123", "7"})
    folder = read_room_pictures(tmp_path, most=1)

    assert some.names == ("163233", "400123")
    assert np.array_equal(some.pictures, drawn[[0, 2]])
    assert folder.ids.tolist() == [5]
    assert folder.in_file == 3


def test_a_folder_of_pictures_is_read_in_the_order_of_names(drawn, tmp_path):
    """Nothing is known of them."""
    for name, room in zip(("c", "a", "b"), IDS.tolist(), strict=True):
        (tmp_path / f"{name}.png").write_bytes(draw_png(room, size=64))
    (tmp_path / "notes.txt").write_text("no picture", encoding="utf-8")

    found = read_room_pictures(tmp_path)

    assert found.names == ("a.png", "b.png", "c.png")
    assert np.array_equal(found.pictures, drawn[[1, 2, 0]])
    assert found.ids is None
    assert found.rows_of([("c", "a.png")], "pairs").tolist() == [[2, 0]]


def test_who_is_no_picture_of_a_room_is_told(drawn, tmp_path):
    """In one line, with what to give instead."""
    (tmp_path / "text.npz").write_text("no archive", encoding="utf-8")
    (tmp_path / "text.png").write_text("no picture", encoding="utf-8")
    (tmp_path / "text.txt").write_text("no picture", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "large.png").write_bytes(draw_png(5, size=65))
    whole = archive(tmp_path / "whole.npz", rooms=drawn).read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    cases = {
        tmp_path / "none.npz": "there is no file or folder",
        tmp_path / "text.npz": "cannot be read as an .npz file",
        tmp_path / "cut.npz": "cannot be read as an .npz file",
        tmp_path / "text.png": "cannot be read as a PNG file",
        tmp_path / "large.png": "is 65 by 65 pixels; pictures of rooms are 64 by 64",
        tmp_path / "text.txt": "holds no pictures; give an .npz or .h5 file",
        tmp_path / "empty": "holds no pictures",
        archive(tmp_path / "flat.npz", rooms=drawn[0]): "holds no bytes of shape",
        archive(
            tmp_path / "small.npz", rooms=drawn[:, :32]
        ): r"a picture of a room is \[64, 64, 3\], got \[32, 64, 3\]",
        archive(tmp_path / "none-in.npz", rooms=drawn[:0]): "holds no picture",
        archive(tmp_path / "few.npz", rooms=drawn, rooms_ids=IDS[:2]): "has 2 rows for 3 pictures",
        archive(tmp_path / "far.npz", rooms=drawn, rooms_ids=IDS * 9): "numbers of images go from 0 to",
        archive(tmp_path / "half.npz", rooms=drawn, rooms_factors=np.ones((3, 6))): "are integers, got float64",
        archive(tmp_path / "odd.npz", images=drawn, labels=np.full((3, 6), np.nan)): "which is none of its values",
    }

    for path, complaint in cases.items():
        with pytest.raises(BrokenDataset, match=complaint) as caught:
            read_room_pictures(path)
        assert "\n" not in str(caught.value)


def test_nothing_in_an_archive_is_run(tmp_path):
    """Arrays of objects are pickles, which are programs."""
    np.savez(tmp_path / "a.npz", rooms=np.array([{"a": 1}], object))

    with pytest.raises(BrokenDataset, match=r"cannot be read as an .npz file"):
        read_room_pictures(tmp_path / "a.npz")


def test_what_an_archive_claims_is_bounded(tmp_path):
    """A few bytes that would unpack to more than fits are refused before they are unpacked."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "|u1", "fortran_order": False, "shape": (1 << 20, 64, 64, 3)}
    )
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("rooms.npy", header.getvalue())

    with pytest.raises(BrokenDataset, match=r"cannot be read as an .npz file"):
        read_room_pictures(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.csv", "target,distractor\n0,2\n1,0\n", [("0", "2"), ("1", "0")]),
        ("a.tsv", "target_id\tdistractor_id\n0\t2\n", [("0", "2")]),
        ("a.jsonl", '{"target": "x.png", "distractor": "y.png"}\n\n', [("x.png", "y.png")]),
        ("a.jsonl", '{"target_id": 5, "distractor_ids": [6, 7]}\n', [("5", "6", "7")]),
    ],
)
def test_pairs_are_named_in_a_table(tmp_path, name, text, found):
    """By files, by numbers, with one distractor or several."""
    (tmp_path / name).write_text(text, encoding="utf-8")

    assert read_contexts(tmp_path / name) == found


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.csv", "", "names no pairs"),
        ("a.csv", "first,second\n0,1\n", "row 1: a target and a distractor are needed"),
        ("a.csv", "target,distractor\n0,1\n0,1,2\n", "row 2: it has more cells than the header has columns"),
        ("a.jsonl", "{", "row 1: not a line of JSON"),
        ("a.jsonl", "[1, 2]", "row 1: a target and a distractor are needed"),
        ("a.jsonl", '{"target": 1, "distractor": true}', "a target and a distractor are needed"),
        ("a.jsonl", '{"target": 1, "distractor_ids": []}', "a target and a distractor are needed"),
        ("a.jsonl", '{"target": 1, "distractor": 2}\n{"target": 1, "distractor_ids": [2, 3]}', "as many distractors"),
    ],
)
def test_pairs_that_are_none_are_told(tmp_path, name, text, complaint):
    """In one line, with the row."""
    (tmp_path / name).write_text(text, encoding="utf-8")

    with pytest.raises(BrokenDataset, match=complaint):
        read_contexts(tmp_path / name)


def test_a_picture_that_is_not_there_is_told(drawn, tmp_path):
    """With the names that there are."""
    found = read_room_pictures(archive(tmp_path / "a.npz", rooms=drawn))

    with pytest.raises(BrokenDataset, match=r"pairs.csv, row 2: there is no picture 7; there are 3, from 0 to 2"):
        found.rows_of([("0", "1"), ("0", "7")], "pairs.csv")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1), byte=st.integers(0, 255), cut=st.booleans())
def test_a_damaged_archive_is_read_or_refused(drawn, tmp_path, place, byte, cut):
    """Never anything else."""
    whole = bytearray(archive(tmp_path / "a.npz", rooms=drawn[:1, :, :, :], rooms_ids=IDS[:1]).read_bytes())
    at = int(place * (len(whole) - 1))
    whole[at] = byte
    (tmp_path / "a.npz").write_bytes(whole[:at] if cut else whole)

    with suppress(DeixisError):
        assert len(read_room_pictures(tmp_path / "a.npz")) == 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=80)
    | st.recursive(
        st.integers() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.sampled_from(["target", "distractor", "distractor_ids"]), x),
    ).map(lambda x: json.dumps(x).encode())
)
def test_any_bytes_are_pairs_or_refused(tmp_path, data):
    """Never anything else."""
    for name in ("a.csv", "a.jsonl"):
        (tmp_path / name).write_bytes(data)
        with suppress(DeixisError):
            assert all(len(one) > 1 for one in read_contexts(tmp_path / name))
