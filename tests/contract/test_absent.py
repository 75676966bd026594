"""Expressions of absent things, of the datasets of every world: nothing fits, and half of the rows are right."""

from __future__ import annotations

import json

import pytest

from deixis._cli import main
from deixis.expression.plain import expression_from_plain
from deixis.resolution.reference import denotation
from deixis.worlds.example import scenes_of
from deixis.worlds.registry import world_of


def convert(capsys, made, out, *words):
    code = main(["convert", str(made.path), str(out), "--to", "absent-jsonl", "--json", *words])
    return code, *capsys.readouterr()


def test_every_absent_expression_fits_nothing(made, capsys, tmp_path):
    """It follows the one it was made of, in the same split, and no scene shown has what it says."""
    code, printed, complaint = convert(capsys, made, tmp_path / "rows.jsonl")
    examples = world_of(made.path).part("examples").open(made.path)
    has_meaning = any(one.expression is not None and scenes_of(one) for one in examples)
    if not has_meaning:  # pairs of rooms are told apart by captions that a model gives
        assert code == 2
        assert "its meaning is not known" in complaint
        return
    assert code == 0, complaint
    counts = json.loads(printed)
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 2 * counts["pairs"] > 0
    assert counts["pairs"] + sum(counts["left out"].values()) == len(examples)
    by_id = {example.id: example for example in examples}
    for right, absent in zip(rows[::2], rows[1::2], strict=True):
        said = absent["absent"]
        assert (right["text"], right["split"]) == (said["original"], absent["split"])
        assert right["label"] != "none"
        assert (absent["label"], absent["boxes"], absent["targets"]) == ("none", [], [])
        assert absent["text"] != right["text"]
        expression = expression_from_plain(absent["expression"])
        assert not any(denotation(expression, scene) for scene in scenes_of(by_id[right["id"]]))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(made, capsys, tmp_path):
    """And another seed gives others."""
    if convert(capsys, made, tmp_path / "one.jsonl", "--seed", "7")[0]:
        return
    convert(capsys, made, tmp_path / "same.jsonl", "--seed", "7")
    convert(capsys, made, tmp_path / "other.jsonl", "--seed", "8")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "same.jsonl").read_bytes()
    assert (tmp_path / "one.jsonl").read_bytes() != (tmp_path / "other.jsonl").read_bytes()


def test_an_unknown_layout_of_absent_things_is_named(made, capsys, tmp_path):
    """With those that there are."""
    assert main(["convert", str(made.path), str(tmp_path / "x"), "--to", "absent-xml"]) == 2
    assert "absent-refer, absent-coco, absent-tsv, absent-jsonl" in capsys.readouterr().err
