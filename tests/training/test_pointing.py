"""A model may learn to point at the target, or at all that is mentioned, besides learning to say plans."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
import torch

from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.grid.data import _arrays as arrays_module
from deixis.worlds.grid.data._arrays import load_plan_arrays, words_of
from deixis.worlds.grid.language import read
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.models.policy import Batch
from deixis.worlds.grid.models.registry import build
from deixis.worlds.grid.roles import Role, decode_role, mention_addresses
from deixis.worlds.grid.training._data import DeviceData
from deixis.worlds.grid.training._losses import losses_of, mentions_cost
from deixis.worlds.grid.training.course import train
from deixis.worlds.grid.training.predict import predict
from tests.datasets.tiny import quick
from tests.models.made import SMALL, small_transformer, some_examples, started
from tests.training.small import are_equal, small, stepping, weights


CPU = torch.device("cpu")
POINTS = {"points": True, "dropout": 0.0}
STRUCTURE = {"shared_blocks": True, "relative_words": True, "points_mentions": True, "dropout": 0.0}


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


def test_nouns_and_cells_are_those_of_what_is_mentioned(dataset, arrays):
    """By the parser, which the arrays do without: a phrase ends with its noun, and roles say whose object is which."""
    rows = pa.concat_tables(dataset.tables("train")).to_pylist()
    for row, found in zip(rows, arrays.mentions.tolist(), strict=True):
        said = read(row["command"])
        roles = [decode_role(code) for code in row["role"]]
        wanted = []
        for number, address in enumerate(mention_addresses(said.expression)):
            role = Role("mentioned", number) if number else Role("target")
            place = roles.index(role)
            noun = said.spans[(*address, -1)][1] - 1
            wanted.append([noun, row["row"][place] * row["grid_size"] + row["column"][place]])
        assert found == wanted + [[-1, -1]] * (3 - len(wanted))
    assert arrays.taking(np.array([4, 2])).mentions.tolist() == arrays.mentions[[4, 2]].tolist()


def test_where_roles_are_not_recorded_only_the_target_is_known(dataset, words, monkeypatch):
    """What a phrase mentions is not guessed."""

    def silent(table, *others):
        where = table.schema.get_field_index("role")
        return piece(table.set_column(where, "role", pa.array([[]] * len(table), pa.list_(pa.uint8()))), *others)

    piece = arrays_module._piece
    monkeypatch.setattr(arrays_module, "_piece", silent)
    found = arrays_module.plan_arrays(dataset, "train", words)

    assert (found.mentions[:, 0, 1] == found.target).all()
    assert (found.mentions[:, 1:] == -1).all()


def test_a_target_that_is_not_there_is_told(dataset, words, monkeypatch):
    """Nothing is learnt from an example that means the seventieth of a dozen objects."""

    def spoilt(table, *others):
        where = table.schema.get_field_index("target")
        return piece(table.set_column(where, "target", pa.array([70] * len(table), pa.uint8())), *others)

    piece = arrays_module._piece
    monkeypatch.setattr(arrays_module, "_piece", spoilt)
    with pytest.raises(BrokenDataset, match="means an object that its world does not have"):
        arrays_module.plan_arrays(dataset, "train", words)


@pytest.mark.parametrize("name", ["m-lstm that points", "gcn-lstm that points", "transformer that points"])
def test_pointing_costs_what_is_missing_to_the_right_cell(name):
    """The mean of the negative logarithms of the shares of the right cells; parts of a batch add up to it."""
    model = started(SMALL[name])
    batch = some_examples(5, channels=model.channels, seed=4)
    with torch.no_grad():
        memory = model.encode(batch.words, batch.word_count, batch.grid)
        share = torch.softmax(model.target_scores(memory).double(), dim=1)
        whole = losses_of(model, batch).pointing
        parts = [Batch(*(part[rows] for part in batch)) for rows in (slice(0, 2), slice(2, 5))]
        found = [losses_of(model, part, examples=5).pointing for part in parts]

    assert share.shape == (5, 36)
    right = [float(row[cell]) for row, cell in zip(share, batch.target.tolist(), strict=True)]
    assert float(whole) == pytest.approx(-np.log(right).mean(), abs=1e-5)
    assert sum(map(float, found)) == pytest.approx(float(whole), abs=1e-5)


def test_pointing_at_mentions_costs_the_mean_over_those_of_an_example():
    """Whether an example mentions one object or two, it counts as much; what is not known costs nothing."""
    model = started(lambda: small_transformer(points_mentions=True))
    batch = some_examples(5, channels=model.channels, seed=4)
    with torch.no_grad():
        memory = model.encode(batch.words, batch.word_count, batch.grid)
        share = torch.softmax(model.mention_scores(memory).double(), dim=2)
        whole = losses_of(model, batch).pointing
        parts = [Batch(*(part[rows] for part in batch)) for rows in (slice(0, 2), slice(2, 5))]
        found = [losses_of(model, part, examples=5).pointing for part in parts]
        unknown = batch._replace(mentions=torch.full_like(batch.mentions, -1))
        nothing = losses_of(model, unknown).pointing

    assert share.shape == (5, 11, 36)
    assert batch.mentions[-1, 1].tolist() == [-1, -1]
    costs = [
        np.mean([-np.log(float(share[row, word, cell])) for word, cell in mentions if cell >= 0])
        for row, mentions in enumerate(batch.mentions.tolist())
    ]
    assert float(whole) == pytest.approx(np.mean(costs), abs=1e-5)
    assert sum(map(float, found)) == pytest.approx(float(whole), abs=1e-5)
    assert float(nothing) == 0


def test_pointing_at_the_target_and_at_mentions_add_up():
    """A model that does both pays for both."""
    model = started(lambda: small_transformer(points=True, points_mentions=True))
    batch = some_examples(5, channels=model.channels, seed=4)
    with torch.no_grad():
        memory = model.encode(batch.words, batch.word_count, batch.grid)
        of_target = torch.nn.functional.cross_entropy(model.target_scores(memory), batch.target)
        of_mentions = mentions_cost(model.mention_scores(memory), batch.mentions) / 5

        assert float(losses_of(model, batch).pointing) == pytest.approx(float(of_target + of_mentions), abs=1e-5)


@pytest.mark.parametrize("name", ["m-lstm that points", "gcn-lstm that points"])
def test_recurrent_models_point_by_the_first_attention_of_their_plan(name):
    """What the decoder finds on the grid before it says anything is the cells weighted by the scores for pointing."""
    model = started(SMALL[name])
    batch = some_examples(5, channels=model.channels, seed=4)
    shown, _ = model.layout.teach(batch.actions, batch.action_count)
    with torch.no_grad():
        memory = model.encode(batch.words, batch.word_count, batch.grid)
        token = model.decoder.embedding(shown[:, :1])
        (_, _, seen), _ = model.decoder.steps(memory, token, model.begin(memory, 1))
        share = torch.softmax(model.target_scores(memory), dim=1)

    assert torch.allclose(seen[:, 0], (share[:, None] @ memory.cells)[:, 0], atol=1e-6)
    assert share.std(dim=1).min() > 0


@pytest.mark.parametrize("name", ["m-lstm", "gcn-lstm", "transformer"])
def test_a_model_that_does_not_point_has_no_such_loss(name):
    """Asked where the target is, a transformer has nothing to say, and the others cannot be asked."""
    model = started(SMALL[name])
    batch = some_examples(5, channels=model.channels, seed=4)

    assert losses_of(model, batch).pointing is None
    assert not model.points
    memory = model.encode(batch.words, batch.word_count, batch.grid)
    if name == "transformer":
        assert model.target_scores(memory).shape == (5, 0)
        assert model.mention_scores(memory).shape == (5, 0, 36)
    else:
        with pytest.raises(NotImplementedError, match=r"does not point$"):
            model.target_scores(memory)
        with pytest.raises(NotImplementedError, match="does not point at what is mentioned"):
            model.mention_scores(memory)


@pytest.mark.slow
def test_a_model_learns_to_point(dataset, words):
    """All cells of some examples are found after some updates, and not before; the loss that is told is of plans."""
    torch.default_generator.manual_seed(3)
    sizes = {"width": 32, "heads": 4, "hidden": 32, "blocks": 2, "decoder_layers": 1} | POINTS
    model = build("transformer", sizes, len(words))
    seen = load_plan_arrays(dataset, "train", words, channels=model.channels)
    data = DeviceData(seen, CPU)
    rows, steps = np.arange(8), int(seen.plans.length.max()) + 1
    batch = data.batch(torch.from_numpy(rows), steps)

    def found() -> list[int]:
        with torch.no_grad():
            memory = model.encode(batch.words, batch.word_count, batch.grid)
        return model.target_scores(memory).argmax(dim=1).tolist()

    before = found()
    updates, take = stepping(model, data, batch_size=8, pointing=5.0, clip=1.0, seed=1)
    tokens = int(seen.plans.length[rows].sum()) + 8
    first = float(losses_of(model, batch).plans.detach())
    for update in range(120):
        take(update, rows, steps, 3e-3, tokens)
        if not update:
            assert float(updates.reported["loss"]) == pytest.approx(first, rel=1e-5)

    right = seen.target[:8].tolist()
    assert before != right
    assert found() == right


@pytest.mark.slow
def test_a_model_learns_to_point_at_all_that_is_mentioned(dataset, words):
    """The nouns of commands with two clauses find their three objects, with shared blocks and relative places."""
    torch.default_generator.manual_seed(3)
    sizes = {"width": 32, "heads": 4, "hidden": 32, "blocks": 3, "decoder_layers": 1, "norm_first": True}
    model = build("transformer", sizes | STRUCTURE, len(words))
    seen = load_plan_arrays(dataset, "train", words, channels=model.channels)
    rows = np.flatnonzero(seen.mentions[:, 2, 1] >= 0)[:6]
    steps = int(seen.plans.length[rows].max()) + 1
    data = DeviceData(seen, CPU)
    batch = data.batch(torch.from_numpy(rows), steps)

    def found() -> list[list[int]]:
        with torch.no_grad():
            memory = model.encode(batch.words, batch.word_count, batch.grid)
        places = model.mention_scores(memory).argmax(dim=2)
        return places.gather(1, batch.mentions[:, :, 0]).tolist()

    before = found()
    _, take = stepping(model, data, batch_size=len(rows), pointing=5.0, clip=1.0, seed=1)
    for update in range(150):
        take(update, rows, steps, 3e-3, int(seen.plans.length[rows].sum()) + len(rows))

    right = seen.mentions[rows, :, 1].tolist()
    assert len(rows) == 6
    assert before != right
    assert found() == right


def test_pointing_changes_what_is_learnt_and_goes_on_where_it_stopped(dataset, tmp_path):
    """With a weight of 0 the head stays as it began; stopped on the way, the same weights come out."""
    how = {"settings": POINTS, "pointing": 1.0}
    train(dataset, small("transformer", **how), tmp_path / "whole", device="cpu")
    train(dataset, small("transformer", **how, steps=5), tmp_path / "parts", device="cpu")
    train(dataset, small("transformer", **how), tmp_path / "parts", device="cpu")
    train(dataset, small("transformer", settings=POINTS), tmp_path / "without", device="cpu")
    train(dataset, small("transformer", settings=POINTS, steps=1), tmp_path / "once", device="cpu")

    names = ("whole", "without", "once")
    whole, without, once = (weights(tmp_path / name / "last.safetensors") for name in names)
    assert are_equal(tmp_path / "whole" / "last.safetensors", tmp_path / "parts" / "last.safetensors")
    assert not are_equal(tmp_path / "whole" / "last.safetensors", tmp_path / "without" / "last.safetensors")
    assert not torch.equal(whole["point.weight"], without["point.weight"])
    assert torch.equal(once["point.weight"], without["point.weight"])


def test_a_model_may_learn_to_point_afterwards_and_give_it_up(dataset, tmp_path):
    """It begins with all weights of one that does not point; only what points is new, and may be left out again."""
    train(dataset, small("transformer"), tmp_path / "first", device="cpu")
    told = small("transformer", settings={"points": True}, pointing=1.0, steps=1, lr=1e-12)
    train(dataset, told, tmp_path / "second", device="cpu", begin=tmp_path / "first" / "best.safetensors")

    first, second = (weights(tmp_path / name / "best.safetensors") for name in ("first", "second"))
    assert second.keys() - first.keys() == {"point.weight"}
    assert all(torch.allclose(first[name], second[name], atol=1e-6) for name in first)

    told = small("transformer", settings={"points": False}, steps=1, lr=1e-12)
    train(dataset, told, tmp_path / "third", device="cpu", begin=tmp_path / "second" / "best.safetensors")
    assert weights(tmp_path / "third" / "best.safetensors").keys() == first.keys()

    told = small("transformer", settings={"points_mentions": True}, pointing=1.0, steps=1, lr=1e-12)
    train(dataset, told, tmp_path / "fourth", device="cpu", begin=tmp_path / "first" / "best.safetensors")
    fourth = weights(tmp_path / "fourth" / "best.safetensors")
    assert fourth.keys() - first.keys() == {"point_mentions.weight"}


def test_a_training_with_all_options_goes_on_where_it_stopped(dataset, tmp_path):
    """Shared blocks, distances and mentions: stopped on the way, the same weights come out, and plans are said."""
    how = {"settings": STRUCTURE | {"points": True}, "pointing": 1.0}
    train(dataset, small("transformer", **how), tmp_path / "whole", device="cpu")
    train(dataset, small("transformer", **how, steps=5), tmp_path / "parts", device="cpu")
    train(dataset, small("transformer", **how), tmp_path / "parts", device="cpu")

    assert are_equal(tmp_path / "whole" / "last.safetensors", tmp_path / "parts" / "last.safetensors")
    names = weights(tmp_path / "whole" / "best.safetensors").keys()
    assert {name.split(".")[1] for name in names if name.startswith("blocks.")} == {"0"}
    assert "words.place.weight" not in names
    plans = predict(tmp_path / "whole" / "best.safetensors", dataset, ["dev"], tmp_path / "plans", device="cpu")
    assert len(plans["dev"].ids) == dataset.splits["dev"]


def test_who_cannot_point_says_so(dataset, tmp_path):
    """Of an M-LSTM, or a transformer that was not told to."""
    for model in ("m-lstm", "transformer"):
        with pytest.raises(RecipeError, match=rf"this {model} does not point, so pointing must be 0"):
            train(dataset, small(model, pointing=1.0), tmp_path / model, device="cpu")
    with pytest.raises(RecipeError, match="pointing must be a number from 0 to 100"):
        small("transformer", pointing=-1.0)
