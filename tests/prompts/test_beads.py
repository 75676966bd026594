"""Questions, items and metrics of a world of another package, which brings none of its own."""

from __future__ import annotations

import json

import pytest

from deixis._cli.answers import answers
from deixis.audits.run import audit_dataset
from deixis.bridges.metric_functions import known_metrics
from deixis.errors import BrokenDataset, RecipeError, SchemaError
from deixis.prompts.ask import ask
from deixis.prompts.files import gold_from, gold_line, write_prompts
from deixis.prompts.recipe import PromptRecipe
from deixis.prompts.tasks import known_tasks, task_of
from deixis.worlds.registry import find_world
from tests.beads import installed_beads


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Beads, made while their package is there."""
    with installed_beads():
        recipes = find_world("beads").part("recipes")
        out = tmp_path_factory.mktemp("beads") / "beads"
        recipes.make(recipes.recipe(seed=1, examples=150), out, workers=1)
        yield out


def test_the_right_object_can_be_told_from_what_is_shown(folder):
    """Numbers are those of the list, and whoever answers right is right; the order of objects tells nothing."""
    made = ask(PromptRecipe(task="point", limit=30, shots=2), folder)

    assert task_of(folder) == "point"
    assert {item.gold.judge(f"Answer: {item.gold.right}").outcome for item in made.items} == {"right"}
    assert len({item.gold.right for item in made.items}) > 3
    for item in made.items:
        lines = item.question.messages[-1].text.splitlines()
        assert item.question.choices == tuple(line.partition(".")[0] for line in lines[:-1])
        assert lines[-1] == f"Expression: {item.gold.text}"
        assert len(item.question.messages) == 6


def test_wrong_answers_are_explained(folder):
    """Each wrong object has a misreading that leads there, or is called unexplained; what is no number is no answer."""
    for item in ask(PromptRecipe(task="point", limit=20), folder).items:
        again = gold_from(gold_line(item))
        assert again == item.gold
        wrong = [number for number in item.question.choices if number != item.gold.right]
        assert all(again.judge(number).misreadings for number in wrong)
        assert again.judge("not there").misreadings == ("said not there",)
        assert again.judge("a bead").outcome == "unparsable"
        assert again.judge(None).outcome == "unanswered"
        assert again.groups == {"split": "test", "steps": str(again.steps)}


@pytest.mark.slow
def test_fresh_questions_are_not_in_the_dataset(folder):
    """They are made by its recipe; the same seed gives the same."""
    old = {
        item.gold.text + str(item.gold.misreadings) for item in ask(PromptRecipe(task="point", limit=99), folder).items
    }
    one, two = (ask(PromptRecipe(task="point", limit=9), folder, fresh=8) for _ in range(2))

    assert one.questions == two.questions
    assert not {item.gold.text + str(item.gold.misreadings) for item in one.items} & old
    assert len(ask(PromptRecipe(task="point", limit=3), fresh=8)) == 3


def test_answers_are_judged_from_files(folder, tmp_path, capsys):
    """The verb knows the task by its name."""
    made = ask(PromptRecipe(task="point", limit=4), folder)
    write_prompts(made, tmp_path / "p.jsonl")
    said = [{"id": item.question.id, "answer": f"Answer: {item.gold.right}"} for item in made.items]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")

    assert answers(tmp_path / "a.jsonl", prompts=tmp_path / "p.jsonl", as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["overall"]["measures"]["right"]["mean"] == 1.0


@pytest.mark.parametrize(
    ("change", "error"),
    [({"style": "board"}, "can be shown as text, image"), ({"options": {"absent": 0}}, "unknown setting")],
)
def test_what_such_a_world_lacks_is_refused(folder, change, error):
    """In one line."""
    with pytest.raises(RecipeError, match=error):
        PromptRecipe(task="point", **change)
    with pytest.raises(BrokenDataset, match="no objects of a scene"):
        known_tasks()["point"].part("questions").gold_from({"missed": [[]], "target": 3}, "object")


def test_objects_become_numbers(folder):
    """For PyTorch: a row for every object and a column for every attribute, and which of them is meant."""
    pytorch = pytest.importorskip("deixis.bridges.pytorch")
    item = pytorch.IndexedExamples(folder, split="test")[0]
    batch = next(iter(pytorch.StreamedExamples(folder, split="test", batch=4)))

    assert item["objects"].shape == (8, 3)
    assert batch["objects"].shape == (4, 8, 3)
    assert 0 <= int(item["target"]) < 8


def test_objects_that_are_found_are_counted(folder):
    """A metric of the world's own name; anything that is no number is wrong."""
    metric = known_metrics()["beads_accuracy"]
    right = find_world("beads").part("examples").open(folder)[0].answer

    assert metric([str(right), "a bead"], ["0", "1"], data=folder)["accuracy"] == 0.5
    with pytest.raises(SchemaError, match="numbers of examples"):
        metric(["1"], ["one"], data=folder)
    with pytest.raises(SchemaError, match="needs the dataset"):
        metric(["1"], ["1"])


def test_beads_are_audited_by_the_plain_definitions(folder):
    """Every word of them is needed, since the recipe says so."""
    found = audit_dataset(folder).audit

    assert found.judged == found.examples > 100
    assert found.all_words_needed().share == 1.0
    assert found.all_clauses_needed().share == 1.0
