from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
import torch
from PIL import Image

from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.photos.data._region_arrays import region_arrays
from deixis.worlds.photos.data.store import write_copsref
from deixis.worlds.photos.localise import Example
from deixis.worlds.photos.scene.graph import Box, GraphObject, SceneGraph
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.training import _features as module
from deixis.worlds.photos.training._encoders import Noise, find_region_encoder, handcrafted_encoder, oracle_encoder
from deixis.worlds.photos.training._features import region_features, region_table
from deixis.worlds.photos.training._tiny import TinyEyes, TinySettings, shrunken, tiny_encoder


CPU = torch.device("cpu")
IMAGES = 7


def scenes_of(images: int = IMAGES) -> GraphTable:
    rng = np.random.default_rng(0)
    graphs = []
    for number in range(images):
        things = tuple(
            GraphObject(
                str(k),
                ("cup", "hat", "dog")[rng.integers(3)],
                Box(int(rng.integers(40)), int(rng.integers(30)), int(rng.integers(1, 24)), int(rng.integers(1, 18))),
                ("red", "small")[: rng.integers(3)],
            )
            for k in range(number % 4)  # some have no object at all
        )
        graphs.append(SceneGraph(f"i{number}", 64, 48, things))
    return GraphTable.of(graphs)


@pytest.fixture
def make(tmp_path):
    def made(*, without: tuple[str, ...] = (), spoiled: str = "", name: str = "data"):
        scenes, folder = scenes_of(), tmp_path / f"{name}-pictures"
        folder.mkdir()
        rng = np.random.default_rng(1)
        for image_id in scenes.image_ids:
            pixels = np.kron(rng.integers(0, 256, (6, 8, 3)), np.ones((8, 8, 1))).astype(np.uint8)
            if image_id not in without:
                Image.fromarray(pixels).save(folder / f"{image_id}.png")
        if spoiled:
            (folder / f"{spoiled}.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
        example = Example(
            id=1, text="the cup", expression=None, form="chain", image_id="i1", object_id="0", split="train"
        )
        return write_copsref(tmp_path / name, [example], scenes, pictures=folder)

    return made


@pytest.fixture
def regions():
    return region_arrays(scenes_of())


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 2)


def same(one, other):
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in ("low", "high", "whole"))


@pytest.mark.parametrize("kind", ["handcrafted", "oracle", "tiny"])
def test_a_cache_gives_what_is_computed(make, regions, tmp_path, kind):
    """Features from memory, from a new cache and from an old one are the same, and it is not looked at twice."""
    torch.set_num_threads(1)
    encoder = {
        "handcrafted": handcrafted_encoder,
        "oracle": partial(oracle_encoder, regions),
        "tiny": lambda: tiny_encoder(TinyEyes(TinySettings(side=32, low=4, high=6))),
    }[kind]()
    look = partial(region_features, regions, encoder, CPU, dataset=make())
    told: list[int] = []

    plain = look()
    first = look(cache=tmp_path / "cache", progress=lambda _, done, *__: told.append(done))
    second = look(cache=tmp_path / "cache", progress=lambda *_: pytest.fail("it looks again"))

    assert told == [2, 4, 6, 7]
    assert same(plain, first)
    assert same(plain, second)
    table = region_table(regions, second, CPU)
    assert table.low.shape == (len(regions), encoder.low, encoder.cells)
    assert torch.allclose(table.pooled.float(), table.high.float().mean(2), atol=2e-3)
    assert table.first.tolist() == regions.first.tolist()
    assert len(table.take(torch.arange(len(regions))).near) == len(regions)


def test_blocks_do_not_matter(make, regions, monkeypatch):
    """However many images are seen at a time, and in whatever order, they look the same."""
    dataset = make()
    for encoder in (handcrafted_encoder(), oracle_encoder(regions, seed=3)):
        some = region_features(regions, encoder, CPU, dataset=dataset)
        monkeypatch.setattr(module, "BLOCK", 3)
        assert same(some, region_features(regions, encoder, CPU, dataset=dataset))


def test_what_was_interrupted_goes_on(make, regions, tmp_path):
    """A run that stopped is gone on with: images that were done are not looked at again."""
    dataset, encoder, seen = make(), handcrafted_encoder(), []

    def stop(_, done, *__):
        seen.append(done)
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        region_features(regions, encoder, CPU, dataset=dataset, cache=tmp_path / "cache", progress=stop)
    found = region_features(
        regions,
        encoder,
        CPU,
        dataset=dataset,
        cache=tmp_path / "cache",
        progress=lambda _, done, *__: seen.append(done),
    )

    assert seen[-1] == IMAGES
    assert seen.count(2) == 1
    assert same(found, region_features(regions, encoder, CPU, dataset=dataset))


def test_every_encoder_has_a_place_of_its_own(regions, tmp_path):
    """Other weights, seeds or regions are never taken from the cache of another encoder."""
    for seed in (1, 2):
        region_features(regions, oracle_encoder(regions, seed=seed), CPU, cache=tmp_path)
    region_features(region_arrays(scenes_of(5)), oracle_encoder(regions, seed=1), CPU, cache=tmp_path)

    assert len(list(tmp_path.iterdir())) == 3


def test_damage_is_told(regions, tmp_path):
    """A changed number, a file that is cut short, one that is missing and a broken list are each told in a line."""
    encoder = oracle_encoder(regions)
    held = region_features(regions, encoder, CPU, cache=tmp_path)
    file, about = held.folder / "high.npy", held.folder / "features.json"
    good, facts = file.read_bytes(), about.read_text()

    file.write_bytes(good[:-9] + bytes([good[-9] ^ 1]) + good[-8:])
    with pytest.raises(BrokenDataset, match="are damaged; delete the folder"):
        region_table(regions, region_features(regions, encoder, CPU, cache=tmp_path), CPU)
    for spoil in (lambda: file.write_bytes(good[:-9]), file.unlink, lambda: about.write_text(facts[:-9])):
        file.write_bytes(good)
        about.write_text(facts)
        spoil()
        with pytest.raises(BrokenDataset, match="damaged"):
            region_features(regions, encoder, CPU, cache=tmp_path)
    file.write_bytes(good[:150])
    about.write_text(json.dumps({**json.loads(facts), "sums": json.loads(facts)["sums"][:2]}))
    with pytest.raises(BrokenDataset, match="damaged"):
        region_features(regions, encoder, CPU, cache=tmp_path)


def test_a_cache_that_cannot_be_written_is_told(regions, tmp_path):
    """A file where the folder should be is told in a line."""
    (tmp_path / "cache").write_text("mine")
    with pytest.raises(RecipeError, match="cannot keep features"):
        region_features(regions, oracle_encoder(regions), CPU, cache=tmp_path / "cache")


def test_pictures_that_are_missing_or_broken_are_told(make, regions):
    """A dataset without a picture, with a broken one or without any cannot be looked at."""
    encoder = handcrafted_encoder()
    with pytest.raises(BrokenDataset, match="no picture of the image 'i3'"):
        region_features(regions, encoder, CPU, dataset=make(without=("i3",), name="one"))
    with pytest.raises(BrokenDataset, match="no picture of the image 'i6'"):
        region_features(regions, encoder, CPU, dataset=make(without=("i6",), name="last"))
    with pytest.raises(BrokenDataset, match="picture of image 'i2' cannot be read"):
        region_features(regions, encoder, CPU, dataset=make(spoiled="i2", name="broken"))
    everything = tuple(f"i{number}" for number in range(IMAGES))
    with pytest.raises(BrokenDataset, match="keeps no pictures"):
        region_features(regions, encoder, CPU, dataset=make(without=everything, name="none"))
    with pytest.raises(RecipeError, match="looks at pictures"):
        region_features(regions, encoder, CPU)


def test_features_of_other_regions_are_refused(regions):
    """A table is not made of features that belong to other images."""
    found = region_features(regions, oracle_encoder(regions), CPU)
    with pytest.raises(BrokenDataset, match="features of"):
        region_table(region_arrays(scenes_of(5)), found, CPU)


def test_the_oracle_sees_the_graph(regions):
    """Without noise there are ones for the category and the attributes alone; noise is about as wide as is asked."""
    seen = region_features(regions, oracle_encoder(regions, noise=Noise(0)), CPU).high[:, :, 0]
    names = len(regions.names)

    assert seen[:, :names].argmax(1).tolist() == regions.category.tolist()
    assert np.array_equal(seen[:, names:].sum(1), np.diff(regions.attr_ptr))
    noisy = region_features(regions, oracle_encoder(regions, noise=Noise(0.5)), CPU).high[:, :, 0]
    assert 0.3 < (noisy.astype(np.float32) - seen).std() < 0.7
    with pytest.raises(RecipeError, match="noise is 0 or more"):
        oracle_encoder(regions, noise=Noise(float("nan")))


def test_the_oracle_may_be_less_sure_of_categories_than_of_attributes(regions):
    """Noise on categories leaves attributes as they are; where it is as wide as theirs, the features are the same."""
    names = len(regions.names)
    plain, unsure, clear, equal = (
        region_features(regions, oracle_encoder(regions, noise=Noise(0.25, noise)), CPU).high[:, :, 0]
        for noise in (None, 0.75, 0, 0.25)
    )

    assert np.array_equal(equal, plain)
    for seen in (unsure, clear):
        assert np.array_equal(seen[:, names:], plain[:, names:])
    assert np.array_equal(clear[:, :names].argmax(1), regions.category)
    assert np.array_equal(clear[:, :names].sum(1), np.ones(len(regions)))
    wider = (unsure[:, :names] - clear[:, :names]) / 3
    assert np.allclose(wider, plain[:, :names] - clear[:, :names], atol=2e-3)
    digests = [oracle_encoder(regions, noise=Noise(categories=noise)).digest for noise in (None, 0.75, 0, 0.25)]
    assert digests == ["oracle-1-0.25-0", "oracle-1-0.25-0-0.75", "oracle-1-0.25-0-0", "oracle-1-0.25-0"]
    with pytest.raises(RecipeError, match="noise is 0 or more"):
        oracle_encoder(regions, noise=Noise(categories=-0.1))


def test_the_small_network_learns_to_see(make, regions):
    """Gradients reach its first layer through the table, which is what the encoder gives once it has learned."""
    eyes = TinyEyes(TinySettings(side=32, low=4, high=6)).train()
    images = np.array([3, 1])
    dataset = make()
    pictures = shrunken(tuple(np.asarray(Image.open(f"{dataset.path}-pictures/i{k}.png")) for k in images), 32)

    table = eyes.table(torch.from_numpy(pictures), regions.some(images))
    table.pooled.square().sum().backward()
    assert eyes.early[0][0].weight.grad.abs().sum() > 0

    encoder = tiny_encoder(eyes)
    with torch.no_grad():
        wanted = eyes.eval().looks(torch.from_numpy(pictures), regions.some(images))
    found = region_features(regions, encoder, CPU, dataset=dataset)
    assert np.allclose(found.high[regions.rows_of(images)], wanted.high.numpy(), atol=2e-3)
    assert tiny_encoder(TinyEyes(eyes.settings)).digest != encoder.digest


def test_sizes_of_the_small_network_are_checked():
    """Pictures are shrunk to a multiple of 16 pixels."""
    with pytest.raises(RecipeError, match="multiple of 16"):
        TinySettings(side=20)


def test_unknown_encoders_are_told(regions):
    """A name that nobody knows is told with those that are known, and so is a grid that makes no sense."""
    assert find_region_encoder("oracle", CPU, regions=regions).name == "oracle"
    assert find_region_encoder("handcrafted", CPU, regions=regions, grid=2).cells == 4
    with pytest.raises(RecipeError, match="unknown encoder 'eyes'; known: lite0, handcrafted, oracle"):
        find_region_encoder("eyes", CPU, regions=regions)
    with pytest.raises(RecipeError, match="cells across"):
        find_region_encoder("oracle", CPU, regions=regions, grid=0)
