"""`deixis report` of speakers: from runs that the command line itself has made to a page of results."""

from __future__ import annotations

import json
import shutil
from contextlib import redirect_stdout
from io import StringIO

import pytest

from deixis._cli import main
from tests.reports.run_folders import change, write_run


torch = pytest.importorskip("torch")
torch.set_num_threads(1)
Eyes = pytest.importorskip("deixis.worlds.rooms.training.features").Eyes
evaluate = pytest.importorskip("deixis.worlds.rooms.training._evaluate")
only_few_images = pytest.importorskip("tests.training.rooms.few").only_few_images
say_sets, write_captions = evaluate.say_sets, evaluate.write_captions

SEES = ["--encoder", "factors", "--device", "cpu"]
FEW = ["--steps", "2", "--batch-size", "4", "--eval-every", "1"]


@pytest.fixture(scope="module", autouse=True)
def few_images():
    """Trainings of few images, which begin at once."""
    with only_few_images():
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A captioner, a game, and one with a fault, each of which has said something; and a copy of the first."""
    at = tmp_path_factory.mktemp("runs")
    assert main(["train", "captioner", "--out", str(at / "b-1"), "--seed", "1", "--width", "8", *FEW, *SEES]) == 0
    for name, rules in {"rp-1": [], "rp-wrong": ["--objective", "inverted"]}.items():
        game = ["train", "game", "--speaker", str(at / "b-1"), "--out", str(at / name)]
        assert main([*game, "--seed", "1", *rules, *FEW, *SEES]) == 0
    for name in ("b-1", "rp-1", "rp-wrong"):
        speak(at / name)
    shutil.copytree(at / "b-1", at / "b-2")  # says that it is of another seed
    settings = json.loads((at / "b-2" / "run.json").read_bytes())["settings"]
    change(at / "b-2" / "run.json", settings=settings | {"seed": 2}, seed=2)
    return at


def speak(folder):
    """What deixis evaluate --out leaves, without its figures and pictures, which take long."""
    (folder / "said").mkdir()
    with redirect_stdout(StringIO()) as printed:
        assert main(["evaluate", str(folder), "--count", "5", *SEES, "--json"]) == 0
    (folder / "said" / "evaluation.json").write_text(printed.getvalue(), encoding="utf-8")
    spoken, _ = say_sets(folder / "best.safetensors", eyes=Eyes(encoder="factors", device="cpu"), count=5)
    write_captions(folder / "said" / "captions.jsonl", spoken)


@pytest.fixture
def runs(made, tmp_path):
    """Copies of these, to be spoilt."""
    shutil.copytree(made, tmp_path / "runs")
    return tmp_path / "runs"


def names(at, *which):
    return [str(at / name) for name in which or ("b-1", "b-2", "rp-1", "rp-wrong")]


@pytest.mark.slow
def test_what_a_speaker_said_is_reported_without_its_training(made, tmp_path, capsys):
    """Two commands and no run.json, as for a speaker that comes with deixis: the checkpoint says how it was trained."""
    for name in ("b-1", "rp-1"):
        shutil.copytree(made / name / "said", tmp_path / name)
    capsys.readouterr()

    assert main(["report", *names(tmp_path, "b-1", "rp-1"), "--out", str(tmp_path / "out")]) == 0
    alone = capsys.readouterr().out
    assert main(["report", *names(made, "b-1", "rp-1")]) == 0

    words = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert alone.startswith(capsys.readouterr().out.strip("\n")[:400])
    assert "deixis evaluate CHECKPOINT --out b-1 --count 5 --encoder factors" in words
    assert "deixis train" not in words


@pytest.mark.slow
def test_runs_become_a_page(made, tmp_path, capsys):
    """Tables, figures, reasons, examples and commands, as HTML, Markdown, CSV and JSON."""
    (tmp_path / "notes.toml").write_text('[table1.B]\nmentioned_features = "Only two updates."\n', encoding="utf-8")
    capsys.readouterr()

    assert main(["report", *names(made), "--out", str(tmp_path / "out"), "--notes", str(tmp_path / "notes.toml")]) == 0

    printed = capsys.readouterr().out
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    drawn = ("redundancy", "curves-captions", "curves-games", "curves-rp-variants")
    figures = {f"{name}.{form}" for name in drawn for form in ("png", "svg")}
    assert files.keys() == {"report.html", "report.md", "tables.csv", "report.json", *figures}
    page, words = files["report.html"].decode(), files["report.md"].decode()
    for text in (printed, page, words):
        assert "RP, objective inverted" in text
        assert "0.822" in text  # the published RP
    assert "B, mentioned features" not in printed
    for text in (page, words):
        assert "Only two updates." in text
        assert "deixis train game --speaker b-1 --out rp-wrong --seed 1 --pairs random" in text
        assert "--objective inverted" in text
    assert words.count("\n- RP: ") == 6  # an example of each of six sets
    assert "2 seeds: 1, 2" in words


def test_numbers_are_those_of_the_evaluation(made, capsys):
    """What is reported of one seed is what deixis say has written; of two seeds it is their mean."""
    assert main(["report", *names(made), "--json"]) == 0

    cells = {(one["model"], one["part"], one["metric"]): one for one in json.loads(capsys.readouterr().out)["cells"]}
    said = {
        name: json.loads((made / name / "said" / "evaluation.json").read_bytes()) for name in ("b-1", "b-2", "rp-1")
    }
    one = cells["RP", "one feature", "mentioned_features"]
    known = said["rp-1"]["categories"]["one feature"]["mentioned_features"]
    assert (one["mean"], one["low"], one["high"], one["published"]) == (
        *(known[k] for k in ("mean", "low", "high")),
        2.944,
    )
    both = [said[name]["overall"]["mentioned_features"]["mean"] for name in ("b-1", "b-2")]
    assert cells["B", "all sets", "mentioned_features"]["mean"] == pytest.approx(sum(both) / 2, abs=1e-6)
    heard = cells["RP", "three features", "listener_accuracy"]
    assert heard["mean"] == said["rp-1"]["accuracy"]["three features"]["listener_accuracy"]
    assert heard["low"] <= heard["mean"] <= heard["high"]
    assert ("B", "one feature", "listener_accuracy") not in cells


@pytest.mark.slow
def test_one_captioner_is_enough(made, tmp_path, capsys):
    """What is not there is left out; the same run gives the same bytes."""
    for name in ("one", "two"):
        assert main(["report", *names(made, "b-1"), "--out", str(tmp_path / name), "--json"]) == 0

    first, again = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert first == again
    assert "curves-games.svg" not in first
    assert "; seed 1;" in first["report.md"].decode()
    assert json.loads(first["report.json"])["runs"][0]["folder"] == "b-1"


def complains(words, capsys):
    """The one line that a command ends with."""
    capsys.readouterr()
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "fault in deixis" not in told
    return told


@pytest.mark.slow
def test_runs_of_two_worlds_have_a_section_each(made, tmp_path, capsys):
    """A model on ReaSCAN is none of these: its tables follow, its files have a folder of their own."""
    other = write_run(tmp_path / "m-1", "m-lstm", 0.75)
    words = ["report", *names(made, "b-1"), str(other)]

    assert main(words) == 0
    printed = capsys.readouterr().out
    assert printed.index("Captions of rooms") < printed.index("Instructions in grid worlds") < printed.index("Table 3")
    assert main([*words, "--out", str(tmp_path / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["rooms", "grid"]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"rooms", "grid"}
    assert str(tmp_path / "out" / "grid" / "report.html") in told["grid"]["files"]


@pytest.mark.slow
def test_nothing_is_written_of_two_worlds_where_one_fails(made, tmp_path, capsys):
    """Nor are notes read, which are about one paper."""
    other = write_run(tmp_path / "m-1", "m-lstm", 0.75)
    words = ["report", *names(made, "b-1"), str(other), "--out", str(tmp_path / "out")]

    assert "--notes are about one paper" in complains([*words, "--notes", str(tmp_path / "notes.toml")], capsys)
    (other / "log.jsonl").write_text("[]\n", encoding="utf-8")
    assert "should be an object" in complains(words, capsys)
    assert not (tmp_path / "out").exists()


def test_who_has_said_nothing_is_asked_to(runs, capsys):
    """With the command to give."""
    shutil.rmtree(runs / "rp-1" / "said")

    told = complains(["report", *names(runs)], capsys)

    assert f"deixis evaluate {runs / 'rp-1'} --out {runs / 'rp-1' / 'said'}" in told


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda at: change(at / "run.json", settings={"cots": 1}), "there is no setting 'cots'"),
        (lambda at: change(at / "run.json", updates=-1), "should be a whole number"),
        (lambda at: change(at / "run.json", kind="else"), "should be of kind"),
        (lambda at: (at / "run.json").write_text("{", encoding="utf-8"), "is no JSON"),
        (
            lambda at: (at / "log.jsonl").write_text('{"update": 1, "look": 3}\n', encoding="utf-8"),
            "should be an object",
        ),
        (lambda at: (at / "said" / "evaluation.json").write_text("[]", encoding="utf-8"), "should be an object"),
        (lambda at: change(at / "said" / "evaluation.json", accuracy=1), "is not what deixis evaluate writes"),
        (lambda at: change(at / "said" / "evaluation.json", checkpoint="ab"), "is of another checkpoint"),
        (lambda at: change(at / "said" / "evaluation.json", contexts=0), "judges no caption"),
        (
            lambda at: (at / "said" / "captions.jsonl").write_text('{"target_id": -1}\n', encoding="utf-8"),
            "names an image",
        ),
    ],
)
def test_damage_is_told_in_one_line(runs, tmp_path, capsys, spoil, complaint):
    """And nothing is written."""
    spoil(runs / "rp-1")

    assert complaint in complains(["report", *names(runs), "--out", str(tmp_path / "out")], capsys)

    assert not (tmp_path / "out").exists()


def test_a_run_given_twice_is_told(made, capsys):
    """Nothing is counted twice."""
    assert "both RP with seed 1; give each run once" in complains(["report", *names(made, "rp-1", "rp-1")], capsys)
