"""Beginning with the weights of another training: what is kept, what is learnt anew, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from deixis._cli import main
from deixis.errors import RecipeError
from deixis.learn._checkpoints import half_bundle, write_bundle
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool
from deixis.worlds.grid.training._checkpoints import name_in, read_checkpoint
from deixis.worlds.grid.training.course import train
from deixis.worlds.grid.training.settings import training_of
from tests.datasets.tiny import quick
from tests.training.small import SIZES, small


BEST = "best.safetensors"


@pytest.fixture(scope="module")
def first(dataset, tmp_path_factory):
    """The best checkpoint of every model, trained for a second."""
    folder = tmp_path_factory.mktemp("first")
    for model in SIZES:
        train(dataset, small(model), folder / model, device="cpu")
    return {model: folder / model / BEST for model in SIZES}


@pytest.mark.parametrize("model", SIZES)
def test_it_begins_where_the_other_ended(model, dataset, first, tmp_path):
    """With a rate of next to nothing the weights stay what they were, and sizes need not be said again."""
    told = training_of(model, {"steps": 1, "batch_size": 6, "lr": 1e-9, "dev_examples": 5, "decode_limit": 20})
    train(dataset, told, tmp_path, device="cpu", begin=first[model])
    before, after = read_checkpoint(first[model]), read_checkpoint(tmp_path / BEST)
    assert after.models == before.models
    assert after.vocabulary == before.vocabulary
    for name, weights in before.weights.items():
        assert torch.allclose(after.weights[name], weights, atol=1e-6), name
    facts = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert len(facts["training"]["begins with"]) == 64


def test_halves_are_enough_to_begin_with(dataset, first, tmp_path):
    """A checkpoint in bfloat16, as some come with deixis, is taken up in float32."""
    half = tmp_path / "half.safetensors"
    write_bundle(half, half_bundle(read_checkpoint(first["transformer"])))
    train(dataset, small("transformer", steps=2), tmp_path / "run", device="cpu", begin=half)
    assert all(one.dtype == torch.float32 for one in read_checkpoint(tmp_path / "run" / BEST).weights.values())


def test_stopped_it_goes_on_to_the_same_weights(dataset, first, tmp_path):
    """What it began with counts once; a second start goes on from its own checkpoint."""
    whole = train(dataset, small(steps=8), tmp_path / "whole", device="cpu", begin=first["m-lstm"])
    train(dataset, small(steps=4), tmp_path / "parts", device="cpu", begin=first["m-lstm"])
    train(dataset, small(steps=8), tmp_path / "parts", device="cpu", begin=first["m-lstm"])
    ours, theirs = (read_checkpoint(tmp_path / name / "last.safetensors").weights for name in ("parts", "whole"))
    assert whole.is_finished
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)

    with pytest.raises(RecipeError, match="it began with other weights"):
        train(dataset, small(steps=8, settings=_sizes_of(first["m-lstm"])), tmp_path / "parts", device="cpu")


def _sizes_of(path):
    return dict((found := read_checkpoint(path)).models[name_in(found)])


def test_what_does_not_fit_is_refused(dataset, first, tmp_path):
    """Another model, other sizes, words that were never seen and other grids are told in a line."""
    with pytest.raises(RecipeError, match="is a gcn-lstm; a m-lstm cannot begin with it"):
        train(dataset, small(), tmp_path / "a", device="cpu", begin=first["gcn-lstm"])
    with pytest.raises(RecipeError, match="has other sizes"):
        train(dataset, small(settings={"width": 12}), tmp_path / "b", device="cpu", begin=first["m-lstm"])

    less = tmp_path / "less.safetensors"
    found = read_checkpoint(first["transformer"])
    row = "transformer.words.row.weight"
    table = {row: found.weights[row][:-1]}
    write_bundle(less, replace(found, vocabulary=found.vocabulary[1:], weights={**found.weights, **table}))
    with pytest.raises(RecipeError, match=f"has never seen, such as {found.vocabulary[0]!r}"):
        train(dataset, small("transformer"), tmp_path / "c", device="cpu", begin=less)

    pools = (Pool(name="p1", pattern="p1", commands=40, worlds=1),)
    larger = make(quick(grid_size=7, pools=pools, dev=0.3), tmp_path / "larger", workers=1)
    with pytest.raises(RecipeError, match="grids of 36 cells, not 49"):
        train(larger, small("transformer"), tmp_path / "d", device="cpu", begin=first["transformer"])


def test_the_command_begins_with_what_comes_with_deixis(dataset, tmp_path, capsys):
    """By its name; what is no checkpoint is refused, with the names of those that there are."""
    said = ["--data", str(dataset.path), "--steps", "1", "--batch-size", "4", "--device", "cpu", "--eval-every", "1"]
    settings = tmp_path / "few.toml"
    settings.write_text("dev_examples = 2\ndecode_limit = 20\n", encoding="utf-8")
    run = ["train", "m-lstm", *said, "--settings", str(settings), "--out", str(tmp_path / "run")]
    assert main([*run, "--begin", "m-lstm"]) == 0
    assert read_checkpoint(tmp_path / "run" / BEST).step == 1

    assert main([*run[:-1], str(tmp_path / "other"), "--begin", "nothing"]) != 0
    assert "comes with deixis (m-lstm, gcn-lstm, program, transformer)" in capsys.readouterr().err
