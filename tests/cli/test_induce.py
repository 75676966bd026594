from __future__ import annotations

import json

import pytest

from deixis._cli import main


def printed(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    assert main([str(word) for word in words]) == code
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    """Six tasks, with the sheets of two."""
    out = tmp_path_factory.mktemp("induce") / "tasks"
    options = ("--tasks", "6", "--operations", "draw,move", "--patterns", "p1,p2", "--pictures", "2", "--seed", "9")
    assert main(["induce", "--out", str(out), *options]) == 0
    return out


def test_tasks_pictures_and_an_index_are_written(folder):
    """One file for each task, four pictures for each sheet asked for."""
    assert len(list((folder / "tasks").glob("task-*.json"))) == 6
    assert sorted(path.name for path in (folder / "pictures").glob("task-00001*")) == [
        "task-00001-solved.png",
        "task-00001-solved.svg",
        "task-00001.png",
        "task-00001.svg",
    ]
    assert json.loads((folder / "index.json").read_text(encoding="utf-8"))["recipe"]["patterns"] == ["p1", "p2"]


def test_the_solver_reports_its_accuracy(folder, capsys):
    """In words and as JSON, with the rule found for each task."""
    assert "6 of 6 tasks solved" in printed(capsys, "induce", "--solve", folder)

    report = json.loads(printed(capsys, "induce", "--solve", folder, "--json"))
    assert (report["tasks"], report["right"]) == (6, 6)
    assert all(answer["rule"].startswith("Find the ") for answer in report["answers"])


def test_sound_tasks_pass_the_check(folder, capsys):
    """The exit code is 0."""
    assert "6 tasks checked: all sound." in printed(capsys, "induce", "--check", folder)
    assert json.loads(printed(capsys, "induce", "--check", folder, "--json"))["findings"] == []


def test_a_faulty_task_fails_the_check(tmp_path, capsys):
    """The exit code is 1 and the task is named."""
    printed(capsys, "induce", "--out", tmp_path / "t", "--tasks", 2, "--patterns", "p1", "--json")
    path = tmp_path / "t" / "tasks" / "task-00001.json"
    path.write_text("{}", encoding="utf-8")

    assert "task-00001.json: " in printed(capsys, "induce", "--check", tmp_path / "t", code=1)
    assert main(["induce", "--solve", str(tmp_path / "t")]) == 2
    assert "task-00001.json" in capsys.readouterr().err


def test_a_wrong_answer_fails_the_solver(tmp_path, capsys):
    """A test whose output is not what the rule makes of it counts as unsolved."""
    printed(capsys, "induce", "--out", tmp_path / "t", "--tasks", 1, "--operations", "enlarge", "--patterns", "p1")
    path = tmp_path / "t" / "tasks" / "task-00000.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["test"][0]["output"] = values["test"][0]["input"]
    path.write_text(json.dumps(values), encoding="utf-8")

    assert "0 of 1 tasks solved" in printed(capsys, "induce", "--solve", tmp_path / "t", code=1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give one folder"),
        (["--out", "x", "--solve", "y"], "give one folder"),
        (["--solve", "nowhere"], "has no index.json"),
        (["--out", "x", "--operations", "erase"], "unknown operation 'erase'"),
        (["--out", "x", "--patterns", "p9"], "impossible pattern 'p9'"),
        (["--out", "x", "--grid-size", "9"], "grid_size must be 4 to 6, got 9"),
    ],
)
def test_mistakes_are_answered_in_one_line(words, message, capsys, tmp_path, monkeypatch):
    """Nothing is written before the options are known to be possible."""
    monkeypatch.chdir(tmp_path)

    assert main(["induce", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())
