from __future__ import annotations

import json

import pytest

from deixis.cli import main


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
    assert (out / "report.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_warming_up_uses_the_kernels(capsys):
    """Some examples are made and checked, which leaves compiled kernels behind."""
    assert main(["warm", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["examples"] == 20
