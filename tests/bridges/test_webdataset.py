"""Examples as WebDataset: every row once, with its pictures, as the libraries read them, in the same bytes."""

from __future__ import annotations

import gc
import json
import tarfile
from hashlib import sha256

import pyarrow as pa
import pytest

from deixis.bridges.webdataset_shards import write_shards
from deixis.data.store import open_dataset
from deixis.errors import RecipeError, UnknownName
from deixis.worlds.photos.data.store import write_copsref
from tests.bridges.published import pictures_of, small_rooms
from tests.datasets.copsref.posed import posed


pytestmark = pytest.mark.usefixtures("offline")


def rows_in(paths):
    """The rows in some files, in order, and the names of all members."""
    rows, names = [], []
    for path in paths:
        with tarfile.open(path) as tar:
            for member in tar:
                names.append(member.name)
                if member.name.endswith(".json"):
                    rows.append(json.load(tar.extractfile(member)))
    return rows, names


def test_every_row_is_there_once(grid_data, tmp_path):
    """Files hold the rows of the split in order, so many in each; a seed gives another order of the same rows."""
    expected = pa.concat_tables(open_dataset(grid_data).tables("train")).to_pylist()

    plain = write_shards(grid_data, tmp_path / "plain", split="train", per_shard=7)
    mixed = write_shards(grid_data, tmp_path / "mixed", split="train", per_shard=7, seed=1)

    found, _ = rows_in(plain)
    other, _ = rows_in(mixed)
    assert found == expected
    assert other != found
    assert sorted(row["id"] for row in other) == sorted(row["id"] for row in found)
    assert len(plain) == -(-len(expected) // 7)
    assert plain[0].name == f"train-00000-of-{len(plain):05d}.tar"


def test_the_same_dataset_gives_the_same_bytes(grid_data, tmp_path):
    """Files hold no date and no owner."""
    one, two = (write_shards(grid_data, tmp_path / name, split="train") for name in "ab")

    assert [sha256(path.read_bytes()).digest() for path in one] == [sha256(path.read_bytes()).digest() for path in two]


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """A small Cops-Ref whose pictures are kept."""
    told, folder = posed(), tmp_path_factory.mktemp("photographs")
    pictures = pictures_of(told.scenes, folder / "pictures")
    return write_copsref(folder / "copsref", told.examples, told.scenes, pictures=pictures).path


def test_pictures_lie_beside_their_rows(photographs, tmp_path):
    """An image has its picture as one file; an expression has those of all images shown, numbered, its own first."""
    images = write_shards(photographs, tmp_path / "images", table="images")
    said = write_shards(photographs, tmp_path / "said", split="test", per_shard=10)

    kept = {row["image"]: pictures for path in images for row, pictures in samples_in(path)}
    assert kept
    assert all([*pictures] == ["png"] for pictures in kept.values())
    for row, pictures in samples_in(said[0]):
        shown = list(dict.fromkeys((row["image"], *row["distractor_image"])))
        assert list(pictures) == [f"{place}.png" for place in range(len(shown))]
        assert [pictures[f"{place}.png"] for place in range(len(shown))] == [kept[image]["png"] for image in shown]


def test_pictures_are_left_out_where_nobody_wants_them(photographs, tmp_path):
    """Without pictures, samples of expressions are JSON alone."""
    paths = write_shards(photographs, tmp_path, split="test", pictures=False)

    assert all(not pictures for path in paths for _, pictures in samples_in(path))


@pytest.mark.slow
def test_pairs_of_rooms_have_both_pictures(tmp_path, monkeypatch):
    """Pictures that are drawn afresh are named as PyTorch has them."""
    rooms = small_rooms(tmp_path / "a3ds", monkeypatch)

    paths = write_shards(rooms.path, tmp_path / "tar", table="test-pairs", per_shard=8)

    row, pictures = samples_in(paths[0])[0]
    assert list(pictures) == ["target_picture.png", "distractor_picture.png"]
    assert all(one.startswith(b"\x89PNG") for one in pictures.values())
    assert "target_picture" not in row


def samples_in(path):
    """The row of each sample of a file, with its pictures by their endings."""
    found: dict[str, dict[str, bytes]] = {}
    with tarfile.open(path) as tar:
        for member in tar:
            key, _, ending = member.name.partition(".")
            found.setdefault(key, {})[ending] = tar.extractfile(member).read()
    return [(json.loads(files.pop("json")), files) for files in found.values()]


@pytest.mark.slow
def test_hugging_face_streams_them(grid_data, tmp_path):
    """`load_dataset("webdataset")` streams the files, shuffled in the same order at a second reading."""
    datasets = pytest.importorskip("datasets")
    paths = write_shards(grid_data, tmp_path / "tar", split="train", per_shard=5)

    files = {"train": [str(path) for path in paths]}
    stream = datasets.load_dataset(
        "webdataset", data_files=files, split="train", streaming=True, cache_dir=str(tmp_path)
    ).shuffle(seed=3, buffer_size=4)
    ids = [row["json"]["id"] for row in stream]

    begun = iter(stream)
    first = [next(begun)["json"]["id"] for _ in range(3)]
    rows, _ = rows_in(paths)
    assert sorted(ids) == sorted(row["id"] for row in rows)
    assert first == ids[:3]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # it leaves closing its files to the collector
def test_webdataset_reads_them(grid_data, tmp_path):
    """The library of that name decodes every sample."""
    webdataset = pytest.importorskip("webdataset")
    paths = write_shards(grid_data, tmp_path / "tar", split="train", per_shard=5)

    found = list(webdataset.WebDataset([str(path) for path in paths], shardshuffle=False).decode())

    gc.collect()
    assert [one["json"] for one in found] == rows_in(paths)[0]


def test_what_cannot_be_written_is_told(grid_data, tmp_path):
    """A split that there is not, files without examples, and a file where the folder should be are told."""
    with pytest.raises(UnknownName):
        write_shards(grid_data, tmp_path, split="nowhere")
    with pytest.raises(RecipeError, match="at least one example"):
        write_shards(grid_data, tmp_path, split="train", per_shard=0)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RecipeError, match="cannot write to"):
        write_shards(grid_data, tmp_path / "file", split="train")
