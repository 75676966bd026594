from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pyarrow.parquet as pq
import pytest

from deixis._cli import main
from deixis._cli.compose import command_of
from deixis._cli.evaluate import evaluate as evaluate_answers
from deixis.errors import BrokenDataset, RecipeError, SchemaError
from deixis.worlds.photos.data.store import open_copsref, write_copsref
from tests.datasets.copsref.posed import posed


evaluate = command_of(evaluate_answers)  # with the options of worlds


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copsref") / "posed"
    write_copsref(folder, posed().examples, posed().scenes)
    return folder


@pytest.fixture
def predictions(tmp_path):
    """Answers to the test split: right, tempted, absent, a broken line, a box without space, and one to nobody."""
    test = [example for example in posed().examples if example.split == "test"]
    lines = []
    for number, example in enumerate(test):
        tempting = next(d for d in example.distractors if d.kind == "Cat")
        if number % 4 == 0 and example.is_there:
            line = {"id": example.id, "image": example.image_id, "object": example.object_id}
        elif number % 4 == 1 and tempting.object_id:
            line = {"id": example.id, "image": tempting.image_id, "object": tempting.object_id}
        elif number % 4 == 2:
            line = {"id": example.id, "not there": True}
        else:
            line = {"id": example.id, "image": example.image_id, "box": [0, 0, 10, 10]}
        lines.append(json.dumps(line))
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join([*lines, "{broken", '{"id": 999999, "not there": true}']), encoding="utf-8")
    return path


def test_results_are_printed(data, predictions, capsys):
    """Text says what was right, by form and length, what was missed, and what could not be understood."""
    assert evaluate(predictions, data=data, allow_losses=True) == 0

    out = capsys.readouterr().out
    for words in ("Full", "chance %", "said not there", "unparsable", "chain", "middle", "ignores", "not guessed"):
        assert words in out
    assert "a line is no JSON object" in out
    assert "answers left out: its id is that of no example" in out
    assert "not asked" not in out


def test_json_and_files_hold_the_same(data, predictions, tmp_path, capsys):
    """What is printed as JSON is what is written; every judged example has a line of its own."""
    assert evaluate(predictions, data=data, out=tmp_path / "out", as_json=True, allow_losses=True) == 0

    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "out" / "evaluation.json").read_text(encoding="utf-8"))
    lines = pq.read_table(tmp_path / "out" / "verdicts.parquet").to_pylist()
    assert printed["splits"] == ["test"]
    assert len(lines) == sum(printed["examples"].values())
    right = sum(line["outcome"] == "right" for line in lines)
    assert printed["settings"]["Full"]["outcomes"]["right"] == right > 0


def test_a_space_for_all_boxes_can_be_declared(data, predictions, capsys):
    """With the space of boxes declared nothing is left that cannot be understood."""
    evaluate(predictions, data=data, boxes="xyxy", as_json=True, allow_losses=True)

    settled = json.loads(capsys.readouterr().out)["settings"]["Full"]
    assert "unparsable" not in settled["outcomes"]
    assert "boxes that overlap the target" in settled


def test_answers_can_hold_in_every_setting(data, predictions, capsys):
    """With `--setting all` each answer is judged in all six settings; fewer images leave fewer ways to go wrong."""
    evaluate(predictions, data=data, setting="all", as_json=True, allow_losses=True)

    settings = json.loads(capsys.readouterr().out)["settings"]
    assert list(settings) == ["Full", "DiffCat", "Cat", "Cat&attr", "Cat&cat", "WithoutDist"]
    assert settings["WithoutDist"]["chance"] > settings["Cat"]["chance"] > settings["Full"]["chance"]


def test_the_seed_decides_the_intervals(data, predictions, capsys):
    """The same seed prints the same, to the letter, however many workers are allowed."""

    def printed(**options):
        evaluate(predictions, data=data, as_json=True, allow_losses=True, **options)
        return capsys.readouterr().out

    assert printed(seed=1) == printed(seed=1, workers=2) != printed(seed=2)


def test_mistakes_are_told_in_a_line(data, predictions, tmp_path):
    """An unknown setting, an unknown space, a folder of another kind: each is one clear complaint."""
    with pytest.raises(SchemaError, match="unknown setting 'some'"):
        evaluate(predictions, data=data, setting="some")
    with pytest.raises(SchemaError, match="unknown coordinate space"):
        evaluate(predictions, data=data, boxes="cxcywh")
    with pytest.raises(BrokenDataset, match="holds neither a deixis dataset"):
        evaluate(predictions, data=tmp_path)
    with pytest.raises(BrokenDataset, match="no split"):
        evaluate(predictions, data=data, split="night")
    with pytest.raises(RecipeError, match="--by is an option of grid"):
        evaluate(predictions, data=data, by="verb")


def test_words_are_judged_without_a_file(data, capsys):
    """The oracle is always right, and knows what is not there; random is as good as chance."""
    evaluate(Path("oracle"), data=data, as_json=True)
    oracle = json.loads(capsys.readouterr().out)
    evaluate(Path("random"), data=data, as_json=True)
    random = json.loads(capsys.readouterr().out)

    assert {found["accuracy"]["mean"] for found in oracle["settings"].values()} == {1.0}
    assert {found["accuracy"]["mean"] for found in oracle["not there"].values()} == {1.0}
    assert list(random["settings"]) == list(oracle["settings"])
    assert "said not there" not in random["settings"]["Full"]["outcomes"]
    alone = random["settings"]["WithoutDist"]
    assert alone["accuracy"]["low"] <= alone["chance"] <= alone["accuracy"]["high"]


def test_words_of_other_worlds_say_what_exists(data, capsys):
    """A model for grid worlds cannot look at photographs, and a file that is not there is said not to be."""
    for word, complaint in (
        ("gcn-lstm", "gcn-lstm is a model of grid; "),
        ("nowhere.jsonl", "name a file of answers, a run, or one of the words random, oracle"),
    ):
        assert main(["evaluate", word, "--data", str(data)]) == 2
        said = capsys.readouterr().err
        assert complaint in said
        assert said.count("\n") == 1


def test_answers_of_ones_own_can_be_reported(data, predictions, tmp_path, capsys):
    """What evaluate wrote stands in Table 3 under the name of its folder."""
    out = tmp_path / "my-model"
    evaluate(predictions, data=data, out=out, allow_losses=True)
    evaluate(Path("oracle"), data=data, out=tmp_path / "best")
    capsys.readouterr()

    assert main(["report", str(out), str(tmp_path / "best"), "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    accuracy = json.loads((out / "evaluation.json").read_text())["settings"]["Full"]["accuracy"]["mean"]
    cells = {(one["table"], one["model"], one["part"]): one for one in told["cells"]}
    assert cells["table3", "my-model", "Full"]["mean"] == pytest.approx(100 * accuracy, abs=1e-5)
    assert main(["report", str(out), "--out", str(tmp_path / "report")]) == 0
    assert "deixis evaluate answers.jsonl --data posed --out my-model" in (tmp_path / "report/report.md").read_text()


def test_results_are_not_replaced_by_others(data, predictions, tmp_path, capsys):
    """Other splits and other data have folders of their own; other answers, or fewer settings, are refused."""
    out = tmp_path / "out"
    evaluate(predictions, data=data, setting="all", split="test", out=out, allow_losses=True)
    before = (out / "evaluation.json").read_bytes()
    other = tmp_path / "other"
    write_copsref(other, posed().examples[:40], posed().scenes)
    (tmp_path / "second.jsonl").write_bytes(predictions.read_bytes())

    evaluate(Path("oracle"), data=data, split="val", out=out)
    evaluate(Path("oracle"), data=other, split="test", out=out)
    with pytest.raises(RecipeError, match=r"holds the results of answers\.jsonl, not of second\.jsonl"):
        evaluate(tmp_path / "second.jsonl", data=data, split="test", out=out, allow_losses=True)
    with pytest.raises(RecipeError, match=r"holds results in DiffCat, Cat, .*, which would be lost"):
        evaluate(predictions, data=data, split="test", out=out, allow_losses=True)

    assert (out / "evaluation.json").read_bytes() == before
    assert json.loads((out / "on-posed-val" / "evaluation.json").read_text())["splits"] == ["val"]
    assert json.loads((out / "on-other-test" / "evaluation.json").read_text())["data"] == "other"
    evaluate(predictions, data=data, split="test", out=out, force=True, allow_losses=True)
    assert list(json.loads((out / "evaluation.json").read_text())["settings"]) == ["Full"]


def test_answers_to_nothing_have_to_be_allowed(data, predictions):
    """Where more than one in a hundred answers has no id, or one of no example, nothing is judged unless asked for."""
    with pytest.raises(
        BrokenDataset, match=r"answers would be left out .* more than one in a hundred; .*--allow-losses"
    ):
        evaluate(predictions, data=data)


def test_second_answers_have_to_be_allowed_and_those_to_other_splits_not(data, tmp_path, capsys):
    """The first answer counts; a second one is lost, while one to a split that is not judged is only counted."""
    examples = [*open_copsref(data).examples("test"), *open_copsref(data).examples("val")]
    lines = [json.dumps({"id": one.id, "not there": True}) for one in examples]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")

    others = len(open_copsref(data).numbers("val"))
    evaluate(path, data=data, split="test", setting="all")
    assert f"{others} × an answer to an example that is not asked" in capsys.readouterr().out
    path.write_text("\n".join(lines * 2), encoding="utf-8")
    with pytest.raises(BrokenDataset, match="its example was answered before"):
        evaluate(path, data=data, split="test", setting="all")
    evaluate(path, data=data, split="test", setting="all", as_json=True, allow_losses=True)
    lost = json.loads(capsys.readouterr().out)["losses"]
    assert lost["left out"] == {"its example was answered before": len(open_copsref(data).numbers("test"))}


def test_ids_of_another_kind_in_a_split_that_is_not_judged_are_no_ids(data, tmp_path):
    """A file in which ids are something else ends in an error of ours, or in none."""
    folder = tmp_path / "odd"
    copytree(data, folder)
    path = folder / "data" / "val.parquet"
    table = pq.read_table(path)
    place = table.column_names.index("id")
    pq.write_table(table.set_column(place, "id", table["distractor_image"]), path)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        entry["bytes"] = (folder / entry["path"]).stat().st_size
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    assert evaluate(Path("oracle"), data=folder, split="test") == 0


def test_the_verb_is_there(data, predictions, capsys):
    """The command line finds the verb and leaves with 0; a mistake costs one line and exit code 2."""
    assert main(["evaluate", str(predictions), "--data", str(data), "--allow-losses"]) == 0
    assert "Full" in capsys.readouterr().out
    assert main(["evaluate", str(predictions), "--data", str(data), "--setting", "some"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_boxes_of_another_space_get_a_hint(data, tmp_path, capsys):
    """Corners declared as corner and size fit nothing; the last line says that they would as what they are."""
    scenes = posed().scenes
    lines = []
    for example in [one for one in posed().there if one.split == "test"]:
        scene = scenes.scene(scenes.find(example.image_id))
        x, y, w, h = scene.boxes[scene.object_number(example.object_id)]
        lines.append(json.dumps({"id": example.id, "image": example.image_id, "box": [x, y, x + w, y + h]}))
    (tmp_path / "corners.jsonl").write_text("\n".join(lines))

    evaluate(tmp_path / "corners.jsonl", data=data, boxes="xywh", split="test")
    wrong = capsys.readouterr().out
    evaluate(tmp_path / "corners.jsonl", data=data, boxes="xyxy", split="test")
    right = capsys.readouterr().out

    assert "would fit one as xyxy" in wrong.splitlines()[-1]
    assert "--boxes xyxy" in wrong.splitlines()[-1]
    assert "would fit one" not in right
