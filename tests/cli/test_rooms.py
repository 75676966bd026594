"""`deixis train` and `deixis evaluate` for rooms: from the first picture to the table of the paper."""

from __future__ import annotations

import json

import pytest

from deixis._cli import main
from deixis.worlds.rooms.pairs import partition


torch = pytest.importorskip("torch")
torch.set_num_threads(1)
only_few_images = pytest.importorskip("tests.training.rooms.few").only_few_images
no_room = pytest.importorskip("tests.training.test_checkpoints").no_room

SEES = ["--encoder", "factors", "--device", "cpu"]
SMALL = """
steps = 4
batch_size = 6
eval_every = 4
width = 8
"""


@pytest.fixture(scope="module", autouse=True)
def few_images():
    """Trainings of few images, which begin at once."""
    with only_few_images():
        yield


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """Settings of a small speaker."""
    path = tmp_path_factory.mktemp("settings") / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def speaker(settings, tmp_path_factory):
    """A speaker that has seen a few captions."""
    out = tmp_path_factory.mktemp("run") / "speaker"
    assert main(["train", "captioner", "--out", str(out), "--settings", settings, *SEES]) == 0
    return out


@pytest.fixture(scope="module")
def game(speaker, tmp_path_factory):
    """The same after a few rounds."""
    out = tmp_path_factory.mktemp("run") / "game"
    assert main(played(speaker, out)) == 0
    return out


def played(speaker, out, *more) -> list[str]:
    few = ["--steps", "3", "--batch-size", "4", "--eval-every", "3"]
    return [
        "train",
        "game",
        "--speaker",
        str(speaker),
        "--out",
        str(out),
        *few,
        *([] if "--encoder" in more else SEES),
        *more,
    ]


@pytest.mark.slow
def test_a_speaker_learns_plays_and_is_heard(settings, tmp_path, capsys, monkeypatch):
    """Three commands, each of which names the next; together they leave what the metrics read."""
    monkeypatch.setattr("deixis.worlds.rooms.training._captions.partition", partition)  # few have similar ones
    speaker, game, said = tmp_path / "speaker", tmp_path / "game", tmp_path / "said"

    assert main(["train", "captioner", "--out", str(speaker), "--settings", settings, *SEES, "--workers", "1"]) == 0
    assert f"Next: deixis evaluate {speaker} --encoder factors" in (printed := capsys.readouterr().out)
    assert f"deixis train game --speaker {speaker} --pairs random --out RUN --encoder factors" in printed
    assert main(played(speaker, game, "--pairs", "similar")) == 0
    assert f"Next: deixis evaluate {game} --encoder factors" in (printed := capsys.readouterr().out)
    assert "On validation images: listener " in printed
    assert main(["evaluate", str(game), "--out", str(said), "--count", "5", *SEES]) == 0
    printed = capsys.readouterr().out
    assert "game, 3 steps" in printed
    assert "0.999" in printed  # of the published B, in sets that share one feature
    names = {path.name for path in said.iterdir()}
    assert names == {
        "captions.jsonl",
        "evaluation.json",
        "examples.html",
        "verdicts.parquet",
        *(f"{a}.{b}" for a in ("metrics", "redundancy") for b in ("png", "svg")),
    }
    assert main(["evaluate", str(said / "captions.jsonl"), "--json"]) == 0
    (scored,) = json.loads(capsys.readouterr().out)["scores"].values()
    evaluation = json.loads((said / "evaluation.json").read_text(encoding="utf-8"))
    assert scored["sets"] == evaluation["sets"]
    assert scored["categories"] == evaluation["categories"]


def test_facts_are_printed_as_json(game, speaker, capsys):
    """Given again, the command says that everything is done."""
    assert main(played(speaker, game, "--json")) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["finished"], found["was finished"]) == (True, True)
    assert found["settings"]["pairs"] == "random"
    assert found["training"]["split"] == "tune"


def test_options_say_more_than_the_file(settings, tmp_path, capsys):
    """Of two values the option's is taken."""
    words = [
        "train",
        "captioner",
        "--out",
        str(tmp_path / "run"),
        "--settings",
        settings,
        *SEES,
        "--batch-size",
        "3",
        "--seed",
        "9",
    ]
    assert main([*words, "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["batch_size"], found["seed"], found["settings"]["width"]) == (3, 9, 8)


def test_time_stops_a_run_that_goes_on(settings, tmp_path, capsys):
    """With what is left."""
    words = ["train", "captioner", "--out", str(tmp_path / "run"), "--settings", settings, *SEES, "--save-every", "1"]

    assert main([*words, "--minutes", "1e-9"]) == 0
    assert "steps are left; the same command goes on" in capsys.readouterr().out
    assert main(words) == 0
    assert "4 steps in" in capsys.readouterr().out


def test_a_game_has_its_rules(speaker, game, tmp_path, capsys):
    """All of them can be said; a listener may be given and stay as it is."""
    rules = {
        "--objective": "reinforce",
        "--baseline": "self-critical",
        "--reward": "probability",
        "--cost": "0.01",
        "--entropy": "0",
        "--structure": "0.5",
        "--structural": "free",
        "--kl": "0.1",
        "--temperature": "1.5",
        "--distractors": "2",
        "--listener": str(game),
        "--seed": "3",
    }
    words = [word for rule in rules.items() for word in rule]

    assert main(played(speaker, tmp_path / "run", *words, "--freeze", "--json")) == 0

    found = json.loads(capsys.readouterr().out)["settings"]
    assert (found["listener"], found["baseline"], found["kl"], found["distractors"]) == (
        "frozen",
        "self-critical",
        0.1,
        2,
    )


@pytest.mark.parametrize(
    "style",
    [
        ["--decoding", "beam", "--width", "2"],
        ["--decoding", "top-k", "--k", "3", "--temperature", "2"],
        ["--thinking", "rerank", "--candidates", "2", "--alpha", "3", "--fluency", "0.5"],
        ["--thinking", "reason", "--alpha", "2", "--cost", "0.1"],
    ],
)
def test_a_speaker_has_its_style(game, capsys, style):
    """Which the facts state; nothing is written without --out."""
    before = sorted(path.name for path in game.iterdir())

    assert main(["evaluate", str(game / "best.safetensors"), "--count", "2", *SEES, *style, "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert style[1] in (found["style"]["decoding"]["way"], found["style"]["thinking"])
    assert found["accuracy"]["one feature"].keys() == {"literal_accuracy", "listener_accuracy"}
    assert found["categories"].keys() == {"one feature", "two features", "three features"}
    assert found["published"]["false_features"]["B"] == 0.72
    assert sorted(path.name for path in game.iterdir()) == before


def test_another_listener_may_hear(speaker, game, capsys):
    """A speaker that never played is heard by the listener of a game; without one there is a dash."""
    assert main(["evaluate", str(speaker), "--listener", str(game), "--count", "2", *SEES, "--json"]) == 0
    assert "listener_accuracy" in json.loads(capsys.readouterr().out)["accuracy"]["overall"]

    assert main(["evaluate", str(speaker), "--count", "2", *SEES]) == 0
    assert "captioning, 4 steps" in capsys.readouterr().out


def test_an_encoder_is_trained(tmp_path, capsys):
    """And named for what comes next."""
    path = tmp_path / "encoder.safetensors"
    few = ["--pictures", "8", "--judged", "4", "--steps", "1", "--batch-size", "4", "--device", "cpu", "--workers", "1"]

    assert main(["train", "room-encoder", "--out", str(path), *few]) == 0

    printed = capsys.readouterr().out
    assert "object hue" in printed
    assert f"deixis train captioner --encoder {path} --out RUN" in printed
    assert path.is_file()


def test_a_full_disk_is_told_in_one_line(settings, tmp_path, capsys):
    """The command given again goes on."""
    words = ["train", "captioner", "--out", str(tmp_path / "run"), "--settings", settings, *SEES]

    with no_room(100_000):
        assert main(words) == 2

    told = capsys.readouterr().err
    complaints = [line for line in told.splitlines() if line.startswith("deixis: ")]  # progress may stand before it
    assert len(complaints) == 1
    assert "there is no space left on the disk" in complaints[0]
    assert "Traceback" not in told
    assert main(words) == 0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["train", "captioner", "--out", "RUN", "--encoder", "eagle"],
            "unknown encoder 'eagle'; known: rooms, factors",
        ),
        (["train", "captioner", "--out", "RUN", "--lr", "0"], "lr must be a number from 1e-09 to 10, got 0.0"),
        (
            ["train", "captioner", "--out", "RUN", "--captions", "21"],
            "captions must be a whole number from 1 to 20, got 21",
        ),
        (["train", "captioner", "--out", "RUN", "--settings", "none.toml"], "there is no file or folder none.toml"),
        (["train", "captioner", "--out", "RUN", "--device", "tpu"], "unknown device 'tpu'"),
        (["train", "room-encoder", "--out", "RUN", "--device", "tpu"], "unknown device 'tpu'"),
        (["train", "room-encoder", "--out", "RUN", "--batch-size", "0"], "batch_size must be a whole number from 1 to"),
        (["train", "room-encoder", "--out", "RUN", "--minutes", "1"], "an encoder learns in one go"),
        (["train", "captioner", "--out", "RUN", "--pairs", "random"], "Unknown option: --pairs"),
        (["train", "captioner", "--out", "RUN", "--data", "DATA"], "Unknown option: --data"),
        (["train", "game", "--out", "RUN"], "--speaker"),
        (
            ["train", "game", "--speaker", "nobody", "--out", "RUN"],
            "nobody is neither a checkpoint nor the folder of a run",
        ),
        (["train", "game", "--speaker", "SPEAKER", "--out", "RUN", "--freeze", *SEES], "must be given"),
        (
            ["train", "game", "--speaker", "SPEAKER", "--out", "RUN", "--listener", "SPEAKER", *SEES],
            "there is no listener in",
        ),
        (["train", "game", "--speaker", "SPEAKER", "--out", "RUN", "--data-seed", "7", *SEES], "give --data-seed 42"),
        (
            ["train", "game", "--speaker", "SPEAKER", "--out", "RUN", "--structure", "2", *SEES],
            "structure must be a number from 0 to 1, got 2.0",
        ),
        (["evaluate", "nobody"], "nobody is neither a checkpoint nor the folder of a run"),
        (["evaluate", "SPEAKER", "--thinking", "rerank", "--candidates", "2000", *SEES], "from 1 to 1,000 candidates"),
        (["evaluate", "SPEAKER", "--listener", "SPEAKER", *SEES], "there is no listener in"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(speaker, tmp_path, capsys, words, complaint):
    """Exit code 2 and no traceback."""
    places = {"RUN": str(tmp_path / "run"), "SPEAKER": str(speaker)}
    capsys.readouterr()

    assert main([places.get(word, word) for word in words]) == 2

    told = capsys.readouterr().err
    assert complaint in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("model", ["captioner", "game"])
def test_nothing_can_be_steadied_without_pictures(speaker, settings, tmp_path, capsys, model):
    """Which is told before anything is learnt."""
    options = ["--settings", settings] if model == "captioner" else ["--speaker", str(speaker), "--steps", "2"]

    assert main(["train", model, *options, "--out", str(tmp_path / "run"), *SEES, "--steady"]) != 0

    assert "the encoder factors sees no pictures" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "run").exists()


def test_a_finished_run_is_steadied_and_says_so(tmp_path, monkeypatch):
    """One that is not finished stays as it is."""
    from deixis.learn.run import silent
    from deixis.worlds.rooms.training import _steady as module
    from deixis.worlds.rooms.training._models import steady_run
    from deixis.worlds.rooms.training.features import Eyes

    seen = []
    monkeypatch.setattr(module, "steady", lambda path, *_, **__: seen.append(path.name))
    facts = {"steps": 2, "steps_wanted": 4, "was finished": True}

    assert steady_run(tmp_path, facts, Eyes(), silent) == facts
    found = steady_run(tmp_path, {**facts, "steps": 4}, Eyes(), silent)

    assert seen == ["best.safetensors"]
    assert found["steadied"]["times"] == 5
    assert json.loads((tmp_path / "run.json").read_text()) == {
        name: value for name, value in json.loads(json.dumps(found)).items() if name != "was finished"
    }
