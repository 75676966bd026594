"""Every file of a dataset is answered for: no bit changes, no file goes or comes without being told."""

from __future__ import annotations

import json
import shutil

import pytest

from deixis._cli.app import main
from deixis.data._seal import find_changes, find_unlisted, members_of, write_manifest
from deixis.data.store import open_dataset
from deixis.errors import BrokenDataset
from deixis.worlds.grid.making.make import make
from deixis.worlds.photos.data.store import write_copsref
from deixis.worlds.rooms.data.make import A3dsRecipe, make_a3ds
from tests.datasets.copsref.posed import posed
from tests.datasets.few_pairs import only_few_pairs
from tests.datasets.tiny import tiny


@pytest.fixture(scope="module", autouse=True)
def few_pairs():
    with only_few_pairs():
        yield


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """A small dataset of each world."""
    folder = tmp_path_factory.mktemp("worlds")
    make(tiny(), folder / "grid", workers=1)
    make_a3ds(A3dsRecipe(captions=(), test_sets=True, pictures=1), folder / "rooms", workers=1)
    pictures = folder / "files"
    pictures.mkdir()
    for name in posed().scenes.image_ids:
        (pictures / f"{name}.png").write_bytes(b"picture of " + name.encode())
    write_copsref(folder / "photographs", posed().examples, posed().scenes, pictures=pictures)
    return folder


WORLDS = ("grid", "rooms", "photographs")
CHECK = ("check", "--select", "E002,W006")  # the files; what the examples say is another matter


@pytest.mark.parametrize("world", WORLDS)
def test_every_file_is_answered_for(world, worlds):
    """The manifest lists all files but itself, and they are what it says."""
    dataset = open_dataset(worlds / world)
    files = {path.relative_to(dataset.path).as_posix() for path in dataset.path.rglob("*") if path.is_file()}

    assert {member.path for member in members_of(dataset.manifest)} == files - {"manifest.json"}
    assert list(find_changes(dataset.path, dataset.manifest)) == []
    assert find_unlisted(dataset.path, dataset.manifest) == []


@pytest.mark.parametrize("world", WORLDS)
def test_a_flipped_bit_in_any_file_is_found(world, worlds, tmp_path):
    """Whichever file has changed, the seal tells which; the manifest answers for itself."""
    folder = shutil.copytree(worlds / world, tmp_path / world)
    manifest = open_dataset(folder).manifest
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        for place in (0, len(whole) // 2, len(whole) - 1):
            broken = bytearray(whole)
            broken[place] ^= 1
            path.write_bytes(broken)
            name = path.relative_to(folder).as_posix()
            assert list(find_changes(folder, manifest)) == [(name, "its hash is another")]
        path.write_bytes(whole)
    assert list(find_changes(folder, manifest)) == []


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_the_check_tells_changed_missing_and_extra_files(world, worlds, tmp_path, capsys):
    """A card with another letter, a file that is gone and one that came are each told, and the check fails."""
    for number, (change, code, told) in enumerate(
        (
            (lambda f: (f / "README.md").write_text((f / "README.md").read_text() + " "), "E002", "README.md"),
            (lambda f: (f / "croissant.json").unlink(), "E002", "croissant.json"),
            (lambda f: (f / "data.csv").write_text("1"), "W006", "data.csv"),
            (lambda f: edit_manifest(f, "made by", "somebody else"), "E002", "manifest.json"),
        )
    ):
        folder = shutil.copytree(worlds / world, tmp_path / str(number))
        change(folder)

        assert main([*CHECK, str(folder)]) == 1

        said = capsys.readouterr().out
        assert code in said
        assert told in said
    folder = shutil.copytree(worlds / world, tmp_path / "hidden")
    (folder / ".hidden").write_text("nobody's business")
    assert main([*CHECK, str(folder)]) == 0


def edit_manifest(folder, key, value):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, key: value}, indent=1, ensure_ascii=False) + "\n")


def test_a_flipped_bit_in_a_scene_is_refused_by_readers_and_found_by_the_check(worlds, tmp_path, capsys):
    """A box that has changed is no box to be believed: every verb says so in one line."""
    folder = shutil.copytree(worlds / "photographs", tmp_path / "photographs")
    file = folder / "scenes" / "box.npy"
    content = bytearray(file.read_bytes())
    content[-2] ^= 1
    file.write_bytes(content)

    assert main([*CHECK, str(folder)]) == 1
    assert "E002 scenes/box.npy: its hash is another" in capsys.readouterr().out
    for verb in ("stats", "audit", "show"):
        assert main([verb, str(folder)]) == 2
        assert "box.npy is not what the manifest says" in capsys.readouterr().err


def test_a_card_with_figures_is_part_of_the_dataset(worlds, tmp_path, capsys):
    """After a card was written anew, the manifest answers for it and its figures."""
    folder = shutil.copytree(worlds / "photographs", tmp_path / "photographs")

    assert main(["card", str(folder), "--license", "cc-by-4.0", "--no-figures"]) == 0

    assert main([*CHECK, str(folder)]) == 0


def test_older_manifests_answer_for_their_data_alone(worlds, tmp_path, capsys):
    """A dataset from before there were seals is read and checked as ever."""
    folder = shutil.copytree(worlds / "photographs", tmp_path / "photographs")
    manifest = json.loads((folder / "manifest.json").read_text())
    for key in ("other files", "manifest sha256", "content"):
        del manifest[key]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "note.txt").write_text("mine")

    assert main([*CHECK, str(folder)]) == 0


def test_the_content_is_the_same_however_it_is_encoded(worlds, tmp_path):
    """The digest of what a dataset holds does not depend on where it lies, but on every word of it."""
    again = write_copsref(tmp_path / "again", posed().examples, posed().scenes).dataset.manifest["content"]
    fewer = write_copsref(tmp_path / "fewer", posed().examples[1:], posed().scenes).dataset.manifest["content"]

    assert again == open_dataset(worlds / "photographs").manifest["content"]
    assert fewer != again


def test_the_content_of_rooms_follows_from_what_they_hold(worlds, tmp_path):
    """Another seed draws other splits and pairs, which the digest of the content tells; the same gives the same."""
    again, other = (
        make_a3ds(A3dsRecipe(captions=(), test_sets=True, pictures=1, seed=seed), tmp_path / str(seed), workers=1)
        for seed in (42, 7)
    )

    assert again.manifest["content"] == open_dataset(worlds / "rooms").manifest["content"]
    assert other.manifest["content"] != again.manifest["content"]


@pytest.mark.parametrize(
    "others", [{"../x": {"bytes": 1, "sha256": ""}}, {"x": {"bytes": -1, "sha256": ""}}, {"x": None}, []]
)
def test_other_files_that_are_none_are_refused(others, worlds, tmp_path):
    """What a manifest says of other files is checked before anything is done with it."""
    folder = shutil.copytree(worlds / "photographs", tmp_path / "photographs")
    edit_manifest(folder, "other files", others)

    with pytest.raises(BrokenDataset, match="is not a manifest of deixis"):
        open_dataset(folder)


def test_writing_a_manifest_again_gives_the_same_bytes(worlds, tmp_path):
    """A seal depends on what is sealed alone."""
    folder = shutil.copytree(worlds / "grid", tmp_path / "grid")
    before = (folder / "manifest.json").read_bytes()

    write_manifest(folder, json.loads(before))

    assert (folder / "manifest.json").read_bytes() == before
