"""That nothing fits as an answer: of a world with such examples every ready-made part knows it, of others none does."""

from __future__ import annotations

import json
from collections import Counter
from copy import copy
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from deixis.errors import BrokenDataset
from deixis.judge.request import NONE, Request
from deixis.prompts.ask import ask
from deixis.prompts.recipe import PromptRecipe
from deixis.prompts.tasks import task_of
from deixis.resolution.reference import denotation
from deixis.testing import check_world
from deixis.worlds.example import fits_nothing, has_absent, scenes_of
from deixis.worlds.registry import find_world
from deixis.worlds.toolkit.judging import OUTCOMES, Answer, ObjectJudging
from deixis.worlds.toolkit.questions import ObjectGold


@pytest.fixture(scope="module")
def world():
    """The world that has expressions which fit nothing and is asked about by ready-made parts."""
    return find_world("tabletop")


@pytest.fixture(scope="module")
def data(world, tmp_path_factory):
    """Examples of which about a third fit nothing."""
    folder = tmp_path_factory.mktemp("nothing") / "data"
    recipes = world.part("recipes")
    recipes.make(replace(recipes.demo(), examples=90, absent=0.35, seed=5), folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def examples(world, data):
    """All of them, of every split."""
    return list(world.part("examples").open(data))


@pytest.fixture
def judge(world, data):
    """What judging answers to all splits gives."""

    def evaluate(answers: object, **options: object):
        splits = tuple(world.part("examples").open(data).splits)
        return ObjectJudging(world).evaluate(
            Request(answers=(Path(str(answers)),), data=data, splits=splits, **options)
        )

    return evaluate


def answer_file(path: Path, examples, say) -> Path:
    """A file with an answer to every example."""
    path.write_text("".join(json.dumps({"id": one.id, **say(one)}) + "\n" for one in examples), encoding="utf-8")
    return path


def test_examples_say_that_nothing_fits(world, data, examples, beads, tmp_path):
    """Those without a target, of which the expression denotes nothing; the dataset tells that it has some."""
    absent = [one for one in examples if fits_nothing(one)]

    assert absent == [one for one in examples if one.answer is None]
    assert 10 < len(absent) < len(examples) - 10
    assert not any(denotation(one.expression, scene) for one in absent for scene in scenes_of(one))
    assert has_absent(world.part("examples").open(data))
    assert not has_absent(_beads(tmp_path))


def _beads(folder: Path):
    scenes = import_module("deixis_beads.scenes")
    scenes.RECIPES.make(scenes.BeadsRecipe(examples=40, seed=3), folder / "beads", workers=1)
    return import_module("deixis_beads").WORLD.part("examples").open(folder / "beads")


def test_the_oracle_says_it_and_random_may(judge, examples):
    """Accuracy is told for both kinds, the chance counts the answer, and random answers are as good as it."""
    absent = sum(map(fits_nothing, examples))
    oracle, random = judge("oracle").values["overall"], judge("random", seed=1).values["overall"]

    assert oracle["outcomes"] == {"right": len(examples)}
    for kind, size in (("something fits", len(examples) - absent), ("nothing fits", absent)):
        assert oracle[f"accuracy, {kind}"]["mean"] == 1.0
        assert oracle[f"accuracy, {kind}"]["rows"] == size
    sizes = [sum(map(len, scenes_of(one))) for one in examples]
    assert random["chance"] == pytest.approx(sum(1 / (size + 1) for size in sizes) / len(sizes), abs=1e-6)
    assert random["accuracy"]["low"] <= random["chance"] <= random["accuracy"]["high"]
    assert {"said nothing fits", "missed that nothing fits", "wrong object"} <= set(random["outcomes"])
    assert set(random["outcomes"]) <= set(OUTCOMES)


@pytest.mark.parametrize("word", [*NONE, "None", []])
def test_a_file_says_it_in_any_word_for_it(judge, examples, tmp_path, word):
    """Right where nothing fits, and an outcome of its own where something does; no object is chosen."""
    absent = sum(map(fits_nothing, examples))
    found = judge(answer_file(tmp_path / "mine.jsonl", examples, lambda _: {"object": word}), out=tmp_path / "out")

    assert found.values["overall"]["outcomes"] == {"right": absent, "said nothing fits": len(examples) - absent}
    assert found.values["overall"]["accuracy, nothing fits"]["mean"] == 1.0
    assert found.values["overall"]["accuracy, something fits"]["mean"] == 0.0
    rows = pq.read_table(tmp_path / "out" / "verdicts.parquet").to_pylist()
    assert Counter(row["outcome"] for row in rows) == found.values["overall"]["outcomes"]
    assert all(row["chosen"] is None and row["accuracy"] == (row["outcome"] == "right") for row in rows)


def test_an_object_where_nothing_fits_is_explained(judge, world, examples, tmp_path):
    """The answer missed it, by the misreading that leads to the object; a number without an object is none."""
    judging = ObjectJudging(world)
    absent = [one for one in examples if fits_nothing(one)]
    random = [judging.answer("random", absent, seed=seed) for seed in range(3)]
    verdicts = [judging.judge(one, said) for some in random for one, said in zip(absent, some, strict=True)]

    assert {verdict.outcome for verdict in verdicts} == {"missed that nothing fits"}
    assert any(verdict.misreading == ("ignored",) for verdict in verdicts)
    odd = judging.judge(absent[0], Answer(str(absent[0].id), None))
    assert (odd.outcome, odd.is_there) == ("unreadable", False)
    found = judge(answer_file(tmp_path / "far.jsonl", absent, lambda _: {"object": 99})).values
    assert found["overall"]["outcomes"]["no such object"] == len(absent)


@pytest.mark.parametrize("style", ["text", "image"])
def test_it_is_asked_with_the_choice_told(data, style):
    """The instructions name the answer, right answers are judged right, and both kinds have a share of their own."""
    asked = ask(PromptRecipe(task=task_of(data), limit=8, style=style, splits=("train",), seed=2), data)
    golds = [item.gold for item in asked.items]
    absent = next(gold for gold in golds if gold.target is None)
    present = next(gold for gold in golds if gold.target is not None)

    assert "Answer: not there" in str(asked.items[0].question.messages[0])
    assert absent.right == absent.choices[-1] == present.choices[-1] == "not there"
    assert absent.groups["presence"] == "not there"
    for gold in golds:
        assert gold.judge(f"So it is clear.\nAnswer: {gold.right}").outcome == "right"
        assert ObjectGold.from_plain(json.loads(json.dumps(gold.to_plain()))) == gold
    missed, denied = absent.judge("Answer: 1"), present.judge("Answer: not there")
    assert (missed.outcome, denied.outcome, denied.misreadings) == ("wrong", "wrong", ("said not there",))
    assert missed.misreadings == absent.misreadings[0] != ()
    assert absent.judge("Answer: none").measures["right_absence"] == 1.0
    assert denied.measures["right_object"] == 0.0


def test_a_world_without_such_examples_is_asked_as_before(beads, tmp_path):
    """Neither the instructions nor the choices nor the records of right answers name it."""
    folder = _beads(tmp_path).path
    asked = ask(PromptRecipe(task=task_of(folder), limit=4), folder)

    assert "not there" not in str([item.question.messages for item in asked.items])
    for item in asked.items:
        assert "not there" not in item.gold.choices
        assert set(item.gold.to_plain()) == {"text", "target", "missed", "split", "steps"}
        assert item.gold.judge("Answer: not there").measures == {"right": 0.0}
        with pytest.raises(BrokenDataset, match="number None of"):
            ObjectGold.from_plain({**item.gold.to_plain(), "target": None})


@pytest.mark.slow
def test_a_world_whose_demo_has_such_examples_is_checked(world, monkeypatch):
    """All parts of it pass."""
    recipes = world.part("recipes")
    demo = replace(recipes.demo(), absent=0.6)
    stand_in = copy(recipes)
    object.__setattr__(stand_in, "demo", lambda: demo)
    own = type(world).part
    monkeypatch.setattr(type(world), "part", lambda it, name: stand_in if name == "recipes" else own(it, name))

    check_world(world, examples=6)
