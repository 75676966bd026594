"""The pictures of a dataset go where it goes: copied, sent, linked from a cache, or left as files beside an old one."""

from __future__ import annotations

import json
import os
import shutil
from io import BytesIO

import pytest
from PIL import Image
from starlette.testclient import TestClient

from deixis._cli.app import main
from deixis._studio.server import make_app
from deixis.data.remote import local_copy, upload
from deixis.worlds.photos.data._photographs import Photographs
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref
from tests.datasets.copsref.posed import posed


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small dataset of imagined scenes, with a distractor image of each kind."""
    out = tmp_path_factory.mktemp("photographs") / "made"
    make_copsref(CopsRefRecipe(seed=3, images=30, val=0.0, test=0.8, each=1, guarded=False), out)
    return out


@pytest.fixture(params=["linked", *(pytest.param(way, marks=pytest.mark.slow) for way in ("copied", "sent"))])
def elsewhere(request, made, tmp_path, monkeypatch):
    """The same dataset at another place: a copy, a snapshot of links as downloads have it, a copy of an address."""
    match request.param:
        case "copied":
            return shutil.copytree(made, tmp_path / "moved")
        case "linked":
            return linked(made, tmp_path / "cache")
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "here"))
    upload(made, f"file://{tmp_path}/there")
    return local_copy(f"file://{tmp_path}/there")


def linked(made, cache):
    """A folder of links into a cache: snapshots/NAME/file -> ../../blobs/HASH."""
    (cache / "blobs").mkdir(parents=True)
    snapshot = cache / "snapshots" / "abcdef"
    for number, file in enumerate(sorted(path for path in made.rglob("*") if path.is_file())):
        shutil.copy(file, cache / "blobs" / f"{number:040d}")
        link = snapshot / file.relative_to(made)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(cache / "blobs" / f"{number:040d}", link.parent))
    return snapshot


def test_a_dataset_that_moved_is_whole(elsewhere, made, capsys):
    """Nothing is missing for the check, and every image has its picture."""
    assert main(["check", str(elsewhere)]) == 0

    data = open_copsref(elsewhere)
    assert all(
        data.photographs.find(name) == open_copsref(made).photographs.find(name) for name in data.scenes.image_ids
    )


@pytest.mark.slow
def test_every_verb_sees_the_pictures_of_a_dataset_that_moved(elsewhere, made, tmp_path, capsys):
    """What is drawn for a reader, asked of a model and shown in the studio is the same as at the old place."""
    for place, name in ((made, "old"), (elsewhere, "new")):
        assert main(["show", str(place), "0", "--split", "test", "--out", str(tmp_path / f"{name}.png")]) == 0
        words = ["prompts", str(place), "--style", "image", "--limit", "2", "--split", "test", "--absent", "0"]
        assert main([*words, "--out", str(tmp_path / f"{name}.jsonl")]) == 0
    for verb in (["stats"], ["audit"]):
        assert main([*verb, str(elsewhere)]) == 0

    assert (tmp_path / "old.png").read_bytes() == (tmp_path / "new.png").read_bytes()
    asked = [(tmp_path / f"{name}.jsonl").read_bytes() for name in ("old", "new")]
    assert asked[0].count(b"\n") == asked[1].count(b"\n") > 0
    with TestClient(make_app([elsewhere]), base_url="http://127.0.0.1") as client:
        image = open_copsref(made).scenes.image_ids[0]
        shown = client.get(f"/d/{elsewhere.name}/picture/{image}.png")
        small = client.get(f"/d/{elsewhere.name}/picture/{image}.png?small=1")
    assert shown.status_code == small.status_code == 200
    assert shown.headers["content-type"] == "image/png"
    assert shown.content == open_copsref(made).photographs.find(image)
    with Image.open(BytesIO(small.content)) as picture:
        assert picture.format == "JPEG"


def test_pictures_of_older_datasets_are_found_beside_them(tmp_path):
    """Where the pictures lie as files in FOLDER-imagined, as they used to, they are found; links out of it are not."""
    write_copsref(tmp_path / "old", posed().examples, posed().scenes)
    images = tmp_path / "old-imagined" / "images"
    images.mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(b"secret")
    first, second = list(posed().scenes.image_ids)[:2]
    (images / f"{first}.png").write_bytes(b"a picture")
    (images / f"{second}.png").symlink_to(tmp_path / "secret.png")

    pictures = Photographs(open_copsref(tmp_path / "old"))

    assert pictures.find(first) == b"a picture"
    assert pictures.has(first)
    assert not pictures.has(second)
    assert pictures.find("../../secret") is None


def test_links_out_of_a_cache_are_refused(made, tmp_path, capsys):
    """A link that leads neither into the snapshot nor into its own blobs is no file of the dataset."""
    snapshot = linked(made, tmp_path / "cache")
    away = tmp_path / "away"
    manifest = json.loads((snapshot / "manifest.json").read_text())
    file = snapshot / manifest["files"][0]["path"]
    shutil.copy(file, away)
    file.unlink()
    file.symlink_to(away)

    for verb in ("check", "stats", "audit"):
        assert main([verb, str(snapshot)]) == 2
        assert "is not inside the dataset" in capsys.readouterr().err
    other = tmp_path / "other" / "blobs"
    other.mkdir(parents=True)
    shutil.copy(away, other / "x")
    file.unlink()
    file.symlink_to(other / "x")
    assert main(["check", str(snapshot)]) == 2
