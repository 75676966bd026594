"""Making Cops-Ref from imagined scenes and from files, on the command line."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageColor, ImageDraw

from deixis._cli.app import main
from deixis.expression import Description, Is
from deixis.resolution.reference import denotation
from deixis.worlds.photos._example_checks import forms_of
from deixis.worlds.photos._guard import says_sides
from deixis.worlds.photos._left_right import with_loose_sides
from deixis.worlds.photos._misreadings import noun_alone
from deixis.worlds.photos._pictures import NAMED
from deixis.worlds.photos.data._contamination import measure_contamination
from deixis.worlds.photos.data.graphs import read_table
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from deixis.worlds.photos.language import parse_reference
from deixis.worlds.photos.localise import FORMS, DistractorImage
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small dataset of imagined scenes, one distractor image of each kind."""
    out = tmp_path_factory.mktemp("copsref") / "made"
    make_copsref(CopsRefRecipe(seed=3, images=60, val=0.0, test=0.7, each=1, guarded=False), out)
    return out


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """The same with all doubts taken into account, and most images to test with, so that there is enough of it."""
    out = tmp_path_factory.mktemp("copsref") / "guarded"
    return open_copsref(make_copsref(CopsRefRecipe(seed=3, images=150, val=0.0, test=0.9, each=1), out).path)


def test_nothing_is_contaminated_by_the_whole_truth(guarded):
    """Of imagined scenes all is known: no expression is true where it should not be, and what is not there is not."""
    truth = read_table(guarded.path / "imagined" / "truth.json")
    examples = list(guarded.examples())

    found = measure_contamination(examples, truth)

    assert (found.lost, found.ambiguous, found.misled) == (0, 0, 0)
    assert found.absent[0] > 20
    assert found.absent[1] == 0
    assert found.posed > 20
    assert guarded.dataset.manifest["made with"]["by the whole truth"] == found.to_dict()
    assert guarded.dataset.manifest["made with"]["left out because the whole truth is another"] > 0


def test_left_and_right_are_beyond_doubt(guarded):
    """With left and right as people see them, an expression still fits its target alone, and nothing elsewhere."""
    loose = with_loose_sides(guarded.scenes)
    sided = [e for e in guarded.examples() if says_sides(e.expression)]

    assert len(sided) > 20
    for example in sided:
        own, *others = (loose.scene(loose.find(name)) for name in example.images())
        assert denotation(example.expression, own) == (
            {own.object_number(example.object_id)} if example.is_there else set()
        )
        assert not any(denotation(example.expression, scene) for scene in others)


def test_what_is_not_there_is_worded_like_what_is(guarded):
    """Each expression is changed once, in its own wording, and the text reads back as what it means."""
    examples = list(guarded.examples())
    absent = [e for e in examples if not e.is_there]
    origins = {e.id: e for e in examples if e.is_there}

    assert len({e.changed_id for e in absent}) == len(absent)
    assert {e.change for e in absent} == {"attribute", "relation", "noun", "swap"}
    assert any(" which " in e.text for e in absent)
    for example in absent:
        assert parse_reference(example.text, guarded.scenes.vocabulary) == example.expression
        origin = origins[example.changed_id]
        assert (" which " in example.text) <= (" which " in origin.text or " who " in origin.text)


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


def test_pictures_and_graphs_lie_in_the_dataset(made):
    """The imagined scenes are kept in the same folder: a picture for every graph, and the truth behind it."""
    drawn = made / "imagined"
    graphs = json.loads((drawn / "sceneGraphs.json").read_text(encoding="utf-8"))

    assert len(graphs) == 60
    assert {name for name in graphs if open_copsref(made).photographs.has(name)} == set(graphs)
    assert json.loads((drawn / "truth.json").read_text(encoding="utf-8")).keys() == graphs.keys()
    assert [path.name for path in made.parent.iterdir()] == ["made"]


def test_graphs_of_ones_own_can_be_given(made, tmp_path, capsys):
    """A file of scene graphs takes the place of imagined ones; the command line tells what came of it."""
    graphs = made / "imagined" / "sceneGraphs.json"
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

    counts = json.loads(capsys.readouterr().out)["reports"][0]["counts"]
    assert (counts["E103"], counts["E802"]) == (1, 1)


def _with_an_unknown_word(example, other, data):
    return replace(example, expression=Description((Is("name", "zork"),)))


def _with_the_text_of_another(example, other, data):
    return replace(example, text=other.text)


def _with_another_form(example, other, data):
    return replace(example, form=next(form for form in FORMS if form != example.form))


def _with_a_kind_relabelled(example, other, data):
    first, *rest = example.distractors
    assert first.kind == "DiffCat"
    return replace(example, distractors=(*rest, replace(first, kind="Cat")))


def _with_an_image_too_few(example, other, data):
    return replace(example, distractors=example.distractors[1:])


def _with_an_image_of_train(example, other, data):
    first, *rest = example.distractors
    trained = {e.image_id for e in data.examples("train")}
    empty = next(
        image
        for image in sorted(trained)
        if not denotation(noun_alone(example.expression), data.scenes.scene(data.scenes.find(image)))
    )
    return replace(example, distractors=(replace(first, image_id=empty), *rest))


@pytest.mark.parametrize(
    ("damaged", "code"),
    [
        (_with_an_unknown_word, "E801"),
        (_with_the_text_of_another, "E804"),
        (_with_another_form, "E805"),
        (_with_a_kind_relabelled, "E806"),
        (_with_an_image_too_few, "E807"),
        (_with_an_image_of_train, "E808"),
    ],
)
def test_what_is_told_of_an_example_is_checked(damaged, code, made, tmp_path, capsys):
    """Unknown words, the text of another, a wrong form or kind, a missing image and one of train are found by code."""
    data = open_copsref(made)
    examples = [e for e in data.examples() if e.is_there]
    one, other = [e for e in examples if e.distractors][:2]
    changed = [damaged(e, other, data) if e.id == one.id else e for e in examples]
    write_copsref(tmp_path / "damaged", changed, data.scenes)

    assert main(["check", str(tmp_path / "damaged"), "--json"]) == 1

    report = json.loads(capsys.readouterr().out)["reports"][0]
    found = {finding["code"]: finding for finding in report["findings"]}
    assert code in found
    assert found[code]["id"] == one.id
    assert changed[found[code]["row"]].id == one.id


def test_fewer_images_than_the_manifest_counted_are_found(guarded, tmp_path, capsys):
    """Where some expressions may have fewer images of a kind, their number is that of the manifest."""
    out = tmp_path / "fewer"
    about = {**guarded.dataset.manifest["made with"], "distractor images": {"test": {"with fewer images of a kind": 7}}}
    about["recipe"] = {**guarded.dataset.manifest["recipe"], "each": 2, "fewest": 1}
    write_copsref(out, guarded.examples(), guarded.scenes, about=about)

    assert main(["check", str(out), "--json"]) == 1

    report = json.loads(capsys.readouterr().out)["reports"][0]
    assert report["counts"] == {"E807": 1}
    assert "the manifest says 7" in report["findings"][0]["detail"]


def test_the_forms_of_an_expression_are_those_of_its_tree(guarded):
    """Read from the meaning alone, forms are what the engine said it made."""
    said = [e for e in guarded.examples() if e.is_there]

    assert {e.form for e in said} >= {"chain", "order", "or", "and", "same"}
    assert all(forms_of(e.expression) == e.forms for e in said)


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


def test_words_above_a_picture_are_apart_and_within_it(made, tmp_path):
    """Between two words of the text there are blank columns, and a long text goes on in a second line."""
    data = open_copsref(made)
    one = next(e for e in data.examples("test") if e.distractors)
    titles = {}
    for name, text in (("short", "HH HH"), ("long", "HH " * 200)):
        write_copsref(tmp_path / name, [replace(one, text=text.strip())], data.scenes)
        assert main(["show", str(tmp_path / name), "0", "--split", "test", "--out", str(tmp_path / f"{name}.png")]) == 0
        with Image.open(tmp_path / f"{name}.png") as picture:
            titles[name] = np.array(picture.convert("L"))

    columns = (titles["short"][:26] < 128).any(axis=0)
    gaps = [len(run) for run in "".join("x" if ink else " " for ink in columns).strip().split("x") if run]
    assert max(gaps) >= 4  # between the words; strokes of a letter are nearer
    assert titles["long"].shape[0] > titles["short"].shape[0]
    assert (titles["long"][:, -8:] == 255).all()


def test_no_image_is_called_right_where_nothing_fits(made, tmp_path, monkeypatch):
    """The picture of an expression that fits nothing says so instead of calling its first image the right one."""
    is_there = [example.is_there for example in open_copsref(made).examples("test")]
    written = []
    monkeypatch.setattr(ImageDraw.ImageDraw, "text", lambda *words, **_: written.append(words[2]))

    for fits in (True, False):
        written.clear()
        number = is_there.index(fits)
        assert main(["show", str(made), str(number), "--split", "test", "--out", str(tmp_path / "one.png")]) == 0
        assert ("right image" in " ".join(written)) == fits
        assert ("nothing fits" in " ".join(written)) != fits


def test_boxes_of_what_is_mentioned_have_names_where_there_is_no_picture(made, tmp_path):
    """Without a picture, grey boxes alone say nothing: the things that the expression speaks of are labelled."""
    data = open_copsref(made)
    one = next(e for e in data.examples("test") if "to the left of" in e.text)
    shown = {}
    for name, expression in (("named", one.expression), ("unread", None)):
        write_copsref(tmp_path / name, [replace(one, expression=expression)], data.scenes)
        assert main(["show", str(tmp_path / name), "0", "--split", "test", "--out", str(tmp_path / f"{name}.png")]) == 0
        with Image.open(tmp_path / f"{name}.png") as picture:
            shown[name] = {color for _, color in picture.getcolors(1 << 20)}

    ink = ImageColor.getrgb(NAMED)
    assert ink in shown["named"]
    assert ink not in shown["unread"]


def test_an_example_that_is_not_there_is_one_line(made, capsys):
    """A number beyond the examples, and a split that does not exist, end in one line."""
    assert main(["show", str(made), "99999"]) == 2
    assert main(["show", str(made), "0", "--split", "dev"]) == 2

    assert len(capsys.readouterr().err.strip().splitlines()) == 2
