"""`deixis train` and `deixis evaluate` for models about photographs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from deixis._cli.app import main
from deixis.judge._evaluation import evaluate_request
from deixis.judge.request import Request
from deixis.worlds.photos.training._models import MODELS as OFFERED
from deixis.worlds.photos.training.settings import MODELS
from deixis.worlds.photos.world import WORLD
from tests.stopping import demand_resumed


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.report.output import Output
    from deixis.worlds.photos.data.store import CopsRef

SETTINGS = """\
steps = 4
batch_size = 4
eval_every = 2
features = "oracle"
[sizes]
width = 8
"""


def test_a_model_is_trained_and_judged(
    photographs: CopsRef, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trained by one command and judged by another, a model leaves answers that a third command judges the same."""
    (tmp_path / "few.toml").write_text(SETTINGS, encoding="utf-8")
    run, data = str(tmp_path / "run"), str(photographs.path)
    assert main(["train", "mattnet", "--data", data, "--out", run, "--settings", str(tmp_path / "few.toml")]) == 0
    assert "Best on val" in capsys.readouterr().out
    assert main(["evaluate", run, "--data", data, "--out", run, "--json"]) == 0
    judged = json.loads(capsys.readouterr().out)
    assert judged["model"]["model"] == "mattnet"
    assert (
        main(["evaluate", f"{run}/answers.jsonl", "--data", data, "--split", "test", "--setting", "all", "--json"]) == 0
    )
    again = json.loads(capsys.readouterr().out)
    assert again["settings"] == judged["settings"]
    assert main(["evaluate", run, "--data", data]) == 0
    assert "Is it there at all?" in capsys.readouterr().out


@pytest.mark.slow
def test_a_model_that_is_stopped_goes_on_answering(
    photographs: CopsRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Expressions that were answered are not answered again, and every file is as if nothing had happened."""
    (tmp_path / "few.toml").write_text(SETTINGS, encoding="utf-8")
    run, data = tmp_path / "run", photographs.path
    words = ["--out", str(run), "--settings", str(tmp_path / "few.toml")]
    assert main(["train", "mattnet", "--data", str(data), *words]) == 0
    monkeypatch.setattr("deixis.worlds.photos.training._scoring.ASKED_AT_ONCE", 8)

    def evaluate(out: Path) -> Output:
        return evaluate_request(WORLD, Request(answers=(run,), data=data, out=out, workers=1, device="cpu"))

    demand_resumed(evaluate, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "grounder", "--half"], "models with --half: m-lstm, gcn-lstm, program, transformer"),
        (["train", "m-lstm", "--mining", "random"], "models with --mining: mattnet"),
        (["train", "grounder", "--mining", "random"], "models with --mining: mattnet"),
        (["train", "scan", "--features", "eyes"], "unknown encoder 'eyes'"),
        (["train", "mattnet", "--begin", "nowhere"], "neither a checkpoint nor the folder of a run"),
    ],
)
def test_what_cannot_be_is_one_line(
    words: list[str], said: str, photographs: CopsRef, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option of another model, or one that cannot be, is refused in a line."""
    assert main([*words, "--data", str(photographs.path), "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_the_command_knows_all_models() -> None:
    """The names that the command takes, without torch, are those that there are."""
    assert tuple(WORLD.models) == tuple(OFFERED.models) == (*MODELS, "region-encoder")


def test_a_dataset_of_another_world_is_refused(
    photographs: CopsRef, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a line that names both worlds; nothing is written."""
    assert main(["train", "m-lstm", "--data", str(photographs.path), "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert "m-lstm learns from datasets of grid; " in error
    assert "is of photos" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()
