from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from deixis._cli import main
from deixis._cli.compose import command_of
from deixis._cli.evaluate import evaluate as evaluate_answers
from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.rooms.data.make import read_pairs
from deixis.worlds.rooms.judging._anchors import SPEAKERS, speaker_captions
from deixis.worlds.rooms.pairs import test_sets
from tests.datasets.few_pairs import only_few_pairs


evaluate = command_of(evaluate_answers)  # with the options of worlds


@pytest.fixture(scope="module", autouse=True)
def few_pairs():
    with only_few_pairs():
        yield


@pytest.fixture(scope="module")
def predictions(tmp_path_factory):
    path = tmp_path_factory.mktemp("score") / "incremental.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for name, pairs in test_sets(seed=2, count=12).items():
            texts = speaker_captions(SPEAKERS["incremental"], pairs, seed=1)
            for text, (target, other) in zip(texts, pairs.tolist(), strict=True):
                record = {"prediction": text, "target_id": target, "distractor_id": other, "set": name}
                file.write(json.dumps(record) + "\n")
    return path


def test_a_table_says_how_it_was_made(predictions, capsys):
    """Sets and categories are listed, with the denominator, the mode and what contrasts."""
    assert evaluate(predictions) == 0
    text = capsys.readouterr().out

    for part in ("incremental.jsonl: 156 captions", "random three", "three features", "denominator z", "mode clean"):
        assert part in text
    assert max(map(len, text.splitlines())) <= 110


def test_json_holds_every_metric_with_its_interval(predictions, capsys):
    """The incremental speaker is optimal on all sets, and says so in numbers."""
    assert evaluate(predictions, as_json=True, denominator="k", contrast="expression") == 0
    values = json.loads(capsys.readouterr().out)

    assert (values["mode"], values["denominator"], values["by"]) == ("clean", "k", "expression")
    one = values["scores"]["incremental.jsonl"]["categories"]["one feature"]
    assert one["discriminativity"]["mean"] > 0.9
    assert set(one["when_redundant/shape"]) == {"mean", "low", "high", "rows"}


@pytest.mark.slow
def test_files_are_written_for_every_caption_and_figure(predictions, tmp_path, capsys):
    """JSON, rows and figures; the same bytes every time."""
    written = []
    for out in (tmp_path / "one", tmp_path / "two"):
        assert evaluate(predictions, out=out, mode="paper", surface=2) == 0
        written.append({path.name: path.read_bytes() for path in out.iterdir()})

    figures = {"redundancy.png", "redundancy.svg", "metrics.png", "metrics.svg"}
    assert set(written[0]) == {"evaluation.json", "scores.html", "rows.csv", "verdicts.parquet", *figures}
    assert written[0] == written[1]
    assert written[0]["rows.csv"].count(b"\n") == 157
    assert b"bleu_4" in written[0]["evaluation.json"]
    assert b"incremental.jsonl" in written[0]["scores.html"]
    assert b"said if shared" in written[0]["scores.html"]
    assert "BLEU" in capsys.readouterr().out


def test_odd_captions_are_told_about(tmp_path, capsys):
    """Empty captions, foreign ones and images shown twice have to be allowed, and are told last."""
    rows = [("", 1, 2), ("eine rote kugel", 1, 2), ("a red ball", 3, 3)]
    path = tmp_path / "odd.csv"
    lines = [f"{text},{target},{other}\n" for text, target, other in rows]
    path.write_text("prediction,target_id,distractor_id\n" + "".join(lines), encoding="utf-8")

    with pytest.raises(BrokenDataset, match=r"3 of 3 captions would be guessed .* --allow-losses"):
        evaluate(path)
    assert evaluate(path, allow_losses=True) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "1 of 3 captions guessed: words that belong to no known phrase are passed over",
        "1 of 3 captions guessed: the target is among the distractors",
        "1 of 3 captions guessed: the caption is empty, which says nothing",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"answers": []}, "name what is to be judged"),
        ({"mend": "hyphens"}, "only the mode paper"),
        ({"mend": "nothing", "mode": "paper"}, "no fault called 'nothing'"),
    ],
)
def test_what_makes_no_sense_is_refused(predictions, options, message):
    """One line says what to do instead."""
    with pytest.raises(DeixisError, match=message):
        evaluate(*options.pop("answers", [predictions]), **options)


def test_several_distractors_need_the_clean_mode(tmp_path, capsys):
    """The released script knows one distractor only."""
    path = tmp_path / "many.jsonl"
    images = np.arange(4).tolist()
    path.write_text(json.dumps({"caption": "a red block", "target_id": 9, "distractor_ids": images}), encoding="utf-8")

    assert evaluate(path) == 0
    with pytest.raises(DeixisError, match="knows one distractor"):
        evaluate(path, mode="paper")
    capsys.readouterr()


# -------------------------------------------------------------------------------- baselines and datasets


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """A dataset with the thirteen test sets."""
    out = tmp_path_factory.mktemp("made") / "rooms"
    assert main(["make", "a3ds", "--captions", "none", "--test-sets", "--out", str(out)]) == 0
    return out


def ask(capsys, *words, code=0):
    """What `deixis evaluate` says in JSON, or its one line where it refuses."""
    capsys.readouterr()
    assert main(["evaluate", *map(str, words), "--json"]) == code
    out, err = capsys.readouterr()
    if code:
        assert err.count("\n") == 1
    return err if code else json.loads(out)


def test_the_oracle_says_what_tells_the_target_apart(rooms, tmp_path, capsys):
    """It finds every target that can be found, with the fewest features and nothing false; random does not."""
    words = ("--data", rooms, "--count", 40)
    oracle = ask(capsys, "oracle", *words, "--out", tmp_path)["scores"]["oracle"]["overall"]
    random = ask(capsys, "random", *words)["scores"]["random"]["overall"]

    for metric in ("discriminativity", "contrastive_efficiency", "relevance", "optimal_discriminativity"):
        assert oracle[metric]["mean"] == pytest.approx(1.0)
        assert random[metric]["mean"] < 0.95
    assert oracle["false_features"]["mean"] == random["false_features"]["mean"] == 0
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8").count("\n") == 1 + 13 * 40


def test_splits_are_test_sets(rooms, capsys):
    """Only those that are named are captioned; the seed decides what random says."""
    one, again, other = (
        ask(capsys, "random", "--data", rooms, "--split", "shape,floor_hue", "--count", 30, "--seed", seed)["scores"]
        for seed in (1, 1, 2)
    )

    assert list(one["random"]["sets"]) == ["floor_hue", "shape"]
    assert one == again != other
    assert "there is no split 'night'" in ask(capsys, "random", "--data", rooms, "--split", "night", code=2)


def test_test_sets_without_a_pair_are_none(rooms, tmp_path, capsys):
    """A table of pairs without a row is refused in one line."""
    (tmp_path / "pairs").mkdir()
    (tmp_path / "manifest.json").write_text('{"kind": "a3ds"}', encoding="utf-8")
    table = pq.read_table(rooms / "pairs" / "test.parquet")
    pq.write_table(table.slice(0, 0), tmp_path / "pairs" / "test.parquet")

    assert "test.parquet holds no pair" in ask(capsys, "oracle", "--data", tmp_path, code=2)


def test_captions_of_other_pairs_are_lost(rooms, tmp_path, capsys):
    """Captions are of pairs of the dataset; more than one in a hundred of others has to be asked for."""
    target, distractor = read_pairs(rooms / "pairs" / "test.parquet")["shape"][0].tolist()
    lines = [{"prediction": "a red ball", "target_id": target, "distractor_id": distractor, "set": "shape"}]
    lines += [{"prediction": "a red ball", "target_id": target, "distractor_id": target, "set": "shape"}]
    path = tmp_path / "captions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    assert "no pair of the dataset" in ask(capsys, path, "--data", rooms, code=2)
    found = ask(capsys, path, "--data", rooms, "--allow-losses")
    assert found["scores"]["captions.jsonl"]["sets"]["shape"]["discriminativity"]["rows"] == 1
    assert found["losses"]["captions.jsonl"]["left out"] == {"its images are no pair of the dataset": 1}


def test_one_caption_in_a_hundred_may_be_lost(rooms, tmp_path, capsys):
    """Losses are counted among all captions of a file, not among those that are lost."""
    pairs = read_pairs(rooms / "pairs" / "test.parquet")["shape"].tolist()
    images = [*(pairs * 99)[:99], (pairs[0][0], pairs[0][0])]
    lines = [{"prediction": "a red ball", "target_id": one, "distractor_id": other} for one, other in images]
    path = tmp_path / "captions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    lost = ask(capsys, path, "--data", rooms)["losses"]["captions.jsonl"]

    assert (lost["seen"], lost["left out"]) == (100, {"its images are no pair of the dataset": 1})


def test_files_and_speakers_stand_side_by_side(predictions, tmp_path, capsys):
    """The word speakers stands for those that need no training; two files are two columns."""
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(predictions.read_bytes())

    found = ask(capsys, predictions, copy, "speakers", "--count", 5)

    assert list(found["scores"])[:2] == ["incremental.jsonl", "copy.jsonl"]
    assert {"minimal", "exhaustive", "released captions"} < set(found["scores"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["random"], "name the dataset that was answered with --data"),
        (["CAPTIONS", "--decoding", "beam"], "--decoding: for speakers only"),
        (["CAPTIONS", "--device", "cpu"], "--device: for speakers only"),
        (["CAPTIONS", "--count", "3"], "--count: for speakers and baselines only"),
        (["CAPTIONS", "--by", "verb"], "--by is an option of grid"),
        (["speaker-b", "--mode", "paper"], "--mode: for files of captions"),
        (["speaker-b", "CAPTIONS"], "speaker-b is a speaker, which is judged by itself"),
        (["oracle", "--data", "EMPTY"], "has no test sets"),
    ],
)
def test_what_rooms_cannot_do_is_told_in_a_line(predictions, tmp_path, capsys, words, complaint):
    """Nothing is ignored in silence."""
    (tmp_path / "manifest.json").write_text('{"kind": "a3ds"}', encoding="utf-8")
    places = {"CAPTIONS": predictions, "EMPTY": tmp_path}

    assert complaint in ask(capsys, *(places.get(word, word) for word in words), code=2)


def test_a_world_that_nobody_can_help_judging_refuses_clusters(predictions, capsys, monkeypatch):
    """The line names the worlds whose answers a cluster judges."""
    monkeypatch.setattr("deixis.worlds.rooms.judging._evaluate.runs_on_clusters", False)

    assert "--on dask is for answers to grid, photos, tabletop only" in ask(capsys, predictions, "--on", "dask", code=2)


@pytest.mark.slow
def test_results_of_others_are_not_replaced_unasked(predictions, rooms, tmp_path, capsys):
    """As in every world: one line says whose they are, and --force replaces them."""
    ask(capsys, predictions, "--out", tmp_path)
    words = ("oracle", "--data", rooms, "--count", 5, "--out", tmp_path)

    assert "holds the results of incremental.jsonl, not of oracle" in ask(capsys, *words, code=2)
    ask(capsys, *words, "--force")
    assert list(json.loads((tmp_path / "evaluation.json").read_text())["scores"]) == ["oracle"]
