"""The options of `deixis check` mean the same for rooms and photos as for grids."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis._cli import main
from deixis.data._seal import write_manifest
from deixis.data.checks import CheckRequest
from deixis.data.store import file_digest
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref
from deixis.worlds.registry import world_of
from deixis.worlds.rooms.data import make as a3ds


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """Captions of few images, test sets and lists of images."""
    out = tmp_path_factory.mktemp("checks") / "rooms"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(a3ds, "IMAGES", 400)
        a3ds.make_a3ds(a3ds.A3dsRecipe(captions=("short",), layout="both", test_sets=True, seed=42), out, workers=2)
    return out


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """A small dataset of imagined scenes."""
    out = tmp_path_factory.mktemp("checks") / "photos"
    make_copsref(CopsRefRecipe(seed=3, images=60, val=0.0, test=0.7, each=1, guarded=False), out)
    return out


def report_on(path, **request):
    return world_of(path).part("checks").check(path, CheckRequest(**request))


def with_wrong_captions(rooms, folder):
    """A copy in which every tenth caption of a file is another, sealed anew."""
    shutil.copytree(rooms, folder)
    file = max((folder / "captions").glob("*.parquet"), key=lambda path: path.stat().st_size)
    table = pq.read_table(file)
    texts = ["a cat" if row % 10 == 0 else text for row, text in enumerate(table["text"].to_pylist())]
    pq.write_table(table.set_column(2, table.schema.field("text"), pa.array(texts, pa.string())), file)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        if entry["path"] == f"captions/{file.name}":
            entry |= {"bytes": file.stat().st_size, "sha256": file_digest(file)}
    write_manifest(folder, manifest)
    return folder, len(texts)


def with_wrong_targets(photos, folder):
    """A copy in which every expression that fits something is said to mean another object of its image."""
    data = open_copsref(photos)

    def other(example):
        ids = data.scenes.scene(data.scenes.find(example.image_id)).object_ids
        return replace(example, object_id=next(one for one in ids if one != example.object_id))

    write_copsref(folder, [other(e) if e.is_there else e for e in data.examples()], data.scenes)
    return folder


@pytest.mark.parametrize("kind", [pytest.param("rooms", marks=pytest.mark.slow), "photos"])
def test_the_plain_definitions_agree_with_the_fast_ones(kind, rooms, photos, tmp_path):
    """On sound and on broken datasets, the same findings of the same examples."""
    sound = {"rooms": rooms, "photos": photos}[kind]
    broken = (
        with_wrong_captions(rooms, tmp_path / "x")[0] if kind == "rooms" else with_wrong_targets(photos, tmp_path / "x")
    )

    for path in (sound, broken):
        fast, plain = report_on(path, most=9_999), report_on(path, thorough=True, most=9_999)
        assert fast.counts.keys() == plain.counts.keys()
        assert (fast.rows, fast.splits) == (plain.rows, plain.splits)
        if kind == "photos":
            assert fast.as_dict() == plain.as_dict()
    assert report_on(sound).counts == {}
    assert report_on(broken).has_errors


@pytest.mark.slow
def test_a_sample_of_captions_and_pairs(rooms, tmp_path):
    """So many are compared, others for another seed, and wrong ones are found among them."""
    broken, _ = with_wrong_captions(rooms, tmp_path / "broken")

    found = [report_on(broken, sample=3000, seed=seed) for seed in (1, 1, 2)]

    assert [report.rows for report in found] == [3000, 3000, 3000]
    assert found[0].as_dict() == found[1].as_dict()
    assert found[0].counts["E701"]
    assert found[0].findings[0].detail != found[2].findings[0].detail
    assert report_on(rooms, sample=2000).counts == {}


def test_a_sample_of_expressions(photos, tmp_path):
    """So many are looked at; what only all show, as the digest of the content, is not."""
    broken = with_wrong_targets(photos, tmp_path / "broken")

    one, same, other = (report_on(broken, sample=12, seed=seed) for seed in (1, 1, 2))

    assert one.rows == other.rows == 12
    assert one.as_dict() == same.as_dict()
    assert {f.row for f in one.findings} != {f.row for f in other.findings}
    assert set(one.counts) == {"E103"}
    assert report_on(photos, sample=12).counts == {}


@pytest.mark.parametrize("kind", ["rooms", "photos"])
def test_a_selection_and_a_limit_hold(kind, rooms, photos, tmp_path, capsys):
    """Only what was selected is counted, and no more findings are listed than were asked for."""
    if kind == "rooms":
        broken, code, other = with_wrong_captions(rooms, tmp_path / "x")[0], "E701", "E704"
    else:
        broken, code, other = with_wrong_targets(photos, tmp_path / "x"), "E103", "E804"

    assert main(["check", str(broken), "--select", code, "--max-findings", "2", "--json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)["reports"]
    assert set(report["counts"]) == {code}
    assert len(report["findings"]) == 2 < report["counts"][code] or kind == "rooms"
    assert main(["check", str(broken), "--select", other]) == 0


@pytest.mark.slow
def test_images_of_two_rooms_are_compared(rooms, tmp_path, capsys):
    """Of one seed, every image is twice in splits of one name; of another, some are in train here and in test there."""
    other = tmp_path / "other"
    a3ds.make_a3ds(a3ds.A3dsRecipe(captions=(), test_sets=True, seed=7), other, workers=2)

    assert main(["check", str(rooms), str(other), "--select", "E4", "--json"]) == 1

    across = json.loads(capsys.readouterr().out)["across"]
    assert across["checked"] == ["E401"]
    assert 100_000 < across["counts"]["E401"] < 480_000
    assert "also row" in across["findings"][0]["detail"]


def test_expressions_of_two_datasets_are_compared(photos, tmp_path, capsys):
    """An expression of test that another dataset trains on is in two splits."""
    data = open_copsref(photos)
    one = next(example for example in data.examples("test") if example.is_there)
    write_copsref(tmp_path / "other", [replace(one, split="train", distractors=())], data.scenes)

    assert main(["check", str(photos), str(tmp_path / "other"), "--json"]) == 1

    across = json.loads(capsys.readouterr().out)["across"]
    assert across["counts"] == {"E401": 1}
    assert across["findings"][0]["id"] == one.id


def test_datasets_of_two_worlds_are_not_compared(photos, rooms, capsys):
    """Each has its own report; nothing can be in both."""
    assert main(["check", str(photos), str(rooms), "--json"]) == 0

    said = json.loads(capsys.readouterr().out)
    assert [report["world"] for report in said["reports"]] == ["photos", "rooms"]
    assert "across" not in said


def test_the_codes_of_every_world_are_listed(capsys, monkeypatch):
    """With a line each, and as JSON."""
    monkeypatch.delenv("COLUMNS", raising=False)  # as wide as the lines are
    assert main(["check", "--codes"]) == 0
    listed = capsys.readouterr().out
    assert main(["check", "--codes", "--json"]) == 0
    codes = json.loads(capsys.readouterr().out)["codes"]

    assert {"grid", "rooms", "photos"} <= codes.keys()
    assert all(line in listed for some in codes.values() for line in some.values())
    assert main(["check"]) == 2
