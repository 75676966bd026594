"""An encoder of regions that learns categories and attributes of other pictures, and what models see with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from deixis._cli.app import main
from deixis.errors import RecipeError
from deixis.learn._checkpoints import read_bundle
from deixis.worlds.photos.data._region_arrays import region_arrays
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref
from deixis.worlds.photos.training import _region_encoder as module
from deixis.worlds.photos.training._encoders import find_region_encoder
from deixis.worlds.photos.training._features import region_features
from deixis.worlds.photos.training._lite0 import HIGH, LOW
from deixis.worlds.photos.training._prepare import Surroundings
from deixis.worlds.photos.training._region_network import (
    REGION_ENCODERS,
    Lite0Eyes,
    RegionNetwork,
    RegionNetworkSettings,
    demand_other_pictures,
)
from deixis.worlds.photos.training.settings import RegionEncoderTraining


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.worlds.photos.data.store import CopsRef

CPU = torch.device("cpu")
SIZES = {"network": "tiny", "side": 64, "low": 12, "high": 24, "batch_size": 8}
AROUND = Surroundings(device="cpu")
STEPS = ("--network", "tiny", "--side", "64", "--steps", "2", "--batch-size", "4", "--device", "cpu")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def draw(folder: Path, seed: int) -> CopsRef:
    recipe = CopsRefRecipe(seed=seed, images=40, val=0.25, test=0.5, each=1, guarded=False)
    return open_copsref(make_copsref(recipe, folder).path)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> CopsRef:
    return draw(tmp_path_factory.mktemp("drawn") / "some", 3)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> CopsRef:
    return draw(tmp_path_factory.mktemp("drawn") / "others", 4)


def course_of(data: CopsRef, **changes: object) -> module._RegionCourse:
    training = RegionEncoderTraining(**{**SIZES, **changes})  # type: ignore[arg-type]
    return module._RegionCourse(training, data, AROUND, module.silent)


def test_attributes_are_those_of_the_scene_graph(drawn: CopsRef) -> None:
    """Of every region the loss asks for the attributes that are recorded, and of those without any for none."""
    regions = region_arrays(drawn.scenes)
    course = course_of(drawn, held_out=0.0)
    rows = torch.from_numpy(np.random.default_rng(0).permutation(len(regions)))

    told, has_some = course._words_of(rows)

    for row, words, some in zip(rows.tolist(), told, has_some.tolist(), strict=True):
        wanted = set(regions.attr[regions.attr_ptr[row] : regions.attr_ptr[row + 1]].tolist())
        assert set(words.nonzero()[:, 0].tolist()) == wanted
        assert some == float(bool(wanted))


def test_a_picture_is_learnt_from_or_held_out(drawn: CopsRef) -> None:
    """Every picture with regions is either learnt from or held out, by its id and the seed alone."""
    course = course_of(drawn, held_out=0.3)
    held, learnt = set(course.held.tolist()), set(course.images.tolist())
    assert not held & learnt
    assert held | learnt == set(np.flatnonzero(np.diff(region_arrays(drawn.scenes).first)).tolist())
    assert 0 < len(held) < len(learnt)


@pytest.mark.slow
def test_it_learns_what_is_where(drawn: CopsRef) -> None:
    """Categories of a few pictures are learnt by heart, as far as maps of four by four cells can tell them apart."""
    course = course_of(drawn, lr=3e-3)
    few = course.images[:8]
    shares = []
    for step in range(80):
        course.updates(step, few, 3e-3)
        shares.append(float(course.updates.reported["right"]))
    assert np.mean(shares[-5:]) > max(0.3, 3 * shares[0])


@pytest.mark.slow
def test_stopped_it_goes_on_to_the_same_weights(drawn: CopsRef, tmp_path: Path) -> None:
    """A run in two parts ends with the same weights as one in one."""
    whole = RegionEncoderTraining(**SIZES, steps=4, eval_every=2)
    module.learn_to_see(whole, drawn, tmp_path / "whole", around=AROUND)
    stopped = module.learn_to_see(whole, drawn, tmp_path / "parts", around=AROUND, stop_after=0.0)
    assert stopped["steps"] < 4
    module.learn_to_see(whole, drawn, tmp_path / "parts", around=AROUND)

    one, other = (read_bundle(tmp_path / name / "last.safetensors", REGION_ENCODERS) for name in ("whole", "parts"))
    assert all(torch.equal(value, other.weights[name]) for name, value in one.weights.items())


@pytest.mark.slow
def test_models_see_with_it(
    drawn: CopsRef, others: CopsRef, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trained on other pictures by one command, it is what a model sees with that two others train and judge."""
    eyes, run, data = str(tmp_path / "eyes"), str(tmp_path / "run"), str(drawn.path)
    assert main(["train", "region-encoder", "--data", str(others.path), "--out", eyes, *STEPS]) == 0
    assert "Told right of pictures held out" in capsys.readouterr().out
    few = ["--steps", "2", "--batch-size", "4", "--eval-every", "2", "--device", "cpu"]
    assert main(["train", "grounder", "--data", data, "--out", run, "--features", eyes, *few]) == 0
    capsys.readouterr()
    assert main(["evaluate", run, "--data", data, "--device", "cpu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["features"] == "region-encoder"

    regions = region_arrays(drawn.scenes)
    seen = region_features(regions, find_region_encoder(eyes, CPU, regions=regions, grid=2), CPU, dataset=drawn)
    assert (seen.encoder, seen.high.shape) == ("region-encoder", (len(regions), 128, 4))
    assert np.abs(seen.high).sum() > 0


@pytest.mark.slow
def test_pictures_that_were_learnt_from_are_refused(
    others: CopsRef, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, for a model that would be judged on what its eyes have been told."""
    eyes = str(tmp_path / "eyes")
    assert main(["train", "region-encoder", "--data", str(others.path), "--out", eyes, *STEPS]) == 0
    with pytest.raises(RecipeError, match="train it on others"):
        demand_other_pictures(find_region_encoder(eyes, CPU, regions=region_arrays(others.scenes)), others)
    capsys.readouterr()
    words = ["--data", str(others.path), "--out", str(tmp_path / "run"), "--features", eyes, "--device", "cpu"]
    assert main(["train", "grounder", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
def test_a_region_encoder_is_nothing_to_evaluate(
    others: CopsRef, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It finds no target: evaluating it, or beginning a model with it, is an error of one line."""
    eyes = str(tmp_path / "eyes")
    assert main(["train", "region-encoder", "--data", str(others.path), "--out", eyes, *STEPS]) == 0
    capsys.readouterr()
    for words in (
        ["evaluate", eyes, "--data", str(others.path)],
        ["train", "grounder", "--data", str(others.path), "--out", str(tmp_path / "run"), "--begin", eyes],
    ):
        assert main(words) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_lite0_keeps_its_norms() -> None:
    """While Lite0 learns, the means of its norms stay, and gradients reach its first layer."""
    torch.default_generator.manual_seed(0)
    sizes = RegionNetworkSettings(side=32, names=3, words=2)
    network = RegionNetwork(sizes).train()
    assert isinstance(network.eyes, Lite0Eyes)
    before = network.eyes.net.bn0.running_mean.clone()
    pictures = torch.randint(0, 256, (2, 32, 32, 3), dtype=torch.uint8)

    looks = network.eyes.look_at(
        pictures, torch.tensor([[[0.1, 0.1, 0.5, 0.5]]] * 2), torch.ones(2, 1, dtype=torch.bool)
    )
    category, words = network(looks.high.mean(2))
    (category.square().sum() + words.square().sum()).backward()

    assert (looks.low.shape[1], looks.high.shape[1]) == (LOW, HIGH)
    assert torch.equal(network.eyes.net.bn0.running_mean, before)
    assert network.eyes.net.conv_stem.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("sizes", [{"side": 48}, {"low": 5}, {"names": 0}, {"words": 9000}])
def test_impossible_sizes_are_refused(sizes: dict[str, int]) -> None:
    """Sizes that Lite0 has not, and no or too many categories, are an error of one line."""
    with pytest.raises(RecipeError):
        RegionNetworkSettings(**sizes)
