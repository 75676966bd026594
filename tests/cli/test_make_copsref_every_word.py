"""`deixis make copsref --mode every-word`: nothing is said that nobody would be punished for missing."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from deixis._cli.app import main
from deixis.worlds.photos._audit.look_alike import look_for_the_most_alike
from deixis.worlds.photos._guard import Guard
from deixis.worlds.photos._mirror import is_mirrored, mirror_id
from deixis.worlds.photos._wants import Plausible, find_tempted, wants_of
from deixis.worlds.photos.data._photographs import decode_picture
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from deixis.worlds.photos.localise import FORMS
from deixis.worlds.photos.resolution.unknowns import Unknowns
from tests.frozen.graphs import scene_graphs


WORDS = ("--mode", "every-word", "--candidates", "12", "--val", "0.2", "--test", "0.2", "--seed", "5")


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    """A file of 60 scenes of few words, laid out like GQA."""
    path = tmp_path_factory.mktemp("given") / "graphs.json"
    path.write_text(json.dumps(scene_graphs(60)))
    return path


@pytest.fixture(scope="module")
def made(graphs, tmp_path_factory):
    out = tmp_path_factory.mktemp("made") / "refs"
    assert main(["make", "copsref", "--scenes", str(graphs), "--out", str(out), "--workers", "1", *WORDS]) == 0
    return out


@pytest.mark.slow
def test_every_want_is_served_by_the_definition(made):
    """By the plain definition every want of every expression leads to something in the images shown."""
    data = open_copsref(made)
    plausible = Plausible.of(data.scenes)
    examples = [one for one in data.examples() if one.is_there]

    assert len(examples) > 40
    for one in examples:
        scenes = one.context_in(data.scenes).scenes
        target = scenes[0].object_number(one.object_id)
        assert 1 <= len(one.distractors) <= 12
        for want in wants_of(one.expression, plausible):
            assert find_tempted(want, scenes[0], target) or any(find_tempted(want, scene) for scene in scenes[1:])
        for distractor in one.distractors:
            scene = data.scenes.scene(data.scenes.find(distractor.image_id))
            assert all(find_tempted(want, scene) for want in one.wants_served_by(distractor))


@pytest.mark.slow
def test_no_image_may_fit(made):
    """The expression fits nothing in any image beside, in no reading of the guard."""
    data = open_copsref(made)
    for one in data.examples():
        if one.is_there:
            asked = Guard(table=data.scenes, unknowns=Unknowns()).ask([one.expression])
            beside = [data.scenes.find(image) for image in one.images()[1:]]
            assert not asked.may_fit(np.zeros(len(beside), np.int64), np.array(beside)).any()


@pytest.mark.slow
def test_being_mirrored_tells_nothing(made):
    """Images spoken of and images beside them are mirrored about equally often, and pairs come together."""
    data = open_copsref(made)
    examples = [one for one in data.examples() if one.is_there]
    own = sum(is_mirrored(one.image_id) for one in {e.image_id: e for e in examples}.values())
    images = len({one.image_id for one in examples})
    paired = [one for one in examples if any(d.kind == "Mirror" for d in one.distractors)]
    several = [one for one in paired if sum(mirror_id(d.image_id) in one.images()[1:] for d in one.distractors) >= 2]

    assert abs(own - images / 2) < 2.6 * (images / 4) ** 0.5
    assert all(d.image_id == mirror_id(one.image_id) for one in paired for d in one.distractors if d.kind == "Mirror")
    assert len(several) >= 0.5 * len(paired) > 3


@pytest.mark.slow
def test_being_unlike_the_others_tells_nothing(made):
    """Where the own mirror image is not shown, hardly any image is shown with its own, so that no pair is missed."""
    data = open_copsref(made)
    alone = [
        one
        for one in data.examples()
        if one.is_there and one.distractors and not any(d.kind == "Mirror" for d in one.distractors)
    ]
    with_pairs = [one for one in alone if any(mirror_id(d.image_id) in one.images()[1:] for d in one.distractors)]
    found = look_for_the_most_alike([one for one in data.examples() if one.is_there], data.scenes)

    assert len(alone) > 5
    assert len(with_pairs) <= 0.1 * len(alone)
    assert found.least < found.by_chance + 0.03


@pytest.mark.slow
def test_the_check_finds_what_is_not_served(made, tmp_path, capsys):
    """A want that an image does not serve, and one that nothing serves any more, are found by code."""
    data = open_copsref(made)
    examples = [one for one in data.examples() if one.is_there]
    bare = next(one for one in examples if not all(_is_served_at_home(want, one, data) for want in _wants(one, data)))
    wrong = next(
        one
        for one in examples
        if one.id != bare.id
        and any(len(one.wants_served_by(d)) < len(wants_of(one.expression)) for d in one.distractors)
    )
    everything = "wants: " + ", ".join(want.code for want in wants_of(wrong.expression))
    spoiled = replace(wrong, distractors=tuple(replace(d, misreading=everything) for d in wrong.distractors))
    changed = [replace(bare, distractors=()), spoiled]
    recipe = data.dataset.manifest["recipe"]

    assert main(["check", str(made), "--json"]) == 0
    capsys.readouterr()
    folder = tmp_path / "spoiled"
    write_copsref(folder, changed, data.scenes)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["recipe"] = recipe
    (folder / "manifest.json").write_text(json.dumps(manifest))
    main(["check", str(folder), "--json"])
    counts = json.loads(capsys.readouterr().out)["reports"][0]["counts"]
    assert (counts["E809"] >= 1, counts["E810"] >= 1) == (True, True)


def _wants(one, data):
    return wants_of(one.expression, Plausible.of(data.scenes))


def _is_served_at_home(want, one, data):
    scene = data.scenes.scene(data.scenes.find(one.image_id))
    return bool(find_tempted(want, scene, scene.object_number(one.object_id)))


@pytest.mark.slow
def test_bytes_do_not_depend_on_workers(graphs, made, tmp_path):
    """Two workers make the bytes that one makes."""
    out = tmp_path / "again"
    assert main(["make", "copsref", "--scenes", str(graphs), "--out", str(out), "--workers", "2", *WORDS]) == 0
    assert (out / "manifest.json").read_bytes() == (made / "manifest.json").read_bytes()


def test_options_of_the_other_mode_are_refused(tmp_path, capsys):
    """--each in every-word and --candidates without it are errors of one line."""
    for words in (("--mode", "every-word", "--each", "2"), ("--candidates", "9")):
        assert main(["make", "copsref", "--out", str(tmp_path / "x"), *words]) != 0
        assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.slow
def test_all_six_forms_are_said(made):
    """Every form is there, in the training split as in all."""
    data = open_copsref(made)
    assert {one.form for one in data.examples() if one.is_there} == set(FORMS)


@pytest.mark.slow
def test_forms_are_counted_in_the_manifest(made):
    """Of every split the manifest tells by form how much was tried and served, and by form and want likewise."""
    told = json.loads((made / "manifest.json").read_text())["made with"]["every word"]
    said = Counter(one.split for one in open_copsref(made).examples() if one.is_there)
    for split, one in told.items():
        tried, served = (sum(pair[k] for pair in one["expressions"].values()) for k in (0, 1))
        assert tried >= served >= said[split]
        assert all(asked >= got for names in one["wants"].values() for asked, got in names.values())


@pytest.mark.slow
def test_given_pictures_are_mirrored_shown_and_trained_on(tmp_path, capsys):
    """With JPEGs by id, mirror images have flipped pictures, an example can be drawn, and a model learns from them."""
    pytest.importorskip("torch")
    entries = scene_graphs(30)
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for number, image in enumerate(entries):
        ramp = np.linspace(0, 255, 500)[None, :, None] * np.ones((375, 1, 3))
        Image.fromarray(np.uint8((ramp + 7 * number) % 256)).save(pictures / f"{image}.jpg", quality=95)
    graphs = tmp_path / "graphs.json"
    graphs.write_text(json.dumps(entries))
    out = tmp_path / "refs"
    words = [*WORDS, "--pictures", str(pictures), "--workers", "1"]
    assert main(["make", "copsref", "--scenes", str(graphs), "--out", str(out), *words]) == 0

    data = open_copsref(out)
    mirrored = next(one.image_id for one in data.examples() if is_mirrored(one.image_id))
    picture, other = (decode_picture(data.photographs.find(i), i) for i in (mirrored, mirror_id(mirrored)))
    assert np.abs(picture.astype(int) - other[:, ::-1]).mean() < 4
    assert main(["show", str(out), "0", "--out", str(tmp_path / "example.png")]) == 0
    train = ["train", "grounder", "--data", str(out), "--out", str(tmp_path / "run"), "--features", "handcrafted"]
    assert main([*train, "--steps", "3", "--batch-size", "4", "--device", "cpu", "--eval-every", "3"]) == 0
    assert main(["check", str(out)]) == 0
