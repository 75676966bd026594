"""Making Cops-Ref from files of one's own: nothing of them is lost without a word."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from deixis._cli.app import main
from deixis.worlds.photos._formats.scene_graphs import gqa_entry
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.imagine import imagine


IMAGES = 24


@pytest.fixture(scope="module")
def graphs():
    """What is published of some imagined scenes, laid out like GQA."""
    scenes = [imagine(number, seed=5).published for number in range(IMAGES)]
    return {scene.image_id: gqa_entry(scene) for scene in scenes}


def make(out, *scenes, more=()):
    """The words of a command that is quick: no distractor images are looked for."""
    words = ["make", "copsref", "--out", str(out), "--scenes", *map(str, scenes)]
    return [*words, "--val", "0", "--test", "0", "--closed-world", "--workers", "1", *more]


def eleventh(graphs):
    """A copy of the graphs, the eleventh of them, and its first object with a relation."""
    copy = json.loads(json.dumps(graphs))
    image = copy[list(copy)[10]]
    return copy, image, next(thing for thing in image["objects"].values() if thing["relations"])


def with_entry(change):
    """What changes the eleventh image, or its first object with a relation."""

    def text(graphs):
        copy, image, thing = eleventh(graphs)
        change(image, thing)
        return json.dumps(copy)

    return text


def _repeated(graphs):
    text = json.dumps(graphs)
    first = next(iter(graphs))
    return f'{text[:-1]}, "{first}": {json.dumps(graphs[first])}}}'


def _object_twice(graphs):
    copy, image, _ = eleventh(graphs)
    name, thing = next(iter(image["objects"].items()))
    whole = json.dumps(image["objects"])
    return json.dumps(copy).replace(whole, f'{whole[:-1]}, "{name}": {json.dumps(thing)}}}')


def _of_other_bytes(graphs):
    text = json.dumps(graphs).encode()
    return text[: len(text) // 2] + b"\xff\xfe" + text[len(text) // 2 :]


FAULTS = {
    "a box is not a number": with_entry(lambda _, thing: thing.update(x=float("nan"))),
    "a box is infinite": with_entry(lambda _, thing: thing.update(w=float("inf"))),
    "a box is text": with_entry(lambda _, thing: thing.update(x="12")),
    "a box is outside": with_entry(lambda _, thing: thing.update(x=-900)),
    "a box has a negative size": with_entry(lambda _, thing: thing.update(w=-5)),
    "the width is missing": with_entry(lambda image, _: image.update(width=float("nan"))),
    "a name is missing": with_entry(lambda _, thing: thing.pop("name")),
    "a name is a number": with_entry(lambda _, thing: thing.update(name=3)),
    "attributes are a dict": with_entry(lambda _, thing: thing.update(attributes={"red": 1})),
    "an attribute is no word": with_entry(lambda _, thing: thing.update(attributes=[None])),
    "a relation has no object": with_entry(lambda _, thing: thing["relations"][0].pop("object")),
    "a relation leads nowhere": with_entry(lambda _, thing: thing["relations"][0].update(object="999999")),
    "relations are a number": with_entry(lambda _, thing: thing.update(relations=7)),
    "objects are a list": with_entry(lambda image, _: image.update(objects=[])),
    "an image has no objects": with_entry(lambda image, _: image.update(objects={})),
    "an image is null": lambda graphs: json.dumps({**graphs, list(graphs)[10]: None}),
    "an image occurs twice": _repeated,
    "an object occurs twice": _object_twice,
    "the file is cut": lambda graphs: json.dumps(graphs)[: len(json.dumps(graphs)) // 2],
    "the file is written twice": lambda graphs: json.dumps(graphs) * 2,
    "some bytes are no text": _of_other_bytes,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_passes_in_silence(fault, graphs, tmp_path, capsys):
    """What a fault costs is an error in one line, or told on the last lines and kept in the manifest."""
    written = FAULTS[fault](graphs)
    file = tmp_path / "scenes.json"
    file.write_bytes(written if isinstance(written, bytes) else written.encode())

    code = main(make(tmp_path / "out", file))

    said = capsys.readouterr()
    if code:
        assert code == 2
        assert said.err.count("\n") == 1
        assert not (tmp_path / "out").exists()
        if fault == "some bytes are no text":  # found in the first block, before any image: there is nothing to allow
            assert "is not UTF-8 text" in said.err
            return
        assert "--allow-losses" in said.err
        assert main(make(tmp_path / "out", file, more=["--allow-losses"])) == 0
        said = capsys.readouterr()
    told = said.out[said.out.index("Made ") :]
    assert " left out: " in told or " guessed: " in told
    kept = open_copsref(tmp_path / "out").dataset.manifest
    assert any({"left out", "guessed"} & losses.keys() for losses in kept["losses"])
    assert kept["made with"]["read"]["counts"]


@pytest.mark.parametrize(
    ("things", "change"),
    [
        ("attributes", lambda thing: thing.update(attributes=[1, 2])),
        ("relations", lambda thing: thing.update(relations=[{**one, "object": "999"} for one in thing["relations"]])),
    ],
    ids=["attributes", "relations"],
)
def test_many_lost_attributes_or_relations_must_be_asked_for(things, change, graphs, tmp_path, capsys):
    """More than one in a hundred is an error whatever is lost, not only for files, images and objects."""
    copy = json.loads(json.dumps(graphs))
    for image in list(copy.values())[: IMAGES // 2]:
        for thing in image["objects"].values():
            change(thing)
    (tmp_path / "scenes.json").write_text(json.dumps(copy))

    assert main(make(tmp_path / "out", tmp_path / "scenes.json")) == 2
    assert f"{things} would be left out" in capsys.readouterr().err
    assert main(make(tmp_path / "out", tmp_path / "scenes.json", more=["--allow-losses"])) == 0
    assert f"{things} left out" in capsys.readouterr().out


def test_many_boxes_that_reach_out_of_their_images_must_be_asked_for(graphs, tmp_path, capsys):
    """Corners that stand where width and height belong would be cut off at the edges of images in silence."""
    copy = json.loads(json.dumps(graphs))
    for image in copy.values():
        for thing in image["objects"].values():
            thing["w"], thing["h"] = thing["x"] + thing["w"], thing["y"] + thing["h"]
    (tmp_path / "scenes.json").write_text(json.dumps(copy))

    assert main(make(tmp_path / "out", tmp_path / "scenes.json")) == 2
    assert "would be repaired" in capsys.readouterr().err
    assert main(make(tmp_path / "out", tmp_path / "scenes.json", more=["--allow-losses"])) == 0
    assert "objects repaired: a box reaches out of the image" in capsys.readouterr().out


def test_a_sound_file_says_nothing_of_losses(graphs, tmp_path, capsys):
    """Where nothing is wrong, nothing is told as left out."""
    (tmp_path / "scenes.json").write_text(json.dumps(graphs))

    assert main(make(tmp_path / "out", tmp_path / "scenes.json")) == 0

    assert "left out" not in capsys.readouterr().out


def test_a_fault_costs_what_is_faulty(graphs, tmp_path, capsys):
    """One NaN in the eleventh image costs its object, not the images after it."""
    (tmp_path / "sound.json").write_text(json.dumps(graphs))
    (tmp_path / "nan.json").write_text(FAULTS["a box is not a number"](graphs))
    for name in ("sound", "nan"):
        assert main(make(tmp_path / name, tmp_path / f"{name}.json")) == 0

    sound, faulty = (open_copsref(tmp_path / name).scenes for name in ("sound", "nan"))

    assert (len(faulty), faulty.object_count) == (len(sound), sound.object_count - 1)


def test_several_files_can_be_given_at_once(graphs, tmp_path, capsys):
    """`--scenes A B C` is what the help promises; it may also be repeated."""
    third = len(graphs) // 3
    for number in range(3):
        some = dict(list(graphs.items())[number * third : (number + 1) * third])
        (tmp_path / f"{number}.json").write_text(json.dumps(some))
    files = [tmp_path / f"{number}.json" for number in range(3)]

    assert main(make(tmp_path / "at-once", *files)) == 0
    words = make(tmp_path / "repeated", files[0])
    assert main([*words, "--scenes", str(files[1]), "--scenes", str(files[2])]) == 0

    at_once, repeated = (open_copsref(tmp_path / name) for name in ("at-once", "repeated"))
    assert len(at_once.scenes) == len(graphs)
    assert [e.text for e in at_once.examples()] == [e.text for e in repeated.examples()]


def test_pictures_of_given_scenes_are_kept(graphs, tmp_path, capsys):
    """With a folder of pictures every image of the dataset has its own, and those without are counted."""
    (tmp_path / "scenes.json").write_text(json.dumps(graphs))
    (tmp_path / "pictures").mkdir()
    first, second, third, *_ = graphs
    for name, graph in graphs.items():
        Image.new("RGB", (graph["width"], graph["height"]), "gray").save(tmp_path / "pictures" / f"{name}.jpg")
    Image.new("RGB", (5, 5)).save(tmp_path / "pictures" / f"{second}.jpg")
    (tmp_path / "pictures" / f"{third}.jpg").write_bytes(b"no picture")
    (tmp_path / "pictures" / f"{first}.jpg").unlink()
    more = ["--pictures", str(tmp_path / "pictures")]

    assert main(make(tmp_path / "out", tmp_path / "scenes.json", more=more)) == 2
    assert f"3 of {IMAGES} images would be left out" in capsys.readouterr().err
    assert main(make(tmp_path / "out", tmp_path / "scenes.json", more=[*more, "--allow-losses"])) == 0

    told = capsys.readouterr().out
    assert f"1 of {IMAGES} images left out: there is no picture of the image" in told
    assert f"2 of {IMAGES} images left out: the picture of the image cannot be read, or is of another size" in told
    data = open_copsref(tmp_path / "out")
    assert len(data.scenes) == IMAGES - 3
    assert all(data.photographs.has(name) for name in data.scenes.image_ids)
    assert main(["show", str(tmp_path / "out"), "0", "--out", str(tmp_path / "shown.png")]) == 0
    with Image.open(tmp_path / "shown.png") as picture:
        assert (128, 128, 128) in {color for _, color in picture.convert("RGB").getcolors(1 << 20)}


@pytest.mark.parametrize(
    "more", [["--pictures", "nowhere"], ["--images", "20"]], ids=["no such folder", "images are for imagined scenes"]
)
def test_options_that_do_not_fit_are_refused(more, graphs, tmp_path, capsys):
    """A folder that is not there, and a number of images beside given scenes, end in one line."""
    (tmp_path / "scenes.json").write_text(json.dumps(graphs))

    assert main(make(tmp_path / "out", tmp_path / "scenes.json", more=more)) == 2

    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_pictures_without_scenes_are_refused(tmp_path, capsys):
    """Imagined scenes are drawn, so that pictures have nothing to belong to."""
    assert main(["make", "copsref", "--out", str(tmp_path / "out"), "--pictures", str(tmp_path)]) == 2

    assert "--scenes" in capsys.readouterr().err


def test_scenes_of_which_nothing_can_be_said_are_an_error(graphs, tmp_path, capsys):
    """Where no expression can be made, one line says so, and no dataset is written."""
    bare = {
        name: {**graph, "objects": {"1": {"name": "cat", "x": 1, "y": 1, "w": 2, "h": 2}}}
        for name, graph in graphs.items()
    }
    (tmp_path / "scenes.json").write_text(json.dumps(bare))

    assert main(make(tmp_path / "out", tmp_path / "scenes.json")) == 2

    assert "nothing could be said of" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_mended_file_can_be_made_in_the_same_folder(graphs, tmp_path, capsys):
    """After a refusal nothing stands in the way of the same folder."""
    file = tmp_path / "scenes.json"
    file.write_text(FAULTS["the file is cut"](graphs))
    assert main(make(tmp_path / "out", file)) == 2
    file.write_text(json.dumps(graphs))

    assert main(make(tmp_path / "out", file)) == 0


def test_val_and_test_that_vanish_are_told(tmp_path, capsys):
    """Where too few images leave val and test without examples, the last lines say so, and the manifest counts."""
    out = tmp_path / "out"
    assert main(["make", "copsref", "--images", "20", "--out", str(out), "--workers", "1"]) == 0

    told = capsys.readouterr().out
    counts = open_copsref(out).dataset.manifest["made with"]["distractor images"]
    for split in ("val", "test"):
        if counts[split]["dropped"]:
            assert f"expressions of {split} are kept" in told
    assert any(one["dropped"] for one in counts.values())
    assert "so that there is no" in told


def test_splits_without_images_are_told(graphs, tmp_path, capsys):
    """A split that was asked for and into which no image falls does not vanish in silence."""
    some = dict(list(graphs.items())[:3])
    (tmp_path / "scenes.json").write_text(json.dumps(some))
    words = make(tmp_path / "out", tmp_path / "scenes.json", more=["--seed", "3"])
    words[words.index("--val") + 1] = "0.001"

    assert main(words) == 0

    told = capsys.readouterr().out
    assert "There is no val: no image falls into it" in told
    assert "There is no test" not in told
