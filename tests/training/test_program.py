"""The program model in training: it goes on to the same bytes, counts parser errors, and says what it was told."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from deixis.errors import RecipeError
from deixis.worlds.grid.data._arrays import load_plan_arrays
from deixis.worlds.grid.data.plans import read_plans
from deixis.worlds.grid.models._program import ProgramPolicy
from deixis.worlds.grid.models.registry import build
from deixis.worlds.grid.training._checkpoints import load_model, read_checkpoint
from deixis.worlds.grid.training._data import DeviceData, parser_errors
from deixis.worlds.grid.training._losses import supervision_of
from deixis.worlds.grid.training.course import train
from deixis.worlds.grid.training.predict import predict, say_plans
from tests.training.small import are_equal, small


CPU = torch.device("cpu")
LAST, BEST = "last.safetensors", "best.safetensors"


def test_stopped_it_goes_on_to_the_same_bytes(dataset, tmp_path):
    """Four steps and then eight more leave what twelve at once leave."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train(dataset, small("program"), whole, device="cpu")
    train(dataset, small("program", steps=4), parts, device="cpu")
    train(dataset, small("program"), parts, device="cpu")

    assert are_equal(whole / LAST, parts / LAST)
    assert are_equal(whole / BEST, parts / BEST)


def test_a_run_says_what_it_was_told(dataset, tmp_path):
    """The record of a run, and of its plans, names the supervision and counts parser errors."""
    train(dataset, small("program"), tmp_path, device="cpu")
    facts = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    predict(tmp_path / BEST, dataset, ["dev"], tmp_path / "plans", device="cpu", limit=10)
    told = read_plans(tmp_path / "plans" / "dev.parquet").facts

    assert facts["supervision"] == told["supervision"] == "plans and targets, told the parse"
    assert facts["parser errors"] == {"train": 0, "dev": 0}
    assert told["parser_errors"] == 0


@pytest.mark.parametrize(
    ("model", "settings", "pointing", "wanted"),
    [
        ("m-lstm", {}, 0.0, "plans"),
        ("transformer", {"points": True}, 0.0, "plans"),
        ("transformer", {"points": True}, 1.0, "plans and targets"),
        ("transformer", {"points": True, "points_mentions": True}, 1.0, "plans, targets and mentions"),
        ("transformer", {"parse_mask": True}, 0.0, "plans, told the parse"),
    ],
)
def test_supervision_is_said_in_words(model, settings, pointing, wanted):
    """What a model learns from follows from its sizes and its losses."""
    assert supervision_of(build(model, settings, 5), pointing) == wanted


@pytest.mark.parametrize("composes", [False, True])
def test_it_comes_back_from_its_checkpoint_as_it_was(dataset, words, tmp_path, composes):
    """A model that is read from a file says the same plans as the one that was written."""
    train(dataset, small("program", settings={"composes": composes}), tmp_path, device="cpu")
    arrays = load_plan_arrays(dataset, "dev", words, channels=25)

    plans = [say_plans(load_model(read_checkpoint(tmp_path / BEST), CPU), arrays, CPU, limit=20) for _ in range(2)]

    assert all(np.array_equal(one, other) for one, other in zip(*plans, strict=True))


def test_commands_that_nobody_can_parse_are_counted_and_answered(dataset, words):
    """With the words of every other command turned round, half of them are bags of words, and all have plans."""
    model = build("program", {}, words).eval()
    arrays = load_plan_arrays(dataset, "train", words, channels=25).first(12)
    turned = arrays.words.copy()
    for row in range(0, 12, 2):
        count = int(arrays.word_count[row])
        turned[row, :count] = turned[row, :count][::-1]
    scrambled = replace(arrays, words=turned)

    assert parser_errors(model, arrays) == 0
    assert parser_errors(model, scrambled) == 6
    assert len(say_plans(model, scrambled, CPU, limit=5)[1]) == 13


def test_a_bag_of_words_keeps_verb_manner_and_properties(words):
    """What cannot be parsed is scored by the same words, without relations."""
    model = build("program", {}, words)
    told, is_unread = model.tell(["push the red circle cautiously", "cautiously circle red push"])
    lines = [sorted(told[row, 2:].reshape(-1, 3).tolist()) for row in range(2)]

    assert is_unread.tolist() == [False, True]
    assert lines[0] == lines[1]
    assert told[0, :2].tolist() == told[1, :2].tolist()


def test_it_cannot_do_without_targets(dataset, tmp_path):
    """Without the loss of pointing nothing would teach it words, so that is refused."""
    with pytest.raises(RecipeError, match="pointing must be above 0"):
        train(dataset, small("program", pointing=0.0), tmp_path, device="cpu")


def test_shown_the_target_the_plan_is_about_it(dataset, words):
    """In training the decoder sees the cell that is meant, whatever was found."""
    model = build("program", {}, words).eval()
    assert isinstance(model, ProgramPolicy)
    arrays = load_plan_arrays(dataset, "train", words, channels=25).first(4)
    batch = DeviceData(arrays, CPU, teller=model).batch(torch.arange(4), 3)
    memory = model.show_target(model.encode(batch.words, batch.word_count, batch.grid, batch.told), batch.target)
    side = 6

    away = model.begin(memory, 1).away

    assert torch.equal(away, torch.stack((batch.target // side, batch.target % side), 1) - memory.agent[:, :2])


def test_a_transformer_learns_along_the_parse(dataset, tmp_path):
    """With attention along the parse a transformer takes its steps, says plans, and says what it was told."""
    run = train(dataset, small("transformer", steps=2, settings={"parse_mask": True}), tmp_path, device="cpu")

    assert run.facts["supervision"] == "plans, told the parse"
    assert run.facts["dev"]["examples"] == 5


def test_relations_that_it_never_learnt_are_parser_errors(words):
    """A model of ReaSCAN's words has no scores for the spatial relations of gSCAN, and one of theirs has."""
    command = "push the red circle next to a blue square"
    old, new = build("program", {}, words), build("program", {}, (*words, "next"))

    assert old.tell([command])[1].tolist() == [True]
    assert new.tell([command])[1].tolist() == [False]
    assert new.settings.symbols > old.settings.symbols == 25
