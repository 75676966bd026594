"""Readers of tables: what they are told, that they learn, and that their checkpoints answer."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from deixis._cli import main
from deixis.errors import BrokenCheckpoint, BrokenDataset
from deixis.judge._evaluation import evaluate_request
from deixis.judge.request import Request
from deixis.resolution.reference import denotation
from deixis.worlds.tabletop._examples import EXAMPLES
from deixis.worlds.tabletop._language.part import LANGUAGE
from deixis.worlds.tabletop._models.course import TABLES, learn_to_point
from deixis.worlds.tabletop._models.reader import SYMBOLS, TableReader, TableReaderSettings
from deixis.worlds.tabletop._models.settings import CROP, TableReading
from deixis.worlds.tabletop._models.tables import arrays_of, kept_arrays, line_of
from deixis.worlds.tabletop.world import WORLD
from tests.stopping import demand_resumed


FEW = {"steps": 3, "batch_size": 8, "width": 8, "pair": 4, "eval_every": 3, "save_every": 3}


def meant(tables):
    """The examples of a dataset in which a solid is meant."""
    return [example for example in EXAMPLES.open(tables) if example.target is not None]


def test_a_bag_knows_the_words_and_not_what_they_belong_to():
    """Two expressions of the same words are the same bag, and different programs."""
    one, other = (
        LANGUAGE.read(text).expression
        for text in ("the red cube left of a shiny sphere", "the shiny sphere left of a red cube")
    )

    assert line_of(one, "bag") == line_of(other, "bag")
    assert line_of(one, "parse") != line_of(other, "parse")
    assert line_of(one, "nothing") == line_of(LANGUAGE.read("the ring").expression, "nothing")


def test_arrays_hold_the_solids_and_the_target(tables):
    """The target is a solid that is there, and its values are those of the example."""
    examples = meant(tables)[:20]
    arrays = arrays_of(examples, sees=False)

    assert arrays.images == 1
    for row, example in enumerate(examples):
        assert arrays.there[row].sum() == len(example.scenes[0])
        assert arrays.there[row, arrays.target[row]]
        assert example.target.object in denotation(example.expression, example.scenes[0])
        solid = example.scenes[0].table.solids[arrays.target[row]]
        told = {SYMBOLS.names[k] for k in np.flatnonzero(arrays.seen[row, arrays.target[row], :-2])}
        assert told == {f"{name} {getattr(solid, name)}" for name in ("size", "color", "material", "shape")}


def test_a_crop_shows_the_colour_of_its_solid(tables):
    """The middle of a matte red sphere is redder than that of a matte blue one."""
    examples = meant(tables)[:30]
    arrays = arrays_of(examples, sees=True)
    redness = {"red": [], "blue": []}
    for row, example in enumerate(examples):
        for k, solid in enumerate(example.scenes[0].table.solids):
            if solid.color in redness and solid.shape == "sphere" and solid.material == "matte":
                middle = arrays.seen[row, k, :, CROP // 2, CROP // 2].astype(float)
                redness[solid.color].append(middle[0] - middle[2])
    assert redness["red"]
    assert redness["blue"]
    assert min(redness["red"]) > 0 > max(redness["blue"])


@pytest.mark.slow
def test_the_same_training_gives_the_same_weights_and_arrays_are_kept(tables, tmp_path):
    """With what is seen worked out once, and read again."""
    how = TableReading(**FEW)
    facts = [
        learn_to_point(how, tables, tmp_path / name, sees=False, device="cpu", cache=tmp_path / "cache")
        for name in ("one", "two")
    ]

    assert facts[0]["dev"] == facts[1]["dev"]
    one, two = (load_file(tmp_path / name / "best.safetensors") for name in ("one", "two"))
    assert all(torch.equal(one[name], two[name]) for name in (*one, *two))
    assert len(list((tmp_path / "cache").glob("*-values.npz"))) == 2
    for file in (tmp_path / "cache").glob("*.npz"):
        file.write_bytes(b"no arrays")
        with pytest.raises(BrokenDataset, match="delete it"):
            kept_arrays(file, lambda: None)


@pytest.mark.slow
def test_a_reader_learns_what_words_mean(tables, tmp_path, capsys):
    """After a hundred steps it is far better than chance on what it learnt from, and its checkpoint is judged."""
    words = ("--steps", "100", "--batch-size", "32", "--lr", "0.01", "--eval-every", "50")
    assert main(["train", "tabletop-program", "--data", str(tables), "--out", str(tmp_path / "run"), *words]) == 0
    capsys.readouterr()

    assert main(["evaluate", str(tmp_path / "run"), "--data", str(tables), "--split", "train", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["model"] == "tabletop-program"
    assert said["overall"]["accuracy"]["mean"] > said["overall"]["chance"] + 0.25


@pytest.mark.slow
def test_a_reader_that_is_stopped_goes_on_answering(tables, tmp_path, monkeypatch):
    """Splits that were answered are not answered again, and every file is as if nothing had happened."""
    run = tmp_path / "run"
    learn_to_point(TableReading(**FEW), tables, run, sees=False, device="cpu")
    request = Request(answers=(run,), data=tables, workers=1, device="cpu", splits=("train", "test"))

    demand_resumed(lambda out: evaluate_request(WORLD, replace(request, out=out)), tmp_path, monkeypatch)


@pytest.mark.slow
def test_pictures_are_looked_at_through_a_network(tables, tmp_path, capsys):
    """A reader that sees trains, and its checkpoint answers every example in which a solid is meant."""
    how = TableReading(**{**FEW, "steps": 1, "reads": "bag"})
    learn_to_point(how, tables, tmp_path / "run", sees=True, device="cpu")

    assert main(["evaluate", str(tmp_path / "run"), "--data", str(tables), "--split", "test", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["model"] == "tabletop-pixels, bag"
    assert "unanswered" not in said["overall"]["outcomes"]


@pytest.mark.parametrize(
    "sizes", [{"crop": 0, "width": 0, "pair": 4}, {"crop": 7, "width": 8, "pair": 4}, {"crop": 0, "depth": 3}]
)
def test_a_checkpoint_of_impossible_sizes_is_refused(sizes):
    """In one line, before any memory is taken."""
    with pytest.raises(BrokenCheckpoint) as caught:
        TABLES.build("reader", sizes, SYMBOLS.names)
    assert "\n" not in str(caught.value)


def test_solids_that_are_not_there_are_never_found():
    """Room for more solids changes nothing."""
    reader = TableReader(TableReaderSettings(crop=0, width=8, pair=4)).eval()
    lines = torch.tensor([line_of(LANGUAGE.read("the red cube left of a sphere").expression, "parse")])
    seen, places, there = torch.rand(1, 5, 19), torch.rand(1, 5, 4), torch.tensor([[True, True, True, False, False]])
    with torch.no_grad():
        all_of_it = reader(lines, seen, places, there)
        alone = reader(lines, seen[:, :3], places[:, :3], there[:, :3])

    assert torch.allclose(all_of_it[:, :3], alone, atol=1e-5)
    assert bool((all_of_it[:, 3:] < -100).all())
