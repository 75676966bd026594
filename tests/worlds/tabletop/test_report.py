"""Reports of tables: evaluations side by side."""

from __future__ import annotations

import json

from deixis._cli import main


def test_evaluations_stand_side_by_side(tables, tmp_path, capsys):
    """The oracle is right everywhere, and the share of each split is that of its evaluation."""
    for name in ("oracle", "random"):
        assert main(["evaluate", name, "--data", str(tables), "--out", str(tmp_path / name)]) == 0
    capsys.readouterr()

    assert main(["report", str(tmp_path / "oracle"), str(tmp_path / "random"), "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "oracle" in shown
    found = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["runs"]
    judged = json.loads((tmp_path / "random" / "evaluation.json").read_text(encoding="utf-8"))
    assert all(score["mean"] == 1.0 for score in found[0]["splits"].values())
    assert found[1]["splits"]["test"]["mean"] == judged["splits"]["test"]["accuracy"]["mean"]
    assert "| oracle | data | 100.0 ±" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_what_is_no_evaluation_is_refused_in_one_line(tmp_path, capsys):
    """A folder whose file says that it is of this world, and holds no scores."""
    (tmp_path / "evaluation.json").write_text('{"world": "tabletop", "splits": 3}', encoding="utf-8")

    assert main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_runs_are_named_by_what_sets_them_apart(tables, tmp_path, capsys):
    """Runs of other sizes have rows of other names; those that differ in their seeds only are named by these."""
    assert main(["evaluate", "random", "--data", str(tables), "--split", "test", "--out", str(tmp_path / "0")]) == 0
    judged = json.loads((tmp_path / "0" / "evaluation.json").read_text(encoding="utf-8"))
    settings = [(0, {"width": 64}), (1, {"width": 64}), (0, {"width": 16}), (None, {}), (None, {})]
    for number, (seed, sizes) in enumerate(settings):
        folder = tmp_path / str(number)
        folder.mkdir(exist_ok=True)
        model = "random" if seed is None else "tabletop-program"
        (folder / "evaluation.json").write_text(json.dumps({**judged, "model": model}), encoding="utf-8")
        facts = {"format": 1, "kind": "run", "settings": {"lr": 0.1, "seed": seed, **sizes}, "seed": seed}
        if seed is not None:
            (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    capsys.readouterr()

    folders = [str(tmp_path / str(number)) for number in range(len(settings))]
    assert main(["report", *folders, "--out", str(tmp_path / "out")]) == 0
    found = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))["runs"]
    assert [run["model"] for run in found] == [
        "tabletop-program, seed 0",
        "tabletop-program, seed 1",
        "tabletop-program, width 16",
        "random, 3",
        "random, 4",
    ]
