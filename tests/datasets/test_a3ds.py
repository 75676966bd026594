from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from shutil import copytree

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.data._resumable import ResumableFolder
from deixis.data._seal import write_manifest
from deixis.data.checks import CheckRequest
from deixis.data.store import file_digest
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.rooms._checks import check, is_a3ds
from deixis.worlds.rooms.captions import captions
from deixis.worlds.rooms.data import make as a3ds
from deixis.worlds.rooms.data._captions import caption_table, read_captions
from deixis.worlds.rooms.data.make import A3dsRecipe, make_a3ds, read_pairs
from deixis.worlds.rooms.formats.a3ds import read_image_list, read_vocabulary
from deixis.worlds.rooms.pairs import SETS
from deixis.worlds.rooms.pairs import test_sets as draw_test_sets
from deixis.worlds.rooms.vocabulary import unknown_words
from tests.datasets.tiny import folder_bytes


RECIPE = A3dsRecipe(captions=("exhaustive", "natural"), layout="both", pairs=True, test_sets=True, seed=7)


SHARDS = (
    *(f"{split}-00000-of-00001" for split in ("train", "tune", "validation")),
    *(f"test-{number:05d}-of-00004" for number in range(4)),
)


def patched(patch):
    """Captions of a thousand images in four files, so that making takes a moment."""
    patch.setattr(a3ds, "IMAGES", 1000)
    patch.setattr(a3ds, "SHARD", 250)
    patch.setattr(a3ds, "TUNING_PAIRS", 500)
    patch.setattr(a3ds, "test_sets", partial(draw_test_sets, count=150))


@pytest.fixture(autouse=True)
def few_images(monkeypatch):
    patched(monkeypatch)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished folder, which nobody may change."""
    out = tmp_path_factory.mktemp("made") / "a3ds"
    with pytest.MonkeyPatch.context() as patch:
        patched(patch)
        make_a3ds(RECIPE, out, workers=2)
    return out


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of a finished folder."""
    return copytree(finished, tmp_path / "a3ds")


def test_a_folder_holds_what_was_asked_for(folder):
    """Captions in both layouts, a vocabulary that loses nothing, the numbers of every split, and pairs."""
    paths = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    shards = {f"captions/{name}-{shard}.parquet" for name in RECIPE.captions for shard in SHARDS}
    assert paths == shards | {
        *(
            "README.md",
            "croissant.json",
            "manifest.json",
            "vocabulary.json",
            "pairs/test.parquet",
            "pairs/tune.parquet",
        ),
        *(f"ids/{split}.txt" for split in ("train", "tune", "validation", "test")),
        *(f"images/{split}.parquet" for split in ("train", "tune", "validation", "test")),
        *("3dshapes_captions_long.json", "3dshapes_captions_natural.json"),
    }
    assert unknown_words(read_vocabulary(folder / "vocabulary.json"), "natural") == {}
    found = pa.concat_tables(t for shard in SHARDS for t in read_captions(folder / f"captions/natural-{shard}.parquet"))
    assert found.sort_by([("image", "ascending"), ("number", "ascending")]) == caption_table(np.arange(1000), "natural")
    long = json.loads((folder / "3dshapes_captions_long.json").read_bytes())
    assert long == {str(image): list(captions(image)) for image in range(1000)}


def test_no_image_is_in_two_splits(folder):
    """Training, tuning, validation and test share nothing and together are all images."""
    lists = [read_image_list(path) for path in sorted((folder / "ids").iterdir())]

    together = np.concatenate(lists)

    assert len(together) == len(set(together.tolist())) == 480_000
    assert sorted(map(len, lists)) == [20_000, 30_000, 30_000, 400_000]


def test_pairs_come_from_their_split(folder):
    """The thirteen test sets show held-out images only, the pairs for tuning only images for tuning."""
    for split, names in (("test", list(SETS)), ("tune", ["random", "similar"])):
        sets = read_pairs(folder / f"pairs/{split}.parquet")
        allowed = set(read_image_list(folder / f"ids/{split}.txt").tolist())

        assert list(sets) == names
        assert all(set(pairs.ravel().tolist()) <= allowed for pairs in sets.values())
        assert {len(pairs) for pairs in sets.values()} == {150 if split == "test" else 500}


def test_the_card_and_the_manifest_tell_what_is_there(folder):
    """Every file is listed with its hash; the card has a configuration for each table."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    card = (folder / "README.md").read_text(encoding="utf-8")

    assert manifest["captions"] == {"exhaustive": 20_000, "natural": 48_000}
    assert all(file_digest(folder / entry["path"]) == entry["sha256"] for entry in manifest["files"])
    assert is_a3ds(folder)
    for line in (
        'config_name: "natural"',
        'config_name: "test-pairs"',
        "| exhaustive | 20 | 20,000 |",
        "| `vocabulary.json`",
    ):
        assert line in card
    assert "3dshapes.h5" not in card


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_workers(folder, tmp_path):
    """One worker or two, the folder is the same; another seed changes splits and pairs, not captions."""
    make_a3ds(RECIPE, tmp_path / "again", workers=1)
    make_a3ds(A3dsRecipe(captions=RECIPE.captions, pairs=True, test_sets=True), tmp_path / "other", workers=1)

    one, other = folder_bytes(folder), folder_bytes(tmp_path / "other")

    assert folder_bytes(tmp_path / "again") == one
    changed = {path.partition("/")[0] for path in one if one[path] != other.get(path)}
    assert changed - {"README.md", "croissant.json", "manifest.json"} == {
        *("captions", "ids", "images", "pairs", "3dshapes_captions_long.json", "3dshapes_captions_natural.json"),
    }


def test_making_goes_on_where_it_stopped(folder, tmp_path, monkeypatch):
    """After an interruption finished files stay as they are, the others follow, and the result is the same."""
    out, made = tmp_path / "again", []

    def stop(stage, _done, _total, /):
        if "JSON" in stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_a3ds(RECIPE, out, workers=1, progress=stop)
    assert not (out / "manifest.json").exists()
    (out / "captions/natural-test-00002-of-00004.parquet").write_bytes(b"damaged")
    keep = ResumableFolder.keep
    monkeypatch.setattr(
        ResumableFolder, "keep", lambda self, path, **more: (made.append(path), keep(self, path, **more))[1]
    )
    make_a3ds(RECIPE, out, workers=1)

    assert set(made) == {
        *(
            "captions/natural-test-00002-of-00004.parquet",
            "3dshapes_captions_long.json",
            "3dshapes_captions_natural.json",
        ),
    }
    assert folder_bytes(out) == folder_bytes(folder)


def test_a_finished_folder_stays_as_it_is(folder):
    """Making the same again does nothing; making something else there is refused."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}

    make_a3ds(RECIPE, folder)

    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    with pytest.raises(RecipeError, match="another recipe"):
        make_a3ds(A3dsRecipe(), folder)
    (folder / "vocabulary.json").unlink()
    with pytest.raises(BrokenDataset, match="lacks the file"):
        make_a3ds(RECIPE, folder)


def test_other_folders_are_left_alone(tmp_path):
    """A folder with something else in it, a file, a folder in use and the beginning of something else are refused."""
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "letter.txt").write_text("dear", encoding="utf-8")
    (tmp_path / "file").write_text("", encoding="utf-8")
    for name in ("used", "file"):
        with pytest.raises(RecipeError, match=name):
            make_a3ds(RECIPE, tmp_path / name)
    with ResumableFolder(tmp_path / "busy", RECIPE.digest), pytest.raises(RecipeError, match="another process"):
        make_a3ds(RECIPE, tmp_path / "busy")
    with pytest.raises(RecipeError, match="the beginning of a dataset made from another"):
        make_a3ds(A3dsRecipe(), tmp_path / "busy")


@pytest.mark.parametrize(
    "wrong",
    [
        {"captions": ("long",)},
        {"captions": ("short", "short")},
        {"layout": "csv"},
        {"image_size": 4},
    ],
)
def test_a_recipe_that_cannot_be_made_is_refused(wrong):
    """Grammars and layouts have names, and images a size."""
    with pytest.raises(RecipeError):
        A3dsRecipe(**wrong)


def test_workers_are_at_least_one(tmp_path):
    """No worker makes nothing."""
    with pytest.raises(RecipeError, match="at least 1 worker"):
        make_a3ds(RECIPE, tmp_path / "none", workers=0)


def test_a_good_folder_has_no_problems(folder):
    """Everything is read, and every caption is compared, in both layouts."""
    report = check(folder, CheckRequest(workers=2))

    assert report.counts == {}
    assert report.exit_code == 0
    assert report.facts["captions"] == 2 * (20_000 + 48_000)


def rewritten(folder, path, edit):
    """Change a file and let the manifest have the new hash."""
    edit(folder / path)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        if entry["path"] == path:
            entry |= {"bytes": (folder / path).stat().st_size, "sha256": file_digest(folder / path)}
    write_manifest(folder, manifest)


def with_text(old, new):
    return lambda file: file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")


def with_column(name, change):
    def edit(file):
        table = pq.read_table(file)
        values = table[name].to_pylist()
        values = change(values)
        place = table.schema.names.index(name)
        table = table[: len(values)].set_column(
            place, table.schema.field(name), pa.array(values, table.schema.field(name).type)
        )
        pq.write_table(table, file)

    return edit


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "edit", "code"),
    [
        ("captions/exhaustive-test-00001-of-00004.parquet", with_column("text", lambda v: ["a cat", *v[1:]]), "E701"),
        ("captions/exhaustive-test-00001-of-00004.parquet", with_column("text", lambda v: [None, *v[1:]]), "E701"),
        ("captions/exhaustive-test-00001-of-00004.parquet", with_column("image", lambda v: [v[0] + 1, *v[1:]]), "E701"),
        ("captions/exhaustive-test-00001-of-00004.parquet", with_column("text", lambda v: v[:-1]), "E701"),
        ("captions/natural-test-00000-of-00004.parquet", with_column("text", lambda v: v[:-48]), "E701"),
        ("captions/natural-test-00000-of-00004.parquet", lambda file: file.write_bytes(b"PAR1"), "E001"),
        ("3dshapes_captions_long.json", with_text("tiny", "minute"), "E701"),
        ("3dshapes_captions_long.json", with_text('"999": [', '"1999": ['), "E701"),
        ("3dshapes_captions_long.json", with_text("{", "["), "E001"),
        ("vocabulary.json", with_text('"there"', '"their"'), "E702"),
        ("vocabulary.json", with_text("{", "["), "E001"),
        ("ids/train.txt", lambda file: file.write_text("1\n2\n", encoding="utf-8"), "E703"),
        ("ids/tune.txt", lambda file: file.write_text("none\n", encoding="utf-8"), "E001"),
        ("pairs/test.parquet", with_column("target", lambda v: [v[1], *v[1:]]), "E704"),
        ("pairs/test.parquet", with_column("distractor", lambda v: [480_000, *v[1:]]), "E704"),
        ("pairs/tune.parquet", with_column("set", lambda v: ["own", *v[1:]]), "E704"),
        ("pairs/tune.parquet", lambda file: pq.write_table(pa.table({"set": [1]}), file), "E001"),
    ],
)
def test_every_fault_is_found_although_the_hash_is_right(folder, path, edit, code):
    """Content is compared with what it should be, not only with the manifest."""
    rewritten(folder, path, edit)

    report = check(folder, CheckRequest())

    assert code in report.counts
    assert set(report.counts) <= {code, "E703"}
    assert report.exit_code == 1
    assert any(problem.file == path and str(problem) for problem in report.findings)
    assert json.dumps(report.as_dict())


def test_changed_and_missing_files_are_found(folder):
    """A file with another hash, one that is gone and one that the manifest forgets are problems."""
    with (folder / "README.md").open("a") as card:
        card.write("more")
    os.truncate(folder / "3dshapes_captions_natural.json", 1000)
    (folder / "pairs/tune.parquet").unlink()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"] = [e for e in manifest["files"] if e["path"] != "captions/exhaustive-test-00003-of-00004.parquet"]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    report = check(folder, CheckRequest())

    found = {(problem.code, problem.file) for problem in report.findings}
    assert found == {
        ("E002", "3dshapes_captions_natural.json"),
        ("E001", "3dshapes_captions_natural.json"),
        ("E001", "pairs/tune.parquet"),
        ("E002", "manifest.json"),
        ("E002", "README.md"),
        ("W006", "captions/exhaustive-test-00003-of-00004.parquet"),
    }


@pytest.mark.parametrize(
    "change", [{"recipe": 3}, {"captions": [1]}, {"images": "many"}, {"recipe": {"seed": "x"}}, {"images": -1}]
)
def test_a_broken_manifest_does_not_break_the_check(folder, change):
    """Odd values in the manifest lead to problems or are ignored, never to a crash."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    (folder / "manifest.json").write_text(json.dumps(manifest | change), encoding="utf-8")

    assert check(folder, CheckRequest()).facts["files"] == len(manifest["files"])


def test_other_folders_cannot_be_checked(tmp_path):
    """A folder without such a manifest is another kind of dataset."""
    assert not is_a3ds(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": 1, "splits": {}, "files": []}', encoding="utf-8")
    assert not is_a3ds(tmp_path)
    with pytest.raises(BrokenDataset, match="another kind"):
        check(tmp_path, CheckRequest())


def test_two_threads_can_list_files_at_once(tmp_path):
    """What several threads have finished is all listed."""
    with ResumableFolder(tmp_path / "many", "digest") as folder:
        names = [f"{number}.txt" for number in range(50)]
        for name in names:
            (folder.out / name).write_text(name, encoding="utf-8")
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda name: folder.keep(name, split="", rows=1), names))

    with ResumableFolder(tmp_path / "many", "digest") as again:
        assert all(again.find(name) for name in names)
        assert again.find("other.txt") is None


@pytest.mark.slow
def test_all_captions_are_made_in_time(tmp_path, monkeypatch):
    """Both published sets are written within two minutes on two cores, and every caption of every image is right."""
    monkeypatch.undo()
    start = time.monotonic()

    make_a3ds(A3dsRecipe(layout="both"), tmp_path / "whole", workers=2)
    seconds = time.monotonic() - start
    report = check(tmp_path / "whole", CheckRequest(workers=2))

    assert report.counts == {}
    assert report.facts["captions"] == 2 * (9_600_000 + 12_960_000)
    assert seconds < 120
