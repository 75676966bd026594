"""Prediction files of gSCAN's authors are datasets and answers to themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis._cli import main
from deixis.errors import BrokenDataset
from deixis.judge.request import Request
from deixis.worlds.grid.data.plans import read_plans
from deixis.worlds.grid.formats._predictions import is_predictions
from deixis.worlds.grid.formats._recognise import sniff
from deixis.worlds.grid.formats.gscan import read_gscan_examples
from deixis.worlds.grid.judging._evaluate import evaluate, recognises
from tests.datasets.formats.released import thing


REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "others" / "gscan" / "example_prediction.json"
PLAN = ["turn right", "walk", "walk"]


def situation():
    """An agent that faces east, and two circles to the south of it."""
    things = [thing("red circle 1 at 2 0"), thing("red circle 3 at 5 5")]
    return {
        "grid_size": 6,
        "agent_position": {"row": "0", "column": "0"},
        "agent_direction": 0,
        "target_object": things[0],
        "distance_to_target": "2",
        "direction_to_target": "s",
        "placed_objects": {str(number): one for number, one in enumerate(things)},
        "carrying_object": None,
    }


def entry(said=PLAN, **changes):
    """One prediction."""
    words = ["walk", "to", "a", "small", "red", "circle"]
    return {
        "input": words,
        "prediction": said,
        "derivation": [""],
        "target": PLAN,
        "situation": [situation()],
        **changes,
    }


@pytest.fixture
def written(tmp_path):
    """Writes predictions to a file."""

    def write(*entries, name="predict.json"):
        path = tmp_path / name
        path.write_text(json.dumps(list(entries)), encoding="utf-8")
        return path

    return write


def test_predictions_are_a_dataset(written):
    """With the right plans, whatever the model said."""
    path = written(entry(["walk"]), entry(input=["walk", "to", "a", "big", "circle"]))

    assert sniff(path) == "gscan"
    examples = list(read_gscan_examples(path))
    assert [example.text for example in examples] == ["walk to a small red circle", "walk to a big circle"]
    assert [example.split for example in examples] == ["test", "test"]
    assert len(examples[0].plan) == len(PLAN)


def test_predictions_are_judged_against_themselves(written):
    """One is right, one is not, and marks of the end do not count."""
    path = written(entry([*PLAN, "EOS"]), entry(["walk"], input=["walk", "to", "a", "red", "small", "circle"]))

    assert recognises(path)
    values = evaluate(Request(answers=(path,))).values
    assert values["splits"]["test"]["examples"] == 2
    assert values["splits"]["test"]["exact"] == 0.5


def test_predictions_are_judged_against_the_dataset_that_they_were_made_from(written, tmp_path):
    """Ids follow from command and world, so those of the file and of the dataset agree."""
    one = entry()
    example = {"command": ",".join(one["input"]), "situation": situation(), "target_commands": ",".join(PLAN)}
    data = tmp_path / "dataset.txt"
    data.write_text(json.dumps({"grid_size": 6, "examples": {"test": [example]}}), encoding="utf-8")

    values = evaluate(Request(answers=(written(one),), data=data)).values
    assert values["splits"]["test"]["exact"] == 1.0


def test_the_command_line_needs_no_dataset(written, capsys):
    """The file is enough."""
    assert main(["evaluate", str(written(entry())), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["splits"]["test"]["exact"] == 1.0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[1, 2]", "prediction 0 has no"),
        ('[{"input": []}]', "prediction 0 has no prediction, situation, target"),
        ("[", "it is cut short"),
        (json.dumps([entry(), {"input": 3}]), "prediction 1 has no"),
        (json.dumps([entry(situation=[])]), "example 0"),
        (json.dumps([entry(situation="none")]), "example 0"),
        (json.dumps([entry(input=[["walk"]])]), "example 0"),
        (json.dumps([entry()]) + "[", "more text"),
    ],
)
def test_broken_predictions_are_refused_in_one_line(tmp_path, content, problem):
    """Never by a traceback."""
    path = tmp_path / "predict.json"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(BrokenDataset, match=problem):
        read_plans(path)


@pytest.mark.parametrize("said", ["turn right,walk", 7, None, ["fly"], [None]])
def test_plans_of_any_kind_are_read(written, said):
    """What is no action is counted, the rest is judged."""
    plans = read_plans(written(entry(said), entry(input=["walk", "to", "a", "big", "circle"])))

    assert len(plans) == 2


def test_other_lists_are_no_predictions(tmp_path):
    """Lists of other things, and files that are not there."""
    (tmp_path / "list.json").write_text('[{"caption": "a cat"}]', encoding="utf-8")

    assert not is_predictions(tmp_path / "list.json")
    assert not is_predictions(tmp_path / "absent.json")
    assert not is_predictions(tmp_path)


@pytest.mark.skipif(not REAL.is_file(), reason="the predictions of gSCAN's authors do not lie beside the checkout")
def test_real_predictions_are_judged():
    """Its authors' own judgement: no exact match."""
    values = evaluate(Request(answers=(REAL,))).values

    assert values["splits"]["test"]["examples"] == 1
    assert values["splits"]["test"]["exact"] == 0.0
