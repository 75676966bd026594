"""Cops-Ref from and to the layouts of others, on the command line."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deixis._cli.app import main
from deixis.worlds.photos._example_checks import forms_of
from deixis.worlds.photos._formats import picture_rows
from deixis.worlds.photos._formats.scene_graphs import gqa_entry
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from deixis.worlds.photos.engine._wording import said_as_read
from deixis.worlds.photos.language._words import ENGLISH
from deixis.worlds.photos.scene.graph import GraphObject, Link, SceneGraph
from tests.bridges.published import pictures_of
from tests.datasets.copsref.posed import posed


@pytest.fixture
def data(tmp_path):
    """A small dataset."""
    write_copsref(tmp_path / "data", posed().examples, posed().scenes)
    return tmp_path / "data"


@pytest.fixture
def worded(tmp_path):
    """The same dataset with texts that say what they mean, as far as there are words for it."""
    data = posed()
    said = ((one, said_as_read(one.expression, ENGLISH, data.scenes.vocabulary)) for one in data.there)
    examples = [replace(one, text=text.text, forms=forms_of(one.expression)) for one, text in said if text is not None]
    examples = [replace(one, form=one.forms[0]) for one in examples]
    assert len(examples) > 10
    write_copsref(tmp_path / "worded", examples, data.scenes)
    return tmp_path / "worded"


@pytest.fixture
def graphs(tmp_path):
    """The scenes of that dataset as a file of GQA."""
    table = posed().scenes
    entries = {}
    for number, name in enumerate(table.image_ids):
        scene = table.scene(number)
        things = tuple(
            GraphObject(
                scene.object_ids[k],
                scene.names[k],
                scene.boxes[k],
                tuple(sorted(scene.words[k])),
                tuple(Link(r, scene.object_ids[o]) for r, s, o in sorted(scene.links) if s == k),
            )
            for k in range(len(scene))
        )
        entries[name] = gqa_entry(SceneGraph(name, scene.width, scene.height, things))
    (tmp_path / "graphs.json").write_text(json.dumps(entries))
    return tmp_path / "graphs.json"


def test_a_dataset_is_written_as_coco(data, tmp_path, capsys):
    """Images, regions and references come out as toolkits for COCO know them."""
    assert main(["convert", str(data), str(tmp_path / "coco"), "--to", "coco"]) == 0

    refs = json.loads((tmp_path / "coco" / "refs.json").read_text())
    assert len(refs) == len(posed().examples)
    assert json.loads((tmp_path / "coco" / "instances.json").read_text())["annotations"]


def test_records_go_out_and_come_back(data, graphs, tmp_path, capsys):
    """Released records, read with the scene graphs they are about, are the same examples; what is lost is told."""
    assert main(["convert", str(data), str(tmp_path / "refs.json"), "--to", "copsref", "--allow-losses"]) == 0
    told = capsys.readouterr().out
    words = ["convert", str(tmp_path / "refs.json"), str(tmp_path / "back"), "--to", "parquet", "--scenes", str(graphs)]
    assert main(words) == 0

    absent = len(posed().examples) - len(posed().there)
    assert f"{absent:,} of {len(posed().examples):,} examples left out: it fits nothing" in told
    back = {example.id: example for example in open_copsref(tmp_path / "back").examples()}
    assert {k: (e.text, e.image_id, e.object_id) for k, e in back.items()} == {
        e.id: (e.text, e.image_id, e.object_id) for e in posed().there
    }
    for verb in ("stats", "show"):
        assert main([verb, str(tmp_path / "back")]) == 0


def test_what_records_mean_is_read_off_their_texts(worded, graphs, tmp_path, capsys):
    """A dataset made of records has meanings and forms, so that it can be checked and audited like any other."""
    main(["convert", str(worded), str(tmp_path / "refs.json"), "--to", "copsref"])
    words = ["convert", str(tmp_path / "refs.json"), str(tmp_path / "back"), "--to", "parquet", "--scenes", str(graphs)]
    assert main(words) == 0

    had, back = (
        {e.id: (e.expression, e.forms) for e in open_copsref(path).examples()} for path in (worded, tmp_path / "back")
    )
    assert back == had
    capsys.readouterr()
    main(["check", str(tmp_path / "back"), "--json"])
    counts = json.loads(capsys.readouterr().out)["reports"][0]["counts"]
    assert not counts.keys() & {"E103", "E802", "E804", "E805", "E806"}
    assert main(["audit", str(tmp_path / "back")]) == 0


def test_texts_that_cannot_be_read_are_told(worded, graphs, tmp_path, capsys):
    """A record in words that the graphs do not know is kept without a meaning, and counted."""
    main(["convert", str(worded), str(tmp_path / "refs.json"), "--to", "copsref"])
    first = next(open_copsref(worded).examples()).text
    (tmp_path / "refs.json").write_text((tmp_path / "refs.json").read_text().replace(f'"{first}"', '"on wall the"'))
    words = ["convert", str(tmp_path / "refs.json"), str(tmp_path / "back"), "--to", "parquet", "--scenes", str(graphs)]
    capsys.readouterr()

    assert main(words) == 0

    assert "texts could not be read, so that what they mean is unknown" in capsys.readouterr().out
    unread = [e.text for e in open_copsref(tmp_path / "back").examples() if e.expression is None]
    assert unread
    assert set(unread) == {"on wall the"}


def test_faulty_graphs_of_records_are_told(data, graphs, tmp_path, capsys):
    """What is lost of the scene graphs beside records is no secret: it must be asked for, and is told then."""
    main(["convert", str(data), str(tmp_path / "refs.json"), "--to", "copsref", "--allow-losses"])
    entries = json.loads(graphs.read_text())
    for image in entries.values():
        for thing in image["objects"].values():
            thing["relations"] = [{**one, "object": "nowhere"} for one in thing["relations"]]
    graphs.write_text(json.dumps(entries))
    words = ["convert", str(tmp_path / "refs.json"), str(tmp_path / "back"), "--to", "parquet", "--scenes", str(graphs)]
    capsys.readouterr()

    assert main(words) == 2
    assert "a relation leads to an object that is missing" in capsys.readouterr().err
    assert not (tmp_path / "back").exists()
    assert main([*words, "--allow-losses"]) == 0
    assert "relations left out: a relation leads to an object that is missing" in capsys.readouterr().out


def test_what_the_release_has_no_records_for_must_be_asked_for(data, tmp_path, capsys):
    """Expressions that fit nothing are lost in the layout of the release: an error unless allowed, and no file."""
    assert main(["convert", str(data), str(tmp_path / "refs.json"), "--to", "copsref"]) == 2

    assert "--allow-losses" in capsys.readouterr().err
    assert not (tmp_path / "refs.json").exists()


def test_a_file_of_records_says_how_it_becomes_a_dataset(data, tmp_path, capsys):
    """Verbs that read datasets name the command that makes one of released records."""
    main(["convert", str(data), str(tmp_path / "refs.json"), "--to", "copsref", "--allow-losses"])
    for verb in ("check", "stats", "audit"):
        capsys.readouterr()
        assert main([verb, str(tmp_path / "refs.json")]) == 2
        assert "deixis convert" in capsys.readouterr().err


def test_records_without_their_graphs_are_told(data, graphs, tmp_path, capsys):
    """A record about an image that is not among the graphs is lost, which must be asked for."""
    main(["convert", str(data), str(tmp_path / "refs.json"), "--to", "copsref", "--allow-losses"])
    some = dict(list(json.loads(graphs.read_text()).items())[:-5])
    graphs.write_text(json.dumps(some))
    words = ["convert", str(tmp_path / "refs.json"), str(tmp_path / "back"), "--to", "parquet", "--scenes", str(graphs)]
    capsys.readouterr()

    assert main(words) == 2
    assert "an image is shown of which there is no scene graph" in capsys.readouterr().err
    assert main([*words, "--allow-losses"]) == 0
    assert "records left out: an image is shown" in capsys.readouterr().out


@pytest.mark.parametrize(
    "more", [["--to", "coco", "--as", "x"], ["--to", "coco", "--split", "night"], ["--to", "reascan"]]
)
def test_what_makes_no_sense_is_one_line(more, data, tmp_path, capsys):
    """Names for splits, a split that is not there, and layouts of grid worlds are refused."""
    assert main(["convert", str(data), str(tmp_path / "out"), *more]) == 2

    assert capsys.readouterr().err.count("\n") == 1


@pytest.fixture
def pictured(tmp_path):
    """The same dataset with pictures, of which the last that is shown is a JPEG."""
    from PIL import Image

    told = posed()
    folder = pictures_of(told.scenes, tmp_path / "pictures")
    last = told.examples[-1].images()[-1]
    with Image.open(folder / f"{last}.png") as picture:
        picture.save(folder / f"{last}.jpg")
    (folder / f"{last}.png").unlink()
    return write_copsref(tmp_path / "pictured", told.examples, told.scenes, pictures=folder).path


def test_pictures_of_two_kinds_are_refused_before_anything_is_written(pictured, tmp_path, capsys, monkeypatch):
    """COCO's names have one ending; the complaint names an image of each kind, and no file is begun."""

    def no_file(path):
        raise AssertionError(f"{path} is written")

    monkeypatch.setattr(picture_rows, "replacing_file", no_file)

    assert main(["convert", str(pictured), str(tmp_path / "coco"), "--to", "coco", "--images"]) == 2
    told = capsys.readouterr().err
    assert "is PNG and that of" in told
    assert "is JPG" in told
    assert not (tmp_path / "coco").exists()


@pytest.mark.parametrize("words", [("coco", "--images"), ("huggingface", "--distractors")])
def test_a_missing_picture_is_told_before_anything_is_written(tmp_path, capsys, monkeypatch, words):
    """That the last image has no picture is known before the first is written."""

    def no_file(path):
        raise AssertionError(f"{path} is written")

    told = posed()
    folder = pictures_of(told.scenes, tmp_path / "pictures")
    last = told.examples[-1].images()[-1]
    (folder / f"{last}.png").unlink()
    path = write_copsref(tmp_path / "pictured", told.examples, told.scenes, pictures=folder).path
    monkeypatch.setattr(picture_rows, "replacing_file", no_file)

    assert main(["convert", str(path), str(tmp_path / "out"), "--to", *words]) == 2
    assert f"keeps no picture of the image {last!r}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
