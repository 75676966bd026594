"""`deixis train`, and what comes after it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from deixis._cli import main
from deixis.worlds.grid._paper.runs import read_run


torch = pytest.importorskip("torch")
torch.set_num_threads(1)

SMALL = """
batch_size = 6
eval_every = 3
dev_examples = 4
decode_limit = 15

[settings]
width = 8
word_width = 4
filters = 4
kernels = [1, 3]
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """Settings of a small model."""
    path = tmp_path_factory.mktemp("settings") / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def run(tiny, settings, tmp_path_factory):
    """A trained model."""
    out = tmp_path_factory.mktemp("run") / "run"
    assert main(train(tiny, out, "--settings", settings)) == 0
    return out


def train(data, out, *more) -> list[str]:
    device = () if "--device" in more else ("--device", "cpu")
    return ["train", "m-lstm", "--data", str(data), "--out", str(out), "--steps", "6", *device, *more]


def test_a_model_is_trained_and_judged(tiny, settings, tmp_path, capsys):
    """Two commands, the first of which names the second; together they leave what a report reads."""
    out = tmp_path / "run"

    assert main(train(tiny, out, "--settings", settings, "--workers", "1")) == 0
    assert "Best on dev: " in (printed := capsys.readouterr().out)
    assert f"Next: deixis evaluate {out} --data {tiny} --out {out}" in printed
    assert main(["evaluate", str(out), "--data", str(tiny), "--out", str(out), "--limit", "15", "--device", "cpu"]) == 0
    found = read_run(out)
    assert (found.model, found.steps, found.seed, found.judged.count("decode_limit")) == ("m-lstm", 6, 0, 15)
    assert found.training.facts.texts("patterns") == ("p1", "p3")
    assert [one.step for one in found.evaluations] == [3, 6]
    assert found.results.scores["test"]["exact"].rows > 0
    assert {"dev.parquet", "test.parquet", "a1.parquet"} <= {path.name for path in (out / "predictions").iterdir()}


def test_the_facts_are_printed_as_json(tiny, settings, run, capsys):
    """Given again, the command says that everything is done."""
    assert main(train(tiny, run, "--settings", settings, "--json")) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["finished"]
    assert found["was finished"]
    assert found["steps"] == 6


def test_options_say_more_than_the_file(tiny, settings, tmp_path, capsys):
    """Of two values the option's is taken."""
    assert (
        main(train(tiny, tmp_path / "run", "--settings", settings, "--batch-size", "3", "--seed", "9", "--json")) == 0
    )

    found = json.loads(capsys.readouterr().out)
    assert (found["batch_size"], found["seed"]) == (3, 9)
    assert found["settings"]["width"] == 8


def test_a_checkpoint_is_judged_without_keeping_what_it_says(tiny, run, capsys):
    """Without --out nothing is written."""
    before = sorted(path.name for path in run.iterdir())

    assert main(["evaluate", str(run / "best.safetensors"), "--data", str(tiny), "--split", "dev", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["splits"].keys() == {"dev"}
    assert sorted(path.name for path in run.iterdir()) == before


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--quirks", "sees-padding"], "m-lstm has no quirk 'sees-padding'; it is one of transformer"),
        (["--lr", "0"], "lr must be a number above 0 and up to 10, got 0.0"),
        (["--updates", "3"], "deixis: --updates is called --steps now\n"),
        (["--look-every", "3"], "deixis: --look-every is called --eval-every now\n"),
        (["--device", "tpu"], "unknown device 'tpu'; known: auto, cpu, cuda, cuda:1 and so on"),
        (["--settings", "none.toml"], "there is no file or folder none.toml"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(tiny, tmp_path, capsys, more, complaint):
    """Exit code 2 and no traceback."""
    assert main(train(tiny, tmp_path / "run", *more)) == 2

    told = capsys.readouterr().err
    assert complaint in told
    assert told.count("\n") == 1


def test_data_that_are_no_dataset_are_told(tmp_path, released, capsys):
    """A released file is converted first."""
    assert main(train(released, tmp_path / "run")) == 2

    assert "is no dataset folder; make one with `deixis convert" in capsys.readouterr().err


def test_an_unknown_word_is_told(tiny, tmp_path, capsys):
    """A word that is neither a file nor a model."""
    assert main(["evaluate", "m-lstn", "--data", str(tiny)]) == 2

    assert "there is no file or folder m-lstn" in capsys.readouterr().err


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from deixis._cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_torch_the_extra_is_named(tiny, tmp_path):
    """Training says what to install; judging plans needs nothing of it."""
    for words, code in ((train(tiny, tmp_path / "run"), 2), (["evaluate", "oracle", "--data", str(tiny)], 0)):
        command = [sys.executable, "-c", WITHOUT_TORCH, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
        assert done.returncode == code
        assert code == 0 or "python -m pip install 'deixis[train]'" in done.stderr


@pytest.mark.parametrize(
    ("model", "has", "lacks"),
    [
        ("transformer", ["--quick", "--data", "sees-padding"], ["--mining", "--speaker", "--features", "paper-rate"]),
        ("program", ["--quick", "--data"], ["--quirks"]),
        ("mattnet", ["--mining", "--first-stage", "--probe"], ["--quick", "--quirks"]),
        ("tree", ["--features"], ["--mining", "--first-stage", "--probe"]),
        ("captioner", ["--forcing", "--steady"], ["--data ", "--pairs", "--speaker "]),
        ("game", ["--speaker ", "--kl"], ["--data ", "--forcing"]),
        ("room-encoder", ["--pictures", "--no-augment"], ["--data ", "--settings"]),
    ],
)
def test_help_shows_the_options_of_that_model_only(capsys, model, has, lacks):
    """Beside those that all models share."""
    assert main(["train", model, "--help"]) == 0

    shown = capsys.readouterr().out
    for option in [*has, "--out", "--device", "--minutes", "--workers", "--json", "--seed"]:
        assert option in shown
    assert not [option for option in lacks if option in shown]


def test_models_of_all_worlds_are_listed(capsys):
    """By world, with a line each; one that nobody knows is told."""
    from deixis.worlds.registry import known_worlds

    assert main(["train", "--help"]) == 0
    shown = capsys.readouterr().out
    for world in known_worlds().values():
        assert f"Models of {world.name}" in shown or not world.models
        assert all(name in shown for name in world.models)
    assert main(["train", "m-lstn", "--out", "x"]) == 2
    assert "m-lstn" in capsys.readouterr().err


def count_options(*, beads: int = 4, seed: int = 0) -> dict[str, int]:
    """How counting is learnt.

    Args:
        beads: How many to count.
        seed: Of chance.
    """
    return {"beads": beads, "seed": seed}


def count(settings, data, out, *, device, progress, stop_after):
    """Count the beads."""
    from deixis.learn.run import Run

    assert data is None
    progress("counting", settings["beads"], settings["beads"])
    out.mkdir()
    facts = {**settings, "device": device, "seconds": stop_after}
    return Run(path=out, facts=facts, lines=("Counted.",), following=("deixis show beads",))


def test_a_model_of_another_package_is_trained(monkeypatch, tmp_path, capsys):
    """It needs a line, a function with its options and one that trains; of two models of one name the first counts."""
    from deixis._cli import compose
    from deixis._cli import train as module
    from deixis.learn.run import Model, Models
    from deixis.worlds.registry import WorldWarning
    from deixis.worlds.world import World

    models = Models(models={"counter": Model(options=count_options, train=count, needs_data=False)})
    monkeypatch.setattr(sys.modules[__name__], "OFFERED", models, raising=False)
    parts = {"models": f"{__name__}:OFFERED"}
    beads = World(name="beads", title="Beads", task="refer", parts=parts, models={"counter": "Counts beads"})
    other = World(name="pearls", title="Pearls", task="refer", parts={}, models={"counter": "Counts pearls"})
    monkeypatch.setattr(compose, "known_worlds", lambda: {"beads": beads, "pearls": other})
    with pytest.warns(WorldWarning, match="'counter' of pearls is left out: beads has one"):
        app = module.train_app()
    with pytest.warns(WorldWarning, match="pearls"):
        app(["counter", "--beads", "7", "--minutes", "2", "--out", str(tmp_path / "a")], result_action="return_value")
    assert capsys.readouterr().out == "Counted.\nNext: deixis show beads\n"
    app(["counter", "--out", str(tmp_path / "b"), "--json"], result_action="return_value")
    found = json.loads(capsys.readouterr().out)
    assert (found["beads"], found["device"], found["finished"], found["was finished"]) == (4, "auto", True, False)
