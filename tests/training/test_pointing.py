"""A model may learn to point at the target besides learning to say plans."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
import torch

from deixis.datasets import arrays as arrays_module
from deixis.datasets.arrays import load_plan_arrays, words_of
from deixis.datasets.make import make
from deixis.errors import BrokenDataset, RecipeError
from deixis.models.registry import build
from deixis.models.tokens import Batch
from deixis.training.data import DeviceData
from deixis.training.loop import train
from deixis.training.step import Stepper, losses_of
from tests.datasets.tiny import quick
from tests.models.made import SMALL, small_transformer, some_examples, started
from tests.training.small import are_equal, small, weights


CPU = torch.device("cpu")
POINTS = {"points": True, "dropout": 0.0}


def test_the_cell_is_that_of_the_object_that_is_meant(dataset, arrays):
    """Row by row, from the table's own columns."""
    rows = pa.concat_tables(dataset.tables("train")).to_pylist()
    cells = [row["row"][row["target"]] * row["grid_size"] + row["column"][row["target"]] for row in rows]

    assert arrays.target.tolist() == cells
    assert len(set(cells)) > 1
    assert arrays.taking(np.array([4, 2])).target.tolist() == [cells[4], cells[2]]


def test_arrays_from_before_there_were_targets_are_replaced(tmp_path):
    """They are made anew once, not every time, and nobody has to clear anything away."""
    dataset = make(quick(), tmp_path / "tiny", workers=1)
    words = words_of(dataset, "train")
    right = load_plan_arrays(dataset, "train", words).target.tolist()
    (folder,) = (dataset.path / ".arrays").iterdir()
    manifest = next(folder.glob("*.json"))
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    del facts["arrays"]["target"]
    facts["kind"] = "commands, grids and plans"  # as it was called then
    manifest.write_text(json.dumps(facts), encoding="utf-8")
    (folder / "target.npy").unlink()

    assert load_plan_arrays(dataset, "train", words).target.tolist() == right
    assert (folder / "target.npy").exists()
    assert list((dataset.path / ".arrays").iterdir()) == [folder]


def test_a_target_that_is_not_there_is_told(dataset, words, monkeypatch):
    """Nothing is learnt from an example that means the seventieth of a dozen objects."""

    def spoilt(table, *others):
        where = table.schema.get_field_index("target")
        return piece(table.set_column(where, "target", pa.array([70] * len(table), pa.uint8())), *others)

    piece = arrays_module._piece
    monkeypatch.setattr(arrays_module, "_piece", spoilt)
    with pytest.raises(BrokenDataset, match="means an object that its world does not have"):
        arrays_module.plan_arrays(dataset, "train", words)


def test_pointing_costs_what_is_missing_to_the_right_cell():
    """The mean of the negative logarithms of the shares of the right cells; parts of a batch add up to it."""
    model = started(lambda: small_transformer(points=True))
    batch = some_examples(5, channels=model.channels, seed=4)
    with torch.no_grad():
        memory = model.remember(batch.words, batch.word_count, batch.grid)
        share = torch.softmax(model.pointed(memory).double(), dim=1)
        whole = losses_of(model, batch).pointing
        parts = [Batch(*(part[rows] for part in batch)) for rows in (slice(0, 2), slice(2, 5))]
        found = [losses_of(model, part, examples=5).pointing for part in parts]

    assert share.shape == (5, 36)
    right = [float(row[cell]) for row, cell in zip(share, batch.target.tolist(), strict=True)]
    assert float(whole) == pytest.approx(-np.log(right).mean(), abs=1e-5)
    assert sum(map(float, found)) == pytest.approx(float(whole), abs=1e-5)


@pytest.mark.parametrize("name", ["m-lstm", "gcn-lstm", "transformer"])
def test_a_model_that_does_not_point_has_no_such_loss(name):
    """Asked where the target is, a transformer has nothing to say, and the others cannot be asked."""
    model = started(SMALL[name])
    batch = some_examples(5, channels=model.channels, seed=4)

    assert losses_of(model, batch).pointing is None
    assert not model.points
    memory = model.remember(batch.words, batch.word_count, batch.grid)
    if name == "transformer":
        assert model.pointed(memory).shape == (5, 0)
    else:
        with pytest.raises(NotImplementedError, match="does not point"):
            model.pointed(memory)


def test_a_model_learns_to_point(dataset, words):
    """All cells of some examples are found after some updates, and not before; the loss that is told is of plans."""
    torch.default_generator.manual_seed(3)
    sizes = {"width": 32, "heads": 4, "hidden": 32, "blocks": 2, "decoder_layers": 1} | POINTS
    model = build("transformer", sizes, len(words))
    seen = load_plan_arrays(dataset, "train", words, channels=model.channels)
    data = DeviceData(seen, CPU)
    rows, steps = np.arange(8), int(seen.action_count.max()) + 1
    batch = data.batch(torch.from_numpy(rows), steps)

    def found() -> list[int]:
        with torch.no_grad():
            memory = model.remember(batch.words, batch.word_count, batch.grid)
        return model.pointed(memory).argmax(dim=1).tolist()

    before = found()
    take = Stepper(model, data, CPU, batch=8, pointing=5.0, clip=1.0, seed=1, graphs=False)
    tokens = int(seen.action_count[rows].sum()) + 8
    first = float(losses_of(model, batch).plans.detach())
    for update in range(120):
        take(update, rows, steps, 3e-3, tokens)
        if not update:
            assert float(take.loss) == pytest.approx(first, rel=1e-5)

    right = seen.target[:8].tolist()
    assert before != right
    assert found() == right


def test_pointing_changes_what_is_learnt_and_goes_on_where_it_stopped(dataset, tmp_path):
    """With a weight of 0 the head stays as it began; stopped on the way, the same weights come out."""
    how = {"settings": POINTS, "pointing": 1.0}
    train(dataset, small("transformer", **how), tmp_path / "whole", device="cpu")
    train(dataset, small("transformer", **how, updates=5), tmp_path / "parts", device="cpu")
    train(dataset, small("transformer", **how), tmp_path / "parts", device="cpu")
    train(dataset, small("transformer", settings=POINTS), tmp_path / "without", device="cpu")
    train(dataset, small("transformer", settings=POINTS, updates=1), tmp_path / "once", device="cpu")

    names = ("whole", "without", "once")
    whole, without, once = (weights(tmp_path / name / "last.safetensors") for name in names)
    assert are_equal(tmp_path / "whole" / "last.safetensors", tmp_path / "parts" / "last.safetensors")
    assert not are_equal(tmp_path / "whole" / "last.safetensors", tmp_path / "without" / "last.safetensors")
    assert not torch.equal(whole["point.weight"], without["point.weight"])
    assert torch.equal(once["point.weight"], without["point.weight"])


def test_a_model_may_learn_to_point_afterwards_and_give_it_up(dataset, tmp_path):
    """It begins with all weights of one that does not point; only what points is new, and may be left out again."""
    train(dataset, small("transformer"), tmp_path / "first", device="cpu")
    told = small("transformer", settings={"points": True}, pointing=1.0, updates=1, rate=1e-12)
    train(dataset, told, tmp_path / "second", device="cpu", begin=tmp_path / "first" / "best.safetensors")

    first, second = (weights(tmp_path / name / "best.safetensors") for name in ("first", "second"))
    assert second.keys() - first.keys() == {"point.weight"}
    assert all(torch.allclose(first[name], second[name], atol=1e-6) for name in first)

    told = small("transformer", settings={"points": False}, updates=1, rate=1e-12)
    train(dataset, told, tmp_path / "third", device="cpu", begin=tmp_path / "second" / "best.safetensors")
    assert weights(tmp_path / "third" / "best.safetensors").keys() == first.keys()


def test_who_cannot_point_says_so(dataset, tmp_path):
    """Of an M-LSTM, or a transformer that was not told to."""
    for model in ("m-lstm", "transformer"):
        with pytest.raises(RecipeError, match=rf"this {model} does not point, so pointing must be 0"):
            train(dataset, small(model, pointing=1.0), tmp_path / model, device="cpu")
    with pytest.raises(RecipeError, match="pointing must be a number from 0 to 100"):
        small("transformer", pointing=-1.0)
