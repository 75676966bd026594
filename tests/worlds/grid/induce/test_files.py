"""Tasks on disk: ARC's layout, read back as they were, and faults named in one line."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import pytest

from deixis.errors import BrokenDataset, DeixisError, RecipeError, SchemaError
from deixis.worlds.grid.induce import Pair
from deixis.worlds.grid.induce.files import (
    list_tasks,
    puzzle_from_dict,
    read_json,
    task_from_dict,
    task_to_dict,
    write_tasks,
)
from deixis.worlds.grid.induce.solve import check_folder, faults_of, solve_folder


@pytest.fixture
def folder(tmp_path, recipe, tasks):
    """A folder with the tasks."""
    assert list(write_tasks(recipe, tasks, tmp_path / "made")) == list(tasks)
    return tmp_path / "made"


def test_a_task_is_read_back_as_it_was(tasks):
    """Through JSON and back."""
    for task in tasks:
        assert task_from_dict(json.loads(json.dumps(task_to_dict(task)))) == task


def test_the_layout_is_that_of_the_corpus(tasks):
    """Pairs under train, one under test, each with an input and an output."""
    values = task_to_dict(tasks[0])

    assert len(values["train"]) == len(tasks[0].train)
    assert len(values["test"]) == 1
    assert all(pair.keys() == {"input", "output"} for pair in (*values["train"], *values["test"]))


def test_the_rule_is_written_in_words_and_parts(tasks):
    """In English, as published, and part by part."""
    rule = task_to_dict(tasks[5])["deixis"]

    assert rule["english"] == tasks[5].rule.english()
    assert rule["length"] == len(rule["expression"]["parts"]) == tasks[5].rule.length
    assert all(part["words"] in rule["expression"]["text"] for part in rule["expression"]["parts"])


def test_whoever_solves_sees_matrices_only(tasks):
    """Without what stands under 'deixis' the puzzle is the same."""
    values = task_to_dict(tasks[3])

    assert puzzle_from_dict({"train": values["train"], "test": values["test"]}) == puzzle_from_dict(values)
    assert puzzle_from_dict(values).train == tasks[3].train


def test_a_folder_is_sound_and_solved(folder, tasks):
    """No faults, every answer right, every file in the index."""
    assert [finding.faults for finding in check_folder(folder)] == [()] * len(tasks)
    assert all(attempt.is_right for attempt in solve_folder(folder))
    assert len(list_tasks(folder)) == len(list((folder / "tasks").iterdir())) == len(tasks)


def test_the_same_tasks_are_the_same_bytes(folder, tmp_path, recipe, tasks):
    """Files hold nothing but what the recipe says."""
    list(write_tasks(recipe, tasks, tmp_path / "again"))

    for path in (path for path in folder.rglob("*") if path.is_file()):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(folder)).read_bytes()


def test_tasks_are_never_written_over(folder, recipe, tasks):
    """A folder with tasks is refused before anything is written."""
    with pytest.raises(RecipeError, match="has tasks already"):
        list(write_tasks(recipe, tasks, folder))


def test_a_wrong_output_is_found(tasks):
    """A rule that does not make the output, and a test that no rule explains, are faults."""
    faults = faults_of(replace(tasks[1], test=Pair(tasks[1].test.input, tasks[1].test.input)))

    assert faults[0] == "the rule does not turn the input of the test into its output"
    assert len(faults) == 2


def test_too_few_pairs_are_found(tasks):
    """With one pair only other rules explain it too."""
    task = max(tasks, key=lambda t: t.rule.length)

    faults = faults_of(replace(task, train=task.train[:1]))

    assert faults
    assert all("explain its pairs" in fault for fault in faults)


DAMAGES = {
    "no table": lambda _: [],
    "no train": lambda v: v.pop("train") and v,
    "empty train": lambda v: {**v, "train": []},
    "two tests": lambda v: {**v, "test": v["test"] * 2},
    "pair is no table": lambda v: {**v, "train": [3]},
    "no output": lambda v: {**v, "test": [{"input": v["test"][0]["input"]}]},
    "no deixis": lambda v: v.pop("deixis") and v,
    "format": lambda v: {**v, "deixis": {**v["deixis"], "format": 9}},
    "operation": lambda v: {**v, "deixis": {**v["deixis"], "operation": "ERASE"}},
    "arguments": lambda v: {**v, "deixis": {**v["deixis"], "arguments": {"__class__": "x"}}},
    "argument value": lambda v: {**v, "deixis": {**v["deixis"], "arguments": {"color": 3}}},
    "text": lambda v: {**v, "deixis": {**v["deixis"], "expression": {"text": "the purple cow"}}},
    "english": lambda v: {**v, "deixis": {**v["deixis"], "english": "Do nothing."}},
    "seed": lambda v: {**v, "deixis": {**v["deixis"], "seed": "many"}},
    "scenes": lambda v: {
        **v,
        "deixis": {**v["deixis"], "scenes": {"train": [], "test": v["deixis"]["scenes"]["test"]}},
    },
    "matrix": lambda v: {**v, "train": v["train"][::-1]},
    "object": lambda v: {
        **v,
        "deixis": {**v["deixis"], "scenes": {"train": [], "test": {"input": {"objects": [{}]}, "output": {}}}},
    },
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named_in_one_line(name, folder, tasks):
    """Untrusted files give findings, never a traceback."""
    values = DAMAGES[name](deepcopy(task_to_dict(tasks[0])))

    with pytest.raises(DeixisError) as caught:
        task_from_dict(values)
    assert "\n" not in str(caught.value)

    path = list_tasks(folder)[0].path
    path.write_text(json.dumps(values), encoding="utf-8")
    assert next(check_folder(folder)).faults


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\0", '{"train": NaN}', "🙂"])
def test_what_is_no_task_is_a_finding(text, folder):
    """The other tasks are still checked."""
    list_tasks(folder)[0].path.write_text(text, encoding="utf-8")

    faults = [finding.faults for finding in check_folder(folder)]
    assert faults[0]
    assert not any(faults[1:])
    with pytest.raises(BrokenDataset, match="task-00000"):
        list(solve_folder(folder))


def test_a_changed_file_is_noticed(folder):
    """Even where it still holds a sound task."""
    path = list_tasks(folder)[2].path
    path.write_text(path.read_text(encoding="utf-8") + " ", encoding="utf-8")

    assert list(check_folder(folder))[2].faults == ("the file is not the one indexed",)


@pytest.mark.parametrize(
    "index",
    [
        "",
        "[]",
        '{"tasks": 3}',
        '{"tasks": [{"path": 3}]}',
        '{"tasks": [{"path": "../x.json", "sha256": ""}]}',
        '{"tasks": [{"path": "/etc/passwd", "sha256": ""}]}',
        '{"tasks": [{"path": "a\\u0000", "sha256": ""}]}',
    ],
)
def test_a_broken_index_is_refused(index, folder):
    """Also one that names files outside the folder."""
    (folder / "index.json").write_text(index, encoding="utf-8")

    with pytest.raises(BrokenDataset):
        list_tasks(folder)


def test_a_folder_without_an_index_is_refused(tmp_path):
    """The message says what is missing."""
    with pytest.raises(BrokenDataset, match=r"has no index\.json"):
        list_tasks(tmp_path)


def test_files_of_absurd_size_are_not_read(tmp_path):
    """A task has some ten thousand bytes, not millions."""
    path = tmp_path / "large.json"
    path.write_text(" " * 3_000_000, encoding="utf-8")

    with pytest.raises(BrokenDataset, match="too large"):
        read_json(path)


def test_a_matrix_that_shows_another_scene_is_refused(tasks):
    """Matrices and scenes must agree."""
    values, other = task_to_dict(tasks[0]), task_to_dict(tasks[1])
    values["test"] = other["test"]

    with pytest.raises(SchemaError, match="do not show the scenes"):
        task_from_dict(values)
