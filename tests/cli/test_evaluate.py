from __future__ import annotations

import json

import pytest

from deixis.cli import main
from deixis.cli.evaluate import evaluate
from deixis.datasets.copsref.store import write_copsref
from deixis.errors import BrokenDataset, SchemaError
from tests.datasets.copsref.posed import posed


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
    assert evaluate(predictions, data=data) == 0

    out = capsys.readouterr().out
    for words in ("Full", "chance %", "said not there", "unparsable", "chain", "middle", "misses", "not guessed"):
        assert words in out
    assert "a line is no JSON object" in out
    assert "1 × an answer to an example that there is not" in out


def test_json_and_files_hold_the_same(data, predictions, tmp_path, capsys):
    """What is printed as JSON is what is written; every judged example has a line of its own."""
    assert evaluate(predictions, data=data, out=tmp_path / "out", as_json=True) == 0

    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "out" / "evaluation.json").read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in (tmp_path / "out" / "verdicts.jsonl").read_text().splitlines()]
    assert printed["splits"] == ["test"]
    assert len(lines) == sum(printed["examples"].values())
    right = sum(line["outcome"] == "right" for line in lines)
    assert printed["settings"]["Full"]["outcomes"]["right"] == right > 0


def test_a_space_for_all_boxes_can_be_declared(data, predictions, capsys):
    """With the space of boxes declared nothing is left that cannot be understood."""
    evaluate(predictions, data=data, boxes="xyxy", as_json=True)

    settled = json.loads(capsys.readouterr().out)["settings"]["Full"]
    assert "unparsable" not in settled["outcomes"]
    assert "boxes that overlap the target" in settled


def test_answers_can_hold_in_every_setting(data, predictions, capsys):
    """With `--setting all` each answer is judged in all six settings; fewer images leave fewer ways to go wrong."""
    evaluate(predictions, data=data, setting="all", as_json=True)

    settings = json.loads(capsys.readouterr().out)["settings"]
    assert list(settings) == ["Full", "DiffCat", "Cat", "Cat&attr", "Cat&cat", "WithoutDist"]
    assert settings["WithoutDist"]["chance"] > settings["Cat"]["chance"] > settings["Full"]["chance"]


def test_the_seed_decides_the_intervals(data, predictions, capsys):
    """The same seed prints the same, to the letter, however many workers are allowed."""

    def printed(**options):
        evaluate(predictions, data=data, as_json=True, **options)
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
    with pytest.raises(SchemaError, match="not shown by 'verb'"):
        evaluate(predictions, data=data, by="verb")


@pytest.mark.skipif("evaluate" not in __import__("deixis.cli.app", fromlist=["app"]).app, reason="not yet a verb")
def test_the_verb_is_there(data, predictions, capsys):
    """The command line finds the verb and leaves with 0; a mistake costs one line and exit code 2."""
    assert main(["evaluate", str(predictions), "--data", str(data)]) == 0
    assert "Full" in capsys.readouterr().out
    assert main(["evaluate", str(predictions), "--data", str(data), "--setting", "some"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
