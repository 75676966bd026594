from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from deixis.errors import BrokenCheckpoint, BrokenDataset, RecipeError
from deixis.learn._checkpoints import write_bundle
from deixis.worlds.rooms._models.encoders import ResNet50, RoomEncoder, RoomEncoderSettings
from deixis.worlds.rooms.scene import IMAGES, SIZES, factors_of
from deixis.worlds.rooms.training import features as module
from deixis.worlds.rooms.training._augment import DISTURBANCES
from deixis.worlds.rooms.training._bundles import read_rooms
from deixis.worlds.rooms.training._encoder import learn_to_see
from deixis.worlds.rooms.training.features import FEATURES, Encoder, features_of, find_encoder
from deixis.worlds.rooms.training.settings import Augmentation, Encoding
from tests.training.rooms.made import bundle_of, fresh_speaker, reset


if TYPE_CHECKING:
    from pathlib import Path


CPU = torch.device("cpu")


class Counted:
    """An encoder that counts the images that it is shown."""

    def __init__(self) -> None:
        self.shown: list[int] = []

    def __call__(self, ids: np.ndarray, _: np.ndarray | None, device: torch.device) -> torch.Tensor:
        """The last three digits of an image, again and again."""
        self.shown += ids.tolist()
        return torch.from_numpy(ids % 1000).float().to(device)[:, None].expand(-1, FEATURES)


@pytest.fixture
def counted() -> Counted:
    """What counts."""
    return Counted()


def seeing(counted: Counted) -> Encoder:
    return Encoder("counted", "counted-1", counted, needs_pictures=False)


@given(images=st.lists(st.integers(0, IMAGES - 1), min_size=1, max_size=30))
def test_factors_can_be_read_off(images):
    """One number for each value; each image has six of them."""
    ids = np.array(images)

    found = features_of(ids, find_encoder("factors", CPU), CPU)

    parts = np.split(found.values[found.rows(ids)][:, : sum(SIZES)], np.cumsum(SIZES)[:-1], axis=1)
    assert np.array_equal(np.column_stack([part.argmax(1) for part in parts]), factors_of(ids))
    assert (found.values.sum(1) == 6).all()


def test_images_are_looked_at_once(counted, tmp_path):
    """What a cache holds is mapped from the disk; what it lacks is added, and nothing is looked at again."""
    first = features_of(np.array([7, 3, 3, 90]), seeing(counted), CPU, cache=tmp_path)
    again = features_of(np.array([90, 3]), seeing(counted), CPU, cache=tmp_path)
    more = features_of(np.array([5, 7, 400_000]), seeing(counted), CPU, cache=tmp_path)

    assert counted.shown == [3, 7, 90, 5, 400_000]
    assert all(isinstance(one.values, np.memmap) for one in (first, again, more))
    assert more.ids.tolist() == [3, 5, 7, 90, 400_000]
    assert more.values[more.rows(np.array([[90, 5], [3, 7]])), 0].tolist() == [[90, 5], [3, 7]]


def test_the_cache_of_another_encoder_is_not_taken(counted, tmp_path):
    """Nor that of pictures from elsewhere; both lie beside each other."""
    ids = np.array([1, 2])
    features_of(ids, seeing(counted), CPU, cache=tmp_path)
    features_of(ids, replace(seeing(counted), digest="counted-2"), CPU, cache=tmp_path)
    features_of(ids, seeing(counted), CPU, cache=tmp_path, source="3dshapes.h5")

    assert counted.shown == [1, 2] * 3


@pytest.mark.parametrize("damage", ["cut", "gone", "text", "shape"])
def test_a_damaged_cache_is_told(counted, tmp_path, damage):
    """In one line that says what to do."""
    features_of(np.arange(5), seeing(counted), CPU, cache=tmp_path)
    values = next(path for path in tmp_path.glob("*.npy") if not path.stem.endswith("ids"))
    match damage:
        case "cut":
            values.write_bytes(values.read_bytes()[:5000])
        case "gone":
            values.unlink()
        case "text":
            values.write_text("no numbers", encoding="utf-8")
        case "shape":
            np.save(values, np.zeros((4, FEATURES), np.float16))

    with pytest.raises(BrokenDataset, match=r"are damaged.*delete the folder"):
        features_of(np.arange(5), seeing(counted), CPU, cache=tmp_path)


def test_an_image_that_was_not_looked_at_is_told(counted):
    """Rather than another one being shown in its place."""
    found = features_of(np.array([2, 4]), seeing(counted), CPU)

    for missing in (1, 3, 5):
        with pytest.raises(RecipeError, match="not computed"):
            found.rows(np.array([missing]))


def test_an_encoder_that_sees_too_little_is_told():
    """Speakers need 2,048 numbers."""
    narrow = Encoder(
        "narrow", "1", lambda ids, _, device: torch.zeros(len(ids), 7, device=device), needs_pictures=False
    )

    with pytest.raises(RecipeError, match=r"gives 7 numbers, 2,048 are needed"):
        features_of(np.array([1]), narrow, CPU)


def test_an_encoder_is_trained_and_sees(tmp_path):
    """It is written, found again, gives the same features as its file says, and tells pictures apart."""
    path = tmp_path / "deep" / "encoder.safetensors"

    found = learn_to_see(Encoding(pictures=24, judged=8, steps=2, batch_size=8), path, device="cpu")
    told = found["told"]
    seen = features_of(np.array([118_308, 292_170]), find_encoder(str(path), CPU), CPU)

    assert set(found["disturbed"]) == set(DISTURBANCES)
    assert read_rooms(path).training["augmentation"] == asdict(Augmentation())
    assert set(told) == {"floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation"}
    assert all(0 <= share <= 1 for share in told.values())
    assert seen.encoder == "rooms"
    assert not np.array_equal(seen.values[0], seen.values[1])


@pytest.mark.slow
def test_an_encoder_learns(tmp_path):
    """Given the same few pictures again and again, it learns the hues of floors."""
    path = tmp_path / "encoder.safetensors"
    told = []

    learn_to_see(
        Encoding(pictures=16, judged=1, steps=100, batch_size=16),
        path,
        device="cpu",
        progress=lambda stage, _done, _total, note: told.append((stage, note)),
    )

    loss = next(float(note.split()[1]) for stage, note in told if stage == "encoder")
    assert loss < 9  # 13.1 to begin with: log 10 three times, log 8, log 4 and log 15


def test_other_files_are_no_encoders(tmp_path):
    """A speaker, a text, nothing."""
    text = tmp_path / "text.safetensors"
    text.write_text("no tensors", encoding="utf-8")

    with pytest.raises(BrokenCheckpoint, match="holds no weights of ResNet-50"):
        find_encoder(str(fresh_speaker(tmp_path / "speaker.safetensors")), CPU)
    with pytest.raises(BrokenCheckpoint, match="cannot be read as a safetensors file"):
        find_encoder(str(text), CPU)
    with pytest.raises(RecipeError, match="unknown encoder 'eagle'; known: rooms, factors"):
        find_encoder("eagle", CPU)


def test_an_encoder_that_calls_itself_one_is_checked(tmp_path):
    """Its role is not enough."""
    path = tmp_path / "odd.safetensors"
    reset(1)
    model = RoomEncoder(RoomEncoderSettings(channels=(4, 4)))
    write_bundle(path, bundle_of({"encoder": model}, role="encoder", vocabulary=("none",)))
    with pytest.raises(RecipeError, match=r"gives 4,096|gives 1,024"):
        features_of(np.array([1]), find_encoder(str(path), CPU), CPU)

    fresh_speaker(path, role="encoder")
    with pytest.raises(BrokenCheckpoint, match="there is no encoder in this checkpoint"):
        find_encoder(str(path), CPU)


def test_a_copy_without_an_encoder_says_so(monkeypatch):
    """And how to train one."""
    monkeypatch.setattr(module, "shipped_checkpoints", dict)

    with pytest.raises(RecipeError, match="train one with `deixis train room-encoder`"):
        find_encoder("rooms", CPU)


@pytest.mark.slow
def test_resnet_sees_where_its_weights_are_given(tmp_path):
    """With the names of torchvision, the last layer left out, and nothing mirrored."""
    reset(1)
    weights = {**ResNet50().state_dict(), "fc.weight": torch.zeros(1000, 2048), "fc.bias": torch.zeros(1000)}
    path: Path = tmp_path / "resnet50.safetensors"
    save_file(weights, path)
    encoder = find_encoder(str(path), CPU)
    picture = np.random.default_rng(1).integers(0, 255, (1, 64, 64, 3)).astype(np.uint8)

    with torch.no_grad():
        seen, mirrored = (encoder.encode(np.array([1]), one, CPU) for one in (picture, picture[:, :, ::-1]))

    assert encoder.name == "resnet50"
    assert seen.shape == (1, 2048)
    assert not torch.allclose(seen, mirrored)
