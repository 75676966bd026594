"""Judging for worlds in which the answer is an object, with the beads that come with the toolkit."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from deixis.distractors.misreadings import RANKS
from deixis.errors import BrokenDataset, RecipeError, UnknownName
from deixis.judge.request import Request
from deixis.resolution.reference import denotation
from deixis.worlds.toolkit.judging import ObjectJudging


@pytest.fixture(scope="module")
def world(beads, tmp_path_factory):
    """The world of beads, and a dataset of it."""
    scenes = import_module("deixis_beads.scenes")
    data = tmp_path_factory.mktemp("made") / "beads"
    scenes.RECIPES.make(scenes.BeadsRecipe(examples=300, seed=3), data, workers=1, progress=None, crew=None)
    return import_module("deixis_beads").WORLD, data


@pytest.fixture
def judge(world):
    """What judging answers gives."""
    found, data = world

    def evaluate(*answers: object, **options: object):
        return ObjectJudging(found).evaluate(Request(answers=tuple(map(Path, map(str, answers))), data=data, **options))

    return evaluate


def write(path: Path, lines: list[dict]) -> Path:
    """A file of answers."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def asked(world, split="test"):
    """The examples of a split."""
    examples = world[0].part("examples").open(world[1])
    return [examples[number] for number in examples.numbers(split)]


def test_the_oracle_is_right_and_random_is_as_good_as_chance(judge):
    """With intervals that hold the chance, by split and overall."""
    oracle, random = judge("oracle").values, judge("random", seed=1).values

    assert oracle["overall"]["accuracy"]["mean"] == oracle["overall"]["accuracy"]["high"] == 1.0
    assert 0.0 < oracle["overall"]["accuracy"]["low"] < 1.0
    assert oracle["overall"]["outcomes"] == {"right": oracle["overall"]["examples"]}
    assert "train" not in oracle["splits"]
    found = random["overall"]
    assert found["accuracy"]["low"] <= found["chance"] <= found["accuracy"]["high"]
    assert sum(found["misreadings"].values()) == pytest.approx(found["outcomes"]["wrong object"], abs=0.01)
    assert set(found["misreadings"]) <= {*RANKS, "nothing in particular"}
    assert judge("random", seed=1).values == random != judge("random", seed=2).values


def test_a_wrong_object_is_explained_by_a_misreading_that_leads_there(world):
    """What is understood then picks out the object that was chosen, and is said in words."""
    found, _ = world
    judging, language = ObjectJudging(found), found.part("language")
    verdicts = {example.id: judging.judge(example, one) for example, one in _random(judging, asked(world))}
    wrong = [(example, verdicts[example.id]) for example in asked(world) if verdicts[example.id].read_as]

    assert wrong
    for example, verdict in wrong:
        for text in verdict.read_as:
            understood = language.read(text).expression
            assert verdict.chosen.object in denotation(understood, example.context.scenes[verdict.chosen.scene])


def _random(judging, examples):
    return zip(examples, judging.answer("random", examples, seed=4), strict=True)


def test_answers_of_a_file_are_judged_one_by_one(world, judge, tmp_path):
    """Right, wrong, no object of the scene, no number, and none at all; a file keeps the verdicts."""
    examples = asked(world)
    targets = [example.context.target.object for example in examples]
    objects = [*targets[:-4], (targets[-4] + 1) % 8, 99, "left"]
    lines = [{"id": example.id, "object": thing} for example, thing in zip(examples, objects, strict=False)]

    found = judge(write(tmp_path / "mine.jsonl", lines), out=tmp_path / "out")

    right = len(examples) - 4
    expected = {"right": right, "wrong object": 1, "no such object": 1, "unreadable": 1, "unanswered": 1}
    assert found.values["splits"]["test"]["outcomes"] == expected
    assert list(found.values["splits"]) == ["test"]
    assert found.files == [tmp_path / "out" / "evaluation.json", tmp_path / "out" / "verdicts.parquet"]
    rows = pq.read_table(tmp_path / "out" / "verdicts.parquet").to_pylist()
    assert [row["outcome"] for row in rows[-4:]] == ["wrong object", "no such object", "unreadable", "unanswered"]
    assert rows[-4]["misreading"]


def test_splits_are_added_and_other_answers_refused(judge, tmp_path):
    """As in every world: what was judged before stays, and results of others are replaced on request only."""
    judge("oracle", splits=("test",), out=tmp_path)
    found = judge("oracle", splits=("dev",), out=tmp_path)

    assert found.notes == ["Kept there of earlier: test"]
    assert set(json.loads((tmp_path / "evaluation.json").read_text())["splits"]) == {"dev", "test"}
    assert set(pq.read_table(tmp_path / "verdicts.parquet")["split"].to_pylist()) == {"dev", "test"}
    with pytest.raises(RecipeError, match="holds the results of oracle, not of random"):
        judge("random", out=tmp_path)
    judge("random", splits=("test",), out=tmp_path, force=True)
    assert set(json.loads((tmp_path / "evaluation.json").read_text())["splits"]) == {"test"}


def test_the_first_answer_counts_and_others_have_to_be_allowed(world, judge, tmp_path):
    """Two answers to every example are half too many."""
    examples = asked(world)
    right = [{"id": example.id, "object": example.context.target.object} for example in examples]
    path = write(tmp_path / "twice.jsonl", [*right, *({**line, "object": 99} for line in right)])

    with pytest.raises(BrokenDataset, match="its example was answered before"):
        judge(path)
    found = judge(path, allow_losses=True).values
    assert found["overall"]["outcomes"] == {"right": len(examples)}
    assert found["losses"]["left out"] == {"its example was answered before": len(examples)}


def test_mistakes_are_told_in_a_line(judge, tmp_path):
    """Answers to nothing, files that are none, splits that there are not, options of others."""
    strange = write(tmp_path / "strange.jsonl", [{"id": -7, "object": 0}])
    with pytest.raises(BrokenDataset, match="its id is that of no example"):
        judge(strange)
    with pytest.raises(BrokenDataset, match="none of the answers"):
        judge(strange, allow_losses=True)
    with pytest.raises(
        BrokenDataset, match="is not there; beads judges files of answers, and the words random, oracle"
    ):
        judge(tmp_path / "nowhere.jsonl")
    with pytest.raises(BrokenDataset, match="holds no answers"):
        judge(write(tmp_path / "empty.jsonl", []))
    with pytest.raises(UnknownName, match="no split 'night'"):
        judge("oracle", splits=("night",))
    with pytest.raises(RecipeError, match="--device: for checkpoints only"):
        judge("oracle", device="cpu")
