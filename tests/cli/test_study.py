"""`deixis study`, and what `evaluate`, `report` and `studio` do with studies: options, refusals, files."""

from __future__ import annotations

import json
import shutil

import pytest

from deixis._cli import main
from deixis._studio.library import Library
from deixis._studio.model_results import read_model_results
from deixis._study.design import read_study
from deixis._study.sessions import Sessions
from deixis._study.simulation import SimulatedParticipant
from tests.cli.test_app import complaint
from tests.studies.conftest import grid_data, made, photograph_data, room_data, study, take_part, unhurried


__all__ = ["grid_data", "made", "photograph_data", "room_data", "study", "unhurried"]


def run(*words):
    """Return the exit code of a command."""
    return main([str(word) for word in words])


def answer_all(study, count=3, error=0.0):
    """Let simulated participants answer everything."""
    running, golds, items = Sessions(study), study.golds(), {item.id: item for item in study.items}
    for seed, token in enumerate(sorted(study.tokens())[:count]):
        one = SimulatedParticipant(seed=seed, error={"": error})
        take_part(running, token, lambda name, one=one: one.answer(items[name], golds[name]))


def test_a_study_is_made_with_what_was_asked_for(grid_data, tmp_path, capsys):
    """Settings go into the record, the code into the secret, and JSON says the same."""
    words = ["--items", 3, "--practice", 1, "--attention", 1, "--split", "train", "--participants", 4]

    assert run("study", grid_data, *words, "--code", "ABC", "--admit", "anyone", "--out", tmp_path / "s", "--json") == 0

    told = json.loads(capsys.readouterr().out)
    found = read_study(tmp_path / "s")
    assert (told["study"], told["items"], told["answer"]) == (found.digest, 5, "target")
    assert (found.settings.admission, found.secret()["code"], len(found.tokens())) == ("anyone", "ABC", 4)


def test_an_option_of_a_world_makes_a_condition(photograph_data, tmp_path):
    """One dataset with two options is two conditions, each with as many items."""
    pair = [f"{photograph_data}@setting={name}" for name in ("Full", "WithoutDist")]
    words = ["--items", 2, "--practice", 0, "--attention", 0, "--style", "text", "--out", tmp_path / "s"]

    assert run("study", *pair, *words) == 0

    found = read_study(tmp_path / "s").conditions
    assert {name.partition(", ")[2]: facts["items"] for name, facts in found.items()} == {
        "setting=Full": 1,
        "setting=WithoutDist": 1,
    }


MISTAKES = {
    "no folder": (["{grid}"], "add --out"),
    "two tasks": (["{grid}", "{rooms}", "--out", "{new}"], "a study has one task"),
    "no such task": (["{grid}", "--task", "sing", "--out", "{new}"], "the task of"),
    "no such option": (["{grid}@mood=good", "--out", "{new}"], "has no option 'mood'"),
    "half an option": (["{grid}@mood", "--out", "{new}"], "options of a condition are written"),
    "written too early": (["{grid}", "--out", "{new}", "--bundle", "{new}"], "first make the study"),
    "made twice": (["{study}", "--out", "{new}"], "is a study that is made"),
    "sent from nowhere": (["{study}", "--post", "https://example.org"], "add --bundle"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_in_one_line(name, grid_data, room_data, made, tmp_path, capsys):
    """Each with what to do."""
    words, told = MISTAKES[name]
    places = {"grid": grid_data, "rooms": room_data, "study": made, "new": tmp_path / "new"}

    assert told in complaint(capsys, "study", *(word.format(**places) for word in words))


def test_nobody_has_answered_yet(study, capsys):
    """An empty study is told plainly."""
    assert "there is no answer to the study" in complaint(capsys, "evaluate", study.folder)


def test_the_studio_serves_a_study_alone(study, capsys):
    """A study is not shown together with datasets, and --name belongs to a study."""
    assert "nothing else" in complaint(capsys, "studio", study.folder, "--study", study.folder)
    assert "add --study" in complaint(capsys, "studio", study.folder, "--name", "example.org")


def test_people_stand_among_the_results_of_models(grid_data, study, unhurried, tmp_path):
    """The studio shows what evaluate wrote under the measure of the world, about the same dataset as models."""
    answer_all(study)
    assert run("evaluate", study.folder, "--out", tmp_path / "run") == 0
    assert run("evaluate", "oracle", "--data", grid_data, "--out", tmp_path / "oracle") == 0

    found, broken = read_model_results(Library((tmp_path / "run", tmp_path / "oracle", grid_data)))

    assert broken == []
    people = next(one for one in found if one.model.startswith("people"))
    assert people.model == "people (3)"
    assert list(people.scores) == ["train"]
    assert [one["right_target"].mean for one in people.scores.values()] == [1.0]
    assert {one.subject for one in found} == {people.subject}


def test_report_writes_the_page(study, unhurried, tmp_path, capsys):
    """With the same files as evaluate, and every condition and misreading on it."""
    answer_all(study, error=0.9)
    assert run("report", study.folder, "--out", tmp_path / "run") == 0

    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "What people answered" in page
    assert "Misreadings that lead to the wrong answers" in page
    assert "grid" in page
    assert "3 participants" in capsys.readouterr().out


def test_rows_of_another_study_are_refused(study, made, unhurried, tmp_path, capsys):
    """More than one in a hundred lost rows need --allow-losses."""
    answer_all(study, 2)
    rows = tmp_path / "rows.jsonl"
    lines = "".join(path.read_text() for path in (study.folder / "answers").iterdir())
    rows.write_text(lines + lines.splitlines()[0].replace(study.digest, "0" * 16) + "\n")
    shutil.rmtree(tmp_path / "other", ignore_errors=True)

    assert "--allow-losses" in complaint(capsys, "evaluate", rows, "--data", study.folder)
    assert run("evaluate", rows, "--data", study.folder, "--allow-losses") == 0
    assert "it is of another study" in capsys.readouterr().out
