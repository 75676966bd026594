from __future__ import annotations

import json

import pytest

from deixis._cli import main


@pytest.mark.slow
def test_the_demo_makes_checks_and_reports(tmp_path, capsys):
    """A dataset, a page that shows it, and no errors; the second time the dataset is used again."""
    out = tmp_path / "demo"

    codes = [main(["demo", "--out", str(out), "--json"])]
    first = json.loads(capsys.readouterr().out)
    codes.append(main(["demo", "--out", str(out), "--json"]))
    second = json.loads(capsys.readouterr().out)

    assert codes == [0, 0]
    assert (first["dataset"]["was complete"], second["dataset"]["was complete"]) == (False, True)
    assert not any(code.startswith("E") for code in first["checks"]["counts"])
    assert first["audits"]["every-word"]["examples that need every word"] == "100.0%"
    assert set(first["audits"]) == {"dataset", "compatible", "corrected", "every-word", "gSCAN-style"}
    assert (out / "report.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


@pytest.mark.slow
def test_the_demo_takes_what_an_earlier_one_has_left(tmp_path, capsys):
    """A finished dataset of another mode is reported as it is; one of another seed is refused."""
    out = tmp_path / "demo"
    main(["make", "reascan", "--out", str(out / "dataset"), "--patterns", "p1", "--hold-out", "none", "--json"])
    made = json.loads(capsys.readouterr().out)

    assert main(["demo", "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dataset"]["examples"] == made["examples"]
    assert "corrected mode" in (out / "report.html").read_text(encoding="utf-8")
    assert main(["demo", "--out", str(out), "--seed", "7"]) == 2
    assert "another recipe" in capsys.readouterr().err


def test_warming_up_uses_the_kernels(capsys):
    """Some examples are made and checked, which leaves compiled kernels behind."""
    assert main(["warm", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["examples"] == 22
