"""Whoever shares the work on data finds them: at the same path, or at the address that they were fetched from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from deixis.data import _data_places as data_places
from deixis.data._data_places import DataPlace, share_reading
from deixis.data.remote import local_copy, upload
from deixis.data.store import MANIFEST, open_dataset
from deixis.errors import BrokenDataset
from deixis.worlds.grid.making.make import make
from tests.datasets.tiny import folder_bytes, quick


if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("places") / "tiny"
    make(quick(), out, workers=1)
    return out


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies lie in a folder of the test."""
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "cache"))


def rows_of(place: DataPlace, piece: range) -> tuple[int, int]:
    """How many rows there are, and the sum of a piece of their numbers."""
    return sum(open_dataset(place.find()).splits.values()), sum(piece)


@pytest.mark.parametrize("kind", ["dataset", "folder", "file"])
def test_data_are_found_where_they_are_the_same(made, tmp_path, kind):
    """A path is taken for the data as long as nobody has written to them, with or without a manifest."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.json").write_text("{}")
    path = {"dataset": made, "folder": folder, "file": folder / "a.json"}[kind]

    assert DataPlace.of(path).find() == path.resolve()


@pytest.mark.parametrize("harm", ["later", "longer", "gone"])
def test_data_that_were_written_to_are_not_taken_for_the_same(made, tmp_path, harm):
    """Who sees other data, or none, says so in one line with what to do."""
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "a.json"
    file.write_text("{}")
    place = DataPlace.of(folder)
    if harm == "later":
        os.utime(file, ns=(1, 1))
    elif harm == "longer":
        file.write_text("{   }")
    else:
        file.unlink()

    with pytest.raises(
        BrokenDataset, match=r"does not see .* put it on a file system that all share, or name"
    ) as found:
        place.find()
    assert "\n" not in str(found.value)


def test_who_does_not_see_data_fetches_them(made, tmp_path, monkeypatch):
    """A worker of another machine copies the dataset from its address once, every file compared with its SHA-256."""
    upload(made, f"file://{tmp_path}/shelf/tiny")
    place = DataPlace.of(local_copy(f"file://{tmp_path}/shelf/tiny"))
    elsewhere = place._replace(path=str(tmp_path / "nowhere"))
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "other"))

    found = elsewhere.find()

    assert found.is_relative_to(tmp_path / "other")
    assert folder_bytes(found) == {path: digest for path, digest in folder_bytes(made).items() if path != ".partial"}


def test_another_dataset_at_the_address_is_refused(made, tmp_path):
    """Half of the work on one dataset and half on another would be neither."""
    address = f"file://{tmp_path}/shelf/tiny"
    upload(made, address)
    place = DataPlace.of(local_copy(address))._replace(path=str(tmp_path / "nowhere"))
    manifest = tmp_path / "shelf" / "tiny" / MANIFEST
    manifest.write_text(manifest.read_text(encoding="utf-8") + " ", encoding="utf-8")

    with pytest.raises(BrokenDataset, match="holds another dataset than when the work was begun"):
        place.find()


def test_short_work_starts_no_process(made, monkeypatch):
    """Work that is done before its trial is over needs no process, whatever --workers says."""
    monkeypatch.setattr(data_places, "TRIAL_SECONDS", float("inf"))
    monkeypatch.setattr(data_places, "share_here", None)

    found = list(share_reading(rows_of, made, [range(k) for k in range(5)], 5, workers=8))

    assert [some for _, some in found] == [0, 0, 1, 3, 6]


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [0, 1, 2, 9])
def test_processes_go_on_where_this_one_stopped(made, monkeypatch, pieces):
    """The results come in order and each once, wherever the work is handed over."""
    monkeypatch.setattr(data_places, "TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(data_places, "WORTH_SECONDS", float("-inf"))
    asked = [range(k) for k in range(pieces)]

    found = list(share_reading(rows_of, made, iter(asked), pieces, workers=2))

    assert found == list(share_reading(rows_of, made, asked, pieces, workers=1))
    assert [some for _, some in found] == [sum(one) for one in asked]
