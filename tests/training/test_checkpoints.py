from __future__ import annotations

import json
import resource
import struct
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from deixis.errors import BrokenCheckpoint, DivergedTraining
from deixis.learn._checkpoints import half_bundle, read_facts, write_bundle
from deixis.learn.run import checkpoint_of, find_checkpoint, shipped_checkpoints, world_of_checkpoint
from deixis.worlds.grid.data._arrays import load_plan_arrays
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool
from deixis.worlds.grid.training._checkpoints import load_model, name_in, read_checkpoint, selection_of
from deixis.worlds.grid.training.course import train
from deixis.worlds.grid.training.predict import exact_matches, say_plans
from tests.datasets.tiny import quick
from tests.training.small import SIZES, are_equal, small, weights


@pytest.fixture(scope="module", params=list(SIZES))
def run(request, dataset, tmp_path_factory):
    """A finished training."""
    return train(dataset, small(request.param, steps=2), tmp_path_factory.mktemp("run") / "run", device="cpu").path


@pytest.fixture
def checkpoint(run):
    """Its last checkpoint."""
    return read_checkpoint(run / "last.safetensors")


def sizes_in(facts: dict) -> dict:
    """The sizes of the one model that facts are about."""
    return next(iter(facts["models"].values()))


@contextmanager
def no_room(size: int):
    """A disk on which no file can be larger than so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_checkpoint_survives_being_written(checkpoint, tmp_path):
    """Reading is the inverse of writing, and writing the same again gives the same bytes."""
    path, again = tmp_path / "one.safetensors", tmp_path / "two.safetensors"

    write_bundle(path, checkpoint)
    found = read_checkpoint(path)
    write_bundle(again, found)

    assert found.facts() == checkpoint.facts()
    assert all(torch.equal(found.weights[name], tensor) for name, tensor in checkpoint.weights.items())
    assert all(torch.equal(found.memory[name], tensor) for name, tensor in checkpoint.memory.items())
    assert path.read_bytes() == again.read_bytes()


def test_a_checkpoint_tells_where_it_comes_from(checkpoint, dataset):
    """Data, training and versions are in the file itself."""
    assert checkpoint.data["digest"] == dataset.manifest["content"]
    assert checkpoint.data["patterns"] == ["p1", "p3"]
    assert checkpoint.data["random_only"] is False
    assert checkpoint.training["seed"] == 1
    assert checkpoint.step == 2
    assert "walk" in checkpoint.vocabulary
    assert checkpoint.torch == torch.__version__


def test_half_the_precision_is_half_the_size(checkpoint, tmp_path):
    """Weights come back in float32, rounded to what bfloat16 can hold; Adam's memory is left out."""
    path = tmp_path / "half.safetensors"

    write_bundle(path, half_bundle(checkpoint))
    found = read_checkpoint(path)

    stored = load_file(path)
    assert {tensor.dtype for tensor in stored.values()} == {torch.bfloat16}
    assert not found.memory
    for name, tensor in checkpoint.weights.items():
        assert found.weights[name].dtype == torch.float32
        assert torch.equal(found.weights[name], tensor.bfloat16().float())
    assert load_model(found, torch.device("cpu")).training is False


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_never_written(checkpoint, tmp_path, value):
    """The file before it stays as it was, and is named."""
    path = tmp_path / "last.safetensors"
    write_bundle(path, checkpoint)
    before = path.read_bytes()
    name, tensor = next(iter(checkpoint.weights.items()))
    broken = replace(checkpoint, weights={**checkpoint.weights, name: torch.full_like(tensor, value)})

    with pytest.raises(DivergedTraining, match=r"no longer numbers at step 2; the last good checkpoint is .*last"):
        write_bundle(path, broken)

    assert path.read_bytes() == before


def test_a_full_disk_leaves_the_file_before(checkpoint, tmp_path):
    """A checkpoint that cannot be written whole is not written at all, and leaves nothing behind."""
    path = tmp_path / "last.safetensors"
    write_bundle(path, checkpoint)
    before = path.read_bytes()

    with no_room(len(before) // 2), pytest.raises(OSError, match=r"."):
        write_bundle(path, replace(checkpoint, step=99))

    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["last.safetensors"]


def test_the_checkpoint_of_another_model_is_told(checkpoint, tmp_path):
    """Facts of one model around the weights of another."""
    others = [name for name in SIZES if name != name_in(checkpoint)]
    for other in others:
        path = tmp_path / f"{other}.safetensors"
        write_bundle(path, replace(checkpoint, models={other: SIZES[other]}))
        with pytest.raises(BrokenCheckpoint, match=f"is not a checkpoint of (this )?{other}"):
            read_checkpoint(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda facts: facts.update(models={"gpt": {}}), "unknown model 'gpt'"),
        (lambda facts: sizes_in(facts).update(width=1 << 40), "cannot build"),
        (lambda facts: sizes_in(facts).update(width=16), "is not a checkpoint of this"),
        (lambda facts: facts.update(kind="run"), "is no checkpoint of a model that .* of format 2 or 1"),
        (lambda facts: facts.update(format=3), "is no checkpoint of a model that .* of format 2 or 1"),
        (lambda facts: facts.update(models={}), "has, without need,"),
        (lambda facts: facts.pop("vocabulary"), "does not say 'vocabulary'"),
        (lambda facts: facts.update(step=True), "does not say 'step'"),
        (lambda facts: facts.update(vocabulary=[]), "no list of words"),
        (lambda facts: facts.update(vocabulary=[1, 2]), "no list of words"),
        (lambda facts: facts["data"].update(channels=3), "says 3 channels"),
        (lambda facts: facts["data"].pop("cells"), "does not say one model and the grids that it sees"),
        (lambda facts: facts["metrics"].update(evaluations="x"), "'evaluations' of its metrics"),
        (lambda facts: facts["metrics"].update(dev={"examples": [2000]}), "'dev' of its metrics"),
        (lambda facts: facts["training"].update(seed="1"), "'seed' of its training"),
        (lambda facts: facts["data"].update(name=7), "'name' of its data"),
        (lambda facts: facts["data"].update(patterns=[1]), "'patterns' of its data"),
    ],
)
def test_facts_that_cannot_be_are_told(checkpoint, run, tmp_path, change, complaint):
    """Each in one line, without building what a file claims."""
    facts = json.loads(json.dumps(checkpoint.facts()))
    change(facts)
    path = tmp_path / "odd.safetensors"
    save_file(load_file(run / "last.safetensors"), path, {"deixis": json.dumps(facts)})

    with pytest.raises(BrokenCheckpoint, match=complaint):
        read_checkpoint(path)


def test_weights_that_lack_or_exceed_are_told(checkpoint, run, tmp_path):
    """A tensor too few, one too many, and memory of only some weights."""
    whole = load_file(run / "last.safetensors")
    name = next(iter(checkpoint.weights))
    said = {"deixis": json.dumps(checkpoint.facts())}
    path = tmp_path / "odd.safetensors"
    missing_memory = next(one for one in whole if one.startswith("second/"))
    for tensors, complaint in (
        ({key: tensor for key, tensor in whole.items() if key != name}, f"lacks the weights '{name}'"),
        ({**whole, "more": torch.zeros(1)}, "has, without need, the weights 'more'"),
        ({key: tensor for key, tensor in whole.items() if key != missing_memory}, f"lacks .*'{missing_memory}'"),
    ):
        save_file(tensors, path, said)
        with pytest.raises(BrokenCheckpoint, match=complaint):
            read_checkpoint(path)


def as_earlier(path: Path, out: Path) -> Path:
    """A checkpoint as version 0.1 wrote it: facts of one model, and tensors named as in the model."""
    found = read_checkpoint(path)
    (name, settings), data, dev = next(iter(found.models.items())), dict(found.data), found.metrics["dev"]
    facts = {
        "format": 1,
        "kind": "checkpoint",
        "model": name,
        "settings": settings,
        "vocabulary": found.vocabulary,
        "cells": data.pop("cells"),
        "channels": data.pop("channels"),
        "training": found.training,
        "digest": found.digest,
        "data": data,
        "update": found.step,
        "metrics": {
            "update": found.step,
            "looks": found.metrics["evaluations"],
            "best": found.metrics["best"]["merit"],
            "best_update": found.metrics["best"]["step"],
            "seconds": 1.5,
            "learning_seconds": 1.25,
            "loss": 2.0,
            "exact": dev["exact"],
            "dev_examples": dev["examples"],
        },
        "deixis": "0.1.0",
        "torch": found.torch,
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    save_file(weights(path), out, {"deixis": json.dumps(facts)})
    return out


def test_checkpoints_of_the_earlier_layout_are_read(run, checkpoint, tmp_path):
    """Models, weights, moments and how they were chosen are what a checkpoint of today says."""
    found = read_checkpoint(as_earlier(run / "last.safetensors", tmp_path / "last.safetensors"))

    assert {**found.facts(), "metrics": {}, "deixis": ""} == {**checkpoint.facts(), "metrics": {}, "deixis": ""}
    assert found.metrics == {**checkpoint.metrics, "seconds": 1.5, "learning_seconds": 1.25}
    assert selection_of(found) == selection_of(checkpoint)
    for ours, theirs in ((found.weights, checkpoint.weights), (found.memory, checkpoint.memory)):
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    assert world_of_checkpoint(tmp_path / "last.safetensors").name == "grid"


def test_a_run_of_the_earlier_layout_goes_on(run, dataset, tmp_path):
    """To the weights of an undisturbed run."""
    model = name_in(read_checkpoint(run / "last.safetensors"))
    as_earlier(run / "last.safetensors", tmp_path / "parts" / "last.safetensors")
    train(dataset, small(model, steps=4), tmp_path / "parts", device="cpu")
    train(dataset, small(model, steps=4), tmp_path / "whole", device="cpu")

    assert are_equal(tmp_path / "parts" / "last.safetensors", tmp_path / "whole" / "last.safetensors")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda facts: facts.update(model="gpt"), "unknown model 'gpt'"),
        (lambda facts: facts.update(model=[1]), "unknown model"),
        (lambda facts: facts.pop("model"), "unknown model"),
        (lambda facts: facts.update(settings=3), "does not say the sizes"),
        (lambda facts: facts["settings"].update(width=16), "is not a checkpoint of this"),
        (lambda facts: facts.update(format=2), "of format 2 or 1"),
        (lambda facts: facts.update(channels=3), "says 3 channels"),
        (lambda facts: facts.pop("cells"), "the grids that it sees"),
        (lambda facts: facts.update(data=[]), "does not say 'data'"),
        (lambda facts: facts.update(metrics=7), "does not say 'metrics'"),
        (lambda facts: facts["metrics"].update(looks="x"), "'evaluations' of its metrics"),
        (lambda facts: facts["metrics"].update(best={}), "'best' of its metrics"),
    ],
)
def test_impossible_facts_of_the_earlier_layout_are_told(run, tmp_path, change, complaint):
    """Each in one line."""
    path = as_earlier(run / "last.safetensors", tmp_path / "odd.safetensors")
    facts = read_facts(path)
    change(facts)
    save_file(load_file(path), path, {"deixis": json.dumps(facts)})

    with pytest.raises(BrokenCheckpoint, match=complaint):
        read_checkpoint(path)


@given(share=st.floats(0, 0.999))
def test_a_truncated_file_is_told(run, tmp_path_factory, share):
    """Wherever it was cut."""
    content = (run / "last.safetensors").read_bytes()
    path = tmp_path_factory.getbasetemp() / "cut.safetensors"
    path.write_bytes(content[: int(len(content) * share)])

    with pytest.raises(BrokenCheckpoint, match="cannot be read as a safetensors file"):
        read_checkpoint(path)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"PK\x03\x04 a pickled model", "cannot be read as a safetensors file"),
        (struct.pack("<Q", 1 << 60) + b"{}", "cannot be read as a safetensors file"),
        (struct.pack("<Q", 2) + b"{}", "deixis did not write it"),
        (struct.pack("<Q", 35) + b'{"__metadata__":{"deixis":"[[[[["}}', "facts that are no JSON"),
    ],
)
def test_whatever_else_it_is_is_told(tmp_path, content, complaint):
    """Pickles, headers without end, files of others."""
    path = tmp_path / "other.safetensors"
    path.write_bytes(content)

    with pytest.raises(BrokenCheckpoint, match=complaint):
        read_checkpoint(path)


def test_a_missing_file_is_told(tmp_path):
    """In one line."""
    with pytest.raises(BrokenCheckpoint, match="there is no checkpoint"):
        read_checkpoint(tmp_path / "none.safetensors")


def test_checkpoints_are_found(run, tmp_path):
    """A file, the best of a run, or a name that comes with deixis; anything else is not one."""
    assert find_checkpoint(run) == run / "best.safetensors"
    assert find_checkpoint(run / "last.safetensors") == run / "last.safetensors"
    assert find_checkpoint(tmp_path) is None
    assert find_checkpoint(tmp_path / "answers.jsonl") is None
    assert all(path.stat().st_size < 10_000_000 for path in shipped_checkpoints().values())


def test_a_folder_of_results_does_not_hide_a_checkpoint_of_ours(run, tmp_path, monkeypatch):
    """What judging left in a folder called like a model is no model; a run in one could be meant as well."""
    monkeypatch.chdir(tmp_path)
    folder = Path("gcn-lstm")
    (folder / "predictions").mkdir(parents=True)
    (folder / "evaluation.json").write_text("{}", encoding="utf-8")
    (folder / "verdicts.parquet").write_bytes(b"")

    assert find_checkpoint(folder) == shipped_checkpoints()["gcn-lstm"]
    (folder / "best.safetensors").write_bytes((run / "best.safetensors").read_bytes())
    with pytest.raises(BrokenCheckpoint, match=r"write \./gcn-lstm for what is here"):
        find_checkpoint(folder)
    assert find_checkpoint(folder.absolute()) == folder.absolute() / "best.safetensors"


def test_a_run_without_a_best_checkpoint_is_told(run, tmp_path):
    """One that was stopped before its first look."""
    (tmp_path / "last.safetensors").write_bytes((run / "last.safetensors").read_bytes())

    with pytest.raises(BrokenCheckpoint, match=r"has no best\.safetensors yet"):
        find_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("name", "least"), [("m-lstm", 0.5), ("gcn-lstm", 0.75), ("program", 0.95), ("transformer", 0.85)]
)
def test_models_that_come_with_deixis_understand_fresh_commands(name, least, tmp_path):
    """On commands and boards made as those of their training were, by another seed, they are mostly right."""
    pools = (Pool(name="p1", pattern="p1", commands=20, worlds=1), Pool(name="p2", pattern="p2", commands=20, worlds=1))
    dataset = make(quick(seed=1234, pools=pools, hold_out=()), tmp_path / "data")
    checkpoint = read_checkpoint(shipped_checkpoints()[name])
    model = load_model(checkpoint, torch.device("cpu"))
    arrays = load_plan_arrays(dataset, "train", checkpoint.vocabulary, channels=model.channels)

    said = say_plans(model, arrays, torch.device("cpu"))

    assert len(arrays) > 25
    assert exact_matches(*said, arrays).mean() > least


def test_checkpoints_that_come_with_deixis_are_of_their_worlds():
    """Each world names its own, and a file says which world it is of."""
    homes = {name: world_of_checkpoint(path).name for name, path in shipped_checkpoints().items()}

    assert homes == {
        **dict.fromkeys(("m-lstm", "gcn-lstm", "program", "transformer"), "grid"),
        **dict.fromkeys(("room-encoder", "speaker-b", "speaker-contrast", "speaker-rp", "speaker-sp"), "rooms"),
    }
    assert set(shipped_checkpoints("grid")) == {"m-lstm", "gcn-lstm", "program", "transformer"}
    with pytest.raises(BrokenCheckpoint, match=r"nobody is neither .* comes with deixis \(room-encoder, speaker-b"):
        checkpoint_of("nobody", world="rooms")


def test_a_checkpoint_of_no_world_is_told(tmp_path):
    """Another package may have made it, which is not installed."""
    path = tmp_path / "other.safetensors"
    save_file({"a": torch.zeros(1)}, path, {"deixis": '{"kind": "beads"}'})

    with pytest.raises(BrokenCheckpoint, match="of no world that is installed here"):
        world_of_checkpoint(path)
