"""What the studio finds under the folders that it was given, and what it leaves alone."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from deixis._studio import library as library_module
from deixis._studio.library import Library
from deixis.errors import BrokenDataset, UnknownName


if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(demo_roots, tmp_path):
    """A folder of one's own with the grid worlds of the demo."""
    shutil.copytree(demo_roots[0] / "grid-worlds", tmp_path / "shelf" / "grid-worlds")
    return tmp_path / "shelf"


def test_every_world_is_found(demo_roots):
    """Each dataset is found once, with its kind and its splits; and so are the results of models."""
    found = {entry.slug: entry for entry in Library(demo_roots)}

    assert {slug: entry.kind for slug, entry in found.items()} == {
        "3d-shapes": "rooms",
        "grid-worlds": "grid",
        "photographs": "photos",
        "tabletop": "tabletop",
        "oracle": "run",
        "random": "run",
    }
    assert all((sum(entry.splits.values()) > 0) == (entry.kind != "run") for entry in found.values())
    assert not any(entry.error for entry in found.values())


def test_a_dataset_given_itself_is_found(demo_roots):
    """A path may be a dataset, a single file of one, or a folder above; none is listed twice."""
    root = demo_roots[0]

    assert [entry.slug for entry in Library((root / "photographs", root / "photographs"))] == ["photographs"]
    assert len(Library((root, root / "grid-worlds")).datasets) == 4
    file = next((root / "grid-worlds").rglob("*.parquet"))
    (entry,) = Library((file,))
    assert sum(entry.splits.values()) > 0


def test_results_of_models_are_found_below_a_folder_that_is_one_itself(tmp_path):
    """A folder with an evaluation is a run, and so may be folders inside it."""
    for place in (tmp_path / "run", tmp_path / "run" / "again"):
        place.mkdir()
        (place / "evaluation.json").write_text("{}", encoding="utf-8")

    assert [(entry.slug, entry.kind) for entry in Library((tmp_path,))] == [("run", "run"), ("again", "run")]


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "{",
        "[]",
        "null",
        "\0\0",
        '{"format": 99}',
        '{"kind": "copsref"}',
        '{"kind": "a3ds", "format": 1}',
        "[" * 9999,
    ],
)
def test_a_broken_dataset_says_so_and_the_rest_works(folder, manifest):
    """Whatever a manifest holds, its folder is listed with an error and the other one is as before."""
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text(manifest, encoding="utf-8")

    library = Library((folder,))

    assert {entry.slug: bool(entry.error) for entry in library} == {"broken": True, "grid-worlds": False}
    with pytest.raises(BrokenDataset):
        library.find("broken")
    assert library.find("grid-worlds", "grid").splits


def test_what_goes_wrong_in_an_unforeseen_way_is_an_error_of_its_entry(folder, monkeypatch):
    """A fault of ours in opening one dataset does not close the studio."""
    monkeypatch.setattr("deixis.worlds.grid._examples.open", lambda _: 1 / 0)

    (entry,) = Library((folder,))

    assert "ZeroDivisionError" in entry.error


def test_a_folder_that_is_shut_is_passed_over(folder, monkeypatch):
    """Somebody else's folder among the given ones does not hide the others."""
    (folder / "a shut one").mkdir()
    real = library_module._kind

    def kind(path: Path) -> str | None:
        if path.name == "a shut one":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(library_module, "_kind", kind)

    assert [entry.slug for entry in Library((folder,))] == ["grid-worlds"]


def test_links_are_not_followed_out_of_the_given_folders(folder, tmp_path):
    """A dataset elsewhere stays unseen behind a link, until its folder is given, too."""
    elsewhere = tmp_path / "elsewhere"
    (folder / "grid-worlds").rename(elsewhere)
    (folder / "link").symlink_to(elsewhere)

    assert list(Library((folder,))) == []
    assert [entry.path for entry in Library((folder, elsewhere))] == [elsewhere]


@pytest.mark.parametrize("what", ["data", "manifest.json"])
def test_a_dataset_that_leads_out_is_refused(folder, tmp_path, what):
    """A link from inside a dataset to a file or folder outside is named, and nothing of the dataset is shown."""
    dataset = folder / "grid-worlds"
    what = what if (dataset / what).exists() else next(path.name for path in dataset.iterdir() if path.is_dir())
    (dataset / what).rename(tmp_path / what)
    (dataset / what).symlink_to(tmp_path / what)

    (entry,) = Library((folder,))

    assert "leads out of the given folders" in entry.error


def test_loops_of_links_end(folder):
    """Links to themselves, to each other and to a folder above are no reason to search for ever."""
    (folder / "self").symlink_to(folder / "self")
    (folder / "up").symlink_to(folder)
    (folder / "to").symlink_to(folder / "fro")
    (folder / "fro").symlink_to(folder / "to")

    assert [entry.slug for entry in Library((folder,))] == ["grid-worlds"]


def test_names_in_addresses_are_plain_and_differ(tmp_path):
    """Folders of one name, of strange names and of no letters have different addresses of letters, digits, dashes."""
    for name in ("A b", "a/A b", "ünï", "<script>", "...---", "-"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "run.json").write_text("{}", encoding="utf-8")

    slugs = [entry.slug for entry in Library((tmp_path,))]

    assert len(slugs) == len(set(slugs)) == 5  # a name that begins with a dot is hidden
    assert all(set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for slug in slugs)


def test_looking_again_finds_what_is_new_and_what_was_made_anew(folder):
    """Entries that did not change stay the same objects; one that was written again is opened again under its name."""
    library = Library((folder,))
    first = library.find("grid-worlds")
    library.refresh()
    assert library.find("grid-worlds") is first

    manifest = folder / "grid-worlds" / "manifest.json"
    told = json.loads(manifest.read_text(encoding="utf-8"))
    told["splits"] = {"train": 1}
    manifest.write_text(json.dumps(told), encoding="utf-8")
    os.utime(manifest, ns=(1, 1))
    shutil.copytree(folder / "grid-worlds", folder / "a" / "grid-worlds")
    library.refresh()

    assert library.find("grid-worlds").splits == {"train": 1}
    assert sum(entry.title == "grid-worlds" for entry in library) == 2


def test_unknown_names_and_wrong_kinds_are_told_apart_from_broken_ones(demo_roots):
    """What is not there, or is of another kind, is unknown."""
    library = Library(demo_roots)

    for slug, kinds in (("no", ()), ("../3d-shapes", ()), ("3d-shapes\0", ()), ("3d-shapes", ("grid",))):
        with pytest.raises(UnknownName):
            library.find(slug, *kinds)
