"""`deixis evaluate` for plans."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis._cli import main
from deixis._cli.compose import command_of
from deixis._cli.evaluate import evaluate as evaluate_answers
from deixis.errors import BrokenDataset, RecipeError, UnknownName
from deixis.judge.request import Request
from deixis.worlds.grid.actions import plan_to_letters
from deixis.worlds.grid.data.example_arrays import example_arrays_by_split
from deixis.worlds.grid.data.plans import write_plans
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.judging._evaluate import ExampleArraysBySplit, plans_for
from deixis.worlds.grid.judging.navigation import PlanEvaluation


evaluate = command_of(evaluate_answers)  # with the options of worlds


@pytest.fixture(scope="module")
def folder(tiny, tmp_path_factory):
    """The recorded plans of two splits as predictions of a model, one of them with a mistake in every second plan."""
    out = tmp_path_factory.mktemp("predictions")
    source = open_source(tiny)
    for split, asked in example_arrays_by_split(source, ("test", "a2")).items():
        actions = asked.plans.values.copy()
        if split == "a2":
            actions[asked.plans.start[:-1][::2]] = 5  # stay, in place of the first action
        facts = {"split": split, "data": source.dataset.manifest["content"], "model": "a model", "decode_limit": 120}
        write_plans(out / f"{split}.parquet", asked.ids, (actions, asked.plans.start), facts)
    return out


@pytest.fixture
def answers(tiny, tmp_path):
    """Answers in JSON Lines to dev: right, none at all, and two that are no plans."""
    examples = list(examples_of(pa.concat_tables(open_source(tiny).tables("dev"))))
    said = [{"id": one.id, "plan": plan_to_letters(one.plan)} for one in examples[:-1]]
    said[0]["plan"] = "jump"
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join([*map(json.dumps, said), "{broken", '{"id": 5, "plan": "W"}']), encoding="utf-8")
    return path


def printed(capsys, *words, **options):
    """What is printed as JSON."""
    assert evaluate(*words, as_json=True, **options) == 0
    return json.loads(capsys.readouterr().out)


def test_the_oracle_is_always_right(tiny, capsys):
    """The word `oracle` judges every split but train, and finds nothing wrong."""
    found = printed(capsys, Path("oracle"), data=tiny)

    assert "train" not in found["splits"]
    assert "test" in found["splits"]
    assert {result["exact"] for result in found["splits"].values()} == {1.0}
    assert found["model"] == "oracle"


def test_random_plans_follow_the_seed(tiny, capsys):
    """The word `random` gives the same plans for the same seed, however many workers are allowed."""
    one, same, other = (
        printed(capsys, Path("random"), data=tiny, split="train", **options)
        for options in ({"seed": 1}, {"seed": 1, "workers": 2}, {"seed": 2})
    )

    assert one == same
    assert one["splits"]["train"]["tokens_right"] != other["splits"]["train"]["tokens_right"]


def test_a_folder_of_predictions_is_judged(tiny, folder, capsys):
    """Every split with a file is judged, and what the files say about the model is kept."""
    found = printed(capsys, folder, data=tiny)

    assert list(found["splits"]) == ["test", "a2"]
    assert found["splits"]["test"]["exact"] == 1.0
    assert 0.4 <= found["splits"]["a2"]["exact"] < 0.6
    assert (found["model"], found["decode_limit"], found["faults"]) == ("a model", 120, {})


def test_a_single_file_is_judged_on_its_split(tiny, folder, capsys):
    """A file says which split it is for; another can be asked for, which it then knows nothing of."""
    assert list(printed(capsys, folder / "a2.parquet", data=tiny)["splits"]) == ["a2"]
    with pytest.raises(BrokenDataset, match="none of the plans"):
        evaluate(folder / "a2.parquet", data=tiny, split="dev")


def test_answers_in_lines_are_judged(tiny, answers, capsys):
    """Only splits with answers are judged; what is missing, broken or foreign is counted."""
    found = printed(capsys, answers, data=tiny, allow_losses=True)

    dev = found["splits"]["dev"]
    assert list(found["splits"]) == ["dev"]
    assert dev["choices"]["unanswered"] == dev["choices"]["no plan"] == 1
    assert dev["exact"] == pytest.approx((dev["examples"] - 2) / dev["examples"])
    assert found["faults"] == {"a line is no JSON object": 1, "a plan holds something that is no action": 1}
    assert found["strange_answers"] == {"to an example that is not asked": 1}
    assert found["losses"]["left out"] == {
        "its id is that of no example": 1,
        f"a line is no JSON object (first: line {dev['examples']})": 1,
    }


def test_answers_to_nothing_have_to_be_allowed(tiny, answers, capsys):
    """Where more than one in a hundred plans has no id, or one of no example, nothing is judged unless asked for."""
    with pytest.raises(BrokenDataset, match=r"plans would be left out .* more than one in a hundred; .*--allow-losses"):
        evaluate(answers, data=tiny)
    assert main(["evaluate", str(answers), "--data", str(tiny)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["evaluate", str(answers), "--data", str(tiny), "--allow-losses"]) == 0


def test_answers_to_other_splits_are_no_losses(tiny, tmp_path, capsys):
    """A file that answers several splits can be judged on one of them; the others are only counted."""
    asked = example_arrays_by_split(open_source(tiny), ("train", "dev"))
    said = [{"id": number, "plan": "W"} for one in asked.values() for number in one.ids.tolist()]
    path = tmp_path / "several.jsonl"
    path.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")

    found = printed(capsys, path, data=tiny, split="dev")

    assert "losses" not in found
    assert found["strange_answers"] == {"to an example that is not asked": len(asked["train"])}


def test_text_tells_what_matters(tiny, folder, answers, capsys):
    """Tables of scores, errors and parts; and what could not be read, with its place."""
    assert evaluate(folder, data=tiny, by="verb,length") == 0
    shown = capsys.readouterr().out
    for words in ("a model on tiny", "at most 120 actions", "first 30", "got there", "a2: p", "95 %"):
        assert words in shown

    assert evaluate(answers, data=tiny, allow_losses=True) == 0
    shown = capsys.readouterr().out
    for words in ("unanswered", "no plan", "plans left out: its id is that of no example", "'jump' in place 1"):
        assert words in shown


def test_wrong_objects_are_put_down_to_misreadings(tiny, capsys):
    """Plans that go anywhere are filed by what was missed and by why the object is there."""
    assert main(["evaluate", "random", "--data", str(tiny), "--split", "train"]) == 0

    shown = capsys.readouterr().out
    for words in ("wrong object, missing", "wrong object, there as", "distractor", "nothing in particular"):
        assert words in shown


def test_who_only_points_has_no_exact_match(tiny, tmp_path, capsys):
    """The table has the target alone, although the files of such answers hold plans."""
    source = open_source(tiny)
    (asked,) = example_arrays_by_split(source, ("test",)).values()
    facts = {"split": "test", "data": source.dataset.manifest["content"], "model": "person: Ada", "task": "point"}
    write_plans(tmp_path / "test.parquet", asked.ids, (asked.plans.values, asked.plans.start), facts)

    assert evaluate(tmp_path / "test.parquet", data=tiny) == 0

    out = capsys.readouterr().out
    assert "right target with 95 % interval" in out
    assert "exact" not in out


def test_files_hold_what_is_printed(tiny, folder, tmp_path, capsys):
    """evaluation.json is the record, and every example of the splits has a verdict."""
    found = printed(capsys, folder, data=tiny, out=tmp_path / "out")

    written = json.loads((tmp_path / "out" / "evaluation.json").read_text(encoding="utf-8"))
    verdicts = pq.read_table(tmp_path / "out" / "verdicts.parquet")
    assert written == found
    told = written.pop("wrong_answers")
    assert {**written, **PlanEvaluation.from_dict(written).to_dict()} == written
    assert [len(some) for some in told.values()] == [
        min(20, written["splits"][split]["choices"]["wrong object"]) for split in told
    ]
    assert all(one["misreadings"] and one["missed"] for some in told.values() for one in some)
    assert verdicts.num_rows == sum(result["examples"] for result in found["splits"].values())
    assert verdicts.column_names == [
        *("id", "split", "outcome", "chosen", "role", "misreading", "text"),
        *("exact", "got_there", "right_target"),
    ]


def test_released_files_can_be_judged(released, capsys):
    """A file in the released layout is data like any other."""
    found = printed(capsys, Path("oracle"), data=released)

    assert {result["exact"] for result in found["splits"].values()} == {1.0}


def test_examples_are_read_when_they_are_asked_for(tiny):
    """Telling the sources apart does not read splits that nobody wants."""
    examples = ExampleArraysBySplit(open_source(tiny))

    plans = plans_for(Path("oracle"), examples, Request(answers=(Path("oracle"),), splits=("test",)))

    assert list(plans) == list(examples) == ["test"]
    assert np.array_equal(plans["test"].codes.values, examples["test"].plans.values)


def test_mistakes_are_told_in_a_line(tiny, folder, tmp_path, capsys):
    """Unknown words, splits, groupings and options of another kind of data: each is one clear complaint."""
    with pytest.raises(BrokenDataset, match="none of the words random, oracle"):
        evaluate(tmp_path / "nowhere", data=tiny)
    with pytest.raises(UnknownName, match="no split 'night'"):
        evaluate(folder / "a2.parquet", data=tiny, split="night")
    with pytest.raises(UnknownName, match="cannot be shown by 'mood'"):
        evaluate(folder, data=tiny, by="mood")
    with pytest.raises(RecipeError, match="--setting is an option of photos"):
        evaluate(folder, data=tiny, setting="Cat")
    with pytest.raises(BrokenDataset, match="plans for none of the splits"):
        evaluate(tmp_path, data=tiny)
    assert main(["evaluate", str(folder), "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
