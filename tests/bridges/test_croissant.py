"""The Croissant metadata of every kind of dataset is valid, and its records are those of the files."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest

from deixis.data.card import write_card
from deixis.data.store import file_digest
from deixis.worlds.grid.making.make import make
from deixis.worlds.photos.data.store import write_copsref
from deixis.worlds.rooms.captions import captions
from tests.bridges.published import pictures_of, small_rooms
from tests.datasets.copsref.posed import posed
from tests.datasets.tiny import quick


mlc = pytest.importorskip("mlcroissant")


def opened(path):
    """The metadata as the library reads it, which must find nothing wrong but the missing day of publication."""
    dataset = mlc.Dataset(jsonld=str(path / "croissant.json"))
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert all("datePublished" in warning for warning in issues.warnings)
    return dataset


def records(dataset, name, count):
    """Some records, the names of columns alone."""
    found = islice(dataset.records(name), count)
    return [{key.rpartition("/")[2]: value for key, value in record.items()} for record in found]


def test_grid_worlds(tmp_path):
    """Every split is a set of records, joint files in both; hashes are those of the files."""
    made = make(quick(), tmp_path / "grid", workers=1)
    dataset = opened(made.path)
    plain = json.loads((made.path / "croissant.json").read_text(encoding="utf-8"))

    sets = {f"default/{name}" for name, size in made.splits.items() if size}
    assert {one.uuid for one in dataset.metadata.record_sets} == sets
    hashes = {one["contentUrl"]: one["sha256"] for one in plain["distribution"] if "contentUrl" in one}
    assert hashes == {entry["path"]: file_digest(made.path / entry["path"]) for entry in made.manifest["files"]}
    ours = [row for table in made.tables("train") for row in table.to_pylist()]
    found = records(dataset, "default/train", len(ours) + 1)
    assert len(found) == len(ours)
    for row, record in zip(ours, found, strict=True):
        assert record["command"].decode() == row["command"]
        assert record["id"] == row["id"]
        assert list(record["shape"]) == row["shape"]
    assert all(field["description"] for field in plain["recordSet"][0]["field"])


def test_rooms(tmp_path, monkeypatch):
    """Captions, pairs, images and pictures can be read; pictures are images."""
    made = small_rooms(tmp_path / "a3ds", monkeypatch)
    dataset = opened(made.path)

    caption = records(dataset, "short/train", 1)[0]
    assert caption["text"].decode() in captions(int(caption["image"]), "short")
    assert records(dataset, "test-pairs/test", 1)[0]["set"] == b"floor_hue"
    picture = records(dataset, "pictures/train", 1)[0]["picture"]
    assert np.array(picture).shape == (16, 16, 3)


def test_photographs(tmp_path):
    """Expressions and their pictures can be read; a day of publication leaves nothing to warn of."""
    told = posed()
    pictures = pictures_of(told.scenes, tmp_path / "pictures")
    made = write_copsref(tmp_path / "copsref", told.examples, told.scenes, pictures=pictures)
    write_card(made.path, made.dataset.manifest, license_name="MIT", published="2026-11-30")
    dataset = opened(made.path)

    assert not dataset.metadata.ctx.issues.warnings
    assert dataset.metadata.license == ["https://opensource.org/license/mit"]
    first = next(iter(made.examples("test")))
    assert records(dataset, "default/test", 1)[0]["text"].decode() == first.text
    image = records(dataset, "images/full", 1)[0]
    assert np.array(image["picture"]).shape == (image["height"], image["width"], 3)
