"""Hugging Face's `datasets` loads every kind of dataset offline: features, named splits, decoded pictures, streams."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from deixis.bridges.pytorch import IndexedExamples, StreamedExamples
from deixis.data.card import write_card
from deixis.data.checks import CheckRequest
from deixis.errors import BrokenDataset
from deixis.worlds.grid.data.example_arrays import example_arrays
from deixis.worlds.grid.data.imported import write_imported
from deixis.worlds.grid.data.plans import read_plans
from deixis.worlds.grid.judging.navigation import evaluate_plans
from deixis.worlds.grid.making.make import make
from deixis.worlds.photos._checks import check as check_copsref
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from deixis.worlds.rooms._checks import check as check_a3ds
from deixis.worlds.rooms.draw import draw_room
from deixis.worlds.rooms.formats.a3ds import read_image_list
from tests.bridges.published import pictures_of, small_rooms
from tests.datasets.copsref.posed import posed
from tests.datasets.tiny import quick


datasets = pytest.importorskip("datasets")


@pytest.fixture(autouse=True)
def offline(tmp_path, monkeypatch):
    """Nothing is reachable, and nothing is kept."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """A small A3DS with captions, pairs and a few pictures."""
    with pytest.MonkeyPatch.context() as patch:
        return small_rooms(tmp_path_factory.mktemp("rooms") / "a3ds", patch)


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """A small Cops-Ref whose pictures are kept."""
    told, folder = posed(), tmp_path_factory.mktemp("photographs")
    pictures = pictures_of(told.scenes, folder / "pictures")
    return write_copsref(folder / "copsref", told.examples, told.scenes, pictures=pictures)


@pytest.fixture(scope="module")
def grids(tmp_path_factory):
    """A small dataset of grid worlds."""
    return make(quick(), tmp_path_factory.mktemp("grids") / "grid", workers=1)


def test_grid_worlds_have_features_with_names(grids):
    """Shapes and colours are classes with names, splits have theirs, and a stream gives the same rows."""
    found = datasets.load_dataset(str(grids.path))
    streamed = datasets.load_dataset(str(grids.path), streaming=True)

    assert {name: len(rows) for name, rows in found.items()} == {n: size for n, size in grids.splits.items() if size}
    assert found["train"].features["shape"].feature.names == ["circle", "cylinder", "square", "box"]
    assert found["train"].features["id"] == datasets.Value("int64")
    ours = [row for table in grids.tables("train") for row in table.to_pylist()]
    assert list(found["train"]) == list(streamed["train"]) == ours


@pytest.mark.parametrize("form", ["torch", "numpy", None])
def test_plans_written_from_formatted_rows_are_to_the_same_examples(grids, tmp_path, form):
    """Right plans, written with the ids that `datasets` hands out as tensors or arrays, are all right."""
    rows = datasets.load_dataset(str(grids.path))["train"].with_format(form)
    path = tmp_path / "plans.jsonl"
    with path.open("w") as stream:
        for row in rows:
            number = row["id"] if form is None else row["id"].item()
            stream.write(json.dumps({"id": number, "plan": str(row["plan"])}) + "\n")
    asked = example_arrays(grids.tables("train"))

    evaluation, _ = evaluate_plans({"train": asked}, {"train": read_plans(path)})

    assert evaluation.splits["train"].score.estimate("exact").mean == 1
    assert not evaluation.strange
    assert not evaluation.faults


def test_converted_datasets_load(grids, tmp_path):
    """What was converted from elsewhere has a card, too."""
    made = write_imported(grids.tables(), tmp_path / "converted", source="elsewhere.txt", kind="reascan")

    found = datasets.load_dataset(str(made.path))

    assert {name: len(rows) for name, rows in found.items()} == made.splits


def test_rooms_load_table_by_table(rooms):
    """Captions, pairs, images and pictures are configurations; pictures come out decoded, pixel by pixel."""
    path = str(rooms.path)

    names = datasets.get_dataset_config_names(path)
    pictures = datasets.load_dataset(path, "pictures")
    images = datasets.load_dataset(path, "images")
    streamed = next(iter(datasets.load_dataset(path, "pictures", split="tune", streaming=True)))

    assert names == ["short", "test-pairs", "images", "pictures"]
    assert {name: len(rows) for name, rows in pictures.items()} == dict.fromkeys(rooms.splits, 3)
    assert {name: len(rows) for name, rows in images.items()} == rooms.splits
    assert isinstance(pictures["test"].features["picture"], datasets.Image)
    for row in (pictures["test"][1], streamed):
        assert np.array_equal(np.array(row["picture"]), draw_room(row["image"], size=16))
    assert pictures["test"][0]["shape"] in ("block", "cylinder", "ball", "pill")
    captions = datasets.load_dataset(path)
    assert sum(map(len, captions.values())) == rooms.manifest["captions"]["short"]
    assert set(captions) == {"train", "tune", "validation", "test"}
    for split, rows in captions.items():
        assert set(rows["image"]) <= set(read_image_list(rooms.path / "ids" / f"{split}.txt").tolist())
    assert check_a3ds(rooms.path, CheckRequest()).counts == {}


def test_photographs_load_with_their_pictures(photographs):
    """Expressions are the default; the images, decoded, with the boxes of their objects, are a configuration."""
    path = str(photographs.path)

    expressions, images = datasets.load_dataset(path), datasets.load_dataset(path, "images")["full"]

    assert {name: len(rows) for name, rows in expressions.items()} == photographs.splits
    assert isinstance(images.features["picture"], datasets.Image)
    scenes = photographs.scenes
    assert images["image"][:] == list(scenes.image_ids[: len(scenes)])
    first = images[0]
    assert first["picture"].size == (first["width"], first["height"]) == (scenes.width[0], scenes.height[0])
    assert first["object"] == list(scenes.scene(0).object_ids)
    assert np.allclose(first["box"], scenes.box[scenes.objects_of(0).start : scenes.objects_of(0).stop])
    single = datasets.load_dataset("parquet", data_files=str(photographs.path / "images/*.parquet"))["train"]
    assert isinstance(single.features["picture"], datasets.Image)


def test_kept_pictures_are_checked(photographs, tmp_path):
    """Our own reader opens the dataset as before; a picture file that changed, or lies elsewhere, is found."""
    from shutil import copytree

    changed = lambda folder: check_copsref(folder, CheckRequest()).counts.get("E002", 0)  # noqa: E731 (the texts are none of ours)
    assert changed(photographs.path) == 0
    folder = copytree(photographs.path, tmp_path / "copy")
    file = next((folder / "images").iterdir())
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    assert changed(folder) == 1
    file.unlink()
    assert changed(folder) == 1
    manifest = json.loads((folder / "manifest.json").read_text())
    for strange in ({"path": "../../secret.parquet"}, {"path": 3}, "soup"):
        manifest["pictures"] = {"files": [strange]}
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(BrokenDataset, match="not a manifest"):
            open_copsref(folder)


def test_the_same_bytes_every_time(photographs, rooms, tmp_path):
    """Making again, or writing the card again, changes nothing."""
    told = posed()
    pictures = photographs.path.parent / "pictures"
    again = write_copsref(tmp_path / "copsref", told.examples, told.scenes, pictures=pictures)
    before = (rooms.path / "README.md").read_bytes(), (rooms.path / "croissant.json").read_bytes()
    write_card(rooms.path, rooms.manifest)

    assert again.dataset.manifest == photographs.dataset.manifest
    assert ((rooms.path / "README.md").read_bytes(), (rooms.path / "croissant.json").read_bytes()) == before


def test_the_same_tables_feed_torch(rooms, photographs):
    """Pairs of rooms come with pictures drawn afresh, photographs with those that are kept."""
    pairs = IndexedExamples(rooms.path, table="test-pairs", pictures=True)
    kept = IndexedExamples(rooms.path, table="pictures", split="test")
    shown = IndexedExamples(photographs.path, split="test", pictures=True)
    batch = next(iter(StreamedExamples(rooms.path, table="test-pairs", batch=4, pictures=True)))

    room = draw_room(int(pairs[0]["target"]))
    assert torch.equal(pairs[0]["target_picture"], torch.from_numpy(room).permute(2, 0, 1))
    assert kept[0]["picture"].shape == (3, 16, 16)
    assert len(shown[0]["pictures"]) == 1 + len(set(shown[0]["distractor_image"]))
    assert batch["distractor_picture"].shape == (4, 3, 64, 64)
    assert list(batch["set"]) == [str(name) for name in batch["set"]]


def test_pictures_come_from_storage(photographs):
    """Photographs that a dataset in storage keeps are fetched with the expressions about them."""
    address = photographs.path.as_uri()

    here, there = (
        next(iter(StreamedExamples(place, split="test", batch=2, pictures=True)))
        for place in (photographs.path, address)
    )

    assert here["id"].tolist() == there["id"].tolist()
    assert len(here["pictures"]) == 2
    for ours, theirs in zip(here["pictures"], there["pictures"], strict=True):
        assert all(torch.equal(one, other) for one, other in zip(ours, theirs, strict=True))
