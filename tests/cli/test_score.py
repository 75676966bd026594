from __future__ import annotations

import json

import numpy as np
import pytest

from deixis.cli.score import score
from deixis.errors import DeixisError
from deixis.metrics.anchors import SPEAKERS, speaker_captions
from deixis.worlds.shapes.pairs import test_sets


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
    assert score([predictions]) == 0
    text = capsys.readouterr().out

    for part in ("incremental.jsonl: 156 captions", "random three", "three features", "denominator z", "mode clean"):
        assert part in text
    assert max(map(len, text.splitlines())) <= 110


def test_json_holds_every_metric_with_its_interval(predictions, capsys):
    """The incremental speaker is optimal on all sets, and says so in numbers."""
    assert score([predictions], as_json=True, denominator="k", by="expression") == 0
    values = json.loads(capsys.readouterr().out)

    assert (values["mode"], values["denominator"], values["by"]) == ("clean", "k", "expression")
    one = values["scores"]["incremental.jsonl"]["categories"]["one feature"]
    assert one["discriminativity"]["mean"] > 0.9
    assert set(one["when_redundant/shape"]) == {"mean", "low", "high", "rows"}


def test_files_are_written_for_every_caption_and_figure(predictions, tmp_path, capsys):
    """JSON, rows and figures; the same bytes every time."""
    written = []
    for out in (tmp_path / "one", tmp_path / "two"):
        assert score([predictions], out=out, mode="paper", surface=2) == 0
        written.append({path.name: path.read_bytes() for path in out.iterdir()})

    names = {"scores.json", "rows.csv", "redundancy.png", "redundancy.svg", "metrics.png", "metrics.svg"}
    assert set(written[0]) == names
    assert written[0] == written[1]
    assert written[0]["rows.csv"].count(b"\n") == 157
    assert b"bleu_4" in written[0]["scores.json"]
    assert "BLEU" in capsys.readouterr().out


def test_odd_captions_are_told_about(tmp_path, capsys):
    """Empty captions, foreign ones and images shown twice get a score and a line."""
    rows = [("", 1, 2), ("eine rote kugel", 1, 2), ("a red ball", 3, 3)]
    path = tmp_path / "odd.csv"
    lines = [f"{text},{target},{other}\n" for text, target, other in rows]
    path.write_text("prediction,target_id,distractor_id\n" + "".join(lines), encoding="utf-8")

    assert score([path]) == 0
    text = capsys.readouterr().out
    assert "1 captions have words that belong to no known phrase" in text
    assert "1 captions have their target among the distractors" in text
    assert "1 captions are empty" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paths": None}, "give a file with captions"),
        ({"mend": "hyphens"}, "only the mode paper"),
        ({"mend": "nothing", "mode": "paper"}, "no fault called 'nothing'"),
    ],
)
def test_what_makes_no_sense_is_refused(predictions, options, message):
    """One line says what to do instead."""
    paths = options.pop("paths", [predictions])
    with pytest.raises(DeixisError, match=message):
        score(paths, **options)


def test_several_distractors_need_the_clean_mode(tmp_path, capsys):
    """The released script knows one distractor only."""
    path = tmp_path / "many.jsonl"
    images = np.arange(4).tolist()
    path.write_text(json.dumps({"caption": "a red block", "target_id": 9, "distractor_ids": images}), encoding="utf-8")

    assert score([path]) == 0
    with pytest.raises(DeixisError, match="knows one distractor"):
        score([path], mode="paper")
    capsys.readouterr()
