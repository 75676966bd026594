from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis._cli import main
from tests.reports.run_folders import change, write_run


@pytest.fixture
def runs(tmp_path):
    return [
        str(write_run(tmp_path / "m-1", "m-lstm", 0.75, seed=1)),
        str(write_run(tmp_path / "m-2", "m-lstm", 0.77, seed=2)),
        str(write_run(tmp_path / "g-1", "gcn-lstm", 0.97, seed=1)),
    ]


def test_both_tables_are_printed(runs, capsys, monkeypatch):
    """Text shows ours beside the published, what the marks mean, what lacks a reason, and the protocol."""
    monkeypatch.setenv("COLUMNS", "110")

    assert main(["report", *runs]) == 0

    out = capsys.readouterr().out
    for words in (
        "Table 2:",
        "Table 3:",
        "M-LSTM, 2 seeds",
        "74.47 ± 1.71, 79.04 ± 1.24†",
        "with no reason in --notes",
    ):
        assert words in out
    assert "M-LSTM: Trained on All: 5,000 examples of reascan" in out
    assert "Wrote" not in out


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_every_result_is_printed_whatever_the_width(width, runs, capsys, monkeypatch):
    """A narrow terminal gets several tables, none of which loses a model."""
    monkeypatch.setenv("COLUMNS", width)

    main(["report", *runs])

    out = capsys.readouterr().out
    assert "94.09" in out  # of the GCN-LSTM, on test
    assert "73.72" in out  # of the M-LSTM


def test_json_and_files_hold_the_same(runs, tmp_path, capsys):
    """What is printed as JSON is what is written, and all files are there."""
    assert main(["report", *runs, "--out", str(tmp_path / "out"), "--json"]) == 0

    printed = json.loads(capsys.readouterr().out)
    written = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    names = ["report.html", "report.md", "report.json", "tables.csv", "curves-all.png", "curves-all.svg"]
    assert [path.rpartition("/")[2] for path in printed.pop("files")] == names
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(names)
    assert printed == written
    (found,) = (one for one in printed["cells"] if (one["part"], one["model"]) == ("a1", "M-LSTM"))
    assert (found["seeds"], found["published"]) == (2, 50.36)


def test_who_only_points_stands_in_no_table_of_plans(runs, capsys):
    """An object that was clicked is no plan, so that there is no exact match."""
    pointed = Path(runs[0])
    (pointed / "run.json").unlink()
    assert main(["report", str(pointed)]) == 0
    change(pointed / "evaluation.json", world="grid", model="person: Ada", predictions={"task": "point"})

    assert main(["report", str(pointed)]) == 2

    assert "results of person: Ada on grid are of no model that stands in a table" in capsys.readouterr().err


def test_reasons_come_from_a_file(runs, tmp_path, capsys):
    """A cell with a reason is no longer among those that lack one."""
    notes = tmp_path / "notes.toml"
    rows = ("simple", "2-rel", "a1", "a2", "a3", "b1", "b2", "c1", "c2")
    notes.write_text("[table3.m-lstm]\n" + "".join(f'{row} = "So it is."\n' for row in rows), encoding="utf-8")

    main(["report", *runs[:2], "--notes", str(notes)])

    assert "with no reason" not in capsys.readouterr().out


def test_mistakes_end_in_one_line(runs, tmp_path, capsys):
    """A missing folder, a broken file, a slip in the notes, a run given twice: one line each, and nothing written."""
    (tmp_path / "notes.toml").write_text("[", encoding="utf-8")
    change(tmp_path / "g-1" / "run.json", kind="else")
    for words in (
        [str(tmp_path / "nowhere")],
        [runs[0], runs[2]],
        [runs[0], "--notes", str(tmp_path / "notes.toml")],
        [runs[0], "--notes", str(tmp_path / "no.toml")],
        [runs[0], runs[0]],
    ):
        assert main(["report", *words, "--out", str(tmp_path / "out")]) == 2
        error = capsys.readouterr().err
        assert error.startswith("deixis: ")
        assert error.count("\n") == 1
        assert "fault in deixis" not in error
    assert not (tmp_path / "out").exists()
