"""Making Cops-Ref from imagined scenes and from files, on the command line."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from PIL import Image

from deixis.cli.app import main
from deixis.datasets.copsref.make import CopsRefRecipe, make_copsref
from deixis.datasets.copsref.store import open_copsref, write_copsref
from deixis.resolution.reference import denotation
from deixis.tasks.localise import DistractorImage


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small dataset of imagined scenes, one distractor image of each kind."""
    out = tmp_path_factory.mktemp("copsref") / "made"
    make_copsref(CopsRefRecipe(seed=3, images=60, val=0.0, test=0.7, each=1, guarded=False), out)
    return out


def test_every_expression_picks_out_its_target_and_nothing_else(made):
    """In its image the expression fits the target alone, in its distractor images nothing, by the plain definition."""
    data = open_copsref(made)
    checked = Counter()
    for example in data.examples():
        images = [data.scenes.find(name) for name in (example.image_id, *(d.image_id for d in example.distractors))]
        found = [denotation(example.expression, data.scenes.scene(image)) for image in images]
        wanted = (
            {list(data.scenes.scene(images[0]).object_ids).index(example.object_id)} if example.object_id else set()
        )
        assert found == [wanted, *[set()] * len(example.distractors)]
        checked[example.split, bool(example.object_id)] += 1
    assert checked["train", True] > 30
    assert checked["test", True] > 0
    assert checked["test", False] > 0


def test_pictures_and_graphs_lie_beside_the_dataset(made):
    """The imagined scenes are kept: a picture for every graph, and the truth behind it."""
    drawn = made.with_name("made-imagined")
    graphs = json.loads((drawn / "sceneGraphs.json").read_text(encoding="utf-8"))

    assert len(graphs) == 60
    assert {path.stem for path in (drawn / "images").iterdir()} == set(graphs)
    assert (drawn / "truth.json").exists()


def test_graphs_of_ones_own_can_be_given(made, tmp_path, capsys):
    """A file of scene graphs takes the place of imagined ones; the command line tells what came of it."""
    graphs = made.with_name("made-imagined") / "sceneGraphs.json"
    words = ["make", "copsref", "--out", str(tmp_path / "again"), "--scenes", str(graphs), "--each", "1"]

    assert main([*words, "--closed-world", "--workers", "1", "--seed", "3", "--json"]) == 0

    said = json.loads(capsys.readouterr().out)
    again = open_copsref(tmp_path / "again")
    assert said["splits"] == again.splits
    trained = {e.text for e in open_copsref(made).examples("train")}
    assert trained <= {e.text for e in again.examples("train")}  # a larger share of the same images


def test_a_missing_file_is_one_line(tmp_path, capsys):
    """Scene graphs that are not there end in one line."""
    assert main(["make", "copsref", "--out", str(tmp_path / "x"), "--scenes", str(tmp_path / "none.json")]) == 2

    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_what_was_made_passes_the_check(made, capsys):
    """Every file is as the manifest says and every expression, resolved anew, fits what it should."""
    assert main(["check", str(made)]) == 0

    assert "nothing found" in capsys.readouterr().out


def test_a_wrong_target_and_a_contaminated_image_are_found(made, tmp_path, capsys):
    """An example with another target, and one shown with an image that it fits, are told by their codes."""
    data = open_copsref(made)
    one, other = [e for e in data.examples("train") if e.object_id][:2]
    ids = data.scenes.scene(data.scenes.find(one.image_id)).object_ids
    elsewhere = next(name for name in ids if name != one.object_id)
    mirror = DistractorImage("Cat", other.image_id, other.object_id, "")
    write_copsref(
        tmp_path / "wrong", [replace(one, object_id=elsewhere), replace(other, distractors=(mirror,))], data.scenes
    )

    assert main(["check", str(tmp_path / "wrong"), "--json"]) == 1

    assert json.loads(capsys.readouterr().out)["reports"][0]["counts"] == {"E103": 1, "E802": 1}


def test_other_verbs_say_that_they_do_not_read_this_kind(made, tmp_path, capsys):
    """A verb for grids refuses the folder in one line that names its kind."""
    assert main(["convert", str(made), "--to", "reascan", str(tmp_path / "out.txt")]) == 2

    assert "copsref" in capsys.readouterr().err


def test_an_example_is_shown_with_its_meaning_and_its_images(made, tmp_path, capsys):
    """The text, its meaning as a tree, the target and every other image are told, and drawn on request."""
    out = tmp_path / "example.png"

    assert main(["show", str(made), "0", "--split", "test"]) == 0
    said = capsys.readouterr().out
    assert main(["show", str(made), "0", "--split", "test", "--out", str(out)]) == 0

    assert "- name=" in said
    assert "target: " in said
    assert said.count("image ") >= 5
    with Image.open(out) as picture:
        assert picture.width > picture.height


def test_an_example_that_is_not_there_is_one_line(made, capsys):
    """A number beyond the examples, and a split that does not exist, end in one line."""
    assert main(["show", str(made), "99999"]) == 2
    assert main(["show", str(made), "0", "--split", "dev"]) == 2

    assert len(capsys.readouterr().err.strip().splitlines()) == 2
