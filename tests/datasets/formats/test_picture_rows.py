"""Expressions with their pictures: rows for `datasets`, and files for COCO's tools, as these read them."""

from __future__ import annotations

import contextlib
import io
import json

import numpy as np
import pytest
from PIL import Image

from deixis._cli import main
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from tests.bridges.published import pictures_of
from tests.datasets.copsref.posed import posed


pytestmark = pytest.mark.slow  # the small corpus takes ten seconds


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """A small Cops-Ref whose pictures are kept."""
    told, folder = posed(), tmp_path_factory.mktemp("photographs")
    pictures = pictures_of(told.scenes, folder / "pictures")
    return write_copsref(folder / "copsref", told.examples, told.scenes, pictures=pictures).path


@pytest.fixture
def datasets(monkeypatch, tmp_path):
    """Hugging Face's library, offline."""
    library = pytest.importorskip("datasets")
    monkeypatch.setattr(library.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(library.config, "HF_HUB_OFFLINE", True)
    return library


def test_rows_have_the_picture_and_the_box_of_the_target(photographs, datasets, tmp_path):
    """Loaded by folder or streamed by file, every row has its decoded picture, all boxes in pixels, and the target."""
    out = tmp_path / "rows"
    assert main(["convert", str(photographs), str(out), "--to", "huggingface", "--distractors"]) == 0

    data = open_copsref(photographs)
    known = {one.id: one for one in data.examples()}
    splits = datasets.load_dataset(str(out))
    files = str(out / "data" / "test-*.parquet")
    streamed = datasets.load_dataset("parquet", data_files=files, streaming=True)["train"]

    assert {name: len(rows) for name, rows in splits.items()} == data.splits
    assert isinstance(splits["test"].features["picture"], datasets.Image)
    assert [row["id"] for row in streamed] == splits["test"]["id"][:]
    for row in (row for rows in splits.values() for row in rows):
        example = known[row["id"]]
        place = data.scenes.find(example.image_id)
        objects = data.scenes.objects_of(place)
        assert row["text"] == example.text
        assert row["picture"].size == (row["width"], row["height"])
        assert np.allclose(row["box"], data.scenes.box[objects.start : objects.stop])
        assert len(row["distractor_picture"]) == len(row["distractor_image"]) == len(example.images()) - 1
        assert all(isinstance(one, Image.Image) for one in row["distractor_picture"])
        if example.is_there:
            assert row["object"][row["target"]] == example.object_id
            assert row["target_box"] == row["box"][row["target"]]
        else:
            assert (row["target"], row["target_box"]) == (-1, [])


def test_pycocotools_reads_and_judges_the_export(photographs, tmp_path):
    """Images, files and annotations are found; detections that are the annotations themselves have a precision of 1."""
    coco = pytest.importorskip("pycocotools.coco")
    from pycocotools.cocoeval import COCOeval

    out = tmp_path / "coco"
    assert main(["convert", str(photographs), str(out), "--to", "coco", "--images"]) == 0
    with contextlib.redirect_stdout(io.StringIO()):
        truth = coco.COCO(out / "instances.json")
        found = truth.loadRes([{**one, "score": 1.0} for one in truth.dataset["annotations"]])
        judged = COCOeval(truth, found, "bbox")
        judged.evaluate()
        judged.accumulate()
        judged.summarize()
    for image in truth.loadImgs(truth.getImgIds()):
        with Image.open(out / "images" / image["file_name"]) as picture:
            assert picture.size == (image["width"], image["height"])

    assert judged.stats[0] == pytest.approx(1.0)
    assert 0 not in truth.anns
    refs = [ref for ref in json.loads((out / "refs.json").read_text()) if ref["is_there"]]
    assert refs
    assert all(truth.anns[ref["ann_id"]]["image_id"] == ref["image_id"] for ref in refs)


def test_annotations_are_read_back_by_their_numbers(photographs, tmp_path):
    """A detection that names an annotation of the export, the first one included, is the object it stands for."""
    from deixis.worlds.photos.data._coco import annotation_number
    from deixis.worlds.photos.data._predictions import read_answers

    scenes = open_copsref(photographs).scenes
    things = [0, 1, scenes.object_count - 1]
    path = tmp_path / "found.json"
    rows = [{"ref_id": place, "ann_id": annotation_number(thing, scenes)} for place, thing in enumerate(things)]
    path.write_text(json.dumps(rows))

    assert [one.object_id for one in read_answers(path, scenes=scenes)] == [
        scenes.object_ids[thing] for thing in things
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "huggingface", "--images"], "--images goes with --to coco"),
        (["--to", "coco", "--distractors"], "--distractors goes with --to huggingface"),
    ],
)
def test_options_of_other_forms_are_refused(photographs, tmp_path, capsys, words, said):
    """An option that the form does not have is told, and nothing is written."""
    assert main(["convert", str(photographs), str(tmp_path / "out"), *words]) == 2

    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_missing_pictures_are_told(tmp_path, capsys):
    """A dataset without pictures cannot be written with them."""
    told = posed()
    path = write_copsref(tmp_path / "copsref", told.examples, told.scenes).path

    assert main(["convert", str(path), str(tmp_path / "out"), "--to", "huggingface"]) == 2
    assert "keeps no picture" in capsys.readouterr().err
