"""Speakers and listeners that see a picture moved by a pixel, darker or noisy as they see the picture itself.

They learn from what pictures look like as they are drawn. An encoder that bears changes still gives a changed picture
other numbers, and a speaker that never met such numbers may misread them. Here the map from these numbers to what a
model sees is fitted anew, by least squares: of a changed picture it sees what it saw of the picture as it is drawn.
Nothing else of the model changes, and nothing but pictures for pretraining is looked at.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.learn._checkpoints import write_bundle
from deixis.learn.devices import find_device
from deixis.learn.run import silent
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.training._augment import augment
from deixis.worlds.rooms.training._bundles import read_rooms
from deixis.worlds.rooms.training._captions import images_of
from deixis.worlds.rooms.training.features import FEATURES, Eyes, find_encoder
from deixis.worlds.rooms.training.settings import Augmentation


if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor

    from deixis.learn._checkpoints import Bundle
    from deixis.learn.run import Progress
    from deixis.worlds.rooms.training.features import Encoder


STEADIED = "steadied"  # where a checkpoint tells of it
BLOCK = 256
SEERS = ("speaker", "listener")


@dataclass(frozen=True, slots=True, kw_only=True)
class Steadying:
    """The settings of steadying.

    Attributes:
        seed: of the changes.
        pictures: how many are looked at, of those for pretraining.
        times: in how many changed forms each.
        drawn: how much more a picture as it is drawn counts than a changed one.
        ridge: how much the map is held back, against the mean square of what it reads.
        augmentation: how pictures are changed.
    """

    seed: int = 0
    pictures: int = 4_000
    times: int = 5
    drawn: float = 10.0
    ridge: float = 1e-3
    augmentation: Augmentation = field(default_factory=Augmentation)

    def __post_init__(self) -> None:
        if self.seed < 0 or self.pictures < 1 or self.times < 1:
            raise RecipeError("a seed is at least 0, and there are at least one picture and one changed form of it")
        if not (isfinite(self.drawn) and isfinite(self.ridge) and self.drawn > 0 and self.ridge > 0):
            raise RecipeError("drawn and ridge are numbers above 0")


def steady(
    path: Path, how: Steadying | None = None, *, eyes: Eyes | None = None, progress: Progress | None = None
) -> None:
    """Make the models of a checkpoint robust to changed pictures, and replace the file when that is done.

    Args:
        path: a checkpoint with a speaker, a listener, or both.
        how: the settings.
        eyes: how images are seen, with the encoder that the models learnt with.
        progress: told how far things are.

    Raises:
        RecipeError: when the models learnt with another encoder, or with one that sees no pictures.
        BrokenCheckpoint: when the file cannot be read or holds nobody who sees.
    """
    how, eyes = how or Steadying(), eyes or Eyes()
    device = find_device(eyes.device)
    found, seer = read_rooms(path), find_encoder(eyes.encoder, device)
    if not any(name in found.models for name in SEERS):
        raise BrokenCheckpoint(f"there is neither a speaker nor a listener in {path}")
    if found.data.get("encoder_digest") != seer.digest:
        raise RecipeError(f"the models in {path} learnt with another encoder; give it with --encoder")
    if STEADIED in found.metrics:
        return
    seed = found.data.get("seed")
    ids = images_of(seed if isinstance(seed, int) and seed >= 0 else 0).train
    fitted = steady_map(ids, seer, device, how, progress or silent)
    metrics = {**found.metrics, STEADIED: asdict(how)}
    write_bundle(path, replace(replace_maps(found, fitted), metrics=metrics))


@torch.no_grad()
def steady_map(ids: np.ndarray, seer: Encoder, device: torch.device, how: Steadying, tell: Progress) -> Tensor:
    """Fit the map from features of changed pictures, and 1, to those of the plain ones: float64 [2049, 2048]."""
    if not seer.needs_pictures:
        raise RecipeError(f"the encoder {seer.name!r} sees no pictures, so nothing can be changed in them")
    ids = ids[np.arange(min(how.pictures, len(ids))) * len(ids) // min(how.pictures, len(ids))]
    rng = torch.Generator(device).manual_seed(how.seed)
    square = torch.zeros(FEATURES + 1, FEATURES + 1, dtype=torch.float64, device=device)
    across = torch.zeros(FEATURES + 1, FEATURES, dtype=torch.float64, device=device)
    for start in range(0, len(ids), BLOCK):
        some = ids[start : start + BLOCK]
        drawn = draw_rooms(some)
        wanted = _encode(some, drawn, seer, device)
        plain = torch.from_numpy(drawn).to(device).permute(0, 3, 1, 2).float() / 255
        for number in range(how.times + 1):
            looks = wanted if not number else _encode(some, _augment(plain, how, rng), seer, device)
            weight = how.drawn if not number else 1.0
            read = torch.cat((looks, looks.new_ones(len(looks), 1)), dim=1)
            square += weight * (read.T @ read).double()
            across += weight * (read.T @ wanted).double()
        tell("looking at changed pictures", min(start + BLOCK, len(ids)), len(ids), "")
    held = how.ridge * square.diagonal().mean() * torch.eye(FEATURES + 1, dtype=torch.float64, device=device)
    return torch.linalg.solve(square + held, across).cpu()


def replace_maps(bundle: Bundle, fitted: Tensor) -> Bundle:
    """Return the models with another map of the features that they see.

    Shapes:
        fitted: float64 [2049, 2048], from `steady_map`.
    """
    weights = dict(bundle.weights)
    for name in SEERS:
        weight, bias = (f"{name}.image.{part}" for part in ("weight", "bias"))
        if weight in weights:
            before = weights[weight].double()
            weights[weight] = (fitted[:-1] @ before.T).T.contiguous().to(weights[weight].dtype)
            weights[bias] = (weights[bias].double() + fitted[-1] @ before.T).to(weights[bias].dtype)
    return replace(bundle, weights=weights)


def _augment(plain: Tensor, how: Steadying, rng: torch.Generator) -> np.ndarray:
    changed = augment(plain, how.augmentation, rng=rng)
    found: np.ndarray = (changed * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
    return found


def _encode(ids: np.ndarray, pictures: np.ndarray, seer: Encoder, device: torch.device) -> Tensor:
    """Return features as `features_of` stores them."""
    return seer.encode(ids, pictures, device).half().float()
