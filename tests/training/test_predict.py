from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from shutil import copytree, ignore_patterns

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from deixis.data.store import open_dataset
from deixis.errors import BrokenCheckpoint, RecipeError, UnknownName
from deixis.worlds.grid.data._arrays import load_plan_arrays
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.training._checkpoints import load_model, read_checkpoint
from deixis.worlds.grid.training.course import train
from deixis.worlds.grid.training.predict import predict, say_plans
from tests.datasets.tiny import quick
from tests.training.small import SIZES, small


@pytest.fixture(scope="module", params=list(SIZES))
def best(request, dataset, tmp_path_factory):
    """The best checkpoint of a short training."""
    folder = tmp_path_factory.mktemp("run") / "run"
    return train(dataset, small(request.param, steps=4), folder, device="cpu").path / "best.safetensors"


def test_predictions_are_what_the_model_says(best, dataset, tmp_path):
    """The file holds the plans of the weights in the checkpoint, in the order of the split."""
    plans = predict(best, dataset, ["dev"], tmp_path, device="cpu", limit=12, batch=3)["dev"]

    found = read_checkpoint(best)
    arrays = load_plan_arrays(dataset, "dev", found.vocabulary, channels=found.data["channels"])
    actions, starts = say_plans(load_model(found, torch.device("cpu")), arrays, torch.device("cpu"), limit=12)
    assert (plans.ids == arrays.ids).all()
    assert (plans.codes.values == actions).all()
    assert (plans.codes.start == starts).all()


def test_predictions_tell_where_they_come_from(best, dataset, tmp_path):
    """Model, checkpoint, data, seed, selection and limit travel with them."""
    facts = predict(best, dataset, ["dev"], tmp_path, device="cpu", limit=9)["dev"].facts

    assert (facts["kind"], facts["split"], facts["seed"], facts["updates"]) == ("plans", "dev", 1, 4)
    assert facts["checkpoint"] == sha256(best.read_bytes()).hexdigest()
    assert facts["data"] == facts["training"]["digest"] == dataset.manifest["content"]
    assert facts["selection"] == "dev exact match, best of 1 evaluations on 5 in-distribution examples"
    assert facts["decode_limit"] == 9


def test_the_limit_of_a_model_with_tables_is_told(dataset, tmp_path):
    """A transformer cannot say more than its table of places has room for."""
    training = small("transformer", steps=1, settings={"longest_plan": 90})
    folder = train(dataset, training, tmp_path / "run", device="cpu").path

    plans = predict(folder / "last.safetensors", dataset, ["dev"], tmp_path, device="cpu", limit=500)["dev"]

    assert plans.facts["decode_limit"] == 89


def test_what_was_said_before_is_not_said_again(best, dataset, tmp_path):
    """The same checkpoint, data and limit: the file stays; another limit: it is written anew."""
    path = tmp_path / "dev.parquet"
    predict(best, dataset, ["dev"], tmp_path, device="cpu", limit=7)
    before = path.stat().st_mtime_ns

    predict(best, dataset, ["dev"], tmp_path, device="cpu", limit=7)
    assert path.stat().st_mtime_ns == before
    predict(best, dataset, ["dev"], tmp_path, device="cpu", limit=3)
    assert path.stat().st_mtime_ns != before


def test_a_broken_file_of_predictions_is_written_anew(best, dataset, tmp_path):
    """Half a file is no answer."""
    (tmp_path / "dev.parquet").write_bytes(b"PAR1 and no more")

    assert len(predict(best, dataset, ["dev"], tmp_path, device="cpu", limit=3)["dev"].ids) == dataset.splits["dev"]


def test_other_words_are_told(best, tmp_path, monkeypatch):
    """The word, the command and what to do; nothing is silently taken for padding."""
    data = make(quick(), tmp_path / "data", workers=1)
    found = read_checkpoint(best)
    renamed = tuple("strolls" if word == "walk" else word for word in found.vocabulary)
    other = replace(found, vocabulary=renamed)
    monkeypatch.setattr("deixis.worlds.grid.training.predict.read_checkpoint", lambda _: other)

    with pytest.raises(UnknownName, match=r"the word 'walk' of the command .* is not among the"):
        predict(best, data, ["train"], tmp_path, device="cpu")


def test_grids_of_another_size_are_told(best, tmp_path):
    """A model of six by six cells is not asked about seven by seven."""
    data = make(quick(grid_size=7), tmp_path / "data", workers=1)

    with pytest.raises(BrokenCheckpoint, match="grids of 36 cells, but 'train' has grids of 49"):
        predict(best, data, ["train"], tmp_path, device="cpu")


def test_an_impossible_limit_is_refused(best, dataset, tmp_path):
    """At least one action."""
    with pytest.raises(RecipeError, match="at least 1 action"):
        predict(best, dataset, ["dev"], tmp_path, device="cpu", limit=0)


def test_commands_without_a_word_are_answered(best, dataset, tmp_path):
    """Nobody makes such data, but a file may hold them: something is said, whatever it is."""
    copytree(dataset.path, tmp_path / "silent", ignore=ignore_patterns(".arrays"))
    for file in (tmp_path / "silent" / "data").glob("dev-*.parquet"):
        table = pq.read_table(file)
        silent = pa.array([""] * len(table), pa.string())
        pq.write_table(table.set_column(table.schema.get_field_index("command"), "command", silent), file)

    plans = predict(best, open_dataset(tmp_path / "silent"), ["dev"], tmp_path, device="cpu", limit=5)["dev"]

    assert len(plans.ids) == dataset.splits["dev"]
