from __future__ import annotations

import shutil
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.learn._checkpoints import write_bundle
from deixis.learn.run import shipped_checkpoints, silent
from deixis.worlds.rooms.training._bundles import read_rooms
from deixis.worlds.rooms.training._captions import images_of
from deixis.worlds.rooms.training._steady import STEADIED, Steadying, replace_maps, steady, steady_map
from deixis.worlds.rooms.training.features import FEATURES, Encoder, Eyes
from tests.training.rooms.made import HERE, fresh_speaker


CPU = torch.device("cpu")
FEW = Steadying(pictures=12, times=1)


def shaken(ids, pictures, device):
    """What a picture looks like: its image in the first numbers, and how far it was changed in the last one."""
    found = torch.zeros(len(ids), FEATURES)
    found[:, 0] = torch.from_numpy(ids % 97 / 97)
    found[:, -1] = torch.from_numpy(np.abs(np.diff(pictures.astype(float), axis=2)).mean((1, 2, 3)) / 64)
    return found.to(device)


@pytest.mark.slow
def test_the_map_keeps_what_stays_and_drops_what_changes():
    """What a change leaves alone is passed on as it is."""
    ids = images_of(42).train[::300]
    fitted = steady_map(ids, Encoder("shaken", "1", shaken), CPU, replace(FEW, pictures=100, ridge=1e-9), silent)
    looks = torch.zeros(1, FEATURES + 1, dtype=torch.float64)
    looks[0, 0], looks[0, -1] = 0.5, 1.0

    assert fitted.shape == (FEATURES + 1, FEATURES)
    assert float((looks @ fitted)[0, 0]) == pytest.approx(0.5, abs=0.01)
    assert abs(float(fitted[-2, -1])) < 0.9  # how a picture was changed is not passed on whole


def test_nothing_changes_where_the_map_changes_nothing(tmp_path):
    """A map of each number to itself leaves the models as they are."""
    bundle = read_rooms(fresh_speaker(tmp_path / "speaker.safetensors", width=8))
    same = torch.cat((torch.eye(FEATURES, dtype=torch.float64), torch.zeros(1, FEATURES, dtype=torch.float64)))

    found = replace_maps(bundle, same)

    assert all(torch.allclose(found.weights[name], one) for name, one in bundle.weights.items())


def test_a_checkpoint_is_steadied_once_and_says_how(tmp_path):
    """Of speaker and listener the map of images changes, and nothing else."""
    path = tmp_path / "speaker.safetensors"
    shutil.copy(shipped_checkpoints()["speaker-rp"], path)
    before = read_rooms(path)
    write_bundle(path, replace(before, metrics={}))  # the shipped one has been steadied

    steady(path, FEW, eyes=Eyes(device="cpu"))
    after, data = read_rooms(path), path.read_bytes()
    steady(path, FEW, eyes=Eyes(device="cpu"))

    changed = {name for name, one in after.weights.items() if not torch.equal(one, before.weights[name])}
    assert changed == {f"{who}.image.{part}" for who in ("speaker", "listener") for part in ("weight", "bias")}
    assert after.metrics[STEADIED] == asdict(FEW)
    assert path.read_bytes() == data


def test_who_cannot_be_steadied_is_told(tmp_path):
    """An encoder, a speaker that sees no pictures, settings that cannot be."""
    path = fresh_speaker(tmp_path / "speaker.safetensors", width=8)

    with pytest.raises(RecipeError, match="the encoder 'factors' sees no pictures"):
        steady(path, FEW, eyes=HERE)
    with pytest.raises(RecipeError, match="learnt with another encoder"):
        steady(path, FEW, eyes=Eyes(device="cpu"))
    with pytest.raises(BrokenCheckpoint, match="neither a speaker nor a listener"):
        steady(shipped_checkpoints()["room-encoder"], FEW, eyes=Eyes(device="cpu"))
    with pytest.raises(RecipeError, match="at least one picture"):
        Steadying(pictures=0)
    with pytest.raises(RecipeError, match="numbers above 0"):
        Steadying(ridge=0.0)
